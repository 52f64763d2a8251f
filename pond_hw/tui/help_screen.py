"""Help screen with the rules, the keys and the lamp signals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from math import isqrt
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import count_columns, pad_text, protect_spaces
from pond_hw.rules import DARK, LIGHT, PIECES, Action, Cell, Piece, Position, Symbol, get_grid, parse_variant, play
from pond_hw.session import CellRole, CellView, Scene, ShownRefusal
from pond_hw.tui.colours import plate_colours
from pond_hw.tui.dialogs import Dialog
from pond_hw.tui.key_footer import KeyBar
from pond_hw.tui.lamp_grid import LitGrid
from pond_hw.tui.terminal import find_catalogue

HELP_FOLDER = Path(__file__).with_name("help")
"""Folder with a subfolder for each language, which contains one file for each section of the help."""

SHAPE_NAMES = {1: "one_lamp", 2: "four_lamps"}
"""Name of the text about piece shapes, by number of lamps along the side of a cell. The default is `many_lamps`."""


class HelpScreen(Dialog[None]):
    """The rules, the keys and the lamp signals. Examples are drawn with the rules engine and the lamp renderer.

    `page_name` selects the section about keys: `buttons` or `pieces` for a game, `record` for a replay.
    """

    AUTO_FOCUS = "VerticalScroll"  # the arrows scroll
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "page", "next_page", key_display="Space"),
        Binding("escape,q,Q,h,H,question_mark,f1,enter", "dismiss", "back_to_game", key_display="Esc"),
    ]

    def __init__(self, lamp_count: int, now: Callable[[], float], page_name: str) -> None:
        super().__init__()
        self._keys_page, self._now = page_name, now
        self._lamp_grid = LitGrid(3, lamp_count, pitch=10)
        self._shape = Message(f"help.shape.{SHAPE_NAMES.get(isqrt(lamp_count), 'many_lamps')}")

    def compose(self) -> ComposeResult:
        catalogue = find_catalogue(self)
        read = partial(read_page, catalogue.language)
        with VerticalScroll():
            yield Static(read("game"))
            yield Static(draw_turn(".e./..T/.F.", "@b2", catalogue), classes="turn")
            yield Static(read("score"))
            yield Static(draw_turn("E../F.f/..t", "@b2", catalogue), classes="turn")
            yield Static(read("end") + read(self._keys_page))
            with Horizontal():
                yield self._lamp_grid
                yield Static(read("cells").format(shape=catalogue.text(self._shape)))
            yield Static(read("lamps"))
        yield KeyBar()

    def prepare(self) -> None:
        self.update_lamps()

    def update_lamps(self) -> None:
        now = self._now()
        self._lamp_grid.show_scene(_example_scene(now), now)

    def action_page(self) -> None:
        self.query_one(VerticalScroll).scroll_page_down(animate=False)


def read_page(language: str, page_name: str) -> str:
    """Return one section of the help as markup, in English if it isn't translated.

    A backslash at the end of a line joins it to the next line.
    """
    paths = [HELP_FOLDER / folder / f"{page_name}.txt" for folder in (language, "en")]
    path = next(path for path in paths if path.exists())
    return protect_spaces(path.read_text(encoding="utf-8").replace("\\\n", ""))


def _example_scene(now: float) -> Scene:
    """Return a scene that shows all six pieces, a chosen piece, a target and a refusal.

    The refusal repeats every 4 s.
    """
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


def draw_turn(row_letters: str, action: str, catalogue: Catalogue) -> Content:
    """Draw a turn by light on a 3x3 pond as a row of small boards, one for each step of the turn."""
    cell_letters = zip(chain.from_iterable(get_grid(3).rows), row_letters.replace("/", ""), strict=True)
    board_pieces = {cell: PIECES[piece_letter] for cell, piece_letter in cell_letters if piece_letter != "."}
    position = Position.from_pieces(parse_variant("3x3/9/9"), board_pieces, LIGHT, (9, 9), (0, 0))
    turn = play(position, Action.from_notation(action))
    pieces_acted = turn.pieces_after_develop | {d.cell: Piece(d.owner, d.old_symbol) for d in turn.developed_pieces}
    steps = [("before", position.pieces), ("act", pieces_acted), ("grow", turn.pieces_after_develop)]
    if turn.sets:
        steps.append(("score", turn.after.pieces))
    drawn_boards = [
        list(_board_lines(catalogue.text(Message(f"help.step.{step_name}")), board_pieces))
        for step_name, board_pieces in steps
    ]
    return Content("\n").join(Content("   ").join(row) for row in zip(*drawn_boards, strict=True))


def _board_lines(step_title: str, pieces: Mapping[Cell, Piece]) -> Iterator[Content]:
    padding = " " * max(0, count_columns(step_title) - 10)  # columns by which the title is wider than the board
    yield Content(f"    {pad_text(step_title, 10)}")
    for row in get_grid(3).rows:
        yield Content.assemble(f"  {row[0][1]} ", *(_format_cell(pieces.get(cell)) for cell in row), f" {padding}")
    yield Content(f"     {'  '.join('abc')}  {padding}")


def _format_cell(piece: Piece | None) -> Content:
    if piece is None:
        return Content(" · ")
    ink_colour, paper_colour = plate_colours(piece.owner)
    return Content.assemble((f" {piece.notation_letter} ", f"bold {ink_colour} on {paper_colour}"))
