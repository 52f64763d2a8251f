"""What fingers, or pieces put down and taken off, do to raw sensors: touches, and what is none. Pure.

level    ___|-|_|---------------|_|-|______
down     ___________|-----------------|____     each edge after it has held still
told            "down"              "touch"
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf
from typing import NamedTuple

from pond_hw.board import Reading

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


@dataclass(frozen=True, slots=True)
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

    hold: float
    raw: tuple[bool, ...] = ()
    since: tuple[float, ...] = ()
    down: dict[int, float] = field(default_factory=dict)
    ignored: frozenset[int] = frozenset()
    spoiled: bool = False
    changes: tuple[tuple[int, float], ...] = ()
    flickering: frozenset[int] = frozenset()

    @property
    def due(self) -> float:
        """When something may be believed although nothing is read."""
        ripe = (since + self.hold for i, since in enumerate(self.since) if self.raw[i] != (i in self.down))
        stuck = (since + STUCK_AFTER for i, since in self.down.items() if i not in self.ignored)
        return min((*ripe, *stuck), default=inf)

    @property
    def busy(self) -> bool:
        """Whether something is being touched."""
        return any(i not in self.ignored for i in self.down)

    def after(self, at: float, reading: Reading | None = None) -> tuple[Fingers, tuple[Felt, ...]]:
        """What is known at this instant, and what was felt up to it.

        What was read last has held until now: readings come only when something changes.
        """
        if reading and not self.raw:  # what is on before anything was asked was not touched for us
            raw = tuple(map(bool, reading.levels))
            on = {i: at for i, level in enumerate(raw) if level}
            begun = replace(self, raw=raw, since=(at,) * len(raw), down=on, ignored=frozenset(on))
            return begun, (Felt(What.STUCK, tuple(on)),) if on else ()
        now = self
        felt: list[Felt] = []
        for i in sorted(range(len(self.raw)), key=self.since.__getitem__):
            if now.raw[i] != (i in now.down) and at >= now.since[i] + now.hold:
                now, told = now._believed(i)
                felt += told
        for i, since in now.down.items():
            if i not in now.ignored and at >= since + STUCK_AFTER:
                now = replace(now, ignored=now.ignored | {i})
                felt.append(Felt(What.STUCK, (i,)))
        if reading:
            now = now._read(reading)
            if flickers := now._flickers(at):
                felt.append(Felt(What.FLICKER, flickers))
                now = replace(now, flickering=now.flickering | set(flickers))
        return now, tuple(felt)

    def afresh(self, at: float) -> Fingers:
        """The same, after a while in which nothing could be read: nothing has held still since before."""
        return replace(self, since=(at,) * len(self.since), changes=(), spoiled=self.busy)

    def _believed(self, i: int) -> tuple[Fingers, list[Felt]]:
        """After an input has held its level for long enough."""
        before = replace(
            self,
            flickering=self.flickering - {i},
            changes=tuple((other, when) for other, when in self.changes if other != i),
        )
        if self.raw[i]:
            others = [other for other in self.down if other not in self.ignored]
            now = replace(before, down=self.down | {i: self.since[i]})
            if others:
                return replace(now, spoiled=True), [Felt(What.TWO, (others[0], i))]
            return now, [Felt(What.DOWN, (i,))]
        now = replace(
            before,
            down={other: since for other, since in self.down.items() if other != i},
            ignored=self.ignored - {i},
        )
        now = replace(now, spoiled=self.spoiled and now.busy)
        if i in self.ignored or self.spoiled or now.busy:
            return now, []
        return now, [Felt(What.TOUCH, (i,))]

    def _read(self, reading: Reading) -> Fingers:
        levels, at = tuple(map(bool, reading.levels)), reading.at
        changed = [i for i, level in enumerate(levels) if level != self.raw[i]]
        lately = tuple((i, when) for i, when in self.changes if when > at - 1)
        return replace(
            self,
            raw=levels,
            since=tuple(at if i in changed else since for i, since in enumerate(self.since)),
            changes=(*lately, *((i, at) for i in changed)),
        )

    def _flickers(self, at: float) -> tuple[int, ...]:
        """Inputs that change all the time and never hold still; what bounces is still again much sooner."""
        times: dict[int, list[float]] = {}
        for i, when in self.changes:
            times.setdefault(i, []).append(when)
        return tuple(
            i
            for i, when in sorted(times.items())
            if i not in self.flickering and len(when) > FLICKERS and at - when[0] >= LONGEST_BOUNCE
        )
