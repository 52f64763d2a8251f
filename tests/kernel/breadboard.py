"""Commands to the simulated Pi's breadboard, and the signals on its wires. Both require root on the simulated Pi."""

import struct
from pathlib import Path
from typing import NamedTuple

FOLDER = Path("/sys/kernel/debug/breadboard")
ENTRY = struct.Struct("=QIIII")
DONE, SPI, PWM, PCM = 1, 2, 3, 4


class Entry(NamedTuple):
    """Event on the breadboard.

    Attributes:
        at: time in seconds, from the simulated Pi's monotonic clock.
        what: DONE for a command; SPI, PWM or PCM for a transfer.
        where: 256 * bus + chip select for SPI; the GPIO for PWM and PCM.
        hz: bits per second.
        data: the command as text, or the transferred bits, most significant bit first.
    """

    at: float
    what: int
    where: int
    hz: int
    data: bytes


def is_simulated_pi():
    """Return True if this is a simulated Pi."""
    return FOLDER.exists()


def is_time_simulated():
    """Return True if this simulated Pi runs in simulated time."""
    return "time-travel" in Path("/proc/cmdline").read_text()


def do(*lines):
    """Execute these commands without a pause between them.

    Raises:
        OSError: a command is unknown or impossible.
    """
    with (FOLDER / "do").open("wb", buffering=0) as file:
        file.write("\n".join(lines).encode())


def read_journal():
    """Return all events since the last call, or since the simulated Pi started."""
    with (FOLDER / "journal").open("rb", buffering=0) as file:
        parts = []
        while part := file.read(1 << 20):
            parts.append(part)
    data, offset, entries = b"".join(parts), 0, []
    while offset < len(data):
        at, what, where, hz, length = ENTRY.unpack_from(data, offset)
        offset += ENTRY.size
        entries.append(Entry(at / 1e9, what, where, hz, data[offset : offset + length]))
        offset += length
    return entries


def read_state():
    """Return the state of each part, as text."""
    lines = (FOLDER / "told").read_text().splitlines()
    return {name: rest for name, _, rest in (line.partition(": ") for line in lines)}
