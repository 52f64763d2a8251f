"""Settings that even the odds, so that a child and an adult can play on equal terms.

Of each side: how much the board helps it, pieces that it has scored before the first action, how many hints it gets.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, TypeVar

from pond_hw.messages.message import Message
from pond_hw.rules import Side


class HelpLevel(Enum):
    """What a side gets. Each level has what the ones before it have."""

    NONE = "none"  # the pieces alone
    TARGETS = "targets"  # where a piece may go
    FULL = "full"  # hints, and what an action would do
    WARNINGS = "warnings"  # a warning before an action counts that lets the other side win or score much

    @property
    def gives_advice(self) -> bool:
        """Whether there are hints, and previews of actions."""
        return self in (HelpLevel.FULL, HelpLevel.WARNINGS)


HelpLevels = tuple[HelpLevel, HelpLevel]
"""For light and for dark."""

FULL_HELP: HelpLevels = (HelpLevel.FULL, HelpLevel.FULL)


def describe_help_level(side: Side, level: HelpLevel) -> Message:
    """What a side gets from now on."""
    return Message(f"help_level.{level.value}", side=str(side))


HeadStarts = tuple[int, int]
"""For light and for dark, in scored pieces."""

NO_HEAD_STARTS: HeadStarts = (0, 0)

MOST_HEAD_START = 5


def describe_head_start(side: Side, pieces: int, *, is_now: bool) -> Message:
    """What a side begins with from now on, or from the next game on."""
    return Message("head_start.now" if is_now else "head_start.next", side=str(side), count=pieces)


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


_Value = TypeVar("_Value")


class SideHelp(NamedTuple):
    """What a side gets.

    Attributes:
        level: how much the board helps it.
        head_start: what it has scored before the first action of each game.
        hint_limit: how many hints it gets in each game; None: as many as it likes.
    """

    level: HelpLevel = HelpLevel.FULL
    head_start: int = 0
    hint_limit: int | None = None

    def describe_changes(self, before: SideHelp, side: Side, *, is_now: bool) -> tuple[Message, ...]:
        """What is different from before.

        Args:
            before: what the side had.
            side: the side.
            is_now: whether a head start counts in this game.
        """
        changes: list[Message] = []
        if self.level is not before.level:
            changes.append(describe_help_level(side, self.level))
        if self.head_start != before.head_start:
            changes.append(describe_head_start(side, self.head_start, is_now=is_now))
        if self.hint_limit != before.hint_limit:
            changes.append(describe_hint_limit(side, self.hint_limit))
        return tuple(changes)


def with_side(pair: tuple[_Value, _Value], side: Side, value: _Value) -> tuple[_Value, _Value]:
    """What light and dark have, after a side has got something else."""
    return (value, pair[Side.DARK]) if side is Side.LIGHT else (pair[Side.LIGHT], value)


DEFAULT_HELP = SideHelp()
"""What every side gets until somebody says otherwise."""
