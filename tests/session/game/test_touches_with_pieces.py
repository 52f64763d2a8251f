"""Boards with pieces: pieces present at the start, and turns from screens and programs."""

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
from tests.session.pieces.helpers import (
    ABOUT_TO_SCORE,
    BOARD_DIFFERS,
    QUIET,
    QUIET_DARK_TO_MOVE,
    SHORT_REST,
    extra,
    follow_lamps,
    lift_pieces,
    make_empty_table,
    make_gesture,
    make_table,
    missing,
    offer,
    played,
    prompt,
    put,
    put_back,
    put_pieces,
    send,
    take_back,
    turn_over,
)
from tests.session.pieces.oracle import sensor_changes
from tests.session.tables import HOLD, PiecesTable

# Start of the sensors, screens and programs


class TestPiecesAlreadyOnBoard:
    def test_slow_chips_delay_grace_period(self):
        table = make_empty_table().wait(3.0)
        table.session = table.session.after_wakeup(table.time)
        put_pieces(table, "b2", rest=2.0)
        assert (played(table), table.phase) == ("", "differs")

    def wake_up(self, *cells):
        table = PiecesTable(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0)))
        for cell in cells:
            table.drop(cell).wait(0.05)
        return table.wait(2.0)

    def test_game_can_start_on_empty_board(self):
        assert played(put_pieces(self.wake_up(), "b2")) == "@b2"

    @pytest.mark.parametrize("cells", [("b2",), ("b2", "c3"), ("a1", "b2", "c3", "d4")])
    def test_pieces_at_start_must_be_removed(self, cells):
        table = self.wake_up(*cells)
        assert (played(table), table.phase) == ("", "differs")
        assert table.messages[:2] == (BOARD_DIFFERS, extra(*cells))
        assert follow_lamps(table) == len(cells)
        assert table.at_rest()
        assert played(put_pieces(table, "b2")) == "@b2"

    def test_messages_wait_for_all_pieces(self):
        table = PiecesTable(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0)))
        table.drop("b2").wait(0.4).drop("c3").wait(0.4)
        assert (table.phase, table.messages) == ("act", (prompt("light", "place"),))
        table.wait(0.5)
        assert (table.phase, played(table)) == ("differs", "")
        assert extra("b2", "c3") in table.messages

    def test_piece_at_start_counts_when_put_down_again(self):
        table = self.wake_up("b2")
        assert table.messages[-1] == offer("b2")
        assert played(make_gesture(table, "b2")) == "@b2"

    def test_board_is_right_counts_piece_present_at_start(self):
        table = send(self.wake_up("b2"), BoardIsRight)
        assert (played(table), table.phase) == ("@b2", "act")


