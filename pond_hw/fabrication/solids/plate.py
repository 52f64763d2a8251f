"""The sensor plate: strips are glued on it; a switch stands in each cell, or a post with a hall sensor."""

from __future__ import annotations

from manifold3d import Manifold

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.fabrication.solids.shapes import (
    block_around,
    make_box,
    square_block,
    subtract_solids,
    unite_solids,
    upright_cylinder,
)


def make_plate(layout: SolidLayout) -> Manifold:
    """The plate where it lies in the case."""
    base_plate = square_block(2 * (layout.case_inside - s.PART_GAP), (layout.plate_z, layout.grid_z))
    sensor_points = layout.cell_points if layout.has_halls else ()
    sensor_posts = [_make_post(layout, point) for point in sensor_points]
    pockets = [_make_pocket(layout, point) for point in sensor_points]
    through_z = (layout.plate_z - 1, layout.grid_z + 1)
    screw_holes = [upright_cylinder(point, s.SCREW_HOLE, through_z) for point in layout.screw_points]
    leg_holes = [upright_cylinder(point, s.SWITCH_HOLE, through_z) for point in _switch_holes(layout)]
    wire_slots = [block_around(s.WIRE_SLOT, through_z, point) for point in _wire_slots(layout)]
    return subtract_solids(unite_solids([base_plate, *sensor_posts]), [*pockets, *screw_holes, *leg_holes, *wire_slots])


def plate_holes(layout: SolidLayout) -> tuple[FlatPoint, ...]:
    """Where each hole through it is, x and y."""
    leg_points = layout.cell_points if layout.has_halls else _switch_holes(layout)
    return (*layout.screw_points, *_wire_slots(layout), *leg_points)


def _make_post(layout: SolidLayout, point: FlatPoint) -> Manifold:
    """Around sensor and legs; the middle of the sensor is the middle of the cell."""
    x, (length, width) = _pocket_x(point) - s.RIM_WIDTH, layout.post_size
    return make_box((x, x + length), (point[1] - width / 2, point[1] + width / 2), (layout.grid_z - 0.1, layout.post_z))


def _make_pocket(layout: SolidLayout, cell_point: FlatPoint) -> Manifold:
    """For the sensor, face up, and the way down for its legs, which are bent by 90 degrees."""
    half_width = (s.SENSOR_SIZE[0] + s.SENSOR_PLAY) / 2
    y = (cell_point[1] - half_width, cell_point[1] + half_width)
    x = _pocket_x(cell_point)
    legs_x = x + (s.SENSOR_SIZE[1] + s.SENSOR_PLAY)
    sensor_room = make_box((x, legs_x + 0.1), y, (layout.post_z - s.SENSOR_DEPTH, layout.post_z + 1))
    leg_room = make_box((legs_x, legs_x + s.LEG_HOLE), y, (layout.plate_z - 1, layout.post_z + 1))
    return unite_solids([sensor_room, leg_room])


def _pocket_x(cell_point: FlatPoint) -> float:
    return cell_point[0] - (s.SENSOR_SIZE[1] + s.SENSOR_PLAY) / 2


def _switch_holes(layout: SolidLayout) -> list[FlatPoint]:
    """Four to a switch, the wider distance along the row."""
    if layout.has_halls:
        return []
    length, width = s.SWITCH_HOLES
    return [(x + i * length / 2, y + j * width / 2) for x, y in layout.cell_points for j in (-1, 1) for i in (-1, 1)]


def _wire_slots(layout: SolidLayout) -> list[FlatPoint]:
    """Both ends of every strip."""
    x = layout.half_size + s.GRID_WALL / 2 + 0.8 + s.WIRE_SLOT[0] / 2
    return [(side * x, y) for y in layout.strip_rows for side in (-1, 1)]
