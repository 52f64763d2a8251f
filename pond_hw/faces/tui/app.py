"""`pond play`: a board in this terminal."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Footer, Static

from pond_hw.board import Frame
from pond_hw.faces.tui.dialogs import Ask, Choice, ChooseGame
from pond_hw.faces.tui.help import Help
from pond_hw.faces.tui.lamps import LampGrid
from pond_hw.faces.tui.style import THEME
from pond_hw.faces.tui.table import Table, Wish, people, seat
from pond_hw.faces.tui.words import tell
from pond_hw.rules import Cell, Grid, PondError, Side, grid
from pond_hw.session import AgreeDraw, Redo, Resign, Session, Undo

FRAMES_A_SECOND = 15
"""How often the lamps are looked at: smooth enough for breathing, and little work."""

WIDE, HIGH = 62, 20
"""Columns and rows below which there is no room for a board with words beside it."""

ROOM_FOR_WORDS = 36
"""Columns that the board leaves free."""

def need_terminal() -> None:
    """Go on only if somebody sits at a terminal.

    Raises:
        PondError: nobody does.
    """
    if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)):
        raise PondError("The terminal board needs a terminal; `pond headless` does not.")


def sit(table: Table) -> None:
    """Play in this terminal until the players leave.

    Args:
        table: where.

    Raises:
        PondError: the table is no longer there.
    """
    app = TerminalBoard(table)
    app.run()
    if app.lost:
        raise app.lost
    if app.return_code:
        raise SystemExit(app.return_code)


class Keys(Footer):
    """The keys; where they have no room, without the first, which people try anyway."""

    def compose(self) -> ComposeResult:
        """One widget a key."""
        for number, key in enumerate(super().compose()):
            yield key if number else key.add_class("least")


class TerminalBoard(App[None]):
    """A table, and a person in front of a terminal.

    Args:
        companion: the table.
        lives: whether it is looked at again and again. Else nothing moves by itself: whoever made this says `look`.

    Attributes:
        companion: what the game is with.
        cursor: the cell that Enter presses.
        lost: why the table is no longer there, if it is not.
    """

    TITLE = "Pond"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None

    CSS = """
    #table { height: 1fr; }
    #words { width: 1fr; padding: 1 0 0 1; max-width: 70; scrollbar-size-vertical: 1; }
    #small { display: none; padding: 1 2; height: 1fr; }
    .least { display: none; }
    .-roomy FooterKey { display: block; margin-right: 2; }
    .-narrow, .-low {
        #table, Footer { display: none; }
        #small { display: block; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", show=False, priority=True),  # at once, from anywhere; Textual would only explain
        Binding("up", "go(0, 1)", "move", key_display="↑↓←→"),
        Binding("down", "go(0, -1)", show=False),
        Binding("left", "go(-1, 0)", show=False),
        Binding("right", "go(1, 0)", show=False),
        Binding("enter,space", "press", "press", key_display="Enter"),
        Binding("u,U", "undo", "undo"),
        Binding("r,R", "redo", "redo"),
        Binding("n,N", "new_game", "new"),
        Binding("x,X", "resign", "resign"),
        Binding("t,T", "draw", "draw"),
        Binding("question_mark,h,H", "help", "help", key_display="?"),
        Binding("q,Q", "leave", "quit"),
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("escape", "let_go", show=False),
        Binding("pageup", "words(-1)", show=False),
        Binding("pagedown", "words(1)", show=False),
        *(Binding(f"{letter},{letter.upper()}", f"column({x})", show=False) for x, letter in enumerate("abcde")),
        *(Binding(digit, f"row({y})", show=False) for y, digit in enumerate("12345")),
    ]

    def __init__(self, companion: Table, *, lives: bool = True) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide"), (80, "-roomy")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (HIGH, "-high")]
        self.register_theme(THEME)
        self.theme = THEME.name
        self.lost: PondError | None = None
        self._lives = lives
        self._sit_down(companion)
        frame = companion.frame
        self._board = LampGrid(frame.size, frame.lamps, companion.limiter, room=ROOM_FOR_WORDS, id="board")
        self._words = Static(id="told")

    def _sit_down(self, companion: Table) -> None:
        self.companion = companion
        size = companion.frame.size
        self.cursor: Cell = grid(size).rows[size // 2][(size - 1) // 2]
        self._shown: tuple[Frame, Session, Cell, int] | None = None

    def compose(self) -> ComposeResult:
        """The board, the words, the keys; and a sentence for windows in which they have no room."""
        with Horizontal(id="table"):
            yield self._board
            with VerticalScroll(id="words", can_focus=False):
                yield self._words
        yield Keys(compact=True)
        yield Static(
            f"This window is too small for the pond: it needs {WIDE} columns and {HIGH} rows. Make the window "
            "larger, or its letters smaller.",
            id="small",
        )

    def on_mount(self) -> None:
        """Begin to live; and when told from outside to end, leave the terminal as it was."""
        if self._lives:
            self.set_interval(1 / FRAMES_A_SECOND, self.look)
            with suppress(NotImplementedError, AttributeError):  # not every system has these signals
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    asyncio.get_running_loop().add_signal_handler(number, self.exit)

    def on_resize(self) -> None:
        """Look again once everything has found its new place."""
        self.call_after_refresh(self.look)

    def on_unmount(self) -> None:
        """Leave the lamps dark."""
        self.companion.close()

    def look(self) -> None:
        """Let the companion do what is due, and show what has changed."""
        try:
            self.companion.step()
        except PondError as lost:
            self.lost = lost
            self.exit(return_code=2)
            return
        if isinstance(self.screen, Help):
            self.screen.look()
        if len(self.screen_stack) > 1:
            return  # what lies under a question stands still: to shade all of it again and again is much work
        frame, session = self.companion.frame, self.companion.session
        shown, before = (frame, session, self.cursor, self._words.size.width), self._shown
        if shown == before:
            return
        self._shown = shown
        self._board.show(frame, session.scene, self.companion.now(), self.cursor)
        if not before or (before[1], before[3]) != (shown[1], shown[3]):
            self._words.update(tell(self.companion, self._words.size.width))

    # What keys and clicks do.

    def action_go(self, dx: int, dy: int) -> None:
        """Move the cursor by a cell."""
        x, y = self._grid.place(self.cursor)
        self._move(x + dx, y + dy)

    def action_column(self, x: int) -> None:
        """Move the cursor to a column."""
        self._move(x, self._grid.place(self.cursor)[1])

    def action_row(self, y: int) -> None:
        """Move the cursor to a row."""
        self._move(self._grid.place(self.cursor)[0], y)

    def _move(self, x: int, y: int) -> None:
        size = self._grid.size
        if 0 <= x < size and 0 <= y < size:
            self.cursor = self._grid.cells[y * size + x]
            self.look()

    @property
    def _grid(self) -> Grid:
        return grid(self.companion.frame.size)

    def action_press(self) -> None:
        """Press the cell under the cursor."""
        self.companion.touch(self.cursor)
        self.look()

    def on_lamp_grid_pressed(self, event: LampGrid.Pressed) -> None:
        """Press the cell that was clicked."""
        self.cursor = event.cell
        self.action_press()

    def action_let_go(self) -> None:
        """Let the chosen piece go."""
        chosen = self.companion.session.chosen
        if chosen:
            self.companion.touch(chosen)
            self.look()

    def action_undo(self) -> None:
        """Take a turn back."""
        self._put(Undo(self.companion.now()))

    def action_redo(self) -> None:
        """Play a turn again that was taken back."""
        self._put(Redo(self.companion.now()))

    def action_draw(self) -> None:
        """Agree to a draw; two people are asked whether both do."""
        agree = AgreeDraw(self.companion.now())
        if len(people(self.companion)) == 2:
            self._if_nothing_is_lost("Do both players agree to a draw?", lambda: self._put(agree))
        else:
            self._put(agree)

    def _put(self, event: Wish) -> None:
        self.companion.put(event)
        self.look()

    def action_words(self, way: int) -> None:
        """Scroll the words, in a window where they have no room."""
        words = self.query_one("#words")
        (words.scroll_page_down if way > 0 else words.scroll_page_up)(animate=False)

    def action_help(self) -> None:
        """Show how Pond is played and how the lamps speak."""
        self.push_screen(Help(self.companion.frame.lamps, self.companion.now))

    def action_resign(self) -> None:
        """Give up, after a question."""
        session = self.companion.session
        if session.outcome:
            self._put(Resign(self.companion.now()))  # which is refused, with a sentence
            return
        side = self._resigning()

        def answered(yes: bool | None) -> None:
            if yes and side is not self._resigning():  # meanwhile somebody has played on at the board
                self.action_resign()
            elif yes:
                self._put(Resign(self.companion.now(), side))

        self.push_screen(Ask(f"{side} gives up and {side.other} wins?".capitalize()), answered)

    def _resigning(self) -> Side:
        """Who it is that gives up: the one person, or of two the one to move."""
        persons = people(self.companion)
        return persons[0] if len(persons) == 1 else self.companion.session.position.to_move

    def action_leave(self) -> None:
        """Quit, after a question if that ends a game."""
        if self.companion.ours:
            self._if_nothing_is_lost("Quit in the middle of this game?", self.exit)
        else:
            self.exit()

    def action_new_game(self) -> None:
        """Choose another game, and who plays it."""

        def chosen(choice: Choice | None) -> None:
            if choice:
                self._if_nothing_is_lost("Leave this game and begin a new one?", lambda: self._new_game(choice))

        names = (seat(self.companion, Side.LIGHT), seat(self.companion, Side.DARK))
        rows = None if self.companion.ours else self.companion.frame.size
        self.push_screen(ChooseGame(self.companion.session.pond, names, rows), chosen)

    def _new_game(self, choice: Choice) -> None:
        companion = self.companion.begin(choice)
        if companion is not self.companion:
            self._sit_down(companion)
            self._board.reset(companion.frame.size, companion.frame.lamps)
        self.look()

    def _if_nothing_is_lost(self, question: str, do: Callable[[], None]) -> None:
        """Do it; in the middle of a game only after a yes."""
        session = self.companion.session
        if session.outcome or not session.turns:
            do()
            return

        def answered(yes: bool | None) -> None:
            if yes:
                do()

        self.push_screen(Ask(question), answered)
