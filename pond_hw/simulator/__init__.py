"""A simulated board: buttons and lamps in memory, for the laptop and for the tests."""

from __future__ import annotations

from collections.abc import Callable

from pond_hw.board import Board, Frame, SensorEvent, Touch
from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Cell, get_grid


def require_cell(cell: Cell, size: int) -> None:
    """Make sure that a board of this size has such a cell.

    Raises:
        PondError: it has not.
    """
    if cell not in get_grid(size).cells:
        raise PondError(Message("illegal.no_such_cell", cell=cell, size=size))


class SimulatedLamps:
    """Lamps in memory.

    Args:
        size: rows and columns, 3 to 5.
        lamps_per_cell: lamps in a cell.
        strip: lamps in each score strip.
        keys: lamps in turn keys.

    Attributes:
        frame: what they show.
    """

    def __init__(self, size: int, lamps_per_cell: int, strip: int = 0, keys: int = 0) -> None:
        self.size, self.lamps_per_cell, self.strip_lamps, self.key_lamps = size, lamps_per_cell, strip, keys
        self.frame = Frame.dark_frame_of(self)

    def open(self) -> None:
        """Start dark."""
        self.close()

    def show(self, frame: Frame) -> None:
        """Keep the frame for whoever looks."""
        self.frame = frame

    def set_lamp_count(self, lamps_per_cell: int) -> None:
        """Change the number of lamps in a cell; all are dark then."""
        self.lamps_per_cell = lamps_per_cell
        self.close()

    def close(self) -> None:
        """Go dark."""
        self.frame = Frame.dark_frame_of(self)


class SimulatedSensors:
    """What simulated boards have in common: lamps in memory, and somebody whom they report to.

    Args:
        size: rows and columns, 3 to 5.
        lamps_per_cell: lamps in a cell.
        now: the clock that stamps the touches, in seconds.
        strip: lamps in each score strip.

    Attributes:
        has_pieces: whether pieces stand on the sensors; else fingers press buttons.
    """

    def __init__(self, size: int, lamps_per_cell: int, now: Callable[[], float], strip: int = 0) -> None:
        self.size, self.now, self.has_pieces = size, now, False
        self._shown = SimulatedLamps(size, lamps_per_cell, strip)
        self._cells = get_grid(size).cells
        self._put: Callable[[SensorEvent], None] | None = None
        self._looked = 0

    def to_board(self) -> Board:
        """The board that a companion opens."""
        return Board(sensors=self, lamps=self._shown)

    @property
    def poll_count(self) -> int:
        """One more each time, because sensors in memory never hang."""
        self._looked += 1
        return self._looked

    def open(self, put_event: Callable[[SensorEvent], None]) -> None:
        """Begin to report to `put_event`."""
        self._put = put_event

    def close(self) -> None:
        """Stop reporting."""
        self._put = None


class SimulatedBoard(SimulatedSensors):
    """A button and lamps in every cell, and the fingers that press them.

    Like the real thing it reports levels that change: pressing a button that is down already is
    no touch, and fingers on several cells at once are several touches.

    Attributes:
        pressed_cells: the cells whose buttons are held down.
    """

    def __init__(self, size: int, lamps_per_cell: int, now: Callable[[], float], strip: int = 0) -> None:
        super().__init__(size, lamps_per_cell, now, strip)
        self.pressed_cells: set[Cell] = set()

    def press(self, cell: Cell) -> None:
        """A finger comes down on a cell.

        Raises:
            PondError: the board has no such cell.
        """
        self._set_level(cell, is_down=True)

    def release(self, cell: Cell) -> None:
        """A finger leaves a cell.

        Raises:
            PondError: the board has no such cell.
        """
        self._set_level(cell, is_down=False)

    def touch(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""
        self.press(cell)
        self.release(cell)

    def _set_level(self, cell: Cell, *, is_down: bool) -> None:
        require_cell(cell, self.size)
        if is_down == (cell in self.pressed_cells):
            return
        self.pressed_cells ^= {cell}
        if self._put:
            self._put(Touch(cell, is_down, self.now()))
