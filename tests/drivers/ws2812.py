"""Decoder for WS2812 lamps, from levels to pulses, bits and bytes, which checks the limits in the data sheets.

It shares no code with the drivers. Times are exact fractions of nanoseconds, and limits are inclusive. sigrok's decoder
is an independent second check, but it hardly checks the duration of a pulse, only its share of the period.
"""

import re
import subprocess
from fractions import Fraction
from typing import NamedTuple

from tests.conftest import require

SIGROK_DECODES = ["-P", "rgb_led_ws281x:din=0", "-A", "rgb_led_ws281x=rgb"]
SIGROK_MEASURES = ["-P", "timing:data=0", "-A", "timing=time", "--protocol-decoder-samplenum"]

LOW, HELD, HIGH = "0", "", "1"
"""Level of a line while SPI pauses between two bytes: it falls, keeps the last bit, or rises."""


class Chip(NamedTuple):
    """Limits from a data sheet in ns: high and low times of a 0 and of a 1, and the shortest reset."""

    name: str
    high0: tuple[int, int]
    low0: tuple[int, int]
    high1: tuple[int, int]
    low1: tuple[int, int]
    reset: int

    def __str__(self):
        return self.name

    @property
    def pause_tolerant(self):
        """The same chip with tolerance for pauses: any low shorter than a reset is accepted."""
        return self._replace(low0=(self.low0[0], self.reset - 1), low1=(self.low1[0], self.reset - 1))


WS2812B = Chip("WS2812B", (250, 550), (700, 1000), (650, 950), (300, 600), 50_000)  # 400/850 and 800/450, each ±150
WS2812B_V5 = Chip("WS2812B-V5", (220, 380), (580, 1000), (580, 1000), (580, 1000), 280_000)
SK6812 = Chip("SK6812", (150, 450), (750, 1050), (450, 750), (450, 750), 80_000)  # 300/900 and 600/600, each ±150
CHIPS = (WS2812B, WS2812B_V5, SK6812)


class Rejected(Exception):
    """Pulses that a lamp may misread. The message gives the pulse and the limit."""


class Pulse(NamedTuple):
    """Time in ns that the line is high and then low."""

    high: Fraction
    low: Fraction


def levels(stream):
    """Return the SPI bytes as a string of levels, highest bit first."""
    return "".join(f"{byte:08b}" for byte in stream)


def levels_with_pauses(stream, pauses, parts=4):
    """Return the SPI bytes as a string of levels with pauses between bytes.

    Args:
        stream: the bytes.
        pauses: duration in parts and level of the line for each pause, by the index of the preceding byte.
        parts: number of levels per bit time, since pauses need not be whole bit times.
    """
    drawn = []
    for number, byte in enumerate(stream):
        bits = "".join(bit * parts for bit in f"{byte:08b}")
        length, kind = pauses.get(number, (0, HELD))
        drawn += bits, (kind or bits[-1]) * length
    return "".join(drawn)


def pulses(line, hz):
    """Return the initial low time of a line, and its pulses."""
    tick = Fraction(10**9) / Fraction(hz)
    lead, rest = re.fullmatch("(0*)((?:1+0*)*)", line).groups()
    drawn = re.findall("(1+)(0*)", rest)
    kinds = {
        kind: Pulse(*(len(part) * tick for part in kind)) for kind in set(drawn)
    }  # few kinds, and fractions are slow
    return len(lead) * tick, [kinds[kind] for kind in drawn]


def decode(line, hz, chip):
    """Return the frames sent on a line. Each is the bytes that a chain of such chips receives before a reset.

    Raises:
        Rejected: a pulse is outside the limits, a frame is not a whole number of lamps, or the last frame is not latched.
    """
    frames, bits = [], ""
    _, found = pulses(line, hz)
    kinds = {id(pulse): (_possible_bits(pulse, chip), pulse.low >= chip.reset) for pulse in _deduplicate(found)}
    for number, pulse in enumerate(found):
        fits, ends = kinds[id(pulse)]
        if len(fits) != 1:
            raise Rejected(f"{chip}: pulse {number} is {float(pulse.high):g} ns high and {float(pulse.low):g} ns low")
        bits += str(fits[0])
        if ends:
            frames.append(_whole_lamps(bits))
            bits = ""
    if bits:
        raise Rejected(f"{chip}: the last frame is not followed by {chip.reset} ns of low")
    return frames


def read_by_sigrok(line, hz, folder):
    """Return the colours, as #rrggbb, that sigrok's decoder finds on a line, with green sent first."""
    return [output.split()[-1] for output in _ask_sigrok(line, hz, folder, SIGROK_DECODES)]


def measure_by_sigrok(line, hz, folder):
    """Return the durations in ns of each high and low that sigrok measures, starting with the first high."""
    tick = Fraction(10**9) / (hz * Fraction(hz).denominator)
    spans = (output.split()[0].split("-") for output in _ask_sigrok(line, hz, folder, SIGROK_MEASURES))
    times = [(int(end) - int(start)) * tick for start, end in spans]
    return times[::2], times[1::2]


def _ask_sigrok(line, hz, folder, words):
    """Run sigrok on a line of levels and return its output lines."""
    require("sigrok-cli", "its decoder checks the pulses independently")
    times = Fraction(hz).denominator  # sigrok needs a whole number of samples per second
    capture = folder / "line.bin"
    capture.write_bytes(b"".join(b"\1" * times if level == "1" else b"\0" * times for level in line))
    done = subprocess.run(
        ["sigrok-cli", "-I", f"binary:numchannels=1:samplerate={int(hz * times)}", "-i", capture, *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.splitlines()


def _deduplicate(found):
    """Replace equal pulses with the same object."""
    return {id(pulse): pulse for pulse in found}.values()


def _possible_bits(pulse, chip):
    """Return the bits that a lamp may read from a pulse: exactly one if the pulse is valid."""
    high, low = pulse
    if low >= chip.reset:
        return [bit for bit, window in enumerate((chip.high0, chip.high1)) if _within(high, window)]
    windows = ((chip.high0, chip.low0), (chip.high1, chip.low1))
    return [bit for bit, (up, down) in enumerate(windows) if _within(high, up) and _within(low, down)]


def _within(time, window):
    return window[0] <= time <= window[1]


def _whole_lamps(bits):
    if len(bits) % 24:
        raise Rejected(f"{len(bits)} bits are no whole number of lamps")
    return int(bits, 2).to_bytes(len(bits) // 8)


class RecordedWire:
    """Wire of a lamp chain that records each transfer."""

    def __init__(self):
        self.sent = []

    def open(self):
        pass

    def send_bytes(self, chain_bytes):
        self.sent.append(bytes(chain_bytes))

    def close(self):
        pass
