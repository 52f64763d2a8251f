"""The sensor plate: strips are glued on it; a switch stands in each cell, or a post with a hall sensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.shapes import make_box, square_block, subtract_solids, unite_solids, upright_cylinder

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout


def make_plate(plan: SolidLayout) -> Manifold:
    """The plate where it lies in the case."""
    base = square_block(2 * (plan.case_inside - s.GAP), (plan.plate_z, plan.grid_z))
    posts = [_make_post(plan, at) for at in plan.cell_points] if plan.has_halls else []
    pockets = [_make_pocket(plan, at) for at in plan.cell_points] if plan.has_halls else []
    through = (plan.plate_z - 1, plan.grid_z + 1)
    screws = [upright_cylinder(at, s.SCREW, through) for at in plan.screw_points]
    legs = [] if plan.has_halls else [upright_cylinder(at, s.SWITCH_HOLE, through) for at in _switch_holes(plan)]
    wires = [
        make_box((x - s.WIRES[0] / 2, x + s.WIRES[0] / 2), (y - s.WIRES[1] / 2, y + s.WIRES[1] / 2), through)
        for x, y in _wire_slots(plan)
    ]
    return subtract_solids(unite_solids([base, *posts]), [*pockets, *screws, *legs, *wires])


def plate_holes(plan: SolidLayout) -> tuple[FlatPoint, ...]:
    """Where each hole through it is, x and y."""
    return (*plan.screw_points, *_wire_slots(plan), *(plan.cell_points if plan.has_halls else _switch_holes(plan)))


def _make_post(plan: SolidLayout, at: FlatPoint) -> Manifold:
    """Around sensor and legs; the middle of the sensor is the middle of the cell."""
    x0, (long, wide) = _pocket_x(at) - s.RIM, plan.post_size
    return make_box((x0, x0 + long), (at[1] - wide / 2, at[1] + wide / 2), (plan.grid_z - 0.1, plan.post_z))


def _make_pocket(plan: SolidLayout, at: FlatPoint) -> Manifold:
    """For the sensor, face up, and the way down for its legs, which are bent by 90 degrees."""
    x0, y, wide = _pocket_x(at), at[1], (s.SENSOR[0] + s.SENSOR_PLAY) / 2
    long = s.SENSOR[1] + s.SENSOR_PLAY
    body = make_box((x0, x0 + long + 0.1), (y - wide, y + wide), (plan.post_z - s.SENSOR_DEPTH, plan.post_z + 1))
    legs = make_box((x0 + long, x0 + long + s.LEG_HOLE), (y - wide, y + wide), (plan.plate_z - 1, plan.post_z + 1))
    return unite_solids([body, legs])


def _pocket_x(at: FlatPoint) -> float:
    return at[0] - (s.SENSOR[1] + s.SENSOR_PLAY) / 2


def _switch_holes(plan: SolidLayout) -> list[FlatPoint]:
    """Four to a switch, the wider distance along the row."""
    long, wide = s.SWITCH_HOLES
    return [(x + i * long / 2, y + j * wide / 2) for x, y in plan.cell_points for j in (-1, 1) for i in (-1, 1)]


def _wire_slots(plan: SolidLayout) -> list[FlatPoint]:
    """Both ends of every strip."""
    x = plan.half_size + s.CRATE / 2 + 0.8 + s.WIRES[0] / 2
    return [(side * x, y) for y in plan.strip_rows for side in (-1, 1)]
