"""Turn keys: a press ends the turn at once, or the board names the reason that it can't."""

import pytest

from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, VARIANTS, Action, Position, Side, legal_actions, play
from pond_hw.session import ChangeSetting, EndTurn, Session, UndoTurns
from pond_hw.session.game.settings import HELP, TURN_KEY, HelpLevel
from tests.session.game.test_hints_and_warnings import THREATENED
from tests.session.tables import ButtonTable, PiecesTable

START = Position.start(STANDARD)

MOVES = Position.from_notation("..../.T../..../...e l 12 12 0 0", STANDARD)
"""Light's tadpole on b3 may go to the cells around it, or an egg may be placed."""

ABOUT_TO_SCORE = Position.from_notation("..Et/T..t/E.e./T... d 9 10 0 0", STANDARD)
"""Dark's tadpole on d3 scores with two others if it goes to c3."""


class KeyTable(PiecesTable):
    """A table with turn keys, where nothing counts without a press."""

    @classmethod
    def at(cls, position, **options):
        table = super().at(position, asks_to_flip=False, **options)
        table.session = table.session.with_value(TURN_KEY, None, True)
        return table

    def press(self, side=None, after=0.15):
        """Press a key a moment after the last touch."""
        self.wait(after)
        self.after(EndTurn(self.time, side))
        return self.wait(0.6)


def shows(table, name):
    return any(message.id == name for message in table.messages)


def test_nothing_counts_before_a_key_is_pressed():
    table = KeyTable.at(START).drop("b2").wait(30.0)
    assert table.actions == ()
    assert shows(table, "turn_key.press")
    assert table.press(Side.LIGHT).actions == (Action(None, "b2"),)


def test_key_is_not_requested_during_program_turn():
    table = KeyTable.at(MOVES)
    table.session = table.session.with_human_sides((MOVES.to_move.other_side,))
    assert not shows(table.lift("b3").wait(1.0), "turn_key.press")
    assert table.session.view.occupancy.repair_step.target == "b3"


@pytest.mark.parametrize("side", [Side.LIGHT, None], ids=["own key", "common key"])
def test_press_ends_turn_at_once(side):
    table = KeyTable.at(START).drop("b2").wait(0.05)
    table.after(EndTurn(table.time, side))
    assert table.actions == (Action(None, "b2"),)


@pytest.mark.parametrize("action", sorted(legal_actions(MOVES), key=str), ids=str)
def test_press_ends_any_action(action):
    table = KeyTable.at(MOVES).act(action).press(Side.LIGHT)
    assert table.actions == (action,)


def test_only_final_cell_counts():
    table = KeyTable.at(MOVES).act(Action("b3", "b4")).wait(2.0)
    table.lift("b4").wait(0.5).drop("c3", owner=Side.LIGHT)
    assert table.press(Side.LIGHT).actions == (Action("b3", "c3"),)


def test_next_press_may_follow_unclear_press():
    """The last scored piece has only just been removed, and the next turn scores on the cell that was cleared first."""
    table = KeyTable.at(Position.from_notation("..teT/...../t..../.EFE./..e.f l 5 5 5 4", VARIANTS["big"]))
    table.drop("c3").wait(0.5).lift("c1").wait(0.14).lift("b2").wait(0.14).lift("c2").wait(0.16).lift("c3").wait(0.02)
    table.after(EndTurn(table.time, Side.LIGHT))
    table.wait(0.02).drop("c1", owner=Side.DARK).wait(0.1).lift("d2").wait(0.1)
    table.after(EndTurn(table.time, Side.DARK))
    assert table.wait(0.6).actions == (Action(None, "c3"), Action(None, "c1"))


def test_press_is_refused_after_game_end():
    table = KeyTable.at(Position.from_notation("..Et/T..t/E.e./T... d 9 2 0 8", STANDARD))
    table.lift("d3").wait(0.05).drop("c3", owner=Side.DARK).wait(0.02).after(EndTurn(table.time, Side.DARK))
    assert table.actions == ()
    table.wait(0.1).after(EndTurn(table.time, Side.LIGHT))
    assert table.actions == (Action("d3", "c3"),)
    assert shows(table, "illegal.game_over")


def test_press_works_without_turn_key_setting():
    table = PiecesTable.at(START).drop("b2")
    table.after(EndTurn(table.time, Side.LIGHT))
    assert table.actions == (Action(None, "b2"),)


# Obstacles


def test_press_without_action_is_refused():
    table = KeyTable.at(START).press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.nothing_done")) == ((), True)


def test_press_with_piece_in_hand_is_refused():
    table = KeyTable.at(MOVES).lift("b3").press(Side.LIGHT)
    assert Message("turn_key.missing", cell="b3") in table.messages
    assert table.session.refusal.cell == "b3"


