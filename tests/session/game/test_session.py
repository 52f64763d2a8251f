"""Undo, redo, new games and the end of a game."""

from typing import get_args

import pytest

from pond_hw.messages.message import Message, PondError, as_message
from pond_hw.rules import DARK, LIGHT, Action, EndReason, IllegalAction, Outcome, parse_variant
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    NewGame,
    RedoTurns,
    RequestRefused,
    ResignGame,
    Session,
    SessionEvent,
    ShowNotice,
    TakeAction,
    TroubleChanged,
    UndoTurns,
)
from pond_hw.session.game.event_handlers import EVENT_HANDLERS
from tests.messages.says import ids
from tests.session.tables import ButtonTable, board_rows

DRAWN = (
    "@d4 @c1 @a3 @b4 @c2 @a2 @b1 @b2 @a1 @d2 @c4 b4b3 @d1 @a4 c2c3 @d3 d4b4 @a3 @b3 @a4 @a2 @b4 @c3 @d4 @a1 d2d1 "
    "@c2 @b1 @a1 d1d2 a2a3 d2d3 c2c1 @d1 a3a2 d4c4 a2c2 b1b3"
)
"""A whole standard game that ends in a 10-10 draw."""

NOT_NOW = as_message("Not now.")


def test_new_game_prompts_side_to_move():
    session = ButtonTable().session
    assert session.messages == (Message("prompt.buttons.place", side="light"),)
    assert (session.game_phase, session.outcome) == ("act", None)


def test_turn_is_described():
    table = ButtonTable()
    table.play("@b2 @b3 @c3")
    assert table.session.messages == (
        Message("turn.place", side="light", cell="c3"),
        Message("turn.develop.tadpole", cells=("b3",), count=1),
        Message("prompt.buttons.place_or_move", side="dark"),
    )


def test_final_turn_and_draw_are_described():
    table = ButtonTable()
    table.play(DRAWN)
    assert table.session.messages == (
        Message("turn.move.frog", side="dark", source="b1", target="b3"),
        Message("turn.develop.frog", cells=("c3",), count=1),
        Message("turn.set.frog", cells=("b3", "c3", "d3"), count=3),
        Message("turn.gain", side="light", count=1),
        Message("turn.gain", side="dark", count=2),
        Message("outcome.draw", light=10, dark=10),
    )


def test_scoring_turn_can_be_undone_and_redone():
    table = ButtonTable()
    positions = [table.session.position]
    for action in DRAWN.split():
        table.play(action)
        positions.append(table.session.position)
    assert positions[-1].scored == (10, 10)

    for expected in reversed(positions[:-1]):
        assert table.send(UndoTurns).position == expected
    for expected in positions[1:]:
        assert table.send(RedoTurns).position == expected
    assert table.session.outcome == Outcome(None, EndReason.SCORE)


def test_several_turns_can_be_undone_and_redone():
    table = ButtonTable()
    table.play("@a1 @b1 @c1 @d1")
    assert board_rows(table.send(UndoTurns, turn_count=3).position) == "..../..../..../E..."
    assert table.session.messages == (
        Message("undo.done", count=3),
        Message("prompt.buttons.place", side="dark"),
    )
    assert len(table.send(RedoTurns, turn_count=2).turns) == 3
    assert table.session.messages[0] == Message("redo.done", count=2)
    assert table.send(UndoTurns, turn_count=99).turns == ()


def test_new_action_clears_redo():
    table = ButtonTable()
    table.play("@a1 @b1")
    table.send(UndoTurns)
    table.play("@d4")
    assert table.send(RedoTurns).messages == (Message("redo.nothing"),)


def test_undo_without_turns_is_refused():
    assert ButtonTable().send(UndoTurns).messages == (Message("undo.nothing"),)


def test_undo_deselects_piece():
    table = ButtonTable()
    table.play("@a1 @b1")
    table.press("a1")
    assert table.send(UndoTurns).selected_cell is None


