"""Twelve opponents, from a child's first to one that has to be feared.

The strong ones look far ahead and take what is best. The weak ones look less far, see some of the frogs' jumps not at
all, and misjudge what they see, as people do: by a little often, by much seldom, and never so much that they give away
what anybody sees. What they may look at is a number of positions rather than a time, so that the same question gets the
same answer on any machine that is quick enough; the time is only for those that are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.packed import SURE_VALUE
from pond_hw.engine.searcher import TABLE_MEGABYTES, Searcher, SearchLimits

DEFAULT_SECONDS = 3.0
"""Seconds that a slow machine is given; then the level answers with what it has found."""


class EngineLevel(NamedTuple):
    """How one of the twelve plays.

    Attributes:
        number: 1 to 12.
        depth: actions it looks ahead.
        nodes: positions it looks at.
        error_deviation: by how much it misjudges what comes of an action, in hundredths of a piece (standard deviation).
        worst_loss: an action that is so much worse than the best is seen for what it is, and never taken.
        oversight_rate: how often it does not see that a frog can jump from here to there.
    """

    number: int
    depth: int
    nodes: int
    error_deviation: int = 0
    worst_loss: int = 0
    oversight_rate: float = 0.0

    @property
    def name(self) -> str:
        """As players are named: `level-3`."""
        return f"level-{self.number}"


ENGINE_LEVELS = (
    EngineLevel(1, 0, 2_000, error_deviation=500, worst_loss=900, oversight_rate=0.7),
    EngineLevel(2, 0, 2_000, error_deviation=200, worst_loss=500, oversight_rate=0.4),
    EngineLevel(3, 1, 4_000, error_deviation=180, worst_loss=500, oversight_rate=0.5),
    EngineLevel(4, 1, 4_000, error_deviation=100, worst_loss=300, oversight_rate=0.25),
    EngineLevel(5, 2, 10_000, error_deviation=115, worst_loss=320, oversight_rate=0.15),
    EngineLevel(6, 3, 20_000, error_deviation=115, worst_loss=290, oversight_rate=0.1),
    EngineLevel(7, 3, 20_000, error_deviation=68, worst_loss=165),
    EngineLevel(8, 4, 30_000, error_deviation=56, worst_loss=134),
    EngineLevel(9, 5, 40_000, error_deviation=44, worst_loss=103),
    EngineLevel(10, 6, 60_000, error_deviation=30, worst_loss=70),
    EngineLevel(11, 7, 120_000),
    EngineLevel(12, 40, 250_000),
)


class LevelEngine(Engine):
    """Plays as one of the levels.

    Args:
        level: which one.
        megabytes: how large its table of positions may be.
        seconds: how long it may think; the level's own patience if None.
    """

    is_instant = False

    def __init__(self, level: EngineLevel, megabytes: float = TABLE_MEGABYTES, seconds: float | None = None) -> None:
        self.name = level.name
        self._level, self._searcher = level, Searcher(megabytes)
        self._limits = SearchLimits(level.depth, level.nodes, DEFAULT_SECONDS if seconds is None else seconds)
        self._pondered = False

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        """What the level takes for the best."""
        level, keep = self._level, self._pondered
        self._pondered = False
        found = self._searcher.search_game(game, self._limits, should_stop, level.worst_loss, rng, keep=keep)
        return choose_for_level(found.actions, found.values, level, game.variant.size, rng)

    def ponder(self, game: EngineGame, should_stop: Callable[[], bool]) -> None:
        """Look what the other side may do, and remember it."""
        if game.rules.count_actions(game.position):
            self._searcher.search_game(game, SearchLimits(), should_stop)
            self._pondered = True


def choose_for_level(actions: Sequence[int], values: Sequence[int], level: EngineLevel, size: int, rng: Random) -> int:
    """The action that a level takes when these are what they are worth, best first.

    Args:
        actions: the legal ones, as the kernel's numbers.
        values: what they are worth.
        level: who judges.
        size: of the grid.
        rng: source of misjudgements.
    """
    if not level.error_deviation or (values[0] >= SURE_VALUE and rng.random() >= level.oversight_rate):
        return actions[0]
    least = values[0] - level.worst_loss
    seen = [(action, value) for action, value in zip(actions, values, strict=True) if value >= least]
    seen = [each for each in seen if not is_frog_jump(each[0], size) or rng.random() >= level.oversight_rate] or seen
    return max(seen, key=lambda each: each[1] + rng.gauss(0, level.error_deviation))[0]


def is_frog_jump(action: int, size: int) -> bool:
    """Whether a frog goes two cells at once."""
    return abs((action >> 5) - (action & 31)) in (2, 2 * size)
