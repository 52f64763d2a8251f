"""Attempts at puzzles, and verdicts on answers by exhaustive search."""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.engine.packed import UNDECIDED, PackedPosition, pack_action, pack_position, unpack_action
from pond_hw.engine.prover import Prover
from pond_hw.puzzles.puzzle import PIECES_TO_SCORE, Puzzle, PuzzleKind
from pond_hw.rules import Action, Position, legal_actions, play


class Verdict(NamedTuple):
    """Verdict on an action in a puzzle.

    Attributes:
        is_right: True if the action does what the puzzle asks for.
        is_solved: True if the puzzle is solved.
        reply: Reply by the other side: the longest defence against a right action, or the refutation of a wrong one, if any.
    """

    is_right: bool
    is_solved: bool
    reply: Action | None


def is_right(prover: Prover, kind: PuzzleKind, position: PackedPosition, action: int, actions: int) -> bool:
    """Return True if a legal action solves a puzzle, given the number of actions left to the solver."""
    if kind is PuzzleKind.SCORE:
        return prover.own_gain(position, action) >= PIECES_TO_SCORE
    after = prover.rules.play_action(position, action)
    if kind is PuzzleKind.SAVE:
        return not prover.is_lost(after, actions)
    return prover.must_lose(after, actions - 1)


def judge_action(prover: Prover, puzzle: Puzzle, position: Position, action: Action, actions_left: int) -> Verdict:
    """Judge a legal action in a puzzle.

    Args:
        prover: Prover for the variant of the puzzle.
        puzzle: The puzzle.
        position: Position before the action: the puzzle's own, or a later one in a `win` puzzle.
        action: Legal action in that position.
        actions_left: Number of the solver's actions left, including this one; initially `puzzle.actions`.
    """
    packed_position, number = pack_position(position), pack_action(action, puzzle.variant)
    after = prover.rules.play_action(packed_position, number)
    is_over = prover.rules.outcome(after) != UNDECIDED
    right = is_right(prover, puzzle.kind, packed_position, number, actions_left)
    reply = -1
    if right and puzzle.kind is PuzzleKind.WIN and not is_over:
        reply = prover.stubborn_reply(after, actions_left - 1)
        if prover.rules.outcome(prover.rules.play_action(after, reply)) != UNDECIDED:
            is_over = True  # every reply lets the solver win
    elif not right and not is_over:
        if puzzle.kind is PuzzleKind.WIN and actions_left > 1:
            reply = prover.saving_reply(after, actions_left - 1)
        elif puzzle.kind in (PuzzleKind.SAVE, PuzzleKind.ONLY):
            reply = prover.winning_reply(after, puzzle.against or puzzle.actions)
    is_solved = right and (is_over or puzzle.kind is not PuzzleKind.WIN)
    return Verdict(right, is_solved, None if reply < 0 else unpack_action(reply, puzzle.variant))


class PuzzleAttempt:
    """Attempt at a puzzle. After a correct action, the other side replies; a wrong action changes nothing.

    Args:
        puzzle: The puzzle.

    Attributes:
        position: Position with the solver to move.
        actions_left: Number of the solver's actions left.
        is_solved: True if the puzzle is solved.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.position: Position = puzzle.position
        self.actions_left = puzzle.actions
        self.is_solved = False
        self._prover = Prover(puzzle.variant)

    def play(self, action: Action) -> Verdict:
        """Try an action, and return the verdict on it.

        Raises:
            IllegalAction: The action is illegal.
        """
        after = play(self.position, action).after
        verdict = judge_action(self._prover, self.puzzle, self.position, action, self.actions_left)
        if verdict.is_right:
            self.position = play(after, verdict.reply).after if verdict.reply else after
            self.actions_left -= 1
            self.is_solved = verdict.is_solved
        return verdict

    def best_action(self) -> Action:
        """Return the answer or, later in a `win` puzzle, the action that wins fastest."""
        if self.position == self.puzzle.position:
            return self.puzzle.answer
        position = pack_position(self.position)
        return next(
            action
            for left in range(1, self.actions_left + 1)
            for action in legal_actions(self.position)
            if is_right(self._prover, self.puzzle.kind, position, pack_action(action, self.puzzle.variant), left)
        )
