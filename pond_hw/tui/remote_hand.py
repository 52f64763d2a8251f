"""A hand at a board that is served elsewhere and simulated: it can only say what it does, and hope that it was done.

What stands there is known as far as it is felt. What is in the hand is known as far as nobody else has lifted anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pond_hw.rules import Cell, Piece, PondError, Side, Symbol, get_grid
from pond_hw.tui.hand import TURN_OVER_SECONDS, VisiblePiece

LineSender = Callable[[dict[str, Any]], None]


class _HeldPiece(NamedTuple):
    """A piece that was lifted from a cell, or (None) one of that side that is ready to be put down as a new one."""

    cell: Cell | None
    owner: Side | None = None


class RemoteHand:
    """A hand that acts by lines.

    Args:
        board_size: rows of the board.
        send_line: sends a line.
        now: the clock that turning takes its time by, in seconds.

    Attributes:
        occupied_cells: where a piece is felt, as we were told last, and changed by what we have done since.
    """

    def __init__(self, board_size: int, send_line: LineSender, now: Callable[[], float]) -> None:
        self.occupied_cells: frozenset[Cell] = frozenset()
        self._reported_cells: frozenset[Cell] = frozenset()
        self._board_size, self._send_line, self._now = board_size, send_line, now
        self._pieces_in_hand: list[_HeldPiece] = []
        self._turned_cells: list[Cell] = []
        self._turned_until = 0.0
        self._pending_complaint = ""

    @property
    def standing_pieces(self) -> Mapping[Cell, VisiblePiece]:
        """The wood on the board."""
        return dict.fromkeys(sorted(self.occupied_cells), VisiblePiece())

    @property
    def held_pieces(self) -> tuple[VisiblePiece, ...]:
        """The wood in the hand."""
        return tuple(VisiblePiece(held_piece.owner) for held_piece in self._pieces_in_hand)

    def step(self) -> None:
        """Put back what has been turned over; what was lifted last first."""
        if self._turned_cells and self._now() >= self._turned_until:
            while self._turned_cells:
                self._send_line({"drop": self._turned_cells.pop()})

    def update_occupied(self, occupied_cells: frozenset[Cell]) -> None:
        """We are told where a piece is felt."""
        self.occupied_cells = self._reported_cells = occupied_cells

    def handle_refusal(self, error_text: str) -> None:
        """Something was not done there. What is in the hand is not known any more, and so: nothing."""
        self._pending_complaint = error_text
        self.occupied_cells = self._reported_cells
        self._pieces_in_hand.clear()
        self._turned_cells.clear()

    def take_complaint(self) -> str:
        """Why something was not done after all; once."""
        complaint_text, self._pending_complaint = self._pending_complaint, ""
        return complaint_text

    def lift_piece(self, cell: Cell) -> None:
        """Take the piece that stands there."""
        self._must_be_still()
        self._must_stand(cell)
        self._send_line({"lift": cell})
        self._pieces_in_hand.append(_HeldPiece(cell))
        self.occupied_cells -= {cell}

    def drop_piece(self, cell: Cell) -> None:
        """Put down the piece that was taken last."""
        self._must_be_still()
        self._must_hold()
        self._must_be_free(cell)
        owner = self._pieces_in_hand.pop().owner
        self._send_line({"drop": cell, "owner": str(owner)} if owner is not None else {"drop": cell})
        self.occupied_cells |= {cell}

    def place_piece(self, cell: Cell, piece: Piece) -> None:
        """Put a new piece of that side down."""
        self._must_be_still()
        self._must_be_free(cell)
        self._send_line({"drop": cell, "owner": str(piece.owner)})
        self.occupied_cells |= {cell}

    def fetch_piece(self, piece: Piece) -> None:
        """Have a new piece of that side ready."""
        self._pieces_in_hand.append(_HeldPiece(None, piece.owner))

    def swap_side(self) -> None:
        """Have one of the other side ready."""
        self._must_hold()
        owner = self._pieces_in_hand[-1].owner
        if owner is None:
            raise PondError("Put down what is in the hand first.")
        self._pieces_in_hand[-1] = _HeldPiece(None, owner.other_side)

    def turn_piece(self, cell: Cell, face: Symbol | None) -> None:  # noqa: ARG002 - nobody sees faces from here
        """Take the piece that stands there, turn it over, and put it back in a moment."""
        if self._pieces_in_hand:
            raise PondError("Put down what is in the hand first.")
        self._must_stand(cell)
        self._send_line({"lift": cell})
        self._turned_cells.append(cell)
        self._turned_until = self._now() + TURN_OVER_SECONDS

    def flip_held(self) -> None:
        """Turn the piece in the hand over: nobody sees it from here."""
        self._must_hold()

    def lay_aside(self) -> None:
        """Lay all that is in the hand beside the board. No line does that; but one takes a piece off a cell."""
        self._must_be_still()
        self._must_hold()
        while self._pieces_in_hand:
            cell, owner = self._pieces_in_hand.pop()
            if owner is None:
                free_cell = next(
                    (
                        free_cell
                        for free_cell in (cell, *get_grid(self._board_size).cells)
                        if free_cell and free_cell not in self.occupied_cells
                    ),
                    None,
                )
                if free_cell is None:
                    raise PondError("There is no room on the board: put the piece back where it came from.")
                self._send_line({"drop": free_cell})
                self._send_line({"take": free_cell})

    def take_off(self, cell: Cell) -> None:
        """Take the piece that stands there and lay it beside the board."""
        self._must_be_still()
        self._must_stand(cell)
        self._send_line({"take": cell})
        self.occupied_cells -= {cell}

    def put_back(self) -> None:
        """Put all that is in the hand back where it came from."""
        self._must_hold()
        while self._pieces_in_hand:
            cell = self._pieces_in_hand[-1].cell
            if cell is None:
                self._pieces_in_hand.pop()
            else:
                self.drop_piece(cell)

    def sweep_board(self) -> None:
        """Take everything that stands on the board."""
        if not self.occupied_cells:
            raise PondError("There is nothing on the board to take off.")
        for cell in sorted(self.occupied_cells):
            self.lift_piece(cell)

    def _must_be_still(self) -> None:
        if self._turned_cells:
            raise PondError("A piece is being turned over: wait a moment.")

    def _must_hold(self) -> None:
        if not self._pieces_in_hand:
            raise PondError("There is nothing in the hand.")

    def _must_stand(self, cell: Cell) -> None:
        if cell not in self.occupied_cells:
            raise PondError(f"No piece is felt on {cell}.")

    def _must_be_free(self, cell: Cell) -> None:
        if cell in self.occupied_cells:
            raise PondError(f"A piece stands on {cell} already: lift that first.")
