"""Simulated hall sensors with faults and debouncing.

The field of a magnet falls with distance. Sensors have hysteresis, and each threshold is a distance in cells:

    on        ----------------|    leaving: up to 0.59
                        |-----     approaching: from 0.45
    distance  0        0.45  0.59      1

Time advances in ticks. Ticks without possible changes are skipped, which does not affect the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from math import cbrt, ceil, prod
from random import Random
from typing import NamedTuple

from pond_hw.drivers.debounce import DebounceFilter, LevelChange, SensorLevel
from pond_hw.simulator import sensor_faults
from pond_hw.simulator.sensor_faults import SensorFault

TICKS_PER_SECOND = 200

NEVER_TICK = 1 << 62
"""A tick that is never reached."""

FIELD_WIDTH = 0.587
"""Distance at which the field of a magnet has fallen to 0.35 of its maximum."""

FAR_REACH = 1.3
"""Maximum distance at which the most sensitive sensor detects a magnet."""

ON_STRENGTH, OFF_STRENGTH = 0.5, 0.35
"""Field strengths at which a sensor switches on and off, relative to a magnet directly on the sensor."""

CROSS_TALK_THRESHOLD = 1 / 2.2
"""Threshold of a sensor with cross-talk, as a fraction of the normal threshold."""

BOUNCE_TICKS = (1, 4)
"""Range of bounce durations in ticks."""

CHATTER_SECONDS = (0.02, 0.3)
"""Range of times in seconds between two changes of a chattering sensor."""

DROPOUT_SECONDS = (0.02, 0.19)
"""Range of dropout durations in seconds."""

DROPOUT_EVERY = (3.0, 60.0)
"""Range of times in seconds between two dropouts in a cell."""

DRIFT_TICKS = TICKS_PER_SECOND
"""Number of ticks between two steps of a drifting threshold."""


class NearestMagnet(NamedTuple):
    """Squared distance and level of the magnet nearest to a sensor."""

    squared_distance: float
    level: SensorLevel


NO_MAGNET = NearestMagnet(1e9, 0)


def squared_reach(strength: float) -> float:
    """Return the squared distance at which the field has this strength, negative if it is never reached."""
    return FIELD_WIDTH * FIELD_WIDTH * (1 / cbrt(strength * strength) - 1)


def tick_at(at: float) -> int:
    """Return the last tick at or before a time in seconds."""
    tick = int(at * TICKS_PER_SECOND)
    while tick / TICKS_PER_SECOND > at:
        tick -= 1
    while (tick + 1) / TICKS_PER_SECOND <= at:
        tick += 1
    return tick


class ActiveFault:
    """Fault in progress.

    Attributes:
        fault: description of the fault.
        sensor_numbers: affected sensors.
        random: random number generator of the fault.
        blind_sensors: sensors that currently detect nothing.
        waiting_sensors: sensors with a scheduled dropout.
        threshold_factor: factor for the detection threshold.
    """

    def __init__(self, fault: SensorFault, sensor_numbers: Iterable[int], seed: int) -> None:
        self.fault, self.sensor_numbers = fault, frozenset(sensor_numbers)
        self.random = Random(f"{fault.kind} {fault.cell} {seed}")
        self.blind_sensors: set[int] = set()
        self.waiting_sensors: set[int] = set()
        self.threshold_factor = CROSS_TALK_THRESHOLD if fault.kind == sensor_faults.CROSS_TALK else 1.0

    def random_ticks(self, seconds_range: tuple[float, float]) -> int:
        return max(1, int(self.random.uniform(*seconds_range) * TICKS_PER_SECOND))


class HallSensors:
    """Sensors of a table.

    Args:
        sensor_count: number of sensors.
        hold_seconds: debounce time in seconds.
        find_nearest: function that returns the magnet nearest to a sensor.

    Attributes:
        levels: debounced level of each sensor.
        active_faults: faults in progress.
        has_wide_reach: True if a sensor may detect pieces in the far half of a neighbouring cell.
    """

    def __init__(self, sensor_count: int, hold_seconds: float, find_nearest: Callable[[int], NearestMagnet]) -> None:
        self.active_faults: list[ActiveFault] = []
        self.has_wide_reach = False
        self._nearest = find_nearest
        self._hold = max(1, ceil(hold_seconds * TICKS_PER_SECOND - 1e-6))
        self._debounce = DebounceFilter([self._hold] * sensor_count)  # counts in ticks, which are exact
        self._poles: list[SensorLevel] = [0] * sensor_count  # level from the magnets alone
        self._previous_poles: list[SensorLevel] = [0] * sensor_count  # levels before their latest change
        self._raw: list[SensorLevel] = [0] * sensor_count  # level after faults, before debouncing
        self._on, self._off = [squared_reach(ON_STRENGTH)] * sensor_count, [squared_reach(OFF_STRENGTH)] * sensor_count
        self._bouncing_until = [0] * sensor_count  # end of the bounce, in ticks
        self._pending_checks: set[int] = set()
        self._events: list[tuple[int, int, Callable[[int], None]]] = []
        self._call_count = 0

    @property
    def levels(self) -> list[SensorLevel]:
        return self._debounce.levels

    @property
    def raw_levels(self) -> tuple[SensorLevel, ...]:
        return tuple(self._raw)

    @property
    def is_settled(self) -> bool:
        """True if there are no faults and no pending changes, so that a change may count at once."""
        return not (self.active_faults or self._pending_checks) and self._raw == self.levels

    def next_tick(self, tick: int) -> int:
        """Return the next tick after this one at which a level may change although no magnet moves."""
        if self._pending_checks:
            return tick + 1
        due_tick = self._events[0][0] if self._events else NEVER_TICK
        if self._raw == self.levels:
            return due_tick
        return min(due_tick, max(int(self._debounce.next_due_at), tick + 1))

    def check_at_next_tick(self, sensor_numbers: Iterable[int]) -> None:
        """Check these sensors at the next tick, because a magnet near them has moved."""
        self._pending_checks.update(sensor_numbers)

    def sense_at_once(self, sensor_numbers: Iterable[int], at: float) -> list[LevelChange]:
        """Check these sensors at a time in seconds, without debouncing."""
        for number in sensor_numbers:
            self._update_sensor(number, tick_at(at))
        self._debounce.add_readings(self._raw, at * TICKS_PER_SECOND)
        return self.accept_pending()

    def advance_to(self, tick: int) -> Sequence[LevelChange]:
        """Advance to this tick, and return the debounced changes."""
        while self._events and self._events[0][0] <= tick:
            heappop(self._events)[2](tick)
        has_changed = False
        if self._pending_checks:
            sensor_numbers, self._pending_checks = sorted(self._pending_checks), set()
            for number in sensor_numbers:
                has_changed |= self._update_sensor(number, tick)
        if not has_changed and self._raw == self.levels:
            return ()
        due_changes = self._debounce.add_readings(self._raw, tick)
        self._debounce.accept_changes(due_changes)
        return due_changes

    def restart_debouncing(self, tick: int) -> None:
        """Restart debouncing, as when a board is opened."""
        self._debounce = DebounceFilter([self._hold] * len(self._raw))
        self._debounce.add_readings(self._raw, tick)

    def accept_pending(self) -> list[LevelChange]:
        """Accept all pending changes without debouncing."""
        levels = enumerate(zip(self.levels, self._raw, strict=True))
        changes = [LevelChange(number, before, level, 0.0) for number, (before, level) in levels if level != before]
        self._debounce.accept_changes(changes)
        return changes

    def schedule_call(self, tick: int, tick_call: Callable[[int], None]) -> None:
        self._call_count += 1
        heappush(self._events, (tick, self._call_count, tick_call))

    def begin_fault(self, active_fault: ActiveFault, tick: int) -> None:
        self.active_faults.append(active_fault)
        for number in sorted(active_fault.sensor_numbers):
            if active_fault.fault.kind == sensor_faults.CHATTER:
                self._toggle_chatter(active_fault, number, tick)
            elif active_fault.fault.kind == sensor_faults.DROPOUT:
                self._schedule_dropout(active_fault, number, tick)
        if active_fault.fault.kind == sensor_faults.DRIFT:
            self._advance_drift(active_fault, tick, tick)
        self._update_thresholds(active_fault)

    def end_fault(self, active_fault: ActiveFault) -> None:
        """End a fault. Calls that it has scheduled no longer have any effect."""
        if active_fault in self.active_faults:
            self.active_faults.remove(active_fault)
            self._update_thresholds(active_fault)

    def _update_sensor(self, number: int, tick: int) -> bool:
        level_before, level = self._poles[number], self._sensed_pole(number)
        own_faults = [active_fault for active_fault in self.active_faults if number in active_fault.sensor_numbers]
        if level != level_before:
            self._poles[number], self._previous_poles[number] = level, level_before
            for active_fault in own_faults:
                if active_fault.fault.kind == sensor_faults.BOUNCE:
                    self._bouncing_until[number] = tick + active_fault.random.randint(*BOUNCE_TICKS)
                elif active_fault.fault.kind == sensor_faults.DROPOUT:
                    self._schedule_dropout(active_fault, number, tick)
        for active_fault in own_faults:
            level = self._faulty_level(active_fault, number, level, tick)
        if level == self._raw[number]:
            return False
        self._raw[number] = level
        return True

    def _sensed_pole(self, number: int) -> SensorLevel:
        squared_distance, level = self._nearest(number)
        if squared_distance <= self._on[number]:
            return level
        return level if squared_distance <= self._off[number] and level == self._poles[number] else 0

    def _faulty_level(self, active_fault: ActiveFault, number: int, level: SensorLevel, tick: int) -> SensorLevel:
        fault_kind = active_fault.fault.kind
        if number in active_fault.blind_sensors or fault_kind == sensor_faults.STUCK_OFF:
            return 0
        if fault_kind == sensor_faults.STUCK_ON:
            return 1
        if fault_kind == sensor_faults.BOUNCE and tick < self._bouncing_until[number]:
            self._pending_checks.add(number)
            return active_fault.random.choice((level, self._previous_poles[number]))
        return level

    def _call_later(self, active_fault: ActiveFault, tick: int, tick_call: Callable[[int], None]) -> None:
        """Schedule a call that is skipped if the fault has ended by then."""
        self.schedule_call(tick, lambda then: tick_call(then) if active_fault in self.active_faults else None)

    def _toggle_chatter(self, active_fault: ActiveFault, number: int, tick: int) -> None:
        active_fault.blind_sensors ^= {number}
        self._pending_checks.add(number)
        due_tick = tick + active_fault.random_ticks(CHATTER_SECONDS)
        self._call_later(active_fault, due_tick, lambda then: self._toggle_chatter(active_fault, number, then))

    def _schedule_dropout(self, active_fault: ActiveFault, number: int, tick: int) -> None:
        if self._poles[number] and number not in active_fault.waiting_sensors:
            active_fault.waiting_sensors.add(number)
            due_tick = tick + active_fault.random_ticks(DROPOUT_EVERY)
            self._call_later(active_fault, due_tick, lambda then: self._begin_dropout(active_fault, number, then))

    def _begin_dropout(self, active_fault: ActiveFault, number: int, tick: int) -> None:
        active_fault.blind_sensors.add(number)
        self._pending_checks.add(number)
        due_tick = tick + active_fault.random_ticks(DROPOUT_SECONDS)
        self._call_later(active_fault, due_tick, lambda then: self._end_dropout(active_fault, number, then))

    def _end_dropout(self, active_fault: ActiveFault, number: int, tick: int) -> None:
        active_fault.waiting_sensors.discard(number)
        active_fault.blind_sensors.discard(number)
        self._pending_checks.add(number)
        self._schedule_dropout(active_fault, number, tick)

    def _advance_drift(self, active_fault: ActiveFault, start_tick: int, tick: int) -> None:
        elapsed_share = min(1.0, (tick - start_tick) / TICKS_PER_SECOND / active_fault.fault.drift_seconds)
        active_fault.threshold_factor = 1.0 + active_fault.fault.drift_share * elapsed_share
        self._update_thresholds(active_fault)
        if elapsed_share < 1.0:
            self._call_later(
                active_fault, tick + DRIFT_TICKS, lambda then: self._advance_drift(active_fault, start_tick, then)
            )

    def _update_thresholds(self, active_fault: ActiveFault) -> None:
        """Update the reach of the sensors that have this fault, and check them."""
        self._pending_checks |= active_fault.sensor_numbers
        if active_fault.fault.kind not in (sensor_faults.CROSS_TALK, sensor_faults.DRIFT):
            return
        for number in active_fault.sensor_numbers:
            factor = prod(each.threshold_factor for each in self.active_faults if number in each.sensor_numbers)
            self._on[number] = squared_reach(ON_STRENGTH * factor)
            self._off[number] = squared_reach(OFF_STRENGTH * factor)
        self.has_wide_reach = max(self._off) > squared_reach(OFF_STRENGTH)
