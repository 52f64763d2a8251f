"""Bad sensors, sensors that detect owners, and temporary sensor failures."""

import pytest

from pond_hw.messages.message import Message, as_message
from pond_hw.rules import DARK, LIGHT, STANDARD, Action, Position
from pond_hw.session import (
    CellRole,
    MaskSensor,
    Session,
    TakeAction,
    TroubleChanged,
)
from pond_hw.session.pieces.interpretations import (
    STUCK_SECONDS,
)
from pond_hw.session.pieces.sensors import FLICKER_SECONDS, RECENTLY_BAD_SECONDS, TRUST_AGAIN_SECONDS
from tests.session.pieces.helpers import (
    ABOUT_TO_SCORE,
    ASKS_FOR_GESTURE,
    BOARD_DIFFERS,
    QUIET,
    QUIET_DARK_TO_MOVE,
    SHORT_REST,
    flicker,
    follow_lamps,
    hover,
    lift_pieces,
    make_gesture,
    make_table,
    offer,
    played,
    prompt,
    put_pieces,
    question,
    send,
    take_back,
    take_off,
    turn_over,
    wait,
)
from tests.session.tables import HOLD, TIME_TOLERANCE, PiecesTable

# Bad sensors


class TestMaskedCell:
    def masked(self, *cells, line=QUIET):
        table = make_table(line)
        for cell in cells:
            send(table, MaskSensor, cell=cell)
        return table.wait(SHORT_REST)

    def test_masked_cell_is_shown(self):
        sights = self.masked("c3").session.view.cells
        assert [cell for cell, sight in sights.items() if sight.is_masked] == ["c3"]

    def test_changes_of_masked_sensor_are_ignored(self):
        table = flicker(self.masked("c3", "d1"), "c3", 5, every=1.0)
        flicker(table, "d1", 4, every=1.0)
        assert (played(table), table.phase) == ("", "act")

    def test_undetected_departure_is_inferred_if_unambiguous(self):
        table = self.masked("b2", line="E..f/..../.T../E..F l 0 12 9 0")  # no eggs are left
        assert played(put_pieces(table, "b3")) == "b2b3"

    def test_possible_actions_are_announced_in_turn(self):
        table = put_pieces(self.masked("b2"), "c2")
        assert (played(table), table.phase, table.shown(CellRole.PENDING)) == ("", "differs", ["c2"])
        assert table.messages == (question("@c2"), wait(), Message("pending.something_else"))
        make_gesture(table, "c2")
        assert table.shown(CellRole.PENDING) == ["b2", "c2"]
        assert table.messages[0] == question("b2c2")
        make_gesture(table, "c2")
        assert table.messages[0] == question("@c2")
        make_gesture(table, "c2").wait(HOLD)
        assert played(table) == "b2c2"

    def test_unambiguous_piece_counts_at_once(self):
        assert played(put_pieces(self.masked("b2"), "d3")) == "@d3"

    def test_egg_beside_empty_masked_cell_counts_at_once(self):
        assert played(put_pieces(self.masked("c3"), "c2")) == "@c2"

    def test_known_bad_sensor_does_not_affect_distant_egg(self):
        position = Position.from_notation(QUIET)
        table = PiecesTable.at(position, detected=position.pieces.keys() - {"a4"}, known_bad=frozenset({"a4"}))
        assert played(put_pieces(table, "d3")) == "@d3"

    def test_egg_beside_occupied_masked_cell_is_announced(self):
        table = put_pieces(self.masked("b2"), "c3")
        assert (played(table), table.shown(CellRole.PENDING)) == ("", ["c3"])
        assert played(table.wait(HOLD)) == "@c3"

    def test_lifting_only_sensed_piece_does_not_open_menu(self):
        table = lift_pieces(self.masked("a4", line="e.../..../.T../.... l 12 12 0 0"), "b2").wait(30)
        assert (table.phase, table.session.in_hand) == ("in_hand", "b2")

    def test_unmasked_sensor_is_read_again(self):
        table = put_pieces(self.masked("b2"), "c2")
        send(table, MaskSensor, cell="b2", is_bad=False).wait(SHORT_REST)
        assert played(table) == "@c2"
        assert not table.session.board_state.sensors.masked_cells

    def test_unmasked_sensor_without_piece_reports_mismatch(self):
        position = Position.from_notation(QUIET)
        table = PiecesTable.at(position, detected=position.pieces.keys() - {"a4"}, known_bad=frozenset({"a4"}))
        put_pieces(send(table, MaskSensor, cell="a4", is_bad=False).wait(SHORT_REST), "b4")
        assert (table.phase, table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == ("differs", ["b4"], ["a4"])

    def test_two_gestures_report_undetected_egg(self):
        table = self.masked("b3").wait(60)  # the egg has been there for a minute
        assert (played(table), table.phase) == ("", "act")
        assert (played(make_gesture(table, "a1").wait(HOLD)), table.phase) == (
            "",
            "act",
        )  # this may be a slip
        make_gesture(table, "a1")
        assert table.messages == (question("@b3"), ASKS_FOR_GESTURE)
        assert played(make_gesture(table, "a1")) == "@b3"

    def test_next_egg_counts_after_confirmed_egg(self):
        table = make_gesture(make_gesture(make_gesture(self.masked("b3"), "a1"), "a1"), "a1")
        assert played(put_pieces(table, "d2")) == "@b3 @d2"

    def test_third_gesture_confirms_only_one_action(self):
        table = make_gesture(make_gesture(make_gesture(self.masked("b3", "d2"), "a1"), "a1"), "a1")
        assert len(table.actions) == 1
        assert len(table.wait(60).actions) == 1
        assert table.phase == "act"

    def test_scored_piece_on_masked_cell_must_be_removed(self):
        table = put_pieces(self.masked("c2", line=ABOUT_TO_SCORE), "b1").wait(HOLD)
        assert (played(table), table.shown(CellRole.TAKE_OFF)) == ("@b1", ["a2", "b2", "c2"])
        assert lift_pieces(table.fork(), "a2", "b2", "c2").shown(CellRole.TAKE_OFF) == []
        sticks = put_pieces(lift_pieces(table, "a2", "b2"), "d3").wait(HOLD)
        assert (sticks.actions[1:], sticks.shown(CellRole.TAKE_OFF)) == ((Action.from_notation("@d3"),), [])

    def test_empty_masked_cell_needs_no_removal(self):
        table = lift_pieces(make_table(ABOUT_TO_SCORE), "c2")
        send(table, MaskSensor, cell="c2").wait(SHORT_REST)
        assert put_pieces(table, "b1").wait(HOLD).shown(CellRole.TAKE_OFF) == ["a2", "b2"]

    def test_unconfirmed_undetected_action_is_dropped(self):
        table = make_gesture(make_gesture(self.masked("b3"), "a1"), "d4").wait(HOLD)  # two pieces were straightened
        assert (played(table), table.phase) == ("", "act")
        assert (played(make_gesture(table, "a1").wait(HOLD)), table.phase) == ("", "act")
        assert make_gesture(table, "a1").messages[0] == question("@b3")

    def test_interrupted_question_starts_over(self):
        table = make_gesture(make_gesture(lift_pieces(make_table(), "b2"), "a1"), "a1").wait(HOLD)
        assert table.messages[0] == question("b2a2")
        lift_pieces(put_pieces(table, "b2"), "b2")
        assert make_gesture(make_gesture(table, "a1"), "a1").messages[0] == question("b2b1")

    def test_undo_works_with_masked_cell(self):
        table = lift_pieces(put_pieces(self.masked("a4"), "c3"), "c3")
        assert table.shown(CellRole.PENDING) == ["c3"]
        assert played(table.wait(HOLD)) == ""

    def test_return_move_counts_after_undetected_egg(self):
        table = put_pieces(lift_pieces(self.masked("d3"), "b2"), "c2")
        send(table, TakeAction, action=Action.from_notation("@d3")).wait(SHORT_REST)
        astray = put_pieces(lift_pieces(table.fork(), "c2"), "c4")
        astray.lift("c4").drop("b2").wait(
            SHORT_REST
        )  # the board already differed from the game, so nothing is an action
        assert (played(astray), astray.phase) == ("b2c2 @d3", "differs")
        assert astray.messages[0] == take_back(2, 6.0)
        assert played(put_pieces(lift_pieces(table, "c2"), "b2")) == "b2c2 @d3 c2b2"

    def test_lifting_movable_piece_is_not_a_gesture(self):
        table = make_gesture(make_gesture(self.masked("b3"), "b2"), "b2")
        assert (played(table), table.phase) == ("", "act")
        assert table.messages == (prompt("light"),)

    def test_lifting_two_pieces_together_is_not_a_gesture(self):
        table = self.masked("b3", line="e..f/..../.T../E..E l 10 11 0 0")
        for _ in range(2):
            table.lift("a1", "d1").wait(SHORT_REST).drop("a1", "d1").wait(SHORT_REST)
        assert (played(table), table.phase) == ("", "act")

    def test_interrupted_gestures_do_not_add_up(self):
        table = make_gesture(make_gesture(make_gesture(self.masked("b3"), "a1"), "b2"), "a1")
        assert (played(table), table.phase) == ("", "act")
        assert make_gesture(table, "a1").messages[0] == question("@b3")

    def test_undetected_piece_is_proposed_before_masking_scored_piece(self):
        table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2")
        send(table, MaskSensor, cell="b3").wait(SHORT_REST)
        make_gesture(make_gesture(table, "b1"), "b1")
        assert table.messages[0] == question("@b3", side="dark")
        assert (table.session.board_state.sensors.masked_cells, set(table.session.board_state.tasks.to_remove)) == (
            {"b3"},
            {"c2"},
        )

    def test_turning_piece_over_answers_no(self):
        table = lift_pieces(put_pieces(make_table(QUIET_DARK_TO_MOVE), "c4"), "b2").wait(
            60
        )  # the frog on d4 is now an egg, and not flipped yet
        make_gesture(make_gesture(table, "a1"), "a1")
        assert table.messages[0] == question("b2b1")
        make_gesture(table, "d4")
        assert (played(table), table.session.in_hand) == ("@c4", "b2")
        assert not table.shown(CellRole.PENDING, CellRole.FLIP)

    def test_last_placed_piece_can_make_gesture(self):
        table = send(put_pieces(make_table(), "c3"), MaskSensor, cell="b3")
        make_gesture(make_gesture(table, "c3"), "c3")
        assert table.messages[0] == question("@b3", side="dark")

    def test_gestures_find_move_onto_failed_sensor(self):
        table = lift_pieces(make_table(), "b2").wait(60)  # it is on c2, undetected
        assert (played(table), table.phase) == ("", "in_hand")
        make_gesture(make_gesture(table, "a1"), "a1")
        for cell in ("b1", "a2"):
            assert table.messages[0] == question(f"b2{cell}")
            table.wait(HOLD)
        assert table.messages[0] == question("b2c2")
        assert played(make_gesture(table, "a1")) == "b2c2"
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c2"})

    def test_two_gestures_report_undetected_move(self):
        table = lift_pieces(self.masked("b3"), "b2").wait(60)
        assert (table.phase, table.session.in_hand) == ("in_hand", "b2")
        make_gesture(make_gesture(table, "a1"), "a1")
        assert table.messages == (question("b2b3"), ASKS_FOR_GESTURE)
        assert played(make_gesture(table, "a1")) == "b2b3"

    def test_cell_outside_board_cannot_be_masked(self):
        assert self.masked("e5").messages == (Message("illegal.no_such_cell", cell="e5", size=4),)

    def test_board_with_buttons_cannot_mask_sensors(self):
        session = Session.start_game(STANDARD).after(MaskSensor("b2", 1.0))
        assert session.messages == (Message("board.has_buttons"),)


class TestFailingSensor:
    @pytest.mark.parametrize("cell", ["c3", "b2", "d4"])
    def test_flickering_sensor_is_masked_and_heals(self, cell):
        table = make_table()
        flicker(table, cell, 12)
        assert table.time < 1.0 + 5.0
        assert table.session.board_state.sensors.masked_cells == {cell}
        kind = "sees_too_much" if cell in table.detected else "sees_nothing"
        assert table.messages[0] == Message(f"sensor.{kind}", cells=(cell,), count=1)
        assert (played(table), table.phase) == ("", "act")
        table.wait(TRUST_AGAIN_SECONDS)
        assert not table.session.board_state.sensors.masked_cells
        assert table.messages == (Message("sensor.works_again", cells=(cell,), count=1), prompt("light"))
        assert table.at_rest()

    def test_other_changes_do_not_speed_up_healing(self):
        table = hover(flicker(make_table(), "c3", 12).wait(TRUST_AGAIN_SECONDS - 0.8))
        assert table.session.board_state.sensors.masked_cells == {"c3"}

    def test_question_is_settled_when_sensor_heals(self):
        table = put_pieces(flicker(make_table(), "b2", 12).wait(TRUST_AGAIN_SECONDS - 1.0), "c3")
        assert (played(table), table.shown(CellRole.PENDING)) == ("", ["c3"])
        assert played(table.wait(1.0)) == "@c3"

    def test_unmasked_sensor_is_trusted_at_once(self):
        table = flicker(make_table(), "c3", 12)
        assert not send(table, MaskSensor, cell="c3", is_bad=False).session.board_state.sensors.masked_cells

    def test_sensors_heal_independently(self):
        table = flicker(flicker(make_table(), "c3", 12), "d4", 13)  # d4 ends without its piece
        assert table.session.board_state.sensors.masked_cells == {"c3", "d4"}
        table.wait(TRUST_AGAIN_SECONDS)
        assert table.session.board_state.sensors.masked_cells == {"d4"}
        assert table.phase == "act"

    def test_game_continues_during_flicker(self):
        table = flicker(make_table(), "d4", 13)
        for _ in range(10):
            flicker(table, "d4", 1)
            put_pieces(table, "c2") if "c2" not in table.detected else None
        assert played(table) == "@c2"

    def test_slow_flicker_is_not_masked(self):
        table = flicker(make_table(), "b2", 20, every=FLICKER_SECONDS / 9 + 0.01)
        assert not table.session.board_state.sensors.masked_cells

    def test_stuck_sensor_is_masked_after_thirty_seconds(self):
        """Light has no eggs left, so the piece can't be a new egg."""
        table = put_pieces(make_table("e..f/..../.T../EE.F l 0 11 9 0"), "c4")
        assert (played(table), table.phase, table.shown(CellRole.TAKE_OFF)) == ("", "differs", ["c4"])
        table.wait(STUCK_SECONDS - SHORT_REST - TIME_TOLERANCE)
        assert table.phase == "differs"
        table.wait(SHORT_REST)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c4"})
        assert table.messages[0] == Message("sensor.sees_too_much", cells=("c4",), count=1)
        assert played(put_pieces(lift_pieces(table, "b2"), "b3")) == "b2b3"

    def test_hovering_hand_does_not_restart_stuck_timer(self):
        table = put_pieces(make_table("e..f/..../.T../EE.F l 0 11 9 0"), "c4").wait(STUCK_SECONDS / 2)
        table.drop("c3").wait(0.1).lift("c3").wait(STUCK_SECONDS / 2)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c4"})

    def test_two_gestures_mask_sensor_that_misses_piece(self):
        table = lift_pieces(make_table(), "a4")  # the piece is there, but the sensor is dead
        table.wait(60)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a4"])
        make_gesture(table, "d4")
        assert table.phase == "differs"
        make_gesture(table, "a1")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"a4"})
        assert table.messages[0] == Message("sensor.sees_nothing", cells=("a4",), count=1)

    def test_returning_one_of_two_missing_pieces_is_not_a_gesture(self):
        table = put_pieces(
            lift_pieces(make_table(), "b2", "a4"), "b2"
        )  # a4 fell off the table when b2 was straightened
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a4"])
        make_gesture(table, "d4")  # this may be a slip
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_gesture_before_question_does_not_count(self):
        table = lift_pieces(make_gesture(make_table(), "a1"), "a4").wait(60)
        make_gesture(table, "d4")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())
        make_gesture(table, "d4")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"a4"})

    def test_gestures_mask_no_sensor_with_several_missing_pieces(self):
        table = make_gesture(make_gesture(lift_pieces(make_table(), "a4", "d4"), "a1"), "a1")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_piece_detour_is_not_a_gesture(self):
        table = lift_pieces(make_table(), "a4")
        for _ in range(2):
            table.lift("d4").drop("c3").wait(SHORT_REST).lift("c3").drop("d4").wait(SHORT_REST)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_two_gestures_mask_second_sensor(self):
        table = make_gesture(make_gesture(lift_pieces(make_table(), "a4"), "a1"), "a1")
        make_gesture(make_gesture(lift_pieces(table, "d4"), "a1"), "a1")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"a4", "d4"})

    def test_scored_piece_on_suspected_cell_must_be_removed(self):
        table = make_table(ABOUT_TO_SCORE)
        flicker(table, "c2", 12)
        assert table.wait(SHORT_REST).session.board_state.sensors.masked_cells == {"c2"}
        table = put_pieces(table, "b1").wait(HOLD)
        assert table.shown(CellRole.TAKE_OFF) == ["a2", "b2", "c2"]
        assert lift_pieces(table, "a2", "b2", "c2").shown(CellRole.TAKE_OFF) == []

    def test_recently_bad_sensor_needs_confirmation(self):
        table = flicker(make_table(), "c3", 13).wait(FLICKER_SECONDS)  # it sticks ...
        assert table.session.board_state.sensors.masked_cells == {"c3"}
        table.lift("c3").wait(3.0)  # ... recovers ...
        assert not table.session.board_state.sensors.masked_cells
        put_pieces(table, "c3")  # ... and sticks again, or it is a real piece
        assert (table.phase, played(table)) == ("differs", "")
        assert table.messages[:2] == (question("@c3"), wait())
        assert played(table.wait(HOLD)) == "@c3"

    def test_healed_sensor_is_fully_trusted_after_a_minute(self):
        table = flicker(make_table(), "c3", 13).wait(FLICKER_SECONDS).lift("c3").wait(RECENTLY_BAD_SECONDS + 1)
        assert played(put_pieces(table, "c3")) == "@c3"

    def test_two_gestures_mask_sensor_stuck_on_scored_piece(self):
        table = lift_pieces(
            put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2"
        )  # c2 was also taken off, but its sensor sticks
        table.wait(60)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("take_off", ["c2"])
        make_gesture(table, "b1")
        assert table.phase == "take_off"
        make_gesture(table, "d1")
        assert (table.phase, table.session.board_state.sensors.masked_cells, table.actions[1:]) == ("act", {"c2"}, ())
        assert Message("sensor.sees_too_much", cells=("c2",), count=1) in table.messages
        table.lift("c2").wait(SHORT_REST)  # it recovers
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", frozenset())

    def test_gestures_mask_no_sensor_with_several_scored_pieces(self):
        table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2")
        make_gesture(make_gesture(table, "b1"), "d1")
        assert (table.shown(CellRole.TAKE_OFF), table.session.board_state.sensors.masked_cells) == (
            ["b2", "c2"],
            frozenset(),
        )

    def test_egg_is_announced_beside_missing_sensor(self):
        table = put_pieces(make_gesture(make_gesture(lift_pieces(make_table(), "a4"), "d4"), "d4"), "c3")
        assert table.messages == (question("@c3"), wait())
        assert played(table.wait(HOLD)) == "@c3"

    def test_masked_sensor_is_trusted_when_it_senses_its_piece(self):
        table = make_gesture(make_gesture(lift_pieces(make_table(), "a4"), "d4"), "d4")
        assert table.session.board_state.sensors.masked_cells == {"a4"}
        put_pieces(table, "a4")
        assert not table.session.board_state.sensors.masked_cells
        assert table.messages[0] == Message("sensor.works_again", cells=("a4",), count=1)


