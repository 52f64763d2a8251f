"""Input and output types of `interpreter`."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Outcome, Piece, Position, Side, Symbol, Turn, Variant
from pond_hw.session.pieces.sensors import BoardDifference

STUCK_SECONDS = 30.0  # time after which the sensor of an extra piece is assumed to be stuck

CONFIRM_SECONDS = 3.0  # announcement time: enough to read the announcement and cancel it by hand
CORRECT_SECONDS = 0.5  # announcement time for an immediate correction
FURTHER_CONFIRM_SECONDS = 6.0  # announcement time for undoing several turns, or while a player holds a piece


class GameOnBoard(Protocol):
    """The part of a game that the interpreter needs. `Session` implements this protocol."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns, in order."""

    @property
    def position(self) -> Position:
        """Current position."""

    @property
    def declared_outcome(self) -> Outcome | None:
        """Resignation or agreed draw that ended the game, if any."""

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""

    @property
    def turn_key(self) -> bool:
        """True if a turn counts only after its turn key is pressed."""

    @property
    def follows_log(self) -> bool:
        """True if the game is linked with another home. Then turns can't be corrected."""

    @property
    def is_being_set_up(self) -> bool:
        """True while players are setting up an exercise position. Clearing the board then does not open the menu."""

    @property
    def menu_cells(self) -> Set[Cell]:
        """Cells with a choice on the open menu page, or on the first page if the menu is closed."""

    @property
    def menu_variants(self) -> Mapping[Cell, Variant]:
        """Variants on the open menu page, or on the first page if the menu is closed."""

    def find_position_before(self, turn_count: int) -> Position:
        """Return the position before the last `turn_count` turns."""

    def describe_warning(self, action: Action) -> Message | None:
        """Return the warning about an action of the side to move, if any."""

    def describe_chosen(self, cell: Cell) -> Message:
        """Describe the options of a lifted piece."""

    def describe_menu(self, picked_cell: Cell | None) -> tuple[Message, ...]:
        """Describe the menu, or the choice on which a piece was put."""

    def describe_set_up(self) -> tuple[Message, ...]:
        """Explain why an exercise position must be set up; empty outside of exercises."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Actions to take, in order.

    Attributes:
        corrected_count: Number of turns to undo first, because a piece that had acted was moved on at once.
    """

    actions: tuple[Action, ...]
    corrected_count: int = 0


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Request to undo the last `turn_count` turns."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class OpenMenu:
    """Request to open the menu, made by clearing the board."""


@dataclass(frozen=True, slots=True)
class ChooseVariant:
    """Choice of a menu cell."""

    menu_cell: Cell


@dataclass(frozen=True, slots=True)
class EndedTurns:
    """Turns ended by pressing a turn key.

    Attributes:
        forgotten_by: Side that forgot to press its key after the first of two turns.
        suspected_cells: Cells whose sensors must be bad if this interpretation is right.
    """

    actions: tuple[Action, ...]
    forgotten_by: Side | None = None
    suspected_cells: frozenset[Cell] = frozenset()


@dataclass(frozen=True, slots=True)
class RefusedPress:
    """A press of a turn key that does not end a turn.

    Attributes:
        reason: Message to the player.
        cell: Cell that prevents the turn from ending, if any.
    """

    reason: Message
    cell: Cell | None = None


# Intents that players can express with pieces.
Intent = Moves | TakeBack | OpenMenu | ChooseVariant | EndedTurns | RefusedPress


@dataclass(frozen=True, slots=True)
class InSync:
    """The board matches the game, apart from changes that the players still have to make by hand."""


IN_SYNC = InSync()


@dataclass(frozen=True, slots=True)
class PieceInHand:
    """A player has lifted a piece of the side to move."""

    cell: Cell


AtRest = InSync | PieceInHand  # nothing was put down


@dataclass(frozen=True, slots=True)
class UnfinishedTurn:
    """The players have begun a turn that counts only after its turn key is pressed."""


@dataclass(frozen=True, slots=True)
class CertainMoves:
    """Actions that are the only possible explanation of a difference."""

    intent: Moves
    is_unsensed: bool = False  # confirmed by gestures, not detected by a sensor


@dataclass(frozen=True, slots=True)
class PendingConfirmation:
    """A possible intent, announced to the players. It is carried out if nothing moves for `confirm_seconds`.

    Attributes:
        confirm_seconds: Duration of the announcement; infinity while waiting for `cells_to_return` or a key press.
        other_count: Number of alternatives. Lifting the piece and putting it down again shows the next one.
        needs_gesture: True if no sensor detected the action, so it must be confirmed with a gesture.
        cells_to_return: Cells of pieces being turned over. The intent is carried out when they are back or when play
            continues.
        needs_press: True if the turn key must be pressed again.
        suspected_cells: Cells whose sensors must be bad if the key is pressed again.
    """

    intent: Intent
    confirm_seconds: float
    other_count: int = 0
    needs_gesture: bool = False
    cells_to_return: tuple[Cell, ...] = ()
    needs_press: bool = False
    suspected_cells: frozenset[Cell] = frozenset()


class RepairStep(NamedTuple):
    """Move of a piece from `source` to `target`. None stands for a place outside the board; at most one can be None."""

    source: Cell | None
    target: Cell | None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An unexplained difference between the board and the game.

    Attributes:
        repair_steps: Steps to repair the board, the next one first.
        offered_action: Action that would explain the difference if the players accept it.
        turns_to_fit: Number of turns to undo so that the game matches the board; None if impossible.
        begun_action: Action that was probably taken before another piece was lifted.
    """

    difference: BoardDifference
    repair_steps: tuple[RepairStep, ...]
    offered_action: Action | None = None
    turns_to_fit: int | None = None
    begun_action: Action | None = None

    @property
    def cell_to_clear(self) -> Cell | None:
        """Cell of the extra piece that the next repair step removes, if any."""
        if not self.repair_steps:
            return None
        source, target = self.repair_steps[0]
        return source if target is None and source in self.difference.extra else None


@dataclass(frozen=True, slots=True)
class ChoosingVariant:
    """The menu is open. A piece may have been put on `picked_cell`."""

    picked_cell: Cell | None = None


# Meaning of the difference between board and game.
Interpretation = InSync | PieceInHand | UnfinishedTurn | CertainMoves | PendingConfirmation | Mismatch | ChoosingVariant


def find_moved_piece(position: Position, action: Action) -> Piece:
    moved = position.piece_at(action.source) if action.source else None
    return moved or Piece(position.to_move, Symbol.EGG)
