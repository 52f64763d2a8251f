"""A game that was not finished is offered: to be gone on with, looked at, or left. Nothing is decided for the players.

    a1  go on with it
    b1  look at it; any touch comes back
    c1  leave it (it is kept), and begin another

With buttons a press chooses. With pieces it is a touch that nothing else is: what stands on the cell is lifted and put
back there, or something is put there and taken off again, slowly enough to be meant, with no other change in between.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Position, Variant
from pond_hw.session.scene import CellRole

MIN_TOUCH_SECONDS = 0.4
"""From one half of such a touch to the other, at the least: a bad contact is quicker."""

MAX_TOUCH_SECONDS = 10.0
"""And at the most: what comes after that is the beginning of another one."""


class ResumeChoice(Enum):
    """Choices for the game that is offered."""

    RESUME = "a1"
    LOOK = "b1"
    DISCARD = "c1"


class ResumePrompt(NamedTuple):
    """A game waits for a choice.

    Attributes:
        is_looking: whether it is being looked at.
        half_touch: the cell on which half of a touch was felt last, and when.
        fallback_variant: the variant that is played if the game is left: the one that the board was started with. None: the
            same again.
    """

    is_looking: bool = False
    half_touch: tuple[Cell, float] | None = None
    fallback_variant: Variant | None = None

    def after_touch(self, touch: Touch, *, pieces: bool) -> tuple[ResumePrompt, Cell | None]:
        """The offer after something was felt, and the cell that was touched, if one was.

        Args:
            touch: a finger, or one change under the pieces.
            pieces: which of them.
        """
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
"""Roles of the cells of the choices while a game is offered."""


def describe_game(position: Position, turn_count: int) -> Message:
    """A game in a few words, for the middle of a sentence: its variant, how far it is, the score, who is to move."""
    variant, side, (light, dark) = position.variant.name, str(position.to_move), position.scored
    if turn_count == 0:
        return Message("game.not_begun", variant=variant, side=side)
    return Message("game.going_on", variant=variant, count=turn_count, light=light, dark=dark, side=side)