# Sensors with and without owners


class TestOwners:
    def test_wrong_sides_egg_is_reported(self):
        table = put_pieces(make_table(owners=True), "c3", owner=DARK)
        assert (played(table), table.phase, table.session.refusal.cell) == ("", "differs", "c3")
        assert table.messages == (
            Message("illegal.other_owner", cell="c3", owner="dark", side="light"),
            Message("repair.take_off", cell="c3"),
        )
        assert follow_lamps(table) == 1
        assert played(put_pieces(table, "c3", owner=LIGHT)) == "@c3"

    def test_egg_replacing_lifted_piece_is_reported(self):
        table = put_pieces(lift_pieces(make_table(owners=True), "b2"), "c2", owner=DARK)
        assert (played(table), table.phase) == ("", "differs")
        assert table.shown(CellRole.TAKE_OFF) == ["c2"]
        follow_lamps(table)
        assert table.at_rest()

    def test_swapped_pieces_are_reported_and_repaired(self):
        table = make_table(owners=True).lift("a1", "a4").wait(0.1).drop("a1", owner=DARK).drop("a4", owner=LIGHT)
        table.wait(SHORT_REST)
        assert table.phase == "differs"
        assert table.messages[:3] == (
            BOARD_DIFFERS,
            Message("mismatch.wrong_owner", cell="a1", side="dark", expected="light"),
            Message("mismatch.wrong_owner", cell="a4", side="light", expected="dark"),
        )
        assert table.messages[-1] == Message("repair.more", count=2)
        assert follow_lamps(table) == 3
        assert table.at_rest()
        assert table.owners == {cell: piece.owner for cell, piece in table.position.pieces.items()}

    def test_simple_sensors_cannot_detect_swap(self):
        """The sensors report the same as before. The lamps show owner and symbol, so players can see the swap."""
        table = make_table().lift("a1", "a4").wait(0.1).drop("a1", "a4").wait(SHORT_REST)
        assert (played(table), table.phase) == ("", "act")
        assert table.session.view.cells["a1"].piece.owner is LIGHT
        assert played(put_pieces(table, "c3")) == "@c3"


