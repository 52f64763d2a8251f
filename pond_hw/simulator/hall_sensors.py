"""Pretended hall sensors: what magnets near them do, what is wrong with them, and what is believed of them.

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

from pond_hw.drivers.debounce import Change, Debounce, Level
from pond_hw.simulator.sensor_faults import BOUNCE, CHATTER, CROSS_TALK, DRIFT, DROPOUT, STUCK_OFF, STUCK_ON, Fault

RATE = 200
"""Ticks in a second."""

NEVER = 1 << 62
"""A tick that never comes."""

WIDTH = 0.587
"""The distance in which the field of a magnet falls to 0.35 of what it is above the sensor."""

FAR = 1.3
"""The distance beyond which nobody asks for a magnet, however keen the sensor."""

ON, OFF = 0.5, 0.35
"""The strength from which a magnet is felt, and that to which it still is: 1 is a magnet that stands on the sensor."""

KEEN = 1 / 2.2
"""The threshold of a sensor with cross-talk, as a share of what it should be."""

BOUNCE_TICKS = (1, 4)
"""How long a burst lasts."""

CHATTER_SECONDS = (0.02, 0.3)
"""How long what a chattering sensor feels is there, or is gone."""

DROPOUT_SECONDS = (0.02, 0.19)
"""How long a piece vanishes."""

DROPOUT_EVERY = (3.0, 60.0)
"""Seconds from one such time to the next, in one cell."""

DRIFT_EVERY = RATE
"""Ticks from one threshold to the next."""


class Near(NamedTuple):
    """The magnet that is nearest to a sensor: the square of its distance, and the level that its pole gives."""

    square: float
    level: Level


NOTHING = Near(1e9, 0)


def reach(strength: float) -> float:
    """The square of the distance at which a magnet is felt so strongly; below 0 if it is so nowhere."""
    return WIDTH * WIDTH * (1 / cbrt(strength * strength) - 1)


def tick_at(at: float) -> int:
    """The last tick that is not after an instant in seconds."""
    tick = int(at * RATE)
    while tick / RATE > at:
        tick -= 1
    while (tick + 1) / RATE <= at:
        tick += 1
    return tick


class Broken:
    """A fault that is at work.

    Attributes:
        fault: what is wrong.
        cells: the numbers of the sensors that have it.
        random: its dice.
        blind: the sensors that it makes blind just now.
        waiting: the sensors for which a dropout has been arranged.
        threshold: what it makes of the strength from which a magnet is felt, as a share of it.
    """

    def __init__(self, fault: Fault, cells: Iterable[int], seed: int) -> None:
        self.fault, self.cells = fault, frozenset(cells)
        self.random = Random(f"{fault.kind} {fault.cell} {seed}")
        self.blind: set[int] = set()
        self.waiting: set[int] = set()
        self.threshold = KEEN if fault.kind == CROSS_TALK else 1.0


class Halls:
    """The sensors of a table.

    Args:
        count: how many there are.
        hold: how long a level must hold still before it is believed, in seconds.
        nearest: says for the number of a sensor which magnet is nearest.

    Attributes:
        levels: what is believed of each sensor.
        at_work: the faults that are at work.
        wide: whether a sensor may feel beyond the nearer half of the cells beside it.
    """

    def __init__(self, count: int, hold: float, nearest: Callable[[int], Near]) -> None:
        self.at_work: list[Broken] = []
        self.wide = False
        self._nearest = nearest
        self._hold = max(1, ceil(hold * RATE - 1e-6))
        self._debounce = Debounce([self._hold] * count)  # it is told ticks, which are exact
        self._poles: list[Level] = [0] * count  # what the magnets come to
        self._were: list[Level] = [0] * count  # what they came to before
        self._raw: list[Level] = [0] * count  # what the sensors say
        self._heard = [0] * count  # at which tick a sensor last said something else
        self._on, self._off = [reach(ON)] * count, [reach(OFF)] * count
        self._shaky = [0] * count  # up to which tick it bounces
        self._look: set[int] = set()
        self._pending: set[int] = set()  # sensors that say what is not believed yet
        self._events: list[tuple[int, int, Callable[[int], None]]] = []
        self._arranged = 0

    @property
    def levels(self) -> list[Level]:
        """What is believed of each sensor."""
        return self._debounce.levels

    @property
    def raw(self) -> tuple[Level, ...]:
        """What each sensor says, before it has held still."""
        return tuple(self._raw)

    @property
    def calm(self) -> bool:
        """Whether nothing is wrong, and all that is said is believed: then a change may be believed at once."""
        return not (self.at_work or self._pending or self._look)

    def next(self, tick: int) -> int:
        """The next tick at which something may change if no magnet moves, the last one having been this."""
        if self._look:
            return tick + 1
        due = self._events[0][0] if self._events else NEVER
        for number in self._pending:
            due = min(due, max(self._heard[number] + self._hold, tick + 1))
        return due

    def look(self, numbers: Iterable[int]) -> None:
        """At the next tick ask these sensors: a magnet near them has moved."""
        self._look.update(numbers)

    def at_once(self, numbers: Iterable[int], at: float) -> list[Change]:
        """Ask these sensors at an instant in seconds, and believe them without delay."""
        changes = []
        for number in numbers:
            before, level = self._poles[number], self._pole(number)
            if level != before:
                self._poles[number] = self._raw[number] = level
                changes.append(Change(number, before, level, at))
        self._debounce.after(self._raw, at * RATE)
        self._debounce.believe(changes)
        return changes

    def step(self, tick: int) -> Sequence[Change]:
        """Be at this tick; give what is believed from now on."""
        while self._events and self._events[0][0] <= tick:
            heappop(self._events)[2](tick)
        changed = False
        if self._look:
            numbers, self._look = sorted(self._look), set()
            for number in numbers:
                changed |= self._ask(number, tick)
        if not changed and not self._pending:
            return ()
        ripe = self._debounce.after(self._raw, tick)
        self._debounce.believe(ripe)
        for change in ripe:
            self._pending.discard(change.number)
        return ripe

    def afresh(self, tick: int) -> None:
        """Believe nothing, as when a board is opened."""
        self._debounce = Debounce([self._hold] * len(self._raw))
        self._debounce.after(self._raw, tick)
        self._pending = {number for number, level in enumerate(self._raw) if level}
        self._heard = [tick] * len(self._raw)

    def believe(self) -> list[Change]:
        """Believe without delay all that the sensors say."""
        changes = [Change(number, self.levels[number], self._raw[number], 0.0) for number in sorted(self._pending)]
        self._debounce.believe(changes)
        self._pending.clear()
        return changes

    def arrange(self, tick: int, do: Callable[[int], None]) -> None:
        """Let this be done at that tick, before anything is asked."""
        self._arranged += 1
        heappush(self._events, (tick, self._arranged, do))

    def begin(self, broken: Broken, tick: int) -> None:
        """From now on this is wrong."""
        self.at_work.append(broken)
        kind = broken.fault.kind
        if kind == CHATTER:
            for number in sorted(broken.cells):
                self._chatter(broken, number, tick)
        if kind == DROPOUT:
            for number in sorted(broken.cells):
                self._arrange_dropout(broken, number, tick)
        if kind == DRIFT:
            self._drift(broken, tick, tick)
        self._thresholds(broken)

    def end(self, broken: Broken) -> None:
        """This is wrong no longer. What was arranged for it comes to nothing."""
        if broken in self.at_work:
            self.at_work.remove(broken)
            self._thresholds(broken)

    def _ask(self, number: int, tick: int) -> bool:
        """Whether this sensor says something else than before."""
        before, level = self._poles[number], self._pole(number)
        if level != before:
            self._poles[number], self._were[number] = level, before
            for broken in self.at_work:
                if number in broken.cells:
                    self._edge(broken, number, tick)
        for broken in self.at_work:
            if number in broken.cells:
                level = self._spoilt(broken, number, level, tick)
        if level == self._raw[number]:
            return False
        self._raw[number], self._heard[number] = level, tick
        (self._pending.discard if level == self.levels[number] else self._pending.add)(number)
        return True

    def _pole(self, number: int) -> Level:
        square, level = self._nearest(number)
        if square <= self._on[number]:
            return level
        return level if square <= self._off[number] and level == self._poles[number] else 0

    def _edge(self, broken: Broken, number: int, tick: int) -> None:
        """The magnets near this sensor have changed; what does the fault make of it?"""
        if broken.fault.kind == BOUNCE:
            self._shaky[number] = tick + broken.random.randint(*BOUNCE_TICKS)
        elif broken.fault.kind == DROPOUT:
            self._arrange_dropout(broken, number, tick)

    def _spoilt(self, broken: Broken, number: int, level: Level, tick: int) -> Level:
        """What a sensor with this fault says instead."""
        if number in broken.blind:
            return 0
        kind = broken.fault.kind
        if kind == STUCK_ON:
            return 1
        if kind == STUCK_OFF:
            return 0
        if kind == BOUNCE and tick < self._shaky[number]:
            self._look.add(number)
            return broken.random.choice((level, self._were[number]))
        return level

    def _chatter(self, broken: Broken, number: int, tick: int) -> None:
        if broken in self.at_work:
            broken.blind ^= {number}
            self._look.add(number)
            self.arrange(tick + _ticks(broken, CHATTER_SECONDS), lambda then: self._chatter(broken, number, then))

    def _arrange_dropout(self, broken: Broken, number: int, tick: int) -> None:
        if self._poles[number] and number not in broken.waiting:
            broken.waiting.add(number)
            self.arrange(tick + _ticks(broken, DROPOUT_EVERY), lambda then: self._drop_out(broken, number, then))

    def _drop_out(self, broken: Broken, number: int, tick: int) -> None:
        if broken in self.at_work:
            broken.blind.add(number)
            self._look.add(number)
            self.arrange(tick + _ticks(broken, DROPOUT_SECONDS), lambda then: self._come_back(broken, number, then))

    def _come_back(self, broken: Broken, number: int, tick: int) -> None:
        if broken in self.at_work:
            broken.waiting.discard(number)
            broken.blind.discard(number)
            self._look.add(number)
            self._arrange_dropout(broken, number, tick)

    def _drift(self, broken: Broken, begun: int, tick: int) -> None:
        if broken in self.at_work:
            done = min(1.0, (tick - begun) / RATE / broken.fault.seconds)
            broken.threshold = 1.0 + broken.fault.share * done
            self._thresholds(broken)
            if done < 1.0:
                self.arrange(tick + DRIFT_EVERY, lambda then: self._drift(broken, begun, then))

    def _thresholds(self, broken: Broken) -> None:
        """Work out anew how far the sensors with this fault feel, if it is one that alters that; and ask them."""
        self._look |= broken.cells
        if broken.fault.kind not in (CROSS_TALK, DRIFT):
            return
        for number in broken.cells:
            factor = prod(each.threshold for each in self.at_work if number in each.cells)
            self._on[number], self._off[number] = reach(ON * factor), reach(OFF * factor)
        self.wide = max(self._off) > reach(OFF)


def _ticks(broken: Broken, seconds: tuple[float, float]) -> int:
    return max(1, int(broken.random.uniform(*seconds) * RATE))