def test_press_with_second_piece_is_refused():
    table = KeyTable.at(MOVES, owners=True).drop("a1", owner=Side.LIGHT).wait(0.3).drop("d4", owner=Side.LIGHT)
    table.press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.in_the_way")) == ((), True)
    assert table.lift(table.session.refusal.cell).press(Side.LIGHT).actions


def test_press_with_missing_piece_is_refused():
    table = KeyTable.at(MOVES).lift("d1").wait(0.4).drop("a1", owner=Side.LIGHT).press(Side.LIGHT, after=1.0)
    assert table.actions == (Action(None, "a1"),)  # Dark seems to hold its egg already
    table = KeyTable.at(MOVES).act(Action("b3", "b4")).lift("d1").wait(0.3).drop("d2").press(Side.LIGHT)
    assert table.actions == ()


def test_press_with_wrong_owner_is_refused():
    table = KeyTable.at(START, owners=True).drop("b2", owner=Side.DARK).press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.wrong_owner")) == ((), True)


def test_stuck_sensor_is_ignored_after_confirmation():
    table = KeyTable.at(MOVES).drop("d4").wait(20.0).act(Action("b3", "b4")).press(Side.LIGHT)
    assert Message("turn_key.in_the_way", cell="d4") in table.messages
    table.wait(2.0).press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.again")) == ((), True)
    table.wait(2.0).press(Side.LIGHT)
    assert table.actions == (Action("b3", "b4"),)
    assert "d4" in table.session.board_state.sensors.masked_cells


def test_piece_landing_just_after_press_counts():
    table = KeyTable.at(START)
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.1).drop("b2").wait(0.5)
    assert table.actions == (Action(None, "b2"),)


def test_dropout_during_press_is_not_a_move():
    table = KeyTable.at(MOVES).drop("b4", owner=Side.LIGHT).wait(0.5).lift("b3")
    table.after(EndTurn(table.time, Side.LIGHT))
    table.wait(0.1).drop("b3", owner=Side.LIGHT).wait(0.6)
    assert table.actions == (Action(None, "b4"),)


# Scored pieces


@pytest.mark.parametrize("removed", [0, 1, 3], ids=["none", "one", "all"])
def test_scored_pieces_do_not_affect_press(removed):
    action = Action("d3", "c3")
    scored = sorted({cell for run in play(ABOUT_TO_SCORE, action).sets for cell in run})
    assert len(scored) == 3
    table = KeyTable.at(ABOUT_TO_SCORE).act(action).wait(0.5).lift(*scored[:removed]).press(Side.DARK)
    assert table.actions == (action,)


def test_egg_on_just_cleared_cell_counts():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).press(Side.DARK)
    scored = sorted(table.session.board_state.tasks.to_remove)
    for cell in scored:
        table.wait(0.5).lift(cell)
    table.wait(0.5).drop("c3", owner=Side.LIGHT).press(Side.LIGHT)
    table.wait(0.5).drop("c2", owner=Side.DARK).press(Side.DARK)
    assert table.actions[-2:] == (Action(None, "c3"), Action(None, "c2"))


# Side of the press


def test_press_by_side_not_to_move_is_refused():
    table = KeyTable.at(START).press(Side.DARK)
    assert table.messages[0] == Message("turn_key.not_due", side="light")


def test_press_for_other_side_is_refused():
    table = KeyTable.at(START).drop("b2").press(Side.DARK)
    assert (table.actions, table.messages[0]) == ((), Message("turn_key.forgotten", side="light"))
    assert (table.press(Side.LIGHT).actions, shows(table, "turn_key.again")) == ((), True)  # whose egg is it?
    assert table.press(Side.LIGHT).actions == (Action(None, "b2"),)


def test_both_turns_count_after_forgotten_press():
    table = KeyTable.at(START).drop("b2").wait(1.0).drop("c3", owner=Side.DARK).press(Side.DARK)
    assert table.actions == (Action(None, "b2"), Action(None, "c3"))
    assert table.messages[0] == Message("turn_key.both_count", side="light")


def test_press_counts_even_if_next_turn_has_begun():
    table = KeyTable.at(MOVES).act(Action("b3", "b4")).wait(0.2).lift("d1").press(Side.LIGHT)
    assert table.actions == (Action("b3", "b4"),)


def test_press_undoes_turn_that_did_not_score():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT)
    assert table.wait(1.0).lift("b2").press(Side.LIGHT).actions == ()


def test_scoring_turn_is_not_undone_by_press():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).press(Side.DARK)
    table.wait(1.0).lift("c3").wait(0.5).drop("d3", owner=Side.DARK).press(Side.DARK)
    assert table.actions == (Action("d3", "c3"),)


