"""`pond replay` in a terminal: the board of a record, its words and its actions, and keys that go back and forth."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.widgets import Footer, Static

from pond_hw.board import Frame
from pond_hw.engine.analysis import MEGABYTES, NODES, Judged
from pond_hw.engine.background_review import Review
from pond_hw.engine.searcher import Limits
from pond_hw.engine.worker_process import Thinker
from pond_hw.lights import Limiter, render
from pond_hw.rules import Record
from pond_hw.tui.help_screen import Help
from pond_hw.tui.lamp_grid import LampGrid, lamps_for
from pond_hw.tui.play_app import FRAMES_A_SECOND, HIGH, ROOM_FOR_WORDS, WIDE
from pond_hw.tui.play_table import USUAL_LAMPS
from pond_hw.tui.quitting import leave_when_told
from pond_hw.tui.record_steps import PAGE, Steps, marked
from pond_hw.tui.record_text import KEYS, LEAST, LEAST_IF_LOW, LOW, state, table, tell
from pond_hw.tui.terminal import TerminalApp

LONGEST_NUMBER = 3
"""Digits of a turn to go to."""


class SteppingBoard(TerminalApp):
    """A game record, and a person in front of a terminal who goes through it.

    Args:
        record: of the game.
        lamps: lamps in a cell; None: as many as the window has room for.
        bounds: how far each position is looked ahead.
        now: the clock, in seconds.
        lives: whether it is looked at again and again. Else nothing moves by itself: whoever made this says `look`.

    Attributes:
        steps: where one is.
    """

    AUTO_FOCUS = None

    CSS = """
    #table { height: 1fr; }
    #beside { width: 1fr; max-width: 70; padding: 1 0 0 1; }
    #room { height: auto; margin-bottom: 1; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    #told { height: auto; }
    #moves { height: 1fr; text-wrap: nowrap; margin-right: 1; }
    #small { display: none; padding: 1 2; height: 1fr; }
    .-roomy FooterKey { margin-right: 1; }
    .-narrow, .-low {
        #table, Footer { display: none; }
        #small { display: block; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("left", "step(-1)", "turn", key_display="← →"),
        Binding("right", "step(1)", show=False),
        Binding("pageup", f"step(-{PAGE})", show=False),
        Binding("pagedown", f"step({PAGE})", show=False),
        Binding("home", "step(-9999)", "ends", key_display="Home End"),
        Binding("end", "step(9999)", show=False),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("space", "play", "play", key_display="Space"),
        Binding("a,A", "analyse", "analyse"),
        Binding("question_mark,f1,h,H", "help", "help", key_display="?"),
        Binding("q,Q", "quit", "quit"),
        Binding("ctrl+q", "quit", show=False, priority=True),
        Binding("enter", "go", show=False),
        Binding("escape", "never_mind", show=False),
        Binding("backspace", "shorten", show=False),
        *(Binding(digit, f"digit('{digit}')", show=False) for digit in "0123456789"),
    ]

    def __init__(
        self,
        record: Record,
        lamps: int | None,
        bounds: Limits = Limits(nodes=NODES),  # noqa: B008 - it never changes
        now: Callable[[], float] = time.monotonic,
        *,
        lives: bool = True,
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide"), (80, "-roomy")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (HIGH, "-high")]
        self.steps = Steps(record)
        self._review = Review(record, bounds, lambda: Thinker(MEGABYTES))
        self._now, self._lives, self._lamps = now, lives, lamps
        size = record.pond.size
        self._frame = Frame.dark(size, lamps or USUAL_LAMPS)
        self._limiter = Limiter.for_lamps(size**2 * self._frame.lamps)
        self._board = LampGrid(size, self._frame.lamps, self._limiter, room=ROOM_FOR_WORDS, id="board")
        # Held, not asked for by name: the clock may tick once more when the screen has gone already.
        self._told, self._moves = Static(id="told", markup=False), Static(id="moves", markup=False)
        self._room = VerticalScroll(self._told, id="room", can_focus=False)
        self._beside = Vertical(self._room, self._moves, id="beside")
        self._shown: tuple[object, ...] | None = None
        self._typed = ""

    def compose(self) -> ComposeResult:
        """The board, the words, the keys; and a sentence for windows in which they have no room."""
        with Horizontal(id="table"):
            yield self._board
            yield self._beside
        yield Footer(compact=True)
        yield Static(
            f"This window is too small for the pond: it needs {WIDE} columns and {HIGH} rows. Make the window "
            "larger, or its letters smaller.",
            id="small",
        )

    def on_mount(self) -> None:
        """Begin to live; and when told from outside to end, leave the terminal as it was."""
        if self._lives:
            self.set_interval(1 / FRAMES_A_SECOND, self.look)
            leave_when_told(self)

    def on_resize(self) -> None:
        """Look again once everything has found its new place."""
        self.call_after_refresh(self.look)

    def on_unmount(self) -> None:
        """Leave nothing that thinks."""
        self._review.close()

    def look(self) -> None:
        """Hear what has been found out, let the game play on, and show what has changed."""
        if not self.screen_stack:
            return  # everybody has left, and the clock ticks once more
        self._review.hear()
        if isinstance(self.screen, Help):
            self.screen.look()
        if len(self.screen_stack) > 1:
            return  # what lies under the help page stands still
        steps, now = self.steps, self._now()
        lamps = self._lamps or lamps_for(self._board.pitch)
        if lamps != self._frame.lamps:
            self._frame = Frame.dark(self._frame.size, lamps)
            self._limiter = Limiter.for_lamps(self._frame.size**2 * lamps)
        steps.pass_time(now)
        scene = steps.scene
        self._frame = self._limiter.limit(render(scene, now, lamps), self._frame)
        self._board.show(self._frame, marked(scene, steps.turn), now)
        size = self._beside.content_size - Size(1, 0)  # the margin, or what scrolls
        review = self._review
        complaint = "no process to analyse in" if review.failed else ""
        doing = state(steps, self._typed, len(self.judged), asked=review.running, complaint=complaint)
        seen = (steps.at, doing, len(self.judged), size, self._moves.size.height)
        if seen == self._shown:
            return
        if self._shown and self._shown[0] != steps.at:
            self._room.scroll_home(animate=False)
        self._shown = seen
        self._room.styles.max_height = max(1, size.height - (LEAST if size.height > LOW else LEAST_IF_LOW) - 1)
        self._told.update(tell(steps, self.judged, doing, size.width, size.height))
        self._moves.update(table(steps.record, steps.at, self.judged, size.width, max(1, self._moves.size.height)))
        self.call_after_refresh(self.look)  # the list has as many rows as the words have left

    # What keys do.

    def action_step(self, turns: int) -> None:
        """Go back or forth."""
        self.steps.playing = False
        self.steps.go(self.steps.at + turns, self._now())
        self.look()

    def action_scroll(self, way: int) -> None:
        """Scroll the words, if they have no room."""
        (self._room.scroll_down if way > 0 else self._room.scroll_up)(animate=False)

    def action_play(self) -> None:
        """Let it play by itself, or stop it."""
        self.steps.play(self._now())
        self.look()

    def action_digit(self, digit: str) -> None:
        """A digit of the turn to go to."""
        if len(self._typed) < LONGEST_NUMBER:
            self._typed = (self._typed + digit).lstrip("0")
        self.look()

    def action_shorten(self) -> None:
        """Without the last digit."""
        self._typed = self._typed[:-1]
        self.look()

    def action_never_mind(self) -> None:
        """Go nowhere."""
        self._typed = ""
        self.look()

    def action_go(self) -> None:
        """Go to the turn with that number."""
        if self._typed:
            self.steps.playing = False
            self.steps.go_to_pair(int(self._typed), self._now())
            self._typed = ""
        self.look()

    def action_help(self) -> None:
        """Show how Pond is played, what the keys do and how the lamps speak."""
        self.push_screen(Help(self._frame.lamps, self._now, playing=KEYS))

    # What is found out about the actions, in a process of its own.

    @property
    def judged(self) -> dict[int, Judged]:
        """What is known of actions, by how many came before."""
        return self._review.judged

    def action_analyse(self) -> None:
        """Begin to find out what the actions were worth, or leave it."""
        if self._review.running:
            self._review.close()
        else:
            self._review.begin()
        self.look()
