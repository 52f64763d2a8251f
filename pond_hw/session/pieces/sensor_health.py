"""Which sensors can be trusted: a known bad one never, a suspected one not before it behaves again."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from math import inf

from pond_hw.rules import Cell, Position

FLICKER_COUNT, FLICKER_SECONDS = 10, 4.0  # so many changes in so many seconds: no hand does that
TRUST_AGAIN_SECONDS = 10.0  # a suspected sensor that agrees with the game for so long is trusted again
RECENTLY_BAD_SECONDS = 60.0  # a sensor that was trusted again so long ago is believed only after asking


@dataclass(frozen=True, slots=True)
class SensorHealth:
    """Which sensors are masked, and why.

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
        """When the sensor changed last, in seconds; minus infinity if it never has."""
        return self.change_times.get(cell, (-inf,))[-1]

    def is_flickering(self, cell: Cell) -> bool:
        """Whether the last changes came faster than any hand can move."""
        times = self.change_times.get(cell, ())
        return len(times) == FLICKER_COUNT and times[-1] - times[0] <= FLICKER_SECONDS

    def was_recently_bad(self, cell: Cell) -> bool:
        """Whether the sensor had been trusted again only shortly before its last change."""
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

    def with_known(self, cell: Cell, is_bad: bool) -> SensorHealth:
        """With one sensor masked or unmasked by a person."""
        known_bad = self.known_bad | {cell} if is_bad else self.known_bad - {cell}
        return replace(self, known_bad=known_bad, suspected_bad=self.suspected_bad - {cell})

    def healing_instants(self, position: Position, occupied_cells: Set[Cell]) -> dict[Cell, float]:
        """When each suspected sensor that agrees with the game now will be trusted again, in seconds."""
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
