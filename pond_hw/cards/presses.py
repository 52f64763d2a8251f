"""What a press on a cell means for the score of a card game. Pure."""

from __future__ import annotations

from pond_hw.cards.rules.card import SUITS, Category
from pond_hw.cards.rules.score_sheet import ScoreSheet, SheetPhase
from pond_hw.cards.scene import CATEGORY_CELLS, LEFT_CELLS, LESS_CELL, NEXT_CELL, SEAT_CELLS, choice_of
from pond_hw.rules import Cell

UNDO = "undo"
"""What a press stands for that takes the last entry back."""


def entry_of_press(sheet: ScoreSheet, cell: Cell) -> str | None:
    """The entry that a press stands for, or `UNDO`; None for a cell that stands for nothing now."""
    match sheet.phase:
        case SheetPhase.POISON:
            if choice := choice_of(cell):
                return f"poison {choice[0] + 1} {SUITS[choice[1]]}"
        case SheetPhase.TRICKS:
            seat_cells = SEAT_CELLS[sheet.rules.seats]
            if cell in seat_cells:
                return f"trick {seat_cells.index(cell) + 1}"
            if cell in LEFT_CELLS:
                return "trap"
        case SheetPhase.COUNT:
            if cell in CATEGORY_CELLS:
                return f"add {list(Category)[CATEGORY_CELLS.index(cell)].value}"
            return {LESS_CELL: UNDO, NEXT_CELL: "next"}.get(cell)
    return None
