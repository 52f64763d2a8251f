"""Transposition table.

Like rules.py, this is typed Python that `make fast` compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from librt.vecs import append, vec
    from mypy_extensions import i64

WIN_VALUE: Final = 20_000
"""Value of a finished, won game. The value of a forced win is lower by the number of actions to the end."""

MIN_WIN_VALUE: Final = WIN_VALUE - 1_000
"""Minimum value of a forced win. Losses have the same values with a negative sign."""

UNKNOWN_VALUE: Final = 1 << 30
"""Marker for an unknown value."""

EXACT_BOUND: Final = 1
LOWER_BOUND: Final = 2
UPPER_BOUND: Final = 3


def zeros(length: i64) -> vec[i64]:
    zero_words = vec[i64](capacity=length)
    for _ in range(length):
        zero_words = append(zero_words, 0)
    return zero_words


if __file__.endswith((".py", ".pyc")):
    globals()["zeros"] = lambda length: [0] * length  # lists are fastest in plain Python


class TranspositionTable:
    """Search results by position key, each packed in one *entry*.

    An entry holds, from its lowest bits: value + 32768 (16 bits), bound (2), depth (8), action (10), age (8). Values of
    forced wins are relative to the stored position; `ply` converts them to the root.

    Args:
        table_size: number of positions in the table, a power of two. Each takes 16 bytes when compiled.
    """

    def __init__(self, table_size: int) -> None:
        self.words: vec[i64] = zeros(2 * table_size)  # keys next to their entries, for one memory access
        self.mask: i64 = 2 * table_size - 2
        self.age: i64 = 0

    def forget_all(self) -> None:
        """Invalidate all entries."""
        self.age += 1
        if self.age == 256:  # the age has eight bits
            self.words = zeros(self.mask + 2)
            self.age = 1

    def find_entry(self, key: i64) -> i64:
        """Return the entry of a position, or 0 if there is none."""
        words = self.words
        table_slot = key & self.mask
        if words[table_slot] != key:
            table_slot ^= 2
            if words[table_slot] != key:
                return 0
        entry = words[table_slot + 1]
        return entry if entry >> 36 == self.age else 0

    def store_entry(self, key: i64, value: i64, bound: i64, depth: i64, action: i64, ply: i64) -> None:
        """Store a result in the position's own slot, or in the neighbouring slot if its own holds a deeper result."""
        words = self.words
        value += ply if value > MIN_WIN_VALUE else -ply if value < -MIN_WIN_VALUE else 0
        table_slot = key & self.mask
        if words[table_slot] != key:
            old_entry = words[table_slot + 1]
            if old_entry >> 36 == self.age and (old_entry >> 18 & 255) > depth:
                table_slot ^= 2
        words[table_slot] = key
        words[table_slot + 1] = value + 32768 | bound << 16 | depth << 18 | action << 26 | self.age << 36


def bound_kind(value: i64, alpha: i64, beta: i64) -> i64:
    """Return the kind of a result for a window: exact, or a lower or upper bound."""
    if value >= beta:
        return LOWER_BOUND
    return UPPER_BOUND if value <= alpha else EXACT_BOUND


def entry_action(entry: i64) -> i64:
    return entry >> 26 & 1023


def entry_value(entry: i64, depth: i64, alpha: i64, beta: i64, ply: i64) -> i64:
    """Return the value of an entry if it is deep and exact enough for this depth and window, otherwise `UNKNOWN_VALUE`."""
    if entry >> 18 & 255 < depth:
        return UNKNOWN_VALUE
    value = (entry & 65535) - 32768
    value -= ply if value > MIN_WIN_VALUE else -ply if value < -MIN_WIN_VALUE else 0
    known_bound = entry >> 16 & 3
    if known_bound == EXACT_BOUND or (value >= beta if known_bound == LOWER_BOUND else value <= alpha):
        return value
    return UNKNOWN_VALUE
