"""Debounces levels: levels and instants in, changes out. Pure, and used by all sensors.

A change is believed when it has held still for a while (the keyboard makers' "symmetric, deferred, per key"): bounce
ends before it is reported, and a spike of noise never is.

    contact   ___|-|_|-|-----------|_|-|_______
    reported  _____________|--------------|____      each edge, so long after the last bounce
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.rules import DARK, LIGHT, Cell

SensorLevel = int
"""What one sensor says: 0 up or nothing there, 1 down or there; a linear hall sensor says +1 or -1, its pole."""


MIN_PRESS_SECONDS = 0.03
"""A press that holds still for so long is never missed, however rarely the sensors are read at rest."""

MIN_VISIT_SECONDS = 0.12
"""The same for a piece that comes and goes, or goes and comes back: no hand is so quick."""

MIN_CHANGE_HOLDS = 1.5
"""Nor is any change that holds still for so many times its hold, where that is longer."""

REST_SLACK_SECONDS = 0.002
"""What of these times the readings themselves may take, and a thread that wakes late."""


MAX_REST_SECONDS = 0.05
"""Seconds from one reading at rest to the next in any case: nobody is to wait longer for a fault, or for an answer."""


class LevelChange(NamedTuple):
    """The sensor with this number went from one level to another, at the instant at which it was believed."""

    sensor_number: int
    level_before: SensorLevel
    level: SensorLevel
    instant: float


def choose_rest_seconds(scan_rate: float, hold_seconds: Sequence[float], *, pieces: bool) -> float:
    """Seconds from one reading to the next while nothing changes: so many that no change worth the name is missed.

    A change is heard by the first reading that begins after it, and believed by one that begins a hold later: for so
    long it must still be there. What has no hold has been debounced elsewhere, and is fetched at its rate all the time.

    Args:
        scan_rate: readings in a second while something changes, at least: at rest there are never more.
        hold_seconds: for each sensor how long it must hold a new level, in seconds.
        pieces: whether it is pieces that the sensors feel.
    """
    shortest_seconds = MIN_VISIT_SECONDS if pieces else MIN_PRESS_SECONDS
    if not all(hold_seconds):
        return 1 / scan_rate
    changes = ((max(shortest_seconds, MIN_CHANGE_HOLDS * hold), hold) for hold in hold_seconds)
    longest_rest = min(MAX_REST_SECONDS, *(change - hold - REST_SLACK_SECONDS for change, hold in changes))
    return max(1 / scan_rate, longest_rest)


def list_touches(change: LevelChange, cell: Cell, at: float, light: SensorLevel) -> list[Touch]:
    """The touches in a change of level: what was there leaves, what is there now arrives.

    Args:
        change: what was believed, and what is now.
        cell: where the sensor is.
        at: the instant of the touches, in seconds.
        light: the level that a light piece gives, where sensors tell owners; else 0.
    """
    levels = (change.level_before, False), (change.level, True)
    owners = {light: LIGHT, -light: DARK} if light else {}
    return [Touch(cell, down, at, owners.get(level)) for level, down in levels if level]


class DebounceFilter:
    """The debounced level of each sensor, and what it has read lately.

    Args:
        hold_seconds: for each sensor how long it must hold a new level, in seconds.

    Attributes:
        levels: what is believed of each sensor; at first, that nothing is there.
    """

    def __init__(self, hold_seconds: Sequence[float]) -> None:
        self.levels: list[SensorLevel] = [0] * len(hold_seconds)
        self._holds = tuple(hold_seconds)
        # for each sensor its latest level, and from when on for certain
        self._heard: list[tuple[SensorLevel, float]] = []
        self._calm: tuple[SensorLevel, ...] | None = None  # what was read last, if all of it is believed already
        self.forget_readings()

    def forget_readings(self) -> None:
        """Forget recent readings, because some are missing or were wrong. Debounced levels stay."""
        self._heard = [(level, 0.0) for level in self.levels]
        self._calm = None

    def add_readings(
        self, readings: Sequence[SensorLevel], reading_begun: float, reading_ended: float | None = None
    ) -> list[LevelChange]:
        """Add a reading of all sensors, not earlier than the one before; returns the changes that may be accepted.

        Two readings in a row must agree, however far apart they are: a level is never ripe as it is first heard.
        The beliefs change only with `accept_changes`: whoever reads the sensors may first want to look again.

        Args:
            readings: a level for each sensor.
            reading_begun: an instant before the first of them was asked; the instant of the changes.
            reading_ended: an instant after the last of them had answered; the same instant, if reading takes no time. At which
                moment between the two a sensor was looked at, nobody knows. So a level counts from the end of the
                reading that heard it first, and up to the beginning of the latest: however long a computer with
                other work stood still in the midst of either, it has held for that long.
        """
        if tuple(readings) == self._calm:  # as it is most of the time, hundreds of times a second
            return []
        ripe_changes = []
        for sensor_number, level in enumerate(readings):
            latest_level, level_since = self._heard[sensor_number]
            if level != latest_level:
                self._heard[sensor_number] = (level, reading_begun if reading_ended is None else reading_ended)
            elif level != self.levels[sensor_number] and reading_begun >= level_since + self._holds[sensor_number]:
                ripe_changes.append(LevelChange(sensor_number, self.levels[sensor_number], level, reading_begun))
        self._calm = tuple(readings) if [*readings] == self.levels else None
        return sorted(ripe_changes, key=lambda change: self._heard[change.sensor_number][1])  # the first is told first

    @property
    def next_ripe_at(self) -> float:
        """The instant at which a reading must begin, at the earliest, for a change to be ripe; inf if none is due."""
        heard = zip(self._heard, self._holds, self.levels, strict=True)
        return min((since + hold for (level, since), hold, believed in heard if level != believed), default=inf)

    def simultaneous_presses(self, changes: Sequence[LevelChange]) -> set[int]:
        """The sensors that come down at the same instants as these changes, ready to be accepted or not.

        Where sensors have holds of their own, what came down at once is not ripe at once.
        """
        if not changes:
            return set()
        instants = {self._heard[change.sensor_number][1] for change in changes if change.level}
        return {
            sensor_number
            for sensor_number, (level, level_since) in enumerate(self._heard)
            if level_since in instants and level not in (0, self.levels[sensor_number])
        }

    def accept_changes(self, changes: Sequence[LevelChange]) -> None:
        """Accept changes: these are the levels from now on."""
        for change in changes:
            self.levels[change.sensor_number] = change.level
            self._calm = None


class HysteresisFilter:
    """Turns counts of linear hall sensors into poles: far from rest a magnet is there, close to rest it is gone.

    Of the last three counts the middle one is taken: a reading that is off by any amount changes nothing. An average
    would draw it out over several readings, until it had held still for long enough to be believed.

    Args:
        rest_counts: for each sensor its count with nothing near it.
        on_distance: how far from rest a magnet is there.
        off_distance: how near to rest it has gone; less than `on_distance`.
    """

    def __init__(self, rest_counts: Sequence[int], on_distance: int, off_distance: int) -> None:
        self._rest, self._on, self._off = tuple(rest_counts), on_distance, off_distance
        self._before = (self._rest, self._rest)
        self._poles: list[SensorLevel] = [0] * len(self._rest)

    def add_counts(self, counts: Sequence[int]) -> tuple[SensorLevel, ...]:
        """Add a reading of all sensors; returns the pole of each: +1 above rest, -1 below, 0 none."""
        for sensor_number, last_counts in enumerate(zip(*self._before, counts, strict=True)):
            rest_distance = sorted(last_counts)[1] - self._rest[sensor_number]
            if abs(rest_distance) >= self._on:
                self._poles[sensor_number] = 1 if rest_distance > 0 else -1
            elif rest_distance * self._poles[sensor_number] < self._off:
                self._poles[sensor_number] = 0
        self._before = (self._before[1], tuple(counts))
        return tuple(self._poles)
