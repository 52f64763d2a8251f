"""The rules for those who count and search millions of positions; to read them, go to `pond_hw.rules`.

`turns.py` is plain typed Python and runs as it is. `make fast` compiles that very file for this machine; from then on
the compiled one is used wherever Pond runs with that Python, until the file changes. Both give the same answers.

    >>> from pond_hw.rules import STANDARD, Action, Position
    >>> from pond_hw.kernel import rules_of, to_action, to_bare, to_number, to_position
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
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from pond_hw.kernel import turns
from pond_hw.kernel.paper import to_action, to_bare, to_number, to_position
from pond_hw.kernel.turns import DARK_WINS, DRAWN, LIGHT_WINS, LONGEST, UNDECIDED, WORD
from pond_hw.rules import PondError, Position, Variant

__all__ = [
    "COMPILED",
    "DARK_WINS",
    "DRAWN",
    "LIGHT_WINS",
    "LONGEST",
    "UNDECIDED",
    "WORD",
    "Bare",
    "Rules",
    "compiled",
    "compiled_turns",
    "perft",
    "rules_of",
    "source",
    "to_action",
    "to_bare",
    "to_number",
    "to_position",
]

COMPILED = "pond_hw_turns"
"""The name under which the compiled turns.py is installed: another than the plain one's, so that both can be had."""

AT_ONCE = 6
"""Actions that are counted in one go; Ctrl-C is heard only in between, and compiled, so many take a second at most."""


def source() -> str | None:
    """The digest of turns.py as it is now, or None if only its byte code is here."""
    try:
        return sha256(Path(turns.__file__).read_bytes()).hexdigest()
    except OSError:
        return None


def compiled_turns() -> ModuleType | None:
    """The compiled turns.py, or None if there is none for this Python, or it was made from another text."""
    try:
        module = importlib.import_module(COMPILED)
    except ImportError:
        return None
    return module if getattr(module, "SOURCE", "") == source() else None


def _chosen() -> ModuleType:
    wish = os.environ.get("POND_KERNEL", "")
    if wish not in ("", "plain"):
        raise PondError(f"POND_KERNEL is {wish!r} in the environment; it may be plain, or not be set.")
    return (None if wish else compiled_turns()) or turns


if TYPE_CHECKING:
    from pond_hw.kernel.turns import Bare, Rules
else:
    Bare = tuple[int, ...]
    Rules = _chosen().Rules


def compiled() -> bool:
    """Whether the compiled kernel is used."""
    return Rules is not turns.Rules


def rules_of(pond: Variant) -> Rules:
    """The rules of a variant."""
    return Rules(pond.size, pond.target)


def perft(position: Position, depth: int) -> int:
    """What `rules.perft` tells, sooner: the number of legal sequences of exactly `depth` actions."""
    return _perft(rules_of(position.pond), to_bare(position), depth)


def _perft(rules: Rules, position: Bare, depth: int) -> int:
    if depth <= AT_ONCE:
        return rules.perft(position, depth)
    return sum(_perft(rules, rules.play(position, action), depth - 1) for action in rules.actions(position))
