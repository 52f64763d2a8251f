"""Pieces that stand there already, and what screens and programs do at a board with pieces."""

import pytest

from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, STANDARD, VARIANTS, Action, Position
from pond_hw.session import (
    BoardIsRight,
    BoardState,
    CellRole,
    MaskSensor,
    NewGame,
    RedoTurns,
    ResignGame,
    Session,
    SetUpGame,
    TakeAction,
    UndoTurns,
)
from pond_hw.session.pieces.interpretations import (
    CONFIRM_SECONDS,
)
from tests.messages.says import ids
from tests.session.pieces.oracle import changes
from tests.session.pieces.stories import (
    BREATH,
    DARKS,
    DIFFERS,
    PRESSED,
    QUIET,
    does,
    down,
    empty,
    extra,
    mend,
    missing,
    nod,
    offer,
    prompt,
    put,
    put_back,
    sit_down,
    take_back,
    taken,
    turn_over,
    up,
)
from tests.session.tables import HOLD, PiecesTable

# When the board wakes up, and when faces and programs do something


class TestPiecesThatStandThereAlready:
    def test_chips_that_took_long_to_open_leave_the_sensors_their_time(self):
        table = empty().wait(3.0)
        table.session = table.session.after_wakeup(table.time)
        down(table, "b2", rest=2.0)
        assert (taken(table), table.phase) == ("", "differs")

    def woken(self, *cells):
        table = PiecesTable(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0)))
        for cell in cells:
            table.drop(cell).wait(0.05)
        return table.wait(2.0)

    def test_nothing_there_is_a_game_that_may_begin(self):
        assert taken(down(self.woken(), "b2")) == "@b2"

    @pytest.mark.parametrize("cells", [("b2",), ("b2", "c3"), ("a1", "b2", "c3", "d4")])
    def test_are_no_turns_and_have_to_be_taken_off(self, cells):
        table = self.woken(*cells)
        assert (taken(table), table.phase) == ("", "differs")
        assert table.messages[:2] == (DIFFERS, extra(*cells))
        assert mend(table) == len(cells)
        assert table.at_rest()
        assert taken(down(table, "b2")) == "@b2"

    def test_are_all_waited_for_before_a_word_is_said(self):
        table = PiecesTable(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0)))
        table.drop("b2").wait(0.4).drop("c3").wait(0.4)
        assert (table.phase, table.messages) == ("act", (prompt("light", "place"),))
        table.wait(0.5)
        assert (table.phase, taken(table)) == ("differs", "")
        assert extra("b2", "c3") in table.messages

    def test_one_that_could_be_a_turn_becomes_one_when_it_is_put_down_again(self):
        table = self.woken("b2")
        assert table.messages[-1] == offer("b2")
        assert taken(nod(table, "b2")) == "@b2"

    def test_or_when_a_face_says_that_the_board_is_right(self):
        table = does(self.woken("b2"), BoardIsRight)
        assert (taken(table), table.phase) == ("@b2", "act")


