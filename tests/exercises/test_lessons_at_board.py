"""Lessons that are chosen and completed at the board alone, with sensors and lamps."""

import pytest

from pond_hw.engine import make_player
from pond_hw.exercises import load_lessons
from pond_hw.puzzles.course import PUZZLES_COURSE
from pond_hw.rules import LIGHT, VARIANTS, Side
from pond_hw.session import AskHint, CellRole, ChangeSetting, ChooseExercise, ExerciseChoice, HelpLevel, StartExercise
from pond_hw.session.game.settings import HELP
from tests.exercises.table import LessonTable, finish_lesson

LESSONS = load_lessons(None).course.exercises
NAMES = [lesson.name for lesson in LESSONS]
BOARDS = pytest.mark.parametrize("pieces", [False, True], ids=["buttons", "pieces"])


@BOARDS
@pytest.mark.parametrize("name", NAMES)
def test_lesson_can_be_completed_at_board_alone(name, pieces):
    table = LessonTable(pieces=pieces)
    table.begin(name)
    finish_lesson(table, name)
    assert table.session.game_phase == "exercise"
    assert table.shown(CellRole.DEFAULT_CHOICE, CellRole.CHOICE, CellRole.TAKE_OFF) == ["a1", "b1", "c1"]


@pytest.mark.slow
@BOARDS
def test_lessons_can_be_completed_one_after_another(pieces, tmp_path):
    table = LessonTable(pieces=pieces, folder=tmp_path)
    table.begin()
    for name in NAMES:
        finish_lesson(table, name)
        table.tap("a1").follow_lamps()
    assert table.done == set(NAMES)
    assert table.session.exercise.course_name == PUZZLES_COURSE
    assert LessonTable(pieces=pieces, folder=tmp_path).done == set(NAMES)


def test_lit_cell_is_brighter_than_empty_neighbour():
    table = LessonTable()
    table.begin("place")
    brightest = dict.fromkeys(("b2", "c3"), 0)
    for _ in range(40):
        table.wait(0.1)
        for cell in brightest:
            lamps = table.companion.frame.colours_by_cell[cell]
            brightest[cell] = max(brightest[cell], *(sum(lamp) for lamp in lamps))
    assert brightest["b2"] > 2 * brightest["c3"]


def test_wrong_action_flashes_red():
    table = LessonTable()
    table.begin("place")
    table.press("c3")
    assert table.session.refusal.cell == "c3"
    assert table.session.position.pieces == {}
    assert table.shown(CellRole.HINT) == ["b2"]


def test_human_sides_are_restored_after_lesson():
    table = LessonTable(pieces=True, players=(None, make_player("greedy", 1)))
    assert table.session.board_state.human_sides == (LIGHT,)
    table.companion.put(StartExercise("lessons", table.clock.now(), "hop"))
    table.wait().follow_lamps()
    assert table.session.board_state.human_sides == tuple(Side)
    table.companion.put(ChooseExercise(ExerciseChoice.LEAVE, table.clock.now()))
    table.wait().follow_lamps()
    assert table.session.board_state.human_sides == (LIGHT,)
    assert table.session.variant.name == "standard"


def test_new_game_in_lesson_uses_variant_of_paused_game():
    table = LessonTable(pond=VARIANTS["mini"])
    table.begin("end")
    assert table.session.variant.name == "3x3/5/4"
    assert table.session.default_variant.name == "mini"


@BOARDS
def test_hint_task_ignores_help_level(pieces):
    table = LessonTable(pieces=pieces)
    table.begin("hint")
    table.companion.put(ChangeSetting(HELP, LIGHT, HelpLevel.NONE, table.clock.now()))
    table.companion.put(AskHint(table.clock.now()))
    table.wait(1.0)
    assert table.run.step_index == 1


@BOARDS
def test_whole_game_has_opponent_and_hints(pieces):
    table = LessonTable(pieces=pieces)
    table.begin("game")
    table.follow()
    table.wait(3.0)
    assert [turn.side for turn in table.session.turns][:2] == [LIGHT, Side.DARK]