@pytest.mark.parametrize("side", [LIGHT, DARK, None])
def test_resignation_wins_for_other_side(side):
    table = ButtonTable()
    table.play("@a1 @b1")
    session = table.send(ResignGame, side=side)
    winner = DARK if side in (LIGHT, None) else LIGHT  # it was light's turn
    assert session.outcome == Outcome(winner, EndReason.RESIGNATION)
    assert session.game_phase == "over"
    assert session.allowed_actions == ()
    resignation = Message("outcome.resignation", winner=str(winner), loser=str(winner.other_side))
    assert session.messages == (resignation,)


def test_agreed_draw_ends_game():
    session = ButtonTable().send(AgreeDraw)
    assert session.outcome == Outcome(None, EndReason.AGREEMENT)
    assert session.messages == (Message("outcome.agreed_draw", light=0, dark=0),)


def test_undoing_an_older_turn_is_refused():
    table = ButtonTable()
    table.play("@a1 @b1 @c1")
    table.send(UndoTurns, number=3)
    assert len(table.session.turns) == 2
    assert table.send(UndoTurns, number=3).messages == (Message("undo.done_already"),)
    assert table.send(UndoTurns, number=1).messages == (Message("undo.not_last"),)
    assert len(table.session.turns) == 2


def test_redo_of_another_turn_is_refused():
    table = ButtonTable()
    table.play("@a1 @b1 @c1")
    for _ in range(3):
        table.send(UndoTurns)
    table.send(RedoTurns, number=1)
    assert table.send(RedoTurns, number=1).messages == (Message("redo.done_already"),)
    assert table.send(RedoTurns, number=3).messages == (Message("redo.not_next"),)
    assert len(table.session.turns) == 1


@pytest.mark.parametrize(
    ("event", "fields"),
    [(UndoTurns, {}), (RedoTurns, {}), (AskHint, {}), (TakeAction, {"action": Action.from_notation("@c1")})],
)
def test_exercise_event_outside_exercise_changes_nothing(event, fields):
    table = ButtonTable()
    table.play("@a1 @b1 @d1")
    before = table.send(UndoTurns)
    after = table.send(event, in_exercise=True, **fields)
    assert after.messages[0].id == "exercise.not_going_on"
    assert (after.turns, after.undone_turns, after.hint) == (before.turns, before.undone_turns, None)


def test_undoing_the_end_undoes_no_turn():
    table = ButtonTable()
    table.play("@a1 @b1")
    table.send(ResignGame)
    assert table.session.turn_number == 3
    table.send(UndoTurns, number=3)
    assert table.send(UndoTurns, number=3).messages == (Message("undo.done_already"),)
    assert (table.session.outcome, len(table.session.turns)) == (None, 2)


def test_undo_takes_back_resignation_first():
    table = ButtonTable()
    table.play("@a1 @b1")
    table.send(ResignGame)
    session = table.send(UndoTurns)
    assert session.outcome is None
    assert len(session.turns) == 2
    assert session.messages[0] == Message("game.goes_on")


@pytest.mark.parametrize(
    ("event", "fields"), [(ResignGame, {}), (AgreeDraw, {}), (TakeAction, {"action": Action.from_notation("@d4")})]
)
def test_events_are_refused_after_the_end(event, fields):
    table = ButtonTable()
    table.send(ResignGame)
    before = table.session
    after = table.send(event, **fields)
    assert after.messages == (
        Message("illegal.game_over"),
        Message("outcome.resignation", winner="dark", loser="light"),
    )
    assert (after.declared_outcome, after.turns) == (before.declared_outcome, before.turns)
    assert table.press("a1").messages == after.messages
    with pytest.raises(IllegalAction) as refused:
        after.preview_action(Action.from_notation("@d4"))
    assert refused.value.message == Message("illegal.game_over")
    assert table.send(NewGame, variant=parse_variant("mini")).game_phase == "act"


def test_new_game_can_use_any_fitting_variant():
    table = ButtonTable("big")
    assert table.send(NewGame, variant=parse_variant("mini")).variant.name == "mini"
    assert len(table.session.view.cells) == 25
    assert table.send(NewGame, variant=parse_variant("3x3/9/5")).position.grid.size == 3


