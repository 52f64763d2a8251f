"""Calls to KiCad's command line: rule checks and netlists of our schematics and boards."""

import json
import os
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import skip_outside_ci
from tests.fabrication.kicad.build import place


def _command(folder):
    """Return the command that starts kicad-cli, either inside the installed Debian or on this machine."""
    if place().exists():
        as_root = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
        inside = f"/{folder.relative_to(place())}"
        settings = [f"HOME={inside}", "PATH=/usr/bin:/bin", "LANG=C.UTF-8"]  # PATH is how KiCad finds its tools
        return [*as_root, "chroot", place(), "env", "-i", "-C", inside, *settings, "kicad-cli"]
    return ["env", "-C", folder, f"HOME={folder}", "kicad-cli"]


@contextmanager
def kicad(files):
    """Yield a folder with these files (text by name), and a function that runs kicad-cli in it.

    Skip the test with instructions if there is no KiCad 9 or later.
    """
    own = not place().exists()
    if missing_tool := missing():
        skip_outside_ci(missing_tool)
    with tempfile.TemporaryDirectory(dir=None if own else place() / "tmp") as name:
        folder = Path(name)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")

        def call(*words):
            done = subprocess.run([*_command(folder), *words], check=False, capture_output=True, text=True)
            assert done.returncode == 0, f"kicad-cli {' '.join(words)}: {done.stdout}{done.stderr}"
            return done.stdout

        yield folder, call


def missing():
    """Return what must be installed first, or an empty string."""
    if place().exists() or _is_new():
        return ""
    return "needs KiCad 9 with kicad-cli (sudo make kicad): it reads our schematics as KiCad's users will"


def _is_new():
    if not shutil.which("kicad-cli"):
        return False
    version = subprocess.run(["kicad-cli", "version"], capture_output=True, text=True, check=True).stdout
    return int(version.partition(".")[0]) >= 9


def errors(schematic, ignored=frozenset()):
    """Return the kind and the objects of each violation in a schematic, including warnings."""
    with kicad({"board.kicad_sch": schematic}) as (folder, call):
        call("sch", "erc", "--severity-all", "--format", "json", "-o", "erc.json", "board.kicad_sch")
        report = json.loads((folder / "erc.json").read_text(encoding="utf-8"))
    found = [violation for sheet in report["sheets"] for violation in sheet["violations"]]
    # Our symbols are not in a library on purpose, but in the file.
    return [
        (violation["type"], *(item["description"] for item in violation["items"]))
        for violation in found
        if violation["type"] not in {"lib_symbol_issues", *ignored}
    ]


def nets(schematic):
    """Return KiCad's netlist: pins by net name, and the values of the parts."""
    with kicad({"board.kicad_sch": schematic}) as (folder, call):
        call("sch", "export", "netlist", "--format", "kicadxml", "-o", "nets.xml", "board.kicad_sch")
        tree = ET.parse(folder / "nets.xml")
    joined = {
        net.get("name").removeprefix("/"): {(end.get("ref"), end.get("pin")) for end in net.iter("node")}
        for net in tree.iter("net")
    }
    values = {part.get("ref"): part.findtext("value") for part in tree.iter("comp")}
    return {name: ends for name, ends in joined.items() if not name.startswith("unconnected-")}, values


def board_faults(name, files):
    """Return the kind and the objects of each violation on a board.

    KiCad also compares it with the schematic of the same name.
    """
    with kicad(files) as (folder, call):
        report = ["--format", "json", "-o", "drc.json"]
        call("pcb", "drc", "--severity-all", "--schematic-parity", *report, f"{name}.kicad_pcb")
        found = json.loads((folder / "drc.json").read_text(encoding="utf-8"))
    return [
        (violation["type"], *(item["description"] for item in violation["items"]))
        for kind in ("violations", "unconnected_items", "schematic_parity")
        for violation in found[kind]
        if violation["type"] != "lib_footprint_issues"  # footprints are in the file too
    ]
