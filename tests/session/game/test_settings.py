"""Help levels and hint limits."""

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
from tests.session.tables import ButtonTable, PiecesTable, values_by_side

OPENING = "@b2 @c3 @b3 @c2"
"""Light has a frog and is to move."""


def table_with_help(light=HelpLevel.FULL, dark=HelpLevel.FULL, opening=OPENING):
    table = ButtonTable()
    table.play(opening)
    for side, level in zip(Side, (light, dark), strict=True):
        table.send(ChangeSetting, setting=HELP, side=side, value=level)
    return table


def targets(session):
    return {cell for cell, shown in session.view.cells.items() if shown.role is CellRole.TARGET}


def test_full_help_is_the_default():
    table = ButtonTable()
    table.play(OPENING)
    assert values_by_side(table.session, HELP) == (HelpLevel.FULL, HelpLevel.FULL)
    table.press("b2")
    assert targets(table.session) == set(find_targets(table.session.position, "b2"))
    assert ids(table.session.messages) == ["chosen.frog"]


def test_no_help_hides_targets_but_allows_moves():
    table = table_with_help(light=HelpLevel.NONE)
    table.press("b2")
    assert table.session.selected_cell == "b2"
    assert targets(table.session) == set()
    assert table.session.messages == (Message("chosen.where_to", cell="b2"),)
    table.press("a2")
    assert str(table.session.turns[-1].action) == "b2a2"
    table.press("c3")
    assert targets(table.session), "dark still has full help"


def test_lifted_piece_shows_no_targets_without_help():
    table = ButtonTable()
    table.play(OPENING)
    pieces_table = PiecesTable.at(table.session.position)
    pieces_table.after(ChangeSetting(HELP, LIGHT, HelpLevel.NONE, pieces_table.time))
    pieces_table.lift("b2").wait(1.0)
    assert pieces_table.session.in_hand == "b2"
    assert targets(pieces_table.session) == set()
    assert Message("chosen.where_to", cell="b2") in pieces_table.session.messages


@pytest.mark.parametrize("level", [HelpLevel.NONE, HelpLevel.TARGETS])
def test_hints_and_previews_need_full_help(level):
    table = table_with_help(light=level)
    no_advice = Message("help_level.no_advice", side="light")
    table.send(AskHint)
    assert (table.session.hint, table.session.messages) == (None, (no_advice,))
    with pytest.raises(IllegalAction) as refused:
        table.session.preview_action(Action.from_notation("@a1"))
    assert refused.value.message == no_advice
    table.play("@a1")  # it is Dark's turn, with full help
    table.send(AskHint)
    assert ids(table.session.messages) == ["hint.thinking"]
    assert table.session.preview_action(Action.from_notation("@d4"))


def test_targets_level_lights_targets():
    table = table_with_help(light=HelpLevel.TARGETS)
    table.press("b2")
    assert targets(table.session) == set(find_targets(table.session.position, "b2"))


def test_lowering_help_removes_shown_hint():
    table = ButtonTable()
    table.send(AskHint)
    table.send(HintFound, action=Action.from_notation("@b2"), action_value=ActionValue(0.1))
    table.send(ChangeSetting, setting=HELP, side=LIGHT, value=HelpLevel.TARGETS)
    assert table.session.hint is None
    assert ids(table.session.messages) == ["help_level.targets", "prompt.buttons.place"]


def test_help_carries_over_to_next_game():
    table = table_with_help(dark=HelpLevel.NONE)
    turns, journal = table.session.turns, table.session.game_events
    assert (len(turns), journal) == (4, ())
    table.send(NewGame, variant=table.session.variant)
    assert values_by_side(table.session, HELP) == (HelpLevel.FULL, HelpLevel.NONE)
    assert not table.session.turns


def test_changing_help_keeps_selected_piece():
    table = table_with_help(light=HelpLevel.NONE)
    table.press("b2")
    table.send(ChangeSetting, setting=HELP, side=LIGHT, value=HelpLevel.FULL)
    assert targets(table.session) == set(find_targets(table.session.position, "b2"))
    assert ids(table.session.messages) == ["help_level.full", "chosen.frog"]
    table.send(ChangeSetting, setting=HELP, side=DARK, value=HelpLevel.NONE)
    assert table.session.selected_cell == "b2"


def test_actions_count_at_any_help_level():
    table = table_with_help(light=HelpLevel.NONE, dark=HelpLevel.NONE)
    table.session = table.session.after(Touch("a1", True, 20.0)).after(Touch("a1", False, 20.0))
    table.send(TakeAction, action=Action.from_notation("@d4"))
    assert [str(turn.action) for turn in table.session.turns[-2:]] == ["@a1", "@d4"]


