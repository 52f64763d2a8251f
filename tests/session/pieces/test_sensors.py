"""Occupancy, known owners and sensor health."""

from math import inf

import pytest

from pond_hw.rules import DARK, LIGHT, Position
from pond_hw.session import BoardDifference, Occupancy, SensorHealth
from pond_hw.session.pieces.sensors import (
    FLICKER_COUNT,
    FLICKER_SECONDS,
    NO_DIFFERENCE,
    RECENTLY_BAD_SECONDS,
    TRUST_AGAIN_SECONDS,
    WAKEUP_SECONDS,
)


def test_occupied_cells_follow_changes():
    occupancy = Occupancy().after_change("a1", True, None).after_change("b2", True, None)
    assert occupancy.occupied_cells == {"a1", "b2"}
    assert occupancy.after_change("a1", False, None).occupied_cells == {"b2"}


def test_sensed_owner_is_known_while_piece_stays():
    occupancy = Occupancy().after_change("a1", True, DARK).after_change("b2", True, None)
    assert [occupancy.may_belong_to("a1", side) for side in (LIGHT, DARK)] == [False, True]
    assert all(occupancy.may_belong_to("b2", side) for side in (LIGHT, DARK))
    assert occupancy.after_change("a1", False, None).sensed_owners == {}


def test_moved_piece_loses_known_owner():
    occupancy = Occupancy(known_owners={"a1": LIGHT, "b2": DARK})
    assert occupancy.after_change("a1", False, None).known_owners == {"b2": DARK}


def test_board_settles_after_settle_time():
    assert Occupancy(settle_seconds=0.4).after_movement(10.0).settles_at == 10.4


def test_wake_up_grants_grace_period():
    assert Occupancy(settle_seconds=0.25).after_wakeup(10.0).settles_at == 10.0 + WAKEUP_SECONDS


def test_single_cell_difference_is_recognised():
    one, two = frozenset({"a1"}), frozenset({"a1", "b2"})
    assert BoardDifference(missing=one).is_single_cell
    assert BoardDifference(extra=one).is_single_cell
    assert not BoardDifference(one, frozenset({"b2"})).is_single_cell
    assert not BoardDifference(missing=two).is_single_cell
    assert not BoardDifference(extra=one, wrong_owner=frozenset({"b2"})).is_single_cell
    assert not NO_DIFFERENCE.is_single_cell


EGG_ON_B2 = Position.from_notation("..../..../.E../.... d 12 13 0 0")


def change(sensors, cell, *instants):
    for instant in instants:
        sensors = sensors.after_change(cell, instant)
    return sensors


def flicker(sensors=None, cell="b2", every=0.1, count=FLICKER_COUNT):
    return change(sensors or SensorHealth(), cell, *(every * number for number in range(count)))


def test_last_change_is_minus_infinity_if_unchanged():
    assert SensorHealth().last_change("a1") == -inf
    assert change(SensorHealth(), "a1", 3.0, 5.0).last_change("a1") == 5.0


def test_change_times_are_limited():
    assert len(flicker(count=3 * FLICKER_COUNT).change_times["b2"]) == FLICKER_COUNT


def test_flickering_sensor_is_masked():
    assert flicker(count=FLICKER_COUNT - 1).masked_cells == frozenset()
    assert flicker().masked_cells == {"b2"}
    assert flicker(every=FLICKER_SECONDS / (FLICKER_COUNT - 1) + 0.01).masked_cells == frozenset()


def test_change_after_calm_period_restores_trust():
    sensors = flicker()
    calm = change(sensors, "b2", 100.0)
    assert (calm.masked_cells, calm.trusted_again_at) == (frozenset(), {"b2": 100.0})
    assert calm.was_recently_bad("b2")
    assert change(calm, "b2", 100.0 + RECENTLY_BAD_SECONDS).was_recently_bad("b2")
    assert not change(calm, "b2", 100.1 + RECENTLY_BAD_SECONDS).was_recently_bad("b2")
    assert not calm.was_recently_bad("a1")


def test_known_bad_sensor_stays_masked():
    sensors = SensorHealth().with_known("b2", is_bad=True)
    assert change(flicker(sensors), "b2", 100.0).masked_cells == {"b2"}
    assert flicker(sensors).suspected_bad == frozenset()


def test_unmasking_clears_suspicion():
    assert flicker().with_known("b2", is_bad=False).masked_cells == frozenset()


@pytest.mark.parametrize(("occupied_cells", "agrees"), [({"b2"}, True), (set(), False)])
def test_suspected_sensor_heals_after_agreement(occupied_cells, agrees):
    sensors = flicker()
    due = sensors.last_change("b2") + TRUST_AGAIN_SECONDS
    assert sensors.healing_instants(EGG_ON_B2, occupied_cells) == ({"b2": due} if agrees else {})
    assert sensors.after_healing(EGG_ON_B2, occupied_cells, due - 0.001) is sensors
    assert sensors.after_healing(EGG_ON_B2, occupied_cells, due).masked_cells == (set() if agrees else {"b2"})


def test_unchanged_suspected_sensor_does_not_heal():
    assert SensorHealth().with_suspects({"b2"}).healing_instants(EGG_ON_B2, {"b2"}) == {}