# Sensors that fail for a while


class TestTrouble:
    TROUBLE = as_message("The sensors do not answer. The game waits until they are back.")

    def lose_sensors(self, table):
        return send(table, TroubleChanged, message=self.TROUBLE).wait(5)

    def restore_sensors(self, table):
        return send(table, TroubleChanged, message=None).wait(2)

    def test_lifted_piece_stays_lifted_after_trouble(self):
        table = self.lose_sensors(lift_pieces(make_table(), "b2"))
        assert table.messages == (self.TROUBLE,)
        assert table.session.view.scene.has_trouble
        send(table, TroubleChanged, message=None)
        assert table.messages[0] == Message("trouble.over")
        table.wait(2)
        assert table.messages == (
            Message("chosen.tadpole", cell="b2", cells=("b1", "a2", "c2", "b3")),
            Message("lifted.put_back", cell="b2"),
        )
        assert (table.phase, table.session.in_hand) == ("in_hand", "b2")
        assert played(put_pieces(table, "c2")) == "b2c2"

    def test_action_during_trouble_must_be_confirmed(self):
        table = self.lose_sensors(lift_pieces(make_table(), "b2"))
        table.drop("c2")  # while the sensors recover
        assert played(table.wait(5)) == ""
        self.restore_sensors(table)
        assert (played(table), table.phase) == ("", "differs")
        assert table.messages[-1] == offer("c2")
        make_gesture(table.fork(), "c2")
        assert played(make_gesture(table.fork(), "c2")) == "b2c2"
        assert follow_lamps(table) == 1
        assert table.at_rest()

    def test_egg_just_before_trouble_must_be_repeated(self):
        table = self.restore_sensors(self.lose_sensors(make_table().drop("c3").wait(0.1)))
        assert (played(table), table.phase) == ("", "differs")
        assert played(make_gesture(table, "c3")) == "@c3"

    def test_changes_during_trouble_are_not_reported(self):
        table = lift_pieces(self.lose_sensors(make_table()), "a1", "b2", rest=2.0)
        assert (played(table), table.messages) == ("", (self.TROUBLE,))

    def test_hand_tasks_survive_trouble(self):
        table = self.restore_sensors(self.lose_sensors(put_pieces(make_table(ABOUT_TO_SCORE), "b1")))
        assert table.messages[:3] == (
            Message("trouble.over"),
            turn_over("a1", "c1"),
            take_off("a2", "b2", "c2"),
        )
        lift_pieces(table, "a2", "b2", "c2")
        assert (played(table), table.phase) == ("@b1", "act")

    def test_trouble_cancels_announced_action(self):
        table = self.lose_sensors(lift_pieces(put_pieces(make_table(), "c3"), "c3")).wait(60)
        assert played(table) == "@c3"
        self.restore_sensors(table)
        assert table.shown(CellRole.PUT) == ["c3"]  # it may have fallen over in the meantime
        assert played(table.wait(HOLD)) == "@c3"