def request_hint(table, action):
    """Request a hint and deliver it."""
    table.send(AskHint)
    if table.session.hint and not table.session.hint.action:
        table.send(HintFound, action=Action.from_notation(action), action_value=ActionValue(0.0))
    return ids(table.session.messages)


def limited(side=LIGHT, hints=2):
    table = ButtonTable()
    table.send(ChangeSetting, setting=HINT_LIMIT, side=side, value=hints)
    return table


def test_hints_left_are_not_shown_without_limit():
    assert not {"hint_limit.left", "hint_limit.last"} & set(request_hint(ButtonTable(), "@b2"))


def test_hint_reports_hints_left_until_limit():
    table = limited()
    assert table.session.messages[0] == Message("hint_limit.set", side="light", count=2)
    assert request_hint(table, "@b2")[-1] == "hint_limit.left"
    table.play("@b2 @c3")
    assert request_hint(table, "@b3")[-1] == "hint_limit.last"
    table.play("@b3 @c2")
    assert request_hint(table, "@a1") == ["hint_limit.used_up"]
    assert table.session.hint is None
    assert table.session.preview_action(Action.from_notation("@a1")), "previews do not use up hints"
    table.play("@a1")
    assert "hint_limit.used_up" not in request_hint(table, "@a2"), "dark has no limit"


def test_hint_for_other_side_is_refused():
    table = limited(DARK)
    table.play("@b2")
    assert ids(table.send(AskHint, side=LIGHT).messages) == ["action.not_their_turn"]
    assert (table.session.hint, table.session.hints_given) == (None, (0, 0))
    assert table.send(AskHint, side=DARK).hint


def test_repeated_hint_is_free():
    table = limited(hints=1)
    request_hint(table, "@b2")
    table.time += HINT_SECONDS
    table.send(ClockTick)
    assert table.session.hint is None
    assert ids(table.session.messages) == ["prompt.buttons.place"], "the hint's messages disappear with it"
    assert request_hint(table, "@b2")[-1] == "hint_limit.last"
    table.play("@b2 @c3")
    table.send(UndoTurns)
    table.send(UndoTurns)
    assert request_hint(table, "@b2")[-1] == "hint_limit.last"
    assert table.session.hints_left == (0, None)


def test_repeated_hint_does_not_change_hints_left():
    table = limited(hints=3)
    for _ in range(3):
        request_hint(table, "@b2")
        table.time += HINT_SECONDS
        table.send(ClockTick)
    assert table.session.hints_left == (2, None)


def test_cancelled_hint_is_free():
    table = limited(hints=1)
    table.send(AskHint)
    table.play("@b2 @c3")
    assert table.session.hints_left == (1, None)


def test_new_game_resets_hints():
    table = limited(hints=1)
    request_hint(table, "@b2")
    table.play("@b2")
    table.send(NewGame, variant=table.session.variant)
    assert (values_by_side(table.session, HINT_LIMIT), table.session.hints_left) == ((1, None), (1, None))


def test_hint_alone_makes_a_game_count_as_played():
    table = limited(hints=1)
    table.send(NewGame, variant=table.session.variant)
    assert table.session.game_events == ()
    request_hint(table, "@b2")
    assert table.session.game_events == (HintGiven(LIGHT),)
    table.send(NewGame, variant=table.session.variant)
    assert table.session.game_events == (GameStarted(table.session.variant),)
    assert table.session.hints_left == (1, None)


def test_hints_given_count_against_new_limit():
    table = limited(hints=2)
    request_hint(table, "@b2")
    for limit, left in ((6, 5), (1, 0), (None, None), (3, 2)):
        table.send(ChangeSetting, setting=HINT_LIMIT, side=LIGHT, value=limit)
        assert table.session.hints_left == (left, None)


def test_new_hint_limit_applies_immediately():
    table = limited(hints=1)
    request_hint(table, "@b2")
    table.play("@b2 @c3")
    table.send(ChangeSetting, setting=HINT_LIMIT, side=LIGHT, value=3)
    assert request_hint(table, "@b3")[-1] == "hint_limit.left"
    table.send(ChangeSetting, setting=HINT_LIMIT, side=LIGHT, value=None)
    assert ids(table.session.messages)[0] == "hint_limit.none"
    table.play("@b3 @c2")
    assert request_hint(table, "@a1")[-1] != "hint_limit.left"


