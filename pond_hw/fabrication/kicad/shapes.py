"""What the bodies of KiCad symbols are drawn with. Places count from the symbol's middle, to the right and down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pond_hw.fabrication.kicad.expressions import Place, in_mm, node, points, stroke


def _corner(name: str, place: Place) -> str:
    return node(name, in_mm(place[0]), in_mm(-place[1]))  # KiCad's symbols count upwards


def _fill(kind: str) -> str:
    return node("fill", node("type", kind))


def draw_line(*places: Place, width: float = 0.25) -> str:
    """A line through some places; its width in mm."""
    return node("polyline", points(*((x, -y) for x, y in places)), stroke(width), _fill("none"))


def draw_rectangle(half_width: float, top: float, bottom: float, fill: str = "none") -> str:
    """A rectangle, as wide to the left as to the right."""
    corners = _corner("start", (-half_width, top)), _corner("end", (half_width, bottom))
    return node("rectangle", *corners, stroke(0.25), _fill(fill))


def _draw_circle(middle: Place, radius: float) -> str:
    return node("circle", _corner("center", middle), node("radius", in_mm(radius)), stroke(0.25), _fill("none"))


def _draw_arc(start: Place, middle: Place, end: Place) -> str:
    places = _corner("start", start), _corner("mid", middle), _corner("end", end)
    return node("arc", *places, stroke(0.25), _fill("none"))


class Shape(NamedTuple):
    """What has two ends.

    Attributes:
        body: what it is drawn with.
        ends: where its two ends are.
        pin_length: steps from an end to the body.
    """

    body: tuple[str, ...]
    ends: tuple[Place, Place]
    pin_length: float


LEVEL_ENDS, UPRIGHT_ENDS, SWITCH_ENDS = ((-3, 0), (3, 0)), ((0, -3), (0, 3)), ((-4, 0), (4, 0))

SWITCH = Shape(
    (
        _draw_circle((-2, 0), 0.4),
        _draw_circle((2, 0), 0.4),
        draw_line((-2, -1), (2, -1)),
        draw_line((0, -1), (0, -1.8)),
    ),
    SWITCH_ENDS,
    1.6,
)

SHAPES: Mapping[str, Shape] = {
    "resistor": Shape((draw_rectangle(2, -0.8, 0.8),), LEVEL_ENDS, 1),
    "resistor upright": Shape((draw_rectangle(0.8, -2, 2),), UPRIGHT_ENDS, 1),
    "fuse": Shape((draw_rectangle(2, -0.8, 0.8), draw_line((-2, 0), (2, 0))), LEVEL_ENDS, 1),
    "diode": Shape(
        (draw_line((-1, -1), (-1, 1), (1, 0), (-1, -1)), draw_line((1, -1), (1, 1))),
        LEVEL_ENDS,
        2,
    ),
    "button": SWITCH,
    "key": SWITCH,
    "capacitor": Shape(
        (draw_line((-1.6, -0.5), (1.6, -0.5), width=0.5), draw_line((-1.6, 0.5), (1.6, 0.5), width=0.5)),
        UPRIGHT_ENDS,
        2.5,
    ),
    "reservoir": Shape(
        (
            draw_rectangle(1.6, -0.8, -0.3),
            draw_rectangle(1.6, 0.3, 0.8, "outline"),
            draw_line((-1.8, -1.6), (-1, -1.6)),
            draw_line((-1.4, -2), (-1.4, -1.2)),
        ),
        UPRIGHT_ENDS,
        2.2,
    ),
    "buzzer": Shape((_draw_arc((-1, -2), (1, 0), (-1, 2)), draw_line((-1, -2), (-1, 2))), ((-3, -1), (-3, 1)), 2),
}
"""By the sort of part."""

GROUND_BARS, RAIL_BARS = ((1, 1), (1.5, 0.6), (2, 0.2)), ((1, 1),)
"""The bars of the signs of ground and of a supply: how far from the wire's end, and half of their length."""

FLAG_BODY = (draw_line((0, 0), (0, -1), (-0.8, -1.6), (0, -2.2), (0.8, -1.6), (0, -1)),)
"""KiCad's flag."""
