"""The named ponds: how large the grid is, how many eggs each side starts with, how many pieces win."""

from __future__ import annotations

import re
from typing import NamedTuple

from pond_hw.rules.grid import NotationError


class Variant(NamedTuple):
    """One way to play Pond.

    Attributes:
        name: as people say it and records write it.
        size: rows and columns of the grid, 3 to 5.
        spawn: eggs of each side before the first turn, 1 to 25.
        target: own pieces that a side must score to end the game, 1 to `spawn`.
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
"""The ponds that have a name, by that name."""

STANDARD = VARIANTS["standard"]

_NUMBER_PATTERN = "(0|[1-9][0-9]{0,2})"
_CUSTOM_PATTERN = re.compile(rf"{_NUMBER_PATTERN}x{_NUMBER_PATTERN}/{_NUMBER_PATTERN}/{_NUMBER_PATTERN}", re.ASCII)


def parse_variant(variant_name: str) -> Variant:
    """The variant that a text names: one of `VARIANTS`, or a custom `NxN/S/T` such as `3x3/9/5`.

    Raises:
        NotationError: no such pond; the message says which there are, or which number is out of bounds.
    """
    if variant_name in VARIANTS:
        return VARIANTS[variant_name]
    custom_match = _CUSTOM_PATTERN.fullmatch(variant_name)
    if not custom_match:
        raise NotationError(
            f"There is no variant {variant_name!r}. There are {', '.join(VARIANTS)}, and custom ones such as 3x3/9/5 "
            "(grid, eggs of each side, pieces that win)."
        )
    column_count, row_count, spawn_count, target_score = map(int, custom_match.groups())
    if column_count != row_count or not 3 <= row_count <= 5:
        raise NotationError(f"{variant_name}: the grid is 3x3, 4x4 or 5x5, not {column_count}x{row_count}.")
    if not 1 <= spawn_count <= 25:
        raise NotationError(f"{variant_name}: each side starts with 1 to 25 eggs, not {spawn_count}.")
    if target_score < 1:
        raise NotationError(f"{variant_name}: at least 1 piece must be scored to win, not {target_score}.")
    if target_score > spawn_count:
        raise NotationError(f"{variant_name}: {target_score} pieces cannot be scored with only {spawn_count} eggs.")
    return Variant(variant_name, row_count, spawn_count, target_score)
