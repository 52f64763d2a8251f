"""All that evens the odds for one side, so that it can be remembered by the name of whoever plays it."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.session.game.head_start import describe_head_start
from pond_hw.session.game.help_level import HelpLevel, describe_help_level
from pond_hw.session.game.hint_limit import describe_hint_limit

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


USUAL_HELP = SideHelp()
"""What every side gets until somebody says otherwise."""
