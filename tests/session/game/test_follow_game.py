"""Following a linked game in a session, and the changes that its players ask for."""

from dataclasses import replace

import pytest

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import (
    LIGHT,
    STANDARD,
    VARIANTS,
    Action,
    EndReason,
    IllegalAction,
    Outcome,
    PondError,
    Position,
)
from pond_hw.session import (
    BoardIsRight,
    CellRole,
    ChangeAsked,
    EndUndone,
    FollowGame,
    GameEnded,
    GameLeft,
    GameStarted,
    LinkChanged,
    LinkView,
    NewGame,
    NewGameChange,
    Session,
    TakeBackChange,
    TroubleChanged,
    TurnsUndone,
    TurnTaken,
    UndoTurns,
)
from tests.session.tables import ButtonTable, PiecesTable

GAME = "0123456789abcdef"
AGREED = Outcome(None, EndReason.AGREEMENT)


def follow_event(turn=0, *actions, keep=None, game=GAME, side=LIGHT, variant=STANDARD, outcome=None, at=0.0):
    keep = turn if keep is None else keep
    return FollowGame(game, side, variant, turn, keep, tuple(map(Action.from_notation, actions)), outcome, at)


def linked(session, *actions):
    """Return a linked game with a running link."""
    followed = session.after(follow_event(0, *actions))
    return followed.after(LinkChanged(LinkView(online=True, joined=True, running=True), 0.0))


def begin(*actions):
    return linked(Session.start_game(STANDARD), *actions)


def played(session):
    return [str(turn.action) for turn in session.turns]


def test_followed_game_has_the_events_of_an_ordinary_one():
    session = begin("@b2", "@c3", "@a1")
    changed = session.after(follow_event(3, "@d4", keep=1, outcome=AGREED))
    assert (played(changed), changed.outcome) == (["@b2", "@d4"], AGREED)
    assert changed.game_events == (TurnsUndone(2), TurnTaken(Action.from_notation("@d4")), GameEnded(AGREED))
    again = changed.after(follow_event(2))
    assert (again.outcome, again.game_events) == (None, (EndUndone(),))


def test_new_game_lets_the_journal_write_all_turns():
    session = Session.start_game(STANDARD)
    for cell in ("a1", "a2"):
        session = session.after(Touch(cell, True, 0.0))
    followed = session.after(follow_event(0, "@b2"))
    assert followed.game_events == (GameLeft(), GameStarted(STANDARD))
    untouched = Session.start_game(STANDARD).after(follow_event(0, "@b2"))
    assert untouched.game_events == (TurnTaken(Action.from_notation("@b2")),)


def test_follow_that_does_not_fit_returns_the_same_session():
    session = begin("@b2", "@c3")
    trouble = session.after(TroubleChanged(Message("trouble.over"), 0.0))
    for before, event in (
        (session, follow_event(2)),
        (session, follow_event(1, "@a1")),
        (session, follow_event(2, "@a1", game="f" * 16)),
        (trouble, follow_event(2, "@a1")),
    ):
        assert before.after(event) is before


def test_impossible_follow_raises():
    session = begin("@b2")
    with pytest.raises(IllegalAction):
        session.after(follow_event(1, "@b2"))
    with pytest.raises(PondError):
        session.after(follow_event(game="f" * 16, variant=VARIANTS["big"]))


def test_no_action_or_declared_end_after_the_end():
    won = Position.from_notation("..../..../.E../.... d 2 13 10 0")
    session = replace(begin(), custom_start=won)
    assert session.outcome
    for event in (follow_event(0, "@a1"), follow_event(0, outcome=AGREED)):
        with pytest.raises(IllegalAction):
            session.after(event)


def test_one_far_turn_is_animated():
    session = begin("@b2", "@c3")
    assert session.after(follow_event(2, "@a1")).turn_is_fresh
    assert not session.after(follow_event(2, "@a1", "@a2")).turn_is_fresh
    assert not session.after(follow_event(2, "@d4", keep=1)).turn_is_fresh