def test_new_game_too_large_for_board_is_refused():
    table = ButtonTable()
    table.play("@a1")
    session = table.send(NewGame, variant=parse_variant("big"))
    does_not_fit = Message("variant.does_not_fit", variant="big", size=5, board=4)
    assert session.messages == (does_not_fit,)
    assert len(session.turns) == 1
    with pytest.raises(PondError) as refused:
        Session.start_game(parse_variant("big"), 4)
    assert refused.value.message == does_not_fit


def test_third_repetition_is_reported():
    table = ButtonTable("4x4/2/2")
    table.play("@a1 @d4 @d3 @a2 a1b1 d4c4")  # a tadpole each, with nothing beside it
    there_and_back = "b1c1 c4b4 c1b1 b4c4"
    for times in (2, 3):
        assert "prompt.repeated" not in ids(table.session.messages)
        table.play(there_and_back)
        assert table.session.position_count == times
    assert table.session.messages[-1] == Message("prompt.repeated", times=3)
    table.send(AgreeDraw)
    assert table.session.outcome == Outcome(None, EndReason.AGREEMENT)


def test_repetition_does_not_end_the_game():
    table = ButtonTable("4x4/2/2")
    table.play("@a1 @d4 @d3 @a2 a1b1 d4c4" + " b1c1 c4b4 c1b1 b4c4" * 5)
    assert table.session.position_count == 6
    assert table.session.outcome is None


def test_action_off_the_board_marks_no_refused_cell():
    session = ButtonTable().send(TakeAction, action=Action.from_notation("@e4"))
    assert session.messages == (Message("illegal.no_such_cell", cell="e4", size=4),)
    assert session.refusal.cell is None
    assert "e4" not in session.view.cells


def test_companion_may_refuse_request():
    session = ButtonTable().send(RequestRefused, message=NOT_NOW, cell="b2")
    assert (session.messages, session.refusal.cell, session.turns) == ((NOT_NOW,), "b2", ())


class TestTrouble:
    TROUBLE = as_message("The sensors do not answer.")

    def test_trouble_suspends_play(self):
        table = ButtonTable()
        table.play("@a1 @b2")
        table.send(TroubleChanged, message=self.TROUBLE)
        assert table.session.messages == (self.TROUBLE,)
        assert table.session.view.scene.has_trouble
        for event, fields in (
            (TakeAction, {"action": Action.from_notation("@c3")}),
            (UndoTurns, {}),
            (RedoTurns, {}),
            (ResignGame, {}),
            (AgreeDraw, {}),
            (NewGame, {"variant": parse_variant("mini")}),
            (RequestRefused, {"message": NOT_NOW}),
        ):
            session = table.send(event, **fields)
            assert (len(session.turns), session.outcome, session.messages) == (2, None, (self.TROUBLE,))
        table.send(TroubleChanged, message=None)
        assert not table.session.view.scene.has_trouble
        assert table.session.messages == (
            Message("trouble.over"),
            Message("prompt.buttons.place", side="light"),
        )
        table.play("@c3")

    def test_trouble_is_reported_once(self):
        table = ButtonTable()
        first = table.send(TroubleChanged, message=self.TROUBLE)
        assert table.send(TroubleChanged, message=self.TROUBLE) is first
        lamps_too = as_message("Nor do the lamps.")
        assert table.send(TroubleChanged, message=lamps_too).messages == (lamps_too,)

    def test_recovery_without_trouble_changes_nothing(self):
        table = ButtonTable()
        before = table.session
        assert table.send(TroubleChanged, message=None) is before


def test_notice_does_not_change_the_game():
    table = ButtonTable()
    table.play("@a1 @b2 @c3")
    before = table.session
    weak = as_message("The supply is weak.")
    session = table.send(ShowNotice, messages=(weak,))
    assert session.messages == (weak,)
    assert (session.turns, session.selected_cell, session.game_phase) == (
        before.turns,
        before.selected_cell,
        before.game_phase,
    )


def test_session_is_immutable():
    table = ButtonTable()
    start = table.session
    table.play("@a1 @b1")
    assert start.turns == ()
    with pytest.raises(AttributeError):
        start.turns = (1,)


def test_every_event_has_a_handler():
    assert set(get_args(SessionEvent)) == EVENT_HANDLERS.keys()