class TestScreensAndPrograms:
    def test_lamps_show_program_turn(self):
        table = make_table()
        table.session = table.session.with_human_sides((LIGHT,))
        put_pieces(table, "c3")
        send(table, TakeAction, action=Action.from_notation("d4d3")).wait(SHORT_REST)
        assert (table.phase, table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == ("differs", ["d4"], ["d3"])
        assert put_back("frog", "d4", "d3", "dark") in table.messages
        assert follow_lamps(table) == 1
        assert (table.phase, table.shown(CellRole.FLIP)) == ("act", ["c3"])

    def test_program_piece_fills_cell_just_left(self):
        table = make_table(".f../..../.T../.... l 12 12 0 0")
        table.session = table.session.with_human_sides((LIGHT,))
        put_pieces(lift_pieces(table.wait(5.0), "b2"), "a2").wait(5.0)
        send(table, TakeAction, action=Action.from_notation("b4b2")).wait(SHORT_REST)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b4"], ["b2"])
        assert follow_lamps(table) == 1

    def test_slow_slide_replaces_turn_until_reply(self):
        table = make_table("..../..../..../F..e l 12 12 0 0")
        table.session = table.session.with_human_sides((LIGHT,))
        put_pieces(lift_pieces(table.wait(5.0), "a1"), "b1").wait(1.5)
        assert played(table) == "a1b1"
        put_pieces(lift_pieces(table, "b1"), "c1").wait(SHORT_REST)
        assert (played(table), table.phase) == ("a1b1", "differs")
        table.wait(CONFIRM_SECONDS)
        assert (played(table), table.phase) == ("a1c1", "act")

    def test_illegal_slow_slide_must_be_undone(self):
        table = make_table("..../..../..../F..e l 12 12 0 0")
        table.session = table.session.with_human_sides((LIGHT,))
        put_pieces(lift_pieces(table.wait(5.0), "a1"), "b1").wait(1.5)
        put_pieces(lift_pieces(table, "b1"), "b4").wait(60)
        assert (played(table), table.phase) == ("a1b1", "differs")

    def test_piece_moved_twice_must_go_back(self):
        table = make_table("..../..../..../T..e l 12 12 0 0")
        put_pieces(lift_pieces(table.wait(5.0), "a1"), "b1").wait(1.5)
        put_pieces(lift_pieces(table, "b1"), "a2").wait(60)
        assert (played(table), table.phase) == ("a1b1", "differs")

    @pytest.mark.parametrize("human_sides", [(LIGHT, DARK), (LIGHT,)])
    @pytest.mark.parametrize("dwell", [0.1, 0.3, 0.6, 1.0, 1.6, 5.0])
    def test_frog_resting_halfway_makes_one_move(self, human_sides, dwell):
        table = make_table("..../..../..../F..e l 12 12 0 0")
        table.session = table.session.with_human_sides(human_sides)
        table.drop("b1").wait(0.05).lift("a1").wait(dwell)
        table.drop("c1").wait(0.05).lift("b1").wait(HOLD + SHORT_REST)
        assert (played(table), table.phase) == ("a1c1", "act")

    def test_lamps_request_turn_taken_on_screen(self):
        table = send(make_table(), TakeAction, action=Action.from_notation("@c3")).wait(SHORT_REST)
        assert table.messages[-1] == put("egg", "c3")

    def test_lifting_program_piece_is_not_a_turn(self):
        table = make_table()
        table.session = table.session.with_human_sides((LIGHT,))
        table.drop("c3").wait(0.1).lift("d4").wait(SHORT_REST)
        assert (played(put_pieces(table, "d4")), table.phase) == ("", "differs")

    def test_program_egg_is_placed_on_lit_cell(self):
        table = make_table(QUIET_DARK_TO_MOVE)
        table.session = table.session.with_human_sides((LIGHT,))
        send(table.wait(SHORT_REST), TakeAction, action=Action.from_notation("@c3")).wait(SHORT_REST)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["c3"])
        assert put("egg", "c3", "dark") in table.messages
        put_pieces(table, "c3")
        assert (played(table), table.phase) == ("@c3", "act")

    def test_piece_placed_by_hand_is_not_a_program_turn(self):
        table = make_table(QUIET_DARK_TO_MOVE)
        table.session = table.session.with_human_sides((LIGHT,))
        put_pieces(table.wait(SHORT_REST), "c3")
        assert (played(table), table.phase) == ("", "differs")
        lift_pieces(table, "c3", "d4")
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["d4"])
        assert not table.shown(CellRole.TARGET)
        assert table.messages == (missing("d4"), put("frog", "d4", "dark"))
        put_pieces(table, "d4")
        assert (played(table), table.phase) == ("", "act")

    def test_two_quick_turns_cannot_include_program_turn(self):
        table = make_table(QUIET_DARK_TO_MOVE)
        table.session = table.session.with_human_sides((LIGHT,))
        for cell, there in sensor_changes(Action.from_notation("d4d3"), Action.from_notation("b2c2")):
            table.touch(cell, there).wait(0.05)
        assert (played(table.wait(60)), table.phase) == ("", "differs")

    def test_lamps_guide_undo_and_redo_on_screen(self):
        table = put_pieces(make_table(), "c3", "c2", rest=1.0)
        send(table, UndoTurns).wait(SHORT_REST)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("differs", ["c2"])
        assert follow_lamps(table) == 1
        assert (played(table), table.phase) == ("@c3", "act")
        send(table, RedoTurns).wait(SHORT_REST)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["c2"])
        assert follow_lamps(table) == 1
        assert (played(table), table.phase) == ("@c3 @c2", "act")

    def test_lamps_ask_for_scored_pieces_after_undo(self):
        table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2", "c2", rest=1.0)
        send(table, UndoTurns).wait(SHORT_REST)
        assert table.phase == "differs"
        assert follow_lamps(table) == 4 - 1  # the egg from b1 is nearest for one of them
        assert table.at_rest()

    def test_lamps_ask_for_single_scored_piece_after_undo(self):
        table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2", "c2", rest=1.0)
        send(table, UndoTurns).wait(SHORT_REST)
        put_pieces(lift_pieces(table, "b1"), "b2", "c2", rest=1.0)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a2"])
        assert played(put_pieces(table, "a2")) == ""
        assert table.at_rest()

    def test_undo_asks_to_flip_pieces_back(self):
        table = put_pieces(make_table(), "b1")  # a1 and b2 develop, and a1 is turned over
        assert table.session.board_state.tasks.cells_to_flip == {"a1", "b2"}
        make_gesture(table, "a1")
        lift_pieces(send(table, UndoTurns), "b1")
        assert (table.phase, table.session.board_state.tasks.cells_to_flip, table.shown(CellRole.FLIP)) == (
            "act",
            {"a1"},
            ["a1"],
        )
        assert turn_over("a1") in table.messages
        assert make_gesture(table, "a1").session.board_state.tasks.cells_to_flip == frozenset()

    def test_redo_cancels_flipping_back(self):
        table = make_gesture(put_pieces(make_table(), "b1"), "a1")
        send(send(table, UndoTurns), RedoTurns).wait(SHORT_REST)
        assert table.session.board_state.tasks.cells_to_flip == {"b2"}

    def test_undo_by_hand_asks_to_flip_pieces_back(self):
        table = lift_pieces(make_gesture(put_pieces(make_table(), "b1"), "a1"), "b1").wait(HOLD)
        assert (table.actions, table.session.board_state.tasks.cells_to_flip) == ((), {"a1"})

    def test_scored_pieces_still_on_board_may_stay(self):
        table = send(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), UndoTurns).wait(SHORT_REST)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("differs", ["b1"])
        assert follow_lamps(table) == 1
        assert table.at_rest()

    def test_new_game_forgets_scored_cells(self):
        table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2", "c2")
        follow_lamps(send(table, NewGame, variant=STANDARD).wait(SHORT_REST))
        assert played(put_pieces(table.wait(2.0), "a2")) == "@a2"

    def test_new_game_asks_for_empty_board(self):
        table = send(put_pieces(make_table(), "c3"), NewGame, variant=VARIANTS["mini"]).wait(SHORT_REST)
        assert table.phase == "differs"
        assert table.messages[:2] == (BOARD_DIFFERS, extra("a1", "a4", "b2", "c3", "d1", "d4"))
        table.wait(600)  # there is no time limit
        assert follow_lamps(table) == 6
        assert (table.at_rest(), table.session.variant.name) == (True, "mini")
        assert played(put_pieces(table, "b2")) == "@b2"

    def test_known_owner_of_unmoved_piece_is_remembered(self):
        table = lift_pieces(put_pieces(make_empty_table(), "b2", "c1"), "b2")
        send(table, UndoTurns).wait(SHORT_REST)
        assert table.messages[:3] == (BOARD_DIFFERS, missing("b2"), extra("c1"))
        assert not any(message_id.startswith("repair.move.") for message_id in ids(table.messages))  # it is dark's
        assert follow_lamps(table) == 2

    @pytest.mark.parametrize("gap", [0.0, 0.05])
    def test_repair_moves_first_piece_put_down(self, gap):
        # The frog lands between c2 and c1, and Dark's next egg lands nearer to the frog's old cell.
        table = make_table("..../..../F.../.... l 12 13 0 0").lift("a2").wait(0.8)
        table.drop("c1").wait(gap).drop("c2").wait(0.4).drop("a3").wait(SHORT_REST)
        assert table.phase == "differs"
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["c2"], ["a2"])

    def test_hovering_does_not_affect_repair_order(self):
        table = make_table("..../..../F.../.... l 12 13 0 0").drop("c2").wait(0.2).lift("c2").wait(5.0)
        table.lift("a2").wait(0.8).drop("c2").wait(0.1).drop("c1").wait(0.3).drop("a3").wait(SHORT_REST)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["c2"], ["a2"])

    def test_earlier_extra_piece_does_not_affect_repair_order(self):
        table = make_table("..../..../F.../.... l 12 13 0 0").drop("d4").drop("d3").wait(3.0)  # two eggs at once
        table.lift("a2").wait(0.8).drop("c2").wait(0.4).drop("a3").wait(SHORT_REST)
        steps = [
            (step.source, step.target) for step in table.session.board_state.confirmation.interpretation.repair_steps
        ]
        assert ("c2", "a2") in steps
        assert ("a3", "a2") not in steps

    def test_repair_prefers_much_closer_piece(self):
        table = make_table("..../..../..../E... l 12 13 0 0").lift("a1").wait(0.1).drop("d4").wait(0.2).drop("b1")
        table.wait(SHORT_REST)
        assert table.phase == "differs"
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b1"], ["a1"])

    def test_repair_never_uses_piece_that_was_there_before(self):
        table = (
            put_pieces(make_table(), "c3").drop("d3").drop("c4").wait(3.0)
        )  # two eggs at once, and then a frog disappears
        lift_pieces(table, "d4")
        assert table.messages[:3] == (BOARD_DIFFERS, missing("d4"), extra("c4", "d3"))
        assert (table.shown(CellRole.PUT), table.shown(CellRole.TAKE_OFF)) == ([], ["d3"])

    def test_early_egg_does_not_belong_to_program(self):
        table = make_table()
        table.session = table.session.with_human_sides((LIGHT,))
        put_pieces(table, "c3")
        send(table, TakeAction, action=Action.from_notation("@d3")).wait(SHORT_REST)
        assert table.messages == (put("egg", "d3", "dark"),)
        put_pieces(table, "c2")
        assert not any(message_id.startswith("repair.move.") for message_id in ids(table.messages))
        assert (played(table), follow_lamps(table)) == ("@c3 @d3", 2)

    def test_resignation_during_announced_undo_counts(self):
        table = lift_pieces(put_pieces(make_empty_table(), "b2", "c4"), "c4")
        assert table.messages[0] == take_back()
        send(table, ResignGame).wait(60)
        assert (played(table), table.phase) == ("@b2 @c4", "over")
        assert table.messages[0].id == "outcome.resignation"

    def test_set_up_on_empty_board_does_not_open_menu(self):
        table = send(make_empty_table(), SetUpGame, position=Position.from_notation(QUIET)).wait(600)
        assert (table.phase, table.shown(CellRole.CHOICE)) == ("differs", [])
        assert follow_lamps(table) == 5
        assert table.at_rest()

    def test_gestures_with_extra_piece_change_nothing(self):
        table = send(put_pieces(make_empty_table(), "b2", "d4"), UndoTurns)
        make_gesture(make_gesture(table.wait(SHORT_REST), "b2"), "b2")
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("differs", ["d4"])

    def test_pieces_outside_pond_do_not_open_menu(self):
        table = make_table("..../.E../..../.... l 12 13 0 0")
        send(send(table, MaskSensor, cell="b3"), ResignGame).wait(60)
        assert (table.phase, table.shown(CellRole.PENDING)) == ("over", [])


