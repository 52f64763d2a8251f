"""A board that cannot be bought: fingers and lamps in memory, for the laptop and for the tests."""

from __future__ import annotations

from collections.abc import Callable

from pond_hw.board import Board, Frame, Touch
from pond_hw.rules import Cell, PondError, grid


class SimulatedBoard:
    """A button and lamps in every cell, and the fingers that press them.

    Like the real thing it reports levels that change: pressing a button that is down already is
    no touch, and fingers on several cells at once are several touches.

    Args:
        size: rows and columns, 3 to 5.
        lamps: lamps in a cell.
        now: the clock that stamps the touches, in seconds.

    Attributes:
        frame: what the lamps show.
        down: the cells whose buttons are held down.
    """

    def __init__(self, size: int, lamps: int, now: Callable[[], float]) -> None:
        self.size = size
        self.lamps = lamps
        self.frame = Frame.dark(size, lamps)
        self.down: set[Cell] = set()
        self._cells = grid(size).cells
        self._now = now
        self._put: Callable[[Touch], None] | None = None

    def board(self) -> Board:
        """This as the companion is handed it."""
        return Board(sensors=self, lamps=self)

    def open(self, put: Callable[[Touch], None]) -> None:
        """Begin to report touches to `put`."""
        self._put = put

    def show(self, frame: Frame) -> None:
        """Keep the frame for whoever looks."""
        self.frame = frame

    def close(self) -> None:
        """Report nothing more, and go dark."""
        self._put = None
        self.frame = Frame.dark(self.size, self.lamps)

    def press(self, cell: Cell) -> None:
        """A finger comes down on a cell.

        Raises:
            PondError: the board has no such cell.
        """
        self._level(cell, down=True)

    def release(self, cell: Cell) -> None:
        """A finger leaves a cell.

        Raises:
            PondError: the board has no such cell.
        """
        self._level(cell, down=False)

    def touch(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""
        self.press(cell)
        self.release(cell)

    def _level(self, cell: Cell, *, down: bool) -> None:
        if cell not in self._cells:
            raise PondError(f"{cell} is not a cell of this {self.size}x{self.size} board.")
        if down == (cell in self.down):
            return
        self.down ^= {cell}
        if self._put:
            self._put(Touch(cell, down, self._now()))
