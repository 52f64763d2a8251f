"""What there is to see now, by meaning. No colours, no clock: `lights` and the faces decide how it looks."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from pond_hw.rules import Cell, Outcome, Piece, Side, Turn


class Role(Enum):
    """What a cell is to the players at this moment."""

    PLAIN = "plain"  # nothing but what stands on it
    OPEN = "open"  # empty, and an egg may be placed here
    CHOSEN = "chosen"  # the piece that is about to move
    TARGET = "target"  # where the chosen piece may go
    OUTSIDE = "outside"  # of a pond that is smaller than the board


class Sight(NamedTuple):
    """One cell: what stands on it, what it is to the players, and whether the last turn's action ended here."""

    piece: Piece | None = None
    role: Role = Role.PLAIN
    last: bool = False


class Wrong(NamedTuple):
    """A refusal that is shown: on which cell (None: nowhere in particular), and since when, in seconds."""

    cell: Cell | None
    at: float


class Scene(NamedTuple):
    """All there is to see on a board.

    Attributes:
        size: rows and columns of the board; a smaller pond lies in its a1 corner.
        sights: every cell of the board.
        to_move: whose turn it is, or None when the game is over.
        outcome: how the game ended, or None.
        wrong: the last refusal, until something else happens, or None.
        turn: the turn that may still be played out in light, or None once anything else has happened.
        since: when that turn was taken or the game ended, in seconds.
        scored: own pieces that light and dark have scored.
        target: how many of them win.
        trouble: whether the board cannot feel, so that the game waits.
    """

    size: int
    sights: Mapping[Cell, Sight]
    to_move: Side | None
    outcome: Outcome | None
    wrong: Wrong | None
    turn: Turn | None
    since: float
    scored: tuple[int, int] = (0, 0)
    target: int = 1
    trouble: bool = False
