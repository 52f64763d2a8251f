"""Tests of player settings: help, head start and hint limit are restored by name."""

import json

import pytest

from pond_hw.board import HealthEvent
from pond_hw.engine import SeatedPlayers, make_player
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, Action, parse_variant
from pond_hw.session import (
    UNLIMITED_HINTS,
    AskHint,
    ChangeSetting,
    ChooseExercise,
    ExerciseChoice,
    HelpLevel,
    NewGame,
    StartExercise,
)
from pond_hw.session.game.settings import HEAD_START, HELP, HINT_LIMIT
from tests.exercises.table import LessonTable
from tests.messages.says import ids
from tests.session.tables import values_by_side

MINI = parse_variant("mini")


def saved_settings(folder):
    path = folder / "players.json"
    return json.loads(path.read_bytes())["players"] if path.exists() else None


def table_of(folder, light=None, dark=None, **how):
    return LessonTable(folder=folder, names=(light, dark), **how)


def send(table, kind, *fields):
    table.companion.put(kind(*fields, table.clock.now()))
    return table.wait()


def seat(table, light=None, dark=None):
    """Begin a game of the same variant with people of the given names."""
    new_game = NewGame(table.session.default_variant, table.clock.now())
    table.companion.seat_players(SeatedPlayers((None, None), (light, dark)), new_game)
    return table.wait()


def ask_hint(table):
    send(table, AskHint)
    assert ids(table.session.messages)[-1].startswith(("hint_limit.", "value."))


def change_side_settings(table, side=DARK):
    send(table, ChangeSetting, HELP, side, HelpLevel.TARGETS)
    send(table, ChangeSetting, HEAD_START, side, 2)
    send(table, ChangeSetting, HINT_LIMIT, side, 3)


def offered_game(folder):
    """Return a table that offers to resume a saved game in which light has other settings."""
    table = table_of(folder)
    change_side_settings(table, LIGHT)
    table.act(Action.from_notation("@a1"))
    table.companion.close()
    return table_of(folder).wait(5.0)


ADA_SETTINGS = {"help": "targets", "head_start": 2, "hint_limit": 3}


def help_settings(table):
    session = table.session
    return values_by_side(session, HELP), values_by_side(session, HEAD_START), values_by_side(session, HINT_LIMIT)


@pytest.mark.parametrize("pieces", [False, True])
def test_settings_follow_name_to_other_side(tmp_path, pieces):
    table = table_of(tmp_path, "Ben", "Ada", pieces=pieces)
    change_side_settings(table)
    assert saved_settings(tmp_path) == {"ada": ADA_SETTINGS}
    table.companion.close()
    again = table_of(tmp_path, "ADA", "Ben", pieces=pieces)
    assert help_settings(again) == ((HelpLevel.TARGETS, HelpLevel.FULL), (2, 0), (3, None))
    assert again.session.position.scored == (2, 0), "the head start counts at once before the first turn"
    assert again.session.hints_left == (3, None)
    assert ids(again.session.messages)[:2] == ["side_help.recalled", "help_level.targets"]
    again.act(Action.from_notation("@a1"))
    assert saved_settings(tmp_path) == {"ada": ADA_SETTINGS}


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [False, True])
def test_used_hints_stay_used_after_power_cut(tmp_path, pieces):
    table = table_of(tmp_path, "Ada", "Ben", pieces=pieces)
    send(table, ChangeSetting, HINT_LIMIT, LIGHT, 3)
    ask_hint(table)
    table.act(Action.from_notation("@a1"))
    ask_hint(table)
    table.act(Action.from_notation("@b1"))
    ask_hint(table)
    assert table.session.hints_left == (1, None)
    table.companion.close()
    table = table_of(tmp_path, "Ada", "Ben", pieces=pieces).wait(5.0)
    assert (table.session.game_phase, table.session.hints_left) == ("resume", (1, None))
    table.tap("a1")
    ask_hint(table)
    assert table.session.hints_left == (1, None), "the same hint is not counted again"
    table.act(Action.from_notation("@a2")).act(Action.from_notation("@b2"))
    ask_hint(table)
    assert ids(table.session.messages)[-1] == "hint_limit.last"
    table.companion.close()
    table = table_of(tmp_path, "Ada", "Ben", pieces=pieces).wait(5.0).tap("c1")
    assert table.session.hints_left == (3, None), "each new game restores the full number of hints"


