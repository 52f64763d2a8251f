"""Keyboard and mouse actions for the pieces of a board: take, put down, turn over, put aside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from textual import events
from textual.widgets import Static

from pond_hw.messages.message import Message
from pond_hw.rules import Cell, Piece, PondError, Symbol
from pond_hw.session import CellRole
from pond_hw.tui.board_app import BoardApp
from pond_hw.tui.hand import LocalHand, RemoteHand
from pond_hw.tui.lamp_grid import CellCursor, LampGrid
from pond_hw.tui.local_table import LocalTable

if TYPE_CHECKING:
    from pond_hw.tui.remote_table import RemoteTable

GameTable: TypeAlias = "LocalTable | RemoteTable"
"""A game with its board and players, running in this process or served by another."""

PieceHand: TypeAlias = LocalHand | RemoteHand
"""Simulated hand of a `GameTable`. It raises a PondError with the reason if an action is impossible."""


class HandApp(CellCursor, BoardApp):
    """App that shows a board and, if it has pieces, lets the player handle them."""

    game_table: GameTable
    _hand_text: Static
    _dragged_from: Cell | None = None  # origin of a mouse drag while the button is down

    @property
    def has_pieces(self) -> bool:
        return self.game_table.hand is not None

    @property
    def _holding_hand(self) -> PieceHand | None:
        """The simulated hand if it holds a piece, otherwise None."""
        hand = self.game_table.hand
        return hand if hand and hand.held_pieces else None

    def action_lift_or_put_down(self) -> bool:
        """Put down the held piece, lift the piece under the cursor, or put a new piece on an empty cell.

        A new piece is the one that the lamps ask for, or otherwise an egg of the side to move.

        Returns:
            True if a piece was lifted.
        """
        was_lifted, cell, view = False, self.cursor, self.game_table.view
        repair_step = view.occupancy and view.occupancy.repair_step
        with self._using_hand() as hand:
            is_standing = cell in hand.standing_pieces
            if view.game_phase == "menu" and is_standing:
                hand.take_off(cell)  # this may begin a game, for which the hand must be empty
                hand.lay_aside()
            elif hand.held_pieces:
                hand.drop_piece(cell)
            elif is_standing:
                hand.lift_piece(cell)
                was_lifted = True
            elif repair_step and repair_step.target == cell and repair_step.source:  # the lamps ask for that piece here
                hand.lift_piece(repair_step.source)
                hand.drop_piece(cell)
            else:
                cell_view = view.cells[cell]
                requested = cell_view.piece if cell_view.role in (CellRole.PUT, CellRole.PENDING) else None
                hand.place_piece(cell, requested or Piece(view.position.to_move, Symbol.EGG))
        return was_lifted

    @contextmanager
    def _using_hand(self) -> Iterator[PieceHand]:
        """Yield the simulated hand, store the reason if an action is refused, and update the screen."""
        hand = self.game_table.hand
        assert hand
        hand.refusal_reason = None
        try:
            yield hand
        except PondError as error:
            hand.refusal_reason = error.message
        self.update_screen()

    def action_turn(self) -> None:
        """Turn over the piece under the cursor, or the held piece if the cell is empty.

        If the piece has scored, take it off.
        """
        cell_view = self.game_table.view.cells[self.cursor]
        with self._using_hand() as hand:
            if cell_view.role is CellRole.TAKE_OFF:
                hand.take_off(self.cursor)
                if self.game_table.view.game_phase == "menu":
                    hand.lay_aside()
            elif hand.held_pieces and self.cursor not in hand.standing_pieces:
                hand.flip_held()
            else:
                hand.turn_piece(self.cursor, cell_view.piece and cell_view.piece.symbol)

    def action_off(self) -> None:
        """Put the held pieces aside. If there are none, take the piece under the cursor off the board."""
        with self._using_hand() as hand:
            if hand.held_pieces:
                hand.lay_aside()
            else:
                hand.take_off(self.cursor)

    def action_fetch(self) -> None:
        """Take a new egg of the side to move. If a piece is already held, replace it with one of the other side."""
        with self._using_hand() as hand:
            if hand.held_pieces:
                hand.swap_side()
            else:
                hand.fetch_piece(Piece(self.game_table.view.position.to_move, Symbol.EGG))

    def action_sweep(self) -> None:
        """Lift all pieces off the board."""
        with self._using_hand() as hand:
            if not hand.standing_pieces:
                raise PondError(Message("held.board_is_empty"))
            for cell in hand.standing_pieces:
                hand.lift_piece(cell)

    def on_lamp_grid_mouse_pressed(self, event: LampGrid.MousePressed) -> None:
        """Lift a piece or put it down. With the right button, turn a piece over."""
        if not self.point_at(event.cell):
            return
        if event.is_right_button:
            self.action_turn()
        else:
            self._dragged_from = event.cell if self.action_lift_or_put_down() else None

    def on_lamp_grid_mouse_entered(self, event: LampGrid.MouseEntered) -> None:
        """Draw the held piece under the mouse pointer."""
        if self._holding_hand and self.point_at(event.cell):
            self.update_screen()

    def on_lamp_grid_mouse_released(self, event: LampGrid.MouseReleased) -> None:
        """Drop the dragged piece, unless the mouse is still on the cell it came from."""
        carried, self._dragged_from = self._dragged_from, None
        hand = self._holding_hand
        if not carried or not hand:
            return
        if event.cell is None:
            self.action_off()
        elif event.cell != carried and self.point_at(event.cell):
            with self._using_hand():
                hand.drop_piece(event.cell)

    def on_click(self, event: events.Click) -> None:
        """Put the held pieces aside if the text about them was clicked."""
        if event.widget is self._hand_text and self._holding_hand:
            self.action_off()
