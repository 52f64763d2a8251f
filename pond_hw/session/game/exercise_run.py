"""Progress in an exercise, and the paused game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Outcome, Position, Side, Turn, Variant
from pond_hw.session.game.exercise import Course, Exercise, ExerciseStep, GoalKind
from pond_hw.session.game.resume_prompt import ResumePrompt
from pond_hw.session.game.settings import SideHelps
from pond_hw.session.game.start_positions import is_set_up

PAUSE_SECONDS = 2.5
"""Seconds that a turn stays visible before the reply or the next task."""


class ExerciseChoice(Enum):
    """Ways to continue a paused or completed exercise, by cell. `RESUME` has no cell and is used only by programs."""

    NEXT = "a1"  # the next exercise
    AGAIN = "b1"
    LEAVE = "c1"  # back to the game
    RESUME = ""  # continue where it was interrupted


class PausedGame(NamedTuple):
    """Session fields of the current game, stored while exercises are played."""

    variant: Variant
    custom_start: Position | None
    turns: tuple[Turn, ...]
    undone_turns: tuple[Turn, ...]
    declared_outcome: Outcome | None
    changed_at: float
    side_helps: SideHelps
    human_sides: tuple[Side, ...] | None
    resume_prompt: ResumePrompt | None

    @property
    def can_continue(self) -> bool:
        is_over = self.declared_outcome or (self.turns and self.turns[-1].outcome)
        return not is_over and bool(self.turns or self.undone_turns or is_set_up(self.custom_start))


class StepStart(NamedTuple):
    """Index of a step, and the number of turns from the set-up position to the start of that step."""

    step_index: int
    turn_count: int


@dataclass(frozen=True, slots=True)
class ExerciseRun:
    """An exercise in progress.

    Attributes:
        step_starts: Starts of all steps since the position was last set up. The last one belongs to the current step.
        mistake_count: Number of wrong actions in this step.
        reactions: Messages shown with the task until the next event.
        refutation: Reply to the wrong action on display; None if no wrong action is shown.
        is_revealed: True if the answer is lit.
        is_met: True while the result of a finished step is shown.
        is_done: True if all steps are done.
    """

    exercise: Exercise
    course_name: str | None
    paused: PausedGame
    step_starts: tuple[StepStart, ...] = (StepStart(0, 0),)
    mistake_count: int = 0
    reactions: tuple[Message, ...] = ()
    refutation: Action | None = None
    is_revealed: bool = False
    is_met: bool = False
    is_done: bool = False
    prompt: ResumePrompt | None = None

    @property
    def step_index(self) -> int:
        return self.step_starts[-1].step_index

    @property
    def step(self) -> ExerciseStep:
        return self.exercise.steps[self.step_index]

    @property
    def learner(self) -> Side:
        return self.exercise.position.to_move

    @property
    def is_last_step(self) -> bool:
        return self.step_index + 1 == len(self.exercise.steps)

    @property
    def lit_cells(self) -> tuple[Cell, ...]:
        """Cells lit to show the learner where to act."""
        if self.is_met or self.is_done or self.refutation:
            return ()
        step, answers = self.step, self.step.goal.actions
        revealed_cells = tuple(cell for cell in answers[0] if cell) if answers and self.is_revealed else ()
        return revealed_cells or step.lit_cells

    def find_reply(self, turn_count: int, to_move: Side) -> Action | None:
        """Return the other side's reply if it is due `turn_count` turns after the position was set up."""
        if not self.exercise.has_other_side or to_move is self.learner or self.is_done:
            return None
        own_count = (turn_count - self.step_starts[-1].turn_count + 1) // 2
        replies = self.step.replies
        return replies[own_count - 1] if 0 < own_count <= len(replies) else None

    def describe(self, *, has_pieces: bool) -> tuple[Message, ...]:
        if self.prompt:
            board_kind = "pieces" if has_pieces else "buttons"
            done = (self.exercise.done,) if self.is_done and self.exercise.done else ()
            state = "done" if self.is_done else "waits"
            return (*self.reactions, *done, Message(f"exercise.{state}.{board_kind}"))
        if self.refutation:
            return self.reactions
        if self.is_met or self.is_done:
            return self.reactions or (Message("exercise.right"),)
        look = (Message("exercise.look"),) if self.is_revealed and self.step.goal.actions else ()
        return (*self.reactions, *look, self.step.describe_task(has_pieces=has_pieces))

    def after_mistake(self, refutation: Action | None) -> ExerciseRun:
        """Count a mistake, and show the reply to it if there is one."""
        answered = (Message("puzzle.answers", action=str(refutation)),) if refutation else ()
        mistake_count, reveal_after = self.mistake_count + 1, self.step.reveal_after
        return replace(
            self,
            mistake_count=mistake_count,
            reactions=(self.step.mistake or Message("exercise.mistake"), *answered),
            refutation=refutation,
            is_revealed=self.is_revealed or (reveal_after is not None and mistake_count >= reveal_after),
        )

    def after_undo(self, turn_count: int) -> ExerciseRun:
        """Return to the step in progress after `turn_count` turns, counted from the set-up position."""
        kept_starts = tuple(start for start in self.step_starts if start.turn_count <= turn_count)
        is_same = kept_starts == self.step_starts
        mistake_count = self.mistake_count if is_same else 0
        return replace(
            self,
            step_starts=kept_starts or self.step_starts[:1],
            mistake_count=mistake_count,
            is_revealed=self.is_revealed and is_same,
            reactions=(),
            is_met=False,
        )

    def with_next_step(self, turn_count: int) -> ExerciseRun:
        """Start the next step after `turn_count` turns, keeping the current reactions. There must be a next step."""
        next_index = self.step_index + 1
        next_start = StepStart(next_index, turn_count)
        is_moved = self.exercise.steps[next_index].position is not None
        step_starts = (StepStart(next_index, 0),) if is_moved else (*self.step_starts, next_start)
        return replace(self, step_starts=step_starts, mistake_count=0, is_revealed=False, is_met=False)

    @property
    def praise(self) -> tuple[Message, ...]:
        return (self.step.praise,) if self.step.praise else ()

    @property
    def waits_for_undo(self) -> bool:
        return self.step.goal.kind is GoalKind.UNDO and not self.is_done

    @property
    def waits_for_hint(self) -> bool:
        return self.step.goal.kind is GoalKind.HINT and not self.is_done


