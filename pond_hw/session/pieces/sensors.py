"""Occupancy of the cells, and the health of their sensors."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf
from typing import NamedTuple

from pond_hw.rules import Cell, Position, Side, get_grid

SETTLE_SECONDS = 0.25  # how long a difference must be stable before it counts, if no profile says otherwise
WAKEUP_SECONDS = 1.0  # how long sensors may take to detect what stands there, after they start or come back


class BoardDifference(NamedTuple):
    """Cells on which board and game differ; `NO_DIFFERENCE` if there are none.

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
        """True if board and game differ on one cell only."""
        return not self.wrong_owner and len(self.missing) + len(self.extra) == 1


NO_DIFFERENCE = BoardDifference()


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Pieces that the sensors detect, trusted or not.

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
        """Instant at which what is detected will have been stable for long enough, in seconds."""
        return max(self.changed_at + self.settle_seconds, self.grace_until)

    def may_belong_to(self, cell: Cell, side: Side) -> bool:
        """True if a piece on this cell can be of this side, as far as its sensor can tell."""
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


FLICKER_COUNT, FLICKER_SECONDS = 10, 4.0  # so many changes in so many seconds: no hand does that
TRUST_AGAIN_SECONDS = 10.0  # a suspected sensor that agrees with the game for so long is trusted again
RECENTLY_BAD_SECONDS = 60.0  # a sensor that was trusted again so long ago is believed only after asking


@dataclass(frozen=True, slots=True)
class SensorHealth:
    """Masked sensors: known bad ones always, suspected ones until they behave again.

    Attributes:
        known_bad: cells whose sensors the profile or a person has masked.
        suspected_bad: cells whose sensors flickered or stuck, until they behave again.
        trusted_again_at: when a suspected sensor changed, and was trusted again for it, in seconds.
        announced_masked: the masked cells that a message has named.
        change_times: when each sensor changed, the last few times, in seconds.
    """

    known_bad: frozenset[Cell] = frozenset()
    suspected_bad: frozenset[Cell] = frozenset()
    trusted_again_at: Mapping[Cell, float] = field(default_factory=dict)
    announced_masked: frozenset[Cell] = frozenset()
    change_times: Mapping[Cell, tuple[float, ...]] = field(default_factory=dict)

    @property
    def masked_cells(self) -> frozenset[Cell]:
        """The cells whose sensors are ignored."""
        return self.known_bad | self.suspected_bad

    def last_change(self, cell: Cell) -> float:
        """Return the instant of the last change of a sensor, in seconds; minus infinity if it never has changed."""
        return self.change_times.get(cell, (-inf,))[-1]

    def is_flickering(self, cell: Cell) -> bool:
        """True if the last changes came faster than any hand can move."""
        times = self.change_times.get(cell, ())
        return len(times) == FLICKER_COUNT and times[-1] - times[0] <= FLICKER_SECONDS

    def was_recently_bad(self, cell: Cell) -> bool:
        """True if the sensor had been trusted again only shortly before its last change."""
        if cell not in self.trusted_again_at:
            return False
        return self.last_change(cell) - self.trusted_again_at[cell] <= RECENTLY_BAD_SECONDS

    def after_change(self, cell: Cell, instant: float) -> SensorHealth:
        """After one change of a sensor: one that flickers is suspected, a suspected one that does not is trusted."""
        times = (*self.change_times.get(cell, ()), instant)[-FLICKER_COUNT:]
        changed = replace(self, change_times={**self.change_times, cell: times})
        if cell in self.known_bad or changed.is_flickering(cell) == (cell in self.suspected_bad):
            return changed
        if cell not in self.suspected_bad:
            return changed.with_suspects({cell})
        trusted_again_at = {**self.trusted_again_at, cell: instant}
        return replace(changed, suspected_bad=self.suspected_bad - {cell}, trusted_again_at=trusted_again_at)

    def with_suspects(self, cells: Set[Cell]) -> SensorHealth:
        """With these sensors suspected, too."""
        return replace(self, suspected_bad=self.suspected_bad | cells) if cells else self

    def with_doubts(self) -> SensorHealth:
        """With those suspected that had been bad shortly before their last change."""
        return self.with_suspects({cell for cell in self.trusted_again_at if self.was_recently_bad(cell)})

    def with_known(self, cell: Cell, is_bad: bool) -> SensorHealth:
        """With one sensor masked or unmasked by a person."""
        known_bad = self.known_bad | {cell} if is_bad else self.known_bad - {cell}
        return replace(self, known_bad=known_bad, suspected_bad=self.suspected_bad - {cell})

    def healing_instants(self, position: Position, occupied_cells: Set[Cell]) -> dict[Cell, float]:
        """Return when each suspected sensor that agrees with the game now will be trusted again, in seconds."""
        if not self.suspected_bad:
            return {}
        pieces = position.pieces
        return {
            cell: self.change_times[cell][-1] + TRUST_AGAIN_SECONDS
            for cell in self.suspected_bad
            if (cell in occupied_cells) == (cell in pieces) and cell in self.change_times
        }

    def after_healing(self, position: Position, occupied_cells: Set[Cell], now: float) -> SensorHealth:
        """Without suspicions about sensors that have agreed with the game for long enough."""
        instants = self.healing_instants(position, occupied_cells)
        healed = {cell for cell, instant in instants.items() if now >= instant}
        return replace(self, suspected_bad=self.suspected_bad - healed) if healed else self
