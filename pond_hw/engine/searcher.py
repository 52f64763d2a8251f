"""Looking ahead under bounds: how deep, how many positions, how long. What it all rests on is `kernel.search`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import monotonic
from typing import NamedTuple

from pond_hw.engine import AS_USUAL, packed
from pond_hw.engine.engines import Game
from pond_hw.engine.packed import DEEPEST, SURE, WON, Search
from pond_hw.rules import Variant

MEGABYTES = AS_USUAL.megabytes
"""How much memory the table of positions may take, unless somebody says otherwise."""

PLACE_BYTES = 96
"""What one position in the table takes; compiled only a sixth of it. As many are remembered by the one as by the other:
so both look at the same positions, and give the same answers."""

SLICE = (64, 4096)
"""How many positions are looked at between two looks at the clock, plain and compiled: some milliseconds."""


class Limits(NamedTuple):
    """Where looking ahead ends: whichever comes first.

    Attributes:
        depth: actions to look ahead. 0: only at what an action does at once, at no answer to it.
        nodes: positions to look at, 0 for no bound.
        seconds: time to take, or None for no bound. With a bound the same question may get different answers.
    """

    depth: int = DEEPEST
    nodes: int = 0
    seconds: float | None = None


class Thought(NamedTuple):
    """What was found out about a position.

    Attributes:
        actions: the legal actions as the kernel's numbers, best first.
        values: what they are worth to the side to move, in hundredths of a piece; from `SURE` on it is sure. Exact for
            the first and for those within the margin that was asked for; the others are worth at most so much.
        depth: so many actions ahead all of them were looked at.
        nodes: positions looked at.
        line: how the game is expected to go on, the best action first.
    """

    actions: tuple[int, ...]
    values: tuple[int, ...]
    depth: int
    nodes: int
    line: tuple[int, ...]


class Looker:
    """Looks ahead from one position after the other; keeps the memory that takes as long as the pond is the same.

    Args:
        megabytes: how large the table of positions may be.
    """

    def __init__(self, megabytes: float = MEGABYTES) -> None:
        self._places = max(2, int(megabytes * 1_000_000 / PLACE_BYTES))
        self._pond: Variant | None = None
        self._search: Search

    def look(
        self,
        game: Game,
        limits: Limits,
        stop: Callable[[], bool] = bool,
        margin: int = 0,
        chance: Random | None = None,
        told: Callable[[Thought], None] | None = None,
        *,
        among: Sequence[int] = (),
        keep: bool = False,
    ) -> Thought:
        """Look ahead, a little deeper each time, until a limit is reached, the matter is settled or somebody says stop.

        Args:
            game: a game that is not over.
            limits: where to end; one action is looked ahead in any case.
            stop: asked every few milliseconds.
            margin: so far below the best the values of other actions are to be exact too.
            chance: which of several equally good actions comes first; without it, the first of them.
            told: is told of each depth that was finished.
            among: the legal actions to choose from; none for all.
            keep: go on with what was found out in the positions before. It saves time, and makes the answer depend on
                what was asked before.
        """
        begun = monotonic()
        if self._pond != game.pond:
            self._pond, self._search = game.pond, Search(game.rules, 1 << self._places.bit_length() - 1)
        search = self._search
        seconds = limits.seconds

        def enough() -> bool:
            return stop() or (seconds is not None and monotonic() - begun >= seconds)

        every = SLICE[packed.compiled()]
        search.begin(game.position, list(game.past), enough, limits.nodes, every, margin, keep=keep)
        if among:
            search.actions, search.values = list(among), [0] * len(among)
        if chance:
            actions = search.actions
            chance.shuffle(actions)
            search.actions = actions
        if not limits.depth:
            search.glance()
            return self._thought()
        depth = 1
        while search.deepen(depth):
            if told:
                told(self._thought())
            best = search.values[0]
            settled = best >= SURE and WON - best <= depth
            if depth >= limits.depth or settled or (len(search.actions) == 1 and not margin):
                break
            depth += 1
        return self._thought()

    def _thought(self) -> Thought:
        search = self._search
        line = tuple(search.line(max(1, search.finished)))
        return Thought(tuple(search.actions), tuple(search.values), search.finished, search.nodes, line)


class SearchMind:
    """Takes what looking ahead within bounds finds best.

    Args:
        name: what it is called.
        limits: the bounds.
        megabytes: how large its table of positions may be.
    """

    quick = False

    def __init__(self, name: str, limits: Limits, megabytes: float = MEGABYTES) -> None:
        self.name = name
        self._limits, self._looker = limits, Looker(megabytes)

    def choose(self, game: Game, chance: Random, stop: Callable[[], bool]) -> int:
        """The best action; of several equally good ones any."""
        return self._looker.look(game, self._limits, stop, chance=chance).actions[0]

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        """It begins anew with each action."""
