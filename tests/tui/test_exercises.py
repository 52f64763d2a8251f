"""Tests of lessons and puzzles in the terminal."""

from dataclasses import replace

import pytest
from textual.widgets import Button

from pond_hw.exercises import LESSONS_COURSE, load_lessons
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.puzzles.course import exercise_name
from pond_hw.puzzles.puzzle import PuzzleKind, load_puzzles
from pond_hw.session.game.exercise_run import PAUSE_SECONDS
from pond_hw.session.game.resume_prompt import ResumePrompt
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.tui.dialogs import CourseDialog, ExerciseDialog
from tests.conftest import each
from tests.messages.says import terminal_text, text
from tests.tui.terminal_table import run_terminal, widget_text

SCORE, WIN = PuzzleKind.SCORE, PuzzleKind.WIN

LESSONS = load_lessons(None).course
PLACE, GROW = LESSONS.exercises[:2]


@pytest.mark.slow
def test_lesson_is_followed_by_the_next():
    async def play(table):
        await table.touch("c3")
        await table.press("f")
        assert isinstance(table.app.screen, CourseDialog)
        await table.press("enter")
        assert table.session.exercise.exercise is PLACE
        lesson = Message("status.lesson", title=PLACE.title, number=1, last=len(LESSONS.exercises))
        assert text(Message("status.exercise", title=lesson, step=1, count=2)) in table.status_text
        assert terminal_text(PLACE.steps[0].task) in table.status_text
        await table.touch("b2")
        assert terminal_text(PLACE.steps[0].task) not in table.status_text  # the step is done
        await table.wait(PAUSE_SECONDS)
        assert terminal_text(PLACE.steps[1].task) in table.status_text
        await table.touch("c3")
        await table.wait(PAUSE_SECONDS)
        assert isinstance(table.app.screen, ExerciseDialog)
        assert table.app.screen.focused.id == "next"
        await table.press("enter")
        assert table.session.exercise.exercise is GROW
        assert {name for course in table.session.courses for name in course.done_names} == {"place"}

    run_terminal(play)


WELCOME = text(Message("status.welcome"))


@pytest.mark.slow
def test_welcome_is_shown_until_first_saved_turn(tmp_path):
    async def first(table):
        assert WELCOME in table.status_text
        await table.press("f", "enter")
        assert WELCOME not in table.status_text
        await table.press("escape", "g")
        assert WELCOME in table.status_text
        await table.touch("c3")
        assert WELCOME not in table.status_text
        await table.press("u")
        assert WELCOME not in table.status_text

    async def second(table):
        assert WELCOME not in table.status_text

    run_terminal(first, folder=tmp_path)
    run_terminal(second, folder=tmp_path)


async def finish_first_lesson(table):
    await table.press("f", "enter")
    await table.touch("b2")
    await table.wait(PAUSE_SECONDS)
    await table.touch("c3")
    await table.wait(PAUSE_SECONDS)


@pytest.mark.slow
def test_welcome_is_not_shown_after_a_lesson(tmp_path):
    async def look(table):
        assert WELCOME not in table.status_text

    run_terminal(finish_first_lesson, folder=tmp_path)
    run_terminal(look, folder=tmp_path)


def test_goal_is_shown_beside_the_board():
    async def look(table):
        assert text(Message("status.goal")) in table.status_text

    run_terminal(look)


@pytest.mark.slow
def test_puzzle_with_one_step_has_no_step_count():
    async def play(table):
        exercise = table.session.exercise.exercise
        assert text(exercise.title) in table.status_text
        steps = Message("status.exercise", title=exercise.title, step=1, count=len(exercise.steps))
        assert (text(steps) in table.status_text) is (len(exercise.steps) > 1)

    small = [each for each in load_puzzles() if each.variant.size == 4]
    score, win = (next(each for each in small if each.kind is kind) for kind in (SCORE, WIN))
    for puzzle in (score, win):
        run_terminal(play, puzzle=exercise_name(puzzle))


@pytest.mark.slow
@pytest.mark.parametrize("exercise", [{"lesson": "hop"}, {"lesson": "hint"}, {"puzzle": "daily"}])
def test_exercise_sides_show_no_human_player(exercise):
    async def look(table):
        assert text(Message("player.human")) not in table.status_text

    run_terminal(look, **exercise)


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [None, PieceOptions()])
def test_hint_lesson_lights_no_cell_in_terminal(pieces):
    async def play(table):
        assert table.view.exercise.lit_cells == ()

    run_terminal(play, lesson="hint", pieces=pieces)


@pytest.mark.slow
def test_puzzle_list_shows_kinds():
    async def look(table):
        await table.press("z")
        lines = widget_text(table.app.screen.query_one("ChoiceList"))
        assert text(Message("puzzle.kind.score")) in lines

    run_terminal(look)


@pytest.mark.slow
def test_small_lesson_hides_unused_cells():
    async def play(table):
        grid, outside = table.board, {"a4", "b4", "c4", "d4", "d3", "d2", "d1"}
        assert grid.hidden_cells == outside
        assert "3x3/9/5" not in table.status_text
        assert not any(line.startswith("4") for line in table.board_lines())
        assert table.board_lines()[-1].split() == ["a", "b", "c"]
        await table.press(*["right"] * 4)  # the cursor is visible everywhere
        assert grid.hidden_cells == outside - {table.app.cursor}
        await table.press("escape", "g")
        assert grid.hidden_cells == set()
        assert table.board_lines()[-1].split() == ["a", "b", "c", "d"]

    run_terminal(play, lesson="place")


