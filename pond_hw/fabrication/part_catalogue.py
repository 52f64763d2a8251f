"""The parts that boards are made of; what shops and data sheets say of them is in part_catalogue.toml.

Every figure has its source beside it. Where a figure is a choice of ours it says so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pond_hw.fabrication.netlist import CircuitPart, Pin, PinKind

LOGIC_VOLTS, LAMP_VOLTS = 3.3, 5.0
"""V: of the Pi's pins and all that reads or answers them; of the lamps."""

RAIL_MOST = 500.0
"""mA that boards take of the header's 3.3 V. Raspberry Pi states no limit for models with a switching regulator, whose
chip gives more; this is what is commonly kept to."""

PULL_UP_OHMS = {"pi": 50_000, "i2c": 1_800, "mcp23017": 100_000, "pico": 50_000}
"""Pull-ups: inside a GPIO (50 to 65 kΩ; of a Pico 50 to 80); on the Pi for I2C; inside an MCP23017 (40 to 115 µA at 5 V:
some 100 kΩ)."""

FIELD_NEEDED = 7.0
"""mT at which a digital sensor is sure to detect a magnet: twice what a DRV5033FA typically needs, 3.5."""

HALL_SENSITIVITY = 15.0
"""mV for each mT: DRV5055A3 at 3.3 V, which goes to 88 mT; a piece in the middle of its cell gives nearly that."""


class PartType(NamedTuple):
    """What a part is called in a shop.

    Attributes:
        name: as the parts list has it.
        package: its form.
        purpose: what it is there for.
        substitutes: what else will do.
        needs_capacitor: whether its supply needs a capacitor right beside it.
        pins: its pins by number; the header's and the rails' differ from board to board.
    """

    name: str
    package: str = ""
    purpose: str = ""
    substitutes: str = ""
    needs_capacitor: bool = False
    pins: Mapping[str, Pin] = {}

    @property
    def short_name(self) -> str:
        """Its name up to the first comma: `tactile switch 6 × 6 mm`."""
        return self.name.partition(",")[0]


def _parse_type(type_entry: dict[str, Any]) -> PartType:
    legs = zip("12", type_entry.pop("legs", "12"), strict=True)
    pins = type_entry.pop("pins", {number: {"name": leg_name, "pin_kind": "passive"} for number, leg_name in legs})
    parsed_pins = {number: Pin(**pin | {"pin_kind": PinKind(pin["pin_kind"])}) for number, pin in pins.items()}
    return PartType(**type_entry, pins=parsed_pins)


_ENTRIES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PART_TYPES: Mapping[str, PartType] = {part_type: _parse_type(entry) for part_type, entry in _ENTRIES.items()}
"""All sorts of parts, by what netlists call them."""

LAMP_MOST = PART_TYPES["lamp"].pins["1"].max_current
"""mA of a lamp at full white."""


def make_part(part_ref: str, part_type: str, **details: Any) -> CircuitPart:
    """A part of the catalogue; `details` as `CircuitPart` has them."""
    return CircuitPart(part_ref, part_type, **{"pins": PART_TYPES[part_type].pins, **details})