class TestImmediateReplyToProgram:
    """Light acts before the board has become stable after Dark's turn, which was made for a program."""

    def follow_program(self, action, **options):
        table = put_pieces(make_table(**options), "c3")
        table.session = table.session.with_human_sides((LIGHT,))
        return send(table, TakeAction, action=Action.from_notation(action)).wait(1.0)

    @pytest.mark.parametrize("owners", [False, True])
    @pytest.mark.parametrize("gap", [0.0, 0.1, 0.2, 0.3])
    def test_reply_counts_after_egg(self, gap, owners):
        table = (
            self.follow_program("@d3", owners=owners).drop("d3", owner=DARK).wait(gap).drop("c1", owner=LIGHT).wait(0.5)
        )
        assert (played(table), table.phase) == ("@c3 @d3 @c1", "act")

    @pytest.mark.parametrize("gap", [0.0, 0.1, 0.2])
    def test_reply_counts_after_move_in_either_order(self, gap):
        table = self.follow_program("d4d3").lift("d4").wait(0.4).drop("d3").wait(gap).drop("c1").wait(0.5)
        assert played(table) == "@c3 d4d3 @c1"
        table = self.follow_program("d4d3").lift("d4").wait(0.4).drop("c1").wait(gap).drop("d3").wait(0.5)
        assert played(table) == "@c3 d4d3 @c1"

    def test_unmoved_program_piece_is_not_an_action(self):
        """Dark's frog is still on d4, and another piece is already on d3."""
        table = self.follow_program("d4d3").drop("d3").wait(5)
        assert (played(table), table.phase) == ("@c3 d4d3", "differs")

    def test_misplaced_egg_is_not_an_action_once_reported(self):
        table = put_pieces(self.follow_program("@d3"), "d2", "d3").wait(5)
        assert (played(table), table.phase) == ("@c3 @d3", "differs")


