"""What a difference between board and game can mean; `interpretation` decides, screens and the protocol show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pond_hw.rules import Action, Cell, Piece, Position, Symbol
from pond_hw.session.repair import RepairStep


class OccupancyDifference(NamedTuple):
    """Where board and game differ; `NO_DIFFERENCE` if nowhere.

    Attributes:
        missing: where a piece should be felt and is not.
        extra: where a piece is felt and should not be.
        wrong_owner: where a piece of the wrong side is felt.
    """

    missing: frozenset[Cell] = frozenset()
    extra: frozenset[Cell] = frozenset()
    wrong_owner: frozenset[Cell] = frozenset()


NO_DIFFERENCE = OccupancyDifference()


@dataclass(frozen=True, slots=True)
class Moves:
    """These actions, one or two, one after the other."""

    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class TakeBack:
    """So many turns are taken back."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class OpenMenu:
    """The board was cleared: what shall be played?"""


Intent = Moves | TakeBack | OpenMenu
"""What wood can say."""


@dataclass(frozen=True, slots=True)
class InSync:
    """Board and game agree, but for what is to be taken off and turned over."""


IN_SYNC = InSync()


@dataclass(frozen=True, slots=True)
class PieceInHand:
    """The mover's own piece of that cell is in a hand."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class CertainMoves:
    """What is felt can mean one thing only."""

    intent: Moves
    is_only_meaning: bool  # whether nothing else that is legal could still come of it: then it need not hold still


@dataclass(frozen=True, slots=True)
class PendingConfirmation:
    """What is felt may mean this; it is announced, and counts if nothing moves for `seconds`.

    Attributes:
        intent: what is about to be done.
        confirm_seconds: how long it is announced.
        other_count: how many other readings there are; lifting and putting down again shows the next.
        needs_gesture: whether no sensor has felt it: then only a nod makes it count, and if none comes it is dropped.
    """

    intent: Intent
    confirm_seconds: float
    other_count: int = 0
    needs_gesture: bool = False


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Board and game differ, and nothing is guessed.

    Attributes:
        difference: where.
        repair_steps: what mends it, the next step first.
        leads_back: whether the steps lead to the board as it was before the last turn, which is nearer.
        offered_action: an action that would explain it, if it were made now.
        turns_to_fit: how many turns ago the board stood as it does, or None.
        blocked_action: the action that may have been taken, if only what is turned over were back.
        half_done_action: the action that may have been taken, with a piece of the other side on its way in the next already.
    """

    difference: OccupancyDifference
    repair_steps: tuple[RepairStep, ...]
    leads_back: bool = False
    offered_action: Action | None = None
    turns_to_fit: int | None = None
    blocked_action: Action | None = None
    half_done_action: Action | None = None


@dataclass(frozen=True, slots=True)
class ChoosingVariant:
    """The menu is open; the cell on which a piece was put, or None."""

    picked_cell: Cell | None = None


Interpretation = InSync | PieceInHand | CertainMoves | PendingConfirmation | Mismatch | ChoosingVariant
"""What all that is felt comes to."""


def find_moved_piece(position: Position, action: Action) -> Piece:
    """The piece that an action puts down."""
    moved = position.piece_at(action.source) if action.source else None
    return moved or Piece(position.to_move, Symbol.EGG)
