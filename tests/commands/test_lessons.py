"""Tests of `pond lessons` and `pond play --lesson`."""

import pytest

from pond_hw import tui
from pond_hw.exercises import ProgressFile, load_lessons
from pond_hw.messages.message import Message
from pond_hw.session import Course
from tests.exercises.test_lesson_file import GOOD
from tests.messages.says import text

LARGE = """
title = "Place an egg"
variant = "big"
position = "...../...../...../...../..... l 14 14 0 0"

[[step]]
task = "Place an egg."
goal = "place"
"""

NO_ROOM = Message("variant.does_not_fit", variant="big", size=5, board=4)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("POND_JOURNAL", str(tmp_path / "games"))
    monkeypatch.setenv("POND_LANGUAGE", "en")
    return tmp_path / "games"


def test_list_marks_finished_lessons(pond, folder):
    ProgressFile(folder).save([Course("lessons", tuple, frozenset({"place"}))])
    code, out, err = pond("lessons")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["✓", "place", "Place", "an", "egg"]
    assert lines[1].split()[0] == "grow"
    assert lines[-2:] == [text(Message("lessons.done", count=1, total=10)), text(Message("lessons.begin", name="grow"))]


def test_custom_lesson_is_checked(pond, tmp_path):
    good, wrong = tmp_path / "mine.toml", tmp_path / "wrong.toml"
    good.write_text(GOOD)
    wrong.write_text(GOOD.replace("b2b1", "b2a1"))
    code, out, err = pond("lessons", good, wrong)
    assert code == 2
    assert str(good) in out
    assert err.startswith(f"pond: {wrong}: step 1: ")


def test_invalid_lesson_does_not_hide_the_others(pond, folder):
    (folder / "lessons").mkdir(parents=True)
    (folder / "lessons" / "wrong.toml").write_text("title = ")
    code, out, err = pond("lessons")
    assert code == 2
    assert "place" in out
    assert "wrong.toml" in err


@pytest.fixture
def opened_lessons(monkeypatch):
    """Lessons that a table was opened with."""
    opened = []
    monkeypatch.setattr(tui, "play_simulated", lambda *_, lesson, **__: opened.append(lesson))
    return opened


def test_lesson_is_chosen_by_name_file_or_progress(pond, opened_lessons, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    for arguments in (["--lesson", "hop"], ["--lesson", path], ["--lesson"], []):
        assert pond("play", *arguments)[0] == 0
    assert [getattr(lesson, "name", lesson) for lesson in opened_lessons] == ["hop", "mine", "", None]


def test_custom_lesson_opens_a_larger_board(pond, monkeypatch, tmp_path):
    ponds = []
    monkeypatch.setattr(tui, "play_simulated", lambda pond, *_, **__: ponds.append(pond.name))
    path = tmp_path / "large.toml"
    path.write_text(LARGE)
    assert pond("play", "--lesson", path)[0] == 0
    assert pond("play", "--lesson", path, "--variant", "big-15")[0] == 0
    assert ponds == ["big", "big-15"]
    code, _, err = pond("play", "--lesson", path, "--variant", "mini")
    assert (code, err.strip()) == (2, "pond: " + text(NO_ROOM))


@pytest.mark.parametrize("name", ["no-such", "no-such.toml"])
def test_missing_lesson_is_refused(pond, opened_lessons, name):
    code, out, err = pond("play", "--lesson", name)
    assert (code, out, opened_lessons) == (2, "", [])
    assert err.startswith("pond: ")


def test_unknown_lesson_error_lists_lessons(pond):
    names = tuple(lesson.name for lesson in load_lessons(None).course.exercises)
    unknown = text(Message("exercise.unknown_lesson", name="no-such", names=names))
    assert pond("play", "--lesson", "no-such") == (2, "", f"pond: {unknown}\n")


def test_lesson_is_refused_with_connect(pond):
    code, _, err = pond("play", "--connect", "--lesson", "hop")
    assert code == 2
    assert "--lesson" in err


def test_every_shipped_lesson_can_be_started(pond, opened_lessons):
    for lesson in load_lessons(None).course.exercises:
        assert pond("play", "--lesson", lesson.name)[0] == 0
