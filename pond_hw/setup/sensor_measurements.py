"""Measurements of untouched sensors and of requested presses, for `sensor_diagnosis`.

readings  ____|-|_|----------------|_|-|______
bursts        <--->                <-->            flips in quick succession count as one edge
press     ____|------------------------|______     from the first flip of one edge to the last flip of the next
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

from pond_hw.board import Sample

EARLIER_SECONDS = 0.02  # a coupled sensor may respond this much earlier than the pressed one

BURST_GAP_SECONDS = 0.03
"""Maximum number of seconds between two flips of the same edge. Fingers are slower."""


class EdgeBurst(NamedTuple):
    """One edge of a sensor signal, including its bounces.

    Attributes:
        first_flip: time of the first flip, in seconds.
        last_flip: time of the last flip.
        flip_count: number of flips.
        is_down: True if the sensor was down afterwards.
    """

    first_flip: float
    last_flip: float
    flip_count: int
    is_down: bool

    @property
    def bounce_seconds(self) -> float:
        """Seconds from the first flip to the last."""
        return self.last_flip - self.first_flip


class SensorPress(NamedTuple):
    """Start and end of a press, in seconds."""

    begin: float
    end: float


class LevelFlip(NamedTuple):
    """Change of a sensor's level: its time in seconds, and True if the sensor is down afterwards."""

    at_seconds: float
    is_down: bool


@dataclass(frozen=True, slots=True)
class SignalLog:
    """Log of samples. It stores only the level changes, and the counts of linear sensors.

    Attributes:
        first_sample: first sample, or None.
        last_sample: latest sample, or None.
        flips_by_input: level changes of each input that changed.
        raw_counts: counts of linear sensors in every sample; empty for other sensors.
        inputs_up: inputs that were up in at least one sample.
    """

    first_sample: Sample | None = None
    last_sample: Sample | None = None
    flips_by_input: Mapping[int, tuple[LevelFlip, ...]] = field(default_factory=dict)
    raw_counts: tuple[tuple[int, ...], ...] = ()
    inputs_up: frozenset[int] = frozenset()

    def with_sample(self, reading: Sample) -> SignalLog:
        """Return a copy of the log with another sample."""
        now, raw_counts = reading.sensed_levels, self.raw_counts
        if reading.raw_values and reading.is_linear:
            raw_counts = (*raw_counts, reading.raw_values)
        levels_before = self.last_sample.sensed_levels if self.last_sample else now
        inputs_up, flips = self.inputs_up, self.flips_by_input
        if levels_before != now or not self.last_sample:
            inputs_up |= {number for number, level in enumerate(now) if not level}
            level_pairs = enumerate(zip(levels_before, now, strict=True))
            changed = [number for number, (level_before, level) in level_pairs if (level_before == 0) != (level == 0)]
            new = {number: (*flips.get(number, ()), LevelFlip(reading.instant, now[number] != 0)) for number in changed}
            flips = {**flips, **new}
        return SignalLog(self.first_sample or reading, reading, flips, raw_counts, inputs_up)

    def list_edges(self, input_number: int) -> list[EdgeBurst]:
        """Return the edges of an input in order, without spikes."""
        found: list[EdgeBurst] = []
        for at, is_down in self.flips_by_input.get(input_number, ()):
            if found and at - found[-1].last_flip <= BURST_GAP_SECONDS:
                found[-1] = found[-1]._replace(last_flip=at, flip_count=found[-1].flip_count + 1, is_down=is_down)
            else:
                found.append(EdgeBurst(at, at, 1, is_down))
        return [edge_burst for edge_burst in found if edge_burst.flip_count % 2]

    def list_presses(self, input_number: int) -> tuple[SensorPress, ...]:
        """Return the completed presses of an input."""
        found_presses, down_since = [], None
        for edge_burst in self.list_edges(input_number):
            if edge_burst.is_down:
                down_since = edge_burst.first_flip
            elif down_since is not None:
                found_presses.append(SensorPress(down_since, edge_burst.last_flip))
                down_since = None
        return tuple(found_presses)


