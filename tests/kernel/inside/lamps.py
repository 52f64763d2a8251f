"""Programs that light lamps on a simulated Pi, and the signal on the first lamp's line."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from pond_hw.board import Frame
from pond_hw.board_factory import build_lamps
from pond_hw.profile import load_profile
from tests.drivers.ws2812 import levels
from tests.kernel.breadboard import PCM, PWM, SPI, read_journal

ROOT = Path(__file__).resolve().parents[3]

SPI0_0 = 0
"""Identifier of SPI bus 0, select 0, in the journal."""

QUIET = 0.001
"""Longest gap between two frames that a line keeps, in seconds. Every reset is shorter."""


class Ended(NamedTuple):
    """Exit status of a program, negative after a signal, and its output."""

    status: int
    output: str


class Line(NamedTuple):
    """Signal of a pin: levels as a string, and their rate in Hz."""

    levels: str
    hz: Fraction


def program(code, *, as_whom=(), **how):
    """Run Python code in a process of its own, since a library may crash it.

    Args:
        code: Python code.
        as_whom: command that starts it as another user.
        how: other arguments for subprocess.run.
    """
    done = subprocess.run(
        [*as_whom, sys.executable, "-c", code],
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        timeout=60,
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **how},
    )
    return Ended(done.returncode, done.stdout or "")


def sent(what, where):
    """Return the journal's new entries of SPI, PWM or PCM at that select or GPIO."""
    return [each for each in read_journal() if (each.what, each.where) == (what, where)]


def at(pin):
    """Return the kind and place, as in the journal, of the sender for lamps on this GPIO."""
    if pin == 10:
        return SPI, SPI0_0
    return (PCM if pin == 21 else PWM), pin


def line(entries):
    """Return the signal of the pin from the first of these entries on. Between entries it keeps the last level."""
    now = time.monotonic()
    (hz,) = {_exactly(each) for each in entries}
    parts = ["0"]
    for each, until in zip(entries, [*(each.at for each in entries[1:]), now], strict=True):
        drawn = levels(each.data)
        rest = until - each.at - float(len(drawn) / hz)
        parts += drawn, drawn[-1] * int(min(max(rest, 0), QUIET) * hz)
    return Line("".join(parts), hz)


def _exactly(entry):
    """Return the exact clock of an entry in Hz. The journal rounds it down, but it divides a whole number."""
    of = "spi@7e204000/pond,core-hz" if entry.what == SPI else "firmware/pond,crystal-hz"
    source = int.from_bytes(Path("/proc/device-tree/soc", of).read_bytes())
    return Fraction(source, round(source / entry.hz))


def profile_with(driver, pin, **chain):
    """Return direct-4x4 with its lamps on this driver and GPIO."""
    profile = load_profile("direct-4x4")
    return replace(profile, chain=replace(profile.chain, driver=driver, data_pin=pin, **chain))


def colours(size=4):
    """Return a frame in which all lamps, and the three colours of each, differ."""
    count = size * size
    return Frame(size, 1, bytes(value for lamp in range(count) for value in (lamp * 11 + 1, 255 - lamp * 7, 90 + lamp)))


def show_test_colours(driver, pin, **chain):
    """Open the lamps, show the colours, and close them, as the companion does."""
    lamps = build_lamps(profile_with(driver, pin, **chain), time.monotonic)
    lamps.open()
    lamps.show(colours())
    lamps.close()
