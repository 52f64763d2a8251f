"""Footprints of a carrier's parts: their pads, in mm right and down from the first pin.

Sizes are from data sheets and common packages. Resistors, capacitors, the LED, diode and transistors have the pads of two
parts: one that an assembly house places, and one with leads for soldering by hand. Pads of the same pin share its number.
"""

from __future__ import annotations

from pond_hw.fabrication.netlist import CircuitPart
from pond_hw.fabrication.part_catalogue import PART_TYPES
from tools.pcb.footprints import Footprint, Pad, SilkText, Stub

PITCH = 2.54

LABEL_WIDTH = 0.75
"""Width of a character in a small label, in mm."""

XH_PITCH, XH_SIDE, XH_LEFT, XH_RIGHT = 2.5, 2.45, 2.35, 3.4
"""Spacing of the pins of a JST XH header, and distances in mm from its pins to its walls (JST, XH series, B2B-XH-A)."""

TO_92_PINS = {"pnp transistor": "312", "voltage reference": "132"}
"""Pins of the SOT-23 on the holes of a TO-92, whose flat side faces right, from the top. From its flat side, a 2N3906 has
emitter, base and collector (onsemi), a TL431 reference, anode and cathode (onsemi).
"""


def choose_footprint(part: CircuitPart) -> Footprint:
    package = PART_TYPES[part.part_type].package if part.part_type in PART_TYPES else ""
    ref, value = part.ref, part.value
    if package.startswith("DIP-"):
        return _dip(int(package.removeprefix("DIP-")), f"{ref} {PART_TYPES[part.part_type].short_name} {part.note}")
    match part.part_type:
        case "pi":
            return _box_header(ref)
        case "pico":
            return _pico_sockets(ref)
        case "supply":
            return _usb_socket(part)
        case "resistor":
            pads = Pad("1", 0, 0), *_chip_pads(1.54, 0), Pad("2", 2 * PITCH, 0)
            text = SilkText(f"{ref} {value}", PITCH, -1.9)
            name = "resistor 0805 or 5.08 mm"
            return Footprint(name, pads, (-0.9, -1.2, 5.98, 1.2), (text,), text_room=(1.3, 0))
        case "capacitor":
            pads = Pad("1", 0, 0), Pad("2", 0, PITCH), *_chip_pads(2.3, 0.27, vertical=True)
            texts = SilkText(ref, 1.3, -1.9), SilkText(value.replace(" nF", "n"), 1.3, PITCH + 1.9)
            outline = -1.0, -1.1, 3.1, PITCH + 1.1
            name = "capacitor 0805 or 2.54 mm"
            return Footprint(name, pads, outline, texts, text_room=(1.3, 1.3), origin=(2.3, 1.27))
        case "reservoir":
            return _reservoir(ref, value)
        case "fuse":
            ends = Pad("1", 0, 0, 3, 1.5), Pad("2", 22.6, 0, 3, 1.5)
            texts = SilkText(f"{ref} T {value}", 11.3, -0.9, size=1), SilkText("5 x 20 mm, time-lag", 11.3, 0.9)
            return Footprint("fuse holder 5 x 20 mm", ends, (-2.5, -4.8, 25.1, 4.8), texts)
        case "tvs":
            return _tvs(ref)
        case "cut-off transistor":
            return _cut_off_transistor(f"{ref} {PART_TYPES[part.part_type].name}")
        case "pnp transistor" | "voltage reference":
            return _small_transistor(part)
        case "power lamp":
            return _power_lamp(ref)
        case "test point":
            text = SilkText(f"{ref} {value}", 1.5, 0, side="left")
            return Footprint("test point", (Pad("1", 0, 0, 2, 1),), (-1.2, -1.2, 1.2, 1.2), (text,), is_round=True)
    return _xh_header(part)


def printed_pin_name(name: str) -> str:
    """Return the label of a connector's pin. A cell is also named by its letter, which set-up uses."""
    if name.startswith("cell "):
        return f"{name}, {'abcde'[int(name.removeprefix('cell ')) - 1]}"
    return {"buzzer behind R3": "buzzer"}.get(name, name)


def _chip_pads(x: float, y: float, vertical: bool = False) -> tuple[Pad, Pad]:
    """Return the pads of an 0805 part, from its first pad."""
    if vertical:
        return Pad("1", x, y, 1.4, 0, 1.1), Pad("2", x, y + 2, 1.4, 0, 1.1)
    return Pad("1", x, y, 1.1, 0, 1.4), Pad("2", x + 2, y, 1.1, 0, 1.4)


