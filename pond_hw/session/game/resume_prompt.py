"""Prompt that offers to resume an unfinished game. The choice is always left to the players.

    a1  resume the game
    b1  show it; any touch returns to the prompt
    c1  start another game (this one stays saved)

On a board with buttons, players press a cell. On a board with pieces, they lift the cell's piece and put it back, or
put a piece there and remove it again. The pause between the two halves must be long enough to be deliberate, and
nothing else may change in between.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Position, Variant
from pond_hw.session.scene import CellRole

MIN_TOUCH_SECONDS = 0.4
"""Minimum seconds between the two halves of a deliberate touch. A loose contact would be faster."""

MAX_TOUCH_SECONDS = 10.0
"""Maximum seconds between the two halves of a touch. Any later change begins a new touch."""


class ResumeChoice(Enum):
    """Answers to the resume prompt, by cell."""

    RESUME = "a1"
    LOOK = "b1"
    DISCARD = "c1"


class ResumePrompt(NamedTuple):
    """State of the prompt.

    Attributes:
        half_touch: Cell and time in seconds of the first half of a touch.
        fallback_variant: Variant of the next game if players decline to resume; None to keep the current variant.
    """

    is_looking: bool = False
    half_touch: tuple[Cell, float] | None = None
    fallback_variant: Variant | None = None

    def after_touch(self, touch: Touch, *, pieces: bool) -> tuple[ResumePrompt, Cell | None]:
        """Return the prompt after a touch, and the touched cell if the touch is complete."""
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
"""Role of each choice's cell while the prompt is open."""


def describe_game(position: Position, turn_count: int) -> Message:
    """Describe a game in a phrase for use in a sentence: variant, progress, score and side to move."""
    variant, side, (light, dark) = position.variant.name, str(position.to_move), position.scored
    if turn_count == 0:
        return Message("game.not_begun", variant=variant, side=side)
    return Message("game.going_on", variant=variant, count=turn_count, light=light, dark=dark, side=side)
