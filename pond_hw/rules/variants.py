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


def parse_variant(text: str) -> Variant:
    """The variant that a text names: one of `VARIANTS`, or a custom `NxN/S/T` such as `3x3/9/5`.

    Raises:
        NotationError: no such pond; the message says which there are, or which number is out of bounds.
    """
    if text in VARIANTS:
        return VARIANTS[text]
    custom = _CUSTOM_PATTERN.fullmatch(text)
    if not custom:
        raise NotationError(
            f"There is no variant {text!r}. There are {', '.join(VARIANTS)}, and custom ones such as 3x3/9/5 "
            "(grid, eggs of each side, pieces that win)."
        )
    columns, rows, spawn, target = map(int, custom.groups())
    if columns != rows or not 3 <= rows <= 5:
        raise NotationError(f"{text}: the grid is 3x3, 4x4 or 5x5, not {columns}x{rows}.")
    if not 1 <= spawn <= 25:
        raise NotationError(f"{text}: each side starts with 1 to 25 eggs, not {spawn}.")
    if target < 1:
        raise NotationError(f"{text}: at least 1 piece must be scored to win, not {target}.")
    if target > spawn:
        raise NotationError(f"{text}: {target} pieces cannot be scored with only {spawn} eggs.")
    return Variant(text, rows, spawn, target)
