"""Simulated hall sensors: what magnets near them do, which faults they have, and which levels count.

The field of a magnet falls off with its distance. A sensor feels it from one strength up and until it is below
another one, so a threshold is a distance; distances are in cells, from the middle of one to that of the next.

    felt      ----------------|    on the way out, to 0.59
                        |-----     on the way in, from 0.45
    distance  0        0.45  0.59      1

Time goes by in ticks. Ticks at which nothing can change are left out; the rest does not depend on it.
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
"""Ticks in a second."""

NEVER_TICK = 1 << 62
"""A tick that never comes."""

FIELD_WIDTH = 0.587
"""The distance in which the field of a magnet falls to 0.35 of what it is above the sensor."""

FAR_REACH = 1.3
"""The distance beyond which nobody asks for a magnet, however keen the sensor."""

ON_STRENGTH, OFF_STRENGTH = 0.5, 0.35
"""The strength from which a magnet is felt, and that to which it still is: 1 is a magnet that stands on the sensor."""

CROSS_TALK_THRESHOLD = 1 / 2.2
"""The threshold of a sensor with cross-talk, as a share of what it should be."""

BOUNCE_TICKS = (1, 4)
"""How long a burst lasts."""

CHATTER_SECONDS = (0.02, 0.3)
"""How long what a chattering sensor feels is there, or is gone."""

DROPOUT_SECONDS = (0.02, 0.19)
"""How long a piece vanishes."""

DROPOUT_EVERY = (3.0, 60.0)
"""Seconds from one such time to the next, in one cell."""

DRIFT_TICKS = TICKS_PER_SECOND
"""Ticks from one threshold to the next."""


class NearestMagnet(NamedTuple):
    """The magnet that is nearest to a sensor: the square of its distance, and the level that its pole gives."""

    squared_distance: float
    level: SensorLevel


NO_MAGNET = NearestMagnet(1e9, 0)


def squared_reach(strength: float) -> float:
    """The square of the distance at which a magnet's field has this strength; below 0 if it has it nowhere."""
    return FIELD_WIDTH * FIELD_WIDTH * (1 / cbrt(strength * strength) - 1)


def tick_at(at: float) -> int:
    """The last tick that is not after an instant in seconds."""
    tick = int(at * TICKS_PER_SECOND)
    while tick / TICKS_PER_SECOND > at:
        tick -= 1
    while (tick + 1) / TICKS_PER_SECOND <= at:
        tick += 1
    return tick


class ActiveFault:
    """A fault that is active now.

    Attributes:
        fault: what is wrong.
        sensor_numbers: the numbers of the sensors that have it.
        random: its dice.
        blind_sensors: the sensors that it makes blind just now.
        waiting_sensors: the sensors for which a dropout has been arranged.
        threshold_factor: what it makes of the strength from which a magnet is felt, as a share of it.
    """

    def __init__(self, fault: SensorFault, sensor_numbers: Iterable[int], seed: int) -> None:
        self.fault, self.sensor_numbers = fault, frozenset(sensor_numbers)
        self.random = Random(f"{fault.kind} {fault.cell} {seed}")
        self.blind_sensors: set[int] = set()
        self.waiting_sensors: set[int] = set()
        self.threshold_factor = CROSS_TALK_THRESHOLD if fault.kind == sensor_faults.CROSS_TALK else 1.0

    def random_ticks(self, seconds_range: tuple[float, float]) -> int:
        """Some time in this range, in ticks."""
        return max(1, int(self.random.uniform(*seconds_range) * TICKS_PER_SECOND))


