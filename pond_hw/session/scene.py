"""Scene for the lamps: the meaning of each cell, without colours or time."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Outcome, Piece, Side, Turn


class SignColour(Enum):
    """Colour of a phone's sign, and of the cells to press for it.

    Amber, blue and red are not available, because they already have meanings on the lamps.
    """

    GREEN = "green"
    PURPLE = "purple"
    WHITE = "white"


class PhoneSign(NamedTuple):
    """A colour and a two-digit number that identify a phone. They are shown on both the phone and the board."""

    colour: SignColour
    number: int

    @property
    def message(self) -> Message:
        return Message(f"permission.sign.{self.colour.value}", number=self.number)


class CellRole(Enum):
    """Role of a cell, which determines how its lamps are lit."""

    PLAIN = "plain"
    OPEN = "open"  # empty, and an egg may be placed here
    CHOSEN = "chosen"  # the piece selected to move
    TARGET = "target"  # a cell that the selected piece may move to
    HINT = "hint"  # the hinted action: its source and target
    WARNED = "warned"  # target of an action that must be repeated because of a warning
    OUTSIDE = "outside"  # outside a pond that is smaller than the board
    # Only on boards with pieces:
    TAKE_OFF = "take off"  # a piece to remove: scored (and shown) or misplaced
    PUT = "put"  # the shown piece belongs here but is not detected
    FLIP = "turn"  # the piece has developed and must be turned over
    PENDING = "about"  # pending; see `Scene.confirm_window`
    # In the menu and in prompts:
    CHOICE = "choice"  # selected by a press, or by putting a piece here and removing it
    DEFAULT_CHOICE = "usual"  # the current or default choice


class CellView(NamedTuple):
    """View of one cell; `is_last` marks the target of the last action."""

    piece: Piece | None = None
    role: CellRole = CellRole.PLAIN
    is_last: bool = False
    is_masked: bool = False


class ConfirmWindow(NamedTuple):
    """Period during which any movement cancels a pending change, in seconds."""

    since: float
    until: float


class ShownRefusal(NamedTuple):
    """A refusal to show; `repeats` is the number of preceding refusals in a row on the same cell."""

    cell: Cell | None
    instant: float
    repeats: int = 0


class Scene(NamedTuple):
    """Everything visible on a board.

    Attributes:
        size: Number of rows and columns on the board. A smaller pond lies in its a1 corner.
        refusal: Last refusal, shown until the next event.
        played_turn: Turn to animate; None once anything else has happened.
        changed_at: Time in seconds of the last turn or other change to the game.
        scored: Number of pieces scored by light and by dark.
        confirm_window: Confirmation period of the `PENDING` cells.
        asked_cell: Cell to press to allow a phone's request.
        turn_key: Side whose turn key is lit.
    """

    size: int
    cell_views: Mapping[Cell, CellView]
    to_move: Side | None
    outcome: Outcome | None
    refusal: ShownRefusal | None
    played_turn: Turn | None
    changed_at: float
    scored: tuple[int, int] = (0, 0)
    target_score: int = 1
    has_trouble: bool = False
    confirm_window: ConfirmWindow | None = None
    is_unsaved: bool = False
    asked_cell: Cell | None = None
    asked_colour: SignColour = SignColour.WHITE
    turn_key: Side | None = None
