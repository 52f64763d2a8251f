"""Link to another home that plays the same game, as the board knows it.

The log of the linked game is kept by another program. This board follows it, and asks for changes that the other home
has to agree to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pond_hw.rules import Cell, Side, Variant


@dataclass(frozen=True, slots=True)
class TakeBackChange:
    """Take back a turn and all turns after it. `turn` is its number."""

    turn: int


@dataclass(frozen=True, slots=True)
class DrawChange:
    """End the game as a draw."""


@dataclass(frozen=True, slots=True)
class NewGameChange:
    """Start a new game. `side` is the side of this home."""

    variant: Variant
    side: Side


@dataclass(frozen=True, slots=True)
class ResignChange:
    """Resign for this home's side."""


LinkChange = TakeBackChange | DrawChange | NewGameChange | ResignChange
"""Change of a linked game that is not a turn."""


class VersionQuestion(NamedTuple):
    """Question which of two versions of the game counts.

    Attributes:
        is_mine: True if this home has to choose.
        turn_counts: number of turns in each version.
    """

    is_mine: bool
    turn_counts: tuple[int, int]


class LinkView(NamedTuple):
    """State of the link.

    Attributes:
        game: id of the linked game on this board; None if another game is on the board.
        side: side of this home; None for a spectator.
        name: name of the player in the other home, if it is known.
        seen: time at which the other home sent its last message, in seconds since 1970.
        online: True if the program of the link is connected to the broker.
        joined: True if both homes have joined.
        running: True if the program of the link is connected to this board.
        cells: cells to compare by telephone, before the first turn.
        requests: changes that the other home asks for, not answered yet.
        asked: changes that this home asks for, not answered yet.
        declined: changes that the other home has declined.
    """

    game: str | None = None
    side: Side | None = None
    name: str | None = None
    seen: int | None = None
    online: bool = False
    joined: bool = False
    running: bool = False
    cells: tuple[Cell, ...] = ()
    requests: tuple[LinkChange, ...] = ()
    asked: tuple[LinkChange, ...] = ()
    declined: tuple[LinkChange, ...] = ()
    question: VersionQuestion | None = None
