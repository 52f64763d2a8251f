"""An exercise: a position, a task, what happens after a wrong action, and when it is done.

Lessons and puzzles are exercises. One is a value that a file or a program makes; `exercise_run` says how far somebody
is with it, and `exercise_play` what a session does about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Action, Cell, Position, Symbol, Turn, Variant


class GoalKind(Enum):
    """Kinds of goals of a step."""

    ACT = "act"  # any action, or one of those that are named
    PLACE = "place"  # an egg is placed
    MOVE = "move"  # a piece moves
    HOP = "hop"  # a frog hops over a piece
    DEVELOP = "develop"  # pieces develop, at least so many
    SCORE = "score"  # the learner scores pieces, at least so many
    SCORE_BOTH = "score both"  # both sides score in one turn
    WIN = "win"  # the learner wins
    END = "end"  # the game is over, whoever wins
    UNDO = "undo"  # a turn is taken back
    HINT = "hint"  # a hint is asked for, and shown


class Goal(NamedTuple):
    """Goal of a step of an exercise.

    Attributes:
        kind: what has to happen.
        actions: if any are named, it has to happen by one of these.
        least: of what is counted, so many at least.
    """

    kind: GoalKind = GoalKind.ACT
    actions: tuple[Action, ...] = ()
    least: int = 1

    def is_met_by(self, turn: Turn) -> bool:
        """True if a turn of the learner's is what was asked for; taking back and hints are no turns."""
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
        return False  # one step: there is no cell in between
    return turn.before.piece_at(f"{chr(columns // 2)}{rows // 2}") is not None


DEFAULT_REVEAL_AFTER = 2
"""Mistakes in a step after which its answer lights up: the first leaves a chance to find it."""


@dataclass(frozen=True, slots=True)
class ExerciseStep:
    """One task of an exercise, with what answers it.

    Attributes:
        task: what to do.
        goal: when it is done.
        mistake: what is said after a wrong action, before the task is said again; None: a sentence that fits always.
        praise: what is said when it is done, or None.
        lit_cells: the cells that are lit as soon as it is set.
        replies: what the other side does after each of the learner's turns; without any and without an opponent,
            whoever learns plays both sides.
        turn_limit: within how many of the learner's turns the goal has to be reached; None: in as many as it takes.
        reveal_after: after so many mistakes in this step the cells of the first of `goal.actions` light up; None: never.
            A hint lights them too.
        position: the position that the step begins in; None: as the one before it has left it.
        task_pieces: what to do on a board with pieces, if that is something else.
        refutations: what the other side answers to wrong actions in the position that the step begins in, so that
            everybody sees why they are wrong: `@a1:b2c3 a1a2:@d4`.
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
        """Return the other side's answer to a wrong action; None if that shows nothing."""
        answers = dict(pair.split(":") for pair in self.refutations.split())
        answer = answers.get(str(action))
        return Action.from_notation(answer) if answer else None

    def describe_task(self, *, has_pieces: bool) -> Message:
        """Describe the task, on a board with pieces or with buttons."""
        return (has_pieces and self.task_pieces) or self.task


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise.

    Attributes:
        name: by which it is chosen and remembered.
        title: what it is called in a list.
        position: the position that it begins in; its side to move is the learner's.
        steps: the tasks, one after the other; there is at least one.
        done: what is said when all of them are done, or None.
        opponent: the engine that plays the other side (`level-1`), or None.
        is_daily: whether it is the exercise of the day, which can be asked for as `daily` too.
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
        """The variant that it is played in."""
        return self.position.variant

    @property
    def has_other_side(self) -> bool:
        """True if somebody answers for the other side."""
        return self.opponent is not None or any(step.replies for step in self.steps)


MAX_NAMED = 20
"""Whoever asks for an exercise that is not there is told of so many that are, and no more."""

DAILY = "daily"
"""Name by which the exercise of the day is requested."""


def find_exercise(courses: Sequence[Course], course_name: str, name: str | None) -> tuple[Course, Exercise]:
    """A course, and the exercise of that name; None: the next that is not done.

    Raises:
        PondError: there is none.
    """
    course = next((each for each in courses if each.name == course_name), None)
    if course is None:
        known = tuple(each.name for each in courses)
        reason = Message("exercise.no_course", name=course_name, known=known) if known else None
        raise PondError(reason or Message("exercise.none_here"))
    exercise = course.find_exercise(name) if name else course.next_exercise
    if exercise is None:
        known = tuple(each.name for each in course.exercises)
        if len(known) > MAX_NAMED:
            raise PondError(Message("exercise.unknown_of_many", name=name or "", count=len(known)))
        raise PondError(Message("exercise.unknown", name=name or "", known=known))
    return course, exercise


class Course(NamedTuple):
    """Exercises in their order, and those that were done already.

    Attributes:
        name: `lessons`, `puzzles`, or what a file is called.
        list_exercises: gives all of them, the same at each call. They are read when somebody wants to see them: there are
            hundreds, and on most evenings nobody does.
        done_names: the names of those that were done.
        day: the day that it was made for, as `2026-11-27`; None: it is the same every day.
    """

    name: str
    list_exercises: Callable[[], tuple[Exercise, ...]]
    done_names: frozenset[str] = frozenset()
    day: str | None = None

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """All of them."""
        return self.list_exercises()

    @property
    def next_exercise(self) -> Exercise:
        """The first that is not done; the first of all if every one is."""
        return next((each for each in self.exercises if each.name not in self.done_names), self.exercises[0])

    def find_exercise(self, name: str) -> Exercise | None:
        """The exercise of that name, or of the day."""
        return next((each for each in self.exercises if each.name == name or (each.is_daily and name == DAILY)), None)

    def find_following(self, exercise: Exercise, board_size: int) -> Exercise | None:
        """The next one after an exercise for which a board of so many rows is large enough; None after the last."""
        names = [each.name for each in self.exercises]
        later = self.exercises[names.index(exercise.name) + 1 :] if exercise.name in names else ()
        return next((each for each in later if each.variant.size <= board_size), None)

    def with_done(self, name: str) -> Course:
        """The same, after one more was done."""
        return self if name in self.done_names else self._replace(done_names=self.done_names | {name})


def make_local_text(texts: Mapping[str, str]) -> Message:
    """A message of words that come from a file, in the languages that it has them in.

    Args:
        texts: the words by the code of their language; readers of another language get the first. Words for one surface
            alone have it behind the language: `en@terminal`.
    """
    return Message("text.local", texts=tuple(f"{language}={text}" for language, text in texts.items()))
