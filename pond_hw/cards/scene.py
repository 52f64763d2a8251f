"""Layout of the card game on a lit board: what the cells show, and what their presses enter. All functions are pure.

A scene contains no cards or profit ranks, so the board cannot reveal any.

The first side sits at row 1, the other side opposite. In partnerships the seats go clockwise. On a larger board the
card game uses the four rows and columns next to a1.

    during a round                      while suits are entered             while a pile is counted
    4  t  t  t  P   the other's tricks  4  h  d  c  .   the other's poison  4  +  +  +  +   cards so far, if it is theirs
    3  L  2  3  L   1 to 4: seats      3  T  T  T  T   the other's total   3  1  2  3  4   poison profit face number
    2  L  1  4  L   L: cards left       2  T  T  T  T   this side's total   2  5  <  .  >   ace, undo, done
    1  P  t  t  t   P: poison suit      1  h  d  c  .   this side's poison  1  +  +  +  +   cards so far, if it is ours
       a  b  c  d                          a  b  c  d                          a  b  c  d
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pond_hw.cards.rules.card import POISON_SUITS, SUITS, Category
from pond_hw.cards.rules.player_view import PlayerView
from pond_hw.cards.rules.round import Phase
from pond_hw.cards.rules.score_sheet import HAND_CARDS, ScoreSheet, SheetPhase
from pond_hw.rules import Cell

MIN_BOARD_SIZE = 4
"""Minimum number of rows on a board that shows the card game."""

SEAT_CELLS: dict[int, tuple[Cell, ...]] = {2: ("b2", "c3"), 4: ("b2", "b3", "c3", "c2")}
"""Cell of each seat in clockwise order, by number of seats."""

POISON_CELLS: tuple[Cell, Cell] = ("a1", "d4")
TRICK_CELLS: tuple[tuple[Cell, ...], ...] = (("b1", "c1", "d1"), ("c4", "b4", "a4"))
CARDS_LEFT_CELLS: tuple[Cell, ...] = ("a2", "a3", "d3", "d2")
CHOICE_CELLS: tuple[tuple[Cell, ...], ...] = (("a1", "b1", "c1"), ("a4", "b4", "c4"))
"""Cells that choose hearts, diamonds or clubs, for each side."""

TOTAL_ROWS: tuple[tuple[Cell, ...], ...] = (("a2", "b2", "c2", "d2"), ("a3", "b3", "c3", "d3"))
OUTER_ROWS: tuple[tuple[Cell, ...], ...] = (("a1", "b1", "c1", "d1"), ("a4", "b4", "c4", "d4"))
CATEGORY_CELLS: tuple[Cell, ...] = ("a3", "b3", "c3", "d3", "a2")
"""Cells of the categories, in the order of `Category`."""

UNDO_CELL, NEXT_CELL = "b2", "d2"

UNDO = "undo"
"""Result of `entry_of_press` for a press that undoes the last entry."""


class Stage(Enum):
    """Board layouts; the module docstring shows them."""

    POISON = "poison"
    ROUND = "round"
    COUNT = "count"
    TOTALS = "totals"


class CardScene(NamedTuple):
    """The state of a card game that a board shows.

    Attributes:
        size: number of rows and columns on the board.
        leader: seat that adds to the pond first and leads the trick.
        to_move: seat to move; None if unknown.
        poison: poison suit of each side; None if unknown.
        totals: points of each side in the scored rounds.
        counted: share of the round's cards that are in the pile being counted, 0 to 1.
    """

    size: int
    seats: int
    stage: Stage
    dealer: int
    leader: int = 0
    to_move: int | None = None
    poison: tuple[int | None, int | None] = (None, None)
    tricks: tuple[int, int] = (0, 0)
    cards_left: int = HAND_CARDS
    has_trap: bool = False
    totals: tuple[int, int] = (0, 0)
    counting: int | None = None
    counted: float = 0.0
    winner: int | None = None


_SHEET_STAGES = {
    SheetPhase.POISON: Stage.POISON,
    SheetPhase.TRICKS: Stage.ROUND,
    SheetPhase.COUNT: Stage.COUNT,
    SheetPhase.OVER: Stage.TOTALS,
}


def scene_of_sheet(sheet: ScoreSheet, size: int) -> CardScene:
    seats, is_counting = sheet.rules.seats, sheet.phase is SheetPhase.COUNT
    return CardScene(
        size,
        seats,
        _SHEET_STAGES[sheet.phase],
        sheet.dealer,
        sheet.leader,
        None,
        sheet.poison,
        _by_side([sheet.tricks_of(seat) for seat in range(seats)]),
        sheet.cards_left,
        sheet.has_trap,
        sheet.totals,
        sheet.counting if is_counting else None,
        min(1.0, sum(sheet.pile) / sheet.possible_cards[-1]) if is_counting else 0.0,
        sheet.winner,
    )


def scene_of_view(view: PlayerView, size: int) -> CardScene:
    """Build the scene of a game played in the terminal. Every seat's view gives the same scene."""
    is_round_over = view.phase in (Phase.OVER, Phase.MISDEAL)
    winner = None
    if view.is_over and view.totals[0] != view.totals[1]:
        winner = int(view.totals[1] > view.totals[0])
    return CardScene(
        size,
        view.rules.seats,
        Stage.TOTALS if is_round_over else Stage.ROUND,
        view.dealer,
        view.leader,
        None if is_round_over else view.to_move,
        (view.poison_suits[0], view.poison_suits[1]),
        _by_side([view.tricks_of(seat) for seat in range(view.rules.seats)]),
        min(HAND_CARDS, *view.hand_sizes),
        bool(view.trap),
        view.totals,
        winner=winner,
    )


def _by_side(numbers: list[int]) -> tuple[int, int]:
    return sum(numbers[0::2]), sum(numbers[1::2])


def choice_of(cell: Cell) -> tuple[int, int] | None:
    """Return the side and suit chosen by a cell while poison suits are entered, or None."""
    for side, cells in enumerate(CHOICE_CELLS):
        if cell in cells:
            return side, POISON_SUITS[cells.index(cell)]
    return None


def entry_of_press(sheet: ScoreSheet, cell: Cell) -> str | None:
    """Return the entry made by a press, or `UNDO`; None if the cell has no meaning now."""
    match sheet.phase:
        case SheetPhase.POISON:
            if choice := choice_of(cell):
                return f"poison {choice[0] + 1} {SUITS[choice[1]]}"
        case SheetPhase.TRICKS:
            seat_cells = SEAT_CELLS[sheet.rules.seats]
            if cell in seat_cells:
                return f"trick {seat_cells.index(cell) + 1}"
            if cell in CARDS_LEFT_CELLS:
                return "trap"
        case SheetPhase.COUNT:
            if cell in CATEGORY_CELLS:
                return f"add {list(Category)[CATEGORY_CELLS.index(cell)].value}"
            return {UNDO_CELL: UNDO, NEXT_CELL: "next"}.get(cell)
    return None
