"""The hand of a person who plays with pieces in a terminal: what it holds, where that came from, and what it can do.

Before a piece is put down, put aside or put back, callers check what the hand holds and what stands on the board.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Piece, PondError, Side, Symbol, get_grid
from pond_hw.simulator.board_with_pieces import PhysicalPiece, SimulatedTable

TURN_OVER_SECONDS = 0.5
"""How long a piece is off the board while it is turned over: long enough for its sensor to notice."""

_SYMBOLS_BY_FACE = {symbol.value: symbol for symbol in Symbol}


class VisiblePiece(NamedTuple):
    """A physical piece, as far as it can be seen.

    Attributes:
        owner: whose it is, or None if that is not seen from here.
        face: what is up, or None.
    """

    owner: Side | None = None
    face: Symbol | None = None

    @property
    def letter(self) -> str:
        """Its letter, as on the board; a dot if only its presence is known."""
        if self.owner is None or self.face is None:
            return "•"
        return Piece(self.owner, self.face).notation_letter

    @property
    def kind(self) -> str:
        """`unknown` if nobody sees whose it is, `piece` if nobody sees its face, or its symbol."""
        return "unknown" if self.owner is None else str(self.face or "piece")


class LocalHand:
    """A hand at a simulated table.

    Args:
        table: the board and what lies on it.
        now: the clock that turning takes its time by, in seconds.

    Attributes:
        complaint: why something could not be done, or None.
    """

    def __init__(self, table: SimulatedTable, now: Callable[[], float]) -> None:
        self.simulated_table, self._now = table, now
        self.complaint: Message | None = None
        self._source_cells: dict[PhysicalPiece, Cell | None] = {}  # where a piece was taken; None is beside the board
        self._turned_pieces: list[tuple[float, PhysicalPiece, Cell]] = []  # when which piece will be back on its cell

    @property
    def turned_pieces(self) -> bool:
        """True if the pieces have faces that people turn over."""
        return self.simulated_table.turned_pieces

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
        return min([self.simulated_table.next_due, *(due for due, *_ in self._turned_pieces)])

    def step(self) -> None:
        """Put back pieces that have been turned over, and let the sensors work."""
        now = self._now()
        for turned in [turned for turned in self._turned_pieces if turned[0] <= now]:
            self._turned_pieces.remove(turned)
            _, token, cell = turned
            self.simulated_table.held_pieces.append(token)
            try:
                self.simulated_table.drop(cell)
            except PondError as refused:  # meanwhile another piece was put there: this one stays in the hand
                self._source_cells[token] = cell
                self.complaint = refused.message
        self.simulated_table.poll(now)

    def lift_piece(self, cell: Cell) -> None:
        """Take the piece that stands there."""
        self._source_cells[self.simulated_table.lift(cell)] = cell

    def drop_piece(self, cell: Cell) -> None:
        """Put down the piece that was taken last."""
        self.simulated_table.drop(cell)

    def place_piece(self, cell: Cell, piece: Piece) -> None:
        """Take this piece from beside the board and put it down."""
        self.fetch_piece(piece)
        self.simulated_table.drop(cell)

    def fetch_piece(self, piece: Piece) -> None:
        """Take this piece from beside the board."""
        off_board = self.simulated_table.off_board_pieces
        wooden_piece = next((each for each in off_board if each.owner is piece.owner), PhysicalPiece(piece.owner))
        if wooden_piece in off_board:
            off_board.remove(wooden_piece)
        self.simulated_table.show_face(wooden_piece, piece.symbol)
        self._source_cells[wooden_piece] = None
        self.simulated_table.held_pieces.append(wooden_piece)

    def swap_side(self) -> None:
        """Put the last piece back beside the board, and take one of the other side."""
        old_owner = self.simulated_table.put_aside().owner
        self.fetch_piece(Piece((old_owner or Side.LIGHT).other_side, Symbol.EGG))

    def turn_piece(self, cell: Cell, face: Symbol | None) -> None:
        """Take the piece that stands there, turn it over, and put it back in a moment."""
        _must_have_faces(self)
        wooden_piece = self.simulated_table.lift(cell)
        self.simulated_table.held_pieces.remove(wooden_piece)
        _turn_token(wooden_piece, face)
        self._turned_pieces.append((self._now() + TURN_OVER_SECONDS, wooden_piece, cell))

    def flip_held(self) -> None:
        """Turn the next face up of the piece in the hand that was taken last."""
        _must_have_faces(self)
        _turn_token(self.simulated_table.held_pieces[-1])

    def lay_aside(self) -> None:
        """Lay all that is in the hand beside the board."""
        while self.simulated_table.held_pieces:
            self.simulated_table.put_aside()

    def take_off(self, cell: Cell) -> None:
        """Take the piece that stands there and lay it beside the board."""
        self.simulated_table.lift(cell)
        self.simulated_table.put_aside()

    def put_back(self) -> None:
        """Put the piece that was taken last back where it came from."""
        cell = self._source_cells.get(self.simulated_table.held_pieces[-1])
        if cell is None:
            self.simulated_table.put_aside()
        else:
            self.simulated_table.drop(cell)


def _must_have_faces(hand: LocalHand | RemoteHand) -> None:
    if not hand.turned_pieces:
        raise PondError(Message("held.plain_pieces"))


def _turn_token(wooden_piece: PhysicalPiece, face: Symbol | None = None) -> None:
    """Turn this face up; the next one, if it is up already or none is named."""
    old_symbol = _SYMBOLS_BY_FACE.get(wooden_piece.face or "")
    new_symbol = face if face and face is not old_symbol else old_symbol and old_symbol.next_symbol
    wooden_piece.face = new_symbol and new_symbol.value


def _visible_piece(wooden_piece: PhysicalPiece) -> VisiblePiece:
    return VisiblePiece(wooden_piece.owner, _SYMBOLS_BY_FACE.get(wooden_piece.face or ""))


class RemoteHand:
    """A hand at a simulated board that is served elsewhere: it sends what it does, and assumes that it was done.

    It knows the pieces that the sensors detect there. What it holds is right as long as nobody else lifts anything.

    Args:
        board_size: rows of the board.
        send_line: sends a line.
        now: the clock that turning takes its time by, in seconds.
        turned_pieces: True if the pieces have faces that people turn over.

    Attributes:
        occupied_cells: where the board last detected pieces, changed by what the hand has done since.
        complaint: why something could not be done, or None.
    """

    def __init__(
        self,
        board_size: int,
        send_line: Callable[[dict[str, Any]], None],
        now: Callable[[], float],
        *,
        turned_pieces: bool,
    ) -> None:
        self.turned_pieces = turned_pieces
        self.occupied_cells: frozenset[Cell] = frozenset()
        self.complaint: Message | None = None
        self._reported_cells: frozenset[Cell] = frozenset()
        self._board_size, self._send_line, self._now = board_size, send_line, now
        self._held: list[Cell | Side] = []  # from where it was lifted; or whose it is, if it will be a new one
        self._turned_cells: list[Cell] = []
        self._turned_until = 0.0

    @property
    def standing_pieces(self) -> Mapping[Cell, VisiblePiece]:
        """The pieces on the board."""
        return dict.fromkeys(sorted(self.occupied_cells), VisiblePiece())

    @property
    def held_pieces(self) -> tuple[VisiblePiece, ...]:
        """The pieces in the hand."""
        return tuple(VisiblePiece(held if isinstance(held, Side) else None) for held in self._held)

    def step(self) -> None:
        """Put back what has been turned over; what was lifted last first."""
        if self._turned_cells and self._now() >= self._turned_until:
            while self._turned_cells:
                self._send_line({"drop": self._turned_cells.pop()})

    def update_occupied(self, occupied_cells: frozenset[Cell]) -> None:
        """Take over where the board detects pieces."""
        self.occupied_cells = self._reported_cells = occupied_cells

    def handle_refusal(self, reason: Message) -> None:
        """Something was not done there. Nobody knows any more what the hand holds, so it holds nothing."""
        self.complaint = reason
        self.occupied_cells = self._reported_cells
        self._held.clear()
        self._turned_cells.clear()

    def lift_piece(self, cell: Cell) -> None:
        """Take the piece that stands there."""
        self._must_be_still()
        self._must_stand(cell)
        self._send_line({"lift": cell})
        self._held.append(cell)
        self.occupied_cells -= {cell}

    def drop_piece(self, cell: Cell) -> None:
        """Put down the piece that was taken last."""
        self._must_be_still()
        if cell in self.occupied_cells:
            raise PondError(Message("held.cell_taken", cell=cell))
        held = self._held.pop()
        self._send_line({"drop": cell, "owner": str(held)} if isinstance(held, Side) else {"drop": cell})
        self.occupied_cells |= {cell}

    def place_piece(self, cell: Cell, piece: Piece) -> None:
        """Put a new piece of that side down."""
        self._must_be_still()
        self.fetch_piece(piece)
        self.drop_piece(cell)

    def fetch_piece(self, piece: Piece) -> None:
        """Have a new piece of that side ready."""
        self._held.append(piece.owner)

    def swap_side(self) -> None:
        """Have one of the other side ready."""
        owner = self._held[-1]
        if not isinstance(owner, Side):
            raise PondError(Message("remote_hand.hand_full"))
        self._held[-1] = owner.other_side

    def turn_piece(self, cell: Cell, face: Symbol | None) -> None:  # noqa: ARG002 - nobody sees faces from here
        """Take the piece that stands there, turn it over, and put it back in a moment."""
        _must_have_faces(self)
        if self._held:
            raise PondError(Message("remote_hand.hand_full"))
        self._must_stand(cell)
        self._send_line({"lift": cell})
        self._turned_cells.append(cell)
        self._turned_until = self._now() + TURN_OVER_SECONDS

    def flip_held(self) -> None:
        """Turn the piece in the hand over. It is not seen from here."""
        _must_have_faces(self)

    def lay_aside(self) -> None:
        """Lay all that is in the hand beside the board. No line does that; but one takes a piece off a cell."""
        self._must_be_still()
        while self._held:
            held = self._held.pop()
            if isinstance(held, Side):
                continue
            cells = (held, *get_grid(self._board_size).cells)
            free_cell = next((cell for cell in cells if cell not in self.occupied_cells), None)
            if free_cell is None:
                raise PondError(Message("remote_hand.no_room"))
            self._send_line({"drop": free_cell})
            self._send_line({"take": free_cell})

    def take_off(self, cell: Cell) -> None:
        """Take the piece that stands there and lay it beside the board."""
        self._must_be_still()
        self._must_stand(cell)
        self._send_line({"take": cell})
        self.occupied_cells -= {cell}

    def put_back(self) -> None:
        """Put the piece that was taken last back where it came from."""
        cell = self._held[-1]
        if isinstance(cell, Side):
            self._held.pop()
        else:
            self.drop_piece(cell)

    def _must_be_still(self) -> None:
        if self._turned_cells:
            raise PondError(Message("remote_hand.turning"))

    def _must_stand(self, cell: Cell) -> None:
        if cell not in self.occupied_cells:
            raise PondError(Message("remote_hand.no_piece", cell=cell))
