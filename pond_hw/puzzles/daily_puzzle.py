"""The puzzle of the day."""

from __future__ import annotations

from datetime import date

from pond_hw.puzzles.puzzle import Puzzle, load_puzzles

DAILY_SIZE = 4
"""Largest size of a daily puzzle, in rows: it fits on every board."""

DAILY_STEP = 89
"""Step from one daily puzzle to the next: grades and kinds change from day to day."""


def daily_puzzle(day: date) -> Puzzle:
    """Return the puzzle of a day: the same everywhere, and none again before all have had their day."""
    puzzles = [puzzle for puzzle in load_puzzles() if puzzle.variant.size <= DAILY_SIZE]
    return puzzles[day.toordinal() * DAILY_STEP % len(puzzles)]
