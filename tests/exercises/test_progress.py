"""The file of completed exercises, which may be damaged."""

import json

import pytest

from pond_hw.exercises import ProgressFile
from pond_hw.journal.folder import read_all_games
from pond_hw.rules import Action, parse_variant
from pond_hw.session import CellRole, ChooseExercise, Course, ExerciseChoice, StartExercise
from tests.exercises.table import LessonTable, finish_lesson

LESSONS = Course("lessons", tuple, frozenset({"place", "hop"}))


def test_saved_progress_is_loaded(tmp_path):
    folder = tmp_path / "state"
    assert ProgressFile(folder).done_names == {}
    assert ProgressFile(folder).save([LESSONS]) is None
    assert ProgressFile(folder).done_names == {"lessons": {"place", "hop"}}


def test_other_courses_are_preserved(tmp_path):
    ProgressFile(tmp_path).save([LESSONS])
    ProgressFile(tmp_path).save([Course("puzzles", tuple, frozenset({"one"}))])
    assert set(ProgressFile(tmp_path).done_names) == {"lessons", "puzzles"}


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"form":0,"done":{}}', b'{"form":1,"done":{"lessons":[1]}}', b"\xff", b"[" * 9000]
)
def test_corrupt_file_is_renamed(tmp_path, data):
    path = tmp_path / "exercises.json"
    path.write_bytes(data)
    progress = ProgressFile(tmp_path)
    assert progress.done_names == {}
    assert progress.fault.id == "state_file.put_aside"
    assert path.with_suffix(".bad").read_bytes() == data
    assert progress.save([LESSONS]) is None
    assert json.loads(path.read_bytes())["done"] == {"lessons": ["hop", "place"]}


@pytest.mark.slow
def test_corrupt_file_is_reported_at_board(tmp_path):
    (tmp_path / "exercises.json").write_bytes(b"{")
    table = LessonTable(folder=tmp_path)
    assert table.session.messages[0].id == "state_file.put_aside"
    table.begin("place")
    finish_lesson(table, "place")
    assert LessonTable(folder=tmp_path).done == {"place"}


@pytest.mark.slow
def test_unwritable_file_is_reported(tmp_path):
    table = LessonTable(folder=tmp_path)
    (tmp_path / "exercises.json").mkdir()
    table.begin("place")
    finish_lesson(table, "place")
    table.wait()
    assert table.session.messages[0].id == "state_file.not_kept"
    assert table.session.game_phase == "exercise"


def test_default_exercise_is_next_unfinished(tmp_path):
    ProgressFile(tmp_path).save([Course("lessons", tuple, frozenset({"place", "grow"}))])
    table = LessonTable(folder=tmp_path)
    table.open_menu().tap("a4")
    assert table.shown(CellRole.DEFAULT_CHOICE) == ["c1"]


@pytest.mark.slow
def test_game_is_offered_again_after_power_cut_during_lesson(tmp_path):
    table = LessonTable(folder=tmp_path, pond=parse_variant("standard"))
    for cell in ("a1", "c3", "b4"):
        table.press(cell)
    before = [str(turn.action) for turn in table.session.turns]
    table.begin("place")
    table.press("b2")
    table.companion.durable.journal.close()  # a power cut
    again = LessonTable(folder=tmp_path)
    assert again.session.game_phase == "resume"
    assert [str(turn.action) for turn in again.session.turns] == before


@pytest.mark.parametrize("pieces", [False, True])
def test_offered_game_is_offered_again_after_lesson(tmp_path, pieces):
    table = LessonTable(folder=tmp_path, pieces=pieces)
    for action in ("@a1", "@c3"):
        table.act(Action.from_notation(action)).follow_lamps()
    before = [str(turn.action) for turn in table.session.turns]
    table.companion.close()
    again = LessonTable(folder=tmp_path, pieces=pieces)
    again.companion.put(StartExercise("lessons", again.clock.now(), "hop"))
    again.wait().follow_lamps()
    assert again.lesson == "hop"
    again.companion.put(ChooseExercise(ExerciseChoice.LEAVE, again.clock.now()))
    again.wait()
    assert again.session.game_phase == "resume"
    again.tap("a1").follow_lamps()
    assert [str(turn.action) for turn in again.session.turns] == before
    assert len(read_all_games(tmp_path)[0]) == 1
