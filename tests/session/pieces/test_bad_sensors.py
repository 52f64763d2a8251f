"""Sensors that are bad, tell owners, or are lost for a while."""

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
from tests.session.pieces.stories import (
    BREATH,
    DARKS,
    DIFFERS,
    NOD,
    PRESSED,
    QUIET,
    does,
    down,
    flicker,
    hovers,
    is_it,
    mend,
    nod,
    offer,
    prompt,
    sit_down,
    take_back,
    take_off,
    taken,
    turn_over,
    up,
    wait,
)
from tests.session.tables import HOLD, JIFFY, PiecesTable

# Sensors that are bad


class TestMaskedCell:
    def masked(self, *cells, line=QUIET):
        table = sit_down(line)
        for cell in cells:
            does(table, MaskSensor, cell=cell)
        return table.wait(BREATH)

    def test_masked_cell_is_shown(self):
        sights = self.masked("c3").session.view.cells
        assert [cell for cell, sight in sights.items() if sight.is_masked] == ["c3"]

    def test_changes_of_masked_sensor_are_ignored(self):
        table = flicker(self.masked("c3", "d1"), "c3", 5, every=1.0)
        flicker(table, "d1", 4, every=1.0)
        assert (taken(table), table.phase) == ("", "act")

    def test_unseen_departure_is_inferred_if_unambiguous(self):
        table = self.masked("b2", line="E..f/..../.T../E..F l 0 12 9 0")  # no egg is left
        assert taken(down(table, "b3")) == "b2b3"

    def test_possible_actions_are_announced_in_turn(self):
        table = down(self.masked("b2"), "c2")
        assert (taken(table), table.phase, table.shown(CellRole.PENDING)) == ("", "differs", ["c2"])
        assert table.messages == (is_it("@c2"), wait(), Message("pending.something_else"))
        nod(table, "c2")
        assert table.shown(CellRole.PENDING) == ["b2", "c2"]
        assert table.messages[0] == is_it("b2c2")
        nod(table, "c2")
        assert table.messages[0] == is_it("@c2")
        nod(table, "c2").wait(HOLD)
        assert taken(table) == "b2c2"

    def test_unambiguous_piece_counts_at_once(self):
        assert taken(down(self.masked("b2"), "d3")) == "@d3"

    def test_egg_beside_empty_masked_cell_counts_at_once(self):
        assert taken(down(self.masked("c3"), "c2")) == "@c2"

    def test_known_bad_sensor_does_not_affect_distant_egg(self):
        position = Position.from_notation(QUIET)
        table = PiecesTable.at(position, detected=position.pieces.keys() - {"a4"}, known_bad=frozenset({"a4"}))
        assert taken(down(table, "d3")) == "@d3"

    def test_egg_beside_occupied_masked_cell_is_announced(self):
        table = down(self.masked("b2"), "c3")
        assert (taken(table), table.shown(CellRole.PENDING)) == ("", ["c3"])
        assert taken(table.wait(HOLD)) == "@c3"

    def test_lifting_only_sensed_piece_opens_no_menu(self):
        table = up(self.masked("a4", line="e.../..../.T../.... l 12 12 0 0"), "b2").wait(30)
        assert (table.phase, table.session.in_hand) == ("in_hand", "b2")

    def test_unmasked_sensor_is_read_again(self):
        table = down(self.masked("b2"), "c2")
        does(table, MaskSensor, cell="b2", is_bad=False).wait(BREATH)
        assert taken(table) == "@c2"
        assert not table.session.board_state.sensors.masked_cells

    def test_unmasked_sensor_without_piece_reports_mismatch(self):
        position = Position.from_notation(QUIET)
        table = PiecesTable.at(position, detected=position.pieces.keys() - {"a4"}, known_bad=frozenset({"a4"}))
        down(does(table, MaskSensor, cell="a4", is_bad=False).wait(BREATH), "b4")
        assert (table.phase, table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == ("differs", ["b4"], ["a4"])

    def test_two_nods_report_undetected_egg(self):
        table = self.masked("b3").wait(60)  # the egg has stood there for a minute
        assert (taken(table), table.phase) == ("", "act")
        assert (taken(nod(table, "a1").wait(HOLD)), table.phase) == ("", "act")  # one is a slip of the hand
        nod(table, "a1")
        assert table.messages == (is_it("@b3"), NOD)
        assert taken(nod(table, "a1")) == "@b3"

    def test_next_egg_counts_after_nodded_egg(self):
        table = nod(nod(nod(self.masked("b3"), "a1"), "a1"), "a1")
        assert taken(down(table, "d2")) == "@b3 @d2"

    def test_third_nod_confirms_one_action_only(self):
        table = nod(nod(nod(self.masked("b3", "d2"), "a1"), "a1"), "a1")
        assert len(table.actions) == 1
        assert len(table.wait(60).actions) == 1
        assert table.phase == "act"

    def test_scored_piece_on_masked_cell_must_be_removed(self):
        table = down(self.masked("c2", line=PRESSED), "b1").wait(HOLD)
        assert (taken(table), table.shown(CellRole.TAKE_OFF)) == ("@b1", ["a2", "b2", "c2"])
        assert up(table.fork(), "a2", "b2", "c2").shown(CellRole.TAKE_OFF) == []
        sticks = down(up(table, "a2", "b2"), "d3").wait(HOLD)
        assert (sticks.actions[1:], sticks.shown(CellRole.TAKE_OFF)) == ((Action.from_notation("@d3"),), [])

    def test_empty_masked_cell_asks_for_no_removal(self):
        table = up(sit_down(PRESSED), "c2")
        does(table, MaskSensor, cell="c2").wait(BREATH)
        assert down(table, "b1").wait(HOLD).shown(CellRole.TAKE_OFF) == ["a2", "b2"]

    def test_unconfirmed_undetected_action_is_dropped(self):
        table = nod(nod(self.masked("b3"), "a1"), "d4").wait(HOLD)  # two pieces were put straight
        assert (taken(table), table.phase) == ("", "act")
        assert (taken(nod(table, "a1").wait(HOLD)), table.phase) == ("", "act")
        assert nod(table, "a1").messages[0] == is_it("@b3")

    def test_interrupted_question_starts_over(self):
        table = nod(nod(up(sit_down(), "b2"), "a1"), "a1").wait(HOLD)
        assert table.messages[0] == is_it("b2a2")
        up(down(table, "b2"), "b2")
        assert nod(nod(table, "a1"), "a1").messages[0] == is_it("b2b1")

    def test_undo_works_with_masked_cell(self):
        table = up(down(self.masked("a4"), "c3"), "c3")
        assert table.shown(CellRole.PENDING) == ["c3"]
        assert taken(table.wait(HOLD)) == ""

    def test_return_move_counts_after_undetected_egg(self):
        table = down(up(self.masked("d3"), "b2"), "c2")
        does(table, TakeAction, action=Action.from_notation("@d3")).wait(BREATH)
        astray = down(up(table.fork(), "c2"), "c4")
        astray.lift("c4").drop("b2").wait(BREATH)  # board and game differed already, and nothing is an action
        assert (taken(astray), astray.phase) == ("b2c2 @d3", "differs")
        assert astray.messages[0] == take_back(2, 6.0)
        assert taken(down(up(table, "c2"), "b2")) == "b2c2 @d3 c2b2"

    def test_movable_piece_is_no_nod(self):
        table = nod(nod(self.masked("b3"), "b2"), "b2")
        assert (taken(table), table.phase) == ("", "act")
        assert table.messages == (prompt("light"),)

    def test_two_pieces_lifted_together_are_no_nod(self):
        table = self.masked("b3", line="e..f/..../.T../E..E l 10 11 0 0")
        for _ in range(2):
            table.lift("a1", "d1").wait(BREATH).drop("a1", "d1").wait(BREATH)
        assert (taken(table), table.phase) == ("", "act")

    def test_interrupted_nods_do_not_add_up(self):
        table = nod(nod(nod(self.masked("b3"), "a1"), "b2"), "a1")
        assert (taken(table), table.phase) == ("", "act")
        assert nod(table, "a1").messages[0] == is_it("@b3")

    def test_undetected_piece_is_asked_before_masking_scored_piece(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2")
        does(table, MaskSensor, cell="b3").wait(BREATH)
        nod(nod(table, "b1"), "b1")
        assert table.messages[0] == is_it("@b3", side="dark")
        assert (table.session.board_state.sensors.masked_cells, set(table.session.board_state.tasks.to_remove)) == (
            {"b3"},
            {"c2"},
        )

    def test_turning_piece_over_denies_question(self):
        table = up(down(sit_down(DARKS), "c4"), "b2").wait(60)  # the frog on d4 is an egg now, and not turned yet
        nod(nod(table, "a1"), "a1")
        assert table.messages[0] == is_it("b2b1")
        nod(table, "d4")
        assert (taken(table), table.session.in_hand) == ("@c4", "b2")
        assert not table.shown(CellRole.PENDING, CellRole.FLIP)

    def test_last_placed_piece_can_nod(self):
        table = does(down(sit_down(), "c3"), MaskSensor, cell="b3")
        nod(nod(table, "c3"), "c3")
        assert table.messages[0] == is_it("@b3", side="dark")

    def test_nods_find_move_onto_failed_sensor(self):
        table = up(sit_down(), "b2").wait(60)  # it stands on c2, and nobody feels that
        assert (taken(table), table.phase) == ("", "in_hand")
        nod(nod(table, "a1"), "a1")
        for cell in ("b1", "a2"):
            assert table.messages[0] == is_it(f"b2{cell}")
            table.wait(HOLD)
        assert table.messages[0] == is_it("b2c2")
        assert taken(nod(table, "a1")) == "b2c2"
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c2"})

    def test_two_nods_report_undetected_move(self):
        table = up(self.masked("b3"), "b2").wait(60)
        assert (table.phase, table.session.in_hand) == ("in_hand", "b2")
        nod(nod(table, "a1"), "a1")
        assert table.messages == (is_it("b2b3"), NOD)
        assert taken(nod(table, "a1")) == "b2b3"

    def test_cell_outside_board_cannot_be_masked(self):
        assert self.masked("e5").messages == (Message("illegal.no_such_cell", cell="e5", size=4),)

    def test_board_with_buttons_cannot_mask(self):
        session = Session.start_game(STANDARD).after(MaskSensor("b2", 1.0))
        assert session.messages == (Message("board.has_buttons"),)


class TestFailingSensor:
    @pytest.mark.parametrize("cell", ["c3", "b2", "d4"])
    def test_flickering_sensor_is_masked_and_heals(self, cell):
        table = sit_down()
        flicker(table, cell, 12)
        assert table.time < 1.0 + 5.0
        assert table.session.board_state.sensors.masked_cells == {cell}
        kind = "sees_too_much" if cell in table.detected else "sees_nothing"
        assert table.messages[0] == Message(f"sensor.{kind}", cells=(cell,), count=1)
        assert (taken(table), table.phase) == ("", "act")
        table.wait(TRUST_AGAIN_SECONDS)
        assert not table.session.board_state.sensors.masked_cells
        assert table.messages == (Message("sensor.works_again", cells=(cell,), count=1), prompt("light"))
        assert table.at_rest()

    def test_other_changes_do_not_speed_up_healing(self):
        table = hovers(flicker(sit_down(), "c3", 12).wait(TRUST_AGAIN_SECONDS - 0.8))
        assert table.session.board_state.sensors.masked_cells == {"c3"}

    def test_question_is_settled_when_sensor_heals(self):
        table = down(flicker(sit_down(), "b2", 12).wait(TRUST_AGAIN_SECONDS - 1.0), "c3")
        assert (taken(table), table.shown(CellRole.PENDING)) == ("", ["c3"])
        assert taken(table.wait(1.0)) == "@c3"

    def test_unmasked_sensor_is_trusted_at_once(self):
        table = flicker(sit_down(), "c3", 12)
        assert not does(table, MaskSensor, cell="c3", is_bad=False).session.board_state.sensors.masked_cells

    def test_sensors_heal_independently(self):
        table = flicker(flicker(sit_down(), "c3", 12), "d4", 13)  # d4 is left without its piece
        assert table.session.board_state.sensors.masked_cells == {"c3", "d4"}
        table.wait(TRUST_AGAIN_SECONDS)
        assert table.session.board_state.sensors.masked_cells == {"d4"}
        assert table.phase == "act"

    def test_game_continues_during_flicker(self):
        table = flicker(sit_down(), "d4", 13)
        for _ in range(10):
            flicker(table, "d4", 1)
            down(table, "c2") if "c2" not in table.detected else None
        assert taken(table) == "@c2"

    def test_slow_flicker_is_not_masked(self):
        table = flicker(sit_down(), "b2", 20, every=FLICKER_SECONDS / 9 + 0.01)
        assert not table.session.board_state.sensors.masked_cells

    def test_stuck_sensor_is_masked_after_thirty_seconds(self):
        """Light has no eggs left, so it cannot be one of those."""
        table = down(sit_down("e..f/..../.T../EE.F l 0 11 9 0"), "c4")
        assert (taken(table), table.phase, table.shown(CellRole.TAKE_OFF)) == ("", "differs", ["c4"])
        table.wait(STUCK_SECONDS - BREATH - JIFFY)
        assert table.phase == "differs"
        table.wait(BREATH)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c4"})
        assert table.messages[0] == Message("sensor.sees_too_much", cells=("c4",), count=1)
        assert taken(down(up(table, "b2"), "b3")) == "b2b3"

    def test_hovering_hand_does_not_restart_stuck_time(self):
        table = down(sit_down("e..f/..../.T../EE.F l 0 11 9 0"), "c4").wait(STUCK_SECONDS / 2)
        table.drop("c3").wait(0.1).lift("c3").wait(STUCK_SECONDS / 2)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c4"})

    def test_two_nods_mask_sensor_that_misses_piece(self):
        table = up(sit_down(), "a4")  # the piece stands there, and the sensor is dead
        table.wait(60)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a4"])
        nod(table, "d4")
        assert table.phase == "differs"
        nod(table, "a1")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"a4"})
        assert table.messages[0] == Message("sensor.sees_nothing", cells=("a4",), count=1)

    def test_returning_one_of_two_missing_pieces_is_no_nod(self):
        table = down(up(sit_down(), "b2", "a4"), "b2")  # a4 fell off the table when b2 was put straight
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a4"])
        nod(table, "d4")  # and one nod is a slip of the hand
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_nod_before_question_does_not_count(self):
        table = up(nod(sit_down(), "a1"), "a4").wait(60)
        nod(table, "d4")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())
        nod(table, "d4")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"a4"})

    def test_two_nods_with_several_missing_pieces_mask_none(self):
        table = nod(nod(up(sit_down(), "a4", "d4"), "a1"), "a1")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_detour_of_piece_is_no_nod(self):
        table = up(sit_down(), "a4")
        for _ in range(2):
            table.lift("d4").drop("c3").wait(BREATH).lift("c3").drop("d4").wait(BREATH)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_two_nods_mask_second_sensor(self):
        table = nod(nod(up(sit_down(), "a4"), "a1"), "a1")
        nod(nod(up(table, "d4"), "a1"), "a1")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"a4", "d4"})

    def test_scored_piece_on_suspected_cell_must_be_removed(self):
        table = sit_down(PRESSED)
        flicker(table, "c2", 12)
        assert table.wait(BREATH).session.board_state.sensors.masked_cells == {"c2"}
        table = down(table, "b1").wait(HOLD)
        assert table.shown(CellRole.TAKE_OFF) == ["a2", "b2", "c2"]
        assert up(table, "a2", "b2", "c2").shown(CellRole.TAKE_OFF) == []

    def test_recently_bad_sensor_needs_confirmation(self):
        table = flicker(sit_down(), "c3", 13).wait(FLICKER_SECONDS)  # it sticks ...
        assert table.session.board_state.sensors.masked_cells == {"c3"}
        table.lift("c3").wait(3.0)  # ... lets go ...
        assert not table.session.board_state.sensors.masked_cells
        down(table, "c3")  # ... and sticks again, or somebody means it
        assert (table.phase, taken(table)) == ("differs", "")
        assert table.messages[:2] == (is_it("@c3"), wait())
        assert taken(table.wait(HOLD)) == "@c3"

    def test_healed_sensor_is_fully_trusted_after_a_minute(self):
        table = flicker(sit_down(), "c3", 13).wait(FLICKER_SECONDS).lift("c3").wait(RECENTLY_BAD_SECONDS + 1)
        assert taken(down(table, "c3")) == "@c3"

    def test_two_nods_mask_sensor_stuck_on_scored_piece(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2")  # c2 was taken off too, and its sensor sticks
        table.wait(60)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("take_off", ["c2"])
        nod(table, "b1")
        assert table.phase == "take_off"
        nod(table, "d1")
        assert (table.phase, table.session.board_state.sensors.masked_cells, table.actions[1:]) == ("act", {"c2"}, ())
        assert Message("sensor.sees_too_much", cells=("c2",), count=1) in table.messages
        table.lift("c2").wait(BREATH)  # it lets go
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", frozenset())

    def test_two_nods_with_several_scored_pieces_mask_none(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2")
        nod(nod(table, "b1"), "d1")
        assert (table.shown(CellRole.TAKE_OFF), table.session.board_state.sensors.masked_cells) == (
            ["b2", "c2"],
            frozenset(),
        )

    def test_egg_is_announced_beside_missing_sensor(self):
        table = down(nod(nod(up(sit_down(), "a4"), "d4"), "d4"), "c3")
        assert table.messages == (is_it("@c3"), wait())
        assert taken(table.wait(HOLD)) == "@c3"

    def test_masked_sensor_is_trusted_when_it_senses_its_piece(self):
        table = nod(nod(up(sit_down(), "a4"), "d4"), "d4")
        assert table.session.board_state.sensors.masked_cells == {"a4"}
        down(table, "a4")
        assert not table.session.board_state.sensors.masked_cells
        assert table.messages[0] == Message("sensor.works_again", cells=("a4",), count=1)


# Sensors that tell whose piece it is, and those that do not


class TestOwners:
    def test_egg_of_wrong_side_is_reported(self):
        table = down(sit_down(owners=True), "c3", owner=DARK)
        assert (taken(table), table.phase, table.session.refusal.cell) == ("", "differs", "c3")
        assert table.messages == (
            Message("illegal.other_owner", cell="c3", owner="dark", side="light"),
            Message("repair.take_off", cell="c3"),
        )
        assert mend(table) == 1
        assert taken(down(table, "c3", owner=LIGHT)) == "@c3"

    def test_egg_replacing_lifted_piece_is_reported(self):
        table = down(up(sit_down(owners=True), "b2"), "c2", owner=DARK)
        assert (taken(table), table.phase) == ("", "differs")
        assert table.shown(CellRole.TAKE_OFF) == ["c2"]
        mend(table)
        assert table.at_rest()

    def test_swapped_pieces_are_reported_and_repaired(self):
        table = sit_down(owners=True).lift("a1", "a4").wait(0.1).drop("a1", owner=DARK).drop("a4", owner=LIGHT)
        table.wait(BREATH)
        assert table.phase == "differs"
        assert table.messages[:3] == (
            DIFFERS,
            Message("mismatch.wrong_owner", cell="a1", side="dark", expected="light"),
            Message("mismatch.wrong_owner", cell="a4", side="light", expected="dark"),
        )
        assert table.messages[-1] == Message("repair.more", count=2)
        assert mend(table) == 3
        assert table.at_rest()
        assert table.owners == {cell: piece.owner for cell, piece in table.position.pieces.items()}

    def test_simple_sensors_cannot_detect_swap(self):
        """The limit: what is detected is the same. The lamps show owner and symbol, so that people see it."""
        table = sit_down().lift("a1", "a4").wait(0.1).drop("a1", "a4").wait(BREATH)
        assert (taken(table), table.phase) == ("", "act")
        assert table.session.view.cells["a1"].piece.owner is LIGHT
        assert taken(down(table, "c3")) == "@c3"


# When the sensors are lost for a while


class TestTrouble:
    SAYS = as_message("The sensors do not answer. The game waits until they are back.")

    def lose_sensors(self, table):
        return does(table, TroubleChanged, message=self.SAYS).wait(5)

    def restore_sensors(self, table):
        return does(table, TroubleChanged, message=None).wait(2)

    def test_lifted_piece_stays_lifted_after_trouble(self):
        table = self.lose_sensors(up(sit_down(), "b2"))
        assert table.messages == (self.SAYS,)
        assert table.session.view.scene.has_trouble
        does(table, TroubleChanged, message=None)
        assert table.messages[0] == Message("trouble.over")
        table.wait(2)
        assert table.messages == (
            Message("chosen.tadpole", cell="b2", cells=("b1", "a2", "c2", "b3")),
            Message("lifted.put_back", cell="b2"),
        )
        assert (table.phase, table.session.in_hand) == ("in_hand", "b2")
        assert taken(down(table, "c2")) == "b2c2"

    def test_action_during_trouble_must_be_confirmed(self):
        table = self.lose_sensors(up(sit_down(), "b2"))
        table.drop("c2")  # as they come back
        assert taken(table.wait(5)) == ""
        self.restore_sensors(table)
        assert (taken(table), table.phase) == ("", "differs")
        assert table.messages[-1] == offer("c2")
        nod(table.fork(), "c2")
        assert taken(nod(table.fork(), "c2")) == "b2c2"
        assert mend(table) == 1
        assert table.at_rest()

    def test_egg_just_before_trouble_must_be_repeated(self):
        table = self.restore_sensors(self.lose_sensors(sit_down().drop("c3").wait(0.1)))
        assert (taken(table), table.phase) == ("", "differs")
        assert taken(nod(table, "c3")) == "@c3"

    def test_changes_during_trouble_are_not_reported(self):
        table = up(self.lose_sensors(sit_down()), "a1", "b2", rest=2.0)
        assert (taken(table), table.messages) == ("", (self.SAYS,))

    def test_hand_tasks_survive_trouble(self):
        table = self.restore_sensors(self.lose_sensors(down(sit_down(PRESSED), "b1")))
        assert table.messages[:3] == (
            Message("trouble.over"),
            turn_over("a1", "c1"),
            take_off("a2", "b2", "c2"),
        )
        up(table, "a2", "b2", "c2")
        assert (taken(table), table.phase) == ("@b1", "act")

    def test_trouble_cancels_announced_action(self):
        table = self.lose_sensors(up(down(sit_down(), "c3"), "c3")).wait(60)
        assert taken(table) == "@c3"
        self.restore_sensors(table)
        assert table.shown(CellRole.PUT) == ["c3"]  # who knows what fell over meanwhile
        assert taken(table.wait(HOLD)) == "@c3"
