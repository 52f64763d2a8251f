"""The lamp grid: walls that no light passes between the cells; what carries the diffusers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.shapes import (
    make_box,
    make_prism,
    square_block,
    subtract_solids,
    unite_solids,
    upright_cylinder,
)

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout


EAR_LENGTH = 8.0
"""So far a corner's ear reaches along the wall."""


def make_crate(plan: SolidLayout) -> Manifold:
    """The grid where it stands on the plate."""
    low, high = plan.grid_z, plan.lid_z - s.CRATE_LOW
    block = square_block(2 * plan.half_size + s.CRATE, (low, high))
    rooms = [square_block(plan.cell_side, (low - 1, high + 1), at) for at in plan.cell_points]
    ears = [_make_ear(plan, at, (low, high)) for at in plan.screw_points]
    gussets = [_make_gusset(plan, at, i, j) for at in plan.cell_points for i in (-1, 1) for j in (-1, 1)]
    reach = plan.half_size + s.CRATE / 2 + 0.5
    notches = [make_box((-reach, reach), span, (low - 1, low + s.NOTCH)) for span in _strip_gaps(plan)]
    screws = [upright_cylinder(at, s.SCREW, (low - 1, high + 1)) for at in plan.screw_points]
    walls = subtract_solids(block, rooms)
    return subtract_solids(unite_solids([walls, *ears, *gussets]), [*notches, *screws])


def crate_holes(plan: SolidLayout) -> tuple[FlatPoint, ...]:
    """Where each hole is, x and y: the cells and the screws."""
    return (*plan.cell_points, *plan.screw_points)


def _strip_gaps(plan: SolidLayout) -> list[tuple[float, float]]:
    """From where to where, in y, strips run through the walls: two that would leave too thin a wall between are one."""
    wide, found = s.STRIP / 2 + 0.2, list[tuple[float, float]]()
    for y in sorted(plan.strip_rows):
        if found and y - wide < found[-1][1] + s.CRATE:
            found[-1] = found[-1][0], y + wide
        else:
            found.append((y - wide, y + wide))
    return found


def _make_ear(plan: SolidLayout, at: FlatPoint, z: tuple[float, float]) -> Manifold:
    """What a screw holds the grid by. Those in the corners go along the walls that have no wires beside them."""
    far, (x, y) = plan.case_inside - s.GAP, at

    def span(middle: float, near: float) -> tuple[float, float]:
        if abs(middle) < plan.half_size:
            return middle - s.BOSS, middle + s.BOSS
        return (near, far) if middle > 0 else (-far, -near)

    return make_box(
        span(x, plan.half_size - (EAR_LENGTH if abs(y) > plan.half_size else 0)), span(y, plan.half_size), z
    )


def _make_gusset(plan: SolidLayout, at: FlatPoint, i: int, j: int) -> Manifold:
    """A triangle in the corner of a cell, up to the diffuser."""
    x, y = at[0] + i * (plan.cell_side / 2 + 0.1), at[1] + j * (plan.cell_side / 2 + 0.1)
    far = s.GUSSET + 0.1
    corners = [(x, y), (x - i * far, y), (x, y - j * far)]
    return make_prism(corners if i * j > 0 else corners[::-1], (plan.grid_z, plan.gusset_z))
