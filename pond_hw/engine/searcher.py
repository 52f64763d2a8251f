"""Search with limits on depth, nodes and time, based on `engine.packed.search`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import monotonic
from typing import NamedTuple

from pond_hw.engine import DEFAULT_THINKING, packed
from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.learned_values import learned_evaluation
from pond_hw.engine.packed import MAX_DEPTH, MAX_WORD, MIN_WIN_VALUE, WIN_VALUE, PackedSearch, UctSearch
from pond_hw.rules import Variant

TABLE_MEGABYTES = DEFAULT_THINKING.megabytes

ENTRY_BYTES = 96
"""Memory per table entry in the plain kernel.

The compiled kernel needs only a sixth of this, but gets the same number of entries, so that both kernels search the
same positions and give the same answers.
"""

DRAW_VALUE = -25
"""Value of a draw for `SearchEngine`, in hundredths of a piece. The engine avoids draws unless it is clearly behind."""

NODES_PER_CHECK = (64, 4096)
"""Number of nodes between two checks of the clock (a few milliseconds), for the plain and the compiled kernel."""


GAMES_PER_CHECK = (4, 64)
"""Number of simulated games between two checks of the clock, for the plain and the compiled kernel."""

TREE_NODES = 1 << 19
"""Maximum number of nodes in the Monte Carlo tree."""


class SearchLimits(NamedTuple):
    """Limits of a search. It ends when it reaches the first of them.

    Attributes:
        depth: search depth in actions; 0 evaluates the position after each action.
        nodes: maximum number of nodes; 0 for no limit.
        seconds: maximum time; None for no limit. With a time limit, results are not reproducible.
    """

    depth: int = MAX_DEPTH
    nodes: int = 0
    seconds: float | None = None


class SearchResult(NamedTuple):
    """Result of a search.

    Attributes:
        actions: legal packed actions, best first.
        values: values for the side to move, in hundredths of a piece. They are exact for the best action and for those
            within the requested margin, and upper bounds for the others. Forced wins start at `MIN_WIN_VALUE`.
        depth: depth completed for all actions.
        nodes: number of nodes searched.
        best_line: principal variation.
    """

    actions: tuple[int, ...]
    values: tuple[int, ...]
    depth: int
    nodes: int
    best_line: tuple[int, ...]


class Searcher:
    """Search that can be used for one position after another. It keeps its table while the variant stays the same.

    `uses_learned` is True to use the learned evaluation where available, False for pieces and mobility only.
    """

    def __init__(self, megabytes: float = TABLE_MEGABYTES, *, uses_learned: bool = True) -> None:
        self._uses_learned = uses_learned
        self._table_size = max(2, int(megabytes * 1_000_000 / ENTRY_BYTES))
        self._pond: Variant | None = None
        self._search: PackedSearch

    def search_game(
        self,
        game: EngineGame,
        limits: SearchLimits,
        stop: Callable[[], bool] = bool,
        margin: int = 0,
        rng: Random | None = None,
        on_depth: Callable[[SearchResult], None] | None = None,
        *,
        among: Sequence[int] = (),
        keep: bool = False,
        draw_value: int = 0,
    ) -> SearchResult:
        """Search with increasing depth until a limit is reached, a win is found or `stop` returns True.

        Args:
            game: game in progress.
            limits: search limits; depth 1 is always completed.
            stop: polled every few milliseconds.
            margin: values within this margin of the best value are exact as well.
            rng: breaks ties between equally good actions; by default the first one wins.
            on_depth: called with the result of each completed depth.
            among: legal actions to consider; all by default.
            keep: True to keep the table of earlier searches. This is faster, but the result depends on those searches.
            draw_value: value of a draw for the side to move.
        """
        begun = monotonic()
        if self._pond != game.variant:
            learned = learned_evaluation(game.variant) if self._uses_learned else None
            self._search = PackedSearch(game.rules, 1 << self._table_size.bit_length() - 1, learned)
            self._pond = game.variant
        search = self._search
        seconds = limits.seconds

        def should_stop() -> bool:
            return stop() or (seconds is not None and monotonic() - begun >= seconds)

        check_interval = NODES_PER_CHECK[packed.is_compiled()]
        past_keys = list(game.past_keys)
        search.begin_search(
            game.position, past_keys, should_stop, limits.nodes, check_interval, margin, keep, draw_value
        )
        if among:
            search.actions, search.values = list(among), [0] * len(among)
        if rng:
            rng.shuffle(search.actions)
        if not limits.depth:
            search.rank_actions()
            return self._current_result()
        depth = 1
        while search.search_depth(depth):
            if on_depth:
                on_depth(self._current_result())
            best = search.values[0]
            settled = best >= MIN_WIN_VALUE and WIN_VALUE - best <= depth
            if depth >= limits.depth or settled or (len(search.actions) == 1 and not margin):
                break
            depth += 1
        return self._current_result()

    def _current_result(self) -> SearchResult:
        search = self._search
        line = tuple(search.principal_variation(max(1, search.finished_depth)))
        return SearchResult(tuple(search.actions), tuple(search.values), search.finished_depth, search.nodes, line)


class SearchEngine(Engine):
    """Engine that plays the best action found by a limited search."""

    is_instant = False

    def __init__(
        self, name: str, limits: SearchLimits, megabytes: float = TABLE_MEGABYTES, *, uses_learned: bool = True
    ) -> None:
        self.name = name
        self._limits, self._searcher = limits, Searcher(megabytes, uses_learned=uses_learned)
        self._draw_value = DRAW_VALUE if uses_learned else 0

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        search_result = self._searcher.search_game(
            game, self._limits, should_stop, rng=rng, draw_value=self._draw_value
        )
        return search_result.actions[0]


class UctEngine(Engine):
    """Engine that plays the most visited action of a plain Monte Carlo tree search.

    Args:
        name: name of the engine.
        games: maximum number of simulations per action; 0 for no limit.
        seconds: maximum time per action; None for no limit.
    """

    is_instant = False

    def __init__(self, name: str, games: int = 0, seconds: float | None = None) -> None:
        self.name = name
        self._games, self._seconds = games, seconds
        self._variant: Variant | None = None
        self._tree: UctSearch

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        begun, each = monotonic(), GAMES_PER_CHECK[packed.is_compiled()]
        if self._variant != game.variant:
            self._variant, self._tree = game.variant, UctSearch(game.rules, TREE_NODES)
        self._tree.rules.seed_random(rng.randrange(MAX_WORD))
        self._tree.begin_search(game.position)
        while True:
            self._tree.simulate_games(min(each, self._games - self._tree.games) if self._games else each)
            if should_stop() or (self._games and self._tree.games >= self._games):
                break
            if self._seconds is not None and monotonic() - begun >= self._seconds:
                break
        return self._tree.best_action()
