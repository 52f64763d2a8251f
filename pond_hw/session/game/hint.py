"""A hint: a good action, and what it is worth. Lamps and messages show it; nothing is done."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Position, Side, play
from pond_hw.session.scene import CellRole
from pond_hw.session.turn_messages import describe_preview

HINT_SECONDS = 15.0
"""How long a hint is shown, if nothing happens before."""

GOOD_VALUE, VERY_GOOD_VALUE = 0.75, 2.0
"""Pieces ahead from which an action is called good, and very good. `engine.analysis` calls a side ahead from the first."""

HINTABLE_ROLES = frozenset({CellRole.PLAIN, CellRole.OPEN, CellRole.CHOSEN, CellRole.TARGET, CellRole.FLIP})
"""What a cell may be that a hint is shown on; what hands are to do elsewhere comes first."""


class ActionValue(NamedTuple):
    """What an action is worth to the side that takes it, if both sides go on as well as they can.

    Attributes:
        pieces_ahead: so many scored pieces it will be ahead, about; behind, if negative. Of a game that is decided it only
            says who wins.
        decided_after: if the game is decided, whatever the other side does: after how many actions, this one included; or None.
    """

    pieces_ahead: float
    decided_after: int | None = None


class Hint(NamedTuple):
    """What was asked for, and what came.

    Attributes:
        action: the action, or None as long as it is thought about.
        action_value: what it is worth.
        visible_until: when it goes away, in seconds.
    """

    action: Action | None = None
    action_value: ActionValue = ActionValue(0.0)
    visible_until: float = inf


def describe_hint(position: Position, hint: Hint) -> tuple[Message, ...]:
    """The hint: what to do, what would develop and score, and what it is worth."""
    if hint.action is None:
        return (Message("hint.thinking"),)
    turn = play(position, hint.action)
    preview = describe_preview(turn, "hint")
    return preview if turn.outcome else (*preview, describe_action_value(position.to_move, hint.action_value))


def describe_action_value(side: Side, action_value: ActionValue) -> Message:
    """Return how good an action is for a side, in words: numbers are for `pond analyse`."""
    pieces_ahead, decided_after = action_value
    sides = {"side": str(side), "other": str(side.other_side)}
    if decided_after is not None and pieces_ahead < 0:
        return Message("value.lost", **sides)
    if decided_after is not None:
        return Message("value.won", count=(decided_after - 1) // 2, **sides)
    if pieces_ahead >= GOOD_VALUE:
        return Message("value.very_good" if pieces_ahead >= VERY_GOOD_VALUE else "value.good", **sides)
    return Message("value.behind" if pieces_ahead <= -GOOD_VALUE else "value.even", **sides)
