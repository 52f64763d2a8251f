"""Prompt for an unfinished game."""

import pytest

from pond_hw.board import Touch
from pond_hw.messages.message import Message, as_message
from pond_hw.rules import STANDARD, VARIANTS, Action, Position, parse_variant, play
from pond_hw.session import (
    BoardState,
    CellRole,
    ChooseResume,
    ClockTick,
    NewGame,
    Occupancy,
    RedoTurns,
    ResignGame,
    ResumeChoice,
    SavingChanged,
    Session,
    TakeAction,
    TroubleChanged,
    UndoTurns,
)
from tests.session.tables import ButtonTable, PiecesTable

ABOUT_TO_SCORE = Position.from_notation("..../..../TeT./.... l 7 8 4 4")
"""An egg on b1 turns dark's egg between light's tadpoles into a third tadpole, and all three score."""


def played(actions, pond=STANDARD):
    table = ButtonTable(pond)
    table.play(actions)
    return table.session


def offered(actions="@b2 @b3", pond=STANDARD, size=None):
    game = played(actions, pond)
    table = ButtonTable()
    table.session = Session.start_game(STANDARD, size).with_resume_prompt(
        game.variant, game.custom_start, game.turns, game.undone_turns
    )
    return table


def with_pieces(actions="@b2 @b3", detected=None):
    game = played(actions)
    cells = game.position.pieces if detected is None else detected
    start = Session.start_game(STANDARD, board_state=BoardState(occupancy=Occupancy(occupied_cells=frozenset(cells))))
    return PiecesTable(start.with_resume_prompt(STANDARD, None, game.turns, ()))


def touch(table, cell, pause=1.0):
    """Lift the piece and put it back, or put one there and take it off."""
    there = cell in table.detected
    return table.touch(cell, not there).wait(pause).touch(cell, there)


def roles(session):
    return {cell: sight.role for cell, sight in session.view.cells.items() if sight.role in (*LIT,)}


TWO_TURNS = Message("game.going_on", variant="standard", count=2, light=0, dark=0, side="light")
LIT = (CellRole.DEFAULT_CHOICE, CellRole.CHOICE, CellRole.TAKE_OFF)


class TestWithButtons:
    def test_prompt_lights_three_cells(self):
        table = offered()
        assert (table.session.game_phase, table.session.allowed_actions) == ("resume", ())
        assert roles(table.session) == {"a1": CellRole.DEFAULT_CHOICE, "b1": CellRole.CHOICE, "c1": CellRole.TAKE_OFF}
        assert table.session.messages == (Message("resume.ask", game=TWO_TURNS), Message("resume.how.buttons"))
        table.press("d4")
        assert (len(table.session.turns), table.session.game_phase, table.session.refusal.cell) == (2, "resume", "d4")

    def test_a1_resumes_game(self):
        table = offered("@b2 @b3 @a4")
        table.press("a1")
        assert table.session.game_phase == "act"
        assert table.session.messages == (
            Message("game.goes_on"),
            Message("prompt.buttons.place", side="dark"),
        )
        table.press("d4")
        assert [str(turn.action) for turn in table.session.turns] == ["@b2", "@b3", "@a4", "@d4"]

    def test_undone_turns_can_be_redone_after_resuming(self):
        table = ButtonTable()
        table.play("@b2 @b3")
        game = table.send(UndoTurns)
        again = Session.start_game(STANDARD).with_resume_prompt(game.variant, None, game.turns, game.undone_turns)
        again = again.after(ChooseResume(ResumeChoice.RESUME, 1.0)).after(RedoTurns(2.0))
        assert len(again.turns) == 2

    def test_b1_shows_game_until_next_touch(self):
        table = offered()
        table.press("b1")
        assert (table.session.game_phase, roles(table.session)) == ("resume", {})
        assert table.session.messages == (Message("resume.look", game=TWO_TURNS),)
        assert {c for c, sight in table.session.view.cells.items() if sight.piece} == {"b2", "b3"}
        table.press("c1")  # which chooses nothing any more
        assert (len(table.session.turns), len(roles(table.session))) == (2, 3)

    def test_c1_starts_new_game(self):
        table = offered(pond=VARIANTS["mini"], actions="@b2")
        table.press("c1")
        assert (table.session.turns, table.session.variant, table.session.game_phase) == ((), STANDARD, "act")

    def test_new_game_has_requested_variant(self):
        game = played("@b2")
        table = ButtonTable()
        table.session = Session.start_game(VARIANTS["big"]).with_resume_prompt(game.variant, None, game.turns)
        table.press("b1", "e5", "c1")
        assert (table.session.variant, table.session.size) == (VARIANTS["big"], 5)

    @pytest.mark.parametrize(
        "event", [UndoTurns(1.0), RedoTurns(1.0), ResignGame(1.0), TakeAction(Action.from_notation("@d4"), 1.0)]
    )
    def test_events_are_refused_while_prompt_is_open(self, event):
        session = offered().session.after(event)
        assert (len(session.turns), session.declared_outcome, session.game_phase) == (2, None, "resume")
        assert session.messages == (Message("resume.choose_first"), Message("resume.how.buttons"))

    def test_set_up_game_without_turns_is_offered(self):
        session = Session.start_game(VARIANTS["mini"]).with_resume_prompt(STANDARD, ABOUT_TO_SCORE, ())
        game = Message("game.not_begun", variant="standard", side=str(ABOUT_TO_SCORE.to_move))
        assert session.messages == (Message("resume.ask", game=game), Message("resume.how.buttons"))

    def test_new_game_replaces_offered_game(self):
        session = offered().session.after(NewGame(VARIANTS["mini"], 1.0))
        assert (session.variant, session.turns, session.game_phase) == (VARIANTS["mini"], (), "act")

    def test_choice_without_prompt_is_refused(self):
        session = Session.start_game(STANDARD).after(ChooseResume(ResumeChoice.DISCARD, 1.0))
        assert session.messages == (Message("resume.nothing"),)

    def test_prompt_stays_during_sensor_trouble(self):
        session = (
            offered()
            .session.after(TroubleChanged(as_message("The sensors are gone."), 1.0))
            .after(Touch("a1", True, 2.0))
        )
        assert session.game_phase == "resume"
        assert session.after(TroubleChanged(None, 3.0)).after(Touch("a1", True, 4.0)).game_phase == "act"

    def test_smaller_pond_is_resumed_on_larger_board(self):
        table = offered("@b2", parse_variant("3x3/9/5"), size=5)
        game = Message("game.going_on", variant="3x3/9/5", count=1, light=0, dark=0, side="dark")
        assert table.session.messages[0] == Message("resume.ask", game=game)
        table.press("a1")
        assert table.session.game_phase == "act"


