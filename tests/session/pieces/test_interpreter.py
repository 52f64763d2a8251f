"""Undo by hand, and the menu of a cleared board."""

import pytest

from pond_hw.messages.message import Message
from pond_hw.rules import LIGHT, STANDARD, VARIANTS, Action, Position, parse_variant
from pond_hw.session import (
    BoardIsRight,
    CellRole,
    ResignGame,
    TakeAction,
    UndoTurns,
)
from pond_hw.session.pieces.interpretations import (
    FURTHER_CONFIRM_SECONDS,
)
from tests.messages.says import ids
from tests.session.pieces.helpers import (
    A_DAY,
    ABOUT_TO_SCORE,
    LIGHT_WINS,
    SHORT_REST,
    follow_lamps,
    lift_pieces,
    make_empty_table,
    make_gesture,
    make_table,
    played,
    prompt,
    put_pieces,
    send,
    take_back,
    take_off,
)
from tests.session.tables import HOLD

# Undo by hand


class TestUndoByHand:
    def test_removing_egg_undoes_placement(self):
        table = lift_pieces(put_pieces(make_table(), "c3"), "c3")
        assert table.phase == "differs"
        assert table.messages == (take_back(),)
        assert table.shown(CellRole.PENDING) == ["c3"]
        assert played(table.wait(HOLD - SHORT_REST)) == "@c3"
        table.wait(SHORT_REST)
        assert (played(table), table.phase) == ("", "act")
        assert table.messages == (Message("undo.done", count=1), prompt("light"))

    def test_moving_piece_back_undoes_move(self):
        table = put_pieces(lift_pieces(put_pieces(lift_pieces(make_table(), "b2"), "c2").wait(5), "c2"), "b2")
        assert table.shown(CellRole.PENDING) == ["b2", "c2"]
        assert played(table) == "b2c2"
        assert played(table.wait(HOLD)) == ""
        assert table.at_rest()

    def test_any_touch_cancels_announced_undo(self):
        table = lift_pieces(put_pieces(make_table(), "c3"), "c3").wait(2.5)
        put_pieces(table, "c3").wait(10)
        assert (played(table), table.phase) == ("@c3", "act")

    def test_cancelled_undo_can_be_announced_again(self):
        table = lift_pieces(make_gesture(put_pieces(make_table(), "c3"), "c3").wait(10), "c3")
        assert table.shown(CellRole.PENDING) == ["c3"]
        assert played(table.wait(HOLD)) == ""

    def test_scoring_turn_is_not_undone_by_hand(self):
        table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2", "c2", rest=0.5)
        put_pieces(lift_pieces(table, "b1"), "a2", "b2", "c2", rest=1.0)
        assert played(table.wait(60)) == "@b1"
        assert (table.phase, table.shown(CellRole.PENDING)) == ("differs", [])
        assert table.messages[-1] == Message("mismatch.stood_so", count=1)

    def test_board_is_right_command_undoes_scoring_turn(self):
        table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2", "c2", "b1", rest=0.5)
        send(put_pieces(table, "a2", "b2", "c2"), BoardIsRight)
        assert (played(table), table.position) == ("", Position.from_notation(ABOUT_TO_SCORE))
        assert table.wait(SHORT_REST).at_rest()

    def test_turn_before_scoring_turn_is_not_undone_by_hand(self):
        table = put_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "d3"), "b4")
        assert played(table) == "@d3 @b4"
        lift_pieces(put_pieces(table, "b1"), "a2", "b2", "c2", rest=0.5)
        put_pieces(table.lift("b1", "b4"), "a2", "b2", "c2", rest=0.0)
        assert played(table.wait(60)) == "@d3 @b4 @b1"

    def test_undo_key_undoes_scoring_turn(self):
        table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2", "c2", rest=0.5)
        assert follow_lamps(send(table, UndoTurns).wait(SHORT_REST)) == 3
        assert table.position == Position.from_notation(ABOUT_TO_SCORE)
        assert table.at_rest()

    def test_undoing_two_turns_takes_six_seconds(self):
        table = lift_pieces(put_pieces(make_table(), "c3", "c2", rest=1.0), "c2", "c3")
        assert table.messages[0] == take_back(2, 6.0)
        assert played(table.wait(FURTHER_CONFIRM_SECONDS - SHORT_REST)) == "@c3 @c2"
        assert played(table.wait(SHORT_REST)) == ""
        assert table.messages[0] == Message("undo.done", count=2)

    def test_stopping_halfway_undoes_one_turn(self):
        table = lift_pieces(put_pieces(make_table(), "c3", "c2", rest=1.0), "c2").wait(HOLD)
        assert played(table) == "@c3"

    def test_resignation_is_not_undone_by_hand(self):
        table = put_pieces(make_table(), "c3")
        send(table, ResignGame)
        lift_pieces(table, "c3").wait(60)
        assert (played(table), table.phase) == ("@c3", "over")
        assert table.messages == (Message("outcome.resignation", winner="light", loser="dark"),)

    def test_only_undo_key_undoes_winning_turn(self):
        table = put_pieces(make_table("..../..../TeT./.... l 2 3 9 9"), "b1")
        assert (table.phase, table.messages[-2:]) == ("over", (LIGHT_WINS, take_off("a2", "b2", "c2")))
        assert table.shown(CellRole.TAKE_OFF) == ["a2", "b2", "c2"]
        lift_pieces(table, "a2", "b2", "c2").wait(30)
        assert (played(table), table.phase) == ("@b1", "over")
        lift_pieces(put_pieces(table, "c2", "b2", "a2"), "b1").wait(60)
        assert (played(table), table.shown(CellRole.PENDING)) == ("@b1", [])
        assert played(send(table, UndoTurns).wait(SHORT_REST)) == ""
        assert table.at_rest()

    def test_winning_turn_not_yet_on_board_is_not_undone(self):
        table = make_table("..../..../TeT./.... l 2 3 9 9")
        send(table, TakeAction, action=Action.from_notation("@b1")).wait(5)
        table.drop("d4").wait(0.1).lift("d4").wait(60)  # a finger points at the board
        assert (played(table), table.phase, table.shown(CellRole.PENDING)) == ("@b1", "differs", [])
        assert table.shown(CellRole.PUT) == ["b1"]

    def test_extra_piece_after_the_end_is_reported(self):
        table = put_pieces(make_table("..../..../TeT./.... l 2 3 9 9"), "b1")
        lift_pieces(table, "a2", "b2", "c2")
        table.drop("d1").wait(SHORT_REST)
        assert (table.phase, table.messages) == (
            "differs",
            (Message("illegal.game_over"), Message("repair.take_off", cell="d1")),
        )
        assert table.shown(CellRole.TAKE_OFF) == ["d1"]
        assert (table.lift("d1").wait(SHORT_REST).phase, table.messages) == ("over", (LIGHT_WINS,))

    def test_pieces_can_be_put_away_after_the_end(self):
        table = lift_pieces(put_pieces(make_table(), "c3"), "c3")
        send(table, ResignGame)
        for cell in sorted(table.session.position.pieces.keys() & table.detected)[:-1]:
            assert (lift_pieces(table, cell).phase, table.shown(CellRole.PUT)) == ("over", [])

    def test_last_turn_on_screen_is_completed_by_hand(self):
        table = make_table("..../..../TeT./.... l 2 3 9 9")
        send(table, TakeAction, action=Action.from_notation("@b1")).wait(SHORT_REST)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["b1"])
        assert (table.drop("b1").wait(SHORT_REST).phase, table.shown(CellRole.PUT)) == ("over", [])

    def test_undo_by_hand_includes_program_turn(self):
        table = make_table()
        table.session = table.session.with_human_sides((LIGHT,))
        put_pieces(table, "c3")
        send(table, TakeAction, action=Action.from_notation("d4d3")).wait(SHORT_REST)
        assert follow_lamps(table) == 1
        put_pieces(lift_pieces(table, "d3"), "d4")
        assert "pending.take_back" not in ids(table.messages)  # a program's turn can't be undone alone
        assert played(table.wait(60)) == "@c3 d4d3"
        lift_pieces(table, "c3")
        assert table.messages[0] == take_back(2)
        assert played(table.wait(HOLD)) == ""
        assert table.at_rest()


