"""What hands do at the simulated Pi's breadboard, and what went out on its wires. Only root there may."""

import struct
from pathlib import Path
from typing import NamedTuple

FOLDER = Path("/sys/kernel/debug/breadboard")
ENTRY = struct.Struct("=QIIII")
DONE, SPI, PWM, PCM = 1, 2, 3, 4


class Entry(NamedTuple):
    """Something that happened.

    Attributes:
        at: when, in seconds of the simulated Pi's monotonic clock.
        what: DONE by hand; or sent by SPI, PWM or PCM.
        where: of SPI its bus * 256 + its select; of PWM and PCM the GPIO.
        hz: bits a second on the wire.
        data: what was done, as text; or the bits that went out, the first one the highest.
    """

    at: float
    what: int
    where: int
    hz: int
    data: bytes


def there():
    """Whether this is a simulated Pi."""
    return FOLDER.exists()


def virtual():
    """Whether time is simulated here."""
    return "time-travel" in Path("/proc/cmdline").read_text()


def do(*lines):
    """Do these things, one after the other with nothing in between.

    Raises:
        OSError: one of them is not known, or cannot be done.
    """
    with (FOLDER / "do").open("wb", buffering=0) as file:
        file.write("\n".join(lines).encode())


def journal():
    """All that happened since it was last asked, or since the simulated Pi was switched on."""
    with (FOLDER / "journal").open("rb", buffering=0) as file:
        parts = []
        while part := file.read(1 << 20):
            parts.append(part)
    data, place, entries = b"".join(parts), 0, []
    while place < len(data):
        at, what, where, hz, length = ENTRY.unpack_from(data, place)
        place += ENTRY.size
        entries.append(Entry(at / 1e9, what, where, hz, data[place : place + length]))
        place += length
    return entries


def read_state():
    """How it all stands: what `told` says of each thing, as text."""
    lines = (FOLDER / "told").read_text().splitlines()
    return {name: rest for name, _, rest in (line.partition(": ") for line in lines)}
