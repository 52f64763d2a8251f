"""What is left to do by hand after turns, and when it is done."""

from pond_hw.rules import DARK, EGG, LIGHT, TADPOLE, Action, Piece, Position, play
from pond_hw.session import HandTasks, Occupancy, SensorHealth
from pond_hw.session.pieces.hand_tasks import find_scored_pieces
from pond_hw.session.pieces.odds import ODDS

EGG_BESIDE_AN_EGG = play(Position.from_notation("..../..../.e../.... l 13 12 0 0"), Action(None, "b3"))
"""An egg on b3 makes dark's egg on b2 a tadpole."""

THREE_TADPOLES = play(Position.from_notation("..../..../TeT./.... l 7 8 4 4"), Action(None, "b1"))
"""An egg on b1 turns dark's egg between light's tadpoles into a third one: all three score."""

SCORED = find_scored_pieces([THREE_TADPOLES])


def after(turn, *, tasks=None, occupied_cells=None, sensors=None):
    occupied_cells = turn.pieces_after_develop.keys() if occupied_cells is None else occupied_cells
    return (tasks or HandTasks()).after_turns([turn], frozenset(occupied_cells), sensors or SensorHealth())


def settled(tasks, *occupied_cells, sensors=None):
    return tasks.after_settling(Occupancy(occupied_cells=frozenset(occupied_cells)), sensors or SensorHealth())


def test_a_piece_that_developed_has_to_be_turned_over():
    tasks = after(EGG_BESIDE_AN_EGG)
    assert (dict(tasks.to_flip), tasks.cells_to_flip) == ({"b2": EGG}, {"b2"})


def test_pieces_without_faces_are_not_turned_over():
    assert after(EGG_BESIDE_AN_EGG, tasks=HandTasks(asks_to_flip=False)).to_flip == {}


def test_a_piece_is_turned_over_once_it_was_lifted_and_put_back():
    tasks = settled(after(EGG_BESIDE_AN_EGG), "b3")
    assert (tasks.cells_to_flip, tasks.lifted_to_flip) == ({"b2"}, {"b2"})
    assert settled(tasks, "b2", "b3").to_flip == {}
    assert settled(after(EGG_BESIDE_AN_EGG), "b2", "b3").cells_to_flip == {"b2"}  # nobody has lifted it


def test_a_turn_that_is_taken_back_leaves_nothing_to_turn_over_if_nothing_was_turned():
    assert after(EGG_BESIDE_AN_EGG).after_position_change([EGG_BESIDE_AN_EGG], frozenset({"b2", "b3"})).to_flip == {}


def test_a_turn_that_is_taken_back_asks_to_turn_back_what_was_turned():
    done = settled(settled(after(EGG_BESIDE_AN_EGG), "b3"), "b2", "b3")
    assert dict(done.after_position_change([EGG_BESIDE_AN_EGG], frozenset({"b2", "b3"})).to_flip) == {"b2": TADPOLE}


def test_a_new_game_leaves_nothing_to_do():
    tasks = after(EGG_BESIDE_AN_EGG).after_position_change([], frozenset({"b2", "b3"}))
    assert (tasks.to_flip, tasks.to_remove) == ({}, {})


def test_scored_pieces_are_to_be_removed_and_are_done_when_they_are_gone():
    tasks = after(THREE_TADPOLES)
    assert (
        tasks.to_remove
        == SCORED
        == {"a2": Piece(LIGHT, TADPOLE), "b2": Piece(DARK, TADPOLE), "c2": Piece(LIGHT, TADPOLE)}
    )
    first, *others = sorted(SCORED)
    one_gone = settled(tasks, *others)
    assert sorted(one_gone.to_remove) == others
    assert one_gone.recently_removed == {first: SCORED[first]}


def test_what_stands_on_a_bad_sensor_that_detects_nothing_is_not_asked_for():
    bad = min(SCORED)
    tasks = after(
        THREE_TADPOLES, occupied_cells=SCORED.keys() - {bad}, sensors=SensorHealth(known_bad=frozenset({bad}))
    )
    assert tasks.to_remove.keys() == SCORED.keys() - {bad}


def test_a_scored_piece_that_only_slipped_its_sensor_is_asked_for_again():
    cell, landed = "b1", 10.0
    for left, is_asked_for in ((landed + ODDS.slip_seconds, True), (landed + ODDS.slip_seconds + 0.1, False)):
        times = (landed, left, left + 0.2)
        tasks = HandTasks(recently_removed={cell: Piece(LIGHT, EGG)}, action_sensed_at=landed)
        slipped = settled(tasks, cell, sensors=SensorHealth(change_times={cell: times}))
        assert (cell in slipped.to_remove) is is_asked_for
        assert (cell in slipped.recently_removed) is not is_asked_for


def test_the_same_work_is_on_the_same_cells():
    assert after(THREE_TADPOLES).is_same_work(after(THREE_TADPOLES))
    assert not after(THREE_TADPOLES).is_same_work(HandTasks())
