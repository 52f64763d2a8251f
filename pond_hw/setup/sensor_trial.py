"""What came of one exercise: everything that is measured of the sensors, in numbers, before anybody judges it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median

from pond_hw.rules import Cell
from pond_hw.setup.signal_log import Burst, Heard, Press

SOONER = 0.02
"""Seconds by which a sensor that answers for another one may be earlier than it."""


@dataclass(frozen=True, slots=True)
class Idle:
    """What the sensors said while nobody touched them, by input.

    Attributes:
        seconds: for how long.
        on: those that were down all the time.
        flips: how often each changed.
        rest: of linear sensors the middle count; empty for others.
        swing: of linear sensors how far apart the counts lie, but for the farthest few; empty for others.
    """

    seconds: float
    on: frozenset[int]
    flips: tuple[int, ...]
    rest: tuple[float, ...] = ()
    swing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of asking for a few presses of one cell.

    Attributes:
        cell: which cell was asked for.
        wanted: how many presses.
        presses: by input the presses that were felt and have ended.
        edges: the edges of the input that should answer.
        swings: of linear sensors, by input, how far a magnet moved the count away from where it was before, in counts,
            the pole as its sign; empty for others.
        confirmed: whether a person said that it was pressed and nothing more happened. Otherwise presses that are
            missing tell nothing of the sensor.
    """

    cell: Cell
    wanted: int
    presses: Mapping[int, tuple[Press, ...]] = field(default_factory=dict)
    edges: tuple[Burst, ...] = ()
    swings: Mapping[int, float] = field(default_factory=dict)
    confirmed: bool = False

    def answered(self, number: int) -> int:
        """How many presses an input felt."""
        return len(self.presses.get(number, ()))

    def along(self, number: int, other: int) -> int:
        """How many presses of an input another one felt too."""
        others = self.presses.get(other, ())
        return sum(
            any(one.begin - SOONER <= each.begin <= one.end for each in others) for one in self.presses.get(number, ())
        )

    @property
    def bounces(self) -> int:
        """The most flips that were too many at one edge."""
        return max((edge.flips - 1 for edge in self.edges), default=0)

    @property
    def chatter(self) -> float:
        """The longest time until the sensor was stable, in seconds."""
        return max((edge.seconds for edge in self.edges), default=0.0)


def idle(heard: Heard, seconds: float) -> Idle | None:
    """What is to be said of sensors that nobody touched; None if nothing was read."""
    if heard.first is None:
        return None
    numbers = range(len(heard.first.levels))
    columns = list(zip(*heard.counts, strict=True))
    return Idle(
        seconds,
        frozenset(numbers) - heard.up,
        tuple(len(heard.flips.get(number, ())) for number in numbers),
        tuple(median(column) for column in columns),
        tuple(spread(column) for column in columns),
    )


def spread(counts: Sequence[int]) -> int:
    """How far apart counts lie, without the two in a hundred that are the greatest, and the least: one may be wrong."""
    ordered, few = sorted(counts), ceil(len(counts) / 50)
    return max(0, ordered[-1 - few] - ordered[few]) if len(counts) > 2 * few else 0


def trial(
    cell: Cell, wanted: int, heard: Heard, number: int, rest: Sequence[float] = (), *, confirmed: bool = False
) -> Trial:
    """What came of asking for presses of a cell.

    Args:
        cell: which one.
        wanted: how many.
        heard: what was read meanwhile.
        number: the input that should be its sensor.
        rest: of linear sensors what they read when nothing is near them, by input.
        confirmed: as in `Trial`.
    """
    felt = {other: presses for other in heard.flips if (presses := heard.presses(other))}
    columns = zip(rest, zip(*heard.counts, strict=True), strict=False)
    swings = {other: swing(column, start) for other, (start, column) in enumerate(columns)}
    return Trial(cell, wanted, felt, tuple(heard.bursts(number)), swings, confirmed)


def swing(counts: Sequence[int], rest: float) -> float:
    """How far a linear sensor went from its rest, in counts: the middle one of the five farthest."""
    return median(sorted((count - rest for count in counts), key=abs)[-5:])
