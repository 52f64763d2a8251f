"""What came of one exercise: everything that is measured of the sensors, in numbers, before anybody judges it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median

from pond_hw.rules import Cell
from pond_hw.setup.signal_log import EdgeBurst, SensorPress, SignalLog

EARLIER_SECONDS = 0.02
"""Seconds by which a sensor that answers for another one may be earlier than it."""


@dataclass(frozen=True, slots=True)
class IdlePeriod:
    """What the sensors said while nobody touched them, by input.

    Attributes:
        seconds: for how long.
        inputs_on: those that were down all the time.
        flip_counts: how often each changed.
        rest_counts: of linear sensors the middle count; empty for others.
        count_spreads: of linear sensors how far apart the counts lie, but for the farthest few; empty for others.
    """

    seconds: float
    inputs_on: frozenset[int]
    flip_counts: tuple[int, ...]
    rest_counts: tuple[float, ...] = ()
    count_spreads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PressTrial:
    """What came of asking for a few presses of one cell.

    Attributes:
        cell: which cell was asked for.
        wanted_presses: how many presses.
        presses_by_input: by input the presses that were felt and have ended.
        edge_bursts: the edges of the input that should answer.
        swings_by_input: of linear sensors, by input, how far a magnet moved the count away from where it was before, in counts,
            the pole as its sign; empty for others.
        confirmed: whether a person said that it was pressed and nothing more happened. Otherwise presses that are
            missing tell nothing of the sensor.
    """

    cell: Cell
    wanted_presses: int
    presses_by_input: Mapping[int, tuple[SensorPress, ...]] = field(default_factory=dict)
    edge_bursts: tuple[EdgeBurst, ...] = ()
    swings_by_input: Mapping[int, float] = field(default_factory=dict)
    confirmed: bool = False

    def count_presses(self, number: int) -> int:
        """How many presses an input felt."""
        return len(self.presses_by_input.get(number, ()))

    def count_shared_presses(self, number: int, other: int) -> int:
        """How many presses of an input another one felt too."""
        others = self.presses_by_input.get(other, ())
        return sum(
            any(one.begin - EARLIER_SECONDS <= each.begin <= one.end for each in others)
            for one in self.presses_by_input.get(number, ())
        )

    @property
    def most_bounces(self) -> int:
        """The most flips that were too many at one edge."""
        return max((edge.flip_count - 1 for edge in self.edge_bursts), default=0)

    @property
    def longest_bounce(self) -> float:
        """The longest time until the sensor was stable, in seconds."""
        return max((edge.bounce_seconds for edge in self.edge_bursts), default=0.0)


def measure_idle(heard: SignalLog, seconds: float) -> IdlePeriod | None:
    """What is to be said of sensors that nobody touched; None if nothing was read."""
    if heard.first_sample is None:
        return None
    numbers = range(len(heard.first_sample.levels))
    columns = list(zip(*heard.raw_counts, strict=True))
    return IdlePeriod(
        seconds,
        frozenset(numbers) - heard.inputs_up,
        tuple(len(heard.flips_by_input.get(number, ())) for number in numbers),
        tuple(median(column) for column in columns),
        tuple(trimmed_spread(column) for column in columns),
    )


def trimmed_spread(counts: Sequence[int]) -> int:
    """How far apart counts lie, without the two in a hundred that are the greatest, and the least: one may be wrong."""
    ordered, few = sorted(counts), ceil(len(counts) / 50)
    return max(0, ordered[-1 - few] - ordered[few]) if len(counts) > 2 * few else 0


def measure_trial(
    cell: Cell, wanted: int, heard: SignalLog, number: int, rest: Sequence[float] = (), *, confirmed: bool = False
) -> PressTrial:
    """What came of asking for presses of a cell.

    Args:
        cell: which one.
        wanted: how many.
        heard: what was read meanwhile.
        number: the input that should be its sensor.
        rest: of linear sensors what they read when nothing is near them, by input.
        confirmed: as in `PressTrial`.
    """
    felt = {other: presses for other in heard.flips_by_input if (presses := heard.list_presses(other))}
    columns = zip(rest, zip(*heard.raw_counts, strict=True), strict=False)
    swings = {other: measure_swing(column, start) for other, (start, column) in enumerate(columns)}
    return PressTrial(cell, wanted, felt, tuple(heard.list_edges(number)), swings, confirmed)


def measure_swing(counts: Sequence[int], rest: float) -> float:
    """How far a linear sensor went from its rest, in counts: the middle one of the five farthest."""
    return median(sorted((count - rest for count in counts), key=abs)[-5:])
