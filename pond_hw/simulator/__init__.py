"""A board that cannot be bought: fingers and lamps in memory, for the laptop and for the tests."""

from __future__ import annotations

from collections.abc import Callable

from pond_hw.board import Board, Felt, Frame, Key, Touch
from pond_hw.rules import Cell, PondError, grid


class SimulatedLamps:
    """Lamps in memory.

    Args:
        size: rows and columns, 3 to 5.
        lamps: lamps in a cell.
        strip: lamps in each score strip.

    Attributes:
        frame: what they show.
    """

    def __init__(self, size: int, lamps: int, strip: int = 0) -> None:
        self.size, self.lamps, self.strip = size, lamps, strip
        self.frame = Frame.dark(size, lamps, strip)

    def open(self) -> None:
        """Be dark."""
        self.close()

    def show(self, frame: Frame) -> None:
        """Keep the frame for whoever looks."""
        self.frame = frame

    def fit(self, lamps: int) -> None:
        """Be so many lamps in a cell from now on, dark ones."""
        self.lamps = lamps
        self.close()

    def close(self) -> None:
        """Go dark."""
        self.frame = Frame.dark(self.size, self.lamps, self.strip)


class SimulatedBoard:
    """A button and lamps in every cell, and the fingers that press them.

    Like the real thing it reports levels that change: pressing a button that is down already is
    no touch, and fingers on several cells at once are several touches.

    Args:
        size: rows and columns, 3 to 5.
        lamps: lamps in a cell.
        now: the clock that stamps the touches, in seconds.
        strip: lamps in each score strip.

    Attributes:
        pieces: False: these are buttons.
        down: the cells whose buttons are held down.
    """

    def __init__(self, size: int, lamps: int, now: Callable[[], float], strip: int = 0) -> None:
        self.size = size
        self.pieces = False
        self.down: set[Cell] = set()
        self._shown = SimulatedLamps(size, lamps, strip)
        self._cells = grid(size).cells
        self._now = now
        self._put: Callable[[Felt], None] | None = None
        self._looked = 0

    def board(self) -> Board:
        """This as the companion is handed it."""
        return Board(sensors=self, lamps=self._shown)

    @property
    def lamps(self) -> int:
        """Lamps in a cell."""
        return self._shown.lamps

    @property
    def frame(self) -> Frame:
        """What the lamps show."""
        return self._shown.frame

    @property
    def beats(self) -> int:
        """One more each time: fingers in memory never keep anybody waiting."""
        self._looked += 1
        return self._looked

    def open(self, put: Callable[[Felt], None]) -> None:
        """Begin to report touches to `put`."""
        self._put = put

    def close(self) -> None:
        """Report nothing more."""
        self._put = None

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

    def press_key(self, *, down: bool) -> None:
        """A finger comes down on the key beside the cells, or leaves it."""
        if self._put:
            self._put(Key(down, self._now()))

    def _level(self, cell: Cell, *, down: bool) -> None:
        if cell not in self._cells:
            raise PondError(f"{cell} is not a cell of this {self.size}x{self.size} board.")
        if down == (cell in self.down):
            return
        self.down ^= {cell}
        if self._put:
            self._put(Touch(cell, down, self._now()))
