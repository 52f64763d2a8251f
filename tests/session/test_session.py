"""Undo, redo, new games, and how a game ends: what surrounds the turns."""

import pytest

from pond_hw.rules import DARK, LIGHT, Action, EndReason, Outcome, parse_variant
from pond_hw.session import (
    AgreeDraw,
    NewGame,
    RedoTurns,
    RequestRefused,
    ResignGame,
    Session,
    ShowNotice,
    TakeAction,
    TroubleChanged,
    UndoTurns,
)
from tests.session.table import Table, rows

DRAWN = (
    "@d4 @c1 @a3 @b4 @c2 @a2 @b1 @b2 @a1 @d2 @c4 b4b3 @d1 @a4 c2c3 @d3 d4b4 @a3 @b3 @a4 @a2 @b4 @c3 @d4 @a1 d2d1 "
    "@c2 @b1 @a1 d1d2 a2a3 d2d3 c2c1 @d1 a3a2 d4c4 a2c2 b1b3"
)
"""A whole standard game that ends 10 all."""


def test_a_new_game_says_who_begins_and_how():
    session = Table().session
    assert session.message == "Light to move: press an empty cell to place an egg."
    assert (session.game_phase, session.outcome) == ("act", None)


def test_a_turn_is_told_in_words():
    table = Table()
    table.play("@b2 @b3 @c3")
    assert table.session.message.startswith("Light placed an egg on c3. b3 became a tadpole. Dark to move:")


def test_scoring_is_told_in_words():
    table = Table()
    table.play(DRAWN)
    assert "Scored" in table.session.message
    assert table.session.message.endswith("The game is a draw, 10 to 10.")


def test_undo_brings_scored_pieces_back_and_redo_scores_them_again():
    table = Table()
    positions = [table.session.position]
    for action in DRAWN.split():
        table.play(action)
        positions.append(table.session.position)
    assert positions[-1].scored == (10, 10)

    for expected in reversed(positions[:-1]):
        assert table.does(UndoTurns).position == expected
    for expected in positions[1:]:
        assert table.does(RedoTurns).position == expected
    assert table.session.outcome == Outcome(None, EndReason.SCORE)


def test_several_turns_go_back_and_forth_at_once():
    table = Table()
    table.play("@a1 @b1 @c1 @d1")
    assert rows(table.does(UndoTurns, turn_count=3).position) == "..../..../..../E..."
    assert table.session.message.startswith("Took back 3 turns.")
    assert len(table.does(RedoTurns, turn_count=2).turns) == 3
    assert table.does(UndoTurns, turn_count=99).turns == ()


def test_a_new_action_forgets_what_was_taken_back():
    table = Table()
    table.play("@a1 @b1")
    table.does(UndoTurns)
    table.play("@d4")
    assert table.does(RedoTurns).message == "There is nothing to play again."


def test_with_nothing_to_take_back_undo_says_so():
    assert Table().does(UndoTurns).message == "There is nothing to take back."


def test_undo_lets_a_chosen_piece_go():
    table = Table()
    table.play("@a1 @b1")
    table.press("a1")
    assert table.does(UndoTurns).selected_cell is None


@pytest.mark.parametrize("side", [LIGHT, DARK, None])
def test_a_side_resigns_and_the_other_wins(side):
    table = Table()
    table.play("@a1 @b1")
    session = table.does(ResignGame, side=side)
    winner = DARK if side in (LIGHT, None) else LIGHT  # it was light's turn
    assert session.outcome == Outcome(winner, EndReason.RESIGNATION)
    assert session.game_phase == "over"
    assert session.allowed_actions == ()
    assert session.message == f"{str(winner).capitalize()} wins: {winner.other_side} resigned."


def test_players_may_agree_to_a_draw():
    session = Table().does(AgreeDraw)
    assert session.outcome == Outcome(None, EndReason.AGREEMENT)
    assert session.message == "The game is a draw by agreement, 0 to 0."


def test_undo_takes_a_resignation_back_first():
    table = Table()
    table.play("@a1 @b1")
    table.does(ResignGame)
    session = table.does(UndoTurns)
    assert session.outcome is None
    assert len(session.turns) == 2
    assert session.message.startswith("The game goes on.")


@pytest.mark.parametrize(
    ("event", "fields"), [(ResignGame, {}), (AgreeDraw, {}), (TakeAction, {"action": Action.from_notation("@d4")})]
)
def test_after_the_end_nothing_more_can_happen_but_undo_and_a_new_game(event, fields):
    table = Table()
    table.does(ResignGame)
    before = table.session
    after = table.does(event, **fields)
    assert after.message == "The game is over. Dark wins: light resigned."
    assert (after.declared_outcome, after.turns) == (before.declared_outcome, before.turns)
    assert table.press("a1").message == after.message
    assert table.does(NewGame, variant=parse_variant("mini")).game_phase == "act"


