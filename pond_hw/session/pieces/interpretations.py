"""Types of `interpreter`: the game that it compares with the board, and the meanings that a difference can have."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Outcome, Piece, Position, Side, Symbol, Turn, Variant
from pond_hw.session.pieces.sensors import BoardDifference

STUCK_SECONDS = 30.0  # an extra piece that nobody removes for so long is put down to its sensor

CONFIRM_SECONDS = 3.0  # how long what is announced has to be stable: enough to see it and to say no with a hand
CORRECT_SECONDS = 0.5  # the same for an action that has been corrected at once
FURTHER_CONFIRM_SECONDS = 6.0  # the same for taking back more than the last turn of a person, and while a hand is busy


class GameOnBoard(Protocol):
    """Game on a board with pieces, as far as its interpretation needs it. A session is one."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every turn, in order."""

    @property
    def position(self) -> Position:
        """Position that the game has come to."""

    @property
    def declared_outcome(self) -> Outcome | None:
        """Resignation or agreement that ended the game; None if there was none."""

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""

    @property
    def turn_key(self) -> bool:
        """True if nothing counts before a turn key is pressed."""

    @property
    def is_being_set_up(self) -> bool:
        """True while hands set up the position of an exercise: a board cleared for that opens no menu."""

    @property
    def menu_cells(self) -> Set[Cell]:
        """Cells of the menu page that is open, or that opens first."""

    @property
    def menu_variants(self) -> Mapping[Cell, Variant]:
        """Variants on the menu page that is open, or that opens first."""

    def find_position_before(self, turn_count: int) -> Position:
        """Return the position before the last `turn_count` turns."""

    def describe_warning(self, action: Action) -> Message | None:
        """Return what the side to move is warned of before this action counts; None if of nothing."""

    def describe_chosen(self, cell: Cell) -> Message:
        """Describe what may be done with the piece of a cell that is lifted."""

    def describe_menu(self, picked_cell: Cell | None) -> tuple[Message, ...]:
        """Describe the menu, or the choice on which a piece was put."""

    def describe_set_up(self) -> tuple[Message, ...]:
        """Describe why the position of an exercise is set up; empty if none is."""


@dataclass(frozen=True, slots=True)
class Moves:
    """These actions, one after the other.

    Attributes:
        actions: the actions.
        corrected_count: how many turns are taken back before, because the piece that acted was moved on at once.
    """

    actions: tuple[Action, ...]
    corrected_count: int = 0


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The last `turn_count` turns are taken back."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class OpenMenu:
    """The board was cleared: the players choose what to play."""


@dataclass(frozen=True, slots=True)
class ChooseVariant:
    """The players chose the variant of this menu cell."""

    menu_cell: Cell


@dataclass(frozen=True, slots=True)
class EndedTurns:
    """A press of a turn key ends these turns.

    Attributes:
        actions: the actions, one after the other.
        forgotten_by: the side whose press for the first of two is missing; None if there is one turn.
        suspected_cells: the cells whose sensors are bad, as the press says.
    """

    actions: tuple[Action, ...]
    forgotten_by: Side | None = None
    suspected_cells: frozenset[Cell] = frozenset()


@dataclass(frozen=True, slots=True)
class RefusedPress:
    """A press of a turn key ends no turn.

    Attributes:
        reason: what is in the way.
        cell: the cell where it is; None if it is nowhere in particular.
    """

    reason: Message
    cell: Cell | None = None


# What hands can say with pieces.
Intent = Moves | TakeBack | OpenMenu | ChooseVariant | EndedTurns | RefusedPress


@dataclass(frozen=True, slots=True)
class InSync:
    """Board and game agree, but for what is to be removed and turned over."""


IN_SYNC = InSync()


@dataclass(frozen=True, slots=True)
class PieceInHand:
    """The mover's own piece of that cell is in a hand."""

    cell: Cell


AtRest = InSync | PieceInHand  # nothing has been put down


@dataclass(frozen=True, slots=True)
class UnfinishedTurn:
    """Hands are doing what counts with the next press of a turn key."""


@dataclass(frozen=True, slots=True)
class CertainMoves:
    """The difference can mean one thing only."""

    intent: Moves
    is_unsensed: bool = False  # whether hands have confirmed it, and no sensor has detected it


@dataclass(frozen=True, slots=True)
class PendingConfirmation:
    """The difference may mean this; it is announced, and counts if nothing moves for `confirm_seconds`.

    Attributes:
        intent: what is about to be done.
        confirm_seconds: how long it is announced; infinity if it waits for `cells_to_return`.
        other_count: how many other meanings there are; lifting and putting down again shows the next.
        needs_gesture: whether no sensor has detected it: then only a confirm gesture makes it count, and if none comes
            it is dropped.
        cells_to_return: the cells of the pieces that are being turned over: it counts when these are back, however
            long that takes, or when somebody goes on.
        needs_press: whether it waits for another press of the turn key.
        suspected_cells: the cells whose sensors are bad if that press comes.
    """

    intent: Intent
    confirm_seconds: float
    other_count: int = 0
    needs_gesture: bool = False
    cells_to_return: tuple[Cell, ...] = ()
    needs_press: bool = False
    suspected_cells: frozenset[Cell] = frozenset()


class RepairStep(NamedTuple):
    """Take the piece from `source` and put it on `target`; None is beside the board.

    One of them is a cell at least.
    """

    source: Cell | None
    target: Cell | None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Board and game differ, and nothing is guessed.

    Attributes:
        difference: where.
        repair_steps: what repairs it, the next step first.
        offered_action: an action that would explain it, if it were made now.
        turns_to_fit: how many turns ago the game stood as the board does, or None.
        begun_action: the action that hands have probably taken, with another piece on its way already.
    """

    difference: BoardDifference
    repair_steps: tuple[RepairStep, ...]
    offered_action: Action | None = None
    turns_to_fit: int | None = None
    begun_action: Action | None = None

    @property
    def cell_to_clear(self) -> Cell | None:
        """The cell from which the next step removes a piece, if one is detected there that should not be."""
        if not self.repair_steps:
            return None
        source, target = self.repair_steps[0]
        return source if target is None and source in self.difference.extra else None


@dataclass(frozen=True, slots=True)
class ChoosingVariant:
    """The menu is open; the cell on which a piece was put, or None."""

    picked_cell: Cell | None = None


# What the difference between board and game means.
Interpretation = InSync | PieceInHand | UnfinishedTurn | CertainMoves | PendingConfirmation | Mismatch | ChoosingVariant


def find_moved_piece(position: Position, action: Action) -> Piece:
    """The piece that an action puts down."""
    moved = position.piece_at(action.source) if action.source else None
    return moved or Piece(position.to_move, Symbol.EGG)
