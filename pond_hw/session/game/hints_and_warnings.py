"""Hints and warnings.

A hint shows a good action and its value. A warning shows the other side's reply before the action is taken, if warnings
are turned on for the side to move.
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

GOOD_VALUE, VERY_GOOD_VALUE = 0.75, 2.0
"""Minimum lead, in pieces, after a good and a very good action. `engine.analysis` also uses `GOOD_VALUE`."""

HINTABLE_ROLES = frozenset({CellRole.PLAIN, CellRole.OPEN, CellRole.CHOSEN, CellRole.TARGET, CellRole.FLIP})
"""Cell roles that a hint may replace. All other roles, such as hand tasks, take precedence over hints."""


class ActionValue(NamedTuple):
    """Value of an action for the side that takes it, assuming best play.

    Attributes:
        pieces_ahead: Expected lead in scored pieces, negative if behind. In a decided game only the sign matters.
        decided_after: Number of actions to a forced end, including this one; None if undecided.
    """

    pieces_ahead: float
    decided_after: int | None = None


class Hint(NamedTuple):
    """A hint; `action` is None while it is being computed."""

    action: Action | None = None
    action_value: ActionValue = ActionValue(0.0)
    visible_until: float = inf


def describe_hint(position: Position, hint: Hint) -> tuple[Message, ...]:
    if hint.action is None:
        return (Message("hint.thinking"),)
    turn = play(position, hint.action)
    preview = describe_preview(turn, "hint")
    return preview if turn.outcome else (*preview, describe_action_value(position.to_move, hint.action_value))


def describe_action_value(side: Side, action_value: ActionValue) -> Message:
    pieces_ahead, decided_after = action_value
    sides = {"side": str(side), "other": str(side.other_side)}
    if decided_after is not None and pieces_ahead < 0:
        return Message("value.lost", **sides)
    if decided_after is not None:
        return Message("value.won", count=(decided_after - 1) // 2, **sides)
    if pieces_ahead >= GOOD_VALUE:
        return Message("value.very_good" if pieces_ahead >= VERY_GOOD_VALUE else "value.good", **sides)
    return Message("value.behind" if pieces_ahead <= -GOOD_VALUE else "value.even", **sides)


MIN_THREAT = 2
"""Minimum gain, in pieces, that counts as a threat. Losing a single piece is part of any game."""

WIN_GAIN = 100
"""Gain, in pieces, that represents a win."""


class Threat(NamedTuple):
    """A reply by the other side that a different action would prevent.

    `action` is None if the other side has already won.
    """

    side: Side
    gain: int
    action: Action | None

    def describe(self) -> Message:
        side = str(self.side)
        if self.action is None:
            return Message("threat.lost", side=side)
        cell = self.action.target
        if self.gain >= WIN_GAIN:
            return Message("threat.win", side=side, cell=cell)
        return Message("threat.gain", side=side, cell=cell, count=self.gain)


@lru_cache(maxsize=8)
def find_threat(position: Position, action: Action) -> Threat | None:
    """Return the worst immediate reply to an action; None if there is no threat or it cannot be avoided."""
    threat = _find_worst(play(position, action))
    if threat is None:
        return None
    others = (each for each in legal_actions(position) if each != action)
    has_better = any(_find_worst(play(position, each)) is None for each in others)
    return threat if has_better else None


def _find_worst(turn: Turn) -> Threat | None:
    other_side = turn.side.other_side
    if outcome := turn.outcome:
        return Threat(other_side, WIN_GAIN, None) if outcome.winner is other_side else None
    return max(_list_threats(turn.after, other_side), key=lambda threat: threat.gain, default=None)


def _list_threats(position: Position, side: Side) -> Iterator[Threat]:
    for action in legal_actions(position):
        reply = play(position, action)
        scored, outcome = reply.scored_cells, reply.outcome
        gain = len(scored[side]) - len(scored[side.other_side])
        if outcome and outcome.winner is side:
            yield Threat(side, WIN_GAIN, action)
        elif gain >= MIN_THREAT:
            yield Threat(side, gain, action)
