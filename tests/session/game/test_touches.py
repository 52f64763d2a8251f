"""Presses on a board with buttons."""

import pytest

from pond_hw.messages.message import Message
from pond_hw.rules import LIGHT, Action
from pond_hw.session import CellRole, UndoTurns
from tests.session.tables import ButtonTable, board_rows


@pytest.fixture
def table():
    """Light, to move, has a tadpole on b2 beside Dark's egg, and an egg on a1.

    4 . . . .
    3 . . . .
    2 . T e .
    1 E . . .
    """
    table = ButtonTable()
    table.play("@b2 @c2 @a1")  # dark's egg made b2 a tadpole
    table.play("@d4")
    assert board_rows(table.session.position) == "...e/..../.Te./E..."
    return table


def roles(session):
    return {cell: sight.role for cell, sight in session.view.cells.items()}


def test_press_on_empty_cell_places_egg():
    session = ButtonTable().press("b2")
    assert board_rows(session.position) == "..../..../.E../...."
    assert session.turns[-1].action == Action.from_notation("@b2")


def test_release_does_not_count_as_press(table):
    session = table.press("b2")
    assert session.selected_cell == "b2"


def test_press_on_own_tadpole_selects_it(table):
    session = table.press("b2")
    assert (session.game_phase, session.selected_cell, session.legal_targets) == ("in_hand", "b2", ("b1", "a2", "b3"))
    lit = roles(session)
    assert lit["b2"] is CellRole.CHOSEN
    assert {cell for cell, role in lit.items() if role is CellRole.TARGET} == {"b1", "a2", "b3"}
    assert session.messages == (Message("chosen.tadpole", cell="b2", cells=("b1", "a2", "b3")),)


def test_press_on_target_moves_piece_there(table):
    session = table.press("b2", "b3")
    assert str(session.turns[-1].action) == "b2b3"
    assert session.selected_cell is None


def test_second_press_deselects_piece(table):
    session = table.press("b2", "b2")
    assert (session.game_phase, session.selected_cell, session.legal_targets) == ("act", None, ())
    assert len(session.turns) == 4


def test_press_on_another_own_piece_selects_it():
    table = ButtonTable()
    table.play("@a1 @a2 @d4 @d3")  # light has tadpoles on a1 and d4
    assert table.press("a1").selected_cell == "a1"
    assert table.press("d4").selected_cell == "d4"
    assert table.session.legal_targets == ("c4",)


@pytest.mark.parametrize(
    ("presses", "why"),
    [
        (["a1"], Message("illegal.egg_cannot_move")),
        (["c2"], Message("illegal.other_owner", cell="c2", owner="dark", side="light")),
        (["b2", "d1"], Message("illegal.tadpole_reach")),
        (["b2", "c2"], Message("illegal.not_empty", cell="c2")),
        (["b2", "a1"], Message("illegal.egg_cannot_move")),
    ],
)
def test_other_presses_are_refused(table, presses, why):
    before = table.press(*presses[:-1]) if presses[:-1] else table.session
    after = table.press(presses[-1])
    assert after.messages == (why,)
    assert after.refusal.cell == presses[-1]
    assert (after.turns, after.selected_cell, after.position) == (before.turns, before.selected_cell, before.position)


def test_blocked_tadpole_is_not_selected():
    table = ButtonTable()
    table.play("@a1 @b1 @d4 @a2")  # a1 became a tadpole, then a frog
    table.play("@d1 @c1 @d2 @a3")
    position = table.session.position
    shut_in = [c for c, p in position.pieces.items() if p.owner is LIGHT and not _targets(table, c)]
    session = table.press(shut_in[0])
    symbol = position.pieces[shut_in[0]].symbol
    assert session.messages == (Message(f"illegal.nowhere_to_go.{symbol}", cell=shut_in[0]),)
    assert session.selected_cell is None
    assert session.refusal.cell == shut_in[0]


def _targets(table, cell):
    return [a for a in table.session.allowed_actions if a.source == cell]


def test_empty_cell_is_refused_without_eggs():
    table = ButtonTable("4x4/1/1")
    table.play("@a1 @b1")  # both spawns are empty; a1 is a tadpole, b1 still an egg
    session = table.press("d4")
    assert session.messages == (Message("illegal.no_eggs_left", side="light"),)


def test_cell_outside_pond_is_refused():
    table = ButtonTable("standard", size=5)
    session = table.press("e5")
    assert session.messages == (Message("illegal.outside", cell="e5", size=4),)
    assert roles(session)["e5"] is CellRole.OUTSIDE
    assert table.press("d4").position.piece_at("d4")


def test_open_cells_depend_on_selection(table):
    assert roles(table.session)["d1"] is CellRole.OPEN
    assert roles(table.press("b2"))["d1"] is CellRole.PLAIN  # only targets of the selected piece count
    table.send(UndoTurns)
    assert roles(table.session)["d1"] is CellRole.OPEN


def test_refusal_is_shown_until_next_event(table):
    assert table.press("a1").view.scene.refusal == ("a1", table.time, 0)
    assert table.press("a1").view.scene.refusal == ("a1", table.time, 1)
    assert table.press("b2").view.scene.refusal is None


def test_last_turn_target_is_marked(table):
    marked = [cell for cell, sight in table.session.view.cells.items() if sight.is_last]
    assert marked == ["d4"]


def test_turn_is_animated_until_next_event(table):
    session = table.press("d1")
    assert session.view.scene.played_turn is session.turns[-1]
    assert session.view.scene.changed_at == table.time
    assert table.press("d1").view.scene.played_turn is None
