"""Nouns with a number before them, and words in a row."""

from __future__ import annotations

from collections.abc import Iterable


def count_noun(count: int, noun: str) -> str:
    """A number and its noun, such as `1 game` or `2 games`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def join_words(words: Iterable[object], last: str = "and") -> str:
    """Words in a row, such as `a1, b1 and c1`."""
    *front, end = map(str, words)
    return f"{', '.join(front)} {last} {end}" if front else end
