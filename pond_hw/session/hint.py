"""A hint: what somebody who has looked ahead would do, and what it comes to. It is light and words, and no action."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from pond_hw.rules import Action, Position, Side, play
from pond_hw.session.scene import Role
from pond_hw.session.turn_messages import name, tell_what_if

HINT_SECONDS = 15.0
"""How long a hint is shown, if nothing happens before."""

EVEN = 0.25
"""Pieces ahead or behind that nobody would notice."""

UNDER = frozenset({Role.PLAIN, Role.OPEN, Role.CHOSEN, Role.TARGET, Role.TURN})
"""What a cell may be that a hint is shown on; what hands are to do elsewhere comes first."""


class Worth(NamedTuple):
    """What an action is worth to the side that takes it, if both sides go on as well as they can.

    Attributes:
        pieces: so many scored pieces it will be ahead, about; behind, if negative. Of a game that is decided it only
            says who wins.
        end: if the game is decided, whatever the other side does: after how many actions, this one included; or None.
    """

    pieces: float
    end: int | None = None


class Hint(NamedTuple):
    """What was asked for, and what came.

    Attributes:
        action: the action, or None as long as it is thought about.
        worth: what it is worth.
        until: when it goes away, in seconds.
    """

    action: Action | None = None
    worth: Worth = Worth(0.0)
    until: float = inf


def tell_hint(position: Position, hint: Hint) -> str:
    """The hint in words: what to do, what would develop and score, and what it is worth."""
    if hint.action is None:
        return "Thinking about a hint."
    turn = play(position, hint.action)
    told = tell_what_if(turn)
    return f"Hint: {told}" if turn.outcome else f"Hint: {told} {tell_worth(position.to_move, hint.worth)}"


def tell_worth(side: Side, worth: Worth) -> str:
    """How the game stands for a side."""
    if worth.end is not None:
        if worth.pieces < 0:
            return f"{name(side.other)} can win whatever {side} does."
        more = (worth.end - 1) // 2
        return f"{name(side)} can then win whatever {side.other} does, in {more} more turn{'s' if more > 1 else ''}."
    if abs(worth.pieces) < EVEN:
        return "Then the game is about even."
    pieces = f"{abs(worth.pieces):.1f} piece{'' if f'{abs(worth.pieces):.1f}' == '1.0' else 's'}"
    return f"{name(side)} is then about {pieces} {'ahead' if worth.pieces > 0 else 'behind'}."
