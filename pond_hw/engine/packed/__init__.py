"""The rules for those who count and search millions of positions; to read them, go to `pond_hw.rules`.

`rules.py`, `search.py`, `monte_carlo.py` and `solver.py` are plain typed Python and run as they are. `make fast`
compiles these very files for this machine; the compiled ones are then used wherever Pond runs with that Python, until
a file changes. Both give the same answers.

    >>> from pond_hw.rules import STANDARD, Action, Position
    >>> from pond_hw.engine.packed import rules_of, to_action, to_bare, to_number, to_position
    >>> rules, position = rules_of(STANDARD), to_bare(Position.start(STANDARD))
    >>> position = rules.play(position, to_number(Action.read("@b2"), STANDARD))
    >>> to_position(position, STANDARD).line
    '..../..../.E../.... d 12 13 0 0'
    >>> str(to_action(rules.actions(position)[0], STANDARD))
    '@a1'
    >>> rules.perft(position, 3)
    2970

Set POND_KERNEL=plain in the environment to have the plain one in any case.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from pond_hw.engine.packed import monte_carlo, rules, search, solver
from pond_hw.engine.packed.convert import to_action, to_bare, to_number, to_position
from pond_hw.engine.packed.rules import DARK_WINS, DRAWN, LIGHT_WINS, LONGEST, UNDECIDED, WORD
from pond_hw.engine.packed.search import DEEPEST, SURE, WON
from pond_hw.rules import PondError, Position, Variant

__all__ = [
    "COMPILED",
    "DARK_WINS",
    "DEEPEST",
    "DRAWN",
    "LIGHT_WINS",
    "LONGEST",
    "SURE",
    "UNDECIDED",
    "WON",
    "WORD",
    "Bare",
    "Exact",
    "Kernel",
    "Rules",
    "Search",
    "Uct",
    "compiled",
    "compiled_kernel",
    "perft",
    "rules_of",
    "source",
    "to_action",
    "to_bare",
    "to_number",
    "to_position",
]

COMPILED = "pond_hw_fast"
"""The name under which the compiled files are installed: another than that of the plain ones, so both can be had."""

AT_ONCE = 4
"""Actions that are counted in one go; compiled, Ctrl-C is heard only in between."""


class Kernel(NamedTuple):
    """The modules that are compiled together, in the order in which they import each other."""

    rules: ModuleType
    search: ModuleType
    monte_carlo: ModuleType
    solver: ModuleType


PLAIN = Kernel(rules, search, monte_carlo, solver)


def source() -> str | None:
    """The digest of the files as they are now, or None if only their byte code is here."""
    digest = sha256()
    try:
        for module in PLAIN:
            digest.update(sha256(Path(str(module.__file__)).read_bytes()).digest())
    except OSError:
        return None
    return digest.hexdigest()


def compiled_kernel() -> Kernel | None:
    """The compiled modules, or None if there are none for this Python, or they were made from another text."""
    try:
        found = Kernel(*(importlib.import_module(f"{COMPILED}.{name}") for name in Kernel._fields))
    except ImportError:
        return None
    return found if getattr(found.rules, "SOURCE", "") == source() else None


def _chosen() -> Kernel:
    wish = os.environ.get("POND_KERNEL", "")
    if wish not in ("", "plain"):
        raise PondError(f"POND_KERNEL is {wish!r} in the environment; it may be plain, or not be set.")
    return (None if wish else compiled_kernel()) or PLAIN


if TYPE_CHECKING:
    from pond_hw.engine.packed.monte_carlo import Uct
    from pond_hw.engine.packed.rules import Bare, Rules
    from pond_hw.engine.packed.search import Search
    from pond_hw.engine.packed.solver import Exact
else:
    Bare = tuple[int, ...]
    _kernel = _chosen()
    Rules, Search, Uct = _kernel.rules.Rules, _kernel.search.Search, _kernel.monte_carlo.Uct
    Exact = _kernel.solver.Exact


def compiled() -> bool:
    """Whether the compiled kernel is used."""
    return Rules is not rules.Rules


def rules_of(pond: Variant) -> Rules:
    """The rules of a variant."""
    return Rules(pond.size, pond.target)


def perft(position: Position, depth: int, told: Callable[[float], object] = float) -> int:
    """What `rules.perft` tells, sooner: the number of legal sequences of exactly `depth` actions.

    Args:
        position: where they begin.
        depth: how many actions each has.
        told: is told now and then which share is counted.
    """
    return _perft(rules_of(position.pond), to_bare(position), depth, told, 0.0, 1.0)


def _perft(
    rules: Rules, position: Bare, depth: int, told: Callable[[float], object], share: float, to_share: float
) -> int:
    if depth <= AT_ONCE:
        return rules.perft(position, depth)
    actions, total = rules.actions(position), 0
    part = (to_share - share) / max(1, len(actions))
    for number, action in enumerate(actions):
        begun = share + number * part
        told(begun)
        total += _perft(rules, rules.play(position, action), depth - 1, told, begun, begun + part)
    return total
