"""Undo, redo and presses in random games."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import Touch
from pond_hw.session import RedoTurns, Session, TakeAction, UndoTurns
from tests.messages.says import text
from tests.rules.positions import games


def play_game(game):
    """Return a session after all turns of a game."""
    session = Session.start_game(game.variant)
    for turn in game.turns:
        session = session.after(TakeAction(turn.action, 0.0))
    return session


def press(session, *cells):
    for cell in cells:
        session = session.after(Touch(cell, True, 0.0)).after(Touch(cell, False, 0.0))
    return session


@given(games(), st.integers(1, 200))
def test_redo_reverses_undo(game, turns):
    session = play_game(game)
    assert session.turns == game.turns
    again = session.after(UndoTurns(0.0, turns)).after(RedoTurns(0.0, turns))
    assert (again.turns, again.undone_turns, again.position) == (session.turns, (), session.position)


@pytest.mark.slow
@given(games())
def test_undo_visits_every_position(game):
    session = play_game(game)
    for turn in reversed(game.turns):
        assert session.position == turn.after
        session = session.after(UndoTurns(0.0))
    assert session.position.notation_line == Session.start_game(game.variant).position.notation_line


@given(games())
def test_every_legal_action_can_be_pressed(game):
    session = play_game(game)
    for action in session.allowed_actions:
        pressed = press(session, *filter(None, action))
        assert pressed.turns == session.after(TakeAction(action, 0.0)).turns
        assert pressed.turns[-1].action == action


@given(games())
def test_other_presses_are_refused_with_reason(game):
    session = play_game(game)
    legal = set(session.allowed_actions)
    cells = session.position.grid.cells
    for source in cells:
        chosen = press(session, source)
        if chosen.turns != session.turns:
            continue  # an egg was placed
        if chosen.selected_cell is None:
            assert chosen.refusal.cell == source
            assert text(*chosen.messages).endswith((".", "!"))
            continue
        targets = {action.target for action in legal if action.source == source}
        assert set(chosen.legal_targets) == targets
        for cell in cells:
            after = press(chosen, cell)
            if cell in targets:
                assert len(after.turns) == len(session.turns) + 1
            else:
                assert after.turns == session.turns
                assert (after.refusal is not None) == (after.selected_cell == source)


@given(games())
def test_scene_shows_all_pieces(game):
    session = play_game(game)
    shown = {cell: sight.piece for cell, sight in session.view.cells.items() if sight.piece}
    assert shown == session.position.pieces
    assert (session.view.scene.to_move is None) == (session.view.scene.outcome is not None)
