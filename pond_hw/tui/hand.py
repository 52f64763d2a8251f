"""The hand of whoever plays with pieces in a terminal: what it holds, where that came from, and what it can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from pond_hw.rules import Cell, Piece, PondError, Side, Symbol
from pond_hw.simulator.table import SimulatedTable, Token

TURN_SECONDS = 0.5
"""How long a piece is off the board while it is turned over: long enough to be felt."""

_FACES = {symbol.value: symbol for symbol in Symbol}


class Wooden(NamedTuple):
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
        return Piece(self.owner, self.face).letter

    def __str__(self) -> str:
        if self.owner is None:
            return "a piece"
        return f"{self.owner}'s {self.face or 'piece'}"


class Hand(Protocol):
    """What a hand does at a table. What cannot be done raises a PondError that says why."""

    @property
    def standing(self) -> Mapping[Cell, Wooden]:
        """The wood on the board."""

    @property
    def held(self) -> tuple[Wooden, ...]:
        """The wood in the hand; the last piece is put down first."""

    def complaint(self) -> str:
        """Why something was not done that had seemed to be; once."""

    def lift(self, cell: Cell) -> None:
        """Take the piece that stands there."""

    def drop(self, cell: Cell) -> None:
        """Put down the piece in the hand that was taken last."""

    def place(self, cell: Cell, piece: Piece) -> None:
        """Take this piece from beside the board and put it down."""

    def fetch(self, piece: Piece) -> None:
        """Take this piece from beside the board."""

    def swap(self) -> None:
        """Put the last piece back beside the board, and take one of the other side."""

    def turn(self, cell: Cell, face: Symbol | None) -> None:
        """Take the piece that stands there, turn this face up (None: the next one), and put it back."""

    def flip(self) -> None:
        """Turn the next face up of the piece in the hand that was taken last."""

    def lay_aside(self) -> None:
        """Lay all that is in the hand beside the board."""

    def take_off(self, cell: Cell) -> None:
        """Take the piece that stands there and lay it beside the board."""

    def put_back(self) -> None:
        """Put all that is in the hand back where it came from."""

    def sweep(self) -> None:
        """Take everything that stands on the board."""


class _Turned(NamedTuple):
    """A piece that is being turned over, its cell, and when it will be back there, in seconds."""

    token: Token
    cell: Cell
    until: float


class OwnHand:
    """A hand at a simulated table.

    Args:
        table: the board and what lies on it.
        now: the clock that turning takes its time by, in seconds.
    """

    def __init__(self, table: SimulatedTable, now: Callable[[], float]) -> None:
        self.table = table
        self._now = now
        self._from: dict[Token, Cell | None] = {}  # where what is held was taken; None is beside the board
        self._turned: list[_Turned] = []
        self._complaint = ""

    @property
    def standing(self) -> Mapping[Cell, Wooden]:
        """The wood on the board."""
        return {cell: _seen(token) for cell, token in self.table.standing.items()}

    @property
    def held(self) -> tuple[Wooden, ...]:
        """The wood in the hand."""
        return tuple(map(_seen, self.table.hand))

    @property
    def due(self) -> float:
        """The instant at which `step` has something to do, in seconds."""
        return min([self.table.due, *(turned.until for turned in self._turned)])

    def step(self) -> None:
        """Let happen what is due: pieces that have been turned over are put back, and sensors feel."""
        now = self._now()
        for turned in [turned for turned in self._turned if turned.until <= now]:
            self._turned.remove(turned)
            self.table.hand.append(turned.token)
            try:
                self.table.drop(turned.cell)
            except PondError as refused:  # meanwhile another piece was put there: this one stays in the hand
                self._from[turned.token] = turned.cell
                self._complaint = str(refused)
        self.table.poll(now)

    def complaint(self) -> str:
        """Why a piece that was turned over could not be put back; once."""
        told, self._complaint = self._complaint, ""
        return told

    def lift(self, cell: Cell) -> None:
        """Take the piece that stands there."""
        self._from[self.table.lift(cell)] = cell

    def drop(self, cell: Cell) -> None:
        """Put down the piece that was taken last."""
        self._must_hold()
        self.table.drop(cell)

    def place(self, cell: Cell, piece: Piece) -> None:
        """Take this piece from beside the board and put it down."""
        self.table.must_be_free(cell)
        self.fetch(piece)
        self.table.drop(cell)

    def fetch(self, piece: Piece) -> None:
        """Take this piece from beside the board."""
        beside = self.table.beside
        token = next((token for token in beside if token.owner is piece.owner), None)
        if token:
            beside.remove(token)
        else:
            token = Token(piece.owner)
        token.face = piece.symbol.value
        self._from[token] = None
        self.table.hand.append(token)

    def swap(self) -> None:
        """Put the last piece back beside the board, and take one of the other side."""
        self._must_hold()
        other = self.table.put_aside().owner
        self.fetch(Piece((other or Side.LIGHT).other, Symbol.EGG))

    def turn(self, cell: Cell, face: Symbol | None) -> None:
        """Take the piece that stands there, turn it over, and put it back in a moment."""
        token = self.table.lift(cell)
        self.table.hand.remove(token)
        _turn(token, face)
        self._turned.append(_Turned(token, cell, self._now() + TURN_SECONDS))

    def flip(self) -> None:
        """Turn the next face up of the piece in the hand that was taken last."""
        self._must_hold()
        _turn(self.table.hand[-1])

    def lay_aside(self) -> None:
        """Lay all that is in the hand beside the board."""
        self._must_hold()
        while self.table.hand:
            self.table.put_aside()

    def take_off(self, cell: Cell) -> None:
        """Take the piece that stands there and lay it beside the board."""
        self.table.lift(cell)
        self.table.put_aside()

    def put_back(self) -> None:
        """Put all that is in the hand back where it came from."""
        self._must_hold()
        while self.table.hand:
            cell = self._from.get(self.table.hand[-1])
            if cell is None:
                self.table.put_aside()
            else:
                self.table.drop(cell)

    def sweep(self) -> None:
        """Take everything that stands on the board."""
        standing = self.table.standing
        if not standing:
            raise PondError("There is nothing on the board to take off.")
        for cell in standing:
            self.lift(cell)

    def _must_hold(self) -> None:
        if not self.table.hand:
            raise PondError("There is nothing in the hand.")


def _turn(token: Token, face: Symbol | None = None) -> None:
    """Turn this face up; the next one, if it is up already or none is named."""
    was = _FACES.get(token.face or "")
    turned = face if face and face is not was else was and was.next
    token.face = turned and turned.value


def _seen(token: Token) -> Wooden:
    return Wooden(token.owner, _FACES.get(token.face or ""))
