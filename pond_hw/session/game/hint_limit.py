"""A limit of hints: how many a side gets in each game, so that a child and an adult can play on equal terms."""

from __future__ import annotations

from pond_hw.messages.message import Message
from pond_hw.rules import Side

HintCounts = tuple[int | None, int | None]
"""For light and for dark, in hints; None: as many as it likes."""

NO_HINT_LIMITS: HintCounts = (None, None)

MOST_HINTS = 12
"""The largest limit: for more hints than these most games are too short."""

HINT_LIMIT_CHOICES: tuple[int | None, ...] = (None, MOST_HINTS, 6, 3, 1)
"""The limits that a key goes through, and that the menu of the board has."""


def find_next_limit(limit: int | None) -> int | None:
    """The next smaller one of the choices; no limit after the smallest."""
    return next((each for each in HINT_LIMIT_CHOICES if each and (limit is None or each < limit)), None)


def describe_hint_limit(side: Side, limit: int | None) -> Message:
    """How many hints a side gets from now on."""
    if limit is None:
        return Message("hint_limit.none", side=str(side))
    return Message("hint_limit.set", side=str(side), count=limit)


def count_hints_left(limit: int | None, given: int) -> int | None:
    """How many hints a side has left in a game after so many; it may have had more than a limit that came later."""
    return None if limit is None else max(0, limit - given)


def describe_hints_left(side: Side, left: int) -> Message:
    """How many hints a side has left in this game."""
    if left == 0:
        return Message("hint_limit.last", side=str(side))
    return Message("hint_limit.left", side=str(side), count=left)
