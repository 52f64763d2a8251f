"""Simulated boards in memory, for tests and for `pond play` without hardware."""

from __future__ import annotations

from collections.abc import Callable

from pond_hw.board import Board, Frame, SensorEvent, Touch
from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Cell, get_grid


def require_cell(cell: Cell, size: int) -> None:
    """Raise PondError if a board of this size has no such cell."""
    if cell not in get_grid(size).cells:
        raise PondError(Message("illegal.no_such_cell", cell=cell, size=size))


class SimulatedLamps:
    """Lamps in memory.

    Args:
        size: number of rows and columns, 3 to 5.
        lamps_per_cell: number of lamps in a cell.
        strip: number of lamps in each score strip.
        keys: number of lamps in turn keys.

    Attributes:
        frame: last frame shown.
    """

    def __init__(self, size: int, lamps_per_cell: int, strip: int = 0, keys: int = 0) -> None:
        self.size, self.lamps_per_cell, self.strip_lamps, self.key_lamps = size, lamps_per_cell, strip, keys
        self.frame = Frame.dark_frame_of(self)

    def open(self) -> None:
        self.close()

    def show(self, frame: Frame) -> None:
        self.frame = frame

    def set_lamp_count(self, lamps_per_cell: int) -> None:
        """Change the number of lamps per cell and turn all lamps off."""
        self.lamps_per_cell = lamps_per_cell
        self.close()

    def close(self) -> None:
        self.frame = Frame.dark_frame_of(self)


class SimulatedSensors:
    """Base class of simulated boards.

    Args:
        size: number of rows and columns, 3 to 5.
        lamps_per_cell: number of lamps in a cell.
        now: clock for the timestamps of touches, in seconds.
        strip: number of lamps in each score strip.

    Attributes:
        has_pieces: True for boards with pieces, False for boards with buttons.
    """

    def __init__(self, size: int, lamps_per_cell: int, now: Callable[[], float], strip: int = 0) -> None:
        self.size, self.now, self.has_pieces = size, now, False
        self._shown = SimulatedLamps(size, lamps_per_cell, strip)
        self._cells = get_grid(size).cells
        self._put: Callable[[SensorEvent], None] | None = None
        self._poll_count = 0

    def to_board(self) -> Board:
        """Return the board for a companion."""
        return Board(sensors=self, lamps=self._shown)

    @property
    def poll_count(self) -> int:
        """Counter that increases with every access, because simulated sensors never hang."""
        self._poll_count += 1
        return self._poll_count

    def open(self, put_event: Callable[[SensorEvent], None]) -> None:
        self._put = put_event

    def close(self) -> None:
        self._put = None


class SimulatedBoard(SimulatedSensors):
    """Board with a button and lamps in every cell.

    It reports changes: pressing a button that is already down is not a touch. Several cells can be pressed at once.

    Attributes:
        pressed_cells: cells whose buttons are down.
    """

    def __init__(self, size: int, lamps_per_cell: int, now: Callable[[], float], strip: int = 0) -> None:
        super().__init__(size, lamps_per_cell, now, strip)
        self.pressed_cells: set[Cell] = set()

    def press(self, cell: Cell) -> None:
        """Press a button.

        Raises:
            PondError: the board has no such cell.
        """
        self._set_level(cell, is_down=True)

    def release(self, cell: Cell) -> None:
        self._set_level(cell, is_down=False)

    def touch(self, cell: Cell) -> None:
        self.press(cell)
        self.release(cell)

    def _set_level(self, cell: Cell, *, is_down: bool) -> None:
        require_cell(cell, self.size)
        if is_down == (cell in self.pressed_cells):
            return
        self.pressed_cells ^= {cell}
        if self._put:
            self._put(Touch(cell, is_down, self.now()))
