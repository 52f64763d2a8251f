"""A frame that keys move over the cells of a board."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from pond_hw.rules import Cell, Grid

CURSOR_BINDINGS: tuple[BindingType, ...] = (
    Binding("down", "go(0, -1)", show=False),
    Binding("left", "go(-1, 0)", show=False),
    Binding("right", "go(1, 0)", show=False),
    *(Binding(f"{letter},{letter.upper()}", f"column({x})", show=False) for x, letter in enumerate("abcde")),
    *(Binding(digit, f"row({y})", show=False) for y, digit in enumerate("12345")),
)
"""The keys of a `CellCursor`, but for `up`, which some show and some do not."""


class CellCursor:
    """A frame that keys move over the cells of a board.

    Attributes:
        cursor: the cell in the frame.
        board_grid: the cells that there are.
    """

    cursor: Cell
    board_grid: Grid

    def show_cursor(self) -> None:
        """Draw the frame where it is now."""
        raise NotImplementedError

    def action_go(self, dx: int, dy: int) -> None:
        """Move the frame by a cell."""
        x, y = self.board_grid.cell_coordinates(self.cursor)
        self._move_cursor(x + dx, y + dy)

    def action_column(self, x: int) -> None:
        """Move the frame to a column."""
        self._move_cursor(x, self.board_grid.cell_coordinates(self.cursor)[1])

    def action_row(self, y: int) -> None:
        """Move the frame to a row."""
        self._move_cursor(self.board_grid.cell_coordinates(self.cursor)[0], y)

    def point_at(self, cell: Cell) -> bool:
        """Move the frame to the cell where the mouse is, without drawing it.

        Returns:
            Whether there is such a cell. A click may be on its way while a smaller board takes the place of this one.
        """
        is_here = cell in self.board_grid.cells
        if is_here:
            self.cursor = cell
        return is_here

    def _move_cursor(self, x: int, y: int) -> None:
        board_size = self.board_grid.size
        if 0 <= x < board_size and 0 <= y < board_size:
            self.cursor = self.board_grid.cells[y * board_size + x]
            self.show_cursor()
