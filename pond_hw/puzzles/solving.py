"""Somebody at a puzzle: what was played so far, and how many actions are left."""

from __future__ import annotations

from pond_hw.engine.packed import pack_action, pack_position
from pond_hw.engine.prover import Prover
from pond_hw.puzzles.judging import Verdict, is_right, judge_action
from pond_hw.puzzles.puzzle import Puzzle
from pond_hw.rules import Action, Position, legal_actions, play


class PuzzleTry:
    """An attempt at a puzzle. A wrong action changes nothing; after a right one the other side has answered.

    Args:
        puzzle: the puzzle.

    Attributes:
        position: where the solver is to act.
        actions_left: own actions that are left.
        is_solved: whether nothing is left to do.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.position: Position = puzzle.position
        self.actions_left = puzzle.actions
        self.is_solved = False
        self._prover = Prover(puzzle.variant)

    def play(self, action: Action) -> Verdict:
        """Take an action, and have it judged.

        Raises:
            IllegalAction: the rules do not allow it.
        """
        after = play(self.position, action).after
        verdict = judge_action(self._prover, self.puzzle, self.position, action, self.actions_left)
        if verdict.is_right:
            self.position = play(after, verdict.reply).after if verdict.reply else after
            self.actions_left -= 1
            self.is_solved = verdict.is_solved
        return verdict

    def best_action(self) -> Action:
        """The answer; later on in a `win` the quickest way to win."""
        if self.position == self.puzzle.position:
            return self.puzzle.answer
        position = pack_position(self.position)
        return next(
            action
            for left in range(1, self.actions_left + 1)
            for action in legal_actions(self.position)
            if is_right(self._prover, self.puzzle.kind, position, pack_action(action, self.puzzle.variant), left)
        )
