"""Settings that even the odds: how much the board helps, and how many hints a side gets."""

import re
from dataclasses import replace

import pytest

from pond_hw.board import Touch
from pond_hw.exercises import load_lessons
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, Action, IllegalAction, Side
from pond_hw.server.protocol import record_message, state_message
from pond_hw.server.view_from_json import parse_view
from pond_hw.session import (
    DEFAULT_HELP,
    SETTINGS,
    ActionValue,
    AskHint,
    CellRole,
    ChangeSetting,
    ChooseExercise,
    ClockTick,
    ExerciseChoice,
    GameStarted,
    HelpLevel,
    HintFound,
    HintGiven,
    NewGame,
    RecallHelp,
    StartExercise,
    TakeAction,
    UndoTurns,
    describe_setting,
    describe_setting_value,
    find_targets,
    name_value,
)
from pond_hw.session.game.hints_and_warnings import HINT_SECONDS
from pond_hw.session.game.settings import FAIR_START, HEAD_START, HELP, HINT_LIMIT
from tests.conftest import each
from tests.messages.says import ids, text
from tests.session.tables import ButtonTable, PiecesTable, of_sides

OPENING = "@b2 @c3 @b3 @c2"
"""Light has a frog, and is to move."""


def table_with(light=HelpLevel.FULL, dark=HelpLevel.FULL, opening=OPENING):
    table = ButtonTable()
    table.play(opening)
    for side, level in zip(Side, (light, dark), strict=True):
        table.does(ChangeSetting, setting=HELP, side=side, value=level)
    return table


def targets(session):
    return {cell for cell, shown in session.view.cells.items() if shown.role is CellRole.TARGET}


def test_everybody_has_full_help_until_somebody_says_otherwise():
    table = ButtonTable()
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
    table = ButtonTable()
    table.play(OPENING)
    wooden = PiecesTable.at(table.session.position)
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
    table = ButtonTable()
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


def hint(table, action):
    """Somebody asks, and an answer comes."""
    table.does(AskHint)
    if table.session.hint and not table.session.hint.action:
        table.does(HintFound, action=Action.from_notation(action), action_value=ActionValue(0.0))
    return ids(table.session.messages)


def limited(side=LIGHT, hints=2):
    table = ButtonTable()
    table.does(ChangeSetting, setting=HINT_LIMIT, side=side, value=hints)
    return table


def test_without_a_limit_nobody_is_told_how_many_hints_are_left():
    assert not {"hint_limit.left", "hint_limit.last"} & set(hint(ButtonTable(), "@b2"))


def test_each_hint_says_how_many_are_left_and_after_the_last_one_there_is_none():
    table = limited()
    assert table.session.messages[0] == Message("hint_limit.set", side="light", count=2)
    assert hint(table, "@b2")[-1] == "hint_limit.left"
    table.play("@b2 @c3")
    assert hint(table, "@b3")[-1] == "hint_limit.last"
    table.play("@b3 @c2")
    assert hint(table, "@a1") == ["hint_limit.used_up"]
    assert table.session.hint is None
    assert table.session.preview_action(Action.from_notation("@a1")), "what an action would do is no hint"
    table.play("@a1")
    assert "hint_limit.used_up" not in hint(table, "@a2"), "dark has no limit"


def test_hint_for_the_side_that_is_not_to_move_is_refused():
    table = limited(DARK)
    table.play("@b2")
    assert ids(table.does(AskHint, side=LIGHT).messages) == ["action.not_their_turn"]
    assert (table.session.hint, table.session.hints_given) == (None, (0, 0))
    assert table.does(AskHint, side=DARK).hint


def test_the_same_hint_again_costs_nothing():
    table = limited(hints=1)
    hint(table, "@b2")
    table.time += HINT_SECONDS
    table.does(ClockTick)
    assert table.session.hint is None
    assert ids(table.session.messages) == ["prompt.buttons.place"], "what was said of the hint goes with it"
    assert hint(table, "@b2")[-1] == "hint_limit.last"
    table.play("@b2 @c3")
    table.does(UndoTurns)
    table.does(UndoTurns)
    assert hint(table, "@b2")[-1] == "hint_limit.last"
    assert table.session.hints_left == (0, None)


def test_the_same_hint_again_leaves_as_many_as_before():
    table = limited(hints=3)
    for _ in range(3):
        hint(table, "@b2")
        table.time += HINT_SECONDS
        table.does(ClockTick)
    assert table.session.hints_left == (2, None)


def test_a_hint_that_never_came_costs_nothing():
    table = limited(hints=1)
    table.does(AskHint)
    table.play("@b2 @c3")
    assert table.session.hints_left == (1, None)


def test_each_game_has_as_many_again():
    table = limited(hints=1)
    hint(table, "@b2")
    table.play("@b2")
    table.does(NewGame, variant=table.session.variant)
    assert (of_sides(table.session, HINT_LIMIT), table.session.hints_left) == ((1, None), (1, None))


def test_another_game_is_another_one_even_if_nothing_but_a_hint_was_given_in_this_one():
    table = limited(hints=1)
    table.does(NewGame, variant=table.session.variant)
    assert table.session.game_events == ()
    hint(table, "@b2")
    assert table.session.game_events == (HintGiven(LIGHT),)
    table.does(NewGame, variant=table.session.variant)
    assert table.session.game_events == (GameStarted(table.session.variant),)
    assert table.session.hints_left == (1, None)


def test_the_hints_of_this_game_count_for_another_limit_too():
    table = limited(hints=2)
    hint(table, "@b2")
    for limit, left in ((6, 5), (1, 0), (None, None), (3, 2)):
        table.does(ChangeSetting, setting=HINT_LIMIT, side=LIGHT, value=limit)
        assert table.session.hints_left == (left, None)


