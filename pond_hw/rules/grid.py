"""The grid on paper: cells, their names, their neighbours, and the lines that make a set.

A *cell* is known by its name, as in chess: the column letter from the left, then the row
number from the bottom, so `a1` is the bottom left corner.

A *mask* is a set of cells as one whole number, a bit a cell, in the order of `Grid.cells`:
a1 is 1, b1 is 2, c1 is 4 ... Joining two sets is `|`, what they share is `&`. A single cell
is a mask with one bit, and the tables below are looked up by it.

    a4 b4 c4 d4        12 13 14 15
    a3 b3 c3 d3         8  9 10 11      which bit stands for
    a2 b2 c2 d2         4  5  6  7      which cell, on 4x4
    a1 b1 c1 d1         0  1  2  3
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby

from pond_hw.messages.message import Message, PondError

Cell = str
"""The name of a cell, such as `b2`."""

SIZES = (3, 4, 5)
"""How many rows and columns a pond may have."""


class NotationError(PondError):
    """A text is not the notation it should be; the message says what is wrong and where."""


class Grid:
    """The cells of an N by N pond and how they lie to one another. Ask `grid(size)` for one.

    Attributes:
        size: N, the number of rows and of columns.
        cells: the N*N names, row by row from the bottom left: a1, b1, ... then a2, b2, ...
        rows: the same names as a person sees them: the top row first.
        full_mask: the mask of every cell.
        mask_by_cell: for each name, its mask.
        cell_by_mask: for each mask of one cell, its name.
        neighbour_masks: for each mask of one cell, the mask of its two to four neighbours.
        frog_reach_masks: for each mask of one cell, the mask of the cells one or two steps away in a
            straight line: all that a frog can ever reach from it, hopping or not.
        three_masks: the masks of every three cells in an unbroken row or column.
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
        """The cells exactly so many steps away, right, left, up and down."""
        x, y = self.cell_coordinates(self.cell_by_mask[cell_mask])
        ways = ((x + step_count, y), (x - step_count, y), (x, y + step_count), (x, y - step_count))
        return sum(1 << v * self.size + u for u, v in ways if 0 <= u < self.size and 0 <= v < self.size)

    def cell_coordinates(self, cell: Cell) -> tuple[int, int]:
        """Column and row of a cell, counted from 0 at a1."""
        i = self.mask_by_cell[cell].bit_length() - 1
        return i % self.size, i // self.size

    def mask_of(self, cells: Iterable[Cell]) -> int:
        """The mask of these cells."""
        return sum({self.mask_by_cell[cell] for cell in cells})

    def list_cells(self, cell_mask: int) -> tuple[Cell, ...]:
        """The names in a mask, in the order of `cells`."""
        return tuple(self.cell_by_mask[bit] for bit in iterate_bits(cell_mask))

    def find_runs(self, cell_mask: int) -> tuple[tuple[Cell, ...], ...]:
        """The unbroken rows (left to right), then columns (bottom to top), of three or more cells of a mask.

        Each run is as long as it can be: four in a row are one run of four. Crossing runs share a cell.
        """
        if not any(three & cell_mask == three for three in self.three_masks):
            return ()  # as it is nearly always
        rows = tuple(reversed(self.rows))
        stretches = (
            (is_inside, tuple(stretch))
            for line in (*rows, *zip(*rows, strict=True))
            for is_inside, stretch in groupby(line, lambda cell: bool(self.mask_by_cell[cell] & cell_mask))
        )
        return tuple(run for is_inside, run in stretches if is_inside and len(run) >= 3)


@cache
def get_grid(grid_size: int) -> Grid:
    """The grid with so many rows and columns (3, 4 or 5).

    Raises:
        PondError: there is no such pond.
    """
    return Grid(grid_size)


def iterate_bits(cell_mask: int) -> Iterator[int]:
    """The single cells of a mask, each as a mask of its own, in the order of `Grid.cells`."""
    while cell_mask:
        lowest = cell_mask & -cell_mask
        yield lowest
        cell_mask ^= lowest


@lru_cache(maxsize=1 << 12)  # as many masks as a long game meets
def line_mask(grid_size: int, cell_mask: int) -> int:
    """Those cells of a mask that stand in an unbroken row or column of three or more, as a mask."""
    found_mask = 0
    for three in get_grid(grid_size).three_masks:
        if cell_mask & three == three:
            found_mask |= three
    return found_mask
