"""Pieces to remove and to turn over."""

from pond_hw.rules import DARK, EGG, LIGHT, TADPOLE, Action, Piece, Position, play
from pond_hw.session import HandTasks, Occupancy, SensorHealth
from pond_hw.session.pieces.hand_tasks import find_scored_pieces
from pond_hw.session.pieces.odds import ODDS

EGG_BESIDE_AN_EGG = play(Position.from_notation("..../..../.e../.... l 13 12 0 0"), Action(None, "b3"))
"""An egg on b3 turns dark's egg on b2 into a tadpole."""

THREE_TADPOLES = play(Position.from_notation("..../..../TeT./.... l 7 8 4 4"), Action(None, "b1"))
"""An egg on b1 turns dark's egg between light's tadpoles into a third tadpole, and all three score."""

SCORED = find_scored_pieces([THREE_TADPOLES])


def after(turn, *, tasks=None, occupied_cells=None, sensors=None):
    occupied_cells = turn.pieces_after_develop.keys() if occupied_cells is None else occupied_cells
    return (tasks or HandTasks()).after_turns([turn], frozenset(occupied_cells), sensors or SensorHealth())


def settled(tasks, *occupied_cells, sensors=None):
    return tasks.after_settling(Occupancy(occupied_cells=frozenset(occupied_cells)), sensors or SensorHealth())


def test_developed_piece_must_be_flipped():
    tasks = after(EGG_BESIDE_AN_EGG)
    assert (dict(tasks.to_flip), tasks.cells_to_flip) == ({"b2": EGG}, {"b2"})


def test_plain_pieces_are_not_flipped():
    assert after(EGG_BESIDE_AN_EGG, tasks=HandTasks(asks_to_flip=False)).to_flip == {}


def test_lift_and_return_completes_flip():
    tasks = settled(after(EGG_BESIDE_AN_EGG), "b3")
    assert (tasks.cells_to_flip, tasks.lifted_to_flip) == ({"b2"}, {"b2"})
    assert settled(tasks, "b2", "b3").to_flip == {}
    assert settled(after(EGG_BESIDE_AN_EGG), "b2", "b3").cells_to_flip == {"b2"}  # it was not lifted


def test_undo_before_flip_cancels_flip():
    assert after(EGG_BESIDE_AN_EGG).after_position_change([EGG_BESIDE_AN_EGG], frozenset({"b2", "b3"})).to_flip == {}


def test_undo_after_flip_asks_to_flip_back():
    done = settled(settled(after(EGG_BESIDE_AN_EGG), "b3"), "b2", "b3")
    assert dict(done.after_position_change([EGG_BESIDE_AN_EGG], frozenset({"b2", "b3"})).to_flip) == {"b2": TADPOLE}


def test_new_game_clears_tasks():
    tasks = after(EGG_BESIDE_AN_EGG).after_position_change([], frozenset({"b2", "b3"}))
    assert (tasks.to_flip, tasks.to_remove) == ({}, {})


def test_scored_pieces_must_be_removed():
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


def test_scored_piece_on_blind_sensor_is_not_requested():
    bad = min(SCORED)
    tasks = after(
        THREE_TADPOLES, occupied_cells=SCORED.keys() - {bad}, sensors=SensorHealth(known_bad=frozenset({bad}))
    )
    assert tasks.to_remove.keys() == SCORED.keys() - {bad}


def test_slipped_scored_piece_is_requested_again():
    cell, landed = "b1", 10.0
    for left, is_asked_for in ((landed + ODDS.slip_seconds, True), (landed + ODDS.slip_seconds + 0.1, False)):
        times = (landed, left, left + 0.2)
        tasks = HandTasks(recently_removed={cell: Piece(LIGHT, EGG)}, action_sensed_at=landed)
        slipped = settled(tasks, cell, sensors=SensorHealth(change_times={cell: times}))
        assert (cell in slipped.to_remove) is is_asked_for
        assert (cell in slipped.recently_removed) is not is_asked_for


def test_tasks_are_compared_by_their_cells():
    assert after(THREE_TADPOLES).has_same_cells(after(THREE_TADPOLES))
    assert not after(THREE_TADPOLES).has_same_cells(HandTasks())
