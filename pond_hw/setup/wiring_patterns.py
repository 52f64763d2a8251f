"""Possible layouts of lamps and sensors, compared with the profile's drawing.

A *place* is a lamp's position in the chain. An *input* is the number, in the order a1, b1, ..., of the cell for
which the profile draws a sensor. Squares have their top row first, as people see them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import isqrt
from typing import NamedTuple

GridPoint = tuple[int, int]
"""Column from the left and row from the top."""

Square = Mapping[GridPoint, int]
"""Content of each point: the place of a lamp, or an input."""

Turn = Callable[[int, int, int], GridPoint]
"""Function that maps (column, row, highest index) to the turned column and row."""

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
"""The eight symmetries of a square."""

DRAWN, TURNED, GRID, CELLS = range(4)
"""Ranks of lamp patterns by distance from the drawing: same, turned, path over all lamps, path from cell to cell."""


class ChainPath(NamedTuple):
    """A path through all points of a square.

    Attributes:
        right: True if it begins at the right.
        bottom: True if it begins at the bottom.
        columns: True if it runs along the columns.
        serpentine: True if every other line runs back.
    """

    right: bool
    bottom: bool
    columns: bool
    serpentine: bool

    @property
    def corner(self) -> str:
        """First corner, such as `top_left`."""
        return f"{'bottom' if self.bottom else 'top'}_{'right' if self.right else 'left'}"

    @property
    def course(self) -> str:
        """Direction, such as `rows_to_and_fro`."""
        return f"{'columns' if self.columns else 'rows'}_{'to_and_fro' if self.serpentine else 'straight'}"

    def points(self, square_width: int) -> Iterator[GridPoint]:
        """Yield the points of a square in path order."""
        last_index = square_width - 1
        for line_number in range(square_width):
            for line_step in range(square_width):
                step_along = last_index - line_step if self.serpentine and line_number % 2 else line_step
                u, v = (line_number, step_along) if self.columns else (step_along, line_number)
                yield last_index - u if self.right else u, last_index - v if self.bottom else v


PATHS = tuple(ChainPath(*ways[::-1]) for ways in product((False, True), repeat=4))
"""All paths: from each corner, along rows or columns, straight or serpentine."""


class LampPattern(NamedTuple):
    """A possible layout of the lamps.

    Attributes:
        cells: place of each lamp, in the order of `LampSettings.cells`.
        distance: rank by distance from the drawing.
        turn: key of `TURNS` that produces it from the drawing; None if there is none.
        path: its path, if it is regular.
        cell_of: cell number of each place.
    """

    cells: tuple[int, ...]
    distance: int
    turn: str | None = None
    path: ChainPath | None = None
    cell_of: Mapping[int, int] = {}


class WirePattern(NamedTuple):
    """A possible layout of the sensors.

    Attributes:
        inputs: input under each cell, in the order a1, b1, ...
        distance: 0 as drawn, 1 turned or with two lines exchanged, 2 with every other line reversed.
        turn: key of `TURNS` that produces it from the drawing.
        lines: `rows` or `columns`, if every other line is reversed or two are exchanged.
        exchanged: names of the two exchanged lines.
    """

    inputs: tuple[int, ...]
    distance: int
    turn: str = ""
    lines: str = ""
    exchanged: tuple[str, ...] = ()


def lamp_points(board_size: int, cell_side: int) -> tuple[GridPoint, ...]:
    """Return the point of each lamp of `LampSettings.cells` in the square of all lamps; with side 1 also of each cell."""
    return tuple(
        (x * cell_side + inner_lamp % cell_side, (board_size - 1 - y) * cell_side + inner_lamp // cell_side)
        for y in range(board_size)
        for x in range(board_size)
        for inner_lamp in range(cell_side * cell_side)
    )


@lru_cache(maxsize=32)
def list_patterns(board_size: int, cell_positions: tuple[int, ...]) -> tuple[LampPattern, ...]:
    """Return the distinct possible layouts of the lamps, the nearest to the drawing first.

    Only places that the profile assigns to cells are used; strips and unused lamps stay where they are.

    Args:
        board_size: rows and columns of cells.
        cell_positions: drawn place of each lamp, in the order of `LampSettings.cells`.
    """
    per_cell = len(cell_positions) // board_size**2
    cell_side, places = isqrt(per_cell), sorted(cell_positions)
    width, points = board_size * cell_side, lamp_points(board_size, cell_side)
    drawing = dict(zip(points, cell_positions, strict=True))
    squares = [dict(zip(path.points(width), places, strict=True)) for path in PATHS]
    path_of = {_read_square(points, square): path for path, square in zip(PATHS, squares, strict=True)}
    found_patterns: dict[tuple[int, ...], LampPattern] = {}

    def add_pattern(square: Square, distance: int, turn: str | None, path: ChainPath | None = None) -> None:
        layout = _read_square(points, square)
        cell_of = {lamp_place: lamp_number // per_cell for lamp_number, lamp_place in enumerate(layout)}
        found_patterns.setdefault(layout, LampPattern(layout, distance, turn, path or path_of.get(layout), cell_of))

    for turn_name, turn in TURNS.items():
        square = {turn(*point, width - 1): lamp_place for point, lamp_place in drawing.items()}
        add_pattern(square, TURNED if turn_name else DRAWN, turn_name)
    for named_square in squares:
        add_pattern(named_square, GRID, None)
    for path in PATHS:
        add_pattern(_cell_by_cell(board_size, cell_side, path, drawing), CELLS, None, path)
    return tuple(found_patterns.values())


def _read_square(points: Sequence[GridPoint], square: Square) -> tuple[int, ...]:
    return tuple(square[point] for point in points)


def _cell_by_cell(size: int, side: int, chain_path: ChainPath, drawn_places: Square) -> Square:
    """Return the layout in which the lamps of each cell are consecutive and the cells follow a path.

    Touches reveal the cell of a lamp, but not its position inside. Within each cell, the order is that of the first
    cell in the drawn chain, turned as this path is turned relative to the drawn one (by default: from the top left,
    along the rows).
    """
    lamps_of: dict[GridPoint, list[tuple[int, GridPoint]]] = {}
    for (u, v), lamp_place in sorted(drawn_places.items(), key=lambda drawn: drawn[1]):
        lamps_of.setdefault((u // side, v // side), []).append((lamp_place, (u % side, v % side)))
    cell_order = list(lamps_of)
    drawn_path = next((known_path for known_path in PATHS if list(known_path.points(size)) == cell_order), PATHS[0])
    drawn_begin, path_begin = ([*path.points(3)][:2] for path in (drawn_path, chain_path))
    turn = next(turn for turn in TURNS.values() if [turn(*point, 2) for point in drawn_begin] == path_begin)
    inner_points = [turn(*point, side - 1) for _, point in lamps_of[cell_order[0]]]
    chain_points = [(u * side + x, v * side + y) for u, v in chain_path.points(size) for x, y in inner_points]
    return dict(zip(chain_points, sorted(drawn_places.values()), strict=True))


@lru_cache(maxsize=8)
def list_wirings(board_size: int, *, by_line: bool = False) -> tuple[WirePattern, ...]:
    """Return the distinct possible layouts of the sensors, the nearest to the drawing first.

    If `by_line`, each wire serves a whole row or column, so two of these wires may be exchanged.
    """
    points, last = lamp_points(board_size, 1), board_size - 1
    line_turns: Mapping[str, Callable[[int, int], GridPoint]] = {
        "": lambda u, v: (u, v),
        "rows": lambda u, v: (last - u if v % 2 else u, v),
        "columns": lambda u, v: (u, last - v if u % 2 else v),
    }
    found_patterns: dict[tuple[int, ...], WirePattern] = {}

    def add_pattern(
        layout: Iterable[GridPoint], distance: int, turn: str, lines: str, exchanged: tuple[str, ...] = ()
    ) -> None:
        inputs = _read_square(points, {point: input_number for input_number, point in enumerate(layout)})
        found_patterns.setdefault(inputs, WirePattern(inputs, distance, turn, lines, exchanged))

    for lines, reverse_line in line_turns.items():
        for turn_name, turn in TURNS.items():
            layout = (turn(*reverse_line(*point), last) for point in points)
            add_pattern(layout, 2 if lines else 1 if turn_name else 0, turn_name, lines)
    for low, high in combinations(range(board_size), 2) if by_line else ():
        swap, columns = {low: high, high: low}, ("abcde"[low], "abcde"[high])
        rows = str(board_size - high), str(board_size - low)
        add_pattern(((swap.get(u, u), v) for u, v in points), 1, "", "columns", columns)
        add_pattern(((u, swap.get(v, v)) for u, v in points), 1, "", "rows", rows)
    return tuple(found_patterns.values())
