"""What any board is: touches come in, frames go out.

Sensors and lamps are bought apart, wired apart and driven apart, so they are two things; a
board is one of each. What stands behind them, copper or a terminal, is the drivers' business.
Neither knows the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pond_hw.rules import Cell, grid

RGB = tuple[int, int, int]
"""Red, green and blue of one lamp as it is driven, 0 to 255: proportional to its light and its current."""


class Touch(NamedTuple):
    """One debounced change of one cell's sensor.

    Attributes:
        cell: which cell, `a1` at the bottom left.
        down: whether a button went down (or a piece came to stand there), or the opposite.
        at: when, in seconds on the board's clock.
    """

    cell: Cell
    down: bool
    at: float


@dataclass(frozen=True, slots=True)
class Frame:
    """What all lamps of a board show at one moment. `frame["b2"]` gives the lamps of one cell.

    Attributes:
        size: rows and columns of the board.
        lamps: lamps in a cell: 1, or a square number of them.
        data: size * size * lamps * 3 bytes: the cells in the order a1, b1, ... a2, ..., in each cell its
            lamps row by row from the top left as the players see them, for each lamp red, green, blue.
    """

    size: int
    lamps: int
    data: bytes

    @classmethod
    def dark(cls, size: int, lamps: int) -> Frame:
        """The frame in which nothing is lit."""
        return cls(size, lamps, bytes(size * size * lamps * 3))

    def __getitem__(self, cell: Cell) -> tuple[RGB, ...]:
        x, y = grid(self.size).place(cell)
        first = (y * self.size + x) * self.lamps * 3
        values = self.data[first : first + self.lamps * 3]
        return tuple(zip(values[0::3], values[1::3], values[2::3], strict=True))

    @property
    def cells(self) -> dict[Cell, tuple[RGB, ...]]:
        """Every cell with its lamps."""
        return {cell: self[cell] for cell in grid(self.size).cells}


class Sensors(Protocol):
    """A button or a hall sensor in every cell."""

    @property
    def size(self) -> int:
        """Rows and columns, 3 to 5."""

    def open(self, put: Callable[[Touch], None]) -> None:
        """Begin to sense; every touch from now on is put to `put`, from whatever thread it comes."""

    def close(self) -> None:
        """Stop sensing; no touch comes after this returns."""


class Lamps(Protocol):
    """One lamp or a square of lamps in every cell."""

    @property
    def size(self) -> int:
        """Rows and columns, 3 to 5."""

    @property
    def lamps(self) -> int:
        """Lamps in a cell."""

    def show(self, frame: Frame) -> None:
        """Light the lamps as the frame says and keep them so."""

    def close(self) -> None:
        """Leave every lamp dark."""


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

    def close(self) -> None:
        """Stop sensing and leave every lamp dark."""
        self.sensors.close()
        self.lamps.close()
