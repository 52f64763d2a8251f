"""Dialog for setting up a position: pieces, side to move and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from pond_hw.messages.message import Message
from pond_hw.rules import PIECES, Cell, NotationError, Piece, Position, Side, Symbol, get_grid
from pond_hw.session import CellView, Scene
from pond_hw.tui.dialogs import Dialog, QuickButton
from pond_hw.tui.hand import VisiblePiece
from pond_hw.tui.key_footer import KeyBar
from pond_hw.tui.lamp_grid import CURSOR_BINDINGS, CellCursor, LampGrid, LitGrid

TEXT_COLUMNS = 28  # columns reserved for text

_NEXT_PIECE = dict(pairwise((None, *PIECES.values(), None)))


class PositionEditor(CellCursor, Dialog[Position]):
    """A dialog for editing a position. Its result is a legal position, but the initial position need not be legal."""

    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(0, 1)", show=False),
        Binding("enter,space", "next", "next_piece", key_display="Enter"),
        Binding("x,X,delete,backspace", "empty", "no_piece"),
        Binding("s", "side", "side_to_move"),
        Binding("l", "scored(0)", show=False),
        Binding("k", "scored(1)", show=False),
        Binding("p,P", "begin", "begin"),
        Binding("escape", "dismiss", "back", key_display="Esc"),
        *CURSOR_BINDINGS,
    ]

    def __init__(self, position: Position, lamp_count: int, now: Callable[[], float]) -> None:
        super().__init__()
        self.edited_variant, self.pieces, self.to_move = position.variant, position.pieces, position.to_move
        self.scored = list(position.scored)
        self._now = now
        self._lamp_grid = LitGrid(position.variant.size, lamp_count, free_columns=TEXT_COLUMNS)
        self.board_grid, self.cursor = get_grid(position.variant.size), "a1"

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield self._lamp_grid
            with VerticalScroll(can_focus=False):
                yield self.make_label(Message("editor.title"), style="bold")
                yield self.make_label(Message("editor.how"), "how")
                for button_name in ("side", *map(str, Side), "begin"):
                    label = f"p  {self.text(Message('editor.begin'))}" if button_name == "begin" else ""
                    button = QuickButton(label, button_name)
                    button.can_focus = False
                    yield button
                yield Static(id="wrong")
        yield KeyBar()

    def update_lamps(self) -> None:
        views = {cell: CellView(self.pieces.get(cell)) for cell in self.board_grid.cells}
        scene = Scene(self.board_grid.size, views, None, None, None, None, 0.0)
        self._lamp_grid.show_scene(scene, self._now(), self.cursor)

    @property
    def position(self) -> Position:
        """The edited position, which may be illegal.

        The spawn contains the pieces that are neither on the board nor scored.
        """
        light, dark = (max(0, self.edited_variant.spawn - self._count_spawned(side)) for side in Side)
        scored = self.scored[0], self.scored[1]
        return Position.from_pieces(self.edited_variant, self.pieces, self.to_move, (light, dark), scored)

    def show_cursor(self) -> None:
        self.update_lamps()

    def on_lamp_grid_cell_clicked(self, event: LampGrid.CellClicked) -> None:
        event.stop()
        self.cursor = event.cell
        self.action_next()

    def action_next(self) -> None:
        """Replace the piece under the cursor with the next kind of piece."""
        if next_piece := _NEXT_PIECE[self.pieces.pop(self.cursor, None)]:
            self.pieces[self.cursor] = next_piece
        self._update_labels()

    def action_empty(self) -> None:
        """Remove the piece under the cursor."""
        self.pieces.pop(self.cursor, None)
        self._update_labels()

    def action_side(self) -> None:
        self.to_move = self.to_move.other_side
        self._update_labels()

    def action_scored(self, side: int) -> None:
        """Increment the score of a side. If the side has no pieces left to score, reset its score to 0."""
        self.scored[side] = self.scored[side] + 1 if self._count_spawned(Side(side)) < self.edited_variant.spawn else 0
        self._update_labels()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        name = event.button.id or ""
        if name in map(str, Side):
            self.action_scored(Side[name.upper()])
        else:
            getattr(self, f"action_{name}")()

    def action_begin(self) -> None:
        """Close the dialog and return the position if it is legal. Otherwise show why it isn't."""
        try:
            position = Position.from_notation(self.position.notation_line, self.edited_variant)
        except NotationError as error:
            wrong = self.query_one("#wrong", Static)
            wrong.update(Content(f"! {self.text(error.message)}"))
            self.call_after_refresh(wrong.scroll_visible, animate=False)
            return
        self.dismiss(position)

    def _count_spawned(self, side: Side) -> int:
        """Return the number of pieces that a side has on the board or has scored."""
        return sum(piece.owner is side for piece in self.pieces.values()) + self.scored[side]

    def prepare(self) -> None:
        self._update_labels()

    def _update_labels(self) -> None:
        position = self.position
        to_move = self.text(Message("editor.to_move", side=str(self.to_move)))
        self.query_one("#side", Button).label = Content(f"s  {to_move}")
        for side, key_letter in zip(Side, "lk", strict=True):
            scored, spawn = position.scored[side], position.spawn[side]
            pieces = self.text(Message("drawn.pieces", side=str(side), scored=scored, spawn=spawn))
            self.query_one(f"#{side}", Button).label = Content(f"{key_letter}  {pieces}")
        self.query_one("#wrong", Static).update("")
        self.update_lamps()


def position_on_board(position: Position, standing_pieces: Mapping[Cell, VisiblePiece] | None) -> Position:
    """Return the position of the pieces on the board. Anything that the sensors can't detect is taken from the game.

    On boards with buttons, `standing_pieces` is None and the position is returned unchanged.
    """
    if standing_pieces is None:
        return position
    board_pieces = {}
    for cell, (owner, face) in standing_pieces.items():
        if cell in position.grid.mask_by_cell:
            known = position.piece_at(cell) or Piece(position.to_move, Symbol.EGG)
            board_pieces[cell] = Piece(known.owner if owner is None else owner, face or known.symbol)
    return Position.from_pieces(position.variant, board_pieces, position.to_move, position.spawn, position.scored)