def test_unnamed_players_settings_are_not_saved_before_first_turn(tmp_path):
    table = table_of(tmp_path)
    change_side_settings(table)
    assert saved_settings(tmp_path) is None
    assert not list(tmp_path.glob("players*"))


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [False, True])
def test_resuming_game_restores_unnamed_players_settings(tmp_path, pieces):
    table = table_of(tmp_path, None, "Ben", pieces=pieces)
    change_side_settings(table, LIGHT)
    send(table, ChangeSetting, HELP, LIGHT, HelpLevel.WARNINGS)
    ask_hint(table)
    table.act(Action.from_notation("@a1"))
    table.companion.close()
    table = table_of(tmp_path, None, "Ben", pieces=pieces).wait(5.0)
    assert help_settings(table) == ((HelpLevel.FULL, HelpLevel.FULL), (0, 0), UNLIMITED_HINTS), (
        "the unfinished game has not been chosen yet"
    )
    table.tap("a1")
    assert help_settings(table) == ((HelpLevel.WARNINGS, HelpLevel.FULL), (2, 0), (3, None))
    assert table.session.hints_left == (2, None)
    assert pieces or set(ids(table.session.messages)) >= {"help_level.warnings", "hint_limit.set"}
    table.companion.close()
    table = table_of(tmp_path, pieces=pieces).wait(5.0).tap("a1")
    assert help_settings(table)[2] == (3, None), "settings survive a second power cut"


def test_settings_changed_during_the_resume_prompt_are_kept(tmp_path):
    table = offered_game(tmp_path)
    send(table, ChangeSetting, HELP, LIGHT, HelpLevel.NONE)
    send(table, ChangeSetting, HINT_LIMIT, LIGHT, 1)
    send(table, ChangeSetting, HINT_LIMIT, LIGHT, None)
    table.tap("a1")
    assert help_settings(table) == ((HelpLevel.NONE, HelpLevel.FULL), (2, 0), UNLIMITED_HINTS)


def test_unnamed_players_settings_end_with_the_game(tmp_path):
    table = offered_game(tmp_path).tap("c1")
    table.act(Action.from_notation("@a1"))
    table.companion.close()
    table = table_of(tmp_path).wait(5.0).tap("a1")
    assert help_settings(table) == ((HelpLevel.FULL, HelpLevel.FULL), (0, 0), UNLIMITED_HINTS)


def test_settings_survive_a_lesson(tmp_path):
    table = offered_game(tmp_path)
    send(table, StartExercise, "lessons")
    send(table, ChooseExercise, ExerciseChoice.LEAVE)
    table.tap("a1")
    assert help_settings(table)[2] == (3, None)


def test_new_game_from_lesson_has_its_own_settings(tmp_path):
    table = table_of(tmp_path)
    table.act(Action.from_notation("@a1"))
    table.companion.close()
    table = table_of(tmp_path).wait(5.0)
    send(table, StartExercise, "lessons")
    send(table, NewGame, MINI)
    change_side_settings(table, LIGHT)
    table.act(Action.from_notation("@a1"))
    table.companion.close()
    table = table_of(tmp_path).wait(5.0).tap("a1")
    assert help_settings(table)[2] == (3, None)


def test_program_has_no_saved_settings(tmp_path):
    table = table_of(tmp_path, "Ben", "Ada", players=(None, make_player("greedy", 1)))
    change_side_settings(table)
    assert saved_settings(tmp_path) is None


def test_settings_changed_before_naming_belong_to_player(tmp_path):
    table = table_of(tmp_path)
    change_side_settings(table)
    seat(table, "Ben", "Ada")
    assert saved_settings(tmp_path) == {"ada": ADA_SETTINGS}
    assert help_settings(table)[1] == (0, 2)


def test_next_player_gets_default_settings(tmp_path):
    table = table_of(tmp_path, None, "Ada")
    change_side_settings(table)
    send(table, NewGame, MINI)
    seat(table, "Eve", "Ben")
    assert help_settings(table) == ((HelpLevel.FULL, HelpLevel.FULL), (0, 0), UNLIMITED_HINTS)
    assert ids(table.session.messages)[0] == "help_level.full"
    seat(table, "Ada", None)
    assert help_settings(table) == ((HelpLevel.TARGETS, HelpLevel.FULL), (2, 0), (3, None))
    seat(table, None, None)
    assert help_settings(table) == ((HelpLevel.FULL, HelpLevel.FULL), (0, 0), UNLIMITED_HINTS)
    assert saved_settings(tmp_path) == {"ada": ADA_SETTINGS}


def test_default_settings_are_not_saved(tmp_path):
    table = table_of(tmp_path, "Ada")
    send(table, ChangeSetting, HELP, LIGHT, HelpLevel.NONE)
    assert set(saved_settings(tmp_path)) == {"ada"}
    send(table, ChangeSetting, HELP, LIGHT, HelpLevel.FULL)
    assert saved_settings(tmp_path) == {}


