"""Puzzles, as stored in puzzles.jsonl. `puzzles.solving` judges the answers.

Each puzzle has exactly one right action, proven by exhaustive search. There are four kinds:

- `score`: the action scores at least three of the solver's pieces in this turn.
- `win`: the action wins within `actions` of the solver's actions against any defence, and there is no quicker win.
  Later in the puzzle, any action that still wins in time is right.
- `save`: after the action, the other side cannot force a win within its next `actions` actions. After any other action,
  it can.
- `only`: the action wins within `actions` of the solver's actions. After any other action, the other side wins within
  `against` of its own actions.

Each line of the file has the fields of `Puzzle`. Easy puzzles come first. `tools.puzzle_choice` computes `grade`,
`levels` and `refutations`. Only the tools use `depth`, the search depth that finds the answer, and `tempting`, the wrong
actions that look nearly as good at first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Action, PondError, Position, Side, Variant, parse_variant

PUZZLES_FILE = Path(__file__).with_name("puzzles.jsonl")

GRADES = (1, 2, 3, 4, 5)

PIECES_TO_SCORE = 3
"""Minimum number of the solver's own pieces that the answer to a `score` puzzle scores."""


class PuzzleKind(Enum):
    """Kind of task."""

    SCORE = "score"
    WIN = "win"
    SAVE = "save"
    ONLY = "only"

    def __str__(self) -> str:
        return self.value


class Puzzle(NamedTuple):
    """Position with one right action.

    Attributes:
        number: Number of the puzzle, from 1.
        position: Position in which the solver is to move.
        answer: The right action.
        actions: For `win` and `only`, number of the solver's actions within which the answer wins. For `save`, number of
            actions within which the other side must not win. For `score`, always 1.
        against: For `only`, number of actions within which the other side wins after any other action; otherwise 0.
        grade: 1 (easy) to 5.
        levels: Percentage of attempts in which each engine level found the answer, starting with level 1.
        refutations: Replies to wrong actions, as in `ExerciseStep`. A wrong action that scores too little or ends the game
            has no refutation.
    """

    number: int
    kind: PuzzleKind
    position: Position
    answer: Action
    actions: int
    against: int
    grade: int
    levels: tuple[int, ...] = ()
    refutations: str = ""

    @property
    def solving_level(self) -> int:
        """Weakest engine level that finds the answer at least half of the time; 13 if none does."""
        return next((number for number, share in enumerate(self.levels, start=1) if share >= 50), 13)

    @property
    def variant(self) -> Variant:
        return self.position.variant

    @property
    def side(self) -> Side:
        """Side of the solver."""
        return self.position.to_move

    @property
    def title(self) -> Message:
        """Title for lists."""
        kind = Message(f"puzzle.kind.{self.kind}")
        return Message("puzzle.title", number=self.number, kind=kind, variant=self.variant.name, grade=self.grade)

    @property
    def task(self) -> Message:
        """Task for the solver."""
        return Message(f"puzzle.task.{self.kind}", side=str(self.side), count=self.actions)


def puzzle_from_json(fields: dict[str, Any]) -> Puzzle:
    """Convert the fields of a line to a puzzle. They are not checked, because the file is part of Pond."""
    position = Position.from_notation(fields["position"], parse_variant(fields["variant"]))
    return Puzzle(
        number=fields["number"],
        kind=PuzzleKind(fields["kind"]),
        position=position,
        answer=Action.from_notation(fields["answer"]),
        actions=fields["actions"],
        against=fields["against"],
        grade=fields["grade"],
        levels=tuple(fields["levels"]),
        refutations=fields.get("refutations", ""),
    )


@cache
def load_puzzles() -> tuple[Puzzle, ...]:
    """Return all puzzles in numerical order."""
    lines = PUZZLES_FILE.read_text(encoding="utf-8").splitlines()
    return tuple(puzzle_from_json(json.loads(line)) for line in lines)


def find_puzzle(number: int) -> Puzzle:
    """Return the puzzle with this number.

    Raises:
        PondError: There is no such puzzle.
    """
    puzzles = load_puzzles()
    if not 1 <= number <= len(puzzles):
        raise PondError(Message("puzzle.no_number", number=number, last=len(puzzles)))
    return puzzles[number - 1]


def choose_puzzles(
    kind: PuzzleKind | None = None, grade: int | None = None, size: int | None = None
) -> Sequence[Puzzle]:
    """Return the puzzles of a kind and grade (None for any) that fit on a board of `size` rows.

    Raises:
        PondError: There is no such puzzle.
    """
    chosen = [
        puzzle
        for puzzle in load_puzzles()
        if kind in (None, puzzle.kind)
        and grade in (None, puzzle.grade)
        and (size is None or puzzle.variant.size <= size)
    ]
    if not chosen:
        raise PondError(Message("puzzle.none_like_this"))
    return chosen
