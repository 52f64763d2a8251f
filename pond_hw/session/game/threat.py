"""What the other side could do after an action: told before the action counts, to a side that wants to be warned."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Position, Side, Turn, legal_actions, play

LOST_PIECES = 2
"""By so many pieces a turn must put the other side ahead to be a threat; a single one is part of any game."""

WON_GAME = 100
"""What winning the game counts as, in pieces."""


class Threat(NamedTuple):
    """What another action would not let the other side do.

    Attributes:
        side: the other side.
        gain: by so many pieces it would get ahead in its next turn; `WON_GAME` if it would win.
        action: how it would do that; None if it has won already.
    """

    side: Side
    gain: int
    action: Action | None

    def describe(self) -> Message:
        """What could follow."""
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
