"""Footprints of a row board, as they lie on it. Each has pads for a surface-mount part and for a through-hole part.

Sources: KiCad's library for WS2812B (PLCC4 5.0 x 5.0 mm), C&K PTS645, SOT-23 (hand soldering), SOD-123, 0805, 1210, 6 mm push
button, DO-35 (7.62 mm) and JST XH; Worldsemi's data sheet of April 2017 for the WS2812D-F5; Texas Instruments' data sheets
for DRV5033 and DRV5055 (pins of the SOT-23: VCC, OUT, GND; of the TO-92: VCC, GND, OUT; the sensitive spot is in the middle of
either package).
"""

from __future__ import annotations

from tools.pcb.footprints import Footprint, Pad, SilkText
from tools.row_boards.sizes import CONNECTOR_PITCH, LAMP_HOLE_PITCH, LAMP_HOLES_X, LAMP_OFFSET, RADIAL_X, Place

AXIAL_Y = 3.81

Line = tuple[float, float, float, float]


def lamp(ref: str, far: bool, left: bool) -> Footprint:
    """Return a lamp: WS2812B, or WS2812D-F5, which is 8.7 mm high and lies on the board.

    Data runs to the right on the far side of a cell. On the near side, the lamps are turned by 180°. The holes are next to the
    middle of the cell, and the through-hole lamp shines towards the side wall.
    """
    turn, inwards = 1 if far else -1, 1 if left else -1
    surface_pads = {"3": (-2.45, -1.6), "4": (-2.45, 1.6), "2": (2.45, -1.6), "1": (2.45, 1.6)}
    pads = [Pad(number, turn * x, turn * y, 1.5, 0, 1.0) for number, (x, y) in surface_pads.items()]
    hole_x = inwards * (LAMP_OFFSET - LAMP_HOLES_X)
    for index, number in enumerate("2134"):
        pads.append(Pad(number, hole_x, round(turn * LAMP_HOLE_PITCH * (index - 1.5), 4), 1.4, 0.9))
    inner_end, outer_end, flat_y = hole_x - inwards * 1.5, -inwards * 3.2, turn * -3.7
    lines = [(inner_end, y, outer_end, y) for y in (-2.9, 2.9)]
    lines.append((hole_x - 0.7, flat_y, hole_x + 0.7, flat_y))
    texts = SilkText(ref, 0, 0), SilkText("flat", hole_x, flat_y - 0.75 * turn)
    box = min(hole_x, outer_end), -2.9, max(hole_x, outer_end), 2.9
    return _footprint("WS2812B or WS2812D-F5", pads, box, texts, lines, first_mark=(turn * 3.6, turn * 1.6))


def capacitor(ref: str, turned: bool, text_y: float) -> Footprint:
    """Return a capacitor, 0805 or radial, with pin 1 on the right, or on the left if it is turned."""
    pads = []
    for number, sign in (("1", -1 if turned else 1), ("2", 1 if turned else -1)):
        pads += [Pad(number, sign * 0.95, 0, 1.0, 0, 1.45), Pad(number, sign * RADIAL_X, 0)]
    return _footprint(
        "capacitor 0805 or radial 5.08 mm", pads, (-RADIAL_X, -0.7, RADIAL_X, 0.7), (SilkText(ref, 0, text_y),)
    )


def bulk_capacitor(ref: str, value: str) -> Footprint:
    """Return the large capacitor of a row, 1210 or radial, with its positive pin towards the far side."""
    pads = []
    for number, sign in (("1", -1), ("2", 1)):
        pads += [Pad(number, 0, sign * 1.43, 2.7, 0, 1.22), Pad(number, 0, sign * RADIAL_X)]
    texts = SilkText("+", -1.7, -2.4), SilkText(f"{ref} {value}", 4.4, 0, 90)
    footprint = _footprint("capacitor 1210 or radial 5.08 mm", pads, (-3.6, -3.6, 3.6, 3.6), texts)
    return footprint._replace(is_round=True)


