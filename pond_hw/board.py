"""Interfaces of a board: sensors send touches, and lamps show frames.

Sensors and lamps are separate devices with separate drivers. Neither knows the rules of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from pond_hw.messages.message import Message
from pond_hw.rules import Cell, PondError, Side, get_grid

RGB = tuple[int, int, int]
"""Red, green and blue levels of one lamp, from 0 to 255. Light and current are proportional to them."""


class Touch(NamedTuple):
    """A debounced level change of a cell's sensor.

    Attributes:
        cell: name of the cell; `a1` is at the bottom left.
        down: True if a button was pressed or a piece put down, False if it was released or lifted.
        instant: time in seconds, on the board's clock.
        owner: owner of the piece; None if the sensor cannot tell.
    """

    cell: Cell
    down: bool
    instant: float
    owner: Side | None = None


class KeyEvent(NamedTuple):
    """A debounced press or release of the undo key, with its time on the board's clock."""

    down: bool
    instant: float


class TurnKeyEvent(NamedTuple):
    """A debounced press or release of a turn key.

    Attributes:
        side: side that the key belongs to; None if both sides share the key.
        down: True if pressed, False if released.
        instant: time in seconds, on the board's clock.
    """

    side: Side | None
    down: bool
    instant: float


class HealthEvent(NamedTuple):
    """Report that the sensors stopped responding (`trouble` gives the reason and a remedy) or respond again (None)."""

    trouble: Message | None
    instant: float


SensorEvent = Touch | KeyEvent | TurnKeyEvent | HealthEvent
"""Any event from a board's sensors."""


class Sample(NamedTuple):
    """One reading of all sensors, before debouncing.

    Attributes:
        levels: one level per cell in the order a1, b1, ...: 0 for open or empty, 1 for pressed or occupied. A linear hall
            sensor reports the pole, +1 or -1.
        instant: time in seconds, on the board's clock.
        raw_values: raw data in the same order: counts of linear hall sensors, or levels of matrix crossings including
            possible ghosts; None if there are only levels.
    """

    levels: tuple[int, ...]
    instant: float
    raw_values: tuple[int, ...] | None = None

    @property
    def is_linear(self) -> bool:
        """True if linear sensors were read, so that `raw_values` contains their counts."""
        return self.raw_values is not None and max(self.raw_values) > 1

    @property
    def sensed_levels(self) -> tuple[int, ...]:
        """Levels before matrix ghosts are removed."""
        return self.levels if self.raw_values is None or self.is_linear else self.raw_values


class BoardFault(PondError):
    """Raised when a board cannot be opened or does not respond. The message gives the reason and a remedy."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Colours of all lamps of a board at one moment. `frame["b2"]` returns the colours of one cell.

    Attributes:
        size: number of rows and columns.
        lamps_per_cell: 1 or a square number.
        data: red, green and blue of each lamp. The order is: cells a1, b1, ..., a2, ... (within a cell row by row from the
            top left, as the players see it); Light's score strip, then Dark's, each starting at the first point; then
            the lamps of the turn keys.
        strip_lamps: number of lamps in each score strip, or 0.
    """

    size: int
    lamps_per_cell: int
    data: bytes
    strip_lamps: int = 0

    @classmethod
    def dark_frame(cls, size: int, lamps: int, strip: int = 0, keys: int = 0) -> Frame:
        """Return a frame with all lamps off."""
        return cls(size, lamps, bytes((size * size * lamps + 2 * strip + keys) * 3), strip)

    @classmethod
    def dark_frame_of(cls, lamps: Lamps) -> Frame:
        """Return a frame that fits these lamps, with all of them off."""
        return cls.dark_frame(lamps.size, lamps.lamps_per_cell, lamps.strip_lamps, lamps.key_lamps)

    def __getitem__(self, cell: Cell) -> tuple[RGB, ...]:
        x, y = get_grid(self.size).cell_coordinates(cell)
        first = (y * self.size + x) * self.lamps_per_cell * 3
        values = self.data[first : first + self.lamps_per_cell * 3]
        return tuple(zip(values[0::3], values[1::3], values[2::3], strict=True))

    @property
    def score_strips(self) -> tuple[tuple[RGB, ...], tuple[RGB, ...]]:
        lamps = self._lamps_after_cells
        return lamps[: self.strip_lamps], lamps[self.strip_lamps : 2 * self.strip_lamps]

    @property
    def key_colours(self) -> tuple[RGB, ...]:
        """Colours of the turn-key lamps: Light's and Dark's, or the shared key's."""
        return self._lamps_after_cells[2 * self.strip_lamps :]

    @property
    def _lamps_after_cells(self) -> tuple[RGB, ...]:
        values = self.data[self.size**2 * self.lamps_per_cell * 3 :]
        return tuple(zip(values[0::3], values[1::3], values[2::3], strict=True))

    @property
    def colours_by_cell(self) -> dict[Cell, tuple[RGB, ...]]:
        return {cell: self[cell] for cell in get_grid(self.size).cells}


