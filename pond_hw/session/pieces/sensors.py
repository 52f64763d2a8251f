"""Occupancy of the cells, and health of their sensors."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf
from typing import NamedTuple

from pond_hw.rules import Cell, Position, Side, get_grid

SETTLE_SECONDS = 0.25  # time after which the board is stable, unless a profile overrides it
WAKEUP_SECONDS = 1.0  # time for the sensors to detect all pieces after they start


class BoardDifference(NamedTuple):
    """Cells where the board differs from the game; see `NO_DIFFERENCE`.

    Attributes:
        missing: Cells where a piece should be detected but is not.
        extra: Cells where a piece is detected but should not be.
        wrong_owner: Cells where a piece of the wrong side is detected.
    """

    missing: frozenset[Cell] = frozenset()
    extra: frozenset[Cell] = frozenset()
    wrong_owner: frozenset[Cell] = frozenset()

    @property
    def is_single_cell(self) -> bool:
        return not self.wrong_owner and len(self.missing) + len(self.extra) == 1


NO_DIFFERENCE = BoardDifference()


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Pieces that the sensors detect, including masked sensors.

    Attributes:
        settle_seconds: Seconds without movement after which the board is stable.
        known_owners: Owners of pieces that have not moved since the board last matched the game.
        changed_at: Time of the last movement, in seconds.
        grace_until: Time in seconds until which the sensors may still be starting up.
        ever_occupied: True if a piece has been detected since the game began.
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
        """Time in seconds at which the board becomes stable if nothing moves."""
        return max(self.changed_at + self.settle_seconds, self.grace_until)

    def may_belong_to(self, cell: Cell, side: Side) -> bool:
        """Return True unless the sensor detects a piece of the other side."""
        return self.sensed_owners.get(cell, side) is side

    def after_change(self, cell: Cell, is_occupied: bool, owner: Side | None) -> Occupancy:
        """Apply one sensor change. Call `after_movement` to restart the settling time."""
        sensed_owners, known_owners = {**self.sensed_owners}, {**self.known_owners}
        sensed_owners.pop(cell, None)
        known_owners.pop(cell, None)
        if is_occupied and owner is not None:
            sensed_owners[cell] = owner
        cells = self.occupied_cells | {cell} if is_occupied else self.occupied_cells - {cell}
        return replace(self, occupied_cells=cells, sensed_owners=sensed_owners, known_owners=known_owners)

    def after_movement(self, instant: float) -> Occupancy:
        return replace(self, changed_at=instant)

    def after_wakeup(self, instant: float) -> Occupancy:
        return replace(self, changed_at=instant, grace_until=instant + WAKEUP_SECONDS)


@cache
def surrounding_cells(size: int, cell: Cell) -> frozenset[Cell]:
    grid = get_grid(size)
    x, y = grid.cell_coordinates(cell)
    coordinates = {other: grid.cell_coordinates(other) for other in grid.cells if other != cell}
    return frozenset(other for other, (u, v) in coordinates.items() if abs(u - x) <= 1 and abs(v - y) <= 1)


FLICKER_COUNT, FLICKER_SECONDS = 10, 4.0  # too fast for a hand
TRUST_AGAIN_SECONDS = 10.0  # time for which a suspected sensor must match the game to be trusted again
RECENTLY_BAD_SECONDS = 60.0  # time during which changes of a newly trusted sensor need confirmation


@dataclass(frozen=True, slots=True)
class SensorHealth:
    """Sensors to ignore: sensors known to be bad, and suspected sensors until they work again.

    Attributes:
        known_bad: Cells masked by the profile or by a user.
        suspected_bad: Cells whose sensors flickered or got stuck.
        trusted_again_at: Time in seconds at which a change restored trust in a suspected sensor.
        announced_masked: Masked cells that have already been reported in a message.
        change_times: Times of each sensor's most recent changes, in seconds.
    """

    known_bad: frozenset[Cell] = frozenset()
    suspected_bad: frozenset[Cell] = frozenset()
    trusted_again_at: Mapping[Cell, float] = field(default_factory=dict)
    announced_masked: frozenset[Cell] = frozenset()
    change_times: Mapping[Cell, tuple[float, ...]] = field(default_factory=dict)

    @property
    def masked_cells(self) -> frozenset[Cell]:
        """Cells whose sensors are ignored."""
        return self.known_bad | self.suspected_bad

    def last_change(self, cell: Cell) -> float:
        """Return the time of a sensor's last change, in seconds; minus infinity if it never changed."""
        return self.change_times.get(cell, (-inf,))[-1]

    def is_flickering(self, cell: Cell) -> bool:
        """Return True if the latest changes were too fast to be caused by a hand."""
        times = self.change_times.get(cell, ())
        return len(times) == FLICKER_COUNT and times[-1] - times[0] <= FLICKER_SECONDS

    def was_recently_bad(self, cell: Cell) -> bool:
        """Return True if the sensor was under suspicion until shortly before its last change."""
        if cell not in self.trusted_again_at:
            return False
        return self.last_change(cell) - self.trusted_again_at[cell] <= RECENTLY_BAD_SECONDS

    def after_change(self, cell: Cell, instant: float) -> SensorHealth:
        """Record a change. Suspect the sensor if it flickers; otherwise trust it again."""
        times = (*self.change_times.get(cell, ()), instant)[-FLICKER_COUNT:]
        changed = replace(self, change_times={**self.change_times, cell: times})
        if cell in self.known_bad or changed.is_flickering(cell) == (cell in self.suspected_bad):
            return changed
        if cell not in self.suspected_bad:
            return changed.with_suspects({cell})
        trusted_again_at = {**self.trusted_again_at, cell: instant}
        return replace(changed, suspected_bad=self.suspected_bad - {cell}, trusted_again_at=trusted_again_at)

    def with_suspects(self, cells: Set[Cell]) -> SensorHealth:
        return replace(self, suspected_bad=self.suspected_bad | cells) if cells else self

    def suspect_recently_bad(self) -> SensorHealth:
        """Suspect all sensors that were under suspicion until shortly before their last change."""
        return self.with_suspects({cell for cell in self.trusted_again_at if self.was_recently_bad(cell)})

    def with_known(self, cell: Cell, is_bad: bool) -> SensorHealth:
        known_bad = self.known_bad | {cell} if is_bad else self.known_bad - {cell}
        return replace(self, known_bad=known_bad, suspected_bad=self.suspected_bad - {cell})

    def healing_instants(self, position: Position, occupied_cells: Set[Cell]) -> dict[Cell, float]:
        """Return the times in seconds at which suspected sensors that match the game will be trusted again."""
        if not self.suspected_bad:
            return {}
        pieces = position.pieces
        return {
            cell: self.change_times[cell][-1] + TRUST_AGAIN_SECONDS
            for cell in self.suspected_bad
            if (cell in occupied_cells) == (cell in pieces) and cell in self.change_times
        }

    def after_healing(self, position: Position, occupied_cells: Set[Cell], now: float) -> SensorHealth:
        """Trust suspected sensors again if they have matched the game for long enough."""
        instants = self.healing_instants(position, occupied_cells)
        healed = {cell for cell, instant in instants.items() if now >= instant}
        return replace(self, suspected_bad=self.suspected_bad - healed) if healed else self
