"""A frame for a NeoTrellis: its keys look through, its circuit board lies in a pocket from behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.case import CORNER_RADIUS
from pond_hw.fabrication.solids.shapes import rounded_block, square_block, subtract_solids, upright_cylinder

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout

HALF_SIZE = s.TRELLIS / 2 + s.GAP + s.BEZEL_BORDER
"""From the middle of the bezel to its outside."""


def make_bezel(plan: SolidLayout) -> Manifold:
    """The bezel on its face, as it is printed and as it lies under the keys: seen from the front it is turned over."""
    high = s.BEZEL + s.BEZEL_DEPTH
    pocket = square_block(s.TRELLIS + 2 * s.GAP, (s.BEZEL, high + 1))
    keys = [square_block(s.TRELLIS_KEY + 2 * s.KEY_GAP, (-1, high), at) for at in plan.cell_points]
    screws = [upright_cylinder(at, s.SCREW, (-1, high + 1)) for at in _screw_points()]
    return subtract_solids(rounded_block(HALF_SIZE, CORNER_RADIUS, (0, high)), [pocket, *keys, *screws])


def bezel_holes(plan: SolidLayout) -> tuple[FlatPoint, ...]:
    """Where each hole is, x and y: keys and screws."""
    return (*plan.cell_points, *_screw_points())


def _screw_points() -> list[FlatPoint]:
    far = HALF_SIZE - s.BEZEL_BORDER / 2
    return [(x, y) for y in (-far, far) for x in (-far, far)]
