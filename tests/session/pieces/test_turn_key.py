"""Turn keys: a press ends the turn that the pieces show, at once, or says what is in the way."""

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
        """Press a key a moment after the last touch, and see what becomes of it."""
        self.wait(after)
        self.after(EndTurn(self.time, side))
        return self.wait(0.6)


def says(table, name):
    return any(message.id == name for message in table.messages)


def test_nothing_counts_before_a_key_is_pressed():
    table = KeyTable.at(START).drop("b2").wait(30.0)
    assert table.actions == ()
    assert says(table, "turn_key.press")
    assert table.press(Side.LIGHT).actions == (Action(None, "b2"),)


def test_no_press_is_asked_for_while_a_program_is_due():
    table = KeyTable.at(MOVES)
    table.session = table.session.with_human_sides((MOVES.to_move.other_side,))
    assert not says(table.lift("b3").wait(1.0), "turn_key.press")
    assert table.session.view.occupancy.repair_step.target == "b3"


@pytest.mark.parametrize("side", [Side.LIGHT, None], ids=["own key", "common key"])
def test_a_turn_counts_at_once(side):
    table = KeyTable.at(START).drop("b2").wait(0.05)
    table.after(EndTurn(table.time, side))
    assert table.actions == (Action(None, "b2"),)


@pytest.mark.parametrize("action", sorted(legal_actions(MOVES), key=str), ids=str)
def test_every_action_counts(action):
    table = KeyTable.at(MOVES).act(action).press(Side.LIGHT)
    assert table.actions == (action,)


def test_only_where_a_piece_stands_at_the_press_counts():
    table = KeyTable.at(MOVES).act(Action("b3", "b4")).wait(2.0)
    table.lift("b4").wait(0.5).drop("c3", owner=Side.LIGHT)
    assert table.press(Side.LIGHT).actions == (Action("b3", "c3"),)


def test_the_next_side_may_press_before_it_is_clear_what_a_press_means():
    """The last piece that scored has only just left, and the next turn scores on the cell that was left first."""
    table = KeyTable.at(Position.from_notation("..teT/...../t..../.EFE./..e.f l 5 5 5 4", VARIANTS["big"]))
    table.drop("c3").wait(0.5).lift("c1").wait(0.14).lift("b2").wait(0.14).lift("c2").wait(0.16).lift("c3").wait(0.02)
    table.after(EndTurn(table.time, Side.LIGHT))
    table.wait(0.02).drop("c1", owner=Side.DARK).wait(0.1).lift("d2").wait(0.1)
    table.after(EndTurn(table.time, Side.DARK))
    assert table.wait(0.6).actions == (Action(None, "c3"), Action(None, "c1"))


def test_a_press_is_refused_if_the_one_before_ends_the_game():
    table = KeyTable.at(Position.from_notation("..Et/T..t/E.e./T... d 9 2 0 8", STANDARD))
    table.lift("d3").wait(0.05).drop("c3", owner=Side.DARK).wait(0.02).after(EndTurn(table.time, Side.DARK))
    assert table.actions == ()
    table.wait(0.1).after(EndTurn(table.time, Side.LIGHT))
    assert table.actions == (Action("d3", "c3"),)
    assert says(table, "illegal.game_over")


def test_without_the_setting_a_press_counts_what_would_count_later():
    table = PiecesTable.at(START).drop("b2")
    table.after(EndTurn(table.time, Side.LIGHT))
    assert table.actions == (Action(None, "b2"),)


# What is in the way


def test_nothing_done_yet():
    table = KeyTable.at(START).press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.nothing_done")) == ((), True)


def test_a_piece_in_a_hand():
    table = KeyTable.at(MOVES).lift("b3").press(Side.LIGHT)
    assert Message("turn_key.missing", cell="b3") in table.messages
    assert table.session.refusal.cell == "b3"


def test_a_second_piece_put_down():
    table = KeyTable.at(MOVES, owners=True).drop("a1", owner=Side.LIGHT).wait(0.3).drop("d4", owner=Side.LIGHT)
    table.press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.in_the_way")) == ((), True)
    assert table.lift(table.session.refusal.cell).press(Side.LIGHT).actions


def test_a_piece_knocked_off():
    table = KeyTable.at(MOVES).lift("d1").wait(0.4).drop("a1", owner=Side.LIGHT).press(Side.LIGHT, after=1.0)
    assert table.actions == (Action(None, "a1"),)  # Dark has its egg in a hand already, as far as anybody sees
    table = KeyTable.at(MOVES).act(Action("b3", "b4")).lift("d1").wait(0.3).drop("d2").press(Side.LIGHT)
    assert table.actions == ()


