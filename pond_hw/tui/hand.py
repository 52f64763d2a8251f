"""Simulated hands that lift, hold and place the pieces of a simulated board.

Callers must make sure that the hand holds a piece before they put one down, aside or back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Piece, PondError, Side, Symbol, get_grid
from pond_hw.simulator.board_with_pieces import PhysicalPiece, SimulatedTable

TURN_OVER_SECONDS = 0.5
"""Seconds for which a piece is off the board while it is turned over. Long enough for its sensor to notice."""

_SYMBOLS_BY_FACE = {symbol.value: symbol for symbol in Symbol}


class VisiblePiece(NamedTuple):
    """A physical piece with its owner and the face that is up. Each is None if unknown."""

    owner: Side | None = None
    face: Symbol | None = None

    @property
    def letter(self) -> str:
        """Letter of the piece in game notation, or a dot if the owner or the face is unknown."""
        if self.owner is None or self.face is None:
            return "•"
        return Piece(self.owner, self.face).notation_letter

    @property
    def kind(self) -> str:
        """`unknown` if the owner is unknown, `piece` if the face is unknown, otherwise the name of the symbol."""
        return "unknown" if self.owner is None else str(self.face or "piece")


class LocalHand:
    """Simulated hand for a board in this process.

    Attributes:
        refusal_reason: reason why the last action was refused, or None.
    """

    def __init__(self, table: SimulatedTable, now: Callable[[], float]) -> None:
        self.simulated_table, self._now = table, now
        self.refusal_reason: Message | None = None
        self._source_cells: dict[PhysicalPiece, Cell | None] = {}  # None if it came from beside the board
        self._turned_pieces: list[tuple[float, PhysicalPiece, Cell]] = []  # due instant, piece, cell

    @property
    def turned_pieces(self) -> bool:
        """True if the pieces have several faces and can be turned over."""
        return self.simulated_table.turned_pieces

    @property
    def standing_pieces(self) -> Mapping[Cell, VisiblePiece]:
        return {cell: _visible_piece(token) for cell, token in self.simulated_table.standing_pieces.items()}

    @property
    def held_pieces(self) -> tuple[VisiblePiece, ...]:
        """Pieces in the hand, in the order in which they were picked up."""
        return tuple(map(_visible_piece, self.simulated_table.held_pieces))

    @property
    def due_instant(self) -> float:
        """Time in seconds at which `step` must be called again."""
        return min([self.simulated_table.next_due, *(due for due, *_ in self._turned_pieces)])

    def step(self) -> None:
        """Put down pieces that have been turned over, and poll the sensors."""
        now = self._now()
        for turned in [turned for turned in self._turned_pieces if turned[0] <= now]:
            self._turned_pieces.remove(turned)
            _, token, cell = turned
            self.simulated_table.held_pieces.append(token)
            try:
                self.simulated_table.drop(cell)
            except PondError as error:  # another piece is on the cell, so this one stays in the hand
                self._source_cells[token] = cell
                self.refusal_reason = error.message
        self.simulated_table.poll(now)

    def lift_piece(self, cell: Cell) -> None:
        self._source_cells[self.simulated_table.lift(cell)] = cell

    def drop_piece(self, cell: Cell) -> None:
        """Put down the piece that was picked up last."""
        self.simulated_table.drop(cell)

    def place_piece(self, cell: Cell, piece: Piece) -> None:
        """Take a piece from beside the board and put it on a cell."""
        self.fetch_piece(piece)
        self.simulated_table.drop(cell)

    def fetch_piece(self, piece: Piece) -> None:
        """Take a piece from beside the board."""
        off_board = self.simulated_table.off_board_pieces
        token = next((each for each in off_board if each.owner is piece.owner), PhysicalPiece(piece.owner))
        if token in off_board:
            off_board.remove(token)
        self.simulated_table.show_face(token, piece.symbol)
        self._source_cells[token] = None
        self.simulated_table.held_pieces.append(token)

    def swap_side(self) -> None:
        """Replace the piece that was picked up last with an egg of the other side."""
        old_owner = self.simulated_table.put_aside().owner
        self.fetch_piece(Piece((old_owner or Side.LIGHT).other_side, Symbol.EGG))

    def turn_piece(self, cell: Cell, face: Symbol | None) -> None:
        """Lift a piece, turn it over, and put it back after `TURN_OVER_SECONDS`."""
        _require_faces(self)
        token = self.simulated_table.lift(cell)
        self.simulated_table.held_pieces.remove(token)
        _turn_token(token, face)
        self._turned_pieces.append((self._now() + TURN_OVER_SECONDS, token, cell))

    def flip_held(self) -> None:
        """Turn over the piece that was picked up last."""
        _require_faces(self)
        _turn_token(self.simulated_table.held_pieces[-1])

    def lay_aside(self) -> None:
        """Put all held pieces beside the board."""
        while self.simulated_table.held_pieces:
            self.simulated_table.put_aside()

    def take_off(self, cell: Cell) -> None:
        """Remove a piece from the board."""
        self.simulated_table.lift(cell)
        self.simulated_table.put_aside()

    def put_back(self) -> None:
        """Put the piece that was picked up last back where it came from."""
        cell = self._source_cells.get(self.simulated_table.held_pieces[-1])
        if cell is None:
            self.simulated_table.put_aside()
        else:
            self.simulated_table.drop(cell)


def _require_faces(hand: LocalHand | RemoteHand) -> None:
    if not hand.turned_pieces:
        raise PondError(Message("held.plain_pieces"))


def _turn_token(token: PhysicalPiece, face: Symbol | None = None) -> None:
    """Turn a piece so that `face` is up. If it already is, or if `face` is None, turn it to the next face."""
    old_symbol = _SYMBOLS_BY_FACE.get(token.face or "")
    new_symbol = face if face and face is not old_symbol else old_symbol and old_symbol.next_symbol
    token.face = new_symbol and new_symbol.value


def _visible_piece(token: PhysicalPiece) -> VisiblePiece:
    return VisiblePiece(token.owner, _SYMBOLS_BY_FACE.get(token.face or ""))


class RemoteHand:
    """Simulated hand for a board in another process. It sends each move and assumes that the move succeeds.

    The board reports only which cells are occupied. The state of this hand is wrong if another client lifts a piece.

    Attributes:
        occupied_cells: cells with pieces, as last reported by the board and since changed by this hand.
        refusal_reason: reason why the last action was refused, or None.
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
        self.refusal_reason: Message | None = None
        self._reported_cells: frozenset[Cell] = frozenset()
        self._board_size, self._send_line, self._now = board_size, send_line, now
        self._held: list[Cell | Side] = []  # cell that a piece was lifted from, or side of a new piece
        self._turned_cells: list[Cell] = []
        self._turned_until = 0.0

    @property
    def standing_pieces(self) -> Mapping[Cell, VisiblePiece]:
        return dict.fromkeys(sorted(self.occupied_cells), VisiblePiece())

    @property
    def held_pieces(self) -> tuple[VisiblePiece, ...]:
        return tuple(VisiblePiece(held if isinstance(held, Side) else None) for held in self._held)

    def step(self) -> None:
        """Put down pieces that have been turned over, the last one first."""
        if self._turned_cells and self._now() >= self._turned_until:
            while self._turned_cells:
                self._send_line({"drop": self._turned_cells.pop()})

    def update_occupied(self, occupied_cells: frozenset[Cell]) -> None:
        self.occupied_cells = self._reported_cells = occupied_cells

    def handle_refusal(self, reason: Message) -> None:
        """Forget all held pieces after a refused move, because their state is unknown."""
        self.refusal_reason = reason
        self.occupied_cells = self._reported_cells
        self._held.clear()
        self._turned_cells.clear()

    def lift_piece(self, cell: Cell) -> None:
        self._require_no_turning()
        self._require_piece(cell)
        self._send_line({"lift": cell})
        self._held.append(cell)
        self.occupied_cells -= {cell}

    def drop_piece(self, cell: Cell) -> None:
        self._require_no_turning()
        if cell in self.occupied_cells:
            raise PondError(Message("held.cell_taken", cell=cell))
        held = self._held.pop()
        self._send_line({"drop": cell, "owner": str(held)} if isinstance(held, Side) else {"drop": cell})
        self.occupied_cells |= {cell}

    def place_piece(self, cell: Cell, piece: Piece) -> None:
        self._require_no_turning()
        self.fetch_piece(piece)
        self.drop_piece(cell)

    def fetch_piece(self, piece: Piece) -> None:
        """Take a new piece with the same owner as `piece`. Its face is ignored."""
        self._held.append(piece.owner)

    def swap_side(self) -> None:
        """Replace a new piece with one of the other side."""
        owner = self._held[-1]
        if not isinstance(owner, Side):
            raise PondError(Message("remote_hand.hand_full"))
        self._held[-1] = owner.other_side

    def turn_piece(self, cell: Cell, face: Symbol | None) -> None:  # noqa: ARG002 - faces are unknown here
        _require_faces(self)
        if self._held:
            raise PondError(Message("remote_hand.hand_full"))
        self._require_piece(cell)
        self._send_line({"lift": cell})
        self._turned_cells.append(cell)
        self._turned_until = self._now() + TURN_OVER_SECONDS

    def flip_held(self) -> None:
        """Do nothing, because the faces of held pieces are unknown."""
        _require_faces(self)

    def lay_aside(self) -> None:
        """Put all held pieces beside the board.

        The protocol has no command for this, so each piece is put on a free cell and then taken off.
        """
        self._require_no_turning()
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
        self._require_no_turning()
        self._require_piece(cell)
        self._send_line({"take": cell})
        self.occupied_cells -= {cell}

    def put_back(self) -> None:
        cell = self._held[-1]
        if isinstance(cell, Side):
            self._held.pop()
        else:
            self.drop_piece(cell)

    def _require_no_turning(self) -> None:
        if self._turned_cells:
            raise PondError(Message("remote_hand.turning"))

    def _require_piece(self, cell: Cell) -> None:
        if cell not in self.occupied_cells:
            raise PondError(Message("remote_hand.no_piece", cell=cell))