@dataclass(frozen=True, slots=True)
class IdlePeriod:
    """Measurements of untouched sensors, by input.

    Attributes:
        seconds: duration of the measurement.
        inputs_on: inputs that were down all the time.
        flip_counts: number of level changes of each input.
        rest_counts: median counts of linear sensors; empty for other sensors.
        count_spreads: ranges of the counts of linear sensors, without outliers; empty for other sensors.
    """

    seconds: float
    inputs_on: frozenset[int]
    flip_counts: tuple[int, ...]
    rest_counts: tuple[float, ...] = ()
    count_spreads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PressTrial:
    """Measurements taken while the user was asked to press one cell.

    Attributes:
        wanted_presses: number of presses asked for.
        presses_by_input: completed presses of each input.
        edge_bursts: edges of the expected input.
        swings_by_input: signed swing of each linear sensor, in counts; empty for other sensors.
        confirmed: True if the user confirmed that the cell was pressed but nothing happened. Otherwise, missing presses
            do not prove a fault.
    """

    wanted_presses: int
    presses_by_input: Mapping[int, tuple[SensorPress, ...]] = field(default_factory=dict)
    edge_bursts: tuple[EdgeBurst, ...] = ()
    swings_by_input: Mapping[int, float] = field(default_factory=dict)
    confirmed: bool = False

    def count_presses(self, input_number: int) -> int:
        return len(self.presses_by_input.get(input_number, ()))

    def count_shared_presses(self, input_number: int, other_input: int) -> int:
        """Return the number of presses of an input that coincide with a press of another input."""
        other_presses = self.presses_by_input.get(other_input, ())
        return sum(
            any(press.begin - EARLIER_SECONDS <= other_press.begin <= press.end for other_press in other_presses)
            for press in self.presses_by_input.get(input_number, ())
        )

    @property
    def max_bounces(self) -> int:
        """Maximum number of extra flips of an edge."""
        return max((edge_burst.flip_count - 1 for edge_burst in self.edge_bursts), default=0)

    @property
    def longest_bounce(self) -> float:
        """Duration of the longest bounce, in seconds."""
        return max((edge_burst.bounce_seconds for edge_burst in self.edge_bursts), default=0.0)


def measure_idle(log: SignalLog, idle_seconds: float) -> IdlePeriod | None:
    """Return measurements of untouched sensors; None if there are no samples."""
    if log.first_sample is None:
        return None
    from statistics import median  # slow to import, and not needed when the service starts

    input_numbers = range(len(log.first_sample.levels))
    count_columns = list(zip(*log.raw_counts, strict=True))
    return IdlePeriod(
        idle_seconds,
        frozenset(input_numbers) - log.inputs_up,
        tuple(len(log.flips_by_input.get(input_number, ())) for input_number in input_numbers),
        tuple(median(count_column) for count_column in count_columns),
        tuple(trimmed_spread(count_column) for count_column in count_columns),
    )


def trimmed_spread(count_row: Sequence[int]) -> int:
    """Return the range of the counts without the highest and lowest 2 %, because a few counts may be wrong."""
    ordered_counts, trim_count = sorted(count_row), ceil(len(count_row) / 50)
    return (
        max(0, ordered_counts[-1 - trim_count] - ordered_counts[trim_count]) if len(count_row) > 2 * trim_count else 0
    )


def measure_trial(
    wanted: int, log: SignalLog, number: int, rest: Sequence[float] = (), *, is_confirmed: bool = False
) -> PressTrial:
    """Return measurements of the presses of one cell.

    Args:
        wanted: number of presses asked for.
        log: samples taken during the trial.
        number: expected input.
        rest: rest counts of linear sensors, by input.
        is_confirmed: True if the user confirmed the presses, as in `PressTrial`.
    """
    presses = {other: input_presses for other in log.flips_by_input if (input_presses := log.list_presses(other))}
    columns = zip(rest, zip(*log.raw_counts, strict=True), strict=False)
    input_swings = {other: measure_swing(column, rest_count) for other, (rest_count, column) in enumerate(columns)}
    return PressTrial(wanted, presses, tuple(log.list_edges(number)), input_swings, is_confirmed)


def measure_swing(count_row: Sequence[int], rest_count: float) -> float:
    """Return the swing of a linear sensor in counts: the median of the five largest deviations from rest."""
    from statistics import median

    return median(sorted((one_count - rest_count for one_count in count_row), key=abs)[-5:])
