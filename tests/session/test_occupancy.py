"""What the sensors detect, whose it is, and when it has been stable for long enough."""

from pond_hw.rules import DARK, LIGHT
from pond_hw.session import BoardDifference, Occupancy
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, WAKEUP_SECONDS


def test_pieces_come_and_go():
    occupancy = Occupancy().after_change("a1", True, None).after_change("b2", True, None)
    assert occupancy.occupied_cells == {"a1", "b2"}
    assert occupancy.after_change("a1", False, None).occupied_cells == {"b2"}


def test_an_owner_is_known_while_the_piece_stands_and_can_be_anybody_where_sensors_cannot_tell():
    occupancy = Occupancy().after_change("a1", True, DARK).after_change("b2", True, None)
    assert [occupancy.may_belong_to("a1", side) for side in (LIGHT, DARK)] == [False, True]
    assert all(occupancy.may_belong_to("b2", side) for side in (LIGHT, DARK))
    assert occupancy.after_change("a1", False, None).sensed_owners == {}


def test_what_moves_loses_the_owner_that_was_known_from_the_game():
    occupancy = Occupancy(known_owners={"a1": LIGHT, "b2": DARK})
    assert occupancy.after_change("a1", False, None).known_owners == {"b2": DARK}


def test_it_is_settled_when_nothing_has_moved_for_the_settle_time():
    assert Occupancy(settle_seconds=0.4).after_movement(10.0).settles_at == 10.4


def test_sensors_that_wake_up_get_time_to_detect_what_stands_there():
    assert Occupancy(settle_seconds=0.25).after_wakeup(10.0).settles_at == 10.0 + WAKEUP_SECONDS


def test_one_cell_or_more():
    one, two = frozenset({"a1"}), frozenset({"a1", "b2"})
    assert BoardDifference(missing=one).is_single_cell
    assert BoardDifference(extra=one).is_single_cell
    assert not BoardDifference(one, frozenset({"b2"})).is_single_cell
    assert not BoardDifference(missing=two).is_single_cell
    assert not BoardDifference(extra=one, wrong_owner=frozenset({"b2"})).is_single_cell
    assert not NO_DIFFERENCE.is_single_cell
