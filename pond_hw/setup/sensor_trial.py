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

    def count_presses(self, input_number: int) -> int:
        """How many presses an input felt."""
        return len(self.presses_by_input.get(input_number, ()))

    def count_shared_presses(self, input_number: int, other_input: int) -> int:
        """How many presses of an input another one felt too."""
        other_presses = self.presses_by_input.get(other_input, ())
        return sum(
            any(one.begin - EARLIER_SECONDS <= other_press.begin <= one.end for other_press in other_presses)
            for one in self.presses_by_input.get(input_number, ())
        )

    @property
    def most_bounces(self) -> int:
        """The most flips that were too many at one edge."""
        return max((edge_burst.flip_count - 1 for edge_burst in self.edge_bursts), default=0)

    @property
    def longest_bounce(self) -> float:
        """The longest time until the sensor was stable, in seconds."""
        return max((edge_burst.bounce_seconds for edge_burst in self.edge_bursts), default=0.0)


def measure_idle(signal_log: SignalLog, idle_seconds: float) -> IdlePeriod | None:
    """What is to be said of sensors that nobody touched; None if nothing was read."""
    if signal_log.first_sample is None:
        return None
    input_numbers = range(len(signal_log.first_sample.levels))
    count_columns = list(zip(*signal_log.raw_counts, strict=True))
    return IdlePeriod(
        idle_seconds,
        frozenset(input_numbers) - signal_log.inputs_up,
        tuple(len(signal_log.flips_by_input.get(input_number, ())) for input_number in input_numbers),
        tuple(median(count_column) for count_column in count_columns),
        tuple(trimmed_spread(count_column) for count_column in count_columns),
    )


def trimmed_spread(count_row: Sequence[int]) -> int:
    """How far apart counts lie, without the two in a hundred that are the greatest, and the least: one may be wrong."""
    ordered_counts, few = sorted(count_row), ceil(len(count_row) / 50)
    return max(0, ordered_counts[-1 - few] - ordered_counts[few]) if len(count_row) > 2 * few else 0


def measure_trial(
    cell: Cell, wanted: int, heard: SignalLog, number: int, rest: Sequence[float] = (), *, is_confirmed: bool = False
) -> PressTrial:
    """What came of asking for presses of a cell.

    Args:
        cell: which one.
        wanted: how many.
        heard: what was read meanwhile.
        number: the input that should be its sensor.
        rest: of linear sensors what they read when nothing is near them, by input.
        is_confirmed: as in `PressTrial`.
    """
    felt = {other: input_presses for other in heard.flips_by_input if (input_presses := heard.list_presses(other))}
    columns = zip(rest, zip(*heard.raw_counts, strict=True), strict=False)
    input_swings = {other: measure_swing(column, rest_count) for other, (rest_count, column) in enumerate(columns)}
    return PressTrial(cell, wanted, felt, tuple(heard.list_edges(number)), input_swings, is_confirmed)


def measure_swing(count_row: Sequence[int], rest_count: float) -> float:
    """How far a linear sensor went from its rest, in counts: the middle one of the five farthest."""
    return median(sorted((one_count - rest_count for one_count in count_row), key=abs)[-5:])