def test_another_limit_counts_at_once():
    table = limited(hints=1)
    hint(table, "@b2")
    table.play("@b2 @c3")
    table.does(ChangeSetting, setting=HINT_LIMIT, side=LIGHT, value=3)
    assert hint(table, "@b3")[-1] == "hint_limit.left"
    table.does(ChangeSetting, setting=HINT_LIMIT, side=LIGHT, value=None)
    assert ids(table.session.messages)[0] == "hint_limit.none"
    table.play("@b3 @c2")
    assert hint(table, "@a1")[-1] != "hint_limit.left"


def test_in_a_lesson_hints_are_not_counted():
    table = ButtonTable()
    table.session = replace(table.session, courses=(load_lessons(None).course,))
    table.does(ChangeSetting, setting=HINT_LIMIT, side=LIGHT, value=2)
    hint(table, "@b2")
    table.does(StartExercise, course_name="lessons", name="hint")
    assert not {"hint_limit.left", "hint_limit.last"} & set(hint(table, str(table.session.allowed_actions[0])))
    assert table.session.exercise.step_index == 1
    table.does(ChooseExercise, choice=ExerciseChoice.LEAVE)
    assert table.session.hints_left == (1, None)
    assert hint(table, "@b2")[-1] == "hint_limit.left", "still the same hint"


def test_help_that_is_changed_in_a_lesson_stays_changed_after_it():
    table = ButtonTable()
    table.session = replace(table.session, courses=(load_lessons(None).course,))
    table.does(ChangeSetting, setting=HELP, side=DARK, value=HelpLevel.TARGETS)
    table.does(StartExercise, course_name="lessons", name="hop")
    assert of_sides(table.session, HELP) == (HelpLevel.FULL, HelpLevel.FULL)
    table.does(ChangeSetting, setting=HELP, side=LIGHT, value=HelpLevel.NONE)
    assert of_sides(table.session, HELP) == (HelpLevel.NONE, HelpLevel.FULL)
    table.does(ChooseExercise, choice=ExerciseChoice.LEAVE)
    assert of_sides(table.session, HELP) == (HelpLevel.NONE, HelpLevel.TARGETS)


@pytest.mark.parametrize(("setting", "value"), [(HINT_LIMIT, 3), (HEAD_START, 2)])
def test_setting_changed_in_lesson_stays_changed(setting, value):
    table = ButtonTable()
    table.session = replace(table.session, courses=(load_lessons(None).course,))
    table.does(StartExercise, course_name="lessons", name="hop")
    table.does(ChangeSetting, setting=setting, side=DARK, value=value)
    table.does(ChooseExercise, choice=ExerciseChoice.LEAVE)
    assert of_sides(table.session, setting) == (setting.default, value)


def test_help_of_returning_player_waits_for_end_of_lesson():
    table = ButtonTable()
    table.session = replace(table.session, courses=(load_lessons(None).course,))
    table.does(StartExercise, course_name="lessons", name="hop")
    side_help = DEFAULT_HELP.with_value(HELP, HelpLevel.NONE).with_value(HINT_LIMIT, 3)
    table.does(RecallHelp, side=LIGHT, side_help=side_help, name="Ada")
    assert of_sides(table.session, HELP) == (HelpLevel.FULL, HelpLevel.FULL)
    table.does(ChooseExercise, choice=ExerciseChoice.LEAVE)
    assert table.session.side_helps == (side_help, DEFAULT_HELP)


@pytest.mark.parametrize("hints_before", [0, 1])
def test_another_screen_shows_it_too(hints_before):
    table = limited(DARK, 1)
    table.play("@b2")
    if hints_before:
        hint(table, "@c3")
    view = table.session.view
    state = state_message(view, table.time)
    assert state["hints_left"] == {"light": None, "dark": 1 - hints_before}
    shown = parse_view(record_message(view, table.time), state)
    assert (of_sides(shown, HINT_LIMIT), shown.hints_left) == (of_sides(view, HINT_LIMIT), view.hints_left)


def test_a_key_goes_through_smaller_limits_until_there_is_none_again():
    assert [HINT_LIMIT.find_next(each) for each in (None, 12, 8, 6, 3, 1)] == [12, 6, 6, 3, 1, None]


@pytest.mark.parametrize(
    ("setting", "given"),
    [
        *((HELP, given) for given in ("most", "", None, 1, ["full"])),
        *((HEAD_START, given) for given in (-1, 6, True, 1.0, "1", None)),
        *((HINT_LIMIT, given) for given in (0, 13, True, 3.0, "3", "")),
        *((FAIR_START, given) for given in (0, 1, "on", None)),
    ],
)
def test_a_value_that_is_none_is_not_taken_for_one(setting, given):
    with pytest.raises(ValueError, match=f"^{re.escape(str(given))}$"):
        setting.find_value(given)


@each("setting", SETTINGS.values())
def test_a_key_goes_through_all_choices_of_a_setting(setting):
    values = [setting.default]
    while (value := setting.find_next(values[-1])) != setting.default:
        values.append(value)
    assert sorted(map(name_value, values)) == sorted(setting.menu_values)


@each("setting", SETTINGS.values())
def test_a_setting_has_words_wherever_it_is_shown(setting):
    for side in Side if setting.is_of_side else (None,):
        assert text(describe_setting(setting, side))
        for value in setting.values:
            assert all(text(setting.describe(side, value, is_now)) for is_now in (False, True))
    assert all(text(describe_setting_value(setting, name)) for name in setting.menu_values)
    assert text(Message(setting.fault, **setting.fault_arguments, text="x"))
    page_ids = get_catalogue().find_texts(f"page.{setting.name}").keys()
    assert page_ids >= {f"page.{setting.name}{end}" for end in ((".light", ".dark") if setting.is_of_side else ("",))}
