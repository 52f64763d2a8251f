"""Fast rules and searches on packed positions. The readable rules are in `pond_hw.rules`.

The modules of `KernelModules` are plain typed Python. `make fast` compiles them for this Python. The compiled modules
are used until a source file changes. Both versions give the same results.

    >>> from pond_hw.rules import STANDARD, Action, Position
    >>> from pond_hw.engine.packed import packed_rules, unpack_action, pack_position, pack_action, unpack_position
    >>> rules, position = packed_rules(STANDARD), pack_position(Position.start(STANDARD))
    >>> position = rules.play_action(position, pack_action(Action.from_notation("@b2"), STANDARD))
    >>> unpack_position(position, STANDARD).notation_line
    '..../..../.E../.... d 12 13 0 0'
    >>> str(unpack_action(rules.legal_actions(position)[0], STANDARD))
    '@a1'
    >>> rules.count_sequences(position, 3)
    2970

The environment variable POND_KERNEL=plain forces the plain modules.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from pond_hw.engine.packed.convert import pack_action, pack_position, unpack_action, unpack_actions, unpack_position
from pond_hw.engine.packed.order import MAX_DEPTH
from pond_hw.engine.packed.rules import DARK_WINS, DRAWN, LIGHT_WINS, MAX_GAME_ACTIONS, MAX_WORD, UNDECIDED
from pond_hw.engine.packed.table import MIN_WIN_VALUE, WIN_VALUE
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Position, Variant

__all__ = [
    "DARK_WINS",
    "DRAWN",
    "LIGHT_WINS",
    "MAX_DEPTH",
    "MAX_GAME_ACTIONS",
    "MAX_WORD",
    "MIN_WIN_VALUE",
    "UNDECIDED",
    "WIN_VALUE",
    "ExactSolver",
    "LearnedEvaluation",
    "PackedPosition",
    "PackedRules",
    "PackedSearch",
    "ProofSearch",
    "UctSearch",
    "count_sequences",
    "is_compiled",
    "pack_action",
    "pack_position",
    "packed_rules",
    "unpack_action",
    "unpack_actions",
    "unpack_position",
]

COMPILED_PACKAGE = "pond_hw_fast"
"""Package name of the compiled modules. It differs from that of the plain modules, so that both can be imported."""

UNINTERRUPTED_DEPTH = 4
"""Depth that is counted in one call. Compiled code reacts to Ctrl-C only between calls."""


class KernelModules(NamedTuple):
    """Modules that are compiled together, in import order."""

    rules: ModuleType
    table: ModuleType
    evaluation: ModuleType
    order: ModuleType
    search: ModuleType
    monte_carlo: ModuleType
    solver_layers: ModuleType
    solver: ModuleType
    proof: ModuleType


def _load_kernel(package_name: str) -> KernelModules:
    return KernelModules(*(importlib.import_module(f"{package_name}.{name}") for name in KernelModules._fields))


PLAIN_KERNEL = _load_kernel(__name__)


def source_digest() -> str | None:
    """Return the digest of the source files, or None if only byte code is available."""
    digest = sha256()
    try:
        for module in PLAIN_KERNEL:
            digest.update(sha256(Path(str(module.__file__)).read_bytes()).digest())
    except OSError:
        return None
    return digest.hexdigest()


def compiled_kernel() -> KernelModules | None:
    """Return the compiled modules, or None if they are missing for this Python or out of date."""
    try:
        kernel_modules = _load_kernel(COMPILED_PACKAGE)
    except ImportError:
        return None
    return kernel_modules if getattr(kernel_modules.rules, "SOURCE", "") == source_digest() else None


def _choose_kernel() -> KernelModules:
    kernel_choice = os.environ.get("POND_KERNEL", "")
    if kernel_choice not in ("", "plain"):
        raise PondError(Message("packed.wrong_kernel", text=kernel_choice))
    return (None if kernel_choice else compiled_kernel()) or PLAIN_KERNEL


if TYPE_CHECKING:
    from pond_hw.engine.packed.evaluation import LearnedEvaluation
    from pond_hw.engine.packed.monte_carlo import UctSearch
    from pond_hw.engine.packed.proof import ProofSearch
    from pond_hw.engine.packed.rules import PackedPosition, PackedRules
    from pond_hw.engine.packed.search import PackedSearch
    from pond_hw.engine.packed.solver import ExactSolver
else:
    PackedPosition = tuple[int, ...]
    _kernel = _choose_kernel()
    PackedRules, PackedSearch = _kernel.rules.PackedRules, _kernel.search.PackedSearch
    LearnedEvaluation = _kernel.evaluation.LearnedEvaluation
    UctSearch, ExactSolver = _kernel.monte_carlo.UctSearch, _kernel.solver.ExactSolver
    ProofSearch = _kernel.proof.ProofSearch


def is_compiled() -> bool:
    return PackedRules is not PLAIN_KERNEL.rules.PackedRules


def packed_rules(variant: Variant) -> PackedRules:
    return PackedRules(variant.size, variant.target)


def count_sequences(position: Position, depth: int, on_progress: Callable[[float], object] = float) -> int:
    """Return the number of legal sequences of exactly `depth` actions. `on_progress` is called with the fraction completed."""
    rules = packed_rules(position.variant)

    def count_from(packed_position: PackedPosition, depth: int, start_share: float, share_width: float) -> int:
        if depth <= UNINTERRUPTED_DEPTH:
            return rules.count_sequences(packed_position, depth)
        total, actions = 0, rules.legal_actions(packed_position)
        share_width /= max(1, len(actions))
        for number, action in enumerate(actions):
            on_progress(start_share + number * share_width)
            next_position = rules.play_action(packed_position, action)
            total += count_from(next_position, depth - 1, start_share + number * share_width, share_width)
        return total

    return count_from(pack_position(position), depth, 0.0, 1.0)