class TestWhatFacesAndProgramsDo:
    def test_a_programs_turn_is_carried_out_as_the_lamps_say(self):
        table = sit_down()
        table.session = table.session.with_human_sides((LIGHT,))
        down(table, "c3")
        does(table, TakeAction, action=Action.from_notation("d4d3")).wait(BREATH)
        assert (table.phase, table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == ("differs", ["d4"], ["d3"])
        assert put_back("frog", "d4", "d3", "dark") in table.messages
        assert mend(table) == 1
        assert (table.phase, table.shown(CellRole.FLIP)) == ("act", ["c3"])

    def test_a_programs_piece_goes_where_a_persons_has_just_left(self):
        table = sit_down(".f../..../.T../.... l 12 12 0 0")
        table.session = table.session.with_human_sides((LIGHT,))
        down(up(table.wait(5.0), "b2"), "a2").wait(5.0)
        does(table, TakeAction, action=Action.from_notation("b4b2")).wait(BREATH)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b4"], ["b2"])
        assert mend(table) == 1

    def test_slow_slide_replaces_the_turn_until_the_program_answers(self):
        table = sit_down("..../..../..../F..e l 12 12 0 0")
        table.session = table.session.with_human_sides((LIGHT,))
        down(up(table.wait(5.0), "a1"), "b1").wait(1.5)
        assert taken(table) == "a1b1"
        down(up(table, "b1"), "c1").wait(BREATH)
        assert (taken(table), table.phase) == ("a1b1", "differs")
        table.wait(CONFIRM_SECONDS)
        assert (taken(table), table.phase) == ("a1c1", "act")

    def test_slow_slide_to_where_the_piece_may_not_go_is_sent_back(self):
        table = sit_down("..../..../..../F..e l 12 12 0 0")
        table.session = table.session.with_human_sides((LIGHT,))
        down(up(table.wait(5.0), "a1"), "b1").wait(1.5)
        down(up(table, "b1"), "b4").wait(60)
        assert (taken(table), table.phase) == ("a1b1", "differs")

    def test_piece_of_the_last_turn_is_sent_back_if_another_person_may_have_moved_it(self):
        table = sit_down("..../..../..../T..e l 12 12 0 0")
        down(up(table.wait(5.0), "a1"), "b1").wait(1.5)
        down(up(table, "b1"), "a2").wait(60)
        assert (taken(table), table.phase) == ("a1b1", "differs")

    @pytest.mark.parametrize("human_sides", [(LIGHT, DARK), (LIGHT,)])
    @pytest.mark.parametrize("dwell", [0.1, 0.3, 0.6, 1.0, 1.6, 5.0])
    def test_frog_that_rests_on_the_cell_between_makes_one_move(self, human_sides, dwell):
        table = sit_down("..../..../..../F..e l 12 12 0 0")
        table.session = table.session.with_human_sides(human_sides)
        table.drop("b1").wait(0.05).lift("a1").wait(dwell)
        table.drop("c1").wait(0.05).lift("b1").wait(HOLD + BREATH)
        assert (taken(table), table.phase) == ("a1c1", "act")

    def test_a_turn_that_a_face_has_taken_is_carried_out_and_not_taken_back(self):
        table = does(sit_down(), TakeAction, action=Action.from_notation("@c3")).wait(BREATH)
        assert table.messages[-1] == put("egg", "c3")

    def test_a_programs_piece_in_a_hand_is_no_second_turn(self):
        table = sit_down()
        table.session = table.session.with_human_sides((LIGHT,))
        table.drop("c3").wait(0.1).lift("d4").wait(BREATH)
        assert (taken(down(table, "d4")), table.phase) == ("", "differs")

    def test_an_egg_of_a_program_is_put_where_it_is_lit(self):
        table = sit_down(DARKS)
        table.session = table.session.with_human_sides((LIGHT,))
        does(table.wait(BREATH), TakeAction, action=Action.from_notation("@c3")).wait(BREATH)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["c3"])
        assert put("egg", "c3", "dark") in table.messages
        down(table, "c3")
        assert (taken(table), table.phase) == ("@c3", "act")

    def test_nobody_acts_for_a_program(self):
        table = sit_down(DARKS)
        table.session = table.session.with_human_sides((LIGHT,))
        down(table.wait(BREATH), "c3")
        assert (taken(table), table.phase) == ("", "differs")
        up(table, "c3", "d4")
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["d4"])
        assert not table.shown(CellRole.TARGET)
        assert table.messages == (missing("d4"), put("frog", "d4", "dark"))
        down(table, "d4")
        assert (taken(table), table.phase) == ("", "act")

    def test_nor_for_a_program_and_oneself_in_two_quick_turns(self):
        table = sit_down(DARKS)
        table.session = table.session.with_human_sides((LIGHT,))
        for cell, there in changes(Action.from_notation("d4d3"), Action.from_notation("b2c2")):
            table.touch(cell, there).wait(0.05)
        assert (taken(table.wait(60)), table.phase) == ("", "differs")

    def test_what_a_face_takes_back_or_plays_again_is_asked_for_by_light(self):
        table = down(sit_down(), "c3", "c2", rest=1.0)
        does(table, UndoTurns).wait(BREATH)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("differs", ["c2"])
        assert mend(table) == 1
        assert (taken(table), table.phase) == ("@c3", "act")
        does(table, RedoTurns).wait(BREATH)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["c2"])
        assert mend(table) == 1
        assert (taken(table), table.phase) == ("@c3 @c2", "act")

    def test_scored_pieces_that_a_face_brings_back_are_asked_for_by_light(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2", rest=1.0)
        does(table, UndoTurns).wait(BREATH)
        assert table.phase == "differs"
        assert mend(table) == 4 - 1  # the egg from b1 is the nearest for one of them
        assert table.at_rest()

    def test_the_last_piece_that_a_face_brings_back_is_asked_for_too_and_is_in_no_hand(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2", rest=1.0)
        does(table, UndoTurns).wait(BREATH)
        down(up(table, "b1"), "b2", "c2", rest=1.0)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a2"])
        assert taken(down(table, "a2")) == ""
        assert table.at_rest()

    def test_pieces_that_were_turned_over_are_turned_back(self):
        table = down(sit_down(), "b1")  # a1 and b2 develop, and a1 is turned over
        assert table.session.board_state.tasks.cells_to_flip == {"a1", "b2"}
        nod(table, "a1")
        up(does(table, UndoTurns), "b1")
        assert (table.phase, table.session.board_state.tasks.cells_to_flip, table.shown(CellRole.FLIP)) == (
            "act",
            {"a1"},
            ["a1"],
        )
        assert turn_over("a1") in table.messages
        assert nod(table, "a1").session.board_state.tasks.cells_to_flip == frozenset()

    def test_pieces_that_were_turned_over_and_not_yet_back_are_right_again_when_the_turn_is_played_again(self):
        table = nod(down(sit_down(), "b1"), "a1")
        does(does(table, UndoTurns), RedoTurns).wait(BREATH)
        assert table.session.board_state.tasks.cells_to_flip == {"b2"}

    def test_who_takes_a_turn_back_with_the_pieces_turns_back_what_was_turned_over(self):
        table = up(nod(down(sit_down(), "b1"), "a1"), "b1").wait(HOLD)
        assert (table.actions, table.session.board_state.tasks.cells_to_flip) == ((), {"a1"})

    def test_those_that_have_not_been_taken_off_yet_may_stay(self):
        table = does(down(sit_down(PRESSED), "b1"), UndoTurns).wait(BREATH)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("differs", ["b1"])
        assert mend(table) == 1
        assert table.at_rest()

    def test_in_a_new_game_an_egg_where_something_scored_in_the_last_one_is_no_question(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2")
        mend(does(table, NewGame, variant=STANDARD).wait(BREATH))
        assert taken(down(table.wait(2.0), "a2")) == "@a2"

    def test_a_new_game_asks_for_an_empty_board(self):
        table = does(down(sit_down(), "c3"), NewGame, variant=VARIANTS["mini"]).wait(BREATH)
        assert table.phase == "differs"
        assert table.messages[:2] == (DIFFERS, extra("a1", "a4", "b2", "c3", "d1", "d4"))
        table.wait(600)  # nobody is in a hurry
        assert mend(table) == 6
        assert (table.at_rest(), table.session.variant.name) == (True, "mini")
        assert taken(down(table, "b2")) == "@b2"

    def test_whose_a_piece_is_that_has_stood_still_is_not_forgotten(self):
        table = up(down(empty(), "b2", "c1"), "b2")
        does(table, UndoTurns).wait(BREATH)
        assert table.messages[:3] == (DIFFERS, missing("b2"), extra("c1"))
        assert not any(message_id.startswith("repair.move.") for message_id in ids(table.messages))  # it is dark's
        assert mend(table) == 2

    @pytest.mark.parametrize("gap", [0.0, 0.05])
    def test_the_lamps_send_back_the_piece_that_was_put_down_first_not_one_that_came_later(self, gap):
        # The frog lands between c2 and c1, and dark's next egg comes to stand nearer to where the frog came from.
        table = sit_down("..../..../F.../.... l 12 13 0 0").lift("a2").wait(0.8)
        table.drop("c1").wait(gap).drop("c2").wait(0.4).drop("a3").wait(BREATH)
        assert table.phase == "differs"
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["c2"], ["a2"])

    def test_for_that_it_does_not_matter_that_a_hand_had_hovered_there_before(self):
        table = sit_down("..../..../F.../.... l 12 13 0 0").drop("c2").wait(0.2).lift("c2").wait(5.0)
        table.lift("a2").wait(0.8).drop("c2").wait(0.1).drop("c1").wait(0.3).drop("a3").wait(BREATH)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["c2"], ["a2"])

    def test_what_stood_there_before_a_piece_was_lifted_does_not_make_the_next_one_a_later_one(self):
        table = sit_down("..../..../F.../.... l 12 13 0 0").drop("d4").drop("d3").wait(3.0)  # two eggs at once
        table.lift("a2").wait(0.8).drop("c2").wait(0.4).drop("a3").wait(BREATH)
        mended = [
            (step.source, step.target) for step in table.session.board_state.confirmation.interpretation.repair_steps
        ]
        assert ("c2", "a2") in mended
        assert ("a3", "a2") not in mended

    def test_a_piece_close_by_is_sent_back_though_one_at_the_other_end_was_put_down_before_it(self):
        table = sit_down("..../..../..../E... l 12 13 0 0").lift("a1").wait(0.1).drop("d4").wait(0.2).drop("b1")
        table.wait(BREATH)
        assert table.phase == "differs"
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b1"], ["a1"])

    def test_the_lamps_never_put_a_piece_where_another_left_after_it_was_there(self):
        table = down(sit_down(), "c3").drop("d3").drop("c4").wait(3.0)  # two eggs at once, and then a frog disappears
        up(table, "d4")
        assert table.messages[:3] == (DIFFERS, missing("d4"), extra("c4", "d3"))
        assert (table.shown(CellRole.PUT), table.shown(CellRole.TAKE_OFF)) == ([], ["d3"])

    def test_an_egg_placed_before_the_programs_turn_was_followed_is_not_taken_for_the_programs(self):
        table = sit_down()
        table.session = table.session.with_human_sides((LIGHT,))
        down(table, "c3")
        does(table, TakeAction, action=Action.from_notation("@d3")).wait(BREATH)
        assert table.messages == (put("egg", "d3", "dark"),)
        down(table, "c2")
        assert not any(message_id.startswith("repair.move.") for message_id in ids(table.messages))
        assert (taken(table), mend(table)) == ("@c3 @d3", 2)

    def test_who_resigns_while_a_takeback_is_announced_has_resigned(self):
        table = up(down(empty(), "b2", "c4"), "c4")
        assert table.messages[0] == take_back()
        does(table, ResignGame).wait(60)
        assert (taken(table), table.phase) == ("@b2 @c4", "over")
        assert table.messages[0].id == "outcome.resignation"

    def test_a_position_that_was_set_up_on_an_empty_board_is_built_by_the_lamps_and_opens_no_menu(self):
        table = does(empty(), SetUpGame, position=Position.from_notation(QUIET)).wait(600)
        assert (table.phase, table.shown(CellRole.CHOICE)) == ("differs", [])
        assert mend(table) == 5
        assert table.at_rest()

    def test_two_nods_while_something_is_too_many_change_nothing(self):
        table = does(down(empty(), "b2", "d4"), UndoTurns)
        nod(nod(table.wait(BREATH), "b2"), "b2")
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("differs", ["d4"])

    def test_pieces_on_cells_that_are_not_asked_are_not_a_cleared_board(self):
        table = sit_down("..../.E../..../.... l 12 13 0 0")
        does(does(table, MaskSensor, cell="b3"), ResignGame).wait(60)
        assert (table.phase, table.shown(CellRole.PENDING)) == ("over", [])


class TestGoingOnAtOnceAfterAProgram:
    """Light's next action lands before the board has settled on what was done for Dark's program."""

    def asked(self, action, **how):
        table = down(sit_down(**how), "c3")
        table.session = table.session.with_human_sides((LIGHT,))
        return does(table, TakeAction, action=Action.from_notation(action)).wait(1.0)

    @pytest.mark.parametrize("owners", [False, True])
    @pytest.mark.parametrize("gap", [0.0, 0.1, 0.2, 0.3])
    def test_counts_after_an_egg(self, gap, owners):
        table = self.asked("@d3", owners=owners).drop("d3", owner=DARK).wait(gap).drop("c1", owner=LIGHT).wait(0.5)
        assert (taken(table), table.phase) == ("@c3 @d3 @c1", "act")

    @pytest.mark.parametrize("gap", [0.0, 0.1, 0.2])
    def test_counts_after_a_move_and_in_either_order(self, gap):
        table = self.asked("d4d3").lift("d4").wait(0.4).drop("d3").wait(gap).drop("c1").wait(0.5)
        assert taken(table) == "@c3 d4d3 @c1"
        table = self.asked("d4d3").lift("d4").wait(0.4).drop("c1").wait(gap).drop("d3").wait(0.5)
        assert taken(table) == "@c3 d4d3 @c1"

    def test_a_piece_that_nobody_has_moved_yet_is_no_action(self):
        """Dark's frog is still on d4, and another piece stands on d3 already."""
        table = self.asked("d4d3").drop("d3").wait(5)
        assert (taken(table), table.phase) == ("@c3 d4d3", "differs")

    def test_an_egg_on_a_wrong_cell_is_no_action_once_it_was_named(self):
        table = down(self.asked("@d3"), "d2", "d3").wait(5)
        assert (taken(table), table.phase) == ("@c3 @d3", "differs")


def swept(line, *eggs):
    """A board where a sleeve has just moved eggs about and back: nothing counts before all has agreed at rest."""
    return sit_down(line).lift(*eggs).wait(BREATH).drop(*eggs).wait(0.05)


class TestTheBoardIsRight:
    def test_of_a_programs_turn_it_is_not_asked(self):
        table = down(sit_down(), "c3")
        table.session = table.session.with_human_sides((LIGHT,))
        does(table, TakeAction, action=Action.from_notation("@d3")).wait(BREATH)
        assert "mismatch.stood_so" not in ids(table.messages)
        does(table, BoardIsRight)
        assert taken(table) == "@c3 @d3"

    def test_nor_of_a_game_that_the_players_have_ended(self):
        table = does(down(sit_down(), "c3"), ResignGame)
        does(up(table, "c3"), BoardIsRight)
        assert (taken(table), table.phase) == ("@c3", "over")
        assert table.messages == (Message("board.game_ended"),)

    def test_only_what_is_detected_now_counts(self):
        table = down(up(sit_down().lift("a1"), "b2").drop("b3").wait(BREATH), "a1")
        table.lift("b3")  # and before that has held still
        does(table, BoardIsRight)
        assert taken(table) == ""

    def test_if_it_stands_as_the_game_once_did(self):
        table = down(sit_down(), "c3", "c2", "d2", rest=1.0)
        table.lift("c3", "c2", "d2").wait(BREATH)
        assert table.messages[-1] == Message("mismatch.stood_so", count=3)
        does(table, BoardIsRight)
        assert (taken(table), table.phase) == ("", "act")
        assert table.messages[0] == Message("undo.done", count=3)

    def test_if_one_turn_explains_it(self):
        table = down(sit_down().lift("a1", "b2"), "b3", "a1")
        assert (taken(table), table.phase) == ("", "differs")
        assert table.messages[-1] == offer("b3")
        does(table, BoardIsRight)
        assert (taken(table), table.phase) == ("b2b3", "act")

    def test_several_turns_that_explain_it_are_played(self):
        table = swept(QUIET, "a1", "a4").drop("c3").wait(0.1).drop("c2").wait(0.1)
        table.lift("d1").wait(0.1).drop("d3").wait(0.1).drop("b1").wait(BREATH)
        assert (taken(table), table.phase) == ("", "differs")
        does(table, BoardIsRight)
        assert (taken(table), table.phase) == ("@c3 @c2 d1d3 @b1", "act")

    def test_not_if_a_piece_landed_before_it_left_its_cell(self):
        table = swept(QUIET, "a1", "a4").drop("c3").wait(0.1).drop("c2").wait(0.1)
        table.drop("d3").wait(0.5).lift("d1").wait(0.1).drop("b1").wait(BREATH)
        does(table, BoardIsRight)
        assert (taken(table), table.messages) == ("", (Message("board.never_stood_so"),))

    def test_a_turn_that_scored_and_was_tidied_up_is_one_of_them(self):
        table = swept(PRESSED, "a1", "c1").drop("b1").wait(0.2)
        table.lift("a2", "b2", "c2").wait(0.2).drop("d3").wait(BREATH)
        does(table, BoardIsRight)
        assert taken(table) == "@b1 @d3"
        assert table.wait(BREATH).at_rest()

    def test_it_confirms_what_is_announced(self):
        table = sit_down("...T/t.tf/...T/...T d 10 10 0 0").lift("d3").wait(0.5).drop("b3").wait(1.0)
        table.lift("b3").wait(0.5).drop("b3").wait(BREATH)
        assert (taken(table), table.shown(CellRole.PENDING)) == ("d3b3", ["b3"])
        does(table, BoardIsRight)
        assert taken(table) == "d3b3 @b3"

    def test_turns_in_an_order_that_nobody_knows_are_not_played(self):
        table = swept(QUIET, "a1", "a4").drop("c3", "c2").wait(BREATH)
        table.lift("c3").wait(BREATH).drop("c3").wait(BREATH).lift("c2").wait(BREATH).drop("c2").wait(BREATH)
        does(table, BoardIsRight)
        assert (taken(table), table.messages) == ("", (Message("board.never_stood_so"),))

    def test_turns_whose_owners_do_not_alternate_are_not_played(self):
        table = sit_down(owners=True)
        table.lift("a4").drop("c3", owner=LIGHT).wait(0.5).drop("c2", owner=LIGHT).wait(0.5).drop("a4", owner=DARK)
        does(table.wait(BREATH), BoardIsRight)
        assert (taken(table), table.messages) == ("", (Message("board.never_stood_so"),))

    def test_if_it_has_never_stood_so_there_are_the_lamps_and_setting_up(self):
        table = does(down(up(sit_down(), "a1"), "c1"), BoardIsRight)
        assert table.phase == "differs"
        assert table.messages == (Message("board.never_stood_so"),)
        assert mend(table) == 1

    def test_if_they_agree_there_is_nothing_to_decide(self):
        table = does(sit_down(), BoardIsRight)
        assert (table.messages, table.phase) == ((Message("board.agrees"),), "act")

    def test_a_board_of_buttons_has_no_opinion(self):
        session = Session.start_game(STANDARD).after(BoardIsRight(1.0))
        assert session.messages == (Message("board.has_buttons"),)


class TestSettingUp:
    POSITION = Position.from_notation("..../.t../.T../.... d 12 12 0 0")

    def test_a_position_that_stands_there_is_the_game_at_once(self):
        table = sit_down()
        table.lift(*table.detected).drop("b2", "b3").wait(BREATH)
        does(table, SetUpGame, position=self.POSITION).wait(BREATH)
        assert (table.phase, table.position, taken(table)) == ("act", self.POSITION, "")
        assert table.messages == (Message("game.set_up"), prompt("dark"))
        assert taken(down(up(table, "b3"), "c3")) == "b3c3"

    def test_the_last_piece_is_taken_off_when_another_stands_there_or_the_menu_would_open(self):
        table = sit_down("..../..../..../E... l 12 13 0 0")
        does(table, SetUpGame, position=Position.from_notation("...e/..../..../.... l 13 12 0 0")).wait(BREATH)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == ([], ["d4"])
        assert mend(table) == 2
        assert table.at_rest()

    def test_one_that_does_not_is_asked_for_by_light(self):
        table = does(sit_down(), SetUpGame, position=self.POSITION).wait(BREATH)
        assert table.phase == "differs"
        assert table.messages[:3] == (DIFFERS, missing("b3"), extra("a1", "a4", "d1", "d4"))
        mend(table)
        assert table.at_rest()
        assert table.position == self.POSITION

    def test_before_anything_has_agreed_a_piece_nearby_may_be_of_either_side(self):
        table = (
            PiecesTable(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0))).drop("b4").wait(2.0)
        )
        does(table, SetUpGame, position=Position.from_notation("e.../..../..../.... l 13 12 0 0")).wait(BREATH)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b4"], ["a4"])

    def test_one_for_a_larger_board_is_refused(self):
        table = does(sit_down(), SetUpGame, position=Position.start(VARIANTS["big"]))
        assert table.messages == (Message("variant.does_not_fit", variant="big", size=5, board=4),)
        assert table.position == Position.from_notation(QUIET)