def test_the_owner_that_a_sensor_knows_counts():
    table = KeyTable.at(START, owners=True).drop("b2", owner=Side.DARK).press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.wrong_owner")) == ((), True)


def test_a_sensor_that_stays_in_the_way_is_ignored_after_a_question():
    table = KeyTable.at(MOVES).drop("d4").wait(20.0).act(Action("b3", "b4")).press(Side.LIGHT)
    assert Message("turn_key.in_the_way", cell="d4") in table.messages
    table.wait(2.0).press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.again")) == ((), True)
    table.wait(2.0).press(Side.LIGHT)
    assert table.actions == (Action("b3", "b4"),)
    assert "d4" in table.session.board_state.sensors.masked_cells


def test_a_piece_that_lands_a_moment_after_the_press_counts():
    table = KeyTable.at(START)
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.1).drop("b2").wait(0.5)
    assert table.actions == (Action(None, "b2"),)


def test_a_dropout_is_no_move():
    table = KeyTable.at(MOVES).drop("b4", owner=Side.LIGHT).wait(0.5).lift("b3")
    table.after(EndTurn(table.time, Side.LIGHT))
    table.wait(0.1).drop("b3", owner=Side.LIGHT).wait(0.6)
    assert table.actions == (Action(None, "b4"),)


# Scored pieces


@pytest.mark.parametrize("removed", [0, 1, 3], ids=["none", "one", "all"])
def test_scored_pieces_may_stand_or_not(removed):
    action = Action("d3", "c3")
    scored = sorted({cell for run in play(ABOUT_TO_SCORE, action).sets for cell in run})
    assert len(scored) == 3
    table = KeyTable.at(ABOUT_TO_SCORE).act(action).wait(0.5).lift(*scored[:removed]).press(Side.DARK)
    assert table.actions == (action,)


def test_an_egg_on_a_cell_that_was_just_cleared_counts():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).press(Side.DARK)
    scored = sorted(table.session.board_state.tasks.to_remove)
    for cell in scored:
        table.wait(0.5).lift(cell)
    table.wait(0.5).drop("c3", owner=Side.LIGHT).press(Side.LIGHT)
    table.wait(0.5).drop("c2", owner=Side.DARK).press(Side.DARK)
    assert table.actions[-2:] == (Action(None, "c3"), Action(None, "c2"))


# Whose press it is


def test_a_press_of_the_side_that_is_not_due_changes_nothing():
    table = KeyTable.at(START).press(Side.DARK)
    assert table.messages[0] == Message("turn_key.not_due", side="light")


def test_a_press_for_the_other_side_does_not_count():
    table = KeyTable.at(START).drop("b2").press(Side.DARK)
    assert (table.actions, table.messages[0]) == ((), Message("turn_key.forgotten", side="light"))
    assert (table.press(Side.LIGHT).actions, says(table, "turn_key.again")) == ((), True)  # whose egg is it?
    assert table.press(Side.LIGHT).actions == (Action(None, "b2"),)


def test_after_a_forgotten_press_both_turns_count():
    table = KeyTable.at(START).drop("b2").wait(1.0).drop("c3", owner=Side.DARK).press(Side.DARK)
    assert table.actions == (Action(None, "b2"), Action(None, "c3"))
    assert table.messages[0] == Message("turn_key.both_count", side="light")


def test_the_next_turn_may_have_begun():
    table = KeyTable.at(MOVES).act(Action("b3", "b4")).wait(0.2).lift("d1").press(Side.LIGHT)
    assert table.actions == (Action("b3", "b4"),)


def test_a_second_press_takes_back_what_did_not_score():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT)
    assert table.wait(1.0).lift("b2").press(Side.LIGHT).actions == ()


def test_a_turn_that_scored_is_not_taken_back_by_hand():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).press(Side.DARK)
    table.wait(1.0).lift("c3").wait(0.5).drop("d3", owner=Side.DARK).press(Side.DARK)
    assert table.actions == (Action("d3", "c3"),)


def test_nothing_is_taken_back_without_a_press():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT)
    assert table.lift("b2").wait(30.0).actions == (Action(None, "b2"),)


# Around it


def test_a_warned_action_counts_with_the_second_press():
    table = KeyTable.at(ButtonTable().play(THREATENED).position)
    table.session = table.session.with_value(HELP, Side.LIGHT, HelpLevel.WARNINGS)
    table.drop("a1", owner=Side.LIGHT).press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.again")) == ((), True)
    assert table.press(Side.LIGHT).actions == (Action(None, "a1"),)


def test_a_board_with_buttons_has_no_turn_to_end():
    session = Session.start_game(STANDARD).after(EndTurn(1.0))
    assert session.messages == (Message("board.has_buttons"),)


