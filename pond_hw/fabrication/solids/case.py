"""The case: floor, walls, and what carries the Pi and the sensor plate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.shapes import bore, box, frustum, rod, rounded, square, union, without

if TYPE_CHECKING:
    from manifold3d import Manifold

    from pond_hw.fabrication.solids.layout import Plan, Spot

CORNER = 3.0
"""Radius of the case's and the lid's upright edges."""
BUZZER = 4.0
"""From the middle of the buzzer's holes to the outer ones."""
_SIXTH = ((1.0, 0.0), (0.5, 0.75**0.5), (-0.5, 0.75**0.5), (-1.0, 0.0), (-0.5, -(0.75**0.5)), (0.5, -(0.75**0.5)))
"""The corners of a hexagon."""
VENTS = (-12.0, -6.0, 0.0, 6.0, 12.0)
VENT = (3.0, 36.0)
"""Slots in the floor under the Pi, for air: the case stands on rubber feet."""


def case(plan: Plan) -> Manifold:
    """The case as it stands on the table, open at the top."""
    tub = rounded(plan.edge, CORNER, (0, plan.lid_z))
    room = square(2 * plan.inside, (s.WALL, plan.lid_z + 1))
    inner = [_ledge(plan), *(_column(plan, at) for at in plan.screws), *_standoffs(plan)]
    if plan.pillar:
        inner.append(rod(plan.pillar, s.STANDOFF_WIDTH, (s.WALL - 0.1, plan.plate_z)))
    inserts = (rod(at, s.INSERT, (plan.plate_z - s.INSERT_DEPTH, plan.plate_z + 1)) for at in plan.screws)
    pilots = (rod(at, s.STANDOFF_HOLE, (s.WALL, s.WALL + s.STANDOFF + 1)) for at in plan.pi_holes)
    return without(union([without(tub, [room]), *inner]), [*inserts, *pilots, *_openings(plan)])


def case_holes(plan: Plan) -> tuple[Spot, ...]:
    """Where the case is open: x and y of each hole through a wall or the floor."""
    wall = plan.edge - s.WALL / 2
    found: list[Spot] = []
    if plan.pi_x is not None:
        found += [(power_x(plan), wall), *((x, vent_y(plan)) for x in _vent_xs(plan))]
    if plan.key:
        found.append(plan.key_at)
    if plan.buzzer:
        found += [plan.buzzer_at] * 7
    if plan.own:
        found.append(plan.jack_at)
    return tuple(found)


def power_x(plan: Plan) -> float:
    """Middle of the hole for the Pi's plug. The Pi has its SD card to the right."""
    assert plan.pi_x is not None, "fits() says that there is no room for a Pi"
    return plan.pi_x + s.PI[0] - s.PI_POWER


def vent_y(plan: Plan) -> float:
    """Middle of the slots in the floor."""
    return plan.pi_y + s.PI[1] / 2


def _vent_xs(plan: Plan) -> list[float]:
    assert plan.pi_x is not None
    mid = plan.pi_x + s.PI[0] - s.PI_HOLE - s.PI_HOLES[0] / 2
    return [mid + x for x in VENTS]


def _ledge(plan: Plan) -> Manifold:
    """A rim for the plate all round, its underside at 45 degrees so that it prints in the air."""
    low, high = plan.plate_z - s.LEDGE, plan.plate_z
    ring = square(2 * plan.inside + 0.2, (low, high))
    cut = frustum(2 * plan.inside, 2 * (plan.inside - s.LEDGE), (low, high))
    over = square(2 * (plan.inside - s.LEDGE), (high - 0.01, high + 1))
    return without(ring, [cut, over])


def _column(plan: Plan, at: Spot) -> Manifold:
    """What a screw goes into: from the floor to the plate, one with the wall."""

    def span(middle: float) -> tuple[float, float]:
        low, high = middle - s.BOSS, middle + s.BOSS
        return (-plan.inside - 0.1 if low < -plan.half else low), (plan.inside + 0.1 if high > plan.half else high)

    return box(span(at[0]), span(at[1]), (s.WALL - 0.1, plan.plate_z))


def _standoffs(plan: Plan) -> list[Manifold]:
    return [rod(at, s.STANDOFF_WIDTH, (s.WALL - 0.1, s.WALL + s.STANDOFF)) for at in plan.pi_holes]


def _openings(plan: Plan) -> list[Manifold]:
    middle = s.WALL + (plan.plate_z - s.LEDGE - s.WALL) / 2
    found = []
    if plan.pi_x is not None:
        wide, high = s.PI_WINDOW
        # The socket lies on the circuit board; the plug's sleeve needs room around it.
        low = s.WALL + s.STANDOFF - 2
        x = power_x(plan)
        found.append(box((x - wide / 2, x + wide / 2), (plan.inside - 1, plan.edge + 1), (low, low + high)))
        mid = vent_y(plan)
        found += [
            box((x - VENT[0] / 2, x + VENT[0] / 2), (mid - VENT[1] / 2, mid + VENT[1] / 2), (-1, s.WALL + 1))
            for x in _vent_xs(plan)
        ]
    if plan.key:
        found.append(bore((*plan.key_at, middle), s.KEY_HOLE, s.WALL + 2, "y"))
    if plan.buzzer:
        x, y = plan.buzzer_at
        ring = [(0.0, 0.0), *((BUZZER * i, BUZZER * j) for i, j in _SIXTH)]
        found += [bore((x + dx, y, middle + dz), s.SOUND_HOLE, s.WALL + 2, "y") for dx, dz in ring]
    if plan.own:
        found.append(bore((*plan.jack_at, middle), s.JACK_HOLE, s.WALL + 2, "x"))
    return found
