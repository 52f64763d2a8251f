"""A frame for a NeoTrellis: its keys look through, its circuit board lies in a pocket from behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.case import CORNER
from pond_hw.fabrication.solids.shapes import rod, rounded, square, without

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import Plan, Spot

HALF = s.TRELLIS / 2 + s.GAP + s.BEZEL_BORDER
"""From the middle of the bezel to its outside."""


def bezel(plan: Plan) -> Manifold:
    """The bezel on its face, as it is printed and as it lies under the keys: seen from the front it is turned over."""
    high = s.BEZEL + s.BEZEL_DEPTH
    pocket = square(s.TRELLIS + 2 * s.GAP, (s.BEZEL, high + 1))
    keys = [square(s.TRELLIS_KEY + 2 * s.KEY_GAP, (-1, high), at) for at in plan.spots]
    screws = [rod(at, s.SCREW, (-1, high + 1)) for at in _screws()]
    return without(rounded(HALF, CORNER, (0, high)), [pocket, *keys, *screws])


def bezel_holes(plan: Plan) -> tuple[Spot, ...]:
    """Where each hole is, x and y: keys and screws."""
    return (*plan.spots, *_screws())


def _screws() -> list[Spot]:
    far = HALF - s.BEZEL_BORDER / 2
    return [(x, y) for y in (-far, far) for x in (-far, far)]