def test_hints_in_lesson_are_not_counted():
    table = ButtonTable()
    table.session = replace(table.session, courses=(load_lessons(None).course,))
    table.send(ChangeSetting, setting=HINT_LIMIT, side=LIGHT, value=2)
    request_hint(table, "@b2")
    table.send(StartExercise, course_name="lessons", name="hint")
    assert not {"hint_limit.left", "hint_limit.last"} & set(request_hint(table, str(table.session.allowed_actions[0])))
    assert table.session.exercise.step_index == 1
    table.send(ChooseExercise, choice=ExerciseChoice.LEAVE)
    assert table.session.hints_left == (1, None)
    assert request_hint(table, "@b2")[-1] == "hint_limit.left", "the hint is unchanged"


def test_help_changed_in_lesson_stays_changed():
    table = ButtonTable()
    table.session = replace(table.session, courses=(load_lessons(None).course,))
    table.send(ChangeSetting, setting=HELP, side=DARK, value=HelpLevel.TARGETS)
    table.send(StartExercise, course_name="lessons", name="hop")
    assert values_by_side(table.session, HELP) == (HelpLevel.FULL, HelpLevel.FULL)
    table.send(ChangeSetting, setting=HELP, side=LIGHT, value=HelpLevel.NONE)
    assert values_by_side(table.session, HELP) == (HelpLevel.NONE, HelpLevel.FULL)
    table.send(ChooseExercise, choice=ExerciseChoice.LEAVE)
    assert values_by_side(table.session, HELP) == (HelpLevel.NONE, HelpLevel.TARGETS)


@pytest.mark.parametrize(("setting", "value"), [(HINT_LIMIT, 3), (HEAD_START, 2)])
def test_setting_changed_in_lesson_stays_changed(setting, value):
    table = ButtonTable()
    table.session = replace(table.session, courses=(load_lessons(None).course,))
    table.send(StartExercise, course_name="lessons", name="hop")
    table.send(ChangeSetting, setting=setting, side=DARK, value=value)
    table.send(ChooseExercise, choice=ExerciseChoice.LEAVE)
    assert values_by_side(table.session, setting) == (setting.default, value)


def test_saved_help_is_restored_after_lesson():
    table = ButtonTable()
    table.session = replace(table.session, courses=(load_lessons(None).course,))
    table.send(StartExercise, course_name="lessons", name="hop")
    side_help = DEFAULT_HELP.with_value(HELP, HelpLevel.NONE).with_value(HINT_LIMIT, 3)
    table.send(RecallHelp, side=LIGHT, side_help=side_help, name="Ada")
    assert values_by_side(table.session, HELP) == (HelpLevel.FULL, HelpLevel.FULL)
    table.send(ChooseExercise, choice=ExerciseChoice.LEAVE)
    assert table.session.side_helps == (side_help, DEFAULT_HELP)


@pytest.mark.parametrize("hints_before", [0, 1])
def test_state_message_contains_hint_limit(hints_before):
    table = limited(DARK, 1)
    table.play("@b2")
    if hints_before:
        request_hint(table, "@c3")
    view = table.session.view
    state = state_message(view, table.time)
    assert state["hints_left"] == {"light": None, "dark": 1 - hints_before}
    shown = parse_view(record_message(view, table.time), state)
    assert (values_by_side(shown, HINT_LIMIT), shown.hints_left) == (values_by_side(view, HINT_LIMIT), view.hints_left)


def test_key_lowers_hint_limit_until_unlimited():
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
def test_invalid_setting_value_is_refused(setting, given):
    with pytest.raises(ValueError, match=f"^{re.escape(str(given))}$"):
        setting.find_value(given)


@each("setting", SETTINGS.values())
def test_key_cycles_through_setting_values(setting):
    values = [setting.default]
    while (value := setting.find_next(values[-1])) != setting.default:
        values.append(value)
    assert sorted(map(name_value, values)) == sorted(setting.menu_values)


@each("setting", SETTINGS.values())
def test_setting_has_messages_for_every_use(setting):
    for side in Side if setting.is_per_side else (None,):
        assert text(describe_setting(setting, side))
        for value in setting.values:
            assert all(text(setting.describe(side, value, applies_now)) for applies_now in (False, True))
    assert all(text(describe_setting_value(setting, name)) for name in setting.menu_values)
    assert text(Message(setting.fault, **setting.fault_arguments, text="x"))
    page_ids = get_catalogue().find_texts(f"page.{setting.name}").keys()
    assert page_ids >= {f"page.{setting.name}{end}" for end in ((".light", ".dark") if setting.is_per_side else ("",))}
