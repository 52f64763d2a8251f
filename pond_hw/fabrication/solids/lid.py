"""The lid: the board's face, with an opening over each cell that keeps its diffuser in."""

from __future__ import annotations

from manifold3d import Manifold

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.case import CORNER_RADIUS
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.shapes import (
    make_frustum,
    rounded_block,
    square_block,
    subtract_solids,
    upright_cylinder,
)


def make_lid(layout: SolidLayout) -> Manifold:
    """The lid on the case."""
    low_z, high_z = layout.lid_z, layout.top_z
    holes = []
    for point in layout.cell_points:
        holes.append(square_block(layout.lid_opening, (low_z, high_z + 1), point))
        # As wide below as the diffuser, which lies TILE_RISE deeper. It begins 1 mm below the lid: a clean cut.
        bevel_z = (low_z - 1, low_z + (layout.flange_side - layout.lid_opening) / 2)
        holes.append(make_frustum(layout.flange_side + 2, layout.lid_opening, bevel_z, point))
    sink_depth = (s.SCREW_HEAD - s.SCREW_HOLE) / 2
    for point in layout.screw_points:
        holes.append(upright_cylinder(point, s.SCREW_HOLE, (low_z - 1, high_z + 1)))
        holes.append(upright_cylinder(point, s.SCREW_HOLE, (high_z - sink_depth, high_z + 1), s.SCREW_HEAD + 2))
    return subtract_solids(rounded_block(layout.case_edge, CORNER_RADIUS, (low_z, high_z)), holes)