class Sensors(Protocol):
    """Sensors of a board: a button or a hall sensor in every cell."""

    @property
    def size(self) -> int:
        """Number of rows and columns, 3 to 5."""

    @property
    def has_pieces(self) -> bool:
        """True if the sensors detect pieces, False if they are buttons."""

    @property
    def poll_count(self) -> int:
        """Number of times the sensors have been polled, successfully or not. A driver hangs if this stops increasing."""

    def open(self, put_event: Callable[[SensorEvent], None]) -> None:
        """Start reading the sensors and send events to `put_event`, from any thread.

        Raises:
            BoardFault: if the sensors cannot be opened.
        """

    def close(self) -> None:
        """Stop reading the sensors and send no more events. Safe to call twice, or before `open`."""


@runtime_checkable
class SampledSensors(Protocol):
    """Sensors that also publish samples before debouncing.

    Attributes:
        sample_watchers: callbacks for samples, called from the sensor thread with each sample that differs from the last.
            Add them before `open`.
    """

    sample_watchers: list[Callable[[Sample], None]]


class Lamps(Protocol):
    """Lamps of a board: one lamp or a square of lamps in every cell."""

    @property
    def size(self) -> int:
        """Number of rows and columns, 3 to 5."""

    @property
    def lamps_per_cell(self) -> int:
        pass

    @property
    def strip_lamps(self) -> int:
        """Number of lamps in each score strip, or 0."""

    @property
    def key_lamps(self) -> int:
        """Number of turn-key lamps: 2, 1 for a shared key, or 0."""

    def open(self) -> None:
        """Open the lamps. They stay dark until the first `show`.

        Raises:
            BoardFault: if the lamps cannot be opened.
        """

    def show(self, frame: Frame) -> None:
        """Show a frame until the next one.

        Raises:
            BoardFault: if the lamps cannot be reached at the moment. A later call may succeed.
        """

    def close(self) -> None:
        """Turn all lamps off and close the device. Safe to call twice, or before `open`."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board with its sensors and lamps."""

    sensors: Sensors
    lamps: Lamps

    def __post_init__(self) -> None:
        if self.sensors.size != self.lamps.size:
            raise ValueError(f"The sensors have {self.sensors.size} rows, but the lamps have {self.lamps.size}.")

    @property
    def size(self) -> int:
        return self.sensors.size

    def open(self, put_event: Callable[[SensorEvent], None]) -> None:
        """Open the lamps and the sensors. If either fails, both are closed.

        Raises:
            BoardFault: if the lamps or the sensors cannot be opened.
        """
        self.lamps.open()
        try:
            self.sensors.open(put_event)
        except BaseException:
            self.lamps.close()
            raise

    def close(self) -> None:
        """Close the sensors and the lamps."""
        try:
            self.sensors.close()
        finally:
            self.lamps.close()