def after_accident(line, *eggs):
    """Return a table after eggs were swept away and put back. Nothing counts until the board is stable and matches the game."""
    return make_table(line).lift(*eggs).wait(SHORT_REST).drop(*eggs).wait(0.05)


class TestBoardIsRight:
    def test_program_turn_is_refused(self):
        table = put_pieces(make_table(), "c3")
        table.session = table.session.with_human_sides((LIGHT,))
        send(table, TakeAction, action=Action.from_notation("@d3")).wait(SHORT_REST)
        assert "mismatch.stood_so" not in ids(table.messages)
        send(table, BoardIsRight)
        assert played(table) == "@c3 @d3"

    def test_ended_game_is_refused(self):
        table = send(put_pieces(make_table(), "c3"), ResignGame)
        send(lift_pieces(table, "c3"), BoardIsRight)
        assert (played(table), table.phase) == ("@c3", "over")
        assert table.messages == (Message("board.game_ended"),)

    def test_only_current_pieces_count(self):
        table = put_pieces(lift_pieces(make_table().lift("a1"), "b2").drop("b3").wait(SHORT_REST), "a1")
        table.lift("b3")  # which was still before
        send(table, BoardIsRight)
        assert played(table) == ""

    def test_restoring_earlier_position_undoes_turns(self):
        table = put_pieces(make_table(), "c3", "c2", "d2", rest=1.0)
        table.lift("c3", "c2", "d2").wait(SHORT_REST)
        assert table.messages[-1] == Message("mismatch.stood_so", count=3)
        send(table, BoardIsRight)
        assert (played(table), table.phase) == ("", "act")
        assert table.messages[0] == Message("undo.done", count=3)

    def test_single_explaining_turn_is_played(self):
        table = put_pieces(make_table().lift("a1", "b2"), "b3", "a1")
        assert (played(table), table.phase) == ("", "differs")
        assert table.messages[-1] == offer("b3")
        send(table, BoardIsRight)
        assert (played(table), table.phase) == ("b2b3", "act")

    def test_several_explaining_turns_are_played(self):
        table = after_accident(QUIET, "a1", "a4").drop("c3").wait(0.1).drop("c2").wait(0.1)
        table.lift("d1").wait(0.1).drop("d3").wait(0.1).drop("b1").wait(SHORT_REST)
        assert (played(table), table.phase) == ("", "differs")
        send(table, BoardIsRight)
        assert (played(table), table.phase) == ("@c3 @c2 d1d3 @b1", "act")

    def test_impossible_order_is_not_played(self):
        table = after_accident(QUIET, "a1", "a4").drop("c3").wait(0.1).drop("c2").wait(0.1)
        table.drop("d3").wait(0.5).lift("d1").wait(0.1).drop("b1").wait(SHORT_REST)
        send(table, BoardIsRight)
        assert (played(table), table.messages) == ("", (Message("board.never_stood_so"),))

    def test_scoring_turn_with_removed_pieces_is_played(self):
        table = after_accident(ABOUT_TO_SCORE, "a1", "c1").drop("b1").wait(0.2)
        table.lift("a2", "b2", "c2").wait(0.2).drop("d3").wait(SHORT_REST)
        send(table, BoardIsRight)
        assert played(table) == "@b1 @d3"
        assert table.wait(SHORT_REST).at_rest()

    def test_announced_action_is_confirmed(self):
        table = make_table("...T/t.tf/...T/...T d 10 10 0 0").lift("d3").wait(0.5).drop("b3").wait(1.0)
        table.lift("b3").wait(0.5).drop("b3").wait(SHORT_REST)
        assert (played(table), table.shown(CellRole.PENDING)) == ("d3b3", ["b3"])
        send(table, BoardIsRight)
        assert played(table) == "d3b3 @b3"

    def test_ambiguous_order_is_not_played(self):
        table = after_accident(QUIET, "a1", "a4").drop("c3", "c2").wait(SHORT_REST)
        table.lift("c3").wait(SHORT_REST).drop("c3").wait(SHORT_REST).lift("c2").wait(SHORT_REST).drop("c2").wait(
            SHORT_REST
        )
        send(table, BoardIsRight)
        assert (played(table), table.messages) == ("", (Message("board.never_stood_so"),))

    def test_turns_by_non_alternating_owners_are_not_played(self):
        table = make_table(owners=True)
        table.lift("a4").drop("c3", owner=LIGHT).wait(0.5).drop("c2", owner=LIGHT).wait(0.5).drop("a4", owner=DARK)
        send(table.wait(SHORT_REST), BoardIsRight)
        assert (played(table), table.messages) == ("", (Message("board.never_stood_so"),))

    def test_unknown_position_is_refused(self):
        table = send(put_pieces(lift_pieces(make_table(), "a1"), "c1"), BoardIsRight)
        assert table.phase == "differs"
        assert table.messages == (Message("board.never_stood_so"),)
        assert follow_lamps(table) == 1

    def test_matching_board_changes_nothing(self):
        table = send(make_table(), BoardIsRight)
        assert (table.messages, table.phase) == ((Message("board.agrees"),), "act")

    def test_board_with_buttons_is_refused(self):
        session = Session.start_game(STANDARD).after(BoardIsRight(1.0))
        assert session.messages == (Message("board.has_buttons"),)


