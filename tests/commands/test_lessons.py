"""`pond lessons`, and `pond play --lesson`."""

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


def test_lessons_are_listed_with_what_was_done(pond, folder):
    ProgressFile(folder).save([Course("lessons", tuple, frozenset({"place"}))])
    code, out, complaint = pond("lessons")
    assert (code, complaint) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["✓", "place", "Place", "an", "egg"]
    assert lines[1].split()[0] == "grow"
    assert lines[-2:] == [text(Message("lessons.done", count=1, total=10)), text(Message("lessons.begin", name="grow"))]


def test_a_lesson_of_ones_own_is_checked(pond, tmp_path):
    good, wrong = tmp_path / "mine.toml", tmp_path / "wrong.toml"
    good.write_text(GOOD)
    wrong.write_text(GOOD.replace("b2b1", "b2a1"))
    code, out, complaint = pond("lessons", good, wrong)
    assert code == 2
    assert str(good) in out
    assert complaint.startswith(f"pond: {wrong}: step 1: ")


def test_a_wrong_lesson_in_the_folder_is_said_and_the_others_are_listed(pond, folder):
    (folder / "lessons").mkdir(parents=True)
    (folder / "lessons" / "wrong.toml").write_text("title = ")
    code, out, complaint = pond("lessons")
    assert code == 2
    assert "place" in out
    assert "wrong.toml" in complaint


@pytest.fixture
def begun(monkeypatch):
    """The lessons with which a table was opened."""
    opened = []
    monkeypatch.setattr(tui, "play_simulated", lambda *_, lesson, **__: opened.append(lesson))
    return opened


def test_play_begins_with_a_lesson_by_name_or_by_file_or_with_the_next(pond, begun, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    for arguments in (["--lesson", "hop"], ["--lesson", path], ["--lesson"], []):
        assert pond("play", *arguments)[0] == 0
    assert [getattr(lesson, "name", lesson) for lesson in begun] == ["hop", "mine", "", None]


def test_a_lesson_of_ones_own_may_need_a_larger_board(pond, monkeypatch, tmp_path):
    ponds = []
    monkeypatch.setattr(tui, "play_simulated", lambda pond, *_, **__: ponds.append(pond.name))
    path = tmp_path / "large.toml"
    path.write_text(LARGE)
    assert pond("play", "--lesson", path)[0] == 0
    assert pond("play", "--lesson", path, "--variant", "big-15")[0] == 0
    assert ponds == ["big", "big-15"]
    code, _, complaint = pond("play", "--lesson", path, "--variant", "mini")
    assert (code, complaint.strip()) == (2, "pond: " + text(NO_ROOM))


@pytest.mark.parametrize("name", ["no-such", "no-such.toml"])
def test_a_lesson_that_there_is_not_is_refused_in_a_sentence(pond, begun, name):
    code, out, complaint = pond("play", "--lesson", name)
    assert (code, out, begun) == (2, "", [])
    assert complaint.startswith("pond: ")


def test_unknown_lesson_is_called_a_lesson(pond):
    names = tuple(lesson.name for lesson in load_lessons(None).course.exercises)
    unknown = text(Message("exercise.unknown_lesson", name="no-such", names=names))
    assert pond("play", "--lesson", "no-such") == (2, "", f"pond: {unknown}\n")


def test_a_lesson_is_no_option_of_those_who_join(pond):
    code, _, complaint = pond("play", "--connect", "--lesson", "hop")
    assert code == 2
    assert "--lesson" in complaint


def test_all_lessons_that_ship_can_be_begun_by_name(pond, begun):
    for lesson in load_lessons(None).course.exercises:
        assert pond("play", "--lesson", lesson.name)[0] == 0
