"""Input and output types of `interpreter`."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Outcome, Piece, Position, Side, Symbol, Turn, Variant
from pond_hw.session.pieces.sensors import BoardDifference

STUCK_SECONDS = 30.0  # time after which an extra piece is blamed on its sensor

CONFIRM_SECONDS = 3.0  # announcement time: enough to see the meaning and refuse it by hand
CORRECT_SECONDS = 0.5  # announcement time for an immediate correction
FURTHER_CONFIRM_SECONDS = 6.0  # announcement time for undoing more than one's last turn, or while a hand is busy


class GameOnBoard(Protocol):
    """The part of a game that the interpretation needs. `Session` implements it."""

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
    def is_being_set_up(self) -> bool:
        """True while the players set up the position of an exercise. A cleared board does not open the menu then."""

    @property
    def menu_cells(self) -> Set[Cell]:
        """Cells of the open or first menu page."""

    @property
    def menu_variants(self) -> Mapping[Cell, Variant]:
        """Variants on the open or first menu page."""

    def find_position_before(self, turn_count: int) -> Position:
        """Return the position before the last `turn_count` turns."""

    def describe_warning(self, action: Action) -> Message | None:
        """Return the warning about an action of the side to move, if any."""

    def describe_chosen(self, cell: Cell) -> Message:
        """Describe the options of a lifted piece."""

    def describe_menu(self, picked_cell: Cell | None) -> tuple[Message, ...]:
        """Describe the menu, or the choice with a piece on it."""

    def describe_set_up(self) -> tuple[Message, ...]:
        """Explain why the position of an exercise must be set up; empty outside of exercises."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Actions in order.

    Attributes:
        corrected_count: Number of turns taken back first, because the piece that acted was moved on at once.
    """

    actions: tuple[Action, ...]
    corrected_count: int = 0


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Undo of the last `turn_count` turns."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class OpenMenu:
    """Opening of the menu, by clearing the board."""


@dataclass(frozen=True, slots=True)
class ChooseVariant:
    """Choice of the variant on a menu cell."""

    menu_cell: Cell


@dataclass(frozen=True, slots=True)
class EndedTurns:
    """Turns ended by a turn key.

    Attributes:
        forgotten_by: Side that forgot to press its key after the first of two turns.
        suspected_cells: Cells whose sensors this press shows to be bad.
    """

    actions: tuple[Action, ...]
    forgotten_by: Side | None = None
    suspected_cells: frozenset[Cell] = frozenset()


@dataclass(frozen=True, slots=True)
class RefusedPress:
    """A press of a turn key that does not end a turn.

    Attributes:
        reason: Message to the player.
        cell: Cell of the obstacle, if there is one.
    """

    reason: Message
    cell: Cell | None = None


# Intents that players can express with pieces.
Intent = Moves | TakeBack | OpenMenu | ChooseVariant | EndedTurns | RefusedPress


@dataclass(frozen=True, slots=True)
class InSync:
    """Agreement of board and game, apart from hand tasks."""


IN_SYNC = InSync()


@dataclass(frozen=True, slots=True)
class PieceInHand:
    """A lifted piece of the side to move."""

    cell: Cell


AtRest = InSync | PieceInHand  # nothing was put down


@dataclass(frozen=True, slots=True)
class UnfinishedTurn:
    """An unfinished turn, which counts when the turn key is pressed."""


@dataclass(frozen=True, slots=True)
class CertainMoves:
    """The only possible meaning of a difference."""

    intent: Moves
    is_unsensed: bool = False  # confirmed by gestures, not detected by a sensor


@dataclass(frozen=True, slots=True)
class PendingConfirmation:
    """A possible meaning. It is announced, and counts if nothing moves for `confirm_seconds`.

    Attributes:
        confirm_seconds: Announcement time; infinity if it waits for `cells_to_return`.
        other_count: Number of other meanings. Lifting the piece and putting it down again shows the next.
        needs_gesture: True if no sensor detected it, so that only a confirm gesture makes it count.
        cells_to_return: Cells of pieces being turned over. The meaning counts when they are back, or someone plays on.
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
    """Move of a piece from `source` to `target`. None stands for beside the board; they are never both None."""

    source: Cell | None
    target: Cell | None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An unexplained difference between board and game.

    Attributes:
        repair_steps: Steps to repair it, the next one first.
        offered_action: Action that would explain it, if made now.
        turns_to_fit: Number of turns to undo until the game fits the board, if any.
        begun_action: Action that was probably taken before another piece was lifted.
    """

    difference: BoardDifference
    repair_steps: tuple[RepairStep, ...]
    offered_action: Action | None = None
    turns_to_fit: int | None = None
    begun_action: Action | None = None

    @property
    def cell_to_clear(self) -> Cell | None:
        """Cell of the extra piece that the next step removes, if any."""
        if not self.repair_steps:
            return None
        source, target = self.repair_steps[0]
        return source if target is None and source in self.difference.extra else None


@dataclass(frozen=True, slots=True)
class ChoosingVariant:
    """The open menu, with the cell on which a piece was put."""

    picked_cell: Cell | None = None


# Meaning of the difference between board and game.
Interpretation = InSync | PieceInHand | UnfinishedTurn | CertainMoves | PendingConfirmation | Mismatch | ChoosingVariant


def find_moved_piece(position: Position, action: Action) -> Piece:
    moved = position.piece_at(action.source) if action.source else None
    return moved or Piece(position.to_move, Symbol.EGG)
