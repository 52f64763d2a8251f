"""Debouncing: turns timestamped levels into changes. Pure functions and filters that all sensors share.

A change counts after the level has been stable for the hold time ("symmetric, deferred, per key" in keyboard
firmware). Bounce ends before a change is reported, and a spike is never reported.

    contact   ___|-|_|-|-----------|_|-|_______
    reported  _____________|--------------|____      each edge one hold time after the last bounce
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.rules import DARK, LIGHT, Cell

SensorLevel = int
"""Level of a sensor: 0 released or empty, 1 pressed or occupied. A linear hall sensor reports the magnet's pole, +1 or -1."""


MIN_PRESS_SECONDS = 0.03
"""Duration of the shortest press that is never missed, even at the slow reading rate used at rest."""

MIN_VISIT_SECONDS = 0.12
"""Duration of the shortest visit or absence of a piece that is never missed. No one moves a piece faster than this."""

MIN_CHANGE_HOLDS = 1.5
"""Duration of the shortest change that is never missed, in hold times, if that is longer than the limits above."""

REST_SLACK_SECONDS = 0.002
"""Allowance for the reading itself and for a thread that wakes late."""


MAX_REST_SECONDS = 0.05
"""Longest time between two readings at rest. If it were longer, faults and responses would be noticed late."""


class LevelChange(NamedTuple):
    """A debounced change of one sensor, with the instant at which it was accepted."""

    sensor_number: int
    level_before: SensorLevel
    level: SensorLevel
    instant: float


def choose_rest_seconds(scan_rate: float, hold_seconds: Sequence[float], *, pieces: bool) -> float:
    """Return the longest time between readings at rest with which no change is missed.

    The first reading after a change notices it, and a reading at least one hold time later confirms it, so the
    change must last until then. Sensors without a hold time are debounced elsewhere and read at the full rate,
    `scan_rate`, in Hz.
    """
    shortest_seconds = MIN_VISIT_SECONDS if pieces else MIN_PRESS_SECONDS
    if not all(hold_seconds):
        return 1 / scan_rate
    changes = ((max(shortest_seconds, MIN_CHANGE_HOLDS * hold), hold) for hold in hold_seconds)
    longest_rest = min(MAX_REST_SECONDS, *(change - hold - REST_SLACK_SECONDS for change, hold in changes))
    return max(1 / scan_rate, longest_rest)


def list_touches(change: LevelChange, cell: Cell, at: float, light: SensorLevel) -> list[Touch]:
    """Convert a level change to touches: a release of the old level, then a press of the new one.

    `light` is the level of a light piece if the sensors detect owners, otherwise 0.
    """
    levels = (change.level_before, False), (change.level, True)
    owners = {light: LIGHT, -light: DARK} if light else {}
    return [Touch(cell, down, at, owners.get(level)) for level, down in levels if level]


class DebounceFilter:
    """Debounced levels of the sensors, all 0 at first. Each sensor has its own hold time."""

    def __init__(self, hold_seconds: Sequence[float]) -> None:
        self.levels: list[SensorLevel] = [0] * len(hold_seconds)
        self._holds = tuple(hold_seconds)
        # latest level of each sensor, and the time since which it is certain
        self._latest_levels: list[tuple[SensorLevel, float]] = []
        # The last readings, if they equal the debounced levels.
        self._settled_readings: tuple[SensorLevel, ...] | None = None
        self.forget_readings()

    def forget_readings(self) -> None:
        """Forget recent readings because some were missing or wrong. Debounced levels stay."""
        self._latest_levels = [(level, 0.0) for level in self.levels]
        self._settled_readings = None

    def add_readings(
        self, readings: Sequence[SensorLevel], reading_begun: float, reading_ended: float | None = None
    ) -> list[LevelChange]:
        """Add a reading of all sensors, in chronological order. Return the changes that are ready to be accepted.

        Two consecutive readings must agree, however far apart they are. The debounced levels change only with
        `accept_changes`, so that the caller can check the sensors first.

        The exact moment at which a sensor was sampled is unknown. A level therefore counts from the end of the reading
        that saw it first to the beginning of the latest one. It has been stable for that time even if the computer was
        busy during either reading. Changes are dated `reading_begun`.
        """
        if tuple(readings) == self._settled_readings:  # true for most of hundreds of readings a second
            return []
        due_changes = []
        for sensor_number, level in enumerate(readings):
            latest_level, level_since = self._latest_levels[sensor_number]
            if level != latest_level:
                self._latest_levels[sensor_number] = (level, reading_begun if reading_ended is None else reading_ended)
            elif level != self.levels[sensor_number] and reading_begun >= level_since + self._holds[sensor_number]:
                due_changes.append(LevelChange(sensor_number, self.levels[sensor_number], level, reading_begun))
        self._settled_readings = tuple(readings) if [*readings] == self.levels else None
        due_changes.sort(key=lambda change: self._latest_levels[change.sensor_number][1])
        return due_changes

    @property
    def next_due_at(self) -> float:
        """Earliest time at which a reading can complete a change; inf if no change is pending."""
        latest = zip(self._latest_levels, self._holds, self.levels, strict=True)
        return min((since + hold for (level, since), hold, accepted in latest if level != accepted), default=inf)

    def simultaneous_presses(self, changes: Sequence[LevelChange]) -> set[int]:
        """Return the sensors pressed at the same time as these changes, whether or not their own hold times are over."""
        if not changes:
            return set()
        instants = {self._latest_levels[change.sensor_number][1] for change in changes if change.level}
        return {
            sensor_number
            for sensor_number, (level, level_since) in enumerate(self._latest_levels)
            if level_since in instants and level not in (0, self.levels[sensor_number])
        }

    def accept_changes(self, changes: Sequence[LevelChange]) -> None:
        for change in changes:
            self.levels[change.sensor_number] = change.level
            self._settled_readings = None


class HysteresisFilter:
    """Converts linear hall sensor counts to poles, with hysteresis between `on_distance` and `off_distance` from rest.

    It takes the median of the last three counts, so that a single wrong reading changes nothing. An average would
    spread the error over several readings until it had been stable for the hold time.
    """

    def __init__(self, rest_counts: Sequence[int], on_distance: int, off_distance: int) -> None:
        self._rest, self._on, self._off = tuple(rest_counts), on_distance, off_distance
        self._before = (self._rest, self._rest)
        self._poles: list[SensorLevel] = [0] * len(self._rest)

    def add_counts(self, counts: Sequence[int]) -> tuple[SensorLevel, ...]:
        """Add a reading of all sensors; return the pole of each: +1 above rest, -1 below, 0 none."""
        for sensor_number, last_counts in enumerate(zip(*self._before, counts, strict=True)):
            rest_distance = sorted(last_counts)[1] - self._rest[sensor_number]
            if abs(rest_distance) >= self._on:
                self._poles[sensor_number] = 1 if rest_distance > 0 else -1
            elif rest_distance * self._poles[sensor_number] < self._off:
                self._poles[sensor_number] = 0
        self._before = (self._before[1], tuple(counts))
        return tuple(self._poles)
