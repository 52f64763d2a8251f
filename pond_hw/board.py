"""What any board is: touches come in, frames go out.

Sensors and lamps are bought apart, wired apart and driven apart, so they are two things; a
board is one of each. What stands behind them, copper or a terminal, is the drivers' business.
Neither knows the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from pond_hw.messages.message import Message
from pond_hw.rules import Cell, PondError, Side, get_grid

RGB = tuple[int, int, int]
"""Red, green and blue of one lamp as it is driven, 0 to 255: proportional to its light and its current."""


class Touch(NamedTuple):
    """One debounced change of one cell's sensor.

    Attributes:
        cell: which cell, `a1` at the bottom left.
        down: whether a button went down (or a piece came to stand there), or the opposite.
        instant: when, in seconds on the board's clock.
        owner: whose piece it is, where the sensor can tell that; else None.
    """

    cell: Cell
    down: bool
    instant: float
    owner: Side | None = None


class KeyEvent(NamedTuple):
    """One debounced change of the key beside the cells: whether it went down or came up, and when."""

    down: bool
    instant: float


class TurnKeyEvent(NamedTuple):
    """One debounced change of a turn key.

    Attributes:
        side: the side whose key it is; None for one key that both sides share.
        down: True if it went down, False if it came up.
        instant: seconds on the board's clock.
    """

    side: Side | None
    down: bool
    instant: float


class HealthEvent(NamedTuple):
    """The sensors no longer answer, and a message says why and what to do; or None: they answer again."""

    trouble: Message | None
    instant: float


SensorEvent = Touch | KeyEvent | TurnKeyEvent | HealthEvent
"""All that comes from a board."""


class Sample(NamedTuple):
    """All sensors as they were read at one instant, before anything was made of it.

    Attributes:
        levels: for each cell in the order a1, b1, ... what its sensor says: 0 up or nothing there, 1 down or there; a
            linear hall sensor +1 or -1, its pole.
        instant: when, in seconds on the board's clock.
        raw_values: what the levels were made of, in the same order: the counts of linear hall sensors, the crossings of a
            matrix with those that may be ghosts; None where levels are all there is.
    """

    levels: tuple[int, ...]
    instant: float
    raw_values: tuple[int, ...] | None = None

    @property
    def is_linear(self) -> bool:
        """Whether it was read from linear sensors: then `raw_values` holds counts."""
        return self.raw_values is not None and max(self.raw_values) > 1

    @property
    def sensed_levels(self) -> tuple[int, ...]:
        """The levels of the sensors; in a matrix with the ghosts."""
        return self.levels if self.raw_values is None or self.is_linear else self.raw_values


class BoardFault(PondError):
    """The board cannot be opened, or does not answer; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What all lamps of a board show at one moment. `frame["b2"]` gives the lamps of one cell.

    Attributes:
        size: rows and columns of the board.
        lamps_per_cell: lamps in a cell: 1, or a square number of them.
        data: (size * size * lamps + 2 * strip + keys) * 3 bytes: the cells in the order a1, b1, ... a2, ..., in each cell
            its lamps row by row from the top left as the players see them, for each lamp red, green, blue; after
            the cells light's score strip and then dark's, from the first point on; last the lamps of the turn keys.
        strip_lamps: lamps in each score strip; 0 without them.
    """

    size: int
    lamps_per_cell: int
    data: bytes
    strip_lamps: int = 0

    @classmethod
    def dark_frame(cls, size: int, lamps: int, strip: int = 0, keys: int = 0) -> Frame:
        """The frame in which nothing is lit."""
        return cls(size, lamps, bytes((size * size * lamps + 2 * strip + keys) * 3), strip)

    @classmethod
    def dark_frame_of(cls, lamps: Lamps) -> Frame:
        """Return the frame in which none of these lamps is lit."""
        return cls.dark_frame(lamps.size, lamps.lamps_per_cell, lamps.strip_lamps, lamps.key_lamps)

    def __getitem__(self, cell: Cell) -> tuple[RGB, ...]:
        x, y = get_grid(self.size).cell_coordinates(cell)
        first = (y * self.size + x) * self.lamps_per_cell * 3
        values = self.data[first : first + self.lamps_per_cell * 3]
        return tuple(zip(values[0::3], values[1::3], values[2::3], strict=True))

    @property
    def score_strips(self) -> tuple[tuple[RGB, ...], tuple[RGB, ...]]:
        """Lamps of light's and of dark's score strip."""
        lamps = self._lamps_after_cells
        return lamps[: self.strip_lamps], lamps[self.strip_lamps : 2 * self.strip_lamps]

    @property
    def key_colours(self) -> tuple[RGB, ...]:
        """Lamps of the turn keys: light's and dark's, or the one of a common key."""
        return self._lamps_after_cells[2 * self.strip_lamps :]

    @property
    def _lamps_after_cells(self) -> tuple[RGB, ...]:
        values = self.data[self.size**2 * self.lamps_per_cell * 3 :]
        return tuple(zip(values[0::3], values[1::3], values[2::3], strict=True))

    @property
    def colours_by_cell(self) -> dict[Cell, tuple[RGB, ...]]:
        """Every cell with its lamps."""
        return {cell: self[cell] for cell in get_grid(self.size).cells}


class Sensors(Protocol):
    """A button or a hall sensor in every cell."""

    @property
    def size(self) -> int:
        """Rows and columns, 3 to 5."""

    @property
    def has_pieces(self) -> bool:
        """Whether pieces stand on the sensors; else fingers press them."""

    @property
    def poll_count(self) -> int:
        """How often the sensors have been asked, answered or not: while this grows, nothing hangs."""

    def open(self, put: Callable[[SensorEvent], None]) -> None:
        """Begin to sense; all that is felt from now on is put to `put`, from whatever thread it comes.

        Raises:
            BoardFault: the sensors cannot be had.
        """

    def close(self) -> None:
        """Stop sensing; nothing comes after this returns. Closing twice, or what was never open, is no fault."""


@runtime_checkable
class SampledSensors(Protocol):
    """Sensors that also tell what they read, before anything is made of it.

    Attributes:
        sample_watchers: each is told every reading that differs from the one before, from the thread that reads; they are
            added before the sensors are opened.
    """

    sample_watchers: list[Callable[[Sample], None]]


class Lamps(Protocol):
    """One lamp or a square of lamps in every cell."""

    @property
    def size(self) -> int:
        """Rows and columns, 3 to 5."""

    @property
    def lamps_per_cell(self) -> int:
        """Lamps in a cell."""

    @property
    def strip_lamps(self) -> int:
        """Lamps in each score strip; 0 without them."""

    @property
    def key_lamps(self) -> int:
        """Lamps in turn keys: 2, 1 in a common key, or 0."""

    def open(self) -> None:
        """Take hold of the lamps; they are dark until something is shown.

        Raises:
            BoardFault: the lamps cannot be had.
        """

    def show(self, frame: Frame) -> None:
        """Light the lamps as the frame says and keep them so.

        Raises:
            BoardFault: they are not reached at the moment; showing again may help.
        """

    def close(self) -> None:
        """Leave every lamp dark and let go of them. Closing twice, or what was never open, is no fault."""


@dataclass(frozen=True, slots=True)
class Board:
    """Sensors and lamps of the same grid."""

    sensors: Sensors
    lamps: Lamps

    def __post_init__(self) -> None:
        if self.sensors.size != self.lamps.size:
            raise ValueError(f"The sensors are {self.sensors.size} rows, the lamps {self.lamps.size}: not one board.")

    @property
    def size(self) -> int:
        """Rows and columns."""
        return self.sensors.size

    def open(self, put: Callable[[SensorEvent], None]) -> None:
        """Take hold of the lamps and begin to sense.

        Raises:
            BoardFault: one of them cannot be had; then neither is held.
        """
        self.lamps.open()
        try:
            self.sensors.open(put)
        except BaseException:
            self.lamps.close()
            raise

    def close(self) -> None:
        """Stop sensing and leave every lamp dark."""
        try:
            self.sensors.close()
        finally:
            self.lamps.close()
