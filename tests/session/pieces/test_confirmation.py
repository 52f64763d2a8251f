"""Confirmation state: interpretations, answers and gestures."""

from dataclasses import replace
from math import inf

import pytest

from pond_hw.rules import Action
from pond_hw.session import (
    Agreement,
    BoardDifference,
    ConfirmationState,
    ConfirmWindow,
    Moves,
    PendingConfirmation,
    RepairStep,
    TakeBack,
)
from pond_hw.session.pieces.confirmation import GESTURES_NEEDED, NO_GESTURES, BoardEvent, ConfirmGestures
from pond_hw.session.pieces.interpretations import (
    IN_SYNC,
    STUCK_SECONDS,
    Mismatch,
)
from pond_hw.session.pieces.sensors import NO_DIFFERENCE

EGG_ON_B2 = Action(None, "b2")
EXTRA = BoardDifference(extra=frozenset({"b2"}))
EXTRA_AND_LIFTED = BoardDifference(missing=frozenset({"a1"}), extra=frozenset({"b2"}))
MISMATCH = Mismatch(EXTRA, (RepairStep("b2", None),))
TAKE_BACK = PendingConfirmation(TakeBack(1), 3.0, other_count=1)


def interpret(interpretation, at=10.0, confirmation=None, event=None):
    return (confirmation or ConfirmationState(Agreement.IN_PLAY)).after_interpretation(interpretation, at, event)


def test_next_deadline_is_end_of_confirm_window():
    confirmation = interpret(TAKE_BACK)
    assert (confirmation.confirm_window, confirmation.next_due) == (ConfirmWindow(10.0, 13.0), 13.0)
    assert confirmation.after_movement().next_due == inf


@pytest.mark.parametrize("event", BoardEvent)
def test_event_leads_to_expected_agreement(event):
    table = {
        BoardEvent.AGREED: "IN_PLAY IN_PLAY IN_PLAY IN_PLAY IN_PLAY IN_PLAY IN_PLAY",
        BoardEvent.PIECE_IN_HAND: "IN_PLAY IN_PLAY IN_PLAY IN_PLAY FOLLOWING FOLLOWING UNVERIFIED",
        BoardEvent.PIECE_MISPLACED: "DISTURBED DISTURBED DISTURBED ACCIDENT BEHIND BEHIND UNVERIFIED",
        BoardEvent.MUCH_MISPLACED: "ACCIDENT ACCIDENT ACCIDENT ACCIDENT BEHIND BEHIND UNVERIFIED",
        BoardEvent.TURN_BY_HAND: "TURN_TAKEN TURN_TAKEN TURN_TAKEN TURN_TAKEN TURN_TAKEN TURN_TAKEN TURN_TAKEN",
        BoardEvent.PROGRAM_TURN: "FOLLOWING FOLLOWING BEHIND BEHIND FOLLOWING BEHIND UNVERIFIED",
        BoardEvent.GAME_REPLACED: "UNVERIFIED UNVERIFIED UNVERIFIED UNVERIFIED UNVERIFIED UNVERIFIED UNVERIFIED",
        BoardEvent.SENSORS_STARTED: "BEHIND BEHIND BEHIND BEHIND BEHIND BEHIND UNVERIFIED",
    }
    assert " ".join(state.after(event).name for state in Agreement) == table[event]


def test_repeated_interpretation_keeps_its_start_time():
    confirmation = interpret(MISMATCH, 20.0, interpret(MISMATCH, 10.0))
    assert (confirmation.interpreted_since, confirmation.interpreted_at) == (10.0, 20.0)
    assert interpret(IN_SYNC, 30.0, confirmation).interpreted_since == 30.0


def test_extra_piece_is_tolerated_for_limited_time():
    assert interpret(MISMATCH).next_due == 10.0 + STUCK_SECONDS
    assert interpret(replace(MISMATCH, repair_steps=(RepairStep(None, "a1"),))).next_due == inf
    assert interpret(IN_SYNC).next_due == inf


def make_gesture(confirmation, count):
    for _ in range(count):
        confirmation = confirmation.after_settling(EXTRA_AND_LIFTED).after_settling(EXTRA)
    return confirmation


def test_gesture_counts_while_question_is_open():
    asking = interpret(MISMATCH).after_settling(EXTRA)
    assert make_gesture(asking, 2).confirm_gestures == (EXTRA, 2, 0)
    assert make_gesture(interpret(IN_SYNC).after_settling(EXTRA), 2).confirm_gestures == NO_GESTURES


def test_other_change_resets_gestures():
    assert (
        make_gesture(interpret(MISMATCH).after_settling(EXTRA), 2).after_settling(NO_DIFFERENCE).confirm_gestures
        == NO_GESTURES
    )


def test_repeats_of_a_difference_are_counted():
    confirmation = ConfirmationState().after_settling(EXTRA)
    assert confirmation.after_settling(EXTRA) is confirmation
    assert confirmation.visit_count(EXTRA) == confirmation.visit_count(EXTRA_AND_LIFTED) == 1
    assert make_gesture(confirmation, GESTURES_NEEDED).visit_count(EXTRA) == 1 + GESTURES_NEEDED


def test_nothing_is_asked_after_last_question():
    questioned = interpret(PendingConfirmation(Moves((EGG_ON_B2,)), 3.0, other_count=1, needs_gesture=True))
    assert questioned.after_question().confirm_gestures.unanswered_count == 1
    last = replace(questioned, confirm_gestures=ConfirmGestures(EXTRA, 2, 1)).after_question()
    assert (last.confirm_gestures, last.is_interpreted) == (NO_GESTURES, False)


def test_turn_clears_answers():
    answered = make_gesture(interpret(MISMATCH, event=BoardEvent.MUCH_MISPLACED).after_settling(EXTRA), 2)
    fresh = answered.after_game_change(BoardEvent.TURN_BY_HAND)
    assert (fresh.confirm_gestures, fresh.visit_counts, fresh.interpretation) == (NO_GESTURES, {}, IN_SYNC)
    assert fresh.agreement is Agreement.TURN_TAKEN


def test_putting_piece_back_denies_announcement():
    lifted = ConfirmationState().with_answer("b2", False, (EGG_ON_B2,), is_new=False)
    assert lifted.find_denied_actions("b2") == (EGG_ON_B2,)
    denied = lifted.with_answer("b2", True, (), is_new=False)
    assert denied.has_denied
    assert denied.with_answer("a1", False, (), is_new=True).has_denied
    assert not denied.with_answer("c3", True, (), is_new=True).has_denied


def test_early_lift_does_not_count_as_answer():
    announced = interpret(PendingConfirmation(Moves((EGG_ON_B2,)), 3.0), at=10.0)
    assert announced.find_announced_actions(10.3) == ()
    assert announced.find_announced_actions(10.4) == (EGG_ON_B2,)


def test_piece_is_requested_only_after_misplacement():
    missing = replace(MISMATCH, repair_steps=(RepairStep("b2", "a1"),))
    misplaced = interpret(missing, event=BoardEvent.PIECE_MISPLACED)
    assert misplaced.asks_for("a1", {"c3"})
    assert not misplaced.asks_for("a1", {"b2"})  # its piece has not been lifted yet, so this is another one
    assert not misplaced.asks_for("b2", {"c3"})
    assert not interpret(missing).asks_for("a1", {"c3"})
