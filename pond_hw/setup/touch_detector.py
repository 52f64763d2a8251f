"""What fingers, or pieces put down and taken off, do to raw sensors: touches, and what is none.

level    ___|-|_|---------------|_|-|______
down     ___________|-----------------|____     each edge after it has held still
told            "down"              "touch"
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from math import inf
from typing import NamedTuple

from pond_hw.board import Reading
from pond_hw.profile.board_profile import Profile
from pond_hw.setup.step import Event, Lit, Page, Prompt, Reply, Talk, Tick

LEAST_HOLD = 0.03
"""Seconds that a level must hold to count, whatever the profile says: nobody touches more briefly on purpose."""

STUCK_AFTER = 10.0
"""Seconds after which nobody is taken to be touching any more: the input is on by itself."""

FLICKERS = 10
"""Changes in a second; with more, and no level that holds, an input flickers."""

LONGEST_BOUNCE = 0.5
"""Seconds after which a contact that still has not come to rest flickers rather than bounces."""


class What(StrEnum):
    """What is felt: an input answers; it lets go, and was alone; two answer at once; one flickers; one is always on."""

    DOWN = "down"
    TOUCH = "touch"
    TWO = "two"
    FLICKER = "flicker"
    STUCK = "stuck"


class Felt(NamedTuple):
    """Something that is felt, and the inputs that it is about."""

    what: What
    inputs: tuple[int, ...]


class Fingers:
    """What is known of all inputs.

    Attributes:
        hold: how long a level must hold, in seconds.
        raw: each input's level as it was read last, whether anything is there; empty before anything was read.
        since: since when, in seconds.
        down: the inputs that are believed to be on, and since when.
        ignored: those that are on all the time.
        spoiled: whether the touch that goes on is none, because two answered.
        changes: what changed in the last second, and when.
        flickering: the inputs that were told to flicker, until they hold still.
    """

    def __init__(self, profile: Profile) -> None:
        self.hold = max(profile.sensing.debounce, LEAST_HOLD)
        self.raw: tuple[bool, ...] = ()
        self.since: list[float] = []
        self.down: dict[int, float] = {}
        self.ignored: set[int] = set()
        self.spoiled = False
        self.changes: list[tuple[int, float]] = []
        self.flickering: set[int] = set()

    @property
    def due(self) -> float:
        """When something may be believed although nothing is read."""
        ripe = (since + self.hold for number, since in enumerate(self.since) if self._differs(number))
        stuck = (since + STUCK_AFTER for number, since in self.down.items() if number not in self.ignored)
        return min((*ripe, *stuck), default=inf)

    @property
    def busy(self) -> bool:
        """Whether something is being touched."""
        return bool(self.down.keys() - self.ignored)

    def feel(self, event: Reading | Tick) -> list[Felt]:
        """What was felt up to this instant, and what is read now.

        What was read last has held until now: readings come only when something changes.
        """
        at, reading = event.at, event if isinstance(event, Reading) else None
        if reading and not self.raw:  # what is on before anything was asked was not touched for us
            self.raw = tuple(map(bool, reading.levels))
            self.since = [at] * len(self.raw)
            self.ignored = {number for number, level in enumerate(self.raw) if level}
            self.down = dict.fromkeys(sorted(self.ignored), at)
            return [Felt(What.STUCK, tuple(self.down))] if self.down else []
        felt: list[Felt] = []
        for number in sorted(range(len(self.raw)), key=self.since.__getitem__):
            if self._differs(number) and at >= self.since[number] + self.hold:
                felt += self._believe(number)
        for number, since in self.down.items():
            if number not in self.ignored and at >= since + STUCK_AFTER:
                self.ignored.add(number)
                felt.append(Felt(What.STUCK, (number,)))
        if reading and (flickers := tuple(self._take(reading))):
            self.flickering |= {*flickers}
            felt.append(Felt(What.FLICKER, flickers))
        return felt

    def is_touched(self, event: Event) -> bool:
        """Whether any input was touched up to this event."""
        return isinstance(event, Reading | Tick) and any(each.what is What.TOUCH for each in self.feel(event))

    def begin_anew(self, at: float) -> None:
        """After a while in which nothing could be read: nothing has held still since before."""
        self.since, self.changes, self.spoiled = [at] * len(self.since), [], self.busy

    def touch_or_reply(self, page: Page, keys: str, lit: Lit) -> Talk[str]:
        """The part of a conversation in which somebody answers by one of these keys, or (empty) by a touch."""
        while True:
            event = yield Prompt(page, lit, self.due)
            if isinstance(event, Reply) and event.key in keys:
                return event.key
            if self.is_touched(event):
                return ""

    def _differs(self, number: int) -> bool:
        return self.raw[number] != (number in self.down)

    def _believe(self, number: int) -> list[Felt]:
        """After an input has held its level for long enough."""
        self.flickering.discard(number)
        self.changes = [change for change in self.changes if change[0] != number]
        if self.raw[number]:
            others = [other for other in self.down if other not in self.ignored]
            self.down[number] = self.since[number]
            self.spoiled = self.spoiled or bool(others)
            return [Felt(What.TWO, (others[0], number)) if others else Felt(What.DOWN, (number,))]
        counts = number not in self.ignored and not self.spoiled
        del self.down[number]
        self.ignored.discard(number)
        self.spoiled = self.spoiled and self.busy
        return [Felt(What.TOUCH, (number,))] if counts and not self.busy else []

    def _take(self, reading: Reading) -> Iterator[int]:
        """Take in a reading; the inputs that change all the time: what bounces is still again much sooner."""
        levels, at = tuple(map(bool, reading.levels)), reading.at
        changed = [number for number, level in enumerate(levels) if level != self.raw[number]]
        self.raw = levels
        for number in changed:
            self.since[number] = at
        self.changes = [change for change in self.changes if change[1] > at - 1] + [(each, at) for each in changed]
        times: dict[int, list[float]] = {}
        for number, instant in self.changes:
            times.setdefault(number, []).append(instant)
        for number, instants in sorted(times.items()):
            if number not in self.flickering and len(instants) > FLICKERS and at - instants[0] >= LONGEST_BOUNCE:
                yield number
