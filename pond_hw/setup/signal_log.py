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
        raw_counts = (
            (*self.raw_counts, reading.raw_values) if reading.raw_values and is_linear(reading) else self.raw_counts
        )
        now = sensed_levels(reading)
        levels_before = sensed_levels(self.last_sample) if self.last_sample else now
        inputs_up, flips = self.inputs_up, self.flips_by_input
        if levels_before != now or not self.last_sample:
            inputs_up |= {number for number, level in enumerate(now) if not level}
            level_pairs = enumerate(zip(levels_before, now, strict=True))
            changed = [number for number, (level_before, level) in level_pairs if (level_before == 0) != (level == 0)]
            new = {number: (*flips.get(number, ()), LevelFlip(reading.instant, now[number] != 0)) for number in changed}
            flips = {**flips, **new}
        return SignalLog(self.first_sample or reading, reading, flips, raw_counts, inputs_up)

    def list_edges(self, input_number: int) -> list[EdgeBurst]:
        """The edges of an input in the order of time, without those after which nothing had changed: spikes."""
        found: list[EdgeBurst] = []
        for at, is_down in self.flips_by_input.get(input_number, ()):
            if found and at - found[-1].last_flip <= BURST_GAP_SECONDS:
                found[-1] = found[-1]._replace(last_flip=at, flip_count=found[-1].flip_count + 1, is_down=is_down)
            else:
                found.append(EdgeBurst(at, at, 1, is_down))
        return [edge_burst for edge_burst in found if edge_burst.flip_count % 2]

    def list_presses(self, input_number: int) -> tuple[SensorPress, ...]:
        """The presses of an input that have begun and ended."""
        found_presses, down_since = [], None
        for edge_burst in self.list_edges(input_number):
            if edge_burst.is_down:
                down_since = edge_burst.first_flip
            elif down_since is not None:
                found_presses.append(SensorPress(down_since, edge_burst.last_flip))
                down_since = None
        return tuple(found_presses)


def is_linear(new_sample: Sample) -> bool:
    """Whether it was read from linear sensors: then `raw` holds counts."""
    return new_sample.raw_values is not None and max(new_sample.raw_values) > 1


def sensed_levels(new_sample: Sample) -> tuple[int, ...]:
    """What the sensors say: in a matrix with the ghosts, which the levels leave out."""
    return new_sample.levels if new_sample.raw_values is None or is_linear(new_sample) else new_sample.raw_values
