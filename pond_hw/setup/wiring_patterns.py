"""Possible layouts of lamps and sensors, compared with the profile's drawing.

A lamp is identified by its position in the chain. A sensor is identified by its *input*: the number, in the order a1, b1,
..., of the cell for which the profile draws it. Squares begin with the top row, as the players see the board.
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
"""The chain position of a lamp, or an input, at each point."""

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
"""Distances of lamp patterns from the drawing: the same, turned, a path over all lamps, a path from cell to cell."""


class ChainPath(NamedTuple):
    """A path through all points of a square.

    Attributes:
        right: True if the path begins on the right.
        bottom: True if the path begins at the bottom.
        columns: True if the path runs along the columns.
        serpentine: True if every second line runs backwards.
    """

    right: bool
    bottom: bool
    columns: bool
    serpentine: bool

    @property
    def corner(self) -> str:
        """Corner where the path begins, such as `top_left`."""
        return f"{'bottom' if self.bottom else 'top'}_{'right' if self.right else 'left'}"

    @property
    def course(self) -> str:
        """Direction of the path, such as `rows_to_and_fro`."""
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
        cells: chain position of each lamp, in the order of `LampSettings.cells`.
        distance: distance from the drawing: `DRAWN`, `TURNED`, `GRID` or `CELLS`.
        turn: key of the turn in `TURNS` that maps the drawing to this layout; None if there is none.
        path: path of the chain; None if it is irregular.
        cell_of: cell number of each chain position.
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
        distance: distance from the drawing: 0 for the same layout, 1 if turned or if two lines are swapped, 2 if every
            second line is reversed.
        turn: key of the turn in `TURNS` that maps the drawing to this layout.
        lines: `rows` or `columns` if every second one is reversed or two are swapped; otherwise empty.
        exchanged: names of the two swapped lines.
    """

    inputs: tuple[int, ...]
    distance: int
    turn: str = ""
    lines: str = ""
    exchanged: tuple[str, ...] = ()


def lamp_points(board_size: int, cell_side: int) -> tuple[GridPoint, ...]:
    """Return the point of each lamp in the square of all lamps, in the order of `LampSettings.cells`."""
    return tuple(
        (x * cell_side + inner_lamp % cell_side, (board_size - 1 - y) * cell_side + inner_lamp // cell_side)
        for y in range(board_size)
        for x in range(board_size)
        for inner_lamp in range(cell_side * cell_side)
    )


@lru_cache(maxsize=32)
def list_patterns(board_size: int, cell_positions: tuple[int, ...]) -> tuple[LampPattern, ...]:
    """Return all distinct layouts of the lamps, starting with the nearest to the drawing.

    A layout rearranges only lamps that the profile assigns to cells. Score strips and unused lamps keep their positions.

    Args:
        board_size: number of rows and columns.
        cell_positions: chain position of each lamp in the drawing, in the order of `LampSettings.cells`.
    """
    per_cell = len(cell_positions) // board_size**2
    cell_side, positions = isqrt(per_cell), sorted(cell_positions)
    width, points = board_size * cell_side, lamp_points(board_size, cell_side)
    drawing = dict(zip(points, cell_positions, strict=True))
    squares = [dict(zip(path.points(width), positions, strict=True)) for path in PATHS]
    path_of = {_read_square(points, square): path for path, square in zip(PATHS, squares, strict=True)}
    found_patterns: dict[tuple[int, ...], LampPattern] = {}

    def add_pattern(square: Square, distance: int, turn: str | None, path: ChainPath | None = None) -> None:
        layout = _read_square(points, square)
        cell_of = {lamp_position: lamp_number // per_cell for lamp_number, lamp_position in enumerate(layout)}
        found_patterns.setdefault(layout, LampPattern(layout, distance, turn, path or path_of.get(layout), cell_of))

    for turn_name, turn in TURNS.items():
        square = {turn(*point, width - 1): lamp_position for point, lamp_position in drawing.items()}
        add_pattern(square, TURNED if turn_name else DRAWN, turn_name)
    for named_square in squares:
        add_pattern(named_square, GRID, None)
    for path in PATHS:
        add_pattern(_cell_by_cell(board_size, cell_side, path, drawing), CELLS, None, path)
    return tuple(found_patterns.values())


def _read_square(points: Sequence[GridPoint], square: Square) -> tuple[int, ...]:
    return tuple(square[point] for point in points)


def _cell_by_cell(size: int, side: int, chain_path: ChainPath, drawn_positions: Square) -> Square:
    """Return a layout in which the chain visits the cells along a path and passes all lamps of a cell before the next cell.

    Touches reveal the cell of a lamp, but not its position within the cell. The order within each cell is taken from the
    first cell of the chain in the drawing. It is turned in the same way as `chain_path` is turned compared with the path in
    the drawing. If the drawing has no regular path, the path from the top left along the rows is used for comparison.
    """
    lamps_of: dict[GridPoint, list[tuple[int, GridPoint]]] = {}
    for (u, v), lamp_position in sorted(drawn_positions.items(), key=lambda drawn: drawn[1]):
        lamps_of.setdefault((u // side, v // side), []).append((lamp_position, (u % side, v % side)))
    cell_order = list(lamps_of)
    drawn_path = next((known_path for known_path in PATHS if list(known_path.points(size)) == cell_order), PATHS[0])
    drawn_begin, path_begin = ([*path.points(3)][:2] for path in (drawn_path, chain_path))
    turn = next(turn for turn in TURNS.values() if [turn(*point, 2) for point in drawn_begin] == path_begin)
    inner_points = [turn(*point, side - 1) for _, point in lamps_of[cell_order[0]]]
    chain_points = [(u * side + x, v * side + y) for u, v in chain_path.points(size) for x, y in inner_points]
    return dict(zip(chain_points, sorted(drawn_positions.values()), strict=True))


@lru_cache(maxsize=8)
def list_wirings(board_size: int, *, by_line: bool = False) -> tuple[WirePattern, ...]:
    """Return all distinct layouts of the sensors, starting with the nearest to the drawing.

    If `by_line` is set, each wire serves a whole row or column, so layouts with two swapped lines are included.
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
