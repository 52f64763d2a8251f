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
from pond_hw.messages.plurals import count_noun
from pond_hw.rules import Cell, Piece, Position, Variant
from pond_hw.session.scene import Role

MEANT_SECONDS = 0.4
"""From one half of such a touch to the other, at the least: a bad contact is quicker."""

FORGOTTEN_SECONDS = 10.0
"""And at the most: what comes after that is the beginning of another one."""


class Choice(Enum):
    """What may become of the game that is offered."""

    RESUME = "a1"
    LOOK = "b1"
    DISCARD = "c1"


class Offer(NamedTuple):
    """A game waits for a choice.

    Attributes:
        looking: whether it is being looked at.
        begun: the cell on which half of a touch was felt last, and when.
        otherwise: the variant that is played if the game is left: the one that the board was started with. None: the
            same again.
    """

    looking: bool = False
    begun: tuple[Cell, float] | None = None
    otherwise: Variant | None = None

    def touched(self, touch: Touch, *, pieces: bool) -> tuple[Offer, Cell | None]:
        """The offer after something was felt, and the cell that was touched, if one was.

        Args:
            touch: a finger, or one change under the pieces.
            pieces: which of them.
        """
        if not pieces:
            return self, touch.cell if touch.down else None
        if self.begun and self.begun[0] == touch.cell:
            passed = touch.at - self.begun[1]
            if MEANT_SECONDS <= passed <= FORGOTTEN_SECONDS:
                return self._replace(begun=None), touch.cell
        return self._replace(begun=(touch.cell, touch.at)), None


_SHOWN = {Choice.RESUME: Role.USUAL, Choice.LOOK: Role.CHOICE, Choice.DISCARD: Role.TAKE_OFF}


def offer_sights(offer: Offer) -> dict[Cell, tuple[Piece | None, Role]]:
    """What is laid over the cells: the three choices, or nothing while the game is looked at."""
    return {} if offer.looking else {choice.value: (None, role) for choice, role in _SHOWN.items()}


def describe_game(position: Position, turns: int) -> str:
    """A game in a few words: its variant, how far it is, the score, who is to move."""
    light, dark = position.scored
    so_far = "not begun" if not turns else f"{count_noun(turns, 'turn')}, {light} to {dark}"
    return f"{position.pond}, {so_far}, {position.to_move} to move"


def tell_offer(position: Position, turns: int, *, looking: bool, pieces: bool) -> str:
    """What is offered, and how to choose."""
    game = describe_game(position, turns)
    if looking:
        return f"So it stands: {game}. Touch the board to go back."
    how = " (lift what stands there and put it back, or put a piece there and take it off)" if pieces else ""
    return f"A game is not finished: {game}. Touch{how} a1 to go on, b1 to look at it, c1 to leave it; it is kept."
