"""The parts that boards are made of; what shops and data sheets say of them is in part_catalogue.toml.

Every figure has its source beside it. Where a figure is a choice of ours it says so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pond_hw.fabrication.netlist import CircuitPart, Pin, PinKind
from pond_hw.profile.chips import EXPANDER_PARTS

LOGIC_VOLTS, LAMP_VOLTS = 3.3, 5.0
"""V: of the Pi's pins and all that reads or answers them; of the lamps."""

MAX_RAIL_CURRENT_MA = 500.0
"""mA that boards take of the header's 3.3 V. Raspberry Pi states no limit for models with a switching regulator, whose
chip gives more; this is what is commonly kept to."""

PULL_UP_OHMS = {"pi": 50_000, "i2c": 1_800, "pico": 50_000} | {
    part_type: chip.pull_up_ohms for part_type, chip in EXPANDER_PARTS.items()
}
"""Pull-ups: inside a GPIO (50 to 65 kΩ; of a Pico 50 to 80); on the Pi for I2C; inside a pin of an expander."""

FIELD_NEEDED = 7.0
"""mT at which a digital sensor is sure to detect a magnet: twice what a DRV5033FA typically needs, 3.5."""

HALL_SENSITIVITY = 15.0
"""mV for each mT: DRV5055A3 at 3.3 V, which goes to 88 mT; a piece in the middle of its cell gives about that."""


class BoxLayout(NamedTuple):
    """Pins of the box of a part in a schematic, by their numbers; a dot leaves a gap.

    Attributes:
        width: of the box, in steps.
        left, right: from the top.
        up, down: from the left.
    """

    width: int
    left: str = ""
    right: str = ""
    up: str = ""
    down: str = ""


class PartType(NamedTuple):
    """What a part is called in a shop.

    Attributes:
        name: as the parts list has it.
        package: its form.
        purpose: what it is there for.
        substitutes: what else will do.
        needs_capacitor: whether its supply needs a capacitor right beside it.
        pins: its pins by number; the header's and the rails' differ from board to board.
        box: how schematics draw it, if as a box of its own.
    """

    name: str
    package: str = ""
    purpose: str = ""
    substitutes: str = ""
    needs_capacitor: bool = False
    pins: Mapping[str, Pin] = {}
    box: BoxLayout | None = None

    @property
    def short_name(self) -> str:
        """Its name up to the first comma: `tactile switch 6 × 6 mm`."""
        return self.name.partition(",")[0]


def _parse_type(type_entry: dict[str, Any]) -> PartType:
    legs = zip("12", type_entry.pop("legs", "12"), strict=True)
    pins = type_entry.pop("pins", {number: {"name": leg_name, "pin_kind": "passive"} for number, leg_name in legs})
    parsed_pins = {number: Pin(**pin | {"pin_kind": PinKind(pin["pin_kind"])}) for number, pin in pins.items()}
    box = BoxLayout(**type_entry.pop("box")) if "box" in type_entry else None
    return PartType(**type_entry, pins=parsed_pins, box=box)


_ENTRIES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PART_TYPES: Mapping[str, PartType] = {part_type: _parse_type(entry) for part_type, entry in _ENTRIES.items()}
"""All sorts of parts, by what netlists call them."""

MAX_LAMP_CURRENT_MA = PART_TYPES["lamp"].pins["1"].max_current
"""mA of a lamp at full white."""


def make_part(part_ref: str, part_type: str, **details: Any) -> CircuitPart:
    """A part of the catalogue; `details` as `CircuitPart` has them."""
    return CircuitPart(part_ref, part_type, **{"pins": PART_TYPES[part_type].pins, **details})
