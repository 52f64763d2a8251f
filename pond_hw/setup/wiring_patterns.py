"""How lamps and sensors may lie against what a profile draws: a handful of patterns. Pure.

A *place* is a lamp's position in the chain. An *input* is the number of a cell in the order a1, b1, ...: the sensor
that the profile draws for that cell. Both are drawn below in squares with the top row first, as people see them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import isqrt
from typing import NamedTuple

Spot = tuple[int, int]
"""Column from the left and row from the top."""

Square = Mapping[Spot, int]
"""What is in each spot of a square: the place of a lamp, or an input."""

Turn = Callable[[int, int, int], Spot]
"""Where the spot (column, row) of a square comes to lie; the last argument is the highest column and row."""

TURNS: Mapping[str, Turn] = {
    "": lambda u, v, _: (u, v),
    "right": lambda u, v, last: (last - v, u),
    "half": lambda u, v, last: (last - u, last - v),
    "left": lambda u, v, last: (v, last - u),
    "left_right": lambda u, v, last: (last - u, v),
    "top_bottom": lambda u, v, last: (u, last - v),
    "diagonal_top_left": lambda u, v, _: (v, u),
    "diagonal_top_right": lambda u, v, last: (last - v, last - u),
}
"""The eight ways in which a square can lie on itself: as drawn, turned to the right, by half or to the left, mirrored."""

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

    @property
    def corner(self) -> str:
        """Where it begins, such as `top_left`."""
        return f"{'bottom' if self.bottom else 'top'}_{'right' if self.right else 'left'}"

    @property
    def course(self) -> str:
        """How it runs, such as `rows_to_and_fro`."""
        return f"{'columns' if self.columns else 'rows'}_{'to_and_fro' if self.fro else 'straight'}"

    def spots(self, square_width: int) -> Iterator[Spot]:
        """The spots of a square in the order in which it visits them."""
        last_index = square_width - 1
        for line_number in range(square_width):
            for line_step in range(square_width):
                step_along = last_index - line_step if self.fro and line_number % 2 else line_step
                u, v = (line_number, step_along) if self.columns else (step_along, line_number)
                yield last_index - u if self.right else u, last_index - v if self.bottom else v


PATHS = tuple(ChainPath(*ways[::-1]) for ways in product((False, True), repeat=4))
"""From each corner along rows or columns, straight or to and fro."""


class LampPattern(NamedTuple):
    """How the lamps of the cells may hang together.

    Attributes:
        cells: for each lamp, in the order of `LampSettings.cells`, its place.
        near: how near it is to the drawing.
        turn: how the drawing was turned to get it, one of `TURNS`; None if it is not the drawing.
        path: how it runs, if that has a name.
        cell_of: for each place the number of the cell that it is in.
    """

    cells: tuple[int, ...]
    near: int
    turn: str | None = None
    path: ChainPath | None = None
    cell_of: Mapping[int, int] = {}


class WirePattern(NamedTuple):
    """How the sensors may lie.

    Attributes:
        inputs: for each cell, in the order a1, b1, ..., the input that lies under it.
        near: 0 as drawn, 1 turned, or with two lines exchanged, 2 with every other line the other way round.
        turn: how the drawing was turned to get it, one of `TURNS`.
        lines: `rows` or `columns`, if every other one lies the other way round or two are exchanged.
        exchanged: the names of these two.
    """

    inputs: tuple[int, ...]
    near: int
    turn: str = ""
    lines: str = ""
    exchanged: tuple[str, ...] = ()


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
    squares = [dict(zip(path.spots(width), places, strict=True)) for path in PATHS]
    path_of = {_read_square(spots, square): path for path, square in zip(PATHS, squares, strict=True)}
    found_patterns: dict[tuple[int, ...], LampPattern] = {}

    def add_pattern(square: Square, near: int, turn: str | None, path: ChainPath | None = None) -> None:
        lie = _read_square(spots, square)
        cell_of = {lamp_place: lamp_number // per_cell for lamp_number, lamp_place in enumerate(lie)}
        found_patterns.setdefault(lie, LampPattern(lie, near, turn, path or path_of.get(lie), cell_of))

    for turn_name, turn in TURNS.items():
        square = {turn(*spot, width - 1): lamp_place for spot, lamp_place in drawing.items()}
        add_pattern(square, TURNED if turn_name else DRAWN, turn_name)
    for named_square in squares:
        add_pattern(named_square, GRID, None)
    for path in PATHS:
        add_pattern(_cell_by_cell(board_size, cell_side, path, drawing), CELLS, None, path)
    return tuple(found_patterns.values())


def _read_square(spots: Sequence[Spot], square: Square) -> tuple[int, ...]:
    return tuple(square[spot] for spot in spots)


def _cell_by_cell(size: int, side: int, chain_path: ChainPath, drawn_places: Square) -> Square:
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
    drawn_begin, path_begin = ([*path.spots(3)][:2] for path in (drawn_path, chain_path))
    turn = next(turn for turn in TURNS.values() if [turn(*spot, 2) for spot in drawn_begin] == path_begin)
    inner_spots = [turn(*spot, side - 1) for _, spot in lamps_of[cell_order[0]]]
    chain_spots = [(u * side + x, v * side + y) for u, v in chain_path.spots(size) for x, y in inner_spots]
    return dict(zip(chain_spots, sorted(drawn_places.values()), strict=True))


@lru_cache(maxsize=8)
def list_wirings(board_size: int, *, by_line: bool = False) -> tuple[WirePattern, ...]:
    """How the sensors may lie against the drawing, the nearest first; nothing twice.

    Args:
        board_size: rows and columns.
        by_line: whether a wire serves a whole row or column, so that two of these may be exchanged.
    """
    spots, last = lamp_spots(board_size, 1), board_size - 1
    line_turns: Mapping[str, Callable[[int, int], Spot]] = {
        "": lambda u, v: (u, v),
        "rows": lambda u, v: (last - u if v % 2 else u, v),
        "columns": lambda u, v: (u, last - v if u % 2 else v),
    }
    found_patterns: dict[tuple[int, ...], WirePattern] = {}

    def add_pattern(lie: Iterable[Spot], near: int, turn: str, lines: str, exchanged: tuple[str, ...] = ()) -> None:
        inputs = _read_square(spots, {spot: input_number for input_number, spot in enumerate(lie)})
        found_patterns.setdefault(inputs, WirePattern(inputs, near, turn, lines, exchanged))

    for lines, reverse_line in line_turns.items():
        for turn_name, turn in TURNS.items():
            lie = (turn(*reverse_line(*spot), last) for spot in spots)
            add_pattern(lie, 2 if lines else 1 if turn_name else 0, turn_name, lines)
    for low, high in combinations(range(board_size), 2) if by_line else ():
        swap, columns = {low: high, high: low}, ("abcde"[low], "abcde"[high])
        rows = str(board_size - high), str(board_size - low)
        add_pattern(((swap.get(u, u), v) for u, v in spots), 1, "", "columns", columns)
        add_pattern(((u, swap.get(v, v)) for u, v in spots), 1, "", "rows", rows)
    return tuple(found_patterns.values())
