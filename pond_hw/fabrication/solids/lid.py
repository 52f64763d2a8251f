"""The lid: the board's face, with an opening over each cell that keeps its diffuser in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.case import CORNER
from pond_hw.fabrication.solids.shapes import frustum, rod, rounded, square, without

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import Plan, Spot


def lid(plan: Plan) -> Manifold:
    """The lid on the case."""
    slab = rounded(plan.edge, CORNER, (plan.lid_z, plan.top))
    holes = []
    for at in plan.spots:
        holes.append(square(plan.opening, (plan.lid_z, plan.top + 1), at))
        # As wide below as the diffuser, which lies SLACK deeper. It begins 1 mm below the lid: a clean cut.
        high = (plan.flange - plan.opening) / 2
        holes.append(frustum(plan.flange + 2, plan.opening, (plan.lid_z - 1, plan.lid_z + high), at))
    sink = (s.SCREW_HEAD - s.SCREW) / 2
    for at in plan.screws:
        holes.append(rod(at, s.SCREW, (plan.lid_z - 1, plan.top + 1)))
        holes.append(rod(at, s.SCREW, (plan.top - sink, plan.top + 1), s.SCREW_HEAD + 2))
    return without(slab, holes)


def lid_holes(plan: Plan) -> tuple[Spot, ...]:
    """Where each hole is, x and y: the cells and the screws."""
    return (*plan.spots, *plan.screws)
