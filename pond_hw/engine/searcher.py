"""Looking ahead under bounds: how deep, how many positions, how long. What it all rests on is `engine.packed.search`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import monotonic
from typing import NamedTuple

from pond_hw.engine import DEFAULT_THINKING, packed
from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.learned_values import learned_evaluation
from pond_hw.engine.packed import MAX_DEPTH, MAX_WORD, SURE_VALUE, WIN_VALUE, PackedSearch, UctSearch
from pond_hw.rules import Variant

TABLE_MEGABYTES = DEFAULT_THINKING.megabytes
"""How much memory the table of positions may take, unless somebody says otherwise."""

ENTRY_BYTES = 96
"""What one position in the table takes; compiled only a sixth of it. As many are remembered by the one as by the other:
so both look at the same positions, and give the same answers."""

DRAW_VALUE = -25
"""What a draw is worth to `SearchEngine`, in hundredths of a piece: it plays on where it is hardly worse off."""

NODES_PER_CHECK = (64, 4096)
"""How many positions are looked at between two looks at the clock, plain and compiled: some milliseconds."""


GAMES_PER_CHECK = (4, 64)
"""How many games are simulated between two looks at the clock, plain and compiled."""

TREE_NODES = 1 << 19
"""How many positions its tree can hold."""


class SearchLimits(NamedTuple):
    """Where looking ahead ends: whichever comes first.

    Attributes:
        depth: actions to look ahead. 0: only at what an action does at once, at no answer to it.
        nodes: positions to look at, 0 for no bound.
        seconds: time to take, or None for no bound. With a bound the same question may get different answers.
    """

    depth: int = MAX_DEPTH
    nodes: int = 0
    seconds: float | None = None


class SearchResult(NamedTuple):
    """What was found out about a position.

    Attributes:
        actions: the legal actions as the kernel's numbers, best first.
        values: what they are worth to the side to move, in hundredths of a piece; from `SURE_VALUE` on it is sure. Exact for
            the first and for those within the margin that was asked for; the others are worth at most so much.
        depth: so many actions ahead all of them were looked at.
        nodes: positions looked at.
        best_line: how the game is expected to go on, the best action first.
    """

    actions: tuple[int, ...]
    values: tuple[int, ...]
    depth: int
    nodes: int
    best_line: tuple[int, ...]


class Searcher:
    """Looks ahead from one position after the other; keeps the memory that takes as long as the pond is the same.

    Args:
        megabytes: how large the table of positions may be.
        uses_learned: whether positions are worth what was learned of them, where that is known; if not, they are worth what
            pieces and mobility say.
    """

    def __init__(self, megabytes: float = TABLE_MEGABYTES, *, uses_learned: bool = True) -> None:
        self._uses_learned = uses_learned
        self._places = max(2, int(megabytes * 1_000_000 / ENTRY_BYTES))
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
        """Look ahead, a little deeper each time, until a limit is reached, the result is certain or `stop` returns True.

        Args:
            game: a game that is not over.
            limits: where to end; one action is looked ahead in any case.
            stop: asked every few milliseconds.
            margin: so far below the best the values of other actions are to be exact too.
            rng: chooses among equally good actions; without it, the first of them.
            on_depth: called with the result of each depth that is finished.
            among: the legal actions to choose from; none for all.
            keep: go on with what was found out in the positions before. It saves time, and makes the answer depend on
                what was asked before.
            draw_value: what a draw is worth to the side to move.
        """
        begun = monotonic()
        if self._pond != game.variant:
            learned = learned_evaluation(game.variant) if self._uses_learned else None
            self._search = PackedSearch(game.rules, 1 << self._places.bit_length() - 1, learned)
            self._pond = game.variant
        search = self._search
        seconds = limits.seconds

        def enough() -> bool:
            return stop() or (seconds is not None and monotonic() - begun >= seconds)

        every = NODES_PER_CHECK[packed.is_compiled()]
        past_keys = list(game.past_keys)
        search.begin_search(game.position, past_keys, enough, limits.nodes, every, margin, keep, draw_value)
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
            settled = best >= SURE_VALUE and WIN_VALUE - best <= depth
            if depth >= limits.depth or settled or (len(search.actions) == 1 and not margin):
                break
            depth += 1
        return self._current_result()

    def _current_result(self) -> SearchResult:
        search = self._search
        line = tuple(search.principal_variation(max(1, search.finished_depth)))
        return SearchResult(tuple(search.actions), tuple(search.values), search.finished_depth, search.nodes, line)


class SearchEngine(Engine):
    """Takes what looking ahead within bounds finds best.

    Args:
        name: what it is called.
        limits: the bounds.
        megabytes: how large its table of positions may be.
        uses_learned: see `Searcher`.
    """

    is_instant = False

    def __init__(
        self, name: str, limits: SearchLimits, megabytes: float = TABLE_MEGABYTES, *, uses_learned: bool = True
    ) -> None:
        self.name = name
        self._limits, self._searcher = limits, Searcher(megabytes, uses_learned=uses_learned)
        self._draw_value = DRAW_VALUE if uses_learned else 0

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        """The best action; of several equally good ones any."""
        search_result = self._searcher.search_game(
            game, self._limits, should_stop, rng=rng, draw_value=self._draw_value
        )
        return search_result.actions[0]


class UctEngine(Engine):
    """Tries out actions in random games, so many or for so long, and takes what it has tried most: plain Monte Carlo tree search.

    Args:
        name: what it is called.
        games: simulations for an action, 0 for no bound.
        seconds: time for an action, or None for no bound.
    """

    is_instant = False

    def __init__(self, name: str, games: int = 0, seconds: float | None = None) -> None:
        self.name = name
        self._games, self._seconds = games, seconds
        self._variant: Variant | None = None
        self._tree: UctSearch

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        """The action that went into most of the simulated games."""
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