def _reservoir(ref: str, value: str) -> Footprint:
    if value == "1000 µF":
        ends = Pad("1", 0, 0, 2, 1), Pad("2", 5, 0, 2, 1)
        written = SilkText(ref, 2.5, -3, size=1), SilkText(value, 2.5, 2.2), SilkText("10 V", 2.5, 3.5)
        # The stripe on a real capacitor also marks the negative lead.
        plus, stripe = SilkText("+", -1.7, 0), ((6.7, -1.4, 6.7, 1.4),)
        outline = -2.5, -5, 7.5, 5
        return Footprint("electrolytic 10 mm", ends, outline, (*written, plus), is_round=True, lines=stripe)
    pads = Pad("1", 0, 0), *_chip_pads(1.54, 0), Pad("2", 2 * PITCH, 0)
    texts = SilkText(f"{ref} {value}", PITCH, -2.2), SilkText("+", -1.7, 0)
    return Footprint("capacitor 0805 or 5.08 mm", pads, (-2.4, -1.2, 6.2, 1.2), texts, text_room=(1.6, 0))


def _tvs(ref: str) -> Footprint:
    """Return the diode, with its band on the left."""
    pads = (
        *(Pad("1", 0, 0, 2.4, 1.2), Pad("1", 4.2, 0, 2.5, 0, 2.3)),
        *(Pad("2", 8.5, 0, 2.5, 0, 2.3), Pad("2", 12.7, 0, 2.4, 1.2)),
    )
    texts = (SilkText(f"{ref} band here", -1.2, -2.8, side="left"),)
    outline, band = (2.4, -2, 10.3, 2), ((2.7, -2, 2.7, 2),)
    return Footprint("diode SMB or DO-15", pads, outline, texts, lines=band, text_room=(1.5, 0))


def _cut_off_transistor(title: str) -> Footprint:
    pads = Pad("1", -5.04, -2.28, 2.2, 0, 1.2), Pad("2", 1.26, 0, 6.4, 0, 5.8), Pad("3", -5.04, 2.28, 2.2, 0, 1.2)
    lines = (-3.5, -3.4, 4.7, -3.4), (-3.5, 3.4, 4.7, 3.4), (4.75, -3.4, 4.75, 3.4)
    outline, text = (-3.5, -3.4, 4.75, 3.4), SilkText(title, 0, -4.2)
    return Footprint(
        "TO-252", pads, outline, (text,), lines=lines, text_room=(1.3, 0), origin=(0, 0), has_outline=False
    )


def _power_lamp(ref: str) -> Footprint:
    """Return the LED, with its cathode on the left."""
    pads = (
        *(Pad("1", -1.05, 0, 1.0, 0, 1.4), Pad("2", 1.05, 0, 1.0, 0, 1.4)),
        *(Pad("1", -1.27, 3.2, 1.7, 0.9), Pad("2", 1.27, 3.2, 1.7, 0.9)),
    )
    outline, band = (-2.4, -1.1, 2.4, 4.4), ((-2.1, -0.9, -2.1, 0.9),)
    text = SilkText(ref, 0, -1.9)
    return Footprint("LED 0805 or 3 mm", pads, outline, (text,), lines=band, text_room=(1.3, 0), origin=(0, 0))


def _small_transistor(part: CircuitPart) -> Footprint:
    pads = Pad("1", -0.94, -0.95, 1.2, 0, 0.7), Pad("2", -0.94, 0.95, 1.2, 0, 0.7), Pad("3", 0.94, 0, 1.2, 0, 0.7)
    holes = (Pad(number, 4.2, PITCH * (index - 1), 1.5, 0.8) for index, number in enumerate(TO_92_PINS[part.part_type]))
    # The straight line is the flat side of a TO-92.
    lines = (5.8, -3.4, 5.8, 3.4), (5.8, -3.4, 3.4, -3.4), (5.8, 3.4, 3.4, 3.4)
    body = (-0.3, -1.5, 0.3, -1.5), (-0.3, 1.5, 0.3, 1.5)
    text = SilkText(f"{part.ref} {PART_TYPES[part.part_type].name}", 2.2, -4.2)
    outline = -1.6, -3.4, 5.8, 3.4
    return Footprint(
        "SOT-23 or TO-92",
        (*pads, *holes),
        outline,
        (text,),
        lines=(*lines, *body),
        text_room=(1.3, 0),
        origin=(0, 0),
        has_outline=False,
    )


