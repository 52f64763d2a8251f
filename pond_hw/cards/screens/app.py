"""Base of the two card game screens: an 80-column page, keys, and an optional lit board."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from pond_hw.cards.board import CardBoard
from pond_hw.cards.scene import CardScene
from pond_hw.cards.screens.drawing import COLUMNS, ROWS
from pond_hw.journal.other_games import OtherGameJournal
from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import print_text
from pond_hw.rules import Cell, get_grid
from pond_hw.session import CellView, Scene
from pond_hw.simulator import SimulatedBoard
from pond_hw.tui.dialogs import ConfirmDialog, Dialog
from pond_hw.tui.help_screen import read_page
from pond_hw.tui.key_footer import KeyBar
from pond_hw.tui.lamp_grid import CURSOR_BINDINGS, CellCursor, LampGrid
from pond_hw.tui.terminal import TerminalApp, find_catalogue

SMALL_WINDOW = Message("screen.small_window", columns=COLUMNS, rows=ROWS + 1)


class CardHelp(Dialog[None]):
    """Help page with the rules and the keys."""

    AUTO_FOCUS = "VerticalScroll"  # lets the arrow keys scroll
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "page", "next_page", key_display="Space"),
        Binding("escape,q,Q,question_mark,f1,enter", "dismiss", "back_to_game", key_display="Esc"),
    ]
    DEFAULT_CSS = "CardHelp { background: $background; } CardHelp VerticalScroll { padding: 1 2 0 2; }"

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(read_page(find_catalogue(self).language, "cards"))
        yield KeyBar()

    def action_page(self) -> None:
        self.query_one(VerticalScroll).scroll_page_down(animate=False)


class BoardScreen(Dialog[None], CellCursor):
    """Screen with the lamps of the board. On a simulated board, keys and mouse press the cells."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(0, 1)", "move", key_display="↑↓←→"),
        Binding("enter,space", "press", "press", key_display="Enter"),
        Binding("escape,q,Q,b,B", "dismiss", "back_to_game", key_display="Esc"),
        *[binding for binding in CURSOR_BINDINGS if "b,B" not in str(getattr(binding, "key", ""))],
    ]
    DEFAULT_CSS = "BoardScreen { background: $background; } BoardScreen Static { padding: 1 0 0 2; width: 1fr; }"

    def __init__(self, card_board: CardBoard) -> None:
        super().__init__()
        lamps = card_board.board.lamps.lamps_per_cell
        self._card_board, self.board_grid = card_board, get_grid(card_board.size)
        self.cursor = "b2"
        self._lamp_grid = LampGrid(card_board.size, lamps, card_board.limiter, free_columns=36)
        self._text_panel = Static(markup=False)

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield self._lamp_grid
            yield self._text_panel
        yield KeyBar()

    def show_text(self, messages: list[Message]) -> None:
        """Show messages beside the lamps."""
        self._text_panel.update(Content(self.text(messages)))

    def update_lamps(self) -> None:
        scene = Scene(
            self.board_grid.size, dict.fromkeys(self.board_grid.cells, CellView()), None, None, None, None, 0.0
        )
        self._lamp_grid.show_frame(self._card_board.frame, scene, self._card_board.now(), self.cursor)

    def show_cursor(self) -> None:
        self.update_lamps()

    def on_lamp_grid_cell_clicked(self, event: LampGrid.CellClicked) -> None:
        self.cursor = event.cell
        self.action_press()

    def action_press(self) -> None:
        """Press the cell under the cursor of a simulated board."""
        sensors = self._card_board.board.sensors
        if isinstance(sensors, SimulatedBoard):
            sensors.touch(self.cursor)


class CardApp(TerminalApp):
    """Base class for screens of the card game."""

    AUTO_FOCUS = None
    CSS = "#page { height: 1fr; } #small { display: none; padding: 1 2; height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("ctrl+q", "leave", show=False, priority=True),
    ]

    def __init__(
        self,
        board: CardBoard | None,
        journal: OtherGameJournal,
        catalogue: Catalogue,
        *,
        auto_update: bool = True,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(auto_update=auto_update, catalogue=catalogue)
        self.card_board, self.journal, self._now = board, journal, now
        self._page, self._small = Static(id="page", markup=False), Static(id="small", markup=False)
        self._key_bar = self.make_key_bar()
        self._shown: Content | None = None

    def make_key_bar(self) -> KeyBar:
        return KeyBar()

    def compose(self) -> ComposeResult:
        yield self._page
        yield self._key_bar
        yield self._small

    def on_resize(self) -> None:
        """Show a message instead of the page if the window is too small."""
        is_small = self.size.width < COLUMNS or self.size.height < ROWS + 1
        self._page.display, self._key_bar.display, self._small.display = not is_small, not is_small, is_small
        self._small.update(self.catalogue.text(SMALL_WINDOW))
        self.call_after_refresh(self.update_screen)

    def update_screen(self) -> None:
        """Advance the game and redraw what has changed."""
        if not self.screen_stack:
            return
        self.advance()
        if self.card_board:
            for cell in self.card_board.read_presses():
                self.use_press(cell)
            if scene := self.card_scene(self.card_board.size):
                self.card_board.show(scene)
        if isinstance(self.screen, BoardScreen):
            self.screen.update_lamps()
            self.screen.show_text(self.board_text())
        content = self.draw()
        if content != self._shown:
            self._shown = content
            self._page.update(content)

    def advance(self) -> None:
        """Advance the game if an action is due."""

    def draw(self) -> Content:
        """Return the content of the page."""
        raise NotImplementedError

    def card_scene(self, size: int) -> CardScene | None:
        """Return the scene for a board with `size` rows, or None."""
        raise NotImplementedError

    def board_text(self) -> list[Message]:
        """Return the messages shown beside the board's lamps."""
        raise NotImplementedError

    def use_press(self, cell: Cell) -> None:
        """Handle a press on a cell of the board."""

    def trouble_messages(self) -> tuple[Message, ...]:
        """Return the current faults of the journal and the board."""
        troubles = (self.journal.trouble, self.card_board.trouble if self.card_board else None)
        return tuple([trouble for trouble in troubles if trouble])

    @property
    def can_continue(self) -> bool:
        """True if the game has started and is not over."""
        raise NotImplementedError

    def action_leave(self) -> None:
        """Quit. Ask for confirmation during a game."""
        if not self.can_continue:
            self.exit()
        elif not isinstance(self.screen, ConfirmDialog):
            question = Message(f"confirm.quit.{'saved' if self.journal.is_saved else 'unsaved'}")
            self.push_screen(ConfirmDialog(question), lambda is_confirmed: self.exit() if is_confirmed else None)

    def action_board(self) -> None:
        if self.card_board:
            self.push_screen(BoardScreen(self.card_board))

    def action_help(self) -> None:
        self.push_screen(CardHelp())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's signature
        """Disable the board key if there is no board."""
        return action != "board" or self.card_board is not None

    def leave_terminal(self, command: str) -> None:
        """Print how to continue the game, or exit with the screen's error code.

        Args:
            command: command that continues the game.

        Raises:
            SystemExit: the screen has failed.
        """
        if self.return_code:
            raise SystemExit(self.return_code)
        if self.can_continue and self.journal.is_saved:
            print_text(self.catalogue.text(Message("farewell.saved", command=command)))
