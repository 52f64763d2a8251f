"""A puzzle. `puzzles.solving` says when an action solves it.

There are four kinds. In each exactly one action of the side to move is right, and that was proven by trying out
everything:

- `score`: this action scores three or more own pieces in this turn.
- `win`: this action wins within `actions` own actions, whatever the other side does, and there is no quicker win. Later on every
  action counts that still wins in the actions that are left.
- `save`: after this action the other side cannot force a win within its next `actions` actions. After every other it can.
- `only`: this action wins within `actions` own actions, and after every other the other side wins within `against` of its own.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Position, Side, Variant

PIECES_TO_SCORE = 3
"""Own pieces that the answer of a `score` puzzle scores, or more."""


class PuzzleKind(Enum):
    """What is to be done."""

    SCORE = "score"
    WIN = "win"
    SAVE = "save"
    ONLY = "only"

    def __str__(self) -> str:
        return self.value


class Puzzle(NamedTuple):
    """A position with one right action.

    Attributes:
        number: by which it is asked for, from 1.
        kind: what is to be done.
        position: where; the side to move solves it.
        answer: the one right action.
        actions: own actions within which it wins (`win`, `only`), 1 for `score`; for `save`, those of the other side that
            must not win.
        against: for `only`: actions within which the other side wins after every other action; else 0.
        grade: 1 (easy) to 5.
        depth: actions that a search must look ahead to take the answer, and to stay with it when it looks further.
        tempting: wrong actions that look at most a piece worse to a player who looks at this turn alone.
        levels: how often each level took the answer, in percent, level 1 first.
        refutations: what the other side answers to wrong actions, so that everybody sees why they are wrong; as
            `ExerciseStep` has it. Some are wrong without that: they score too little, or end the game.
    """

    number: int
    kind: PuzzleKind
    position: Position
    answer: Action
    actions: int
    against: int
    grade: int
    depth: int
    tempting: int
    levels: tuple[int, ...] = ()
    refutations: str = ""

    @property
    def solving_level(self) -> int:
        """The weakest level that takes the answer at least half of the time; 13 if none does."""
        return next((number for number, share in enumerate(self.levels, start=1) if share >= 50), 13)

    @property
    def variant(self) -> Variant:
        """The variant that it is played in."""
        return self.position.variant

    @property
    def side(self) -> Side:
        """Who solves it."""
        return self.position.to_move

    @property
    def title(self) -> Message:
        """What it is called in a list."""
        kind = Message(f"puzzle.kind.{self.kind}")
        return Message("puzzle.title", number=self.number, kind=kind, variant=self.variant.name, grade=self.grade)

    @property
    def task(self) -> Message:
        """What the solver is asked to do."""
        return Message(f"puzzle.task.{self.kind}", side=str(self.side), count=self.actions)
