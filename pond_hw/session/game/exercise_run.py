"""An exercise in progress, and the game that waits meanwhile."""

from __future__ import annotations

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
"""Seconds that a turn is seen before the other side answers, or the next task comes."""


class ExerciseChoice(Enum):
    """Choice of how to go on with an exercise that is done or interrupted: the cells of the choice, as for a game.

    `RESUME` has no cell: only programs ask for it.
    """

    NEXT = "a1"  # go on: the next exercise if this one is done, the one after it otherwise
    AGAIN = "b1"  # from the beginning
    LEAVE = "c1"  # back to the game
    RESUME = ""  # go on where it was interrupted


class PausedGame(NamedTuple):
    """The game that waits while somebody does exercises, as the session has it otherwise."""

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
        """True if something of it would be lost if it were not gone on with; see `Session.can_continue`."""
        is_over = self.declared_outcome or (self.turns and self.turns[-1].outcome)
        return not is_over and bool(self.turns or self.undone_turns or is_set_up(self.custom_start))


class StepStart(NamedTuple):
    """Beginning of a step: its number, and the turns that had been taken since the position was set up."""

    step_index: int
    turn_count: int


@dataclass(frozen=True, slots=True)
class ExerciseRun:
    """An exercise in progress.

    Attributes:
        exercise: the exercise.
        course_name: the course that it is from, or None.
        paused: the game that waits.
        step_starts: the steps since the position was set up last; the last of them is the one of now.
        mistake_count: wrong actions in this step.
        reactions: what is said besides the task, until something else happens.
        refutation: what the other side answers to the wrong action that is on the board at this moment, with that
            answer or without it; None: none is.
        is_revealed: whether the answer is lit.
        is_met: whether the step is done, and its turn is still being seen.
        is_done: whether all steps are done.
        prompt: the choice how to go on, or None while nobody is asked.
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
        """The number of the step of now, from 0."""
        return self.step_starts[-1].step_index

    @property
    def step(self) -> ExerciseStep:
        """The step of now."""
        return self.exercise.steps[self.step_index]

    @property
    def learner(self) -> Side:
        """The side of whoever learns."""
        return self.exercise.position.to_move

    @property
    def is_last_step(self) -> bool:
        """True if no step follows."""
        return self.step_index + 1 == len(self.exercise.steps)

    @property
    def lit_cells(self) -> tuple[Cell, ...]:
        """The cells that are lit to say where to act."""
        if self.is_met or self.is_done or self.refutation:
            return ()
        step, answers = self.step, self.step.goal.actions
        revealed_cells = tuple(cell for cell in answers[0] if cell) if answers and self.is_revealed else ()
        return revealed_cells or step.lit_cells

    def find_reply(self, turn_count: int, to_move: Side) -> Action | None:
        """Return the other side's answer after `turn_count` turns since the position was set up; None if there is none."""
        if not self.exercise.has_other_side or to_move is self.learner or self.is_done:
            return None
        own_count = (turn_count - self.step_starts[-1].turn_count + 1) // 2
        replies = self.step.replies
        return replies[own_count - 1] if 0 < own_count <= len(replies) else None

    def describe(self, *, has_pieces: bool) -> tuple[Message, ...]:
        """Describe a reaction and the task, or how to go on."""
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
        """After a wrong action, which the other side would answer so; None: nobody knows how."""
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
        """After turns were taken back, so that so many are left since the position was set up: in the step of then."""
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
        """In the next step, which begins after so many turns; what is said of this one stays. It must not be the last."""
        next_index = self.step_index + 1
        next_start = StepStart(next_index, turn_count)
        is_moved = self.exercise.steps[next_index].position is not None
        step_starts = (StepStart(next_index, 0),) if is_moved else (*self.step_starts, next_start)
        return replace(self, step_starts=step_starts, mistake_count=0, is_revealed=False, is_met=False)

    @property
    def praise(self) -> tuple[Message, ...]:
        """Messages about a step that is done."""
        return (self.step.praise,) if self.step.praise else ()

    @property
    def waits_for_undo(self) -> bool:
        """True if a turn is to be taken back."""
        return self.step.goal.kind is GoalKind.UNDO and not self.is_done

    @property
    def waits_for_hint(self) -> bool:
        """True if a hint is to be asked for."""
        return self.step.goal.kind is GoalKind.HINT and not self.is_done


class ExerciseView(NamedTuple):
    """View of an exercise.

    Attributes:
        name: its name.
        title: what it is called.
        course_name: the course that it is from, or None.
        step_number: the step of now, from 1.
        step_count: how many there are.
        task: what to do.
        lit_cells: the cells that are lit to say where.
        is_done: whether all steps are done.
        is_asked: whether the board asks how to go on.
        following: what the exercise is called that comes after it, or None.
        program_names: the engine that plays light or dark in it; None is whoever learns.
        is_met: whether the step's turn is still being seen, so that nothing is to be done.
        answering_side: the side for which the exercise itself answers, or None.
        is_refuting: whether a wrong action is still being seen, and what the other side answers to it.
        is_last: True if no exercise of its course follows.
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


def view_exercise(run: ExerciseRun, following: tuple[Course, Exercise] | None, *, has_pieces: bool) -> ExerciseView:
    """Return the view of an exercise in progress."""
    exercise = run.exercise
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
    )
