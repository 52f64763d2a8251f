"""What a step of a session did to the game, for the journal and for whoever else keeps count of it.

A step that changes nothing in the game, as nearly every touch and tick, has none of these.
"""

from __future__ import annotations

from dataclasses import dataclass

from pond_hw.rules import Action, Outcome, Position, Side, Variant


@dataclass(frozen=True, slots=True)
class TurnTaken:
    """A side took its turn with this action."""

    action: Action


@dataclass(frozen=True, slots=True)
class TurnsUndone:
    """So many turns were taken back."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class TurnsRedone:
    """So many turns that had been taken back were played again."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The players ended the game themselves."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class EndUndone:
    """The players took such an end back."""


@dataclass(frozen=True, slots=True)
class HintGiven:
    """A side got one of the hints that it has in this game."""

    side: Side


@dataclass(frozen=True, slots=True)
class GameLeft:
    """The players left a game that is not over; another one has started."""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """Another game started.

    Attributes:
        variant: the variant that is played.
        custom_start: the position that it starts from, or None for the empty pond.
    """

    variant: Variant
    custom_start: Position | None = None


@dataclass(frozen=True, slots=True)
class GameResumed:
    """The players resumed the game that was offered."""


@dataclass(frozen=True, slots=True)
class GameDeclined:
    """The players left the game that was offered; another one has started."""


GameEvent = (
    TurnTaken
    | TurnsUndone
    | TurnsRedone
    | GameEnded
    | EndUndone
    | HintGiven
    | GameLeft
    | GameStarted
    | GameResumed
    | GameDeclined
)
