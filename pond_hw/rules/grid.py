"""The grid: cells, their names, their neighbours, and the lines that can form a set.

A *cell* is named as in chess: column letter from the left, row number from the bottom,
so `a1` is the bottom left corner.

A *mask* is a set of cells as an integer with one bit per cell, in the order of `Grid.cells`:
a1 is 1, b1 is 2, c1 is 4 ... A single cell is a mask with one bit.

    a4 b4 c4 d4        12 13 14 15
    a3 b3 c3 d3         8  9 10 11      bit numbers
    a2 b2 c2 d2         4  5  6  7      on 4x4
    a1 b1 c1 d1         0  1  2  3
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby

from pond_hw.messages.message import Message, PondError

Cell = str
"""Name of a cell, such as `b2`."""

SIZES = (3, 4, 5)
"""Supported grid sizes: the number of rows and columns."""


class NotationError(PondError):
    """Invalid notation. The message describes the error and its position."""


class Grid:
    """Cells of an N by N pond and the geometry between them. Use `get_grid(size)` to get one.

    Attributes:
        size: N, the number of rows and columns.
        cells: names of all cells, row by row from the bottom left: a1, b1, ... then a2, b2, ...
        rows: the same names by row, the top row first.
        full_mask: mask of all cells.
        mask_by_cell: mask of each cell by its name.
        cell_by_mask: name of each cell by its mask.
        neighbour_masks: mask of the two to four neighbours, by the mask of a cell.
        frog_reach_masks: mask of the cells one or two steps away in a straight line (the reach of a
            frog, hopping or not), by the mask of a cell.
        three_masks: masks of every three consecutive cells of a row or column.
    """

    def __init__(self, size: int) -> None:
        if size not in SIZES:
            raise PondError(Message("variant.wrong_size", size=size))
        self.size = size
        self.cells: tuple[Cell, ...] = tuple(f"{'abcde'[x]}{y + 1}" for y in range(size) for x in range(size))
        self.rows = tuple(self.cells[y * size : (y + 1) * size] for y in reversed(range(size)))
        self.full_mask = (1 << size * size) - 1
        self.mask_by_cell = {cell: 1 << i for i, cell in enumerate(self.cells)}
        self.cell_by_mask = {bit: cell for cell, bit in self.mask_by_cell.items()}
        self.neighbour_masks = {bit: self._cells_at_distance(bit, 1) for bit in self.cell_by_mask}
        self.frog_reach_masks = {
            bit: self._cells_at_distance(bit, 1) | self._cells_at_distance(bit, 2) for bit in self.cell_by_mask
        }
        lines = (*self.rows, *zip(*self.rows, strict=True))
        self.three_masks = tuple(self.mask_of(line[i : i + 3]) for line in lines for i in range(size - 2))

    def _cells_at_distance(self, cell_mask: int, step_count: int) -> int:
        """Return the mask of the cells exactly `step_count` steps right, left, up and down."""
        x, y = self.cell_coordinates(self.cell_by_mask[cell_mask])
        ways = ((x + step_count, y), (x - step_count, y), (x, y + step_count), (x, y - step_count))
        return sum(1 << v * self.size + u for u, v in ways if 0 <= u < self.size and 0 <= v < self.size)

    def cell_coordinates(self, cell: Cell) -> tuple[int, int]:
        """Return the column and row of a cell, counted from 0 at a1."""
        i = self.mask_by_cell[cell].bit_length() - 1
        return i % self.size, i // self.size

    def mask_of(self, cells: Iterable[Cell]) -> int:
        """Return the mask of these cells."""
        return sum({self.mask_by_cell[cell] for cell in cells})

    def list_cells(self, cell_mask: int) -> tuple[Cell, ...]:
        """Return the names of the cells in a mask, in the order of `cells`."""
        return tuple(self.cell_by_mask[bit] for bit in iterate_bits(cell_mask))

    def find_runs(self, cell_mask: int) -> tuple[tuple[Cell, ...], ...]:
        """Return all unbroken rows (left to right), then columns (bottom to top), of three or more cells in a mask.

        Each run has its full length: four in a row are one run. Crossing runs share a cell.
        """
        if not any(three & cell_mask == three for three in self.three_masks):
            return ()  # the common case
        rows = tuple(reversed(self.rows))
        stretches = (
            (is_inside, tuple(stretch))
            for line in (*rows, *zip(*rows, strict=True))
            for is_inside, stretch in groupby(line, lambda cell: bool(self.mask_by_cell[cell] & cell_mask))
        )
        return tuple(run for is_inside, run in stretches if is_inside and len(run) >= 3)


@cache
def get_grid(grid_size: int) -> Grid:
    """Return the grid with this number of rows and columns (3, 4 or 5).

    Raises:
        PondError: the size is not supported.
    """
    return Grid(grid_size)


def iterate_bits(cell_mask: int) -> Iterator[int]:
    """Yield the mask of each cell of a mask, in the order of `Grid.cells`."""
    while cell_mask:
        lowest = cell_mask & -cell_mask
        yield lowest
        cell_mask ^= lowest


@lru_cache(maxsize=1 << 12)  # enough for a long game
def line_mask(grid_size: int, cell_mask: int) -> int:
    """Return the mask of the cells that belong to an unbroken row or column of three or more."""
    found_mask = 0
    for three in get_grid(grid_size).three_masks:
        if cell_mask & three == three:
            found_mask |= three
    return found_mask
