"""Lessons in the terminal: chosen, done, left, and what stands beside the board meanwhile."""

from textual.widgets import Button

from pond_hw.exercises import LESSONS_COURSE, load_lessons
from pond_hw.messages.message import Message
from pond_hw.session.exercise_run import PAUSE_SECONDS
from pond_hw.tui.dialogs import CourseDialog, ExerciseDialog
from tests.messages.says import terminal_text, text
from tests.tui.tui_table import at, shown

PLACE, GROW = load_lessons(None).course.exercises[:2]


def test_a_lesson_is_chosen_done_and_followed_by_the_next():
    async def play(table):
        await table.touch("c3")
        await table.press("f")
        assert isinstance(table.app.screen, CourseDialog)
        await table.press("enter")
        assert table.session.exercise.exercise is PLACE
        assert text(Message("status.exercise", title=PLACE.title, step=1, count=2)) in table.words
        assert terminal_text(PLACE.steps[0].task) in table.words
        await table.touch("b2")
        assert terminal_text(PLACE.steps[0].task) not in table.words  # it is done
        await table.wait(PAUSE_SECONDS)
        assert terminal_text(PLACE.steps[1].task) in table.words
        await table.touch("c3")
        await table.wait(PAUSE_SECONDS)
        assert isinstance(table.app.screen, ExerciseDialog)
        assert table.app.screen.focused.id == "next"
        await table.press("enter")
        assert table.session.exercise.exercise is GROW
        assert {name for course in table.session.courses for name in course.done_names} == {"place"}

    at(play)


def test_praise_comes_before_the_answer_of_the_other_side_and_not_after_it():
    async def play(table):
        await table.touch("b1")
        assert terminal_text(GROW.steps[0].praise) in table.words
        await table.wait(2 * PAUSE_SECONDS)
        assert terminal_text(GROW.steps[1].task) in table.words
        assert terminal_text(GROW.steps[0].praise) not in table.words

    at(play, lesson="grow")


def test_in_a_lesson_nobody_is_asked_whether_they_resign():
    async def play(table):
        await table.press("x")
        assert text(Message("exercise.no_end")) in table.words

    at(play, lesson="grow")


def test_a_question_that_is_answered_elsewhere_as_soon_as_it_is_asked_goes_away():
    async def play(table):
        table.app.push_screen(ExerciseDialog(table.view.exercise, ()))
        table.app.screen.dismiss()
        await table.settle()
        assert len(table.app.screen_stack) == 1
        assert terminal_text(GROW.steps[0].task) in table.words

    at(play, lesson="grow")


def test_escape_asks_how_to_go_on_and_the_game_comes_back():
    async def play(table):
        await table.touch("c3")
        before = table.session.turns
        await table.press("f", "enter", "escape")
        assert isinstance(table.app.screen, ExerciseDialog)
        assert [button.id for button in table.app.screen.query(Button)] == ["next", "again", "leave"]
        await table.press("a")
        assert table.session.exercise.prompt is None
        await table.press("escape", "g")
        assert (table.session.exercise, table.session.turns) == (None, before)
        assert len(table.app.screen_stack) == 1

    at(play)


def test_the_list_marks_what_was_done(tmp_path):
    async def done(table):
        await table.press("f", "enter")
        await table.touch("b2")
        await table.wait(PAUSE_SECONDS)
        await table.touch("c3")
        await table.wait(PAUSE_SECONDS)

    async def look(table):
        await table.press("f")
        lines = shown(table.app.screen.query_one("ChoiceList"))
        assert lines.startswith(f"✓ {terminal_text(PLACE.title)} {terminal_text(GROW.title)}")

    at(done, folder=tmp_path)
    at(look, folder=tmp_path)


def test_a_program_that_plays_dark_waits_while_somebody_learns():
    async def play(table):
        await table.press("f", "enter")
        assert text(Message("player.exercise")) in table.words
        await table.touch("b2")
        await table.wait(PAUSE_SECONDS)
        assert table.position == ".../.E./e.."
        await table.press("escape", "g")
        assert table.position == "..../..../..../...."
        assert table.app.game_table.program_names == (None, "greedy")

    at(play, dark="greedy")


def test_it_may_begin_with_a_lesson():
    async def play(table):
        assert table.session.exercise.exercise.name == "hop"
        assert table.session.exercise.course_name == LESSONS_COURSE

    at(play, lesson="hop")