def test_seen_cells_are_not_lit_again():
    table = ButtonTable()
    table.session = begin()
    cells = ("a1", "b3", "c2", "d4")
    table.send(LinkChanged, link=LinkView(running=True, cells=cells))
    lit = [cell for cell, shown in table.session.view.cells.items() if shown.role is CellRole.HINT]
    assert sorted(lit) == sorted(cells)
    table.send(Touch, cell="b3", down=False)
    table.send(LinkChanged, link=LinkView(running=True, cells=cells, seen=1))
    assert CellRole.HINT not in {shown.role for shown in table.session.view.cells.values()}


def test_undo_counts_turns_of_the_log():
    session = begin("@b2", "@c3", "@a1")
    asked = session.after(UndoTurns(1.0, 2))
    assert (asked.turns, asked.game_events) == (session.turns, (ChangeAsked(TakeBackChange(2)),))


def test_new_game_of_the_menu_is_asked_for():
    asked = begin("@b2").after(NewGame(VARIANTS["mini"], 1.0))
    assert asked.game_events == (ChangeAsked(NewGameChange(VARIANTS["mini"], LIGHT)),)
    assert asked.variant == STANDARD


# Boards with pieces


def pieces_table(*actions):
    """Return a table with pieces in a linked game. This home plays light."""
    table = PiecesTable.at(Position.start(STANDARD), asks_to_flip=False)
    table.session = linked(replace(table.session, custom_start=None), *actions).with_human_sides((LIGHT,))
    table.drop(*table.position.pieces).wait(5.0)
    assert table.at_rest(), table.describe()
    return table


def asked_changes(table, event):
    """Return the changes asked for while an event is handled."""
    table.after(event)
    return [each.change for each in table.session.game_events if isinstance(each, ChangeAsked)]


class AskedTable:
    """Collects the changes that a table asks for."""

    def __init__(self, table):
        self.table, self.changes = table, []
        after = table.after

        def collect(event):
            after(event)
            self.changes += [each.change for each in table.session.game_events if isinstance(each, ChangeAsked)]
            return table

        table.after = collect


def test_far_turn_is_moved_by_hand():
    table = pieces_table("@b2")
    table.after(follow_event(1, "@c3", at=table.time)).wait(1.0)
    assert table.shown(CellRole.PUT) == ["c3"]
    table.drop("c3").wait(5.0)
    assert table.at_rest()
    table.drop("a1").wait(8.0)
    assert list(map(str, table.actions)) == ["@b2", "@c3", "@a1"]


def test_turn_put_back_by_hand_is_asked_for():
    table = pieces_table("@b2")
    asked = AskedTable(table)
    table.lift("b2").wait(20.0)
    assert asked.changes == [TakeBackChange(1)]
    assert (list(map(str, table.actions)), table.shown(CellRole.PUT)) == (["@b2"], ["b2"])
    table.drop("b2").wait(5.0)
    assert table.at_rest()
    table.lift("b2").wait(20.0).after(follow_event(1, keep=0, at=table.time)).wait(5.0)
    assert (table.actions, table.at_rest()) == ((), True)


@pytest.mark.parametrize("seconds", [0.6, 8.0])
def test_turn_moved_on_must_be_put_back(seconds):
    table = pieces_table("@b2", "@c3")
    asked = AskedTable(table)
    table.drop("a1").wait(seconds)
    table.lift("a1").wait(0.3).drop("a2").wait(20.0)
    assert list(map(str, table.actions)) == ["@b2", "@c3", "@a1"]
    assert (len(asked.changes) <= 1, table.phase, "a1" in table.shown(CellRole.PUT)) == (True, "differs", True)
    table.lift("a2").wait(1.0).drop("a1").wait(5.0)
    assert table.at_rest()


def test_cleared_board_asks_for_a_new_game():
    table = pieces_table("@b2", "@c3")
    asked = AskedTable(table)
    table.lift("b2", "c3").wait(30.0)
    table.drop("a1").wait(2.0).lift("a1").wait(8.0)
    assert [type(each) for each in asked.changes] == [NewGameChange]
    table.drop("b2").wait(1.0).drop("c3").wait(8.0)
    assert (list(map(str, table.actions)), table.at_rest()) == (["@b2", "@c3"], True)


def test_board_command_asks_to_take_back():
    table = pieces_table("@b2")
    asked = AskedTable(table)
    table.lift("b2").wait(1.0).after(BoardIsRight(table.time))
    assert asked.changes == [TakeBackChange(1)]
    assert list(map(str, table.actions)) == ["@b2"]
