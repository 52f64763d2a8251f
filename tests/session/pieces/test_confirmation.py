"""What the board understood last, and what hands answer."""

from dataclasses import replace
from math import inf

import pytest

from pond_hw.rules import Action
from pond_hw.session import (
    BoardDifference,
    ConfirmationState,
    ConfirmWindow,
    Moves,
    PendingConfirmation,
    RepairStep,
    TakeBack,
)
from pond_hw.session.pieces.confirmation import GESTURES_NEEDED, NO_GESTURES, SECOND_TURN_SECONDS
from pond_hw.session.pieces.interpretations import (
    IN_SYNC,
    OFFERED_STUCK_SECONDS,
    STUCK_SECONDS,
    CertainMoves,
    Mismatch,
    PieceInHand,
)
from pond_hw.session.pieces.sensors import NO_DIFFERENCE

EGG_ON_B2 = Action(None, "b2")
EXTRA = BoardDifference(extra=frozenset({"b2"}))
EXTRA_AND_LIFTED = BoardDifference(missing=frozenset({"a1"}), extra=frozenset({"b2"}))
MISMATCH = Mismatch(EXTRA, (RepairStep("b2", None),))
TAKE_BACK = PendingConfirmation(TakeBack(1), 3.0, other_count=1)


def heard(reading, at=10.0, confirmation=None, *, is_accident=False):
    return (confirmation or ConfirmationState(was_in_sync=True)).after_interpretation(
        reading, at, is_accident=is_accident, has_put_down=isinstance(reading, Mismatch)
    )


def test_what_is_announced_counts_when_its_window_is_over():
    confirmation = heard(TAKE_BACK)
    assert (confirmation.confirm_window, confirmation.next_due) == (ConfirmWindow(10.0, 13.0), 13.0)
    assert [confirmation.is_confirmed(now) for now in (12.999, 13.0)] == [False, True]
    assert not confirmation.after_movement().is_confirmed(13.0)
    assert not heard(MISMATCH).is_confirmed(inf)


@pytest.mark.parametrize(
    ("reading", "stays"),
    [
        (IN_SYNC, True),
        (PieceInHand("a1"), True),
        (CertainMoves(Moves((EGG_ON_B2,)), is_only_meaning=False), True),
        (MISMATCH, False),
        (replace(MISMATCH, half_done_action=EGG_ON_B2), True),
        (PendingConfirmation(Moves((EGG_ON_B2,)), inf, cells_to_return=("a1",)), True),
    ],
)
def test_actions_count_until_board_and_game_differ(reading, stays):
    assert heard(reading).was_in_sync is stays


def test_only_rest_and_a_piece_in_a_hand_bring_board_and_game_together_again():
    for reading, is_in_sync in ((IN_SYNC, True), (PieceInHand("a1"), True), (TAKE_BACK, False)):
        assert heard(reading, confirmation=ConfirmationState(was_in_sync=False)).was_in_sync is is_in_sync


def test_the_same_interpretation_lasts_since_it_came_up():
    confirmation = heard(MISMATCH, 20.0, heard(MISMATCH, 10.0))
    assert (confirmation.interpreted_since, confirmation.interpreted_at) == (10.0, 20.0)
    assert heard(IN_SYNC, 30.0, confirmation).interpreted_since == 30.0


def test_patience_with_a_piece_that_nobody_removes_ends():
    assert heard(MISMATCH).patient_until == 10.0 + STUCK_SECONDS
    assert heard(replace(MISMATCH, offered_action=EGG_ON_B2)).patient_until == 10.0 + OFFERED_STUCK_SECONDS
    assert heard(replace(MISMATCH, repair_steps=(RepairStep(None, "a1"),))).next_due == inf
    assert heard(IN_SYNC).next_due == inf


def test_the_second_of_two_quick_turns_has_little_time():
    half_done = heard(replace(MISMATCH, half_done_action=EGG_ON_B2))
    assert half_done.second_turn_until == half_done.next_due == 10.0 + SECOND_TURN_SECONDS
    assert replace(half_done, was_in_sync=False).second_turn_until == inf


def test_an_accident_is_over_when_all_is_in_sync():
    accident = heard(MISMATCH, is_accident=True)
    assert accident.suspected_accident
    assert heard(MISMATCH, confirmation=accident).suspected_accident
    assert not heard(IN_SYNC, confirmation=accident).suspected_accident


def nod(confirmation, count):
    for _ in range(count):
        confirmation = confirmation.after_settling(EXTRA_AND_LIFTED).after_settling(EXTRA)
    return confirmation


def test_lifting_a_piece_and_putting_it_back_is_a_gesture_while_the_board_asks():
    asking = heard(MISMATCH).after_settling(EXTRA)
    assert nod(asking, 2).confirm_gestures == (EXTRA, 2)
    assert nod(heard(IN_SYNC).after_settling(EXTRA), 2).confirm_gestures == NO_GESTURES


def test_another_change_ends_the_gestures():
    assert nod(heard(MISMATCH).after_settling(EXTRA), 2).after_settling(NO_DIFFERENCE).confirm_gestures == NO_GESTURES


def test_each_time_a_difference_comes_up_is_counted():
    confirmation = ConfirmationState().after_settling(EXTRA)
    assert confirmation.after_settling(EXTRA) is confirmation
    assert confirmation.visit_count(EXTRA) == confirmation.visit_count(EXTRA_AND_LIFTED) == 1
    assert nod(confirmation, GESTURES_NEEDED).visit_count(EXTRA) == 1 + GESTURES_NEEDED


def test_after_the_last_question_nothing_is_asked_any_more():
    asked = heard(PendingConfirmation(Moves((EGG_ON_B2,)), 3.0, other_count=1, needs_gesture=True))
    assert asked.after_question().unanswered_questions == 1
    gestures = nod(heard(MISMATCH).after_settling(EXTRA), 2).confirm_gestures
    last = replace(asked, unanswered_questions=1, confirm_gestures=gestures).after_question()
    assert (last.unanswered_questions, last.confirm_gestures, last.is_interpreted) == (0, NO_GESTURES, False)


def test_a_turn_makes_all_answers_void():
    answered = replace(nod(heard(MISMATCH, is_accident=True).after_settling(EXTRA), 2), take_back_declined=True)
    fresh = answered.after_game_change(is_in_sync=True)
    assert (fresh.confirm_gestures, fresh.visit_counts, fresh.interpretation) == (NO_GESTURES, {}, IN_SYNC)
    assert (fresh.suspected_accident, fresh.take_back_declined, fresh.was_in_sync) == (False, False, True)
