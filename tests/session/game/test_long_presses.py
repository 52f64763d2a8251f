"""Long presses of buttons and of the undo key."""

from math import inf

import pytest

from pond_hw.board import KeyEvent, Touch
from pond_hw.rules import STANDARD, Action
from pond_hw.session import (
    Agreement,
    AskHint,
    BoardState,
    ClockTick,
    ConfirmationState,
    HeldFingers,
    NewGame,
    ResignGame,
    SeatsChanged,
    Session,
    TakeAction,
    UndoTurns,
)
from pond_hw.session.game.long_presses import LONG_PRESS_SECONDS
from pond_hw.session.game.session_events import OpenGameMenu, SendPhonesAway

START = Session.start_game(STANDARD)
PLAYED = START.after(TakeAction(Action.from_notation("@b2"), 0.0))
OVER = PLAYED.after(ResignGame(1.0))


def after(session, *touches):
    """Return the fingers and the session after these events."""
    fingers = HeldFingers()
    for touch in touches:
        fingers = fingers.before_step(touch, session)
        session = session.after(touch)
        fingers = fingers.after_step(touch, session)
    return fingers, session


def asks_hint(fingers, session, now):
    return fingers.after_clock(session, now)[1]


def test_undo_key_undoes_or_restarts_when_held():
    pressed, nothing = HeldFingers().after_key(KeyEvent(True, 1.0))
    assert nothing is None
    assert pressed.next_due == 1.0 + LONG_PRESS_SECONDS
    assert pressed.after_key(KeyEvent(False, 2.0)) == (HeldFingers(), UndoTurns(2.0))
    assert asks_hint(pressed, PLAYED, 2.9) == []
    held, requests = pressed.after_clock(PLAYED, 3.0)
    assert requests == [NewGame(STANDARD, 3.0)]
    assert held.after_key(KeyEvent(False, 4.0)) == (HeldFingers(), None)


def test_long_press_after_the_end_restarts_game():
    fingers, session = after(OVER, Touch("c3", True, 2.0))
    assert asks_hint(fingers, session, 3.9) == []
    assert asks_hint(fingers, session, 4.0) == [NewGame(STANDARD, 4.0)]
    assert asks_hint(fingers, session.after(UndoTurns(3.0)), 4.0) == []
    lifted, session = after(OVER, Touch("c3", True, 2.0), Touch("c3", False, 3.0))
    assert lifted == HeldFingers()
    assert lifted.next_due == inf


def test_long_press_on_refused_cell_requests_hint():
    fingers, session = after(PLAYED, Touch("b2", True, 1.0))
    assert asks_hint(fingers, session, 2.9) == []
    assert asks_hint(fingers, session, 3.0) == [AskHint(3.0)]


def test_longer_press_revokes_seats_or_opens_menu():
    assert HeldFingers().next_due == inf
    for seat_count in (None, 0, 1):
        session = PLAYED.after(SeatsChanged(seat_count, 0.5))
        fingers, session = after(session, Touch("b2", True, 1.0))
        fingers, hint = fingers.after_clock(session, 3.0)
        assert hint == [AskHint(3.0)]
        assert asks_hint(fingers, session, 6.9) == []
        assert asks_hint(fingers, session, 7.0) == [SendPhonesAway(7.0) if seat_count else OpenGameMenu(7.0)]
        assert fingers.next_due == 7.0
        lifted = fingers.after_step(Touch("b2", False, 4.0), session)
        assert asks_hint(lifted, session, 9.0) == []


@pytest.mark.parametrize(
    "meanwhile", [Touch("b2", False, 2.0), Touch("c3", True, 2.0), TakeAction(Action.from_notation("@c3"), 2.0)]
)
def test_release_or_second_finger_cancels_hint_request(meanwhile):
    fingers, session = after(PLAYED, Touch("b2", True, 1.0), meanwhile)
    assert asks_hint(fingers, session, 9.0) == []


def test_long_press_on_accepted_cell_requests_no_hint():
    assert after(START, Touch("b2", True, 1.0))[0] == HeldFingers()


def test_pieces_never_count_as_long_presses():
    session = Session.start_game(
        STANDARD, board_state=BoardState(confirmation=ConfirmationState(Agreement.IN_PLAY))
    ).after(ResignGame(0.0))
    assert after(session, Touch("b2", True, 1.0))[0] == HeldFingers()


def test_menu_opened_by_stuck_button_closes():
    opened = PLAYED.after(OpenGameMenu(10.0))
    assert (opened.game_phase, opened.next_due) == ("menu", 70.0)
    assert opened.after(ClockTick(69.0)).game_phase == "menu"
    assert opened.after(ClockTick(70.0)).game_phase == "act"
