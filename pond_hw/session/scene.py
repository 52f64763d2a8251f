"""Scene: what the lamps show, by meaning. No colours, no clock: `lights` and the screens decide how it looks."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Outcome, Piece, Side, Turn


class SignColour(Enum):
    """Colour of a sign, and of the lamps of the cells to press.

    Amber, blue and red have meanings on the lamps already.
    """

    GREEN = "green"
    PURPLE = "purple"
    WHITE = "white"


class PhoneSign(NamedTuple):
    """A colour and a number of two digits: phone and board show the same, so that people see which phone asks."""

    colour: SignColour
    number: int

    @property
    def message(self) -> Message:
        """The sign as the board shows it."""
        return Message(f"permission.sign.{self.colour.value}", number=self.number)


class CellRole(Enum):
    """Role of a cell for the players at this moment."""

    PLAIN = "plain"  # nothing but what stands on it
    OPEN = "open"  # empty, and an egg may be placed here
    CHOSEN = "chosen"  # the piece that is about to move
    TARGET = "target"  # where the chosen piece may go
    HINT = "hint"  # where a hint says to act: the piece that would move, or the empty cell that it would act on
    WARNED = "warned"  # an action that would end here, as shown, waits to be done once more
    OUTSIDE = "outside"  # of a pond that is smaller than the board
    # On boards with pieces only:
    TAKE_OFF = "take off"  # a piece is felt here that has to leave: one that has scored (it is shown), or a stranger
    PUT = "put"  # the piece that is shown belongs here and is not felt
    FLIP = "turn"  # the piece has developed, and its wooden face has yet to be turned
    PENDING = "about"  # something is about to count here if nothing moves any more: see `Scene.confirm_window`
    # A menu, or (on boards of every kind) a game that was not finished:
    CHOICE = "choice"  # a cell of it: a piece that is put here and taken off again chooses it
    DEFAULT_CHOICE = "usual"  # the choice that is the game as it is


class CellView(NamedTuple):
    """One cell.

    Attributes:
        piece: what stands on it, or is to be seen on it.
        role: what it is to the players.
        is_last: whether the last turn's action ended here.
        is_masked: whether its sensor is known to be bad, so that nobody feels what stands here.
    """

    piece: Piece | None = None
    role: CellRole = CellRole.PLAIN
    is_last: bool = False
    is_masked: bool = False


class ConfirmWindow(NamedTuple):
    """Something that counts if nothing moves any more: since when it is announced, and when it counts, in seconds."""

    since: float
    until: float


class ShownRefusal(NamedTuple):
    """A refusal that is shown.

    Attributes:
        cell: where it is shown; None for nowhere in particular.
        instant: when it was refused, in seconds.
        repeats: number of times that the same cell was refused just before.
    """

    cell: Cell | None
    instant: float
    repeats: int = 0


class Scene(NamedTuple):
    """All there is to see on a board.

    Attributes:
        size: rows and columns of the board; a smaller pond lies in its a1 corner.
        cell_views: every cell of the board.
        to_move: whose turn it is, or None when the game is over.
        outcome: how the game ended, or None.
        refusal: the last refusal, until something else happens, or None.
        played_turn: the turn that may still be played out in light, or None once anything else has happened.
        changed_at: when that turn was taken or the game ended, in seconds.
        scored: own pieces that light and dark have scored.
        target_score: how many of them win.
        has_trouble: whether the board cannot feel, so that the game waits.
        confirm_window: what is about to happen on the cells that are `PENDING`, or None.
        is_unsaved: whether what is played is not saved at this moment.
        asked_cell: the cell to press if something that was asked for from elsewhere is to be allowed, or None.
        asked_colour: colour of that cell, which is that of the phone's sign.
        turn_key: the side whose turn key is lit; None for neither.
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
