"""What all that is felt can come to: `presence` reads it, and what is seen, said and told to programs follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pond_hw.rules import Action, Cell, Piece, Position, Symbol
from pond_hw.session.repair import Step


class Difference(NamedTuple):
    """Where board and game differ; `AGREED` if nowhere.

    Attributes:
        missing: where a piece should be felt and is not.
        extra: where a piece is felt and should not be.
        strangers: where a piece of the wrong side is felt.
    """

    missing: frozenset[Cell] = frozenset()
    extra: frozenset[Cell] = frozenset()
    strangers: frozenset[Cell] = frozenset()


AGREED = Difference()


@dataclass(frozen=True, slots=True)
class Taken:
    """These actions, one or two, one after the other."""

    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Back:
    """So many turns are taken back."""

    turns: int


@dataclass(frozen=True, slots=True)
class OpenMenu:
    """The board was cleared: what shall be played?"""


Doing = Taken | Back | OpenMenu
"""What wood can say."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Board and game agree, but for what is to be taken off and turned over."""


REST = Rest()


@dataclass(frozen=True, slots=True)
class InHand:
    """The mover's own piece of that cell is in a hand."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Certain:
    """What is felt can mean one thing only."""

    doing: Taken
    only: bool  # whether nothing else that is legal could still come of it: then it need not hold still


@dataclass(frozen=True, slots=True)
class About:
    """What is felt may mean this; it is announced, and counts if nothing moves for `seconds`.

    Attributes:
        doing: what is about to be done.
        seconds: how long it is announced.
        others: how many other readings there are; lifting and putting down again shows the next.
        by_nod: whether no sensor has felt it: then only a nod makes it count, and if none comes it is dropped.
    """

    doing: Doing
    seconds: float
    others: int = 0
    by_nod: bool = False


@dataclass(frozen=True, slots=True)
class Differs:
    """Board and game differ, and nothing is guessed.

    Attributes:
        difference: where.
        steps: what mends it, the next step first.
        back: whether the steps lead to the board as it was before the last turn, which is nearer.
        offered: an action that would explain it, if it were made now.
        fits: how many turns ago the board stood as it does, or None.
        waits: the action that may have been taken, if only what is turned over were back.
        half: the action that may have been taken, with a piece of the other side on its way in the next already.
    """

    difference: Difference
    steps: tuple[Step, ...]
    back: bool = False
    offered: Action | None = None
    fits: int | None = None
    waits: Action | None = None
    half: Action | None = None


@dataclass(frozen=True, slots=True)
class Choosing:
    """The menu is open; the cell on which a piece was put, or None."""

    picked: Cell | None = None


Reading = Rest | InHand | Certain | About | Differs | Choosing
"""What all that is felt comes to."""


def moved_piece(position: Position, action: Action) -> Piece:
    """The piece that an action puts down."""
    moved = position.piece(action.source) if action.source else None
    return moved or Piece(position.to_move, Symbol.EGG)