@pytest.mark.slow
def test_last_lesson_offers_game_and_puzzle():
    async def play(table):
        await table.settle()
        run = table.session.exercise
        done = replace(run, is_done=True, prompt=ResumePrompt())
        assert not ExerciseDialog(table.view.exercise, ()).offers_game
        table.app.game_table.companion.session = replace(table.session, exercise=done)
        table.app.update_screen()
        await table.settle()
        buttons = [button.id for button in table.app.screen.query(Button)]
        assert buttons == ["play", "next", "again", "leave"]
        assert table.app.screen.focused.id == "play"
        puzzle = table.view.exercise.following
        assert puzzle.arguments["grade"] == 1
        await table.press("p")
        assert table.session.exercise is None
        assert table.session.variant.name == "standard"
        assert table.app.game_table.program_names == (None, "level-1")

    run_terminal(play, lesson="game")


@each("language", LANGUAGES)
def test_long_title_of_next_exercise_fits(language):
    catalogue = get_catalogue(language, "terminal")
    title = Message("puzzle.title_daily", number=303, kind=Message("puzzle.kind.score"), variant="standard", grade=4)

    async def play(table):
        await table.settle()
        exercise = table.view.exercise._replace(following=title, is_done=True)
        table.app.push_screen(ExerciseDialog(exercise, ()))
        await table.settle()
        button = table.app.screen.query_one("#next")
        assert button.size.width < 60
        assert catalogue.text(Message("exercise_dialog.next", title=title)) in widget_text(button)

    run_terminal(play, lesson="grow", catalogue=catalogue)


@pytest.mark.slow
@each("language", LANGUAGES)
def test_lesson_end_screen_fits(language):
    catalogue = get_catalogue(language, "terminal")

    async def play(table):
        await table.settle()
        done = replace(table.session.exercise, is_done=True, prompt=ResumePrompt())
        table.app.game_table.companion.session = replace(table.session, exercise=done).with_messages()
        table.app.update_screen()
        await table.settle()
        labels = table.app.screen.query("Label")
        assert catalogue.text(GROW.done) in " ".join(map(widget_text, labels))
        assert max(label.size.width for label in labels) < 80

    run_terminal(play, lesson="grow", catalogue=catalogue)


@pytest.mark.slow
def test_first_game_key_does_nothing_during_lesson():
    async def play(table):
        await table.press("escape", "p")
        assert isinstance(table.app.screen, ExerciseDialog)
        assert table.session.exercise

    run_terminal(play, lesson="game")


@pytest.mark.slow
def test_praise_is_shown_before_the_reply():
    async def play(table):
        await table.touch("b1")
        assert terminal_text(GROW.steps[0].praise) in table.status_text
        await table.wait(2 * PAUSE_SECONDS)
        assert terminal_text(GROW.steps[1].task) in table.status_text
        assert terminal_text(GROW.steps[0].praise) not in table.status_text

    run_terminal(play, lesson="grow")


def test_resigning_in_a_lesson_asks_for_no_confirmation():
    async def play(table):
        await table.press("x")
        assert text(Message("exercise.no_end")) in table.status_text

    run_terminal(play, lesson="grow")


@pytest.mark.slow
def test_dialog_closes_when_answered_elsewhere():
    async def play(table):
        table.app.push_screen(ExerciseDialog(table.view.exercise, ()))
        table.app.screen.dismiss()
        await table.settle()
        assert len(table.app.screen_stack) == 1
        assert terminal_text(GROW.steps[0].task) in table.status_text

    run_terminal(play, lesson="grow")


@pytest.mark.slow
def test_escape_dialog_returns_to_the_game():
    async def play(table):
        await table.touch("c3")
        before = table.session.turns
        await table.press("f", "enter", "escape")
        assert isinstance(table.app.screen, ExerciseDialog)
        assert [button.id for button in table.app.screen.query(Button)] == ["resume", "next", "again", "leave"]
        await table.press("a")
        assert table.session.exercise.prompt is None
        await table.press("escape", "g")
        assert (table.session.exercise, table.session.turns) == (None, before)
        assert len(table.app.screen_stack) == 1

    run_terminal(play)


@pytest.mark.slow
def test_second_escape_continues_the_exercise():
    async def play(table):
        await table.touch("b2")
        await table.wait(PAUSE_SECONDS)
        before = table.session.exercise
        assert before.step_index == 1
        await table.press("escape", "escape")
        assert table.session.exercise == before
        assert len(table.app.screen_stack) == 1
        assert terminal_text(PLACE.steps[1].task) in table.status_text

    run_terminal(play, lesson="place")


@pytest.mark.slow
def test_list_marks_completed_exercises(tmp_path):
    async def look(table):
        await table.press("f")
        lines = widget_text(table.app.screen.query_one("ChoiceList"))
        assert lines.startswith(f"✓ {terminal_text(PLACE.title)} {terminal_text(GROW.title)}")

    run_terminal(finish_first_lesson, folder=tmp_path)
    run_terminal(look, folder=tmp_path)


@pytest.mark.slow
def test_program_waits_during_lesson():
    async def play(table):
        await table.press("f", "enter")
        assert text(Message("player.exercise")) in table.status_text
        await table.touch("b2")
        await table.wait(PAUSE_SECONDS)
        assert table.position == ".../.E./e.."
        await table.press("escape", "g")
        assert table.position == "..../..../..../...."
        assert table.app.game_table.program_names == (None, "greedy")

    run_terminal(play, dark="greedy")


@pytest.mark.slow
def test_table_can_start_with_a_lesson():
    async def play(table):
        assert table.session.exercise.exercise.name == "hop"
        assert table.session.exercise.course_name == LESSONS_COURSE

    run_terminal(play, lesson="hop")
