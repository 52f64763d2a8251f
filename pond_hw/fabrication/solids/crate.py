"""The lamp grid: walls that no light passes between the cells; what carries the diffusers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.shapes import box, prism, rod, square, union, without

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import Plan, Spot


ALONG = 8.0
"""So far a corner's ear reaches along the wall."""


def crate(plan: Plan) -> Manifold:
    """The grid where it stands on the plate."""
    low, high = plan.grid_z, plan.lid_z - s.CRATE_LOW
    block = square(2 * plan.half + s.CRATE, (low, high))
    rooms = [square(plan.cell, (low - 1, high + 1), at) for at in plan.spots]
    ears = [_ear(plan, at, (low, high)) for at in plan.screws]
    gussets = [_gusset(plan, at, i, j) for at in plan.spots for i in (-1, 1) for j in (-1, 1)]
    reach = plan.half + s.CRATE / 2 + 0.5
    notches = [box((-reach, reach), span, (low - 1, low + s.NOTCH)) for span in _gaps(plan)]
    screws = [rod(at, s.SCREW, (low - 1, high + 1)) for at in plan.screws]
    walls = without(block, rooms)
    return without(union([walls, *ears, *gussets]), [*notches, *screws])


def crate_holes(plan: Plan) -> tuple[Spot, ...]:
    """Where each hole is, x and y: the cells and the screws."""
    return (*plan.spots, *plan.screws)


def _gaps(plan: Plan) -> list[tuple[float, float]]:
    """From where to where, in y, strips run through the walls: two that would leave too thin a wall between are one."""
    wide, found = s.STRIP / 2 + 0.2, list[tuple[float, float]]()
    for y in sorted(plan.rows):
        if found and y - wide < found[-1][1] + s.CRATE:
            found[-1] = found[-1][0], y + wide
        else:
            found.append((y - wide, y + wide))
    return found


def _ear(plan: Plan, at: Spot, z: tuple[float, float]) -> Manifold:
    """What a screw holds the grid by. Those in the corners go along the walls that have no wires beside them."""
    far, (x, y) = plan.inside - s.GAP, at

    def span(middle: float, near: float) -> tuple[float, float]:
        if abs(middle) < plan.half:
            return middle - s.BOSS, middle + s.BOSS
        return (near, far) if middle > 0 else (-far, -near)

    return box(span(x, plan.half - (ALONG if abs(y) > plan.half else 0)), span(y, plan.half), z)


def _gusset(plan: Plan, at: Spot, i: int, j: int) -> Manifold:
    """A triangle in the corner of a cell, up to the diffuser."""
    x, y = at[0] + i * (plan.cell / 2 + 0.1), at[1] + j * (plan.cell / 2 + 0.1)
    far = s.GUSSET + 0.1
    corners = [(x, y), (x - i * far, y), (x, y - j * far)]
    return prism(corners if i * j > 0 else corners[::-1], (plan.grid_z, plan.gusset_z))
