"""Daily puzzle."""

from __future__ import annotations

from datetime import date

from pond_hw.puzzles.puzzle import Puzzle, load_puzzles

DAILY_SIZE = 4
"""Maximum board size for a daily puzzle, in rows, so that it fits on every board."""

DAILY_STEP = 89
"""Step from one daily puzzle to the next, chosen so that grades and kinds vary."""


def daily_puzzle(day: date) -> Puzzle:
    """Return the daily puzzle for a date. It is the same everywhere, and none is repeated until all have been used."""
    puzzles = [puzzle for puzzle in load_puzzles() if puzzle.variant.size <= DAILY_SIZE]
    return puzzles[day.toordinal() * DAILY_STEP % len(puzzles)]
