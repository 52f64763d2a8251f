"""Turns that are taken back by hand, and the menu of a cleared board."""

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
from tests.session.pieces.stories import (
    A_DAY,
    BREATH,
    LIGHT_WINS,
    PRESSED,
    does,
    down,
    empty,
    mend,
    nod,
    prompt,
    sit_down,
    take_back,
    take_off,
    taken,
    up,
)
from tests.session.tables import HOLD

# Taking back by hand


class TestTakingATurnBack:
    def test_a_placed_egg_is_taken_off_again(self):
        table = up(down(sit_down(), "c3"), "c3")
        assert table.phase == "differs"
        assert table.messages == (take_back(),)
        assert table.shown(CellRole.PENDING) == ["c3"]
        assert taken(table.wait(HOLD - BREATH)) == "@c3"
        table.wait(BREATH)
        assert (taken(table), table.phase) == ("", "act")
        assert table.messages == (Message("undo.done", count=1), prompt("light"))

    def test_a_piece_goes_back_to_where_it_came_from(self):
        table = down(up(down(up(sit_down(), "b2"), "c2").wait(5), "c2"), "b2")
        assert table.shown(CellRole.PENDING) == ["b2", "c2"]
        assert taken(table) == "b2c2"
        assert taken(table.wait(HOLD)) == ""
        assert table.at_rest()

    def test_any_hand_says_no(self):
        table = up(down(sit_down(), "c3"), "c3").wait(2.5)
        down(table, "c3").wait(10)
        assert (taken(table), table.phase) == ("@c3", "act")

    def test_who_has_said_no_may_still_say_yes_afterwards(self):
        table = up(nod(down(sit_down(), "c3"), "c3").wait(10), "c3")
        assert table.shown(CellRole.PENDING) == ["c3"]
        assert taken(table.wait(HOLD)) == ""

    def test_turn_that_scored_is_not_taken_back_by_hand(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2", rest=0.5)
        down(up(table, "b1"), "a2", "b2", "c2", rest=1.0)
        assert taken(table.wait(60)) == "@b1"
        assert (table.phase, table.shown(CellRole.PENDING)) == ("differs", [])
        assert table.messages[-1] == Message("mismatch.stood_so", count=1)

    def test_board_is_right_takes_back_a_turn_that_scored(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2", "b1", rest=0.5)
        does(down(table, "a2", "b2", "c2"), BoardIsRight)
        assert (taken(table), table.position) == ("", Position.from_notation(PRESSED))
        assert table.wait(BREATH).at_rest()

    def test_neither_is_the_turn_before_one_that_scored(self):
        table = down(down(sit_down(PRESSED), "d3"), "b4")
        assert taken(table) == "@d3 @b4"
        up(down(table, "b1"), "a2", "b2", "c2", rest=0.5)
        down(table.lift("b1", "b4"), "a2", "b2", "c2", rest=0.0)
        assert taken(table.wait(60)) == "@d3 @b4 @b1"

    def test_undo_key_leads_back_through_a_turn_that_scored(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2", rest=0.5)
        assert mend(does(table, UndoTurns).wait(BREATH)) == 3
        assert table.position == Position.from_notation(PRESSED)
        assert table.at_rest()

    def test_two_turns_take_six_seconds(self):
        table = up(down(sit_down(), "c3", "c2", rest=1.0), "c2", "c3")
        assert table.messages[0] == take_back(2, 6.0)
        assert taken(table.wait(FURTHER_CONFIRM_SECONDS - BREATH)) == "@c3 @c2"
        assert taken(table.wait(BREATH)) == ""
        assert table.messages[0] == Message("undo.done", count=2)

    def test_who_stops_on_the_way_back_by_two_takes_one_back(self):
        table = up(down(sit_down(), "c3", "c2", rest=1.0), "c2").wait(HOLD)
        assert taken(table) == "@c3"

    def test_nobody_takes_a_resignation_back_by_hand(self):
        table = down(sit_down(), "c3")
        does(table, ResignGame)
        up(table, "c3").wait(60)
        assert (taken(table), table.phase) == ("@c3", "over")
        assert table.messages == (Message("outcome.resignation", winner="light", loser="dark"),)

    def test_game_that_ended_with_a_score_is_taken_back_by_key_only(self):
        table = down(sit_down("..../..../TeT./.... l 2 3 9 9"), "b1")
        assert (table.phase, table.messages[-2:]) == ("over", (LIGHT_WINS, take_off("a2", "b2", "c2")))
        assert table.shown(CellRole.TAKE_OFF) == ["a2", "b2", "c2"]
        up(table, "a2", "b2", "c2").wait(30)
        assert (taken(table), table.phase) == ("@b1", "over")
        up(down(table, "c2", "b2", "a2"), "b1").wait(60)
        assert (taken(table), table.shown(CellRole.PENDING)) == ("@b1", [])
        assert taken(does(table, UndoTurns).wait(BREATH)) == ""
        assert table.at_rest()

    def test_a_turn_of_a_face_that_ends_the_game_is_not_taken_back_because_nobody_follows_it(self):
        table = sit_down("..../..../TeT./.... l 2 3 9 9")
        does(table, TakeAction, action=Action.from_notation("@b1")).wait(5)
        table.drop("d4").wait(0.1).lift("d4").wait(60)  # somebody points at the board
        assert (taken(table), table.phase, table.shown(CellRole.PENDING)) == ("@b1", "differs", [])
        assert table.shown(CellRole.PUT) == ["b1"]

    def test_what_is_too_many_when_the_game_is_over_is_named_and_led_away(self):
        table = down(sit_down("..../..../TeT./.... l 2 3 9 9"), "b1")
        up(table, "a2", "b2", "c2")
        table.drop("d1").wait(BREATH)
        assert (table.phase, table.messages) == (
            "differs",
            (Message("illegal.game_over"), Message("repair.take_off", cell="d1")),
        )
        assert table.shown(CellRole.TAKE_OFF) == ["d1"]
        assert (table.lift("d1").wait(BREATH).phase, table.messages) == ("over", (LIGHT_WINS,))

    def test_whoever_puts_the_pieces_in_their_box_then_is_asked_for_nothing(self):
        table = up(down(sit_down(), "c3"), "c3")
        does(table, ResignGame)
        for cell in sorted(table.session.position.pieces.keys() & table.detected)[:-1]:
            assert (up(table, cell).phase, table.shown(CellRole.PUT)) == ("over", [])

    def test_a_last_turn_that_a_face_took_is_followed_by_hand(self):
        table = sit_down("..../..../TeT./.... l 2 3 9 9")
        does(table, TakeAction, action=Action.from_notation("@b1")).wait(BREATH)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["b1"])
        assert (table.drop("b1").wait(BREATH).phase, table.shown(CellRole.PUT)) == ("over", [])

    def test_against_a_program_its_turn_goes_with_ones_own(self):
        table = sit_down()
        table.session = table.session.with_human_sides((LIGHT,))
        down(table, "c3")
        does(table, TakeAction, action=Action.from_notation("d4d3")).wait(BREATH)
        assert mend(table) == 1
        down(up(table, "d3"), "d4")
        assert "pending.take_back" not in ids(table.messages)  # nobody takes back a program's turn alone
        assert taken(table.wait(60)) == "@c3 d4d3"
        up(table, "c3")
        assert table.messages[0] == take_back(2)
        assert taken(table.wait(HOLD)) == ""
        assert table.at_rest()


# Another game, on the board alone


class TestTheMenu:
    def cleared(self, table):
        return table.lift(*table.detected).wait(BREATH)

    def test_opens_when_the_board_stays_empty_for_three_seconds(self):
        table = self.cleared(sit_down())
        assert table.phase == "differs"
        assert len(table.shown(CellRole.PENDING)) == 16
        assert table.messages == (Message("pending.another_game", seconds=3.0),)
        assert table.wait(HOLD - BREATH).phase == "differs"
        assert table.wait(BREATH).phase == "menu"
        assert table.shown(CellRole.DEFAULT_CHOICE) == ["a1"]
        assert table.shown(CellRole.CHOICE) == ["b1", "c1", "d1", "a3"]
        assert table.messages == (
            Message("menu.choose", choices=("a1 standard", "b1 mini", "c1 small-11", "d1 small-14")),
            Message("menu.help", cell="a3"),
            Message("menu.go_on"),
        )

    @pytest.mark.parametrize(
        ("cell", "pond"), [("a1", "standard"), ("b1", "mini"), ("c1", "small-11"), ("d1", "small-14")]
    )
    def test_a_piece_that_is_put_on_a_cell_and_taken_off_chooses(self, cell, pond):
        table = down(self.cleared(sit_down()).wait(HOLD), cell)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("menu", [cell])
        assert table.messages == (Message("menu.picked", cell=cell, variant=pond),)
        table.wait(A_DAY)
        assert table.phase == "menu"
        up(table, cell)
        assert table.session.variant == parse_variant(pond)
        assert (taken(table), table.phase) == ("", "act")
        assert table.position == Position.start(parse_variant(pond))
        assert taken(down(table, "b2")) == "@b2"

    def test_a_second_piece_beside_the_first_chooses_nothing(self):
        table = down(self.cleared(sit_down()).wait(HOLD), "b1", "d4")
        assert (table.session.variant, table.phase) == (STANDARD, "differs")
        assert mend(table) == 4
        assert table.at_rest()

    def test_putting_the_pieces_back_is_the_way_back(self):
        table = down(sit_down(), "c3")
        self.cleared(table).wait(HOLD)
        assert table.phase == "menu"
        down(table, "d4", "a1", "b2", "c3", "a4", "d1")
        assert (taken(table), table.phase) == ("@c3", "act")
        assert table.position.piece_at("b2")

    def test_a_piece_beside_the_lit_cells_is_the_first_that_comes_back(self):
        table = down(self.cleared(sit_down()).wait(HOLD), "b2")
        assert table.phase == "differs"
        assert mend(table) == 4
        assert table.at_rest()

    def test_a_hand_before_the_three_seconds_are_over_says_no(self):
        table = self.cleared(sit_down()).wait(2.5)
        down(table, "a1", "a4", "d4", "b2", "d1").wait(30)
        assert (taken(table), table.phase) == ("", "act")

    def test_a_pond_of_ones_own_is_among_the_choices(self):
        table = down(empty(parse_variant("4x4/6/6")), "a1", "d4")
        self.cleared(table).wait(HOLD)
        assert table.shown(CellRole.DEFAULT_CHOICE) == ["a2"]
        assert "a2 4x4/6/6" in table.named
        up(down(table, "a2"), "a2")
        assert (taken(table), table.session.variant) == ("", parse_variant("4x4/6/6"))

    def test_a_board_of_five_rows_has_seven_choices_with_a_pond_of_ones_own(self):
        table = down(empty(parse_variant("5x5/7/4")), "a1", "e5")
        self.cleared(table).wait(HOLD)
        assert table.shown(CellRole.CHOICE, CellRole.DEFAULT_CHOICE) == ["a1", "b1", "c1", "d1", "e1", "a2", "b2", "a4"]
        assert {"c1 big", "d1 small-11", "e1 small-14", "a2 big-15", "b2 5x5/7/4"} < table.named
        up(down(table, "c1"), "c1")
        assert (table.session.variant, table.phase) == (VARIANTS["big"], "act")

    def test_a_small_pond_on_a_large_board_keeps_the_menu_of_the_board(self):
        table = down(empty(VARIANTS["mini"], 5), "a1", "c3")
        self.cleared(table).wait(HOLD)
        assert table.shown(CellRole.DEFAULT_CHOICE) == ["b1"]
        up(down(table, "c1"), "c1")
        assert table.session.variant == VARIANTS["big"]

    def test_before_the_first_turn_two_pieces_and_off_again_open_it(self):
        table = self.cleared(down(empty(), "b2", "c3"))
        assert table.wait(HOLD).phase == "menu"

    def test_one_egg_that_is_taken_off_again_is_a_turn_taken_back_and_no_menu(self):
        table = self.cleared(down(empty(), "b2")).wait(30)
        assert (taken(table), table.phase) == ("", "act")

    @pytest.mark.parametrize("left", ["b1", None])
    def test_when_the_game_is_over_with_next_to_nothing_left_it_is_too(self, left):
        line = "..../..../TeT./.... l 2 3 9 9" if left else "..../..../E.E./.T.. l 1 4 9 9"
        table = down(sit_down(line), "b1") if left else down(up(sit_down(line), "b1"), "b2")
        assert table.session.is_over
        up(table, "a2", "b2", "c2", *filter(None, [left])).wait(HOLD + 1.0)
        assert table.phase == "menu"
        up(down(table, "b1"), "b1")
        assert (table.session.variant.name, table.phase) == ("mini", "act")

    def test_when_the_game_is_over_it_is_the_way_to_another(self):
        table = down(sit_down(), "c3")
        does(table, ResignGame)
        self.cleared(table).wait(HOLD)
        assert table.phase == "menu"
        up(down(table, "b1"), "b1")
        assert (table.session.variant.name, table.phase) == ("mini", "act")
