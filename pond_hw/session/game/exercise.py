"""Exercises: a starting position and steps, each with a task, a goal and reactions to mistakes.

Lessons and puzzles are exercises. `exercise_run` tracks the progress, and `exercise_play` handles the events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Action, Cell, Position, Symbol, Turn, Variant


class GoalKind(Enum):
    """Kinds of goals that a step can have."""

    ACT = "act"  # any action, or one of `Goal.actions`
    PLACE = "place"
    MOVE = "move"
    HOP = "hop"
    DEVELOP = "develop"  # at least `Goal.least` pieces develop
    SCORE = "score"  # the learner scores at least `Goal.least` pieces
    SCORE_BOTH = "score both"  # both sides score in one turn
    WIN = "win"
    END = "end"  # the game is over, no matter who wins
    UNDO = "undo"
    HINT = "hint"


class Goal(NamedTuple):
    """Goal of a step; `least` is the minimum number of developed or scored pieces."""

    kind: GoalKind = GoalKind.ACT
    actions: tuple[Action, ...] = ()
    least: int = 1

    def is_met_by(self, turn: Turn) -> bool:
        """Return True if the learner's turn reaches the goal. Undo and hint goals are checked elsewhere."""
        if self.actions and turn.action not in self.actions:
            return False
        source, outcome = turn.action.source, turn.outcome
        match self.kind:
            case GoalKind.ACT:
                return True
            case GoalKind.PLACE:
                return source is None
            case GoalKind.MOVE:
                return source is not None
            case GoalKind.HOP:
                return _is_hop(turn)
            case GoalKind.DEVELOP:
                return len(turn.developed_pieces) >= self.least
            case GoalKind.SCORE:
                return len(turn.scored_cells[turn.side]) >= self.least
            case GoalKind.SCORE_BOTH:
                return all(turn.scored_cells.values())
            case GoalKind.WIN:
                return outcome is not None and outcome.winner is turn.side
            case GoalKind.END:
                return outcome is not None
        return False


def _is_hop(turn: Turn) -> bool:
    source, target = turn.action
    if source is None or turn.acted_piece.symbol is not Symbol.FROG:
        return False
    columns, rows = (ord(source[0]) + ord(target[0])), (int(source[1]) + int(target[1]))
    if columns % 2 or rows % 2:
        return False  # a single step jumps over nothing
    return turn.before.piece_at(f"{chr(columns // 2)}{rows // 2}") is not None


DEFAULT_REVEAL_AFTER = 2
"""Default number of mistakes after which a step's answer lights up."""


@dataclass(frozen=True, slots=True)
class ExerciseStep:
    """One task of an exercise.

    Attributes:
        mistake: Reaction to a wrong action, shown before the task; None for a default message.
        praise: Reaction to a correct action.
        lit_cells: Cells lit at the start of the step.
        replies: Replies by the other side. With neither replies nor an opponent, the learner plays both sides.
        turn_limit: Number of turns that the learner may take; None if unlimited.
        reveal_after: Number of mistakes after which the first answer lights up; None to never reveal it.
        position: Position at the start of the step; None to continue from the previous step.
        task_pieces: Alternative task for a board with pieces, if needed.
        refutations: Replies that show why a wrong action in the first position fails, such as `@a1:b2c3 a1a2:@d4`.
    """

    task: Message
    goal: Goal
    mistake: Message | None = None
    praise: Message | None = None
    lit_cells: tuple[Cell, ...] = ()
    replies: tuple[Action, ...] = ()
    turn_limit: int | None = 1
    reveal_after: int | None = DEFAULT_REVEAL_AFTER
    position: Position | None = None
    task_pieces: Message | None = None
    refutations: str = ""

    def find_refutation(self, action: Action) -> Action | None:
        answers = dict(pair.split(":") for pair in self.refutations.split())
        answer = answers.get(str(action))
        return Action.from_notation(answer) if answer else None

    def describe_task(self, *, has_pieces: bool) -> Message:
        return (has_pieces and self.task_pieces) or self.task


@dataclass(frozen=True, slots=True)
class Exercise:
    """A sequence of tasks.

    Attributes:
        position: First position. The learner is the side to move.
        done: Message after the last step.
        opponent: Engine that plays the other side, such as `level-1`.
        is_daily: True if the exercise can also be requested as `daily`.
    """

    name: str
    title: Message
    position: Position
    steps: tuple[ExerciseStep, ...]
    done: Message | None = None
    opponent: str | None = None
    is_daily: bool = False

    @property
    def variant(self) -> Variant:
        return self.position.variant

    @property
    def has_other_side(self) -> bool:
        """True if an engine or the exercise itself plays the other side."""
        return self.opponent is not None or any(step.replies for step in self.steps)


MAX_LISTED_EXERCISES = 20
"""Maximum number of exercises listed in an error message."""

DAILY = "daily"
"""Exercise name that stands for the exercise of the day."""


def find_exercise(courses: Sequence[Course], course_name: str, name: str | None) -> tuple[Course, Exercise]:
    """Return a course and one of its exercises (default: the next unfinished one), or raise a `PondError`."""
    course = next((each for each in courses if each.name == course_name), None)
    if course is None:
        known = tuple(each.name for each in courses)
        reason = Message("exercise.no_course", name=course_name, known=known) if known else None
        raise PondError(reason or Message("exercise.none_here"))
    exercise = course.find_exercise(name) if name else course.next_exercise
    if exercise is None:
        known = tuple(each.name for each in course.exercises)
        if len(known) > MAX_LISTED_EXERCISES:
            raise PondError(Message("exercise.unknown_of_many", name=name or "", count=len(known)))
        raise PondError(Message("exercise.unknown", name=name or "", known=known))
    return course, exercise


class Course(NamedTuple):
    """An ordered list of exercises, and the names of those completed.

    Attributes:
        list_exercises: Function that loads all exercises, called only on demand because there are hundreds.
        day: Date of a course that changes daily, such as `2026-11-27`.
    """

    name: str
    list_exercises: Callable[[], tuple[Exercise, ...]]
    done_names: frozenset[str] = frozenset()
    day: str | None = None

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        return self.list_exercises()

    @property
    def next_exercise(self) -> Exercise:
        """First unfinished exercise, or the very first exercise if all are done."""
        return next((each for each in self.exercises if each.name not in self.done_names), self.exercises[0])

    def find_exercise(self, name: str) -> Exercise | None:
        """Return the exercise with this name; `daily` stands for the exercise of the day."""
        return next((each for each in self.exercises if each.name == name or (each.is_daily and name == DAILY)), None)

    def find_following(self, exercise: Exercise, board_size: int) -> Exercise | None:
        names = [each.name for each in self.exercises]
        later = self.exercises[names.index(exercise.name) + 1 :] if exercise.name in names else ()
        return next((each for each in later if each.variant.size <= board_size), None)

    def with_done(self, name: str) -> Course:
        return self if name in self.done_names else self._replace(done_names=self.done_names | {name})


def make_local_text(texts: Mapping[str, str]) -> Message:
    """Build a message from texts by language code.

    The first text is the fallback. A code such as `en@terminal` restricts a text to one type of screen.
    """
    return Message("text.local", texts=tuple(f"{language}={text}" for language, text in texts.items()))
