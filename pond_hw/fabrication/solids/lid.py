"""The lid: the board's face, with an opening over each cell that keeps its diffuser in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.case import CORNER_RADIUS
from pond_hw.fabrication.solids.shapes import (
    make_frustum,
    rounded_block,
    square_block,
    subtract_solids,
    upright_cylinder,
)

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout


def make_lid(plan: SolidLayout) -> Manifold:
    """The lid on the case."""
    slab = rounded_block(plan.case_edge, CORNER_RADIUS, (plan.lid_z, plan.top_z))
    holes = []
    for at in plan.cell_points:
        holes.append(square_block(plan.lid_opening, (plan.lid_z, plan.top_z + 1), at))
        # As wide below as the diffuser, which lies SLACK deeper. It begins 1 mm below the lid: a clean cut.
        high = (plan.flange_side - plan.lid_opening) / 2
        holes.append(make_frustum(plan.flange_side + 2, plan.lid_opening, (plan.lid_z - 1, plan.lid_z + high), at))
    sink = (s.SCREW_HEAD - s.SCREW) / 2
    for at in plan.screw_points:
        holes.append(upright_cylinder(at, s.SCREW, (plan.lid_z - 1, plan.top_z + 1)))
        holes.append(upright_cylinder(at, s.SCREW, (plan.top_z - sink, plan.top_z + 1), s.SCREW_HEAD + 2))
    return subtract_solids(slab, holes)


def lid_holes(plan: SolidLayout) -> tuple[FlatPoint, ...]:
    """Where each hole is, x and y: the cells and the screws."""
    return (*plan.cell_points, *plan.screw_points)
