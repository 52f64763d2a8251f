"""Where the sensor of a cell is wired, in the words of the profile: what a builder has to look at."""

from __future__ import annotations

from typing import assert_never

from pond_hw.profile.build import Analog, Direct, Expanders, Matrix, Pretended, Profile, Trellis
from pond_hw.profile.pi import PINS
from pond_hw.rules import Cell, grid

COLOURS = ("brown", "orange", "yellow", "green", "blue", "purple", "grey", "white")
"""The colours of the sensors' wires, by their number; red and black are left to the supply."""


def colour(profile: Profile, cell: Cell) -> str:
    """The colour of the wire from the sensor of a cell."""
    return COLOURS[grid(profile.size).cells.index(cell) % len(COLOURS)]


def wire(profile: Profile, cell: Cell) -> str:
    """Where the sensor of a cell goes, such as `MCP23017 at 0x21, pin GPB2, purple wire`."""
    wiring = profile.sensing.wiring
    match wiring:
        case Direct():
            told = pin(wiring.pins[cell])
        case Matrix():
            drive, sense = wiring.crossings[cell]
            return f"driven line {pin(drive)}, sense line {pin(sense)}"
        case Expanders():
            address, port, bit = wiring.pins[cell]
            told = f"MCP23017 at 0x{address:02x}, pin GP{port}{bit}"
        case Analog():
            chip, channel = wiring.channels[cell]
            told = f"MCP3008 {chip}, channel {channel}"
        case Trellis():
            return f"key {wiring.keys[cell]} of the NeoTrellis"
        case Pretended():
            return "a pretended sensor"
        case _:
            assert_never(wiring)
    return f"{told}, {colour(profile, cell)} wire"


def pin(gpio: int) -> str:
    """A GPIO as it is found on the header, such as `GPIO 17 (header pin 11)`."""
    return f"GPIO {gpio} (header pin {PINS[gpio]})"


def chips(profile: Profile) -> dict[str, tuple[Cell, ...]]:
    """The chips that read sensors, as trouble names them, with the cells of each; none if there are no chips."""
    wiring = profile.sensing.wiring
    found: dict[str, list[Cell]] = {}
    if isinstance(wiring, Expanders):
        for cell, place in wiring.pins.items():
            found.setdefault(f"0x{place.address:02x}", []).append(cell)
    if isinstance(wiring, Analog):
        for cell, channel in wiring.channels.items():
            found.setdefault(f"converter {channel.chip}", []).append(cell)
    if isinstance(wiring, Trellis):
        found[f"0x{wiring.address:02x}"] = list(wiring.keys)
    return {chip: tuple(cells) for chip, cells in found.items()}