def test_nothing_is_undone_without_press():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT)
    assert table.lift("b2").wait(30.0).actions == (Action(None, "b2"),)


# Settings and other boards


def test_warned_action_counts_with_second_press():
    table = KeyTable.at(ButtonTable().play(THREATENED).position)
    table.session = table.session.with_value(HELP, Side.LIGHT, HelpLevel.WARNINGS)
    table.drop("a1", owner=Side.LIGHT).press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.again")) == ((), True)
    assert table.press(Side.LIGHT).actions == (Action(None, "a1"),)


def test_end_turn_is_refused_with_buttons():
    session = Session.start_game(STANDARD).after(EndTurn(1.0))
    assert session.messages == (Message("board.has_buttons"),)


def test_program_turn_must_be_carried_out_before_pressing():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT)
    table.after(UndoTurns(table.time)).wait(1.0)
    assert shows(table, "repair.take_off")
    table.lift("b2").wait(0.3).drop("c3", owner=Side.LIGHT).press(Side.LIGHT)
    assert table.actions == (Action(None, "c3"),)


def test_turn_key_setting_is_refused_with_buttons():
    session = Session.start_game(STANDARD).after(ChangeSetting(TURN_KEY, None, True, 1.0))
    assert (session.turn_key, session.messages) == (False, (Message("board.has_buttons"),))


def test_piece_on_two_cells_needs_confirmation():
    table = KeyTable.at(START).drop("b2").wait(0.02).drop("b3").press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.again")) == ((), True)
    assert len(table.press(Side.LIGHT).actions) == 1


# Several turns, and bad sensors


def asks_about(table, *actions):
    """Return True if the board asks for confirmation of these actions."""
    interpretation = table.session.board_state.confirmation.interpretation
    return getattr(interpretation, "needs_press", False) and interpretation.intent.actions == actions


EGG = {cell: Action(None, cell) for cell in START.grid.cells}


def test_press_counts_even_if_next_turn_is_done():
    table = KeyTable.at(START).drop("b2").wait(0.5).drop("d4").press(Side.LIGHT)
    assert table.actions == (EGG["b2"],)
    assert table.press(Side.DARK).actions == (EGG["b2"], EGG["d4"])


def test_two_forgotten_presses_need_confirmation():
    table = KeyTable.at(START).drop("b2").wait(0.5).drop("d4").wait(0.5).drop("a1").press(Side.LIGHT)
    assert asks_about(table, EGG["b2"], EGG["d4"], EGG["a1"])
    assert table.press(Side.LIGHT).actions == (EGG["b2"], EGG["d4"], EGG["a1"])


def test_later_piece_does_not_count_for_press():
    table = KeyTable.at(START)
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.2).drop("b2").wait(0.5)
    assert table.actions == ()


def test_egg_on_masked_cell_counts_with_second_press():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).press(Side.LIGHT)
    assert asks_about(table, EGG["b2"])
    assert table.press(Side.LIGHT).actions == (EGG["b2"],)


def test_detected_action_is_likelier_than_undetected_action():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).drop("d4").press(Side.LIGHT)
    assert table.actions == (EGG["d4"],)


def test_denied_interpretation_leads_to_the_next():
    table = KeyTable.at(MOVES, known_bad=frozenset({"b2", "c2"})).press(Side.LIGHT)
    assert asks_about(table, EGG["b2"])
    table.lift("d1").wait(0.5).drop("d1").wait(0.5).press(Side.LIGHT)
    assert asks_about(table, EGG["c2"])
    table.lift("d1").wait(0.5).drop("d1").wait(0.5).press(Side.LIGHT)
    assert shows(table, "turn_key.nothing_done")


def test_other_side_cannot_confirm():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).press(Side.LIGHT).press(Side.DARK)
    assert asks_about(table, EGG["b2"])
    assert table.press(Side.LIGHT).actions == (EGG["b2"],)


def test_later_piece_does_not_answer_question():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).press(Side.LIGHT)
    table.wait(1.0).drop("d4").press(Side.LIGHT)
    assert table.actions == ()
    assert asks_about(table, EGG["d4"])


def test_second_egg_after_refused_press_needs_confirmation():
    table = KeyTable.at(START).press(Side.LIGHT).wait(1.0).drop("d4").press(Side.LIGHT)
    assert asks_about(table, EGG["d4"])


def test_press_counts_after_obstacle_is_removed():
    table = KeyTable.at(MOVES).lift("b3").press(Side.LIGHT)
    assert table.drop("b4").press(Side.LIGHT).actions == (Action("b3", "b4"),)


def test_sensor_beside_confirmed_piece_is_masked():
    table = KeyTable.at(START).drop("b2").wait(0.02).drop("b3").press(Side.LIGHT).press(Side.LIGHT)
    (action,) = table.actions
    assert table.session.board_state.sensors.masked_cells == {"b2", "b3"} - {action.target}
    assert table.wait(0.5).drop("d4").press(Side.DARK).actions == (action, EGG["d4"])


