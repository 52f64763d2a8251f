"""Run the checks of the firmware's logic under CPython and MicroPython."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import skip_outside_ci
from tests.fabrication.kicad.build import place

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[1] / "firmware" / "pico"
NPM_RUNTIME = "node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs"


def logic():
    """Return the module with the checks, with the firmware importable."""
    sys.path.insert(0, str(FIRMWARE))
    try:
        spec = importlib.util.spec_from_file_location("pico_logic", HERE / "logic.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FIRMWARE))
    return module


LOGIC = logic()


@pytest.mark.parametrize("check", LOGIC.CHECKS)
def test_logic_works_under_cpython(check):
    getattr(LOGIC, check)()


def micropython_command():
    """Return the command that runs a local MicroPython; see README.md."""
    if found := shutil.which(os.environ.get("POND_MICROPYTHON", "micropython")):
        return [found, str(HERE / "logic.py"), str(FIRMWARE)]
    if loaders := sorted(place().glob("usr/lib/*/ld-linux*")):  # Debian 13's, with its own libraries
        loader = [str(loaders[0]), "--library-path", str(loaders[0].parent)]
        return [*loader, str(place() / "usr/bin/micropython"), str(HERE / "logic.py"), str(FIRMWARE)]
    folder = Path(os.environ.get("POND_PICO_TOOLS", Path.home() / ".cache" / "pond-pico"))
    if shutil.which("node") and (folder / NPM_RUNTIME).is_file():
        files = (FIRMWARE / "pond_board.py", HERE / "logic.py")
        return ["node", str(HERE / "micropython.mjs"), str(folder / NPM_RUNTIME), *map(str, files)]
    return skip_outside_ci(
        "needs MicroPython: `sudo make kicad`, Debian 13's `micropython`, or npm's (tests/pico/README.md)"
    )


def test_logic_works_under_micropython():
    done = subprocess.run(micropython_command(), capture_output=True, text=True, timeout=120, check=True)
    output = [line.split() for line in done.stdout.splitlines() if line.startswith(("passed", "failed"))]
    assert [line for line in output if line[0] != "passed"] == []
    assert [line[1] for line in output] == LOGIC.CHECKS
