"""A frame for a NeoTrellis: its keys look through, its circuit board lies in a pocket from behind."""

from __future__ import annotations

from manifold3d import Manifold

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.case import CORNER_RADIUS
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.fabrication.solids.shapes import rounded_block, square_block, subtract_solids, upright_cylinder

HALF_SIZE = s.TRELLIS_SIDE / 2 + s.PART_GAP + s.BEZEL_BORDER
"""From the middle of the bezel to its outside."""

SCREW_DISTANCE = HALF_SIZE - s.BEZEL_BORDER / 2
SCREW_POINTS: tuple[FlatPoint, ...] = tuple(
    (x, y) for y in (-SCREW_DISTANCE, SCREW_DISTANCE) for x in (-SCREW_DISTANCE, SCREW_DISTANCE)
)


def make_bezel(layout: SolidLayout) -> Manifold:
    """The bezel on its face, as it is printed and as it lies under the keys: seen from the front it is turned over."""
    height = s.BEZEL_THICKNESS + s.BEZEL_DEPTH
    pocket = square_block(s.TRELLIS_SIDE + 2 * s.PART_GAP, (s.BEZEL_THICKNESS, height + 1))
    keys = [square_block(s.TRELLIS_KEY + 2 * s.KEY_GAP, (-1, height), point) for point in layout.cell_points]
    screws = [upright_cylinder(point, s.SCREW_HOLE, (-1, height + 1)) for point in SCREW_POINTS]
    return subtract_solids(rounded_block(HALF_SIZE, CORNER_RADIUS, (0, height)), [pocket, *keys, *screws])
