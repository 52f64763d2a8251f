"""Twelve opponents from beginner to expert.

Strong levels search deep and take the best action. Weak levels search less, overlook some frog jumps and misjudge
values as people do: often by a little, rarely by a lot, and never enough to miss the obvious. A node limit makes
answers reproducible on any machine that is fast enough; slower machines stop at the time limit instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.packed import MIN_WIN_VALUE
from pond_hw.engine.searcher import TABLE_MEGABYTES, Searcher, SearchLimits

DEFAULT_SECONDS = 3.0
"""Time limit per action for slow machines."""


class EngineLevel(NamedTuple):
    """Parameters of a level.

    Attributes:
        number: 1 to 12.
        depth: search depth in actions.
        nodes: maximum number of nodes.
        error_deviation: standard deviation of the error in judging an action, in hundredths of a piece.
        worst_loss: smallest loss that is always recognized; an action that loses this much is never taken.
        oversight_rate: probability of overlooking a frog's jump.
    """

    number: int
    depth: int
    nodes: int
    error_deviation: int = 0
    worst_loss: int = 0
    oversight_rate: float = 0.0

    @property
    def name(self) -> str:
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
    """Engine that plays at a level. `seconds` is the time limit per action; None for the default."""

    is_instant = False

    def __init__(self, level: EngineLevel, megabytes: float = TABLE_MEGABYTES, seconds: float | None = None) -> None:
        self.name = level.name
        self._level, self._searcher = level, Searcher(megabytes)
        self._limits = SearchLimits(level.depth, level.nodes, DEFAULT_SECONDS if seconds is None else seconds)
        self._pondered = False

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        level, keep = self._level, self._pondered
        self._pondered = False
        found = self._searcher.search_game(game, self._limits, should_stop, level.worst_loss, rng, keep=keep)
        return choose_for_level(found.actions, found.values, level, game.variant.size, rng)

    def ponder(self, game: EngineGame, should_stop: Callable[[], bool]) -> None:
        if game.rules.count_actions(game.position):
            self._searcher.search_game(game, SearchLimits(), should_stop)
            self._pondered = True


def choose_for_level(actions: Sequence[int], values: Sequence[int], level: EngineLevel, size: int, rng: Random) -> int:
    """Return the action that a level takes, given all legal actions and their values, best first."""
    if not level.error_deviation or (values[0] >= MIN_WIN_VALUE and rng.random() >= level.oversight_rate):
        return actions[0]
    least = values[0] - level.worst_loss
    seen = [(action, value) for action, value in zip(actions, values, strict=True) if value >= least]
    seen = [each for each in seen if not is_frog_jump(each[0], size) or rng.random() >= level.oversight_rate] or seen
    return max(seen, key=lambda each: each[1] + rng.gauss(0, level.error_deviation))[0]


def is_frog_jump(action: int, size: int) -> bool:
    return abs((action >> 5) - (action & 31)) in (2, 2 * size)