def test_a_new_game_may_be_any_pond_that_the_board_fits():
    table = Table("big")
    assert table.does(NewGame, variant=parse_variant("mini")).variant.name == "mini"
    assert len(table.session.view.cells) == 25
    assert table.does(NewGame, variant=parse_variant("3x3/9/5")).position.grid.size == 3


def test_a_new_game_too_large_for_the_board_is_refused_and_the_old_one_stays():
    table = Table()
    table.play("@a1")
    session = table.does(NewGame, variant=parse_variant("big"))
    assert session.message == "The big pond is 5x5; it does not fit this 4x4 board."
    assert len(session.turns) == 1
    with pytest.raises(ValueError, match="does not fit"):
        Session.start_game(parse_variant("big"), 4)


def test_the_third_time_a_position_comes_up_the_players_are_told():
    table = Table("4x4/2/2")
    table.play("@a1 @d4 @d3 @a2 a1b1 d4c4")  # a tadpole each, with nothing beside it
    there_and_back = "b1c1 c4b4 c1b1 b4c4"
    for times in (2, 3):
        assert "times" not in table.session.message
        table.play(there_and_back)
        assert table.session.position_count == times
    assert table.session.message.endswith("This position has come up 3 times; you may agree to a draw.")
    table.does(AgreeDraw)
    assert table.session.outcome == Outcome(None, EndReason.AGREEMENT)


def test_repetition_does_not_end_a_game():
    table = Table("4x4/2/2")
    table.play("@a1 @d4 @d3 @a2 a1b1 d4c4" + " b1c1 c4b4 c1b1 b4c4" * 5)
    assert table.session.position_count == 6
    assert table.session.outcome is None


def test_an_action_beyond_the_edge_of_the_board_is_refused_without_a_cell_to_light():
    session = Table().does(TakeAction, action=Action.from_notation("@e4"))
    assert session.message == "e4 is not a cell of this 4x4 pond."
    assert session.refusal.cell is None
    assert "e4" not in session.view.cells


def test_somebody_else_may_refuse():
    session = Table().does(RequestRefused, sentence="Not now.", cell="b2")
    assert (session.message, session.refusal.cell, session.turns) == ("Not now.", "b2", ())


class TestTrouble:
    SAYS = "The sensors do not answer."

    def test_nothing_is_played_and_nothing_lost_until_it_is_over(self):
        table = Table()
        table.play("@a1 @b2")
        table.does(TroubleChanged, sentence=self.SAYS)
        assert table.session.message == self.SAYS
        assert table.session.view.scene.has_trouble
        for event, fields in (
            (TakeAction, {"action": Action.from_notation("@c3")}),
            (UndoTurns, {}),
            (RedoTurns, {}),
            (ResignGame, {}),
            (AgreeDraw, {}),
            (NewGame, {"variant": parse_variant("mini")}),
            (RequestRefused, {"sentence": "Not now."}),
        ):
            session = table.does(event, **fields)
            assert (len(session.turns), session.outcome, session.message) == (2, None, self.SAYS)
        table.does(TroubleChanged, sentence=None)
        assert not table.session.view.scene.has_trouble
        assert table.session.message.startswith("The board is back. Light to move")
        table.play("@c3")

    def test_it_is_told_once(self):
        table = Table()
        first = table.does(TroubleChanged, sentence=self.SAYS)
        assert table.does(TroubleChanged, sentence=self.SAYS) is first
        assert table.does(TroubleChanged, sentence="The lamps neither.").message == "The lamps neither."

    def test_a_board_that_is_well_has_nothing_to_get_over(self):
        table = Table()
        before = table.session
        assert table.does(TroubleChanged, sentence=None) is before


def test_a_notice_is_told_and_changes_nothing():
    table = Table()
    table.play("@a1 @b2 @c3")
    before = table.session
    session = table.does(ShowNotice, sentence="The supply is weak.")
    assert session.message == "The supply is weak."
    assert (session.turns, session.selected_cell, session.game_phase) == (
        before.turns,
        before.selected_cell,
        before.game_phase,
    )


def test_sessions_never_change():
    table = Table()
    start = table.session
    table.play("@a1 @b1")
    assert start.turns == ()
    with pytest.raises(AttributeError):
        start.turns = (1,)
