"""The piece: three feet, opposite each of them a flat with its mark, and behind each of them a magnet.

As it is printed it stands on its closed end, z along it. Its cross-section is a hexagon with equal angles whose long
and short sides take turns: it lies on a long one, and the short one opposite is on top. Turned the same way round each
time, egg, tadpole and frog come up one after the other.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.shapes import box, hull, prism, union, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import Plan

MARKS = ("egg", "tadpole", "frog")
"""What is on top when it lies on foot 0, 1 and 2."""
TURN = 120.0
"""Degrees from foot to foot."""
FREE = 0.3
"""The plug's plate is so much smaller all round: nobody feels it."""
END = 0.2
"""Between a magnet and the plug's tongue."""
UNIT = 8.0
"""The marks are drawn for a flat of this width."""


class Magnet(NamedTuple):
    """A magnet in a piece, in the piece's own coordinates, in mm.

    Attributes:
        middle: of the magnet.
        outward: the direction that its outer pole looks, of length 1.
    """

    middle: tuple[float, float, float]
    outward: tuple[float, float, float]


def piece(plan: Plan) -> Manifold:
    """The piece without its plug, slots upwards."""
    body = prism(hexagon(plan, 0), (0, plan.length - s.PLUG))
    marks = [_turned(mark(plan), i) for i, mark in enumerate((egg, tadpole, frog))]
    return without(union([body, *marks]), [_turned(_slot(plan), i) for i in range(3)])


def plug(plan: Plan) -> Manifold:
    """What closes the three slots, where it is in the piece."""
    plate = prism(hexagon(plan, FREE), (plan.length - s.PLUG, plan.length))
    wide, high = plan.magnet
    near = -plan.foot_in + s.SKIN + s.PRESS
    low = plan.length / 2 + wide / 2 + s.PRESS + END
    tongue = box((-wide / 2, wide / 2), (near, near + high), (low, plan.length - s.PLUG + 0.1))
    return union([plate, *(_turned(tongue, i) for i in range(3))])


def magnets(plan: Plan) -> tuple[Magnet, ...]:
    """One behind each foot; all show the same pole outwards."""
    out = plan.foot_in - s.SKIN - s.PRESS - plan.magnet[1] / 2
    found = []
    for i in range(3):
        x, y = _foot_normal(i)
        found.append(Magnet((x * out, y * out, plan.length / 2), (x, y, 0.0)))
    return tuple(found)


def hexagon(plan: Plan, less: float) -> list[tuple[float, float]]:
    """The cross-section, foot 0 below, made smaller by `less` on all sides."""
    foot, flat = plan.foot_in - less, plan.flat_in - less
    # Where a foot's line and the next flat's meet: their normals stand at 60 degrees to each other.
    corners = []
    for i in range(3):
        x, y = _foot_normal(i)
        for side in (-1, 1):
            along = side * (2 * flat - foot) / math.sqrt(3)
            corners.append((x * foot - y * along, y * foot + x * along))
    return corners


def _foot_normal(i: int) -> tuple[float, float]:
    return ((0.0, -1.0), (math.sqrt(3) / 2, 0.5), (-math.sqrt(3) / 2, 0.5))[i]


def _turned(solid: Manifold, i: int) -> Manifold:
    return solid.rotate((0, 0, TURN * i))


def _slot(plan: Plan) -> Manifold:
    """For the magnet behind foot 0: round at the bottom, open at the top."""
    from manifold3d import Manifold

    wide, high = plan.magnet
    half, near = wide / 2 + s.PRESS, -plan.foot_in + s.SKIN
    far, mid = near + high + 2 * s.PRESS, plan.length / 2
    round_end = Manifold.cylinder(far - near, half, half, s.ROUND).rotate((-90, 0, 0)).translate((0, near, mid))
    return union([round_end, box((-half, half), (near, far), (mid, plan.length))])


# --- The marks: made for the flat that is on top of foot 0. u runs across the flat, v along the piece ---


def egg(plan: Plan) -> Manifold:
    """One dome, a little longer than wide."""
    return _dome(plan, (0, 0), 2.4, 1.4)


def tadpole(plan: Plan) -> Manifold:
    """A dome at one end and a tail."""
    head = _dome(plan, (0, 3.6), 2.4, 1.1)
    return union([head, _ridge(plan, [(0, 2.4), (0.9, -0.6), (-0.7, -3.6), (0.3, -6.6)])])


def frog(plan: Plan) -> Manifold:
    """A body, two eyes before it, four legs beside it."""
    body = _dome(plan, (0, 0.2), 2.1, 1.5)
    eyes = [_dome(plan, (side * 1.4, 5.8), 1.1, 1.0) for side in (-1, 1)]
    legs = [
        _ridge(plan, [(side * u, v) for u, v in leg])
        for side in (-1, 1)
        for leg in (((1.2, 1.8), (2.7, 2.9)), ((1.0, -2.2), (2.7, -3.2), (2.2, -6.4)))
    ]
    return union([body, *eyes, *legs])


def _dome(plan: Plan, at: tuple[float, float], radius: float, stretch: float) -> Manifold:
    """A part of a sphere, made longer along the piece. The radius is where it meets the flat."""
    from manifold3d import Manifold

    scale, high = plan.flat / UNIT, _high(plan)
    base = radius * scale
    whole = (base**2 + high**2) / (2 * high)
    ball = Manifold.sphere(whole, s.ROUND).scale((1, 1, stretch)).translate((0, high - whole, 0))
    big = 2 * whole * stretch
    cap = ball ^ box((-big, big), (-0.3, big), (-big, big))
    return cap.translate((at[0] * scale, plan.flat_in, plan.length / 2 + at[1] * scale))


def _high(plan: Plan) -> float:
    """How far marks stand out: less on small pieces, but never too little for a finger."""
    return max(min(s.MARK, s.MARK * plan.flat / UNIT), s.MARK_LEAST)


def _ridge(plan: Plan, line: Sequence[tuple[float, float]]) -> Manifold:
    """A round bar along a line, half in the flat. It rises as far as a dome."""
    from manifold3d import Manifold

    scale, parts = plan.flat / UNIT, []
    ends = [(u * scale, plan.flat_in, plan.length / 2 + v * scale) for u, v in line]
    ball = Manifold.sphere(1, 12).scale((0.75 * scale, _high(plan), 0.75 * scale))
    points = [list(map(float, point)) for point in ball.to_mesh64().vert_properties[:, :3]]
    for first, second in pairwise(ends):
        parts.append(hull((x + p[0], y + p[1], z + p[2]) for x, y, z in (first, second) for p in points))
    return union(parts)
