"""A player that tries out what it does in random games: plain Monte Carlo tree search, the measure of the others."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import monotonic

from pond_hw.engine import packed
from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.packed import MAX_WORD, UctSearch

GAMES_PER_CHECK = (4, 64)
"""How many games are simulated between two looks at the clock, plain and compiled."""

TREE_NODES = 1 << 19
"""How many positions its tree can hold."""


class UctEngine(Engine):
    """Simulates so many games, or for so long, and takes what it has tried most.

    Args:
        name: what it is called.
        games: simulations for an action, 0 for no bound.
        seconds: time for an action, or None for no bound.
    """

    is_instant = False

    def __init__(self, name: str, games: int = 0, seconds: float | None = None) -> None:
        self.name = name
        self._games, self._seconds = games, seconds
        self._tree: UctSearch | None = None
        self._of: EngineGame | None = None

    def choose_action(self, game: EngineGame, random_source: Random, should_stop: Callable[[], bool]) -> int:
        """The action that went into most of the simulated games."""
        begun, each = monotonic(), GAMES_PER_CHECK[packed.is_compiled()]
        if self._tree is None or self._of is None or self._of.variant != game.variant:
            self._tree, self._of = UctSearch(game.rules, TREE_NODES), game
        self._of.rules.seed_random(random_source.randrange(MAX_WORD))
        self._tree.begin_search(game.position)
        while True:
            self._tree.simulate_games(min(each, self._games - self._tree.games) if self._games else each)
            if should_stop() or (self._games and self._tree.games >= self._games):
                break
            if self._seconds is not None and monotonic() - begun >= self._seconds:
                break
        return self._tree.best_action()
