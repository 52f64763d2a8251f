"""The case: floor, walls, and what carries the Pi and the sensor plate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.shapes import (
    lying_cylinder,
    make_box,
    make_frustum,
    rounded_block,
    square_block,
    subtract_solids,
    unite_solids,
    upright_cylinder,
)

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout

CORNER_RADIUS = 3.0
"""Radius of the case's and the lid's upright edges."""
BUZZER_RADIUS = 4.0
"""From the middle of the buzzer's holes to the outer ones."""
_HEXAGON = ((1.0, 0.0), (0.5, 0.75**0.5), (-0.5, 0.75**0.5), (-1.0, 0.0), (-0.5, -(0.75**0.5)), (0.5, -(0.75**0.5)))
"""The corners of a hexagon."""
VENT_OFFSETS = (-12.0, -6.0, 0.0, 6.0, 12.0)
VENT_SIZE = (3.0, 36.0)
"""Slots in the floor under the Pi, for air: the case stands on rubber feet."""


def make_case(plan: SolidLayout) -> Manifold:
    """The case as it stands on the table, open at the top."""
    tub = rounded_block(plan.case_edge, CORNER_RADIUS, (0, plan.lid_z))
    room = square_block(2 * plan.case_inside, (s.WALL, plan.lid_z + 1))
    inner = [_make_ledge(plan), *(_make_column(plan, at) for at in plan.screw_points), *_make_standoffs(plan)]
    if plan.pillar_point:
        inner.append(upright_cylinder(plan.pillar_point, s.STANDOFF_WIDTH, (s.WALL - 0.1, plan.plate_z)))
    inserts = (
        upright_cylinder(at, s.INSERT, (plan.plate_z - s.INSERT_DEPTH, plan.plate_z + 1)) for at in plan.screw_points
    )
    pilots = (upright_cylinder(at, s.STANDOFF_HOLE, (s.WALL, s.WALL + s.STANDOFF + 1)) for at in plan.pi_holes)
    return subtract_solids(
        unite_solids([subtract_solids(tub, [room]), *inner]), [*inserts, *pilots, *_wall_openings(plan)]
    )


def case_holes(plan: SolidLayout) -> tuple[FlatPoint, ...]:
    """Where the case is open: x and y of each hole through a wall or the floor."""
    wall = plan.case_edge - s.WALL / 2
    found: list[FlatPoint] = []
    if plan.pi_x is not None:
        found += [(power_x(plan), wall), *((x, vent_y(plan)) for x in _vent_xs(plan))]
    if plan.has_key:
        found.append(plan.key_point)
    if plan.has_buzzer:
        found += [plan.buzzer_point] * 7
    if plan.has_lamp_supply:
        found.append(plan.jack_point)
    return tuple(found)


def power_x(plan: SolidLayout) -> float:
    """Middle of the hole for the Pi's plug. The Pi has its SD card to the right."""
    assert plan.pi_x is not None, "fits() says that there is no room for a Pi"
    return plan.pi_x + s.PI[0] - s.PI_POWER


def vent_y(plan: SolidLayout) -> float:
    """Middle of the slots in the floor."""
    return plan.pi_y + s.PI[1] / 2


def _vent_xs(plan: SolidLayout) -> list[float]:
    assert plan.pi_x is not None
    mid = plan.pi_x + s.PI[0] - s.PI_HOLE - s.PI_HOLES[0] / 2
    return [mid + x for x in VENT_OFFSETS]


def _make_ledge(plan: SolidLayout) -> Manifold:
    """A rim for the plate all round, its underside at 45 degrees so that it prints in the air."""
    low, high = plan.plate_z - s.LEDGE, plan.plate_z
    ring = square_block(2 * plan.case_inside + 0.2, (low, high))
    cut = make_frustum(2 * plan.case_inside, 2 * (plan.case_inside - s.LEDGE), (low, high))
    over = square_block(2 * (plan.case_inside - s.LEDGE), (high - 0.01, high + 1))
    return subtract_solids(ring, [cut, over])


def _make_column(plan: SolidLayout, at: FlatPoint) -> Manifold:
    """What a screw goes into: from the floor to the plate, one with the wall."""

    def span(middle: float) -> tuple[float, float]:
        low, high = middle - s.BOSS, middle + s.BOSS
        return (-plan.case_inside - 0.1 if low < -plan.half_size else low), (
            plan.case_inside + 0.1 if high > plan.half_size else high
        )

    return make_box(span(at[0]), span(at[1]), (s.WALL - 0.1, plan.plate_z))


def _make_standoffs(plan: SolidLayout) -> list[Manifold]:
    return [upright_cylinder(at, s.STANDOFF_WIDTH, (s.WALL - 0.1, s.WALL + s.STANDOFF)) for at in plan.pi_holes]


def _wall_openings(plan: SolidLayout) -> list[Manifold]:
    middle = s.WALL + (plan.plate_z - s.LEDGE - s.WALL) / 2
    found = []
    if plan.pi_x is not None:
        wide, high = s.PI_WINDOW
        # The socket lies on the circuit board; the plug's sleeve needs room around it.
        low = s.WALL + s.STANDOFF - 2
        x = power_x(plan)
        found.append(
            make_box((x - wide / 2, x + wide / 2), (plan.case_inside - 1, plan.case_edge + 1), (low, low + high))
        )
        mid = vent_y(plan)
        found += [
            make_box(
                (x - VENT_SIZE[0] / 2, x + VENT_SIZE[0] / 2),
                (mid - VENT_SIZE[1] / 2, mid + VENT_SIZE[1] / 2),
                (-1, s.WALL + 1),
            )
            for x in _vent_xs(plan)
        ]
    if plan.has_key:
        found.append(lying_cylinder((*plan.key_point, middle), s.KEY_HOLE, s.WALL + 2, "y"))
    if plan.has_buzzer:
        x, y = plan.buzzer_point
        ring = [(0.0, 0.0), *((BUZZER_RADIUS * i, BUZZER_RADIUS * j) for i, j in _HEXAGON)]
        found += [lying_cylinder((x + dx, y, middle + dz), s.SOUND_HOLE, s.WALL + 2, "y") for dx, dz in ring]
    if plan.has_lamp_supply:
        found.append(lying_cylinder((*plan.jack_point, middle), s.JACK_HOLE, s.WALL + 2, "x"))
    return found
