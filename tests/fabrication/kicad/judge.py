"""KiCad as a judge who knows nothing of our programs: what it reads in a schematic, and what its rules say of it."""

import json
import os
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import lacks
from tests.fabrication.kicad.build import place


def _command(folder):
    """How to call kicad-cli in a folder of that Debian; and the machine's own where there is a new one."""
    if place().exists():
        as_root = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
        inside = f"/{folder.relative_to(place())}"
        settings = [f"HOME={inside}", "PATH=/usr/bin:/bin", "LANG=C.UTF-8"]  # KiCad finds its parts by PATH
        return [*as_root, "chroot", place(), "env", "-i", "-C", inside, *settings, "kicad-cli"]
    return ["env", "-C", folder, f"HOME={folder}", "kicad-cli"]


@contextmanager
def kicad(files):
    """A folder with these files (texts by their names), and kicad-cli called in it: gives both.

    Where there is no KiCad from 9 on, the test is given up, with what to do.
    """
    own = not place().exists()
    if lack := missing():
        lacks(lack)
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
    """What must be installed first; nothing if all is there."""
    if place().exists() or _is_new():
        return ""
    return "needs KiCad 9 with kicad-cli (sudo make kicad): it reads our schematics as KiCad's users will"


def _is_new():
    if not shutil.which("kicad-cli"):
        return False
    version = subprocess.run(["kicad-cli", "version"], capture_output=True, text=True, check=True).stdout
    return int(version.partition(".")[0]) >= 9


def errors(schematic, ignored=frozenset()):
    """What KiCad's rules say of a schematic: the kinds of violations, warnings too, with the things, as KiCad names them."""
    with kicad({"board.kicad_sch": schematic}) as (folder, call):
        call("sch", "erc", "--severity-all", "--format", "json", "-o", "erc.json", "board.kicad_sch")
        report = json.loads((folder / "erc.json").read_text(encoding="utf-8"))
    found = [violation for sheet in report["sheets"] for violation in sheet["violations"]]
    # That the symbols are in the file and in no library is as it should be.
    return [
        (violation["type"], *(item["description"] for item in violation["items"]))
        for violation in found
        if violation["type"] not in {"lib_symbol_issues", *ignored}
    ]


def nets(schematic):
    """What KiCad's netlist joins: the ends of pins by the net's name; and the values of the parts."""
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
    """What KiCad's rules say of a board and of how it agrees with its schematic, of the same name: kind and things."""
    with kicad(files) as (folder, call):
        report = ["--format", "json", "-o", "drc.json"]
        call("pcb", "drc", "--severity-all", "--schematic-parity", *report, f"{name}.kicad_pcb")
        found = json.loads((folder / "drc.json").read_text(encoding="utf-8"))
    return [
        (violation["type"], *(item["description"] for item in violation["items"]))
        for kind in ("violations", "unconnected_items", "schematic_parity")
        for violation in found[kind]
        if violation["type"] != "lib_footprint_issues"  # these too are in the file itself
    ]