def switch(ref: str) -> Footprint:
    """Return a switch, through hole, or surface mount turned by 90°. Pads with the same number are joined in the switch."""
    pads = [Pad(number, x, y, 1.7, 1.0) for number, y in (("1", -2.25), ("2", 2.25)) for x in (-3.25, 3.25)]
    pads += [Pad(number, x, y, 1.2, 0, 1.3) for number, x in (("1", -2.25), ("2", 2.25)) for y in (-3.92, 3.92)]
    lines = [(x, -1.1, x, 1.1) for x in (-3.1, 3.1)] + [(-1.3, y, 1.3, y) for y in (-3.1, 3.1)]
    return _footprint("switch 6 x 6 mm", pads, (-3.1, -3.1, 3.1, 3.1), (SilkText(ref, 0, 0),), lines)


def diode(ref: str) -> Footprint:
    """Return a diode, SOD-123 or DO-35, with its band (pin 2) towards the player."""
    pads = []
    for number, sign in (("1", -1), ("2", 1)):
        pads += [Pad(number, 0, sign * 1.65, 1.2, 0, 0.9), Pad(number, 0, sign * AXIAL_Y)]
    lines = [(x, -2.5, x, 2.75) for x in (-1.15, 1.15)] + [(-1.15, y, 1.15, y) for y in (2.45, 2.6, 2.75)]
    texts = SilkText(ref, 2.2, 0.1, 90), SilkText("band", 2.2, 3.4, 90)
    return _footprint("diode SOD-123 or DO-35", pads, (-1.2, -AXIAL_Y, 1.2, AXIAL_Y), texts, lines)


def sensor(ref: str) -> Footprint:
    """Return a hall sensor, SOT-23, or TO-92 lying with its marked side up and its legs towards the far side.

    The numbers of the pads are those of a TO-92: VCC, GND, OUT. Either package has its middle in the middle of the cell.
    """
    pads = [Pad("1", 1.5, 0.95, 1.9, 0, 0.8), Pad("3", 1.5, -0.95, 1.9, 0, 0.8), Pad("2", -1.5, 0, 1.9, 0, 0.8)]
    pads += [Pad(number, x, -3.4) for number, x in (("1", 2.54), ("2", 0.0), ("3", -2.54))]
    lines = [(-2.0, 1.6, 2.0, 1.6), (-2.0, 1.6, -2.0, 0.7), (2.0, 1.6, 2.0, 1.5)]
    texts = SilkText(ref, -3.6, 0, 90), SilkText("1", 4.0, -3.4)
    return _footprint("hall sensor SOT-23 or TO-92", pads, (-2.5, -1.6, 2.5, 1.6), texts, lines)


def connector(ref: str, pin_count: int) -> Footprint:
    """Return a JST XH connector whose body is on the back; its pins run towards the player."""
    pads = [Pad(str(1 + index), 0, CONNECTOR_PITCH * index, 1.7, 1.0) for index in range(pin_count)]
    last = CONNECTOR_PITCH * (pin_count - 1)
    texts = SilkText("1", 0, -1.6, size=1, is_at_bottom=True), SilkText(ref, 0, last + 1.6, size=1, is_at_bottom=True)
    box = -2.35, -2.45, 3.4, last + 2.45
    return Footprint(f"JST XH {pin_count} pins", tuple(pads), box, texts, is_at_bottom=True)


def _footprint(
    name: str,
    pads: list[Pad],
    box: tuple[float, float, float, float],
    texts: tuple[SilkText, ...],
    lines: list[Line] | None = None,
    first_mark: Place | None = None,
) -> Footprint:
    """Return a footprint with its middle at 0, 0, whose box is not printed."""
    return Footprint(
        name, tuple(pads), box, texts, False, tuple(lines or ()), first_mark, origin=(0.0, 0.0), has_outline=False
    )