def test_a_move_of_a_program_must_be_followed_first_and_then_an_own_action_counts_at_once():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT)
    table.after(UndoTurns(table.time)).wait(1.0)
    assert says(table, "repair.take_off")
    table.lift("b2").wait(0.3).drop("c3", owner=Side.LIGHT).press(Side.LIGHT)
    assert table.actions == (Action(None, "c3"),)


def test_a_board_with_buttons_has_no_such_setting():
    session = Session.start_game(STANDARD).after(ChangeSetting(TURN_KEY, None, True, 1.0))
    assert (session.turn_key, session.messages) == (False, (Message("board.has_buttons"),))


def test_a_piece_detected_in_two_cells_is_asked_about():
    table = KeyTable.at(START).drop("b2").wait(0.02).drop("b3").press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.again")) == ((), True)
    assert len(table.press(Side.LIGHT).actions) == 1


# More than one turn, and sensors that cannot be trusted


def asks(table, *actions):
    """True if the board asks whether these actions are meant."""
    interpretation = table.session.board_state.confirmation.interpretation
    return getattr(interpretation, "needs_press", False) and interpretation.intent.actions == actions


EGG = {cell: Action(None, cell) for cell in START.grid.cells}


def test_the_next_turn_may_be_done_already():
    table = KeyTable.at(START).drop("b2").wait(0.5).drop("d4").press(Side.LIGHT)
    assert table.actions == (EGG["b2"],)
    assert table.press(Side.DARK).actions == (EGG["b2"], EGG["d4"])


def test_two_forgotten_presses_are_asked_about():
    table = KeyTable.at(START).drop("b2").wait(0.5).drop("d4").wait(0.5).drop("a1").press(Side.LIGHT)
    assert asks(table, EGG["b2"], EGG["d4"], EGG["a1"])
    assert table.press(Side.LIGHT).actions == (EGG["b2"], EGG["d4"], EGG["a1"])


def test_what_another_puts_down_after_a_press_does_not_count_for_it():
    table = KeyTable.at(START)
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.2).drop("b2").wait(0.5)
    assert table.actions == ()


def test_an_egg_on_a_masked_sensor_counts_with_the_second_press():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).press(Side.LIGHT)
    assert asks(table, EGG["b2"])
    assert table.press(Side.LIGHT).actions == (EGG["b2"],)


def test_a_seen_action_comes_before_one_on_a_masked_sensor():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).drop("d4").press(Side.LIGHT)
    assert table.actions == (EGG["d4"],)


def test_a_denied_question_is_followed_by_the_next_one():
    table = KeyTable.at(MOVES, known_bad=frozenset({"b2", "c2"})).press(Side.LIGHT)
    assert asks(table, EGG["b2"])
    table.lift("d1").wait(0.5).drop("d1").wait(0.5).press(Side.LIGHT)
    assert asks(table, EGG["c2"])
    table.lift("d1").wait(0.5).drop("d1").wait(0.5).press(Side.LIGHT)
    assert says(table, "turn_key.nothing_done")


def test_the_other_side_does_not_confirm():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).press(Side.LIGHT).press(Side.DARK)
    assert asks(table, EGG["b2"])
    assert table.press(Side.LIGHT).actions == (EGG["b2"],)


def test_after_a_question_what_others_put_down_is_not_the_answer():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).press(Side.LIGHT)
    table.wait(1.0).drop("d4").press(Side.LIGHT)
    assert table.actions == ()
    assert asks(table, EGG["d4"])


def test_a_second_egg_after_a_refused_press_is_asked_about():
    table = KeyTable.at(START).press(Side.LIGHT).wait(1.0).drop("d4").press(Side.LIGHT)
    assert asks(table, EGG["d4"])


def test_a_press_counts_once_what_was_in_the_way_is_gone():
    table = KeyTable.at(MOVES).lift("b3").press(Side.LIGHT)
    assert table.drop("b4").press(Side.LIGHT).actions == (Action("b3", "b4"),)


def test_the_sensor_beside_a_confirmed_piece_is_masked():
    table = KeyTable.at(START).drop("b2").wait(0.02).drop("b3").press(Side.LIGHT).press(Side.LIGHT)
    (action,) = table.actions
    assert table.session.board_state.sensors.masked_cells == {"b2", "b3"} - {action.target}
    assert table.wait(0.5).drop("d4").press(Side.DARK).actions == (action, EGG["d4"])


def test_a_piece_beside_one_that_is_put_back_is_asked_about():
    table = KeyTable.at(MOVES).lift("d1").wait(1.0).drop("d2").wait(0.05).drop("d1").press(Side.LIGHT)
    assert asks(table, EGG["d2"])


