"""View of a session."""

from dataclasses import replace

import pytest

from pond_hw.rules import DARK, LIGHT, STANDARD, VARIANTS, Action
from pond_hw.session import Agreement, BoardState, CellRole, ConfirmationState, ResignGame, Session, TakeAction
from tests.session.tables import ButtonTable, PiecesTable


def roles(view):
    return {cell: shown.role for cell, shown in view.cells.items()}


def test_new_game_shows_open_cells():
    view = Session.start_game(STANDARD).view
    assert set(roles(view).values()) == {CellRole.OPEN}
    assert (view.game_phase, view.last_turn, view.outcome, view.occupancy) == ("act", None, None, None)
    assert len(view.allowed_actions) == 16


def test_cells_outside_pond_have_outside_role():
    view = Session.start_game(VARIANTS["mini"], size=5).view
    assert {cell for cell, role in roles(view).items() if role is CellRole.OUTSIDE} >= {"e1", "e5", "a5"}
    assert len(view.cells) == 25


def test_view_is_stable_and_immutable():
    session = Session.start_game(STANDARD).after(TakeAction(Action.from_notation("@b2"), 1.0))
    assert session.view == session.view
    with pytest.raises(AttributeError):
        session.view.messages = ()


def test_view_shows_selected_piece_and_targets():
    table = ButtonTable()
    table.play("@b2 @b3")
    view = table.press("b2").view
    assert view.in_hand == "b2"
    assert {cell for cell, role in roles(view).items() if role is CellRole.TARGET} == set(view.legal_targets)
    assert roles(view)["b2"] is CellRole.CHOSEN


def test_scene_is_derived_from_view():
    view = Session.start_game(STANDARD).after(TakeAction(Action.from_notation("@b2"), 1.0)).view
    assert view.scene.played_turn is view.last_turn
    assert view.scene.cell_views == view.cells
    over = Session.start_game(STANDARD).after(ResignGame(1.0)).view
    assert (over.scene.to_move, over.scene.outcome, over.allowed_actions) == (None, over.outcome, ())
    assert replace(view, trouble="The sensors do not answer.").scene.has_trouble


def test_view_shows_repair_step_and_piece():
    start = Session.start_game(STANDARD, board_state=BoardState(confirmation=ConfirmationState(Agreement.IN_PLAY)))
    table = PiecesTable(start).drop("b2").wait(1).lift("b2").wait(1).drop("d4").wait(1)
    view = table.session.view
    assert view.game_phase == "differs"
    assert view.occupancy.repair_step == ("d4", "b2")
    assert view.occupancy.repair_piece == view.position.piece_at("b2")
    assert view.cells["b2"] == (view.occupancy.repair_piece, CellRole.PUT, True, False)
    assert roles(view)["d4"] is CellRole.TAKE_OFF


def test_replay_has_no_open_cells():
    view = replace(Session.start_game(STANDARD).view, game_phase="replay")
    assert set(roles(view).values()) == {CellRole.PLAIN}


def test_session_and_view_have_slots():
    session = Session.start_game(STANDARD)
    assert not hasattr(session, "__dict__")
    assert not hasattr(session.view, "__dict__")


def test_turn_key_of_side_to_move_is_lit():
    view = Session.start_game(STANDARD).view
    assert view.scene.turn_key is LIGHT
    view = Session.start_game(STANDARD).after(TakeAction(Action.from_notation("@b2"), 1.0)).view
    assert view.scene.turn_key is DARK
    assert Session.start_game(STANDARD).after(ResignGame(1.0)).view.scene.turn_key is None
    assert replace(view, game_phase="menu").scene.turn_key is None
