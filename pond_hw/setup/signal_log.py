"""What a sensor did, from how it was read: presses, and how long its contact bounced at each of their edges.

read      ____|-|_|----------------|_|-|______
bursts        <--->                <-->            flips that follow each other closely are one edge
settled   ________|-------------------|_______     presses: from the end of one burst to the end of the next
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pond_hw.board import Sample

BURST_GAP_SECONDS = 0.03
"""Flips no farther apart than this, in seconds, belong to one edge: no finger is as quick as that."""


class EdgeBurst(NamedTuple):
    """One edge as it was read.

    Attributes:
        first_flip: its first flip, in seconds.
        last_flip: its last.
        flip_count: how many there were.
        is_down: whether the sensor was down afterwards.
    """

    first_flip: float
    last_flip: float
    flip_count: int
    is_down: bool

    @property
    def bounce_seconds(self) -> float:
        """How long it took until the sensor was stable."""
        return self.last_flip - self.first_flip


class SensorPress(NamedTuple):
    """From when to when a sensor was down, in seconds."""

    begin: float
    end: float


class LevelFlip(NamedTuple):
    """A sensor was read as something else than before: when, in seconds, and whether as down."""

    at_seconds: float
    is_down: bool


@dataclass(frozen=True, slots=True)
class SignalLog:
    """All that was read for a while.

    Attributes:
        first_sample: the first reading; None if there was none.
        last_sample: the last one.
        flips_by_input: what has changed, by input; nothing of those that have not.
        raw_counts: of linear sensors the counts of every reading; empty for others.
        inputs_up: those that were up in some reading, by input.
    """

    first_sample: Sample | None = None
    last_sample: Sample | None = None
    flips_by_input: Mapping[int, tuple[LevelFlip, ...]] = field(default_factory=dict)
    raw_counts: tuple[tuple[int, ...], ...] = ()
    inputs_up: frozenset[int] = frozenset()

    def with_sample(self, reading: Sample) -> SignalLog:
        """The same, with one more reading."""
        counts = (
            (*self.raw_counts, reading.raw_values) if reading.raw_values and is_linear(reading) else self.raw_counts
        )
        now = sensed_levels(reading)
        before = sensed_levels(self.last_sample) if self.last_sample else now
        up, flips = self.inputs_up, self.flips_by_input
        if before != now or not self.last_sample:
            up |= {number for number, level in enumerate(now) if not level}
            pairs = enumerate(zip(before, now, strict=True))
            changed = [number for number, (was, level) in pairs if (was == 0) != (level == 0)]
            new = {number: (*flips.get(number, ()), LevelFlip(reading.instant, now[number] != 0)) for number in changed}
            flips = {**flips, **new}
        return SignalLog(self.first_sample or reading, reading, flips, counts, up)

    def list_edges(self, number: int) -> list[EdgeBurst]:
        """The edges of an input in the order of time, without those after which nothing had changed: spikes."""
        found: list[EdgeBurst] = []
        for at, down in self.flips_by_input.get(number, ()):
            if found and at - found[-1].last_flip <= BURST_GAP_SECONDS:
                found[-1] = found[-1]._replace(last_flip=at, flip_count=found[-1].flip_count + 1, is_down=down)
            else:
                found.append(EdgeBurst(at, at, 1, down))
        return [each for each in found if each.flip_count % 2]

    def list_presses(self, number: int) -> tuple[SensorPress, ...]:
        """The presses of an input that have begun and ended."""
        found, since = [], None
        for edge in self.list_edges(number):
            if edge.is_down:
                since = edge.first_flip
            elif since is not None:
                found.append(SensorPress(since, edge.last_flip))
                since = None
        return tuple(found)


def is_linear(reading: Sample) -> bool:
    """Whether it was read from linear sensors: then `raw` holds counts."""
    return reading.raw_values is not None and max(reading.raw_values) > 1


def sensed_levels(reading: Sample) -> tuple[int, ...]:
    """What the sensors say: in a matrix with the ghosts, which the levels leave out."""
    return reading.levels if reading.raw_values is None or is_linear(reading) else reading.raw_values
