"""Variants of the game: grid size, number of eggs and target score."""

from __future__ import annotations

import re
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules.grid import NotationError


class Variant(NamedTuple):
    """Rules that differ between the variants of Pond.

    Attributes:
        name: name, as written in records.
        size: number of rows and columns, 3 to 5.
        spawn: number of eggs per side at the start, 1 to 25.
        target: number of its own pieces that a side must score to end the game, 1 to `spawn`.
    """

    name: str
    size: int
    spawn: int
    target: int

    def __str__(self) -> str:
        return self.name


VARIANTS = {
    v.name: v
    for v in (
        Variant("standard", 4, 13, 10),  # the rulebook; Board Game Arena today
        Variant("mini", 4, 10, 7),  # Board Game Arena today
        Variant("big", 5, 14, 10),  # Board Game Arena today
        Variant("small-11", 4, 11, 7),  # Board Game Arena, February 2024
        Variant("small-13", 4, 13, 10),  # Board Game Arena, April 2024
        Variant("small-14", 4, 14, 10),  # Board Game Arena, April 2024
        Variant("big-15", 5, 15, 10),  # Board Game Arena, 2024
    )
}
"""Built-in variants by name."""

STANDARD = VARIANTS["standard"]

_NUMBER_PATTERN = "(0|[1-9][0-9]{0,2})"
_CUSTOM_PATTERN = re.compile(rf"{_NUMBER_PATTERN}x{_NUMBER_PATTERN}/{_NUMBER_PATTERN}/{_NUMBER_PATTERN}", re.ASCII)


def parse_variant(variant_name: str) -> Variant:
    """Return the variant with this name: one of `VARIANTS`, or a custom `NxN/S/T` such as `3x3/9/5`.

    Raises:
        NotationError: the name is unknown or a number is out of bounds.
    """
    if variant_name in VARIANTS:
        return VARIANTS[variant_name]
    custom_match = _CUSTOM_PATTERN.fullmatch(variant_name)
    if not custom_match:
        raise NotationError(Message("variant.unknown", name=variant_name, names=tuple(VARIANTS)))
    column_count, row_count, spawn_count, target_score = map(int, custom_match.groups())
    if column_count != row_count or not 3 <= row_count <= 5:
        raise NotationError(Message("variant.wrong_grid", name=variant_name, grid=f"{column_count}x{row_count}"))
    if not 1 <= spawn_count <= 25:
        raise NotationError(Message("variant.wrong_spawn", name=variant_name, eggs=spawn_count))
    if target_score < 1:
        raise NotationError(Message("variant.target_too_low", name=variant_name, target=target_score))
    if target_score > spawn_count:
        raise NotationError(
            Message("variant.target_too_high", name=variant_name, target=target_score, eggs=spawn_count)
        )
    return Variant(variant_name, row_count, spawn_count, target_score)
