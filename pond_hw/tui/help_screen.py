"""The page for somebody who has never heard of Pond: the game, and how the lamps speak."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from math import isqrt
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Static

from pond_hw.rules import DARK, LIGHT, PIECES, Action, Cell, Piece, Position, Symbol, get_grid, parse_variant, play
from pond_hw.session import CellRole, CellView, Scene, ShownRefusal
from pond_hw.tui.dialogs import Dialog
from pond_hw.tui.lamp_grid import LitGrid
from pond_hw.tui.style import plate_colours

_SHAPE_TEXTS: Mapping[int, str] = {
    1: "Its rhythm is its kind: an egg is steady, a tadpole breathes slowly, a frog blinks twice with both eyes.",
    2: "Its shape is its kind: an egg is one lamp, a tadpole two on the slant, a frog all four.",
    3: "Its shape is its kind: an egg is a lump, a tadpole has a head and a tail, a frog a leg in every corner.",
}


class HelpScreen(Dialog[None]):
    """How Pond is played and how the lamps speak, with examples that the rules and the lamps themselves draw.

    Args:
        lamp_count: lamps in a cell, as on the board that is played on.
        now: the clock that the lamps of the example live by, in seconds.
        page_name: what it tells of keys: how one plays with `buttons` or `pieces`, or goes through a `record`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "page", "read on", key_display="Space"),
        Binding("escape,q,Q,h,H,question_mark,f1,enter", "dismiss", "back to the game", key_display="Esc"),
    ]

    def __init__(self, lamp_count: int, now: Callable[[], float], page_name: str) -> None:
        super().__init__()
        self._keys_page, self._now = page_name, now
        self._lamp_grid = LitGrid(3, lamp_count, pitch=10)
        self._shape_text = _SHAPE_TEXTS[min(3, isqrt(lamp_count))]

    def compose(self) -> ComposeResult:
        """Words, drawn turns, and a board of nine cells that shows what lamps can say."""
        with VerticalScroll():
            yield Static(_read_page("game"))
            yield Static(drawn_turn(".e./..T/.F.", "@b2"), classes="turn")
            yield Static(_read_page("score"))
            yield Static(drawn_turn("E../F.f/..t", "@b2"), classes="turn")
            yield Static(_read_page("end") + _read_page(self._keys_page))
            with Horizontal():
                yield self._lamp_grid
                yield Static(_read_page("cells").format(shape=self._shape_text))
            yield Static(_read_page("lamps"))
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one(VerticalScroll).focus()
        self.update_lamps()

    def update_lamps(self) -> None:
        """Show what the lamps of the example say now."""
        now = self._now()
        self._lamp_grid.show_scene(_example_scene(now), now)

    def action_page(self) -> None:
        """Scroll down by a page."""
        self.query_one(VerticalScroll).scroll_page_down(animate=False)


def _read_page(page_name: str) -> str:
    """A part of the help, as markup; a line that ends in a backslash goes on in the next one."""
    path = Path(__file__).with_name("help") / f"{page_name}.txt"
    return path.read_text(encoding="utf-8").replace("\\\n", "")


def _example_scene(now: float) -> Scene:
    """Nine cells: six kinds of piece, and what else a cell can be. The refusal comes back every four seconds."""
    cell_views = {
        cell: CellView(Piece(side, symbol))
        for row, side in zip("32", (LIGHT, DARK), strict=True)
        for cell, symbol in zip((f"a{row}", f"b{row}", f"c{row}"), Symbol, strict=True)
    }
    cell_views |= {
        "a1": CellView(Piece(LIGHT, Symbol.FROG), CellRole.CHOSEN),
        "b1": CellView(role=CellRole.TARGET),
        "c1": CellView(Piece(DARK, Symbol.EGG)),
    }
    return Scene(3, cell_views, None, None, ShownRefusal("c1", now // 4 * 4), None, 0.0)


def drawn_turn(row_letters: str, action: str) -> Content:
    """A turn of light on a pond of three rows, drawn step by step and side by side, as the rules play it."""
    cell_letters = zip(chain.from_iterable(get_grid(3).rows), row_letters.replace("/", ""), strict=True)
    board_pieces = {cell: PIECES[piece_letter] for cell, piece_letter in cell_letters if piece_letter != "."}
    position = Position.from_pieces(parse_variant("3x3/9/9"), board_pieces, LIGHT, (9, 9), (0, 0))
    turn = play(position, Action.from_notation(action))
    pieces_acted = turn.pieces_after_develop | {d.cell: Piece(d.owner, d.old_symbol) for d in turn.developed_pieces}
    steps = [("before", position.pieces), ("act", pieces_acted), ("grow", turn.pieces_after_develop)]
    if turn.sets:
        steps.append(("score", turn.after.pieces))
    drawn_boards = [list(_board_lines(step_title, board_pieces)) for step_title, board_pieces in steps]
    return Content("\n").join(Content("   ").join(row) for row in zip(*drawn_boards, strict=True))


def _board_lines(step_title: str, pieces: Mapping[Cell, Piece]) -> Iterator[Content]:
    yield Content(f"    {step_title:<10}")
    for row in get_grid(3).rows:
        yield Content.assemble(f"  {row[0][1]} ", *(_format_cell(pieces.get(cell)) for cell in row), " ")
    yield Content(f"     {'  '.join('abc')}  ")


def _format_cell(piece: Piece | None) -> Content:
    if piece is None:
        return Content(" · ")
    ink_colour, paper_colour = plate_colours(piece.owner)
    return Content.assemble((f" {piece.notation_letter} ", f"bold {ink_colour} on {paper_colour}"))
