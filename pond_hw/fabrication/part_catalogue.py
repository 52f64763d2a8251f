"""Part types; part_catalogue.toml contains their shop names and data-sheet values.

The source of each figure is given next to it, unless the figure is marked as our choice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pond_hw.fabrication.netlist import CircuitPart, Pin, PinKind
from pond_hw.profile.chips import EXPANDER_PARTS

LOGIC_VOLTS, LAMP_VOLTS = 3.3, 5.0
"""Supply voltages of the logic and of the lamps."""

MAX_RAIL_CURRENT_MA = 500.0
"""Maximum current in mA drawn from the header's 3.3 V, by convention. Raspberry Pi gives no limit for models with a
switching regulator, which can supply more.
"""

PULL_UP_OHMS = {"pi": 50_000, "i2c": 1_800, "pico": 50_000} | {
    part_type: chip.pull_up_ohms for part_type, chip in EXPANDER_PARTS.items()
}
"""Pull-up resistances: inside a GPIO (50 to 65 kΩ, Pico 50 to 80), on the Pi for I2C, and inside an expander's pin."""

MIN_FIELD_MT = 7.0
"""Field in mT that reliably triggers a digital sensor: twice the typical 3.5 mT of a DRV5033FA."""

HALL_SENSITIVITY = 30.0
"""Sensitivity in mV/mT of a DRV5055A2 at 3.3 V. A piece in the middle of its cell uses half of its range of 44 mT."""


class BoxLayout(NamedTuple):
    """Pin numbers around a schematic box, from the top or from the left; a dot leaves a gap. `width` is in steps."""

    width: int
    left: str = ""
    right: str = ""
    up: str = ""
    down: str = ""


class PartType(NamedTuple):
    """Part type as sold.

    Attributes:
        product: maker and number of a product that fits; empty if any will do, or if a circuit board carries the part.
        needs_capacitor: True if its supply needs a capacitor next to the part.
        pins: pins by number; those of the header and the rails depend on the board.
        box: layout of its schematic symbol; None for a standard symbol.
    """

    name: str
    package: str = ""
    purpose: str = ""
    substitutes: str = ""
    product: str = ""
    needs_capacitor: bool = False
    pins: Mapping[str, Pin] = {}
    box: BoxLayout | None = None

    @property
    def short_name(self) -> str:
        """Name up to the first comma: `tactile switch 6 × 6 mm`."""
        return self.name.partition(",")[0]


def _parse_type(type_entry: dict[str, Any]) -> PartType:
    legs = zip("12", type_entry.pop("legs", "12"), strict=True)
    pins = type_entry.pop("pins", {number: {"name": leg_name, "pin_kind": "passive"} for number, leg_name in legs})
    parsed_pins = {number: Pin(**pin | {"pin_kind": PinKind(pin["pin_kind"])}) for number, pin in pins.items()}
    box = BoxLayout(**type_entry.pop("box")) if "box" in type_entry else None
    return PartType(**type_entry, pins=parsed_pins, box=box)


_ENTRIES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PART_TYPES: Mapping[str, PartType] = {part_type: _parse_type(entry) for part_type, entry in _ENTRIES.items()}
"""All part types, by the name used in netlists."""

MAX_LAMP_CURRENT_MA = PART_TYPES["lamp"].pins["1"].max_current
"""Current in mA of a lamp at full white."""


def make_part(part_ref: str, part_type: str, **details: Any) -> CircuitPart:
    """Make a catalogue part. `details` are further attributes of `CircuitPart`."""
    return CircuitPart(part_ref, part_type, **{"pins": PART_TYPES[part_type].pins, **details})
