"""Prompt for an unfinished game. Nothing is decided for the players.

    a1  resume the game
    b1  show it; any touch returns to the prompt
    c1  start another game (this one stays saved)

With buttons a press chooses. With pieces, a piece is lifted and put back on the cell, or put there and removed again.
The two halves must be far enough apart to be deliberate, with no other change between them.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Position, Variant
from pond_hw.session.scene import CellRole

MIN_TOUCH_SECONDS = 0.4
"""Minimum seconds between the two halves of a deliberate touch. A loose contact is faster."""

MAX_TOUCH_SECONDS = 10.0
"""Maximum seconds between the two halves. A later change begins a new touch."""


class ResumeChoice(Enum):
    """Answers to the resume prompt, by cell."""

    RESUME = "a1"
    LOOK = "b1"
    DISCARD = "c1"


class ResumePrompt(NamedTuple):
    """State of the prompt.

    Attributes:
        half_touch: Cell and time in seconds of the first half of a touch.
        fallback_variant: Variant of the next game if this one is declined; None for the same variant.
    """

    is_looking: bool = False
    half_touch: tuple[Cell, float] | None = None
    fallback_variant: Variant | None = None

    def after_touch(self, touch: Touch, *, pieces: bool) -> tuple[ResumePrompt, Cell | None]:
        """Return the prompt after a touch, and the cell if the touch is complete."""
        if not pieces:
            return self, touch.cell if touch.down else None
        if self.half_touch and self.half_touch[0] == touch.cell:
            passed = touch.instant - self.half_touch[1]
            if MIN_TOUCH_SECONDS <= passed <= MAX_TOUCH_SECONDS:
                return self._replace(half_touch=None), touch.cell
        return self._replace(half_touch=(touch.cell, touch.instant)), None


CHOICE_ROLES = {
    ResumeChoice.RESUME: CellRole.DEFAULT_CHOICE,
    ResumeChoice.LOOK: CellRole.CHOICE,
    ResumeChoice.DISCARD: CellRole.TAKE_OFF,
}
"""Roles of the cells while the prompt is open."""


def describe_game(position: Position, turn_count: int) -> Message:
    """Describe a game for use within a sentence: variant, progress, score and side to move."""
    variant, side, (light, dark) = position.variant.name, str(position.to_move), position.scored
    if turn_count == 0:
        return Message("game.not_begun", variant=variant, side=side)
    return Message("game.going_on", variant=variant, count=turn_count, light=light, dark=dark, side=side)
