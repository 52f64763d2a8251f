"""Programs that drive lamps on a simulated Pi, and the signal on the line to the first lamp."""

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
"""SPI bus 0, chip select 0, as identified in the journal."""

MAX_GAP_SECONDS = 0.001
"""Maximum length in seconds of a gap between frames in the signal. Longer gaps are shortened. Every reset is shorter."""


class ProcessResult(NamedTuple):
    """Exit status of a process, negative after a signal, and its output."""

    status: int
    output: str


class Signal(NamedTuple):
    """Signal of a pin: levels as a string, and the number of levels per second."""

    levels: str
    hz: Fraction


def run_program(code, *, prefix=(), **options):
    """Run Python code in a new process, since a library may crash it.

    Args:
        code: Python code.
        prefix: command that starts it as another user.
        options: other arguments for subprocess.run.
    """
    finished = subprocess.run(
        [*prefix, sys.executable, "-c", code],
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        timeout=60,
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options},
    )
    return ProcessResult(finished.returncode, finished.stdout or "")


def read_transfers(kind, place):
    """Return the new journal entries of transfers by SPI, PWM or PCM, at a given chip select or GPIO."""
    return [each for each in read_journal() if (each.what, each.where) == (kind, place)]


def lamp_output(pin):
    """Return the journal's kind and place of transfers to lamps on this GPIO."""
    if pin == 10:
        return SPI, SPI0_0
    return (PCM if pin == 21 else PWM), pin


def draw_signal(entries):
    """Return the signal of a pin, starting with the first of these entries. Between entries the last level is held."""
    now = time.monotonic()
    (hz,) = {_exact_clock(each) for each in entries}
    parts = ["0"]
    for each, next_at in zip(entries, [*(each.at for each in entries[1:]), now], strict=True):
        drawn = levels(each.data)
        rest = next_at - each.at - float(len(drawn) / hz)
        parts += drawn, drawn[-1] * int(min(max(rest, 0), MAX_GAP_SECONDS) * hz)
    return Signal("".join(parts), hz)


def _exact_clock(entry):
    """Return the exact clock of an entry in Hz. The journal rounds it down, but it is a known clock over a whole number."""
    property_path = "spi@7e204000/pond,core-hz" if entry.what == SPI else "firmware/pond,crystal-hz"
    source = int.from_bytes(Path("/proc/device-tree/soc", property_path).read_bytes())
    return Fraction(source, round(source / entry.hz))


def profile_with(driver, pin, **chain):
    """Return pwm-4x4, which has one lamp per cell, with its lamps on this GPIO, driven by this driver."""
    profile = load_profile("pwm-4x4")
    return replace(profile, chain=replace(profile.chain, driver=driver, data_pin=pin, **chain))


def example_frame(size=4):
    """Return a frame in which no two lamps, and no two colours of a lamp, are the same."""
    count = size * size
    return Frame(size, 1, bytes(value for lamp in range(count) for value in (lamp * 11 + 1, 255 - lamp * 7, 90 + lamp)))


def show_test_colours(driver, pin, **chain):
    """Open the lamps, show the colours, and close them, as the companion does."""
    lamps = build_lamps(profile_with(driver, pin, **chain), time.monotonic)
    lamps.open()
    lamps.show(example_frame())
    lamps.close()
