"""The case: floor, walls, and what carries the Pi and the sensor plate."""

from __future__ import annotations

from manifold3d import Manifold

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.fabrication.solids.shapes import (
    Extent,
    block_around,
    lying_cylinder,
    make_box,
    make_frustum,
    rounded_block,
    square_block,
    subtract_solids,
    unite_solids,
    upright_cylinder,
)

CORNER_RADIUS = 3.0
"""Radius of the case's and the lid's upright edges."""
BUZZER_RADIUS = 4.0
"""From the middle of the buzzer's holes to the outer ones."""
_HEXAGON = ((1.0, 0.0), (0.5, 0.75**0.5), (-0.5, 0.75**0.5), (-1.0, 0.0), (-0.5, -(0.75**0.5)), (0.5, -(0.75**0.5)))
"""The corners of a hexagon."""
VENT_OFFSETS = (-12.0, -6.0, 0.0, 6.0, 12.0)
VENT_SIZE = (3.0, 36.0)
"""Slots in the floor under the Pi, for air: the case stands on rubber feet."""


def make_case(layout: SolidLayout) -> Manifold:
    """The case as it stands on the table, open at the top."""
    tub = rounded_block(layout.case_edge, CORNER_RADIUS, (0, layout.lid_z))
    room = square_block(2 * layout.case_inside, (s.WALL_THICKNESS, layout.lid_z + 1))
    floor_z, standoff_z = s.WALL_THICKNESS - 0.1, s.WALL_THICKNESS + s.STANDOFF_HEIGHT
    inner_solids = [_make_ledge(layout), *(_make_column(layout, point) for point in layout.screw_points)]
    inner_solids += [upright_cylinder(point, s.STANDOFF_WIDTH, (floor_z, standoff_z)) for point in layout.pi_holes]
    if layout.pillar_point:
        inner_solids.append(upright_cylinder(layout.pillar_point, s.STANDOFF_WIDTH, (floor_z, layout.plate_z)))
    insert_z = (layout.plate_z - s.INSERT_DEPTH, layout.plate_z + 1)
    insert_holes = [upright_cylinder(point, s.INSERT_HOLE, insert_z) for point in layout.screw_points]
    pilots = [upright_cylinder(point, s.STANDOFF_HOLE, (s.WALL_THICKNESS, standoff_z + 1)) for point in layout.pi_holes]
    wall_openings = [opening for _, opening in _make_openings(layout)]
    return subtract_solids(
        unite_solids([subtract_solids(tub, [room]), *inner_solids]), [*insert_holes, *pilots, *wall_openings]
    )


def case_holes(layout: SolidLayout) -> tuple[FlatPoint, ...]:
    """Where the case is open: x and y of each hole through a wall or the floor."""
    return tuple(point for point, _ in _make_openings(layout))


def _make_ledge(layout: SolidLayout) -> Manifold:
    """A rim for the plate all round, its underside at 45 degrees so that it prints in the air."""
    low, high = layout.plate_z - s.LEDGE_WIDTH, layout.plate_z
    wide_side, narrow_side = 2 * layout.case_inside, 2 * (layout.case_inside - s.LEDGE_WIDTH)
    room = [make_frustum(wide_side, narrow_side, (low, high)), square_block(narrow_side, (high - 0.01, high + 1))]
    return subtract_solids(square_block(wide_side + 0.2, (low, high)), room)


def _make_column(layout: SolidLayout, screw_point: FlatPoint) -> Manifold:
    """What a screw goes into: from the floor to the plate, one with the wall."""

    def span(screw_middle: float) -> Extent:
        low, high = screw_middle - s.HALF_COLUMN, screw_middle + s.HALF_COLUMN
        wall = layout.case_inside + 0.1
        return -wall if low < -layout.half_size else low, wall if high > layout.half_size else high

    return make_box(span(screw_point[0]), span(screw_point[1]), (s.WALL_THICKNESS - 0.1, layout.plate_z))


def _make_openings(layout: SolidLayout) -> list[tuple[FlatPoint, Manifold]]:
    """What is cut out of walls and floor, and where."""
    middle_z = s.WALL_THICKNESS + (layout.plate_z - s.LEDGE_WIDTH - s.WALL_THICKNESS) / 2
    wall_depth = s.WALL_THICKNESS + 2
    openings: list[tuple[FlatPoint, Manifold]] = []
    if layout.pi_x is not None:
        right_edge, (width, height) = layout.pi_x + s.PI_SIZE[0], s.PI_WINDOW
        # The socket lies on the circuit board; the plug's sleeve needs room around it.
        x, low = right_edge - s.PI_POWER, s.WALL_THICKNESS + s.STANDOFF_HEIGHT - 2
        y_span = (layout.case_inside - 1, layout.case_edge + 1)
        window = make_box((x - width / 2, x + width / 2), y_span, (low, low + height))
        openings.append(((x, layout.case_edge - s.WALL_THICKNESS / 2), window))
        vent_x, vent_y = right_edge - s.PI_HOLE - s.PI_HOLES[0] / 2, layout.pi_y + s.PI_SIZE[1] / 2
        vents = [(vent_x + offset, vent_y) for offset in VENT_OFFSETS]
        openings += [(vent, block_around(VENT_SIZE, (-1, s.WALL_THICKNESS + 1), vent)) for vent in vents]
    if layout.has_key:
        key = lying_cylinder((*layout.key_point, middle_z), s.KEY_HOLE, wall_depth, "y")
        openings.append((layout.key_point, key))
    if layout.has_buzzer:
        x, y = layout.buzzer_point
        for i, j in ((0.0, 0.0), *_HEXAGON):
            hole = (x + BUZZER_RADIUS * i, y, middle_z + BUZZER_RADIUS * j)
            openings.append((layout.buzzer_point, lying_cylinder(hole, s.SOUND_HOLE, wall_depth, "y")))
    if layout.has_lamp_supply:
        jack = lying_cylinder((*layout.jack_point, middle_z), s.JACK_HOLE, wall_depth, "x")
        openings.append((layout.jack_point, jack))
    return openings
