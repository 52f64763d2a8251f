"""What a sensor did, from how it was read: presses, and how long its contact bounced at each of their edges.

read      ____|-|_|----------------|_|-|______
bursts        <--->                <-->            flips that follow each other closely are one edge
settled   ________|-------------------|_______     presses: from the end of one burst to the end of the next
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pond_hw.board import Reading

TOGETHER = 0.03
"""Flips no farther apart than this, in seconds, belong to one edge: no finger is as quick as that."""


class Burst(NamedTuple):
    """One edge as it was read.

    Attributes:
        begin: its first flip, in seconds.
        end: its last.
        flips: how many there were.
        down: whether the sensor was down afterwards.
    """

    begin: float
    end: float
    flips: int
    down: bool

    @property
    def seconds(self) -> float:
        """How long it took until the sensor was stable."""
        return self.end - self.begin


class Press(NamedTuple):
    """From when to when a sensor was down, in seconds."""

    begin: float
    end: float


class Flip(NamedTuple):
    """A sensor was read as something else than before: when, in seconds, and whether as down."""

    at: float
    down: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """All that was read for a while.

    Attributes:
        first: the first reading; None if there was none.
        last: the last one.
        flips: what has changed, by input; nothing of those that have not.
        counts: of linear sensors the counts of every reading; empty for others.
        up: those that were up in some reading, by input.
    """

    first: Reading | None = None
    last: Reading | None = None
    flips: Mapping[int, tuple[Flip, ...]] = field(default_factory=dict)
    counts: tuple[tuple[int, ...], ...] = ()
    up: frozenset[int] = frozenset()

    def after(self, reading: Reading) -> Heard:
        """The same, with one more reading."""
        counts = (*self.counts, reading.raw) if reading.raw and linear(reading) else self.counts
        now = said(reading)
        before = said(self.last) if self.last else now
        up, flips = self.up, self.flips
        if before != now or not self.last:
            up |= {number for number, level in enumerate(now) if not level}
            pairs = enumerate(zip(before, now, strict=True))
            changed = [number for number, (was, level) in pairs if (was == 0) != (level == 0)]
            new = {number: (*flips.get(number, ()), Flip(reading.at, now[number] != 0)) for number in changed}
            flips = {**flips, **new}
        return Heard(self.first or reading, reading, flips, counts, up)

    def bursts(self, number: int) -> list[Burst]:
        """The edges of an input in the order of time, without those after which nothing had changed: spikes."""
        found: list[Burst] = []
        for at, down in self.flips.get(number, ()):
            if found and at - found[-1].end <= TOGETHER:
                found[-1] = found[-1]._replace(end=at, flips=found[-1].flips + 1, down=down)
            else:
                found.append(Burst(at, at, 1, down))
        return [each for each in found if each.flips % 2]

    def presses(self, number: int) -> tuple[Press, ...]:
        """The presses of an input that have begun and ended."""
        found, since = [], None
        for edge in self.bursts(number):
            if edge.down:
                since = edge.begin
            elif since is not None:
                found.append(Press(since, edge.end))
                since = None
        return tuple(found)


def linear(reading: Reading) -> bool:
    """Whether it was read from linear sensors: then `raw` holds counts."""
    return reading.raw is not None and max(reading.raw) > 1


def said(reading: Reading) -> tuple[int, ...]:
    """What the sensors say: in a matrix with the ghosts, which the levels leave out."""
    return reading.levels if reading.raw is None or linear(reading) else reading.raw