class ExerciseView(NamedTuple):
    """View of an exercise.

    Attributes:
        following: Title of the next exercise.
        program_names: Names of the engines that play light and dark; None for a side played by the learner.
        is_met: True while the result of a finished step is shown.
        answering_side: Side whose replies are part of the exercise, if any.
        is_refuting: True while a wrong action and its reply are shown.
        is_last: True for the last exercise of its course.
        exercise_number: Number of the exercise in its course, from 1; 0 without a course.
        exercise_count: Number of exercises in its course.
    """

    name: str
    title: Message
    course_name: str | None
    step_number: int
    step_count: int
    task: Message
    lit_cells: tuple[Cell, ...]
    is_done: bool
    is_asked: bool
    following: Message | None = None
    program_names: tuple[str | None, str | None] = (None, None)
    is_met: bool = False
    answering_side: Side | None = None
    is_refuting: bool = False
    is_last: bool = False
    exercise_number: int = 0
    exercise_count: int = 0


def view_exercise(
    run: ExerciseRun, following: tuple[Course, Exercise] | None, courses: Sequence[Course], *, has_pieces: bool
) -> ExerciseView:
    exercise = run.exercise
    names = [each.name for course in courses if course.name == run.course_name for each in course.exercises]
    following_course, following_exercise = following or (None, None)
    return ExerciseView(
        exercise.name,
        exercise.title,
        run.course_name,
        run.step_index + 1,
        len(exercise.steps),
        run.step.describe_task(has_pieces=has_pieces),
        run.lit_cells,
        run.is_done,
        run.prompt is not None,
        following_exercise.title if following_exercise else None,
        (None, exercise.opponent) if run.learner is Side.LIGHT else (exercise.opponent, None),
        run.is_met,
        run.learner.other_side if exercise.has_other_side and not exercise.opponent else None,
        run.refutation is not None,
        following_course is None or following_course.name != run.course_name,
        names.index(exercise.name) + 1 if exercise.name in names else 0,
        len(names),
    )
