"""Where sensors detect pieces, and since when nothing has moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from pond_hw.rules import Cell, Side, get_grid

SETTLE_SECONDS = 0.25  # how long a difference must be stable before it counts, if no profile says otherwise
WAKEUP_SECONDS = 1.0  # how long sensors may take to detect what stands there, after they start or come back


class BoardDifference(NamedTuple):
    """Where board and game differ; `NO_DIFFERENCE` if nowhere.

    Attributes:
        missing: where a piece should be detected and is not.
        extra: where a piece is detected and should not be.
        wrong_owner: where a piece of the wrong side is detected.
    """

    missing: frozenset[Cell] = frozenset()
    extra: frozenset[Cell] = frozenset()
    wrong_owner: frozenset[Cell] = frozenset()

    @property
    def is_single_cell(self) -> bool:
        """Whether board and game differ on one cell only."""
        return not self.wrong_owner and len(self.missing) + len(self.extra) == 1


NO_DIFFERENCE = BoardDifference()


@dataclass(frozen=True, slots=True)
class Occupancy:
    """What the sensors say, trusted or not.

    Attributes:
        settle_seconds: seconds that a difference must be stable before it counts.
        occupied_cells: where a piece is detected.
        sensed_owners: whose it is, where sensors can tell.
        known_owners: whose the pieces are that have not moved since board and game agreed last.
        changed_at: since when nothing has moved, in seconds.
        grace_until: until when sensors may still come to detect what stands there already.
        ever_occupied: whether anything has been detected since the game became what it is.
    """

    settle_seconds: float = SETTLE_SECONDS
    occupied_cells: frozenset[Cell] = frozenset()
    sensed_owners: Mapping[Cell, Side] = field(default_factory=dict)
    known_owners: Mapping[Cell, Side] = field(default_factory=dict)
    changed_at: float = 0.0
    grace_until: float = 0.0
    ever_occupied: bool = False

    @property
    def settles_at(self) -> float:
        """When what is detected will have been stable for long enough, in seconds."""
        return max(self.changed_at + self.settle_seconds, self.grace_until)

    def may_belong_to(self, cell: Cell, side: Side) -> bool:
        """Whether a piece on this cell can be of this side, as far as its sensor can tell."""
        return self.sensed_owners.get(cell, side) is side

    def after_change(self, cell: Cell, is_occupied: bool, owner: Side | None) -> Occupancy:
        """After one change of a sensor; it counts as a movement only with `after_movement`."""
        sensed_owners, known_owners = {**self.sensed_owners}, {**self.known_owners}
        sensed_owners.pop(cell, None)
        known_owners.pop(cell, None)
        if is_occupied and owner is not None:
            sensed_owners[cell] = owner
        cells = self.occupied_cells | {cell} if is_occupied else self.occupied_cells - {cell}
        return replace(self, occupied_cells=cells, sensed_owners=sensed_owners, known_owners=known_owners)

    def after_movement(self, instant: float) -> Occupancy:
        """Something moved at this instant: everything has to be stable again."""
        return replace(self, changed_at=instant)

    def after_wakeup(self, instant: float) -> Occupancy:
        """The sensors start or come back at this instant."""
        return replace(self, changed_at=instant, grace_until=instant + WAKEUP_SECONDS)


@cache
def surrounding_cells(size: int, cell: Cell) -> frozenset[Cell]:
    """The up to eight cells around a cell."""
    grid = get_grid(size)
    x, y = grid.cell_coordinates(cell)
    coordinates = {other: grid.cell_coordinates(other) for other in grid.cells if other != cell}
    return frozenset(other for other, (u, v) in coordinates.items() if abs(u - x) <= 1 and abs(v - y) <= 1)
