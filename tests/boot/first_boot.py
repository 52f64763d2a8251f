"""Test of the first start of a prepared card: cut the power at each of its steps, then see that the board lights up.

    python -m tests.boot.first_boot FOLDER    # has disk, kernel and initrd, as .ci/boot makes them

The steps are found in the log of an uninterrupted first start. Then one card loses its power at every step in turn.
"""

import argparse
import re
import shutil
from pathlib import Path

from tests.boot.machine import MACHINES, Machine

STEPS = re.compile(r"pond-first-boot: |Unpacking pond|Setting up pond|  run ")
"""Lines of the log at which the power is cut: our own, and those of dpkg and pond-board before a change."""


def read_log(machine):
    """Return the lines that the first start logs, and the report after them: `lit`, or `off` if the machine restarts."""
    lines = []
    while (report := machine.read_report())["step"] == "first-boot":
        lines.append(report["line"])
    return lines, report


def see_lit_board(folder, processor, log):
    """Start the machine until its board is lit. Return the report without its time and its lamp, which may be fading in."""
    with Machine(folder, processor, log) as machine:
        _, lit = read_log(machine)
    if lit["step"] == "off":
        with Machine(folder, processor, log) as machine:
            lit = machine.expect("lit")
    assert lit["host"] == ["lily-pad"], lit
    assert "pond" in lit["user"], lit
    assert lit["units"] == ["enabled", "enabled"], lit
    assert lit["package"] == ["install", "ok", "installed"], lit
    return {name: value for name, value in lit.items() if name not in ("since_boot", "lamp")}


def start_once(folder, processor, log):
    """Start a fresh card without a power cut. Return the steps, and the report of the lit board."""
    with Machine(folder, processor, log) as machine:
        lines, end = read_log(machine)
    assert end["step"] == "off", end
    return [line for line in lines if STEPS.match(line)], see_lit_board(folder, processor, log)


def cut_at(step, folder, processor, log):
    """Start the machine and cut its power when it logs this step."""
    with Machine(folder, processor, log) as machine:
        while (report := machine.read_report())["step"] == "first-boot":
            if as_after_a_cut(report["line"]) == as_after_a_cut(step):
                machine.cut_power()
                print(f"-- the power is cut at: {step}", flush=True)
                return
    raise AssertionError(f"{step} wasn't logged again")


def as_after_a_cut(line):
    """Return the line as it may be logged after a cut: a service that was enabled before is started, not restarted."""
    return line.replace("restart", "start")


def main():
    """Run the test. The console's output goes to `console.log` in the folder."""
    parser = argparse.ArgumentParser(description="Cut the power of a prepared card at each step of its first start.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processor", default="aarch64", choices=MACHINES)
    options = parser.parse_args()
    folder, processor = options.folder, options.processor
    fresh = folder / "fresh"
    shutil.copyfile(folder / "disk", fresh)
    with (folder / "console.log").open("wb") as log:
        steps, lit = start_once(folder, processor, log)
        assert len(steps) > 4, steps
        fresh.replace(folder / "disk")
        for step in steps:
            cut_at(step, folder, processor, log)
        assert see_lit_board(folder, processor, log) == lit
    print(f"the board lights up after {len(steps)} power cuts")


if __name__ == "__main__":
    main()
