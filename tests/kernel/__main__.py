"""Run the tests on the simulated Pi: `python -m tests.kernel`, or `make test-kernel`.

Each run is a simulated Pi set up for one board, with its tests, in real or simulated time. Most runs use both.
"""

import argparse
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple

import pytest

from tests.building import MissingTool
from tests.conftest import part_of
from tests.kernel.build import describe_missing
from tests.kernel.pi import NO_SETTINGS, TIMEOUT_CODE, Stopped, kit, run, set_up

TOOLS = {"sigrok-cli": "sigrok-cli", "systemctl": "systemd", "udevadm": "udev"}
"""Programs that the tests call, with their packages."""

REAL, SIMULATED = "real", "simulated"

PARALLEL_PIS = 3
"""Number of Pis that run at the same time on two cores. In real time they mostly wait."""

MAX_RUN_SECONDS = 1800
"""Time limit of a run in seconds. The longest takes about six minutes."""

NO_TESTS_CODE = 5
"""pytest's exit code if no test ran."""


class Run(NamedTuple):
    """One simulated Pi and its tests.

    Attributes:
        name: name of the run.
        board: profile that it is set up for; empty for a Pi as delivered.
        tests: arguments for pytest.
        model: model of the Pi.
        words: kernel parameters besides the installer's.
        times: real time, simulated time, or both. Some tests gain little from real time.
    """

    name: str
    board: str
    tests: tuple[str, ...]
    model: str = "pi4"
    words: tuple[str, ...] = ()
    times: tuple[str, ...] = (REAL, SIMULATED)


def board_run(board, tests="tests/board", *, by="", **options):
    """Return a run of the board tests on a board."""
    name = " ".join([f"{board}{by}", *([f"on {options['model']}"] if "model" in options else [])])
    return Run(name, board, (tests, f"--pi={board}{by}"), **options)


def service_run(board, names=("service", "sandbox", "refusals"), **options):
    """Return a run of the tests of the installed service on a board."""
    tests = (f"tests/kernel/inside/test_{each}.py" for each in names)
    return Run(f"service on {board}", board, (*tests, f"--pi={board}"), **options)


LAMPS = ("tests/kernel/inside/test_lamps.py", "tests/kernel/inside/test_pauses.py")
BUFFER_LAMPS = (LAMPS[0], "-k", "max_lamps or too_many_lamps or do_not_check")
CONTROLS = ("tests/kernel/inside/test_controls.py",)

RUNS = (
    board_run("direct-4x4"),
    board_run("matrix-5x5"),
    board_run("hall-4x4"),
    board_run("hall-4x4", by=" by the kernel", times=(SIMULATED,)),
    board_run("hall-4x4", "tests/board/test_every_board.py", by=" by the kernel", times=(REAL,)),
    board_run("hall-4x4", "tests/board/test_every_board.py", by=" with PCF8575s", times=(SIMULATED,)),
    board_run("hall-5x5"),
    board_run("owner-4x4"),
    board_run("direct-4x4", model="pi5", times=(SIMULATED,)),
    board_run("direct-4x4", model="pi5-first", times=(SIMULATED,)),
    board_run("hall-4x4", model="pi5", times=(SIMULATED,)),
    *(
        Run(f"edges on {board}", board, ("tests/kernel/inside/test_edges.py", f"--pi={board}"), times=(SIMULATED,))
        for board in ("direct-4x4", "matrix-5x5")
    ),
    service_run("direct-4x4"),
    service_run("hall-4x4"),
    service_run("hall-5x5", times=(SIMULATED,)),
    service_run("pwm-4x4", ("service", "sandbox"), times=(SIMULATED,)),  # refusals are tested with the other unit
    Run("nothing switched on", "", ("tests/kernel/inside/test_switched_off.py", "--pi=direct-4x4"), times=(SIMULATED,)),
    Run("figures", "direct-4x4", ("tests/kernel/inside/test_figures.py", "--pi=direct-4x4"), times=(SIMULATED,)),
    Run("hours", "hall-4x4", ("tests/kernel/inside/test_hours.py", "--pi=hall-4x4"), times=(SIMULATED,)),
    Run("lamps", "direct-4x4", LAMPS),
    Run("lamps with a larger buffer", "direct-4x4", BUFFER_LAMPS, words=("spidev.bufsiz=65536",), times=(SIMULATED,)),
    Run("controls with I2C", "hall-4x4", CONTROLS),
    Run("controls with SPI1", "hall-5x5", CONTROLS),
    Run("controls on pi5-first", "direct-4x4", CONTROLS, "pi5-first"),
)


