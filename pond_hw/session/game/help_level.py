"""How much the board helps a side, so that a child and an adult can play on equal terms."""

from __future__ import annotations

from enum import Enum

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
