"""The puzzle course, which offers the puzzles as exercises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import cache

from pond_hw.engine import STUBBORN
from pond_hw.messages.message import Message
from pond_hw.puzzles.daily_puzzle import daily_puzzle
from pond_hw.puzzles.puzzle import GRADES, Puzzle, PuzzleKind, load_puzzles
from pond_hw.session import Course, Exercise, ExerciseStep, Goal, GoalKind

PUZZLES_COURSE = "puzzles"
"""Name of the puzzle course."""

MENU_PUZZLES = 3
"""Number of unsolved puzzles of each grade in the board's menu, after the daily puzzle."""


NEWCOMER_PUZZLES = 5
"""Number of solved puzzles after which the daily puzzle comes first. Until then, easy puzzles come first."""


def make_exercise(puzzle: Puzzle, *, daily: bool = False) -> Exercise:
    """Convert a puzzle to an exercise. If the win takes several actions, the engine `stubborn` plays the other side.

    Args:
        puzzle: The puzzle.
        daily: True to give it the title of the daily puzzle.
    """
    goal, mistake = Goal(actions=(puzzle.answer,)), Message(f"puzzle.mistake.{puzzle.kind}")
    first_step = ExerciseStep(puzzle.task, goal, mistake, reveal_after=None, refutations=puzzle.refutations)
    title = Message("puzzle.title_daily", **puzzle.title.arguments) if daily else puzzle.title
    done = Message("puzzle.done")
    if puzzle.kind is not PuzzleKind.WIN or puzzle.actions == 1:
        return Exercise(exercise_name(puzzle), title, puzzle.position, (first_step,), done, is_daily=daily)
    left = puzzle.actions - 1
    first_step = replace(first_step, praise=Message("puzzle.right"))
    next_step = ExerciseStep(
        Message("puzzle.rest", count=left), Goal(GoalKind.WIN), mistake, turn_limit=left, reveal_after=None
    )
    steps = first_step, next_step
    return Exercise(exercise_name(puzzle), title, puzzle.position, steps, done, opponent=STUBBORN, is_daily=daily)


def exercise_name(puzzle: Puzzle) -> str:
    """Return the name that identifies a puzzle as an exercise."""
    return str(puzzle.number)


def make_course(size: int, day: date, done_names: Iterable[str] = ()) -> Course:
    """Return all puzzles that fit on a board: the daily puzzle, then some of each grade, then the rest.

    Newcomers get the easiest puzzles before the daily one.

    Args:
        size: Number of rows on the board.
        day: Current date.
        done_names: Names of the completed exercises.
    """
    done = frozenset(done_names)

    @cache
    def list_exercises() -> tuple[Exercise, ...]:
        daily = daily_puzzle(day)
        puzzles = [puzzle for puzzle in load_puzzles() if puzzle.variant.size <= size and puzzle != daily]
        unsolved = [puzzle for puzzle in puzzles if exercise_name(puzzle) not in done]
        first = [
            puzzle for grade in GRADES for puzzle in [each for each in unsolved if each.grade == grade][:MENU_PUZZLES]
        ]
        others = [puzzle for puzzle in puzzles if puzzle not in first]
        exercises = list(map(make_exercise, (*first, *others)))
        if daily.variant.size <= size:
            daily_index = MENU_PUZZLES if len(done) < NEWCOMER_PUZZLES else 0
            exercises.insert(daily_index, make_exercise(daily, daily=True))
        return tuple(exercises)

    return Course(PUZZLES_COURSE, list_exercises, done, str(day))
