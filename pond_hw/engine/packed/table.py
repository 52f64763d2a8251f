"""What a search remembers of the positions it has looked at, in machine words.

Like rules.py this is plain typed Python which `make fast` compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from librt.vecs import append, vec
    from mypy_extensions import i64

WIN_VALUE: Final = 20_000
"""The value of a game that is won, less the actions until then."""

SURE_VALUE: Final = WIN_VALUE - 1_000
"""Values from this one up are won games, from its negative down lost ones."""

UNKNOWN_VALUE: Final = 1 << 30
"""No position has this value."""

EXACT_BOUND: Final = 1
LOWER_BOUND: Final = 2
UPPER_BOUND: Final = 3


def zeros(length: i64) -> vec[i64]:
    """So many machine words, all 0."""
    zero_words = vec[i64](capacity=length)
    for _ in range(length):
        zero_words = append(zero_words, 0)
    return zero_words


if __file__.endswith(".py"):
    globals()["zeros"] = lambda length: [0] * length  # for the interpreter a list is the quickest


class TranspositionTable:
    """Positions by their keys, each with one number that says what is known of it: its *entry*.

    An entry holds, from its lowest bits: value + 32768 (16 bits), bound (2), depth (8), action (10), age (8). Values of won
    games count from the position in the table, not from the root of the search: `ply` is how far the one is from the other.

    Args:
        places: how many positions it can hold, a power of two; each takes 16 bytes compiled.
    """

    def __init__(self, places: int) -> None:
        self.words: vec[i64] = zeros(2 * places)  # each key, and its entry beside it: one look into memory finds both
        self.mask: i64 = 2 * places - 2
        self.age: i64 = 0

    def forget_all(self) -> None:
        """Make every entry too old to be used."""
        self.age += 1
        if self.age == 256:  # an entry has eight bits for it
            self.words = zeros(self.mask + 2)
            self.age = 1

    def find_entry(self, key: i64) -> i64:
        """What the table has of a position, or 0."""
        words = self.words
        table_slot = key & self.mask
        if words[table_slot] != key:
            table_slot ^= 2
            if words[table_slot] != key:
                return 0
        entry = words[table_slot + 1]
        return entry if entry >> 36 == self.age else 0

    def store_entry(self, key: i64, value: i64, bound: i64, depth: i64, action: i64, ply: i64) -> None:
        """Put a position where it is already, or instead of one that took less work."""
        words = self.words
        value += ply if value > SURE_VALUE else -ply if value < -SURE_VALUE else 0
        table_slot = key & self.mask
        if words[table_slot] != key:
            old_entry = words[table_slot + 1]
            if old_entry >> 36 == self.age and (old_entry >> 18 & 255) > depth:
                table_slot ^= 2
        words[table_slot] = key
        words[table_slot + 1] = value + 32768 | bound << 16 | depth << 18 | action << 26 | self.age << 36


def bound_kind(value: i64, alpha: i64, beta: i64) -> i64:
    """What a search with that window knows of a position: its value, or only a bound on it."""
    if value >= beta:
        return LOWER_BOUND
    return UPPER_BOUND if value <= alpha else EXACT_BOUND


def entry_action(entry: i64) -> i64:
    """The action that was best in the position of an entry."""
    return entry >> 26 & 1023


def entry_value(entry: i64, depth: i64, alpha: i64, beta: i64, ply: i64) -> i64:
    """The value in an entry if it settles a search of that depth and window, else `UNKNOWN_VALUE`."""
    if entry >> 18 & 255 < depth:
        return UNKNOWN_VALUE
    value = (entry & 65535) - 32768
    value -= ply if value > SURE_VALUE else -ply if value < -SURE_VALUE else 0
    known_bound = entry >> 16 & 3
    if known_bound == EXACT_BOUND or (value >= beta if known_bound == LOWER_BOUND else value <= alpha):
        return value
    return UNKNOWN_VALUE
