"""How lamps and sensors may lie against what a profile draws: a handful of patterns. Pure.

A *place* is a lamp's position in the chain. An *input* is the number of a cell in the order a1, b1, ...: the sensor
that the profile draws for that cell. Both are drawn below in squares with the top row first, as people see them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import isqrt
from typing import NamedTuple

Spot = tuple[int, int]
"""Column from the left and row from the top."""

Turn = Callable[[int, int, int], Spot]
"""Where the spot (column, row) of a square comes to lie; the last argument is the highest column and row."""

TURNS: Mapping[str, Turn] = {
    "": lambda u, v, _: (u, v),
    "turned by a quarter to the right": lambda u, v, last: (last - v, u),
    "turned by half": lambda u, v, last: (last - u, last - v),
    "turned by a quarter to the left": lambda u, v, last: (v, last - u),
    "mirrored left to right": lambda u, v, last: (last - u, v),
    "mirrored top to bottom": lambda u, v, last: (u, last - v),
    "mirrored along the diagonal from the top left": lambda u, v, _: (v, u),
    "mirrored along the diagonal from the top right": lambda u, v, last: (last - v, last - u),
}
"""The eight ways in which a square can lie on itself, in words; none for as it is drawn."""

DRAWN, TURNED, GRID, CELLS = range(4)
"""How near a pattern is to the drawing: it itself, it turned, a path over all lamps, a path from cell to cell."""


class ChainPath(NamedTuple):
    """A way through all spots of a square.

    Attributes:
        right: whether it begins at the right, else at the left.
        bottom: whether it begins at the bottom, else at the top.
        columns: whether it runs along the columns, else along the rows.
        fro: whether it turns round at each end, else all lines run the same way.
    """

    right: bool
    bottom: bool
    columns: bool
    fro: bool

    def __str__(self) -> str:
        corner_name = f"{'bottom' if self.bottom else 'top'} {'right' if self.right else 'left'}"
        return f"begins at the {corner_name}, {self.way} along the {'columns' if self.columns else 'rows'}"

    @property
    def way(self) -> str:
        """How it gets from line to line, in words."""
        return "to and fro" if self.fro else "straight"

    def spots(self, square_width: int) -> Iterator[Spot]:
        """The spots of a square in the order in which it visits them."""
        last_index = square_width - 1
        for line_number in range(square_width):
            for line_step in range(square_width):
                step_along = last_index - line_step if self.fro and line_number % 2 else line_step
                u, v = (line_number, step_along) if self.columns else (step_along, line_number)
                yield last_index - u if self.right else u, last_index - v if self.bottom else v


PATHS = tuple(
    ChainPath(right, bottom, columns, fro)
    for fro in (False, True)
    for columns in (False, True)
    for bottom in (False, True)
    for right in (False, True)
)
"""From each corner along rows or columns, straight or to and fro."""


class LampPattern(NamedTuple):
    """How the lamps of the cells may hang together.

    Attributes:
        says: how, after "the chain" or "the lamps are": `begins at the top right, to and fro along the rows`.
        cells: for each lamp, in the order of `LampSettings.cells`, its place.
        near: how near it is to the drawing.
        turn: how the drawing was turned to get it, in words; None if it is not the drawing.
        path: how it runs, if that has a name.
        cell_of: for each place the number of the cell that it is in.
    """

    says: str
    cells: tuple[int, ...]
    near: int
    turn: str | None = None
    path: ChainPath | None = None
    cell_of: Mapping[int, int] = {}


class WirePattern(NamedTuple):
    """How the sensors may lie.

    Attributes:
        says: how.
        inputs: for each cell, in the order a1, b1, ..., the input that lies under it.
        near: 0 as drawn, 1 turned, or with two lines exchanged, 2 with every other line the other way round.
        turn: how the drawing was turned to get it, in words; every other line may lie the other way round besides.
        lines: the two rows or columns that are exchanged, in words.
    """

    says: str
    inputs: tuple[int, ...]
    near: int
    turn: str = ""
    lines: str = ""


def lamp_spots(board_size: int, cell_side: int) -> tuple[Spot, ...]:
    """Where each lamp of `LampSettings.cells` is in the square of all lamps; with one lamp a cell also where each cell is.

    Args:
        board_size: rows and columns of cells.
        cell_side: lamps along the side of a cell.
    """
    return tuple(
        (x * cell_side + inner_lamp % cell_side, (board_size - 1 - y) * cell_side + inner_lamp // cell_side)
        for y in range(board_size)
        for x in range(board_size)
        for inner_lamp in range(cell_side * cell_side)
    )


@lru_cache(maxsize=32)
def list_patterns(board_size: int, cell_positions: tuple[int, ...]) -> tuple[LampPattern, ...]:
    """How the lamps of the cells may hang together, the nearest to the drawing first; nothing twice.

    Only places that the profile uses for cells are used: strips and unused lamps stay where they are.

    Args:
        board_size: rows and columns of cells.
        cell_positions: for each lamp, in the order of `LampSettings.cells`, the place that the profile draws.
    """
    per_cell = len(cell_positions) // board_size**2
    cell_side, places = isqrt(per_cell), sorted(cell_positions)
    width, spots = board_size * cell_side, lamp_spots(board_size, cell_side)
    drawing = dict(zip(spots, cell_positions, strict=True))
    named_lies = [(path, _follow_path(spots, dict(zip(path.spots(width), places, strict=True)))) for path in PATHS]
    found_patterns: dict[tuple[int, ...], LampPattern] = {}

    def add_pattern(says: str, lie: tuple[int, ...], near: int, turn: str | None, path: ChainPath | None) -> None:
        cell_of = {lamp_place: cell_number // per_cell for cell_number, lamp_place in enumerate(lie)}
        found_patterns.setdefault(lie, LampPattern(says, lie, near, turn, path, cell_of))

    for words, turn in TURNS.items():
        lie = _follow_path(spots, {turn(*square_spot, width - 1): place for square_spot, place in drawing.items()})
        path = next((path for path, named_lie in named_lies if named_lie == lie), None)
        add_pattern(f"as drawn, {words}" if words else "as drawn", lie, TURNED if words else DRAWN, words, path)
    for path, lie in named_lies:
        add_pattern(str(path), lie, GRID, None, path)
    for path in PATHS:
        lie = _follow_path(spots, _cell_by_cell(board_size, cell_side, path, drawing))
        add_pattern(f"{path}, one cell after the other", lie, CELLS, None, path)
    return tuple(found_patterns.values())


def _follow_path(square_spots: Sequence[Spot], square_numbers: Mapping[Spot, int]) -> tuple[int, ...]:
    return tuple(square_numbers[square_spot] for square_spot in square_spots)


def _cell_by_cell(size: int, side: int, chain_path: ChainPath, drawn_places: Mapping[Spot, int]) -> dict[Spot, int]:
    """The lamps of each cell follow each other, along a path from cell to cell.

    Touches tell which cell a lamp is in, not where in the cell. The order inside is taken from the cell in which the
    drawn chain begins, and turned as the path from cell to cell is turned against the drawn one (against a path from
    the top left along the rows, if the drawn one has no name).
    """
    lamps_of: dict[Spot, list[tuple[int, Spot]]] = {}
    for (u, v), lamp_place in sorted(drawn_places.items(), key=lambda drawn: drawn[1]):
        lamps_of.setdefault((u // side, v // side), []).append((lamp_place, (u % side, v % side)))
    cell_order = list(lamps_of)
    drawn_path = next((known_path for known_path in PATHS if list(known_path.spots(size)) == cell_order), PATHS[0])
    square_turn = next(square_turn for square_turn in TURNS.values() if _leads(square_turn, drawn_path, chain_path))
    inner_spots = [square_turn(*square_spot, side - 1) for _, square_spot in lamps_of[cell_order[0]]]
    chain_spots = [(u * side + x, v * side + y) for u, v in chain_path.spots(size) for x, y in inner_spots]
    return dict(zip(chain_spots, sorted(drawn_places.values()), strict=True))


def _leads(square_turn: Turn, chain_path: ChainPath, other_path: ChainPath) -> bool:
    """Whether this turn lays the beginning of one path on that of another, and its first line too."""
    first_spots, other_begins = list(chain_path.spots(3))[:2], list(other_path.spots(3))[:2]
    return [square_turn(*square_spot, 2) for square_spot in first_spots] == other_begins


@lru_cache(maxsize=8)
def list_wirings(board_size: int, *, by_line: bool = False) -> tuple[WirePattern, ...]:
    """How the sensors may lie against the drawing, the nearest first; nothing twice.

    Args:
        board_size: rows and columns.
        by_line: whether a wire serves a whole row or column, so that two of these may be exchanged.
    """
    found_patterns: dict[tuple[int, ...], WirePattern] = {}
    for wire_pattern in (*_turned_wires(board_size), *(_exchanged_lines(board_size) if by_line else ())):
        found_patterns.setdefault(wire_pattern.inputs, wire_pattern)
    return tuple(found_patterns.values())


def _turned_wires(board_size: int) -> Iterator[WirePattern]:
    """Turned, and every other line the other way round."""
    spots, last = lamp_spots(board_size, 1), board_size - 1
    line_turns: Mapping[str, Callable[[int, int], Spot]] = {
        "": lambda u, v: (u, v),
        "every other row the other way round": lambda u, v: (last - u if v % 2 else u, v),
        "every other column the other way round": lambda u, v: (u, last - v if u % 2 else v),
    }
    for fro_words, reverse_line in line_turns.items():
        for words, square_turn in TURNS.items():
            square = {square_turn(*reverse_line(*spot), last): cell_number for cell_number, spot in enumerate(spots)}
            pattern_words = ", ".join(filter(None, ("as drawn", words, fro_words)))
            yield WirePattern(pattern_words, _follow_path(spots, square), 2 if fro_words else 1 if words else 0, words)


def _exchanged_lines(size: int) -> Iterator[WirePattern]:
    """Any two rows or columns exchanged."""
    spots = lamp_spots(size, 1)
    for low, high in combinations(range(size), 2):
        line_swap = {low: high, high: low}
        exchanged_columns = {(line_swap.get(u, u), v): cell_number for cell_number, (u, v) in enumerate(spots)}
        rows = {(u, line_swap.get(v, v)): cell_number for cell_number, (u, v) in enumerate(spots)}
        column_names, row_names = f"columns {'abcde'[low]} and {'abcde'[high]}", f"rows {size - high} and {size - low}"
        for line_names, square in ((column_names, exchanged_columns), (row_names, rows)):
            yield WirePattern(f"as drawn, {line_names} exchanged", _follow_path(spots, square), 1, lines=line_names)
