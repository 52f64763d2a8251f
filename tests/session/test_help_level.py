"""A child and an adult at one board: each side gets as much help as it was given."""

import pytest

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, Action, IllegalAction, Side
from pond_hw.session import (
    ActionValue,
    AskHint,
    CellRole,
    ChangeSetting,
    HelpLevel,
    HintFound,
    NewGame,
    TakeAction,
    find_targets,
)
from pond_hw.session.game.settings import HELP
from tests.messages.says import ids
from tests.session.table import Table, of_sides
from tests.session.wooden import Wooden

OPENING = "@b2 @c3 @b3 @c2"
"""Light has a frog, and is to move."""


def table_with(light=HelpLevel.FULL, dark=HelpLevel.FULL, opening=OPENING):
    table = Table()
    table.play(opening)
    for side, level in zip(Side, (light, dark), strict=True):
        table.does(ChangeSetting, setting=HELP, side=side, value=level)
    return table


def targets(session):
    return {cell for cell, shown in session.view.cells.items() if shown.role is CellRole.TARGET}


def test_everybody_has_full_help_until_somebody_says_otherwise():
    table = Table()
    table.play(OPENING)
    assert of_sides(table.session, HELP) == (HelpLevel.FULL, HelpLevel.FULL)
    table.press("b2")
    assert targets(table.session) == set(find_targets(table.session.position, "b2"))
    assert ids(table.session.messages) == ["chosen.frog"]


def test_without_help_no_target_is_lit_or_named_and_the_piece_moves_all_the_same():
    table = table_with(light=HelpLevel.NONE)
    table.press("b2")
    assert table.session.selected_cell == "b2"
    assert targets(table.session) == set()
    assert table.session.messages == (Message("chosen.where_to", cell="b2"),)
    table.press("a2")
    assert str(table.session.turns[-1].action) == "b2a2"
    table.press("c3")
    assert targets(table.session), "dark has all its help"


def test_a_lifted_piece_shows_no_targets_without_help():
    table = Table()
    table.play(OPENING)
    wooden = Wooden.at(table.session.position)
    wooden.after(ChangeSetting(HELP, LIGHT, HelpLevel.NONE, wooden.time))
    wooden.lift("b2").wait(1.0)
    assert wooden.session.in_hand == "b2"
    assert targets(wooden.session) == set()
    assert Message("chosen.where_to", cell="b2") in wooden.session.messages


@pytest.mark.parametrize("level", [HelpLevel.NONE, HelpLevel.TARGETS])
def test_only_full_help_gives_hints_and_says_what_an_action_would_do(level):
    table = table_with(light=level)
    no_advice = Message("help_level.no_advice", side="light")
    table.does(AskHint)
    assert (table.session.hint, table.session.messages) == (None, (no_advice,))
    with pytest.raises(IllegalAction) as refused:
        table.session.preview_action(Action.from_notation("@a1"))
    assert refused.value.message == no_advice
    table.play("@a1")  # it is dark's turn, which has all its help
    table.does(AskHint)
    assert ids(table.session.messages) == ["hint.thinking"]
    assert table.session.preview_action(Action.from_notation("@d4"))


def test_who_sees_targets_still_sees_them():
    table = table_with(light=HelpLevel.TARGETS)
    table.press("b2")
    assert targets(table.session) == set(find_targets(table.session.position, "b2"))


def test_a_hint_that_is_shown_goes_when_its_side_is_to_play_without():
    table = Table()
    table.does(AskHint)
    table.does(HintFound, action=Action.from_notation("@b2"), action_value=ActionValue(0.1))
    table.does(ChangeSetting, setting=HELP, side=LIGHT, value=HelpLevel.TARGETS)
    assert table.session.hint is None
    assert ids(table.session.messages) == ["help_level.targets", "prompt.buttons.place"]


def test_the_help_stays_for_the_next_game_and_changes_nothing_in_this_one():
    table = table_with(dark=HelpLevel.NONE)
    turns, journal = table.session.turns, table.session.game_events
    assert (len(turns), journal) == (4, ())
    table.does(NewGame, variant=table.session.variant)
    assert of_sides(table.session, HELP) == (HelpLevel.FULL, HelpLevel.NONE)
    assert not table.session.turns


def test_a_piece_that_is_chosen_stays_chosen_when_help_is_given_back():
    table = table_with(light=HelpLevel.NONE)
    table.press("b2")
    table.does(ChangeSetting, setting=HELP, side=LIGHT, value=HelpLevel.FULL)
    assert targets(table.session) == set(find_targets(table.session.position, "b2"))
    assert ids(table.session.messages) == ["help_level.full", "chosen.frog"]
    table.does(ChangeSetting, setting=HELP, side=DARK, value=HelpLevel.NONE)
    assert table.session.selected_cell == "b2"


def test_a_press_and_a_program_s_action_count_with_any_help():
    table = table_with(light=HelpLevel.NONE, dark=HelpLevel.NONE)
    table.session = table.session.after(Touch("a1", True, 20.0)).after(Touch("a1", False, 20.0))
    table.does(TakeAction, action=Action.from_notation("@d4"))
    assert [str(turn.action) for turn in table.session.turns[-2:]] == ["@a1", "@d4"]
