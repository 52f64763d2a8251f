"""Nouns with a number before them."""

from __future__ import annotations


def count_noun(count: int, noun: str) -> str:
    """A number and its noun, such as `1 game` or `2 games`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
