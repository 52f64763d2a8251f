"""What lamps on a simulated Pi are told: programs that light them, and the line between the Pi and the first lamp."""

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
from tests.kernel.breadboard import PCM, PWM, SPI, journal

ROOT = Path(__file__).resolve().parents[3]

SPI0_0 = 0
"""Where the journal has what went out on SPI bus 0 to select 0."""

QUIET = 0.001
"""Seconds of rest between two frames of which a line shows no more; every reset is shorter."""


class Ended(NamedTuple):
    """How a program ended: its status, below 0 if a signal ended it, and what it said."""

    status: int
    output: str


class Line(NamedTuple):
    """What a pin did: its levels, so many a second, as a string."""

    levels: str
    hz: Fraction


def program(code, *, as_whom=(), **how):
    """Run some Python in a program of its own: a library that kills takes only that along.

    Args:
        code: the Python.
        as_whom: the words that start it as somebody else.
        how: more for subprocess.run.
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
    """The journal's entries of SPI, PWM or PCM at that select or GPIO since it was last asked."""
    return [each for each in journal() if (each.what, each.where) == (what, where)]


def at(pin):
    """What sends where, as the journal has it, when lamps hang on this GPIO."""
    if pin == 10:
        return SPI, SPI0_0
    return (PCM if pin == 21 else PWM), pin


def line(entries):
    """What the pin did from the first of these entries until now; between them it rests as the last bit left it."""
    now = time.monotonic()
    (hz,) = {_exactly(each) for each in entries}
    parts = ["0"]
    for each, until in zip(entries, [*(each.at for each in entries[1:]), now], strict=True):
        drawn = levels(each.data)
        rest = until - each.at - float(len(drawn) / hz)
        parts += drawn, drawn[-1] * int(min(max(rest, 0), QUIET) * hz)
    return Line("".join(parts), hz)


def _exactly(entry):
    """The clock of an entry, in Hz, which it tells rounded down: what it is divided from is a whole number of it."""
    of = "spi@7e204000/pond,core-hz" if entry.what == SPI else "firmware/pond,crystal-hz"
    source = int.from_bytes(Path("/proc/device-tree/soc", of).read_bytes())
    return Fraction(source, round(source / entry.hz))


def profile_with(driver, pin, **chain):
    """direct-4x4 with its lamps on this driver and GPIO."""
    profile = load_profile("direct-4x4")
    return replace(profile, chain=replace(profile.chain, driver=driver, data_pin=pin, **chain))


def colours(size=4):
    """A frame in which no two lamps look alike, and no two of the three colours of one."""
    count = size * size
    return Frame(size, 1, bytes(value for lamp in range(count) for value in (lamp * 11 + 1, 255 - lamp * 7, 90 + lamp)))


def show_an_evening(driver, pin, **chain):
    """Light the lamps as the companion does: open them, show the colours, close them."""
    lamps = build_lamps(profile_with(driver, pin, **chain), time.monotonic)
    lamps.open()
    lamps.show(colours())
    lamps.close()