# Menu


class TestMenu:
    def clear_board(self, table):
        return table.lift(*table.detected).wait(SHORT_REST)

    def name_ponds(self, **ponds):
        return tuple(Message("menu.pond", cell=cell, variant=pond) for cell, pond in ponds.items())

    def test_menu_opens_when_board_is_empty_for_three_seconds(self):
        table = self.clear_board(make_table())
        assert table.phase == "differs"
        assert len(table.shown(CellRole.PENDING)) == 16
        assert table.messages == (Message("pending.another_game", seconds=3.0),)
        assert table.wait(HOLD - SHORT_REST).phase == "differs"
        assert table.wait(SHORT_REST).phase == "menu"
        assert table.shown(CellRole.DEFAULT_CHOICE) == ["a1"]
        assert table.shown(CellRole.CHOICE) == ["b1", "c1", "d1", "a3"]
        assert table.messages == (
            Message("menu.choose", choices=self.name_ponds(a1="standard", b1="mini", c1="small-11", d1="small-14")),
            Message("menu.help", cell="a3"),
            Message("menu.go_on"),
        )

    @pytest.mark.parametrize(
        ("cell", "pond"), [("a1", "standard"), ("b1", "mini"), ("c1", "small-11"), ("d1", "small-14")]
    )
    def test_placing_and_removing_piece_chooses_variant(self, cell, pond):
        table = put_pieces(self.clear_board(make_table()).wait(HOLD), cell)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("menu", [cell])
        assert table.messages == (Message("menu.picked", cell=cell, variant=pond),)
        table.wait(A_DAY)
        assert table.phase == "menu"
        lift_pieces(table, cell)
        assert table.session.variant == parse_variant(pond)
        assert (played(table), table.phase) == ("", "act")
        assert table.position == Position.start(parse_variant(pond))
        assert played(put_pieces(table, "b2")) == "@b2"

    def test_two_pieces_choose_nothing(self):
        table = put_pieces(self.clear_board(make_table()).wait(HOLD), "b1", "d4")
        assert (table.session.variant, table.phase) == (STANDARD, "differs")
        assert follow_lamps(table) == 4
        assert table.at_rest()

    def test_putting_pieces_back_closes_menu(self):
        table = put_pieces(make_table(), "c3")
        self.clear_board(table).wait(HOLD)
        assert table.phase == "menu"
        put_pieces(table, "d4", "a1", "b2", "c3", "a4", "d1")
        assert (played(table), table.phase) == ("@c3", "act")
        assert table.position.piece_at("b2")

    def test_piece_outside_menu_cells_closes_menu(self):
        table = put_pieces(self.clear_board(make_table()).wait(HOLD), "b2")
        assert table.phase == "differs"
        assert follow_lamps(table) == 4
        assert table.at_rest()

    def test_touch_cancels_menu_opening(self):
        table = self.clear_board(make_table()).wait(2.5)
        put_pieces(table, "a1", "a4", "d4", "b2", "d1").wait(30)
        assert (played(table), table.phase) == ("", "act")

    def test_current_unnamed_variant_is_in_menu(self):
        table = put_pieces(make_empty_table(parse_variant("4x4/6/6")), "a1", "d4")
        self.clear_board(table).wait(HOLD)
        assert table.shown(CellRole.DEFAULT_CHOICE) == ["a2"]
        assert self.name_ponds(a2="4x4/6/6")[0] in table.named
        lift_pieces(put_pieces(table, "a2"), "a2")
        assert (played(table), table.session.variant) == ("", parse_variant("4x4/6/6"))

    def test_five_row_board_has_seven_variants(self):
        table = put_pieces(make_empty_table(parse_variant("5x5/7/4")), "a1", "e5")
        self.clear_board(table).wait(HOLD)
        assert table.shown(CellRole.CHOICE, CellRole.DEFAULT_CHOICE) == ["a1", "b1", "c1", "d1", "e1", "a2", "b2", "a4"]
        ponds = self.name_ponds(c1="big", d1="small-11", e1="small-14", a2="big-15", b2="5x5/7/4")
        assert set(ponds) < table.named
        lift_pieces(put_pieces(table, "c1"), "c1")
        assert (table.session.variant, table.phase) == (VARIANTS["big"], "act")

    def test_menu_depends_on_board_size(self):
        table = put_pieces(make_empty_table(VARIANTS["mini"], 5), "a1", "c3")
        self.clear_board(table).wait(HOLD)
        assert table.shown(CellRole.DEFAULT_CHOICE) == ["b1"]
        lift_pieces(put_pieces(table, "c1"), "c1")
        assert table.session.variant == VARIANTS["big"]

    def test_removing_two_placed_pieces_before_play_opens_menu(self):
        table = self.clear_board(put_pieces(make_empty_table(), "b2", "c3"))
        assert table.wait(HOLD).phase == "menu"

    def test_removing_first_egg_undoes_instead_of_opening_menu(self):
        table = self.clear_board(put_pieces(make_empty_table(), "b2")).wait(30)
        assert (played(table), table.phase) == ("", "act")

    @pytest.mark.parametrize("left", ["b1", None])
    def test_clearing_last_pieces_after_the_end_opens_menu(self, left):
        line = "..../..../TeT./.... l 2 3 9 9" if left else "..../..../E.E./.T.. l 1 4 9 9"
        table = put_pieces(make_table(line), "b1") if left else put_pieces(lift_pieces(make_table(line), "b1"), "b2")
        assert table.session.is_over
        lift_pieces(table, "a2", "b2", "c2", *filter(None, [left])).wait(HOLD + 1.0)
        assert table.phase == "menu"
        lift_pieces(put_pieces(table, "b1"), "b1")
        assert (table.session.variant.name, table.phase) == ("mini", "act")

    def test_cleared_board_after_the_end_opens_menu(self):
        table = put_pieces(make_table(), "c3")
        send(table, ResignGame)
        self.clear_board(table).wait(HOLD)
        assert table.phase == "menu"
        lift_pieces(put_pieces(table, "b1"), "b1")
        assert (table.session.variant.name, table.phase) == ("mini", "act")
