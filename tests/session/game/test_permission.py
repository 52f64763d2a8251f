"""Requests from phones, answered at the board."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import LIGHT, STANDARD, Action, Position
from pond_hw.session import (
    PERMISSION_SECONDS,
    AskPermission,
    CellRole,
    ClockTick,
    NewGame,
    PhoneSign,
    SeatsChanged,
    Session,
    SignColour,
    TakeAction,
    TroubleChanged,
    WithdrawRequest,
)
from pond_hw.session.game.permission import MAX_TAP_SECONDS, UNSEEN_SECONDS
from tests.messages.says import text
from tests.session.tables import ButtonTable, PiecesTable, board_rows

FOUR = ("a1", "c3", "b2", "d4")
GREEN_27 = PhoneSign(SignColour.GREEN, 27)
FOR_LIGHT = Message("permission.seat", side="light")


def ask(session, cells=FOUR, instant=10.0, number=1):
    return session.after(AskPermission(FOR_LIGHT, cells, instant, number, GREEN_27))


@pytest.fixture
def table():
    table = ButtonTable()
    table.play("@a1 @b1")
    table.session, table.time = ask(table.session), 10.0
    return table


def test_four_presses_grant_request_without_changing_game(table):
    before = table.session.position
    for pressed, cell in enumerate(FOUR):
        view = table.session.view
        assert (view.permission.cell, view.permission.pressed_count, view.permission.cell_count) == (cell, pressed, 4)
        assert view.scene.asked_cell == cell
        assert "A phone asks to play for Light. It shows a green 27." in text(*view.messages)
        assert view.scene.asked_colour is SignColour.GREEN
        assert not table.session.granted_number
        table.press(cell)
    assert (table.session.permission, table.session.granted_number) == (None, 1)
    assert table.session.view.permission is None
    assert table.session.position == before
    assert "Light" in text(*table.session.view.messages)


def test_continuing_play_refuses_request(table):
    table.press("c2")
    assert (table.session.permission, table.session.granted_number) == (None, 0)
    assert str(table.session.turns[-1].action) == "@c2"


def test_wrong_press_refuses_request_without_a_move(table):
    turns = len(table.session.turns)
    table.press("a1", "c2")
    assert (table.session.permission, table.session.granted_number) == (None, 0)
    assert len(table.session.turns) == turns


def test_press_just_after_request_counts_as_action():
    session = ask(Session.start_game(STANDARD), ("b2",), 10.0).after(Touch("b2", True, 10.0 + UNSEEN_SECONDS - 0.1))
    assert (session.permission, session.granted_number, board_rows(session.position)) == (
        None,
        0,
        "..../..../.E../....",
    )


def test_request_expires_after_a_minute(table):
    assert table.session.next_due == 10.0 + PERMISSION_SECONDS
    assert table.session.after(ClockTick(table.session.next_due - 1)).permission
    over = table.session.after(ClockTick(table.session.next_due))
    assert (over.permission, over.granted_number) == (None, 0)


def test_only_requester_can_withdraw_request(table):
    assert table.session.after(WithdrawRequest(2, 11.0)) is table.session
    assert table.session.after(WithdrawRequest(1, 11.0)).permission is None


def test_second_request_is_ignored(table):
    assert ask(table.session, ("b3",), 12.0, number=2) is table.session


def test_game_continues_during_request(table):
    table.play("@d1")
    assert table.session.permission
    table.press(*FOUR)
    assert table.session.granted_number == 1


def test_single_cell_request_needs_one_press():
    session = ask(Session.start_game(STANDARD), ("b2",))
    assert "press the cell that lights up" in text(*session.view.messages)
    allowed = session.after(Touch("b2", True, 12.0))
    assert (allowed.granted_number, allowed.turns) == (1, ())
    refused = session.after(Touch("c3", True, 12.0))
    assert (refused.granted_number, len(refused.turns)) == (0, 1)


def test_request_survives_new_game(table):
    table.send(NewGame, variant=STANDARD)
    assert table.session.permission
    table.press(*FOUR)
    table.send(NewGame, variant=STANDARD)
    assert table.session.granted_number == 1


def test_touch_during_trouble_is_not_an_answer(table):
    trouble = table.session.after(TroubleChanged(Message("text", text="A wire is off."), 11.0))
    touched = trouble.after(Touch("a1", True, 12.0))
    assert touched.view.permission is None
    assert touched.permission.pressed_count == 0
    better = touched.after(TroubleChanged(None, 13.0))
    assert better.view.permission.cell == "a1"


def test_late_action_does_not_count_for_other_side():
    session = Session.start_game(STANDARD)
    played = session.after(TakeAction(Action.from_notation("@b2"), 1.0, LIGHT))
    late = played.after(TakeAction(Action.from_notation("@c2"), 2.0, LIGHT))
    assert late.turns == played.turns
    assert text(*late.messages) == "It isn't Light's turn."


# With pieces

MIDDLE = Position.from_notation("..../.e../.T../.... l 12 12 0 0")


def tap(table, cell, seconds=0.6):
    """Lift the piece and put it back, or put one on the empty cell and take it off."""
    lift_first = cell in table.session.position.pieces
    for down in (not lift_first, lift_first):
        table.session = table.session.after(Touch(cell, down, table.time))
        table.wait(seconds)


@pytest.fixture
def pieces_table():
    table = PiecesTable.at(MIDDLE)
    table.session = ask(table.session, FOUR, table.time)
    return table.wait(1.0)


def test_taps_grant_request_with_and_without_piece(pieces_table):
    for cell in FOUR:
        assert pieces_table.session.view.permission.cell == cell
        tap(pieces_table, cell)
    assert (pieces_table.session.permission, pieces_table.session.granted_number) == (None, 1)
    pieces_table.wait(10)
    assert (pieces_table.session.game_phase, pieces_table.session.turns) == ("act", ())


def test_egg_left_on_lit_cell_counts_as_action(pieces_table):
    pieces_table.session = pieces_table.session.after(Touch("a1", True, pieces_table.time))
    pieces_table.wait(MAX_TAP_SECONDS + 1)
    assert (pieces_table.session.permission, pieces_table.session.granted_number) == (None, 0)
    assert [str(turn.action) for turn in pieces_table.session.turns] == ["@a1"]


def test_move_from_lit_cell_counts():
    table = PiecesTable.at(MIDDLE)
    table.session = ask(table.session, ("b2",), table.time)
    table.wait(1.0)
    for cell, down in (("b2", False), ("c2", True)):
        table.session = table.session.after(Touch(cell, down, table.time))
        table.wait(0.6)
    table.wait(10)
    assert (table.session.permission, table.session.granted_number) == (None, 0)
    assert [str(turn.action) for turn in table.session.turns] == ["b2c2"]


def test_flickering_sensor_does_not_count_as_tap(pieces_table):
    for down in (True, False):
        pieces_table.session = pieces_table.session.after(Touch("a1", down, pieces_table.time))
        pieces_table.wait(0.05)
    assert pieces_table.session.view.permission.pressed_count == 0


def test_masked_sensor_does_not_answer_request():
    table = PiecesTable.at(MIDDLE, known_bad=frozenset({"d1"}))
    table.session = ask(table.session, ("a1",), table.time)
    table.wait(1.0)
    table.session = table.session.after(Touch("d1", True, table.time))
    assert table.session.permission
    assert table.session.board_state.occupancy.occupied_cells >= {"d1"}


def test_last_menu_cell_revokes_all_seats():
    table = PiecesTable.at(MIDDLE)
    table.session = table.session.after(SeatsChanged(1, table.time))
    for cell in MIDDLE.pieces:
        table.session = table.session.after(Touch(cell, False, table.time))
    table.wait(10)
    assert table.session.game_phase == "menu"
    assert "To send all phones away, put a piece on d4" in text(*table.session.messages)
    assert table.session.view.scene.cell_views["d4"].role is CellRole.CHOICE
    table.session = table.session.after(Touch("d4", True, table.time))
    table.wait(1)
    assert "Take the piece off d4 again to send all phones away." in text(*table.session.messages)
    assert table.session.revocation_count == 0
    table.session = table.session.after(Touch("d4", False, table.time))
    table.wait(1)
    assert table.session.revocation_count == 1
    assert table.session.position == MIDDLE
    table.session = table.session.after(SeatsChanged(None, table.time))
    for cell in MIDDLE.pieces:
        table.session = table.session.after(Touch(cell, True, table.time))
        table.wait(0.6)
    table.wait(5)
    assert (table.session.game_phase, table.session.position) == ("act", MIDDLE)


def test_menu_without_seats_lets_phones_ask_again():
    table = PiecesTable.at(MIDDLE)
    table.session = table.session.after(SeatsChanged(0, table.time))
    for cell in MIDDLE.pieces:
        table.session = table.session.after(Touch(cell, False, table.time))
    table.wait(10)
    for down in (True, False):
        table.session = table.session.after(Touch("d4", down, table.time))
        table.wait(1)
    assert table.session.revocation_count == 1
    assert "Any of them may ask again" in text(*table.session.messages)


def test_last_menu_cell_closes_menu_without_phones():
    table = PiecesTable.at(MIDDLE)
    for cell in MIDDLE.pieces:
        table.session = table.session.after(Touch(cell, False, table.time))
    table.wait(10)
    assert "phones" not in text(*table.session.messages)
    table.session = table.session.after(Touch("d4", True, table.time))
    table.wait(1)
    assert table.session.game_phase != "menu"


TOUCHES = st.lists(st.tuples(st.sampled_from((*FOUR, "c2", "d1")), st.floats(0.05, 4.0)), max_size=12)


@given(TOUCHES)
def test_request_needs_its_cells_pressed_in_order(touches):
    """Each press is either part of the answer or handled as if there were no request."""
    session, plain = ask(Session.start_game(STANDARD)), Session.start_game(STANDARD)
    now, pressed = 10.0, []
    for cell, seconds in touches:
        now += seconds
        before = session.permission
        session = session.after(ClockTick(now)).after(Touch(cell, True, now)).after(Touch(cell, False, now))
        if before and now < before.until and session.permission != before:
            pressed.append(cell)
        if before is None:
            plain = plain.after(Touch(cell, True, now)).after(Touch(cell, False, now))
            assert session.turns == plain.turns
        elif session.permission is None:
            plain = replace(session)
    assert bool(session.granted_number) == (tuple(pressed[:4]) == FOUR)


@given(st.lists(st.tuples(st.sampled_from(FOUR), st.booleans(), st.floats(0.1, 4.0)), max_size=10))
def test_occupancy_is_correct_after_any_answer(touches):
    """After the request is closed, the occupancy matches the last change reported for each cell."""
    table = PiecesTable.at(MIDDLE)
    table.session = ask(table.session, FOUR, table.time)
    stands = {cell: cell in MIDDLE.pieces for cell in MIDDLE.grid.cells}
    for cell, down, seconds in touches:
        table.wait(seconds)
        if stands[cell] != down:
            stands[cell] = down
            table.session = table.session.after(Touch(cell, down, table.time))
    table.wait(PERMISSION_SECONDS + 1)
    assert table.session.permission is None
    assert table.session.board_state.occupancy.occupied_cells == {cell for cell, here in stands.items() if here}
