"""`pond play`: the simulated board, in this terminal."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from random import SystemRandom
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Footer, Static

from pond_hw.board import Frame
from pond_hw.companion import Clock, Companion, RealClock
from pond_hw.drivers.simulated import SimulatedBoard
from pond_hw.faces.tui.dialogs import Ask, Choice, ChooseGame
from pond_hw.faces.tui.help import Help
from pond_hw.faces.tui.lamps import LampGrid
from pond_hw.faces.tui.style import THEME
from pond_hw.faces.tui.words import tell
from pond_hw.players import HUMAN, Player, player
from pond_hw.rules import Cell, PondError, Side, Variant, grid
from pond_hw.session import AgreeDraw, NewGame, Redo, Resign, Session, Undo

FRAMES_A_SECOND = 15
"""How often the lamps are looked at: smooth enough for breathing, and little work."""

WIDE, HIGH = 62, 20
"""Columns and rows below which there is no room for a board with words beside it."""

ROOM_FOR_WORDS = 36
"""Columns that the board leaves free."""

Players = tuple[Player | None, Player | None]


def run(pond: Variant, players: Players, lamps: int) -> None:
    """Play in this terminal until the players leave.

    Args:
        pond: the first game; another one may be chosen in between.
        players: who plays light and dark, None for a person at this terminal.
        lamps: lamps in a cell.

    Raises:
        PondError: there is no terminal.
    """
    if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)):
        raise PondError("The terminal board needs a terminal; `pond headless` does not.")
    app = TerminalBoard(pond, players, lamps)
    app.run()
    if app.return_code:
        raise SystemExit(app.return_code)


class Keys(Footer):
    """The keys; where they have no room, without the first, which people try anyway."""

    def compose(self) -> ComposeResult:
        """One widget a key."""
        for number, key in enumerate(super().compose()):
            yield key if number else key.add_class("least")


class TerminalBoard(App[None]):
    """A companion, its simulated board, and a person in front of a terminal.

    Args:
        pond: the first game.
        players: who plays light and dark, None for a person at this terminal.
        lamps: lamps in a cell.
        clock: None lives in real time. With another clock nothing moves by itself: whoever made it says `look`.

    Attributes:
        companion: what the game is with.
        cursor: the cell that Enter presses.
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

    def __init__(self, pond: Variant, players: Players, lamps: int, clock: Clock | None = None) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide"), (80, "-roomy")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (HIGH, "-high")]
        self.register_theme(THEME)
        self.theme = THEME.name
        self._lamps = lamps
        self._clock = clock or RealClock()
        self._lives = clock is None
        self._begin(pond, players)
        self._board = LampGrid(pond.size, lamps, self.companion.limiter, room=ROOM_FOR_WORDS, id="board")
        self._words = Static(id="told")

    def _begin(self, pond: Variant, players: Players) -> None:
        """Sit down at a board that just fits this pond."""
        self._hands = SimulatedBoard(pond.size, self._lamps, self._clock.now)
        session = Session.start(pond, at=self._clock.now())
        self.companion = Companion(self._hands.board(), session, self._clock, players)
        self.cursor: Cell = grid(pond.size).rows[pond.size // 2][(pond.size - 1) // 2]
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
        self.companion.step()
        if isinstance(self.screen, Help):
            self.screen.look()
        if len(self.screen_stack) > 1:
            return  # what lies under a question stands still: to shade all of it again and again is much work
        frame, session = self.companion.frame, self.companion.session
        shown, before = (frame, session, self.cursor, self._words.size.width), self._shown
        if shown == before:
            return
        self._shown = shown
        self._board.show(frame, session.scene, self._clock.now(), self.cursor)
        if not before or (before[1], before[3]) != (shown[1], shown[3]):
            self._words.update(tell(self.companion, self._words.size.width))

    # What keys and clicks do.

    def action_go(self, dx: int, dy: int) -> None:
        """Move the cursor by a cell."""
        x, y = grid(self._hands.size).place(self.cursor)
        self._move(x + dx, y + dy)

    def action_column(self, x: int) -> None:
        """Move the cursor to a column."""
        self._move(x, grid(self._hands.size).place(self.cursor)[1])

    def action_row(self, y: int) -> None:
        """Move the cursor to a row."""
        self._move(grid(self._hands.size).place(self.cursor)[0], y)

    def _move(self, x: int, y: int) -> None:
        size = self._hands.size
        if 0 <= x < size and 0 <= y < size:
            self.cursor = grid(size).cells[y * size + x]
            self.look()

    def action_press(self) -> None:
        """Press the cell under the cursor."""
        self._hands.touch(self.cursor)
        self.look()

    def on_lamp_grid_pressed(self, event: LampGrid.Pressed) -> None:
        """Press the cell that was clicked."""
        self.cursor = event.cell
        self.action_press()

    def action_let_go(self) -> None:
        """Let the chosen piece go."""
        chosen = self.companion.session.chosen
        if chosen:
            self._hands.touch(chosen)
            self.look()

    def action_undo(self) -> None:
        """Take a turn back."""
        self._put(Undo(self._clock.now()))

    def action_redo(self) -> None:
        """Play a turn again that was taken back."""
        self._put(Redo(self._clock.now()))

    def action_draw(self) -> None:
        """Agree to a draw; two people are asked whether both do."""
        agree = AgreeDraw(self._clock.now())
        if len(self.companion.people) == 2:
            self._if_nothing_is_lost("Do both players agree to a draw?", lambda: self._put(agree))
        else:
            self._put(agree)

    def _put(self, event: Undo | Redo | AgreeDraw | Resign | NewGame) -> None:
        self.companion.put(event)
        self.look()

    def action_words(self, way: int) -> None:
        """Scroll the words, in a window where they have no room."""
        words = self.query_one("#words")
        (words.scroll_page_down if way > 0 else words.scroll_page_up)(animate=False)

    def action_help(self) -> None:
        """Show how Pond is played and how the lamps speak."""
        self.push_screen(Help(self._lamps, self._clock))

    def action_resign(self) -> None:
        """Give up, after a question."""
        session = self.companion.session
        if session.outcome:
            self._put(Resign(self._clock.now()))  # which is refused, with a sentence
            return
        people = self.companion.people
        side = people[0] if len(people) == 1 else session.position.to_move

        def answered(yes: bool | None) -> None:
            if yes:
                self._put(Resign(self._clock.now(), side))

        self.push_screen(Ask(f"{side} gives up and {side.other} wins?".capitalize()), answered)

    def action_leave(self) -> None:
        """Quit, after a question if a game is going on."""
        self._if_nothing_is_lost("Quit in the middle of this game?", self.exit)

    def action_new_game(self) -> None:
        """Choose another game, and who plays it."""

        def chosen(choice: Choice | None) -> None:
            if choice:
                self._if_nothing_is_lost("Leave this game and begin a new one?", lambda: self._new_game(choice))

        names = (self._seat(Side.LIGHT), self._seat(Side.DARK))
        self.push_screen(ChooseGame(self.companion.session.pond, names), chosen)

    def _seat(self, side: Side) -> str:
        seated = self.companion.players[side]
        return seated.name if seated else HUMAN

    def _player(self, side: Side, name: str) -> Player | None:
        """Who plays a side under this name: whoever sits there already, or somebody new."""
        if name == self._seat(side):
            return self.companion.players[side]
        return player(name, SystemRandom().getrandbits(32))

    def _new_game(self, choice: Choice) -> None:
        light, dark = (self._player(side, choice.players[side]) for side in Side)
        if choice.pond.size == self._hands.size and (light, dark) == self.companion.players:
            self._put(NewGame(choice.pond, self._clock.now()))
            return
        self.companion.close()
        self._begin(choice.pond, (light, dark))
        self._board.reset(choice.pond.size, self._lamps)
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
