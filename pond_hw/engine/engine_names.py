"""Names of engines, as used on the command line."""

from __future__ import annotations

import re

from pond_hw.engine.engines import Engine, GreedyEngine, RandomEngine
from pond_hw.engine.levels import ENGINE_LEVELS, LevelEngine
from pond_hw.engine.packed import MAX_DEPTH
from pond_hw.engine.prover import StubbornEngine
from pond_hw.engine.searcher import TABLE_MEGABYTES, SearchEngine, SearchLimits, UctEngine
from pond_hw.messages.message import Message
from pond_hw.rules import PondError

TABLE_ENGINES = ("random", "greedy", *(level.name for level in ENGINE_LEVELS))
"""Engines for games against people."""

BOUNDED_EXAMPLES = ("search@0.2s", "search@d6", "search@n10000", "simple@n10000", "mcts@0.2s", "mcts@n1000")
"""Examples of engines for comparisons. Each has a limit: seconds, search depth or nodes (simulated games for `mcts`).

`simple` is the same search as `search`, but evaluates positions by pieces and mobility only.
"""

# Each limit has a single spelling, so that one engine can't appear under two names.
_SECONDS_PATTERN = r"(?:0|[1-9][0-9]{0,3})(?:\.[0-9]{0,2}[1-9])?"
_BOUNDED_NAME = re.compile(
    rf"(search|simple|mcts)@(?:({_SECONDS_PATTERN})s|d([1-9][0-9]?)|n([1-9][0-9]{{0,8}}))", re.ASCII
)


def make_engine(engine_name: str, megabytes: float = TABLE_MEGABYTES, think_seconds: float | None = None) -> Engine:
    """Return a new engine with this name.

    Args:
        engine_name: one of `TABLE_ENGINES`, or a name like those in `BOUNDED_EXAMPLES`.
        megabytes: size of the transposition table.
        think_seconds: time per action for a level; None for the level's own limit.

    Raises:
        PondError: the name is unknown.
    """
    if engine_name == "random":
        return RandomEngine()
    if engine_name == "greedy":
        return GreedyEngine()
    if engine_name == StubbornEngine.name:
        return StubbornEngine()
    for level in ENGINE_LEVELS:
        if engine_name == level.name:
            return LevelEngine(level, megabytes, think_seconds)
    if bounded_name := _BOUNDED_NAME.fullmatch(engine_name):
        search_kind, seconds_text, depth_text, nodes_text = bounded_name.groups()
        search_limits = SearchLimits(
            int(depth_text or MAX_DEPTH), int(nodes_text or 0), float(seconds_text) if seconds_text else None
        )
        if seconds_text != "0" and search_limits.depth <= MAX_DEPTH:
            if search_kind != "mcts":
                return SearchEngine(engine_name, search_limits, megabytes, uses_learned=search_kind == "search")
            if not depth_text:
                return UctEngine(engine_name, search_limits.nodes, search_limits.seconds)
    raise PondError(Message("player.unknown_engine", name=engine_name, names=TABLE_ENGINES, examples=BOUNDED_EXAMPLES))
