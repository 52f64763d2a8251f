"""Hints and warnings.

A hint is a good action, and what it is worth. Lamps and messages show it; nothing is done. A warning says what the other
side could do after an action, before the action counts, to a side that wants to be warned.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import inf
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Position, Side, Turn, legal_actions, play
from pond_hw.session.scene import CellRole
from pond_hw.session.turn_messages import describe_preview

HINT_SECONDS = 15.0
"""Seconds that a hint is shown, if nothing happens before."""

GOOD_VALUE, VERY_GOOD_VALUE = 0.75, 2.0
"""Pieces ahead from which an action is called good, and very good. `engine.analysis` calls a side ahead from the first."""

HINTABLE_ROLES = frozenset({CellRole.PLAIN, CellRole.OPEN, CellRole.CHOSEN, CellRole.TARGET, CellRole.FLIP})
"""Roles of cells on which a hint is shown; tasks for hands come first elsewhere."""


class ActionValue(NamedTuple):
    """Value of an action for the side that takes it, if both sides go on as well as they can.

    Attributes:
        pieces_ahead: so many scored pieces it will be ahead, about; behind, if negative. Of a game that is decided it only
            says who wins.
        decided_after: if the game is decided, whatever the other side does: after how many actions, this one included; or None.
    """

    pieces_ahead: float
    decided_after: int | None = None


class Hint(NamedTuple):
    """A hint that is being computed or shown.

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


LOST_PIECES = 2
"""By so many pieces a turn must put the other side ahead to be a threat; a single one is part of any game."""

WON_GAME = 100
"""Gain that winning the game counts as, in pieces."""


class Threat(NamedTuple):
    """A turn of the other side that another action would not allow.

    Attributes:
        side: the other side.
        gain: by so many pieces it would get ahead in its next turn; `WON_GAME` if it would win.
        action: how it would do that; None if it has won already.
    """

    side: Side
    gain: int
    action: Action | None

    def describe(self) -> Message:
        """Describe what could follow."""
        side = str(self.side)
        if self.action is None:
            return Message("threat.lost", side=side)
        cell = self.action.target
        if self.gain >= WON_GAME:
            return Message("threat.win", side=side, cell=cell)
        return Message("threat.gain", side=side, cell=cell, count=self.gain)


@lru_cache(maxsize=8)
def find_threat(position: Position, action: Action) -> Threat | None:
    """The worst that could follow an action; None if it is nothing, or if something like it follows every action.

    It looks at the next turn only, and by the rules alone.

    Raises:
        IllegalAction: the action may not be done.
    """
    threat = _find_worst(play(position, action))
    if threat is None:
        return None
    others = (each for each in legal_actions(position) if each != action)
    has_better = any(_find_worst(play(position, each)) is None for each in others)
    return threat if has_better else None


def _find_worst(turn: Turn) -> Threat | None:
    other_side = turn.side.other_side
    if outcome := turn.outcome:
        return Threat(other_side, WON_GAME, None) if outcome.winner is other_side else None
    return max(_list_threats(turn.after, other_side), key=lambda threat: threat.gain, default=None)


def _list_threats(position: Position, side: Side) -> Iterator[Threat]:
    for action in legal_actions(position):
        reply = play(position, action)
        scored, outcome = reply.scored_cells, reply.outcome
        gain = len(scored[side]) - len(scored[side.other_side])
        if outcome and outcome.winner is side:
            yield Threat(side, WON_GAME, action)
        elif gain >= LOST_PIECES:
            yield Threat(side, gain, action)