def report(planned_run, time, environment, folder):
    """Execute a run. Return whether it passed, a line about it, and the file with its output."""
    name = f"{planned_run.name}, in {time} time"
    log = folder / f"{name}.log"
    settings = set_up(planned_run.board) if planned_run.board else NO_SETTINGS
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", *planned_run.tests]
    started_at = monotonic()
    try:
        with log.open("wb") as output:
            code = run(
                command,
                model=planned_run.model,
                settings=settings._replace(words=settings.words + planned_run.words),
                virtual=time == SIMULATED,
                timeout=MAX_RUN_SECONDS,
                environment=environment,
                output=output,
            )
    except Stopped as stopped:
        return False, f"{name}: {stopped}", log
    lines = log.read_text(errors="replace").splitlines()
    last = next((line for line in reversed(lines) if line.strip()), "no output")
    if code == TIMEOUT_CODE:
        last = f"timed out after {MAX_RUN_SECONDS} s"
    elif code == NO_TESTS_CODE:
        last = f"nothing was tested: {last}"
    return code == 0, f"{name}: {last} ({monotonic() - started_at:.0f} s in all)", log


def find_missing():
    """Return what is missing on this machine and how to install it, or None."""
    try:
        kit()
    except MissingTool as error:
        return error
    missing = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    return describe_missing(missing) if missing else None


def main():
    """Execute all runs or the requested ones. Return 1 if one failed, 2 if the simulated Pi has not been built."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernel", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", metavar="TEXT", default="", help="only runs with this in their name")
    parser.add_argument("--time", choices=(REAL, SIMULATED), help="only in real or simulated time")
    parser.add_argument("--part", metavar="K/N", help="only every Nth of those, starting at the Kth")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="number of repetitions (1)")
    parser.add_argument("--minutes", type=int, default=10, metavar="N", help="minutes of the run `hours` (10)")
    arguments = parser.parse_args()
    environment = {
        "POND_MINUTES": str(arguments.minutes),
        **{key: os.environ[key] for key in ("CI",) if key in os.environ},
    }
    planned_runs = [
        (each, time, environment)
        for _ in range(arguments.times)
        for each in RUNS
        for time in (REAL, SIMULATED)
        if arguments.only in each.name and time in each.times and arguments.time in {None, time}
    ]
    if arguments.part:
        try:
            planned_runs, _ = part_of(planned_runs, arguments.part)
        except pytest.UsageError as error:
            parser.error(str(error))
    if not planned_runs:
        print(f"No run has {arguments.only!r} in its name; there are: {', '.join(each.name for each in RUNS)}.")
        return 2
    if missing := find_missing():
        print(missing, file=sys.stderr)
        return 2
    failed = 0
    with TemporaryDirectory(prefix="pond-kernel-") as folder, ThreadPoolExecutor(PARALLEL_PIS) as pool:
        for passed, line, log in pool.map(lambda run: report(*run, Path(folder)), planned_runs):
            failed += not passed
            if not passed:
                print(log.read_text(errors="replace"), end="")
            print(f"{'ok    ' if passed else 'FAILED'}  {line}", flush=True)
    print(f"{len(planned_runs) - failed} of {len(planned_runs)} runs passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