def test_help_of_a_lesson_is_not_saved(tmp_path):
    table = table_of(tmp_path, "Ada")
    send(table, ChangeSetting, HELP, LIGHT, HelpLevel.NONE)
    send(table, StartExercise, "lessons")
    assert values_by_side(table.session, HELP) == (HelpLevel.FULL, HelpLevel.FULL)
    assert saved_settings(tmp_path)["ada"]["help"] == "none"
    table.companion.put(ChooseExercise(ExerciseChoice.LEAVE, table.clock.now()))
    table.wait()
    assert values_by_side(table.session, HELP) == (HelpLevel.NONE, HelpLevel.FULL)


def test_new_game_with_name_ends_lesson(tmp_path):
    change_side_settings(table_of(tmp_path, "Ada"), LIGHT)
    table = table_of(tmp_path)
    send(table, StartExercise, "lessons")
    seat(table, "Ada", None)
    assert table.session.exercise is None
    assert values_by_side(table.session, HELP) == (HelpLevel.TARGETS, HelpLevel.FULL)
    assert saved_settings(tmp_path) == {"ada": ADA_SETTINGS}


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b'{"form":0,"players":{}}',
        b'{"form":1,"players":{"ada":{}}}',
        b'{"form":1,"players":{"ada":{"help":"some","head_start":0,"hint_limit":null}}}',
        b'{"form":1,"players":{"ada":{"help":"full","head_start":6,"hint_limit":null}}}',
        b'{"form":1,"players":{"ada":{"help":"full","head_start":true,"hint_limit":null}}}',
        b'{"form":1,"players":{"ada":{"help":"full","head_start":0,"hint_limit":0}}}',
    ],
)
def test_corrupt_file_is_renamed_and_reported(tmp_path, data):
    (tmp_path / "players.json").write_bytes(data)
    table = table_of(tmp_path, "Ada")
    assert table.session.messages[0].id == "state_file.put_aside"
    assert (tmp_path / "players.bad").read_bytes() == data
    assert help_settings(table) == ((HelpLevel.FULL, HelpLevel.FULL), (0, 0), UNLIMITED_HINTS)


def test_corrupt_file_is_reported_after_the_resume_prompt(tmp_path):
    table = table_of(tmp_path)
    table.act(Action.from_notation("@a1"))
    table.companion.close()
    (tmp_path / "players.json").write_bytes(b"{")
    table = table_of(tmp_path).wait(5.0)
    assert ids(table.session.messages)[0] != "state_file.put_aside"
    table.tap("a1")
    assert ids(table.session.messages)[0] == "state_file.put_aside"


def test_file_that_cannot_be_written_is_reported(tmp_path):
    table = table_of(tmp_path, "Ada")
    (tmp_path / "players.json").mkdir()
    send(table, ChangeSetting, HELP, LIGHT, HelpLevel.NONE)
    assert ids(table.session.messages)[0] == "state_file.not_kept"
    assert table.session.side_helps[LIGHT].help is HelpLevel.NONE


def test_number_of_saved_names_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr("pond_hw.companion.player_settings.MAX_NAMES", 2)
    for name in ("Ada", "Ben", "Ada", "Eve"):
        table = table_of(tmp_path, name)
        limit = 6 if table.session.side_helps[LIGHT].hint_limit else 3
        send(table, ChangeSetting, HINT_LIMIT, LIGHT, limit)
    assert saved_settings(tmp_path) == {
        name: {"help": "full", "head_start": 0, "hint_limit": hints} for name, hints in (("ada", 6), ("eve", 3))
    }


def test_players_do_not_change_during_trouble(tmp_path):
    change_side_settings(table_of(tmp_path, "Ada"), LIGHT)
    table = table_of(tmp_path)
    table.companion.put(HealthEvent(Message("sensors.lost", reason=Message("i2c.hangs", bus=1)), table.clock.now()))
    table.wait()
    seat(table, "Ada", None)
    assert (table.companion.seated.names, help_settings(table)) == (
        (None, None),
        ((HelpLevel.FULL, HelpLevel.FULL), (0, 0), UNLIMITED_HINTS),
    )
    table.companion.put(HealthEvent(None, table.clock.now()))
    seat(table.wait(), "Ada", None)
    assert help_settings(table) == ((HelpLevel.TARGETS, HelpLevel.FULL), (2, 0), (3, None))
    assert saved_settings(tmp_path) == {"ada": ADA_SETTINGS}