class HallSensors:
    """The sensors of a table.

    Args:
        sensor_count: how many there are.
        hold_seconds: how long a level must hold still before it is believed, in seconds.
        find_nearest: says for the number of a sensor which magnet is nearest.

    Attributes:
        levels: what is believed of each sensor.
        active_faults: the faults that are at work.
        has_wide_reach: whether a sensor may feel beyond the nearer half of the cells beside it.
    """

    def __init__(self, sensor_count: int, hold_seconds: float, find_nearest: Callable[[int], NearestMagnet]) -> None:
        self.active_faults: list[ActiveFault] = []
        self.has_wide_reach = False
        self._nearest = find_nearest
        self._hold = max(1, ceil(hold_seconds * TICKS_PER_SECOND - 1e-6))
        self._debounce = DebounceFilter([self._hold] * sensor_count)  # it is told ticks, which are exact
        self._poles: list[SensorLevel] = [0] * sensor_count  # what the magnets come to
        self._were: list[SensorLevel] = [0] * sensor_count  # what they came to before
        self._raw: list[SensorLevel] = [0] * sensor_count  # what the sensors say
        self._on, self._off = [squared_reach(ON_STRENGTH)] * sensor_count, [squared_reach(OFF_STRENGTH)] * sensor_count
        self._shaky = [0] * sensor_count  # up to which tick it bounces
        self._look: set[int] = set()
        self._events: list[tuple[int, int, Callable[[int], None]]] = []
        self._arranged = 0

    @property
    def levels(self) -> list[SensorLevel]:
        """The debounced level of each sensor."""
        return self._debounce.levels

    @property
    def raw_levels(self) -> tuple[SensorLevel, ...]:
        """The level of each sensor before debouncing."""
        return tuple(self._raw)

    @property
    def is_settled(self) -> bool:
        """Whether there is no fault and no pending change, so that a change may count at once."""
        return not (self.active_faults or self._look) and self._raw == self.levels

    def next_tick(self, tick: int) -> int:
        """The next tick after this one at which something may change if no magnet moves."""
        if self._look:
            return tick + 1
        due_tick = self._events[0][0] if self._events else NEVER_TICK
        if self._raw == self.levels:
            return due_tick
        return min(due_tick, max(int(self._debounce.next_ripe_at), tick + 1))

    def check_at_next_tick(self, sensor_numbers: Iterable[int]) -> None:
        """Check these sensors at the next tick, because a magnet near them has moved."""
        self._look.update(sensor_numbers)

    def sense_at_once(self, sensor_numbers: Iterable[int], at: float) -> list[LevelChange]:
        """Check these sensors at an instant in seconds, without debouncing."""
        for number in sensor_numbers:
            self._update_sensor(number, tick_at(at))
        self._debounce.add_readings(self._raw, at * TICKS_PER_SECOND)
        return self.accept_pending()

    def advance_to(self, tick: int) -> Sequence[LevelChange]:
        """Go to this tick; returns the changes that count from now on."""
        while self._events and self._events[0][0] <= tick:
            heappop(self._events)[2](tick)
        has_changed = False
        if self._look:
            sensor_numbers, self._look = sorted(self._look), set()
            for number in sensor_numbers:
                has_changed |= self._update_sensor(number, tick)
        if not has_changed and self._raw == self.levels:
            return ()
        ripe_changes = self._debounce.add_readings(self._raw, tick)
        self._debounce.accept_changes(ripe_changes)
        return ripe_changes

    def forget_beliefs(self, tick: int) -> None:
        """Start debouncing again, as when a board is opened."""
        self._debounce = DebounceFilter([self._hold] * len(self._raw))
        self._debounce.add_readings(self._raw, tick)

    def accept_pending(self) -> list[LevelChange]:
        """Accept all pending changes without debouncing."""
        levels = enumerate(zip(self.levels, self._raw, strict=True))
        changes = [LevelChange(number, before, level, 0.0) for number, (before, level) in levels if level != before]
        self._debounce.accept_changes(changes)
        return changes

    def schedule_call(self, tick: int, tick_call: Callable[[int], None]) -> None:
        """Schedule a call for a tick, before the sensors are checked."""
        self._arranged += 1
        heappush(self._events, (tick, self._arranged, tick_call))

    def begin_fault(self, broken: ActiveFault, tick: int) -> None:
        """Begin a fault."""
        self.active_faults.append(broken)
        for number in sorted(broken.sensor_numbers):
            if broken.fault.kind == sensor_faults.CHATTER:
                self._toggle_chatter(broken, number, tick)
            elif broken.fault.kind == sensor_faults.DROPOUT:
                self._schedule_dropout(broken, number, tick)
        if broken.fault.kind == sensor_faults.DRIFT:
            self._advance_drift(broken, tick, tick)
        self._update_thresholds(broken)

    def end_fault(self, broken: ActiveFault) -> None:
        """End a fault. What was scheduled for it does nothing any more."""
        if broken in self.active_faults:
            self.active_faults.remove(broken)
            self._update_thresholds(broken)

    def _update_sensor(self, number: int, tick: int) -> bool:
        """Check one sensor; returns whether its level changed."""
        level_before, level = self._poles[number], self._sensed_pole(number)
        own_faults = [broken for broken in self.active_faults if number in broken.sensor_numbers]
        if level != level_before:
            self._poles[number], self._were[number] = level, level_before
            for broken in own_faults:
                if broken.fault.kind == sensor_faults.BOUNCE:
                    self._shaky[number] = tick + broken.random.randint(*BOUNCE_TICKS)
                elif broken.fault.kind == sensor_faults.DROPOUT:
                    self._schedule_dropout(broken, number, tick)
        for broken in own_faults:
            level = self._faulty_level(broken, number, level, tick)
        if level == self._raw[number]:
            return False
        self._raw[number] = level
        return True

    def _sensed_pole(self, number: int) -> SensorLevel:
        squared_distance, level = self._nearest(number)
        if squared_distance <= self._on[number]:
            return level
        return level if squared_distance <= self._off[number] and level == self._poles[number] else 0

    def _faulty_level(self, broken: ActiveFault, number: int, level: SensorLevel, tick: int) -> SensorLevel:
        """The level that a sensor with this fault gives instead."""
        fault_kind = broken.fault.kind
        if number in broken.blind_sensors or fault_kind == sensor_faults.STUCK_OFF:
            return 0
        if fault_kind == sensor_faults.STUCK_ON:
            return 1
        if fault_kind == sensor_faults.BOUNCE and tick < self._shaky[number]:
            self._look.add(number)
            return broken.random.choice((level, self._were[number]))
        return level

    def _call_later(self, broken: ActiveFault, tick: int, tick_call: Callable[[int], None]) -> None:
        """Schedule a call for a fault, unless the fault has ended by then."""
        self.schedule_call(tick, lambda then: tick_call(then) if broken in self.active_faults else None)

    def _toggle_chatter(self, broken: ActiveFault, number: int, tick: int) -> None:
        broken.blind_sensors ^= {number}
        self._look.add(number)
        due_tick = tick + broken.random_ticks(CHATTER_SECONDS)
        self._call_later(broken, due_tick, lambda then: self._toggle_chatter(broken, number, then))

    def _schedule_dropout(self, broken: ActiveFault, number: int, tick: int) -> None:
        if self._poles[number] and number not in broken.waiting_sensors:
            broken.waiting_sensors.add(number)
            due_tick = tick + broken.random_ticks(DROPOUT_EVERY)
            self._call_later(broken, due_tick, lambda then: self._begin_dropout(broken, number, then))

    def _begin_dropout(self, broken: ActiveFault, number: int, tick: int) -> None:
        broken.blind_sensors.add(number)
        self._look.add(number)
        due_tick = tick + broken.random_ticks(DROPOUT_SECONDS)
        self._call_later(broken, due_tick, lambda then: self._end_dropout(broken, number, then))

    def _end_dropout(self, broken: ActiveFault, number: int, tick: int) -> None:
        broken.waiting_sensors.discard(number)
        broken.blind_sensors.discard(number)
        self._look.add(number)
        self._schedule_dropout(broken, number, tick)

    def _advance_drift(self, broken: ActiveFault, begun_tick: int, tick: int) -> None:
        done_share = min(1.0, (tick - begun_tick) / TICKS_PER_SECOND / broken.fault.drift_seconds)
        broken.threshold_factor = 1.0 + broken.fault.drift_share * done_share
        self._update_thresholds(broken)
        if done_share < 1.0:
            self._call_later(broken, tick + DRIFT_TICKS, lambda then: self._advance_drift(broken, begun_tick, then))

    def _update_thresholds(self, broken: ActiveFault) -> None:
        """Update how far the sensors with this fault reach, and check them."""
        self._look |= broken.sensor_numbers
        if broken.fault.kind not in (sensor_faults.CROSS_TALK, sensor_faults.DRIFT):
            return
        for number in broken.sensor_numbers:
            factor = prod(each.threshold_factor for each in self.active_faults if number in each.sensor_numbers)
            self._on[number] = squared_reach(ON_STRENGTH * factor)
            self._off[number] = squared_reach(OFF_STRENGTH * factor)
        self.has_wide_reach = max(self._off) > squared_reach(OFF_STRENGTH)