def test_a_scored_piece_may_hide_an_egg_after_a_press_in_vain():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).press(Side.DARK).wait(0.5)
    standing = sorted(table.session.board_state.tasks.to_remove)
    table.lift(*standing[1:]).wait(1.0).press(Side.LIGHT)
    assert says(table, "turn_key.nothing_done")
    assert asks(table.press(Side.LIGHT), EGG[standing[0]])


def test_a_sensor_that_was_bad_a_moment_ago_is_asked_about():
    table = KeyTable.at(MOVES)
    for _ in range(6):
        table.lift("b3").wait(0.1).drop("b3").wait(0.1)
    assert "b3" in table.session.board_state.sensors.masked_cells
    table.wait(8.0).lift("b3").wait(0.3).drop("b4").press(Side.LIGHT)
    assert "b3" not in table.session.board_state.sensors.masked_cells
    assert table.actions == ()


def test_a_piece_that_its_sensor_loses_at_the_press_is_waited_for():
    table = KeyTable.at(START).drop("d4").wait(0.5).drop("a1").wait(0.5).lift("d4")
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.1).drop("d4").wait(0.6)
    assert table.actions == (EGG["d4"],)


def test_an_egg_whose_set_is_swept_away_at_once_may_be_a_move():
    position = Position.from_notation("..../..../...e/.eF. l 12 11 0 0", STANDARD)
    table = KeyTable.at(position).drop("d1").wait(0.1).lift("c1").press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.again")) == ((), True)
    table = KeyTable.at(position).drop("d1").wait(0.3).lift("c1").press(Side.LIGHT)
    assert table.actions == (EGG["d1"],)


def test_a_scored_piece_that_is_put_back_makes_the_press_of_the_other_side_doubtful():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).press(Side.DARK).wait(0.5)
    table.lift("c3").wait(0.1).drop("c3").wait(0.1).lift("c3").wait(0.4).drop("c3").press(Side.DARK)
    assert not says(table, "turn_key.not_due")


def test_removing_scored_pieces_keeps_no_press_waiting():
    table = KeyTable.at(ABOUT_TO_SCORE).act(Action("d3", "c3")).wait(0.4).lift("c2").wait(0.1).lift("c4").wait(0.1)
    table.after(EndTurn(table.time, Side.DARK))
    assert table.actions == (Action("d3", "c3"),)


def test_nothing_is_taken_back_after_a_press_of_the_next_player():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT).press(Side.DARK)
    table.wait(1.0).lift("b2").press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.forgotten")) == ((EGG["b2"],), True)


def test_a_press_after_a_piece_was_put_back_takes_nothing_back():
    table = KeyTable.at(MOVES, known_bad=frozenset({"b2"})).press(Side.LIGHT).press(Side.LIGHT).wait(0.5)
    table.lift("d1").wait(0.5).drop("d1").press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.forgotten")) == ((EGG["b2"],), True)


def test_a_press_of_the_next_player_while_a_sensor_is_masked_is_remembered():
    table = KeyTable.at(START, known_bad=frozenset({"b2"})).press(Side.DARK).drop("d4").press(Side.LIGHT)
    assert asks(table, EGG["d4"])


def test_two_pieces_that_land_together_are_no_two_turns():
    table = KeyTable.at(START).drop("a1").wait(0.05).drop("d4").press(Side.LIGHT)
    assert (table.actions, says(table, "turn_key.in_the_way")) == ((), True)


def test_another_action_after_a_refused_press_is_asked_about():
    table = KeyTable.at(MOVES).lift("b3").press(Side.LIGHT).drop("b3").wait(0.5).drop("d4").press(Side.LIGHT)
    assert asks(table, EGG["d4"])


def test_what_lands_after_the_press_counts_only_if_it_stays():
    table = KeyTable.at(START)
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.05).drop("b2")
    assert table.actions == ()
    assert table.wait(0.5).actions == (EGG["b2"],)


def test_a_source_that_its_sensor_loses_at_the_press_is_waited_for():
    table = KeyTable.at(MOVES).drop("b4").wait(0.1).lift("b3")
    table.after(EndTurn(table.time, Side.LIGHT)).wait(0.1).drop("b3").wait(0.6)
    assert table.actions == (EGG["b4"],)


def test_a_piece_that_left_before_is_no_scored_piece():
    position = Position.from_notation("..../..../...e/.eF. l 12 11 0 0", STANDARD)
    assert KeyTable.at(position).act(Action("c1", "d1")).press(Side.LIGHT).actions == (Action("c1", "d1"),)


def test_a_press_in_vain_is_forgotten_when_turns_are_taken_back():
    table = KeyTable.at(START).drop("b2").press(Side.LIGHT).press(Side.DARK)
    table.after(UndoTurns(table.time)).wait(1.0).lift("b2").wait(0.5).drop("c3").press(Side.LIGHT)
    assert table.actions == (EGG["c3"],)
