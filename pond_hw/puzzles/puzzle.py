"""Puzzles. Those that ship are in puzzles.jsonl; `puzzles.solving` says when an action solves one.

There are four kinds. In each exactly one action of the side to move is right, and that was proven by trying out
everything:

- `score`: this action scores three or more own pieces in this turn.
- `win`: this action wins within `actions` own actions, whatever the other side does, and there is no quicker win. Later on every
  action counts that still wins in the actions that are left.
- `save`: after this action the other side cannot force a win within its next `actions` actions. After every other it can.
- `only`: this action wins within `actions` own actions, and after every other the other side wins within `against` of its own.

Each line of the file has the fields of `Puzzle`; `tools.puzzle_choice` finds out `grade`, `levels` and `refutations`. For the
tools alone it has `depth`, the actions to look ahead before a search stays with the answer, and `tempting`, the wrong
actions that look nearly as good at once. The easy ones come first.
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


def puzzle_from_json(fields: dict[str, Any]) -> Puzzle:
    """Return the puzzle of a line. The file ships with Pond, so nothing in it is checked here."""
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
    """Return all puzzles, in the order of their numbers, from 1."""
    lines = PUZZLES_FILE.read_text(encoding="utf-8").splitlines()
    return tuple(puzzle_from_json(json.loads(line)) for line in lines)


def find_puzzle(number: int) -> Puzzle:
    """Return the puzzle of a number.

    Raises:
        PondError: there is none.
    """
    puzzles = load_puzzles()
    if not 1 <= number <= len(puzzles):
        raise PondError(Message("puzzle.no_number", number=number, last=len(puzzles)))
    return puzzles[number - 1]


def choose_puzzles(
    kind: PuzzleKind | None = None, grade: int | None = None, size: int | None = None
) -> Sequence[Puzzle]:
    """Return the puzzles of a kind and grade that fit on a board of `size` rows; None: of all of them.

    Raises:
        PondError: there is none.
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
