"""Eight opponents, from a child's first to one that has to be feared.

The strong ones look far ahead and take what is best. The weak ones look less far, see some of the frogs' jumps not at
all, and misjudge what they see, as people do: by a little often, by much seldom, and never so much that they give away
what anybody sees. What they may look at is a number of positions rather than a time, so that the same question gets the
same answer on any machine that is quick enough; the time is only for those that are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from pond_hw.engine.engines import Game
from pond_hw.engine.packed import SURE
from pond_hw.engine.searcher import MEGABYTES, Limits, Looker

PATIENCE = 3.0
"""Seconds that a slow machine is given; then the level answers with what it has found."""


class Level(NamedTuple):
    """How one of the eight plays.

    Attributes:
        number: 1 to 8.
        depth: actions it looks ahead.
        nodes: positions it looks at.
        misjudges: by how much it misjudges what comes of an action, in hundredths of a piece (standard deviation).
        worst: an action that is so much worse than the best is seen for what it is, and never taken.
        overlooks: how often it does not see that a frog can jump from here to there.
    """

    number: int
    depth: int
    nodes: int
    misjudges: int = 0
    worst: int = 0
    overlooks: float = 0.0

    @property
    def name(self) -> str:
        """As players are named: `level-3`."""
        return f"level-{self.number}"


LEVELS = (
    Level(1, 0, 2_000, misjudges=500, worst=900, overlooks=0.7),
    Level(2, 0, 2_000, misjudges=100, worst=400, overlooks=0.3),
    Level(3, 1, 4_000, misjudges=100, worst=300, overlooks=0.3),
    Level(4, 2, 10_000, misjudges=90, worst=250, overlooks=0.1),
    Level(5, 3, 20_000, misjudges=60, worst=150),
    Level(6, 5, 30_000, misjudges=30, worst=80),
    Level(7, 7, 120_000),
    Level(8, 40, 1_000_000),
)


class LevelMind:
    """Plays as one of the levels.

    Args:
        level: which one.
        megabytes: how large its table of positions may be.
        seconds: how long it may think; the level's own patience if None.
    """

    quick = False

    def __init__(self, level: Level, megabytes: float = MEGABYTES, seconds: float | None = None) -> None:
        self.name = level.name
        self._level, self._looker = level, Looker(megabytes)
        self._limits = Limits(level.depth, level.nodes, PATIENCE if seconds is None else seconds)
        self._pondered = False

    def choose(self, game: Game, chance: Random, stop: Callable[[], bool]) -> int:
        """What the level takes for the best."""
        level, keep = self._level, self._pondered
        thought = self._looker.look(game, self._limits, stop, level.worst, chance, keep=keep)
        self._pondered = False
        return chosen(thought.actions, thought.values, level, game.pond.size, chance)

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        """Look what the other side may do, and remember it."""
        if game.rules.count(game.position):
            self._looker.look(game, Limits(), stop)
            self._pondered = True


def chosen(actions: Sequence[int], values: Sequence[int], level: Level, size: int, chance: Random) -> int:
    """The action that a level takes when these are what they are worth, best first.

    Args:
        actions: the legal ones, as the kernel's numbers.
        values: what they are worth.
        level: who judges.
        size: of the grid.
        chance: where misjudgements come from.
    """
    if not level.misjudges or (values[0] >= SURE and chance.random() >= level.overlooks):
        return actions[0]
    least = values[0] - level.worst
    seen = [(action, value) for action, value in zip(actions, values, strict=True) if value >= least]
    seen = [each for each in seen if not jumps(each[0], size) or chance.random() >= level.overlooks] or seen
    return max(seen, key=lambda each: each[1] + chance.gauss(0, level.misjudges))[0]


def jumps(action: int, size: int) -> bool:
    """Whether a frog goes two cells at once."""
    return abs((action >> 5) - (action & 31)) in (2, 2 * size)
