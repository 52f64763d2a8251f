"""What a puzzle is, and when an action solves it.

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

from pond_hw.engine.packed import UNDECIDED, PackedPosition, pack_action, pack_position, unpack_action
from pond_hw.engine.prover import Prover
from pond_hw.messages.message import Message
from pond_hw.rules import Action, Position, Side, Variant, legal_actions

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

    @property
    def solving_level(self) -> int:
        """The weakest level that takes the answer at least half of the time; 9 if none does."""
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
        return Message("puzzle.title", number=self.number, variant=self.variant.name, grade=self.grade)

    @property
    def task(self) -> Message:
        """What the solver is asked to do."""
        return Message(f"puzzle.task.{self.kind}", side=str(self.side), count=self.actions)


class Verdict(NamedTuple):
    """What an action in a puzzle was worth.

    Attributes:
        is_right: whether it does what the puzzle asks for.
        is_solved: whether nothing is left to do.
        reply: the other side's answer: to a right action the one that holds out longest, to a wrong one the one that shows
            why; None if there is none.
    """

    is_right: bool
    is_solved: bool
    reply: Action | None


def is_right(prover: Prover, kind: PuzzleKind, position: PackedPosition, action: int, actions: int) -> bool:
    """Whether a legal action does what a puzzle asks for, with so many actions (left)."""
    if kind is PuzzleKind.SCORE:
        return prover.own_gain(position, action) >= PIECES_TO_SCORE
    after = prover.rules.play_action(position, action)
    if kind is PuzzleKind.SAVE:
        return not prover.is_lost(after, actions)
    return prover.must_lose(after, actions - 1)


def judge_action(prover: Prover, puzzle: Puzzle, position: Position, action: Action, actions_left: int) -> Verdict:
    """What a legal action is worth in a puzzle.

    Args:
        prover: for the puzzle's variant.
        puzzle: the puzzle.
        position: where the action is taken: the puzzle's own, or a later one of a `win`.
        action: a legal action there.
        actions_left: own actions that are left, this one counted; at first `puzzle.actions`.
    """
    packed_position, number = pack_position(position), pack_action(action, puzzle.variant)
    after = prover.rules.play_action(packed_position, number)
    is_over = prover.rules.outcome(after) != UNDECIDED
    right = is_right(prover, puzzle.kind, packed_position, number, actions_left)
    reply = -1
    if right and puzzle.kind is PuzzleKind.WIN and not is_over:
        reply = prover.stubborn_reply(after, actions_left - 1)
        if prover.rules.outcome(prover.rules.play_action(after, reply)) != UNDECIDED:
            is_over = True  # whatever they do wins the game for the solver
    elif not right and not is_over:
        if puzzle.kind is PuzzleKind.WIN:
            reply = prover.saving_reply(after, actions_left - 1)
        elif puzzle.kind is not PuzzleKind.SCORE:
            reply = prover.winning_reply(after, puzzle.against or puzzle.actions)
    is_solved = right and (is_over or puzzle.kind is not PuzzleKind.WIN)
    return Verdict(right, is_solved, None if reply < 0 else unpack_action(reply, puzzle.variant))


def find_right_actions(puzzle: Puzzle) -> tuple[Action, ...]:
    """All right actions, found anew; the answer alone if the puzzle is sound."""
    prover, position = Prover(puzzle.variant), pack_position(puzzle.position)
    return tuple(
        action
        for action in legal_actions(puzzle.position)
        if is_right(prover, puzzle.kind, position, pack_action(action, puzzle.variant), puzzle.actions)
    )