class TestSettingUp:
    POSITION = Position.from_notation("..../.t../.T../.... d 12 12 0 0")

    def test_matching_position_starts_at_once(self):
        table = make_table()
        table.lift(*table.detected).drop("b2", "b3").wait(SHORT_REST)
        send(table, SetUpGame, position=self.POSITION).wait(SHORT_REST)
        assert (table.phase, table.position, played(table)) == ("act", self.POSITION, "")
        assert table.messages == (Message("game.set_up"), prompt("dark"))
        assert played(put_pieces(lift_pieces(table, "b3"), "c3")) == "b3c3"

    def test_last_piece_is_removed_after_another_is_placed(self):
        table = make_table("..../..../..../E... l 12 13 0 0")
        send(table, SetUpGame, position=Position.from_notation("...e/..../..../.... l 13 12 0 0")).wait(SHORT_REST)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == ([], ["d4"])
        assert follow_lamps(table) == 2
        assert table.at_rest()

    def test_lamps_guide_set_up(self):
        table = send(make_table(), SetUpGame, position=self.POSITION).wait(SHORT_REST)
        assert table.phase == "differs"
        assert table.messages[:3] == (BOARD_DIFFERS, missing("b3"), extra("a1", "a4", "d1", "d4"))
        follow_lamps(table)
        assert table.at_rest()
        assert table.position == self.POSITION

    def test_unknown_owner_may_be_either_side(self):
        table = (
            PiecesTable(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0))).drop("b4").wait(2.0)
        )
        send(table, SetUpGame, position=Position.from_notation("e.../..../..../.... l 13 12 0 0")).wait(SHORT_REST)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b4"], ["a4"])

    def test_position_for_larger_board_is_refused(self):
        table = send(make_table(), SetUpGame, position=Position.start(VARIANTS["big"]))
        assert table.messages == (Message("variant.does_not_fit", variant="big", size=5, board=4),)
        assert table.position == Position.from_notation(QUIET)
