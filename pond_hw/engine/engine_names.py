"""Minds by their names, as a command line gives them."""

from __future__ import annotations

import re

from pond_hw.engine.engines import GreedyMind, Mind, RandomMind
from pond_hw.engine.levels import LEVELS, LevelMind
from pond_hw.engine.monte_carlo import UctMind
from pond_hw.engine.packed import DEEPEST
from pond_hw.engine.searcher import MEGABYTES, Limits, SearchMind
from pond_hw.rules import PondError

AT_THE_TABLE = ("random", "greedy", *(level.name for level in LEVELS))
"""The names of those who are fit to play against people."""

BOUNDED = "search@0.2s, search@d6, search@n10000, mcts@0.2s or mcts@n1000"
"""Those for comparison, with what bounds them: seconds, depth, or positions (games) looked at."""

# Each bound has one way to be written, so that nobody sits there twice under two names.
_SECONDS = r"(?:0|[1-9][0-9]{0,3})(?:\.[0-9]{0,2}[1-9])?"
_BOUND = re.compile(rf"(search|mcts)@(?:({_SECONDS})s|d([1-9][0-9]?)|n([1-9][0-9]{{0,8}}))", re.ASCII)


def mind(name: str, megabytes: float = MEGABYTES, seconds: float | None = None) -> Mind:
    """The mind of this name, one of its own each time.

    Args:
        name: one of `AT_THE_TABLE`, or of the kind of `BOUNDED`.
        megabytes: how large its table of positions may be, if it has one.
        seconds: how long a level may think about an action; its own patience if None.

    Raises:
        PondError: nobody has this name.
    """
    if name == "random":
        return RandomMind()
    if name == "greedy":
        return GreedyMind()
    for level in LEVELS:
        if name == level.name:
            return LevelMind(level, megabytes, seconds)
    if bounded := _BOUND.fullmatch(name):
        kind, time, depth, nodes = bounded.groups()
        limits = Limits(int(depth or DEEPEST), int(nodes or 0), float(time) if time else None)
        if time != "0" and limits.depth <= DEEPEST:
            if kind == "search":
                return SearchMind(name, limits, megabytes)
            if not depth:
                return UctMind(name, limits.nodes, limits.seconds)
    raise PondError(f"There is no player {name!r}; there are {', '.join(AT_THE_TABLE)}, and for comparison {BOUNDED}.")
