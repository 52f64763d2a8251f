"""Base class for apps that show a board with text beside it and a list of keys below it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.tui.key_footer import KeyBar
from pond_hw.tui.lamp_grid import LampGrid
from pond_hw.tui.terminal import TerminalApp

MIN_COLUMNS, MIN_ROWS = 62, 20  # columns and rows of the smallest window with room for a board and text

TEXT_COLUMNS = 36  # columns reserved for text

TALL_ROWS = 34  # rows of the smallest window with room for a list of moves

SMALL_WINDOW = Message("screen.small_window", columns=MIN_COLUMNS, rows=MIN_ROWS)


class BoardApp(TerminalApp):
    """App that shows a board with text beside it and a list of keys below it.

    `more_texts` are shown below the status and the list of moves. Windows that are too small show only a notice.
    """

    AUTO_FOCUS = None
    CSS_PATH = Path(__file__).with_name("board.tcss")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (MIN_COLUMNS, "-wide")]  # noqa: RUF012 - as Textual has it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (MIN_ROWS, "-high"), (TALL_ROWS, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", show=False, priority=True)  # Textual's default only shows a notice
    ]

    def __init__(
        self, lamp_grid: LampGrid, key_bar: KeyBar, *more_texts: Static, catalogue: Catalogue | None, auto_update: bool
    ) -> None:
        super().__init__(auto_update=auto_update, catalogue=catalogue)
        # Stored because queries fail if a timer fires after the screen has closed.
        self._lamp_grid, self._key_bar = lamp_grid, key_bar
        self._status_text, self._moves_text = Static(id="status", markup=False), Static(id="moves", markup=False)
        self._status_scroll = VerticalScroll(self._status_text, id="words", can_focus=False)
        self._side_panel = Vertical(self._status_scroll, self._moves_text, *more_texts, id="beside")

    def compose(self) -> ComposeResult:
        with Horizontal(id="table"):
            yield self._lamp_grid
            yield self._side_panel
        yield self._key_bar
        yield Static(self.catalogue.text(SMALL_WINDOW), id="small", markup=False)

    def on_resize(self) -> None:
        """Update the screen once the new layout is complete."""
        self.call_after_refresh(self.update_screen)
