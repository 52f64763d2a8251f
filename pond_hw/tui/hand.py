"""The hand of whoever plays with pieces in a terminal: what it holds, where that came from, and what it can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pond_hw.rules import Cell, Piece, PondError, Side, Symbol
from pond_hw.simulator.table import PhysicalPiece, SimulatedTable

TURN_OVER_SECONDS = 0.5
"""How long a piece is off the board while it is turned over: long enough to be felt."""

_SYMBOLS_BY_FACE = {symbol.value: symbol for symbol in Symbol}


class VisiblePiece(NamedTuple):
    """A piece of wood as it is seen.

    Attributes:
        owner: whose it is, or None if that is not seen from here.
        face: what is up, or None.
    """

    owner: Side | None = None
    face: Symbol | None = None

    @property
    def letter(self) -> str:
        """As lamps name it; a dot for a piece of which no more is known than that it is there."""
        if self.owner is None or self.face is None:
            return "•"
        return Piece(self.owner, self.face).notation_letter

    def __str__(self) -> str:
        if self.owner is None:
            return "a piece"
        return f"{self.owner}'s {self.face or 'piece'}"


class _TurnedPiece(NamedTuple):
    """A piece that is being turned over, its cell, and when it will be back there, in seconds."""

    token: PhysicalPiece
    cell: Cell
    due_instant: float


class LocalHand:
    """A hand at a simulated table.

    Args:
        table: the board and what lies on it.
        now: the clock that turning takes its time by, in seconds.
    """

    def __init__(self, table: SimulatedTable, now: Callable[[], float]) -> None:
        self.simulated_table = table
        self._now = now
        self._source_cells: dict[
            PhysicalPiece, Cell | None
        ] = {}  # where what is held was taken; None is beside the board
        self._turned_pieces: list[_TurnedPiece] = []
        self._pending_complaint = ""

    @property
    def standing_pieces(self) -> Mapping[Cell, VisiblePiece]:
        """The pieces on the board."""
        return {cell: _visible_piece(token) for cell, token in self.simulated_table.standing_pieces.items()}

    @property
    def held_pieces(self) -> tuple[VisiblePiece, ...]:
        """The pieces in the hand, the one that was taken last at the end."""
        return tuple(map(_visible_piece, self.simulated_table.held_pieces))

    @property
    def due_instant(self) -> float:
        """The instant at which `step` has something to do, in seconds."""
        return min([self.simulated_table.next_due, *(turned.due_instant for turned in self._turned_pieces)])

    def step(self) -> None:
        """Let happen what is due: pieces that have been turned over are put back, and sensors feel."""
        now = self._now()
        for turned in [turned for turned in self._turned_pieces if turned.due_instant <= now]:
            self._turned_pieces.remove(turned)
            self.simulated_table.held_pieces.append(turned.token)
            try:
                self.simulated_table.drop(turned.cell)
            except PondError as refused:  # meanwhile another piece was put there: this one stays in the hand
                self._source_cells[turned.token] = turned.cell
                self._pending_complaint = str(refused)
        self.simulated_table.poll(now)

    def take_complaint(self) -> str:
        """Why a piece that was turned over could not be put back; once."""
        complaint_text, self._pending_complaint = self._pending_complaint, ""
        return complaint_text

    def lift_piece(self, cell: Cell) -> None:
        """Take the piece that stands there."""
        self._source_cells[self.simulated_table.lift(cell)] = cell

    def drop_piece(self, cell: Cell) -> None:
        """Put down the piece that was taken last."""
        self._must_hold()
        self.simulated_table.drop(cell)

    def place_piece(self, cell: Cell, piece: Piece) -> None:
        """Take this piece from beside the board and put it down."""
        self.simulated_table.require_free(cell)
        self.fetch_piece(piece)
        self.simulated_table.drop(cell)

    def fetch_piece(self, piece: Piece) -> None:
        """Take this piece from beside the board."""
        off_board = self.simulated_table.off_board_pieces
        wooden_piece = next((wooden_piece for wooden_piece in off_board if wooden_piece.owner is piece.owner), None)
        if wooden_piece:
            off_board.remove(wooden_piece)
        else:
            wooden_piece = PhysicalPiece(piece.owner)
        wooden_piece.face = piece.symbol.value
        self._source_cells[wooden_piece] = None
        self.simulated_table.held_pieces.append(wooden_piece)

    def swap_side(self) -> None:
        """Put the last piece back beside the board, and take one of the other side."""
        self._must_hold()
        old_owner = self.simulated_table.put_aside().owner
        self.fetch_piece(Piece((old_owner or Side.LIGHT).other_side, Symbol.EGG))

    def turn_piece(self, cell: Cell, face: Symbol | None) -> None:
        """Take the piece that stands there, turn it over, and put it back in a moment."""
        wooden_piece = self.simulated_table.lift(cell)
        self.simulated_table.held_pieces.remove(wooden_piece)
        _turn_token(wooden_piece, face)
        self._turned_pieces.append(_TurnedPiece(wooden_piece, cell, self._now() + TURN_OVER_SECONDS))

    def flip_held(self) -> None:
        """Turn the next face up of the piece in the hand that was taken last."""
        self._must_hold()
        _turn_token(self.simulated_table.held_pieces[-1])

    def lay_aside(self) -> None:
        """Lay all that is in the hand beside the board."""
        self._must_hold()
        while self.simulated_table.held_pieces:
            self.simulated_table.put_aside()

    def take_off(self, cell: Cell) -> None:
        """Take the piece that stands there and lay it beside the board."""
        self.simulated_table.lift(cell)
        self.simulated_table.put_aside()

    def put_back(self) -> None:
        """Put all that is in the hand back where it came from."""
        self._must_hold()
        while self.simulated_table.held_pieces:
            cell = self._source_cells.get(self.simulated_table.held_pieces[-1])
            if cell is None:
                self.simulated_table.put_aside()
            else:
                self.simulated_table.drop(cell)

    def sweep_board(self) -> None:
        """Take everything that stands on the board."""
        standing_pieces = self.simulated_table.standing_pieces
        if not standing_pieces:
            raise PondError("There is nothing on the board to take off.")
        for cell in standing_pieces:
            self.lift_piece(cell)

    def _must_hold(self) -> None:
        if not self.simulated_table.held_pieces:
            raise PondError("There is nothing in the hand.")


def _turn_token(wooden_piece: PhysicalPiece, face: Symbol | None = None) -> None:
    """Turn this face up; the next one, if it is up already or none is named."""
    old_symbol = _SYMBOLS_BY_FACE.get(wooden_piece.face or "")
    new_symbol = face if face and face is not old_symbol else old_symbol and old_symbol.next_symbol
    wooden_piece.face = new_symbol and new_symbol.value


def _visible_piece(wooden_piece: PhysicalPiece) -> VisiblePiece:
    return VisiblePiece(wooden_piece.owner, _SYMBOLS_BY_FACE.get(wooden_piece.face or ""))