def test_egg_beside_returned_piece_needs_confirmation():
    table = KeyTable.at(MOVES).lift("d1").wait(1.0).drop("d2").wait(0.05).drop("d1").press(Side.LIGHT)
    assert asks_about(table, EGG["d2"])


def test_scored_piece_may_hide_egg_after_failed_press():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).press(Side.DARK).wait(0.5)
    standing = sorted(table.session.board_state.tasks.to_remove)
    table.lift(*standing[1:]).wait(1.0).press(Side.LIGHT)
    assert shows(table, "turn_key.nothing_done")
    assert asks_about(table.press(Side.LIGHT), EGG[standing[0]])


def test_recently_bad_sensor_needs_confirmation():
    table = KeyTable.at(MOVES)
    for _ in range(6):
        table.lift("b3").wait(0.1).drop("b3").wait(0.1)
    assert "b3" in table.session.board_state.sensors.masked_cells
    table.wait(8.0).lift("b3").wait(0.3).drop("b4").press(Side.LIGHT)
    assert "b3" not in table.session.board_state.sensors.masked_cells
    assert table.actions == ()


def test_press_waits_for_end_of_target_dropout():
    table = KeyTable.at(START).drop("d4").wait(0.5).drop("a1").wait(0.5).lift("d4")
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.1).drop("d4").wait(0.6)
    assert table.actions == (EGG["d4"],)


def test_quick_lift_after_placing_egg_may_be_a_move():
    position = Position.from_notation("..../..../...e/.eF. l 12 11 0 0", STANDARD)
    table = KeyTable.at(position).drop("d1").wait(0.1).lift("c1").press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.again")) == ((), True)
    table = KeyTable.at(position).drop("d1").wait(0.3).lift("c1").press(Side.LIGHT)
    assert table.actions == (EGG["d1"],)


def test_returned_scored_piece_makes_press_uncertain():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).press(Side.DARK).wait(0.5)
    table.lift("c3").wait(0.1).drop("c3").wait(0.1).lift("c3").wait(0.4).drop("c3").press(Side.DARK)
    assert not shows(table, "turn_key.not_due")


def test_removing_scored_pieces_does_not_delay_press():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).wait(0.4).lift("c2").wait(0.1).lift("c4").wait(0.1)
    table.after(EndTurn(table.time, Side.DARK))
    assert table.actions == (Action("d3", "c3"),)


def test_nothing_is_undone_after_next_players_press():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT).press(Side.DARK)
    table.wait(1.0).lift("b2").press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.forgotten")) == ((EGG["b2"],), True)


def test_press_after_returned_piece_undoes_nothing():
    table = KeyTable.at(MOVES, known_bad=frozenset({"b2"})).press(Side.LIGHT).press(Side.LIGHT).wait(0.5)
    table.lift("d1").wait(0.5).drop("d1").press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.forgotten")) == ((EGG["b2"],), True)


def test_failed_press_is_remembered_with_masked_sensor():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).press(Side.DARK).drop("d4").press(Side.LIGHT)
    assert asks_about(table, EGG["d4"])


def test_simultaneous_pieces_are_not_two_turns():
    table = KeyTable.at(START).drop("a1").wait(0.05).drop("d4").press(Side.LIGHT)
    assert (table.actions, shows(table, "turn_key.in_the_way")) == ((), True)


def test_another_action_after_refused_press_needs_confirmation():
    table = KeyTable.at(MOVES).lift("b3").press(Side.LIGHT).drop("b3").wait(0.5).drop("d4").press(Side.LIGHT)
    assert asks_about(table, EGG["d4"])


def test_piece_landing_after_press_must_stay():
    table = KeyTable.at(START)
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.05).drop("b2")
    assert table.actions == ()
    assert table.wait(0.5).actions == (EGG["b2"],)


def test_press_waits_for_end_of_source_dropout():
    table = KeyTable.at(MOVES).drop("b4").wait(0.1).lift("b3")
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.1).drop("b3").wait(0.6)
    assert table.actions == (EGG["b4"],)


def test_piece_that_left_earlier_did_not_score():
    position = Position.from_notation("..../..../...e/.eF. l 12 11 0 0", STANDARD)
    assert KeyTable.at(position).act(Action("c1", "d1")).press(Side.LIGHT).actions == (Action("c1", "d1"),)


def test_undo_clears_failed_presses():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT).press(Side.DARK)
    table.after(UndoTurns(table.time)).wait(1.0).lift("b2").wait(0.5).drop("c3").press(Side.LIGHT)
    assert table.actions == (EGG["c3"],)
