"""Footprints of through-hole parts: their pads, in mm right and down from the first pin.

Sizes are from data sheets and common packages: DIP 7.62 mm wide, pin headers and sockets with 2.54 mm pitch, screw
terminals with 5.08 mm pitch, a 22.6 mm holder for 5 x 20 mm fuses, and a 10 mm electrolytic capacitor with a lead spacing
of 5 mm.
"""

from __future__ import annotations

from pond_hw.fabrication.netlist import CircuitPart
from pond_hw.fabrication.part_catalogue import PART_TYPES
from tools.pcb.footprints import Footprint, Pad, SilkText

PITCH = 2.54

LABEL_WIDTH = 0.75
"""Width of a character in a small label, in mm."""


def choose_footprint(part: CircuitPart) -> Footprint:
    package = PART_TYPES[part.part_type].package if part.part_type in PART_TYPES else ""
    ref, value = part.ref, part.value
    if package.startswith("DIP-"):
        return _dip(int(package.removeprefix("DIP-")), f"{ref} {PART_TYPES[part.part_type].short_name} {part.note}")
    match part.part_type:
        case "pi":
            return _box_header(ref)
        case "resistor":
            ends, text = (Pad("1", 0, 0), Pad("2", 0, 4 * PITCH)), SilkText(f"{ref} {value}", 0, 2 * PITCH, 90)
            return Footprint("axial 10.16 mm", ends, (-1.2, 1.5, 1.2, 4 * PITCH - 1.5), (text,))
        case "capacitor":
            ends = Pad("1", 0, 0), Pad("2", 0, PITCH)
            texts = SilkText(ref, 0, -2), SilkText(value.replace(" nF", "n"), 0, PITCH + 2)
            return Footprint("ceramic 2.54 mm", ends, (-1.3, -1.2, 1.3, PITCH + 1.2), texts, text_room=(1.3, 1.3))
        case "reservoir":
            ends = Pad("1", 0, 0, 2, 1), Pad("2", 5, 0, 2, 1)
            written = SilkText(ref, 2.5, -3, size=1), SilkText(value, 2.5, 2.2), SilkText("10 V", 2.5, 3.5)
            plus, stripe = (
                SilkText("+", -1.7, 0),
                ((6.7, -1.4, 6.7, 1.4),),
            )  # the stripe on a real capacitor also marks the negative lead
            return Footprint(
                "electrolytic 10 mm", ends, (-2.5, -5, 7.5, 5), (*written, plus), is_round=True, lines=stripe
            )
        case "fuse":
            ends = Pad("1", 0, 0, 3, 1.5), Pad("2", 22.6, 0, 3, 1.5)
            texts = SilkText(f"{ref} T {value}", 11.3, -0.9, size=1), SilkText("5 x 20 mm, time-lag", 11.3, 0.9)
            return Footprint("fuse holder 5 x 20 mm", ends, (-2.5, -4.8, 25.1, 4.8), texts)
        case "supply" | "terminal":
            pads = tuple(Pad(number, 2 * PITCH * i, 0, 2.6, 1.3) for i, number in enumerate(part.pins))
            title = f"{ref} {value}" if part.part_type == "terminal" else f"{ref} 5 V"
            return _connector(f"screw terminal {len(pads)} x 5.08 mm", part, title, pads, 2 * PITCH, 4)
    pads = tuple(Pad(number, PITCH * i, 0, 1.7, 1) for i, number in enumerate(part.pins))
    return _connector(f"pin header {len(pads)} x 2.54 mm", part, f"{ref} {value}", pads, PITCH, 1.4)


def _connector(
    name: str, part: CircuitPart, title: str, pads: tuple[Pad, ...], pitch: float, half_depth: float
) -> Footprint:
    """Return a connector: a row of labelled pads."""
    outline = -pitch / 2, -half_depth, pitch * (len(pads) - 0.5), half_depth
    names = [pin.name for pin in part.pins.values()]
    labels = [
        SilkText(pin_name, pad.x, -half_depth - 0.4, 90, side="left") for pad, pin_name in zip(pads, names, strict=True)
    ]
    middle = (outline[0] + outline[2]) / 2
    size = 1.0 if len(title) <= len(pads) * pitch / 0.95 else 0.8
    texts = *labels, SilkText(title, middle, half_depth + 1, size=size)
    return Footprint(
        name, pads, outline, texts, text_room=(0.6 + LABEL_WIDTH * max(map(len, names)), 1.8), first_mark=None
    )


def _dip(pin_count: int, title: str) -> Footprint:
    rows = pin_count // 2
    left = [Pad(str(1 + row), 0, PITCH * row) for row in range(rows)]
    right = [Pad(str(pin_count - row), 3 * PITCH, PITCH * row) for row in range(rows)]
    far, middle = PITCH * rows - 1.27, 1.5 * PITCH
    notch = (
        (middle - 1, -1.27, middle - 1, -0.4),
        (middle - 1, -0.4, middle + 1, -0.4),
        (middle + 1, -0.4, middle + 1, -1.27),
    )
    return Footprint(
        f"DIP-{pin_count}",
        (*left, *right),
        (1, -1.27, 3 * PITCH - 1, far),
        (SilkText(title.strip(), middle, far / 2 + 0.4, 90, size=1 if len(title) < 2 * rows else 0.8),),
        lines=notch,
        first_mark=(1.8, 0),
    )


def _box_header(ref: str) -> Footprint:
    """Return the header for the 40-wire ribbon cable from the Pi: odd pins in one row, even pins in the other.

    It has the same orientation as the Pi's header in the case, so that the cable isn't twisted: pin 1 is on the right,
    in the far row.
    """
    pads = tuple(Pad(str(2 * i + row), -PITCH * i, PITCH * (row - 1), 1.7, 1) for i in range(20) for row in (1, 2))
    texts = (
        SilkText(f"{ref}: ribbon cable from the Pi", -24 * PITCH + 5, -4, side="left"),
        SilkText("pin 1 here", 0, -4),
    )
    outline = -53.4, -3.2, 5.1, 5.7
    return Footprint("box header 2 x 20", pads, outline, texts, first_mark=(2.4, 0), text_room=(1.3, 0))
