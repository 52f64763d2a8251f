"""The puzzles that ship, in puzzles.jsonl: one on a line, the easy ones first.

Each line has what `Puzzle` has, and what `tools.puzzle_choice` has found out: `levels`, how often each of the levels 1 to 12
took the answer, in percent, and `refutations`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from pond_hw.messages.message import Message
from pond_hw.puzzles.puzzle import Puzzle, PuzzleKind
from pond_hw.rules import Action, PondError, Position, parse_variant

PUZZLES_FILE = Path(__file__).with_name("puzzles.jsonl")

GRADES = (1, 2, 3, 4, 5)

DAILY_SIZE = 4
"""The daily puzzle has so many rows at most: it fits on every board."""

DAILY_STEP = 89
"""From one day to the next the daily puzzle goes on by so many, so that grades and kinds change."""


def puzzle_from_json(fields: dict[str, Any]) -> Puzzle:
    """The puzzle that a line of the file tells; the file is our own, and nothing in it is checked here."""
    position = Position.from_notation(fields["position"], parse_variant(fields["variant"]))
    return Puzzle(
        number=fields["number"],
        kind=PuzzleKind(fields["kind"]),
        position=position,
        answer=Action.from_notation(fields["answer"]),
        actions=fields["actions"],
        against=fields["against"],
        grade=fields["grade"],
        depth=fields["depth"],
        tempting=fields["tempting"],
        levels=tuple(fields["levels"]),
        refutations=fields.get("refutations", ""),
    )


@cache
def load_puzzles() -> tuple[Puzzle, ...]:
    """All puzzles, in the order of their numbers, from 1."""
    lines = PUZZLES_FILE.read_text(encoding="utf-8").splitlines()
    return tuple(puzzle_from_json(json.loads(line)) for line in lines)


def find_puzzle(number: int) -> Puzzle:
    """The puzzle of a number.

    Raises:
        PondError: there is none.
    """
    puzzles = load_puzzles()
    if not 1 <= number <= len(puzzles):
        raise PondError(Message("puzzle.no_number", number=number, last=len(puzzles)))
    return puzzles[number - 1]


def daily_puzzle(day: date) -> Puzzle:
    """The puzzle of a day: the same everywhere on that day, and no other one until all have had theirs."""
    puzzles = [puzzle for puzzle in load_puzzles() if puzzle.variant.size <= DAILY_SIZE]
    return puzzles[day.toordinal() * DAILY_STEP % len(puzzles)]


def choose_puzzles(
    kind: PuzzleKind | None = None, grade: int | None = None, size: int | None = None
) -> Sequence[Puzzle]:
    """The puzzles of a kind and grade that fit on a board of so many rows; None: of all of them.

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