class TestWithPieces:
    def test_lifting_and_returning_piece_chooses(self):
        table = with_pieces("@a1 @b3")
        touch(table, "a1").wait(1.0)
        assert (table.phase, table.messages[0]) == ("act", Message("game.goes_on"))
        assert table.at_rest()

    def test_placing_and_removing_piece_chooses(self):
        table = touch(with_pieces(), "a1").wait(1.0)
        assert table.phase == "act"
        table.drop("d4").wait(1.0)
        assert [str(action) for action in table.actions] == ["@b2", "@b3", "@d4"]

    def test_offered_game_can_be_shown_and_declined(self):
        table = touch(with_pieces(), "b1")
        assert table.messages == (Message("resume.look", game=TWO_TURNS),)
        touch(table, "d4")
        assert table.messages == (Message("resume.ask", game=TWO_TURNS), Message("resume.how.pieces"))
        touch(table, "c1").wait(1.0)
        assert (table.phase, table.actions) == ("differs", ())  # the old pieces are still there
        table.lift("b2").wait(1.0).lift("b3").wait(1.0)
        assert table.at_rest()

    @pytest.mark.parametrize("pause", [0.01, 0.2, 30.0])
    def test_too_short_or_too_long_touch_chooses_nothing(self, pause):
        table = with_pieces()
        for _ in range(20):
            touch(table, "c1", pause).wait(pause)
        assert (table.phase, len(table.actions)) == ("resume", 2)

    def test_setting_up_pieces_chooses_nothing(self):
        table = with_pieces("@a1 @b1 @c1 @d1", detected=())
        for cell in ("a1", "b1", "c1", "d1"):
            table.drop(cell).wait(2.0)
        assert table.phase == "resume"

    def test_missing_pieces_are_requested_after_resuming(self):
        table = touch(with_pieces("@a1 @b3", detected=["b3"]), "d1").wait(1.0)
        table.session = table.session.after(ChooseResume(ResumeChoice.RESUME, table.time))
        table.wait(1.0)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a1"])
        assert table.drop("a1").wait(1.0).at_rest()

    def test_action_taken_before_resuming_needs_confirmation(self):
        table = with_pieces("@b2 @b3", detected=["b2", "b3", "d4"])
        table.session = table.session.after(ChooseResume(ResumeChoice.RESUME, table.time))
        table.wait(20.0)
        assert len(table.actions) == 2
        assert table.messages[-1] == Message("mismatch.offer", side="light", cell="d4")
        table.lift("d4").wait(1.0).drop("d4").wait(5.0)
        assert [str(action) for action in table.actions] == ["@b2", "@b3", "@d4"]

    def test_scored_pieces_must_be_removed_after_resuming(self):
        turn = play(ABOUT_TO_SCORE, Action.from_notation("@b1"))
        start = Session.start_game(
            STANDARD, board_state=BoardState(occupancy=Occupancy(occupied_cells=frozenset(turn.pieces_after_develop)))
        )
        table = PiecesTable(start.with_resume_prompt(STANDARD, ABOUT_TO_SCORE, (turn,), ()))
        table.session = table.session.after(ChooseResume(ResumeChoice.RESUME, table.time))
        table.wait(1.0)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("take_off", ["a2", "b2", "c2"])
        assert table.lift("a2", "b2", "c2").wait(1.0).at_rest()

    def test_prompt_does_not_expire(self):
        session = with_pieces().session
        assert session.next_due == float("inf")
        assert session.after(ClockTick(1e6)) is session


def test_view_shows_that_nothing_is_saved():
    full = as_message("Not saved: the disk is full.")
    session = offered().session.after(SavingChanged(full, 1.0))
    assert (session.unsaved_reason, session.view.scene.is_unsaved) == (full, True)
    assert session.after(NewGame(STANDARD, 2.0)).unsaved_reason
    assert not session.after(SavingChanged(None, 2.0)).view.scene.is_unsaved