def _usb_socket(part: CircuitPart) -> Footprint:
    """Return the USB-C socket, which opens downwards (GCT, USB4125). VBUS leads to two further holes for thick tracks."""
    places = {"B12": -2.75, "B9": -1.52, "A5": -0.5, "B5": 0.5, "A9": 1.52, "A12": 2.75}
    widths = {"A12": 0.8, "B12": 0.8, "A9": 0.76, "B9": 0.76, "A5": 0.7, "B5": 0.7}
    pads = [Pad(number, x, -3.08, widths[number], 0, 1.2) for number, x in places.items()]
    pads += [Pad("S1", x, y, 1.1, 0.6, 1.7, 1.2) for y in (-3.0, 0.8) for x in (-4.32, 4.32)]
    pads += [Pad("A9", 3.2, -5.6, 1.6, 0.9), Pad("B9", -3.2, -5.6, 1.6, 0.9)]
    stubs = []
    for side, supply, ground in ((1, "A9", "A12"), (-1, "B9", "B12")):
        stubs.append(Stub(supply, (1.52 * side, -3.4), (1.52 * side, -4.3), 0.7))
        stubs.append(Stub(supply, (1.52 * side, -4.3), (3.2 * side, -5.6), 0.7))
        stubs.append(Stub(ground, (2.75 * side, -3.0), (4.32 * side, -3.0), 0.7))
    shaft, tip = (6.0, -2.4, 6.0, 2.2), ((6.0, 2.2, 5.3, 1.2), (6.0, 2.2, 6.7, 1.2))
    sides = (-4.6, -1.9, -4.6, -0.3), (4.6, -1.9, 4.6, -0.3)
    text = SilkText(f"{part.ref} USB-C", 0, -7.6)
    return Footprint(
        "USB-C socket, power only",
        tuple(pads),
        (-5.0, -6.5, 6.9, 3.4),
        (text,),
        lines=(shaft, *tip, *sides),
        origin=(0, 0),
        has_outline=False,
        stubs=tuple(stubs),
    )


def _xh_header(part: CircuitPart) -> Footprint:
    """Return a JST XH header with labelled pins, the first at the bottom. Its keyed wall is on the left."""
    pads = tuple(Pad(number, 0, -XH_PITCH * i, 1.7, 1) for i, number in enumerate(part.pins))
    top, bottom = -XH_PITCH * (len(pads) - 1) - XH_SIDE, XH_SIDE
    names = [printed_pin_name(pin.name) for pin in part.pins.values()]
    labels = [SilkText(name, XH_RIGHT + 0.5, pad.y, side="left") for pad, name in zip(pads, names, strict=True)]
    title = SilkText(f"{part.ref} {part.value}", -XH_LEFT, top - 1.1, size=1, side="left")
    # The two slots in the keyed wall.
    slots = []
    for low, high in ((bottom - 1.7, bottom - 3.2), (top + 3.2, top + 1.7)):
        slots += [(-XH_LEFT, low, -XH_LEFT + 0.7, low), (-XH_LEFT, high, -XH_LEFT + 0.7, high)]
    return Footprint(
        f"JST XH {len(pads)}",
        pads,
        (-XH_LEFT, top, XH_RIGHT, bottom),
        (*labels, title),
        lines=tuple(slots),
        first_mark=(-1.6, bottom - 0.6),
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


def _pico_sockets(ref: str) -> Footprint:
    """Return the two sockets of a Pico, whose USB socket is at the top (Raspberry Pi Ltd, Pico data sheet)."""
    left = [Pad(str(1 + row), 0, PITCH * row, 1.7, 1) for row in range(20)]
    right = [Pad(str(40 - row), 7 * PITCH, PITCH * row, 1.7, 1) for row in range(20)]
    middle = 3.5 * PITCH
    texts = SilkText(f"{ref}: Raspberry Pi Pico", middle, 24, 90, size=1), SilkText("USB", middle, 2.6, size=1)
    lines = (middle - 4, 4, middle + 4, 4), (middle, 1.2, middle - 0.7, 1.9), (middle, 1.2, middle + 0.7, 1.9)
    outline = -1.61, -1.1, 19.39, 49.63
    return Footprint("Pico in sockets 2 x 20", (*left, *right), outline, texts, lines=lines, first_mark=(1.8, 0))
