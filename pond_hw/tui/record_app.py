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
from pond_hw.engine.analysis import ANALYSIS_MEGABYTES, ANALYSIS_NODES, MoveReview
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.searcher import SearchLimits
from pond_hw.engine.worker_process import WorkerClient
from pond_hw.lights import CurrentLimiter, render_scene
from pond_hw.rules import Record
from pond_hw.tui.help_screen import HelpScreen
from pond_hw.tui.lamp_grid import LampGrid, lamps_for
from pond_hw.tui.play_app import FRAMES_PER_SECOND, MIN_COLUMNS, MIN_ROWS, TEXT_COLUMNS
from pond_hw.tui.play_table import DEFAULT_LAMPS
from pond_hw.tui.quitting import exit_on_signal
from pond_hw.tui.record_steps import PAGE_TURNS, RecordSteps, mark_turn
from pond_hw.tui.record_text import (
    KEY_HELP,
    LEAST_IF_LOW,
    LOW,
    MIN_LIST_ROWS,
    format_actions,
    format_activity,
    format_step,
)
from pond_hw.tui.terminal import TerminalApp

MAX_NUMBER_DIGITS = 3
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
        record_steps: where one is.
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
        Binding("pageup", f"step(-{PAGE_TURNS})", show=False),
        Binding("pagedown", f"step({PAGE_TURNS})", show=False),
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
        bounds: SearchLimits = SearchLimits(nodes=ANALYSIS_NODES),  # noqa: B008 - it never changes
        now: Callable[[], float] = time.monotonic,
        *,
        lives: bool = True,
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (MIN_COLUMNS, "-wide"), (80, "-roomy")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (MIN_ROWS, "-high")]
        self.record_steps = RecordSteps(record)
        self._game_review = BackgroundReview(record, bounds, lambda: WorkerClient(ANALYSIS_MEGABYTES))
        self._now, self._updates_itself, self._requested_lamps = now, lives, lamps
        size = record.variant.size
        self._lamp_frame = Frame.dark_frame(size, lamps or DEFAULT_LAMPS)
        self._limiter = CurrentLimiter.for_lamps(size**2 * self._lamp_frame.lamps_per_cell)
        self._lamp_grid = LampGrid(size, self._lamp_frame.lamps_per_cell, self._limiter, room=TEXT_COLUMNS, id="board")
        # Held, not asked for by name: the clock may tick once more when the screen has gone already.
        self._step_text, self._moves_text = Static(id="told", markup=False), Static(id="moves", markup=False)
        self._step_scroll = VerticalScroll(self._step_text, id="room", can_focus=False)
        self._side_panel = Vertical(self._step_scroll, self._moves_text, id="beside")
        self._shown_state: tuple[object, ...] | None = None
        self._typed_number = ""

    def compose(self) -> ComposeResult:
        """The board, the words, the keys; and a sentence for windows in which they have no room."""
        with Horizontal(id="table"):
            yield self._lamp_grid
            yield self._side_panel
        yield Footer(compact=True)
        yield Static(
            f"This window is too small for the pond: it needs {MIN_COLUMNS} columns and {MIN_ROWS} rows. Make the window "
            "larger, or its letters smaller.",
            id="small",
        )

    def on_mount(self) -> None:
        """Begin to live; and when told from outside to end, leave the terminal as it was."""
        if self._updates_itself:
            self.set_interval(1 / FRAMES_PER_SECOND, self.update_screen)
            exit_on_signal(self)

    def on_resize(self) -> None:
        """Look again once everything has found its new place."""
        self.call_after_refresh(self.update_screen)

    def on_unmount(self) -> None:
        """Leave nothing that thinks."""
        self._game_review.close()

    def update_screen(self) -> None:
        """Hear what has been found out, let the game play on, and show what has changed."""
        if not self.screen_stack:
            return  # everybody has left, and the clock ticks once more
        self._game_review.collect_answers()
        if isinstance(self.screen, HelpScreen):
            self.screen.update_lamps()
        if len(self.screen_stack) > 1:
            return  # what lies under the help page stands still
        steps, now = self.record_steps, self._now()
        lamps = self._requested_lamps or lamps_for(self._lamp_grid.pitch)
        if lamps != self._lamp_frame.lamps_per_cell:
            self._lamp_frame = Frame.dark_frame(self._lamp_frame.size, lamps)
            self._limiter = CurrentLimiter.for_lamps(self._lamp_frame.size**2 * lamps)
        steps.pass_time(now)
        scene = steps.view.scene
        self._lamp_frame = self._limiter.limit_frame(render_scene(scene, now, lamps), self._lamp_frame)
        self._lamp_grid.show_frame(self._lamp_frame, mark_turn(scene, steps.last_turn), now)
        size = self._side_panel.content_size - Size(1, 0)  # the margin, or what scrolls
        review = self._game_review
        complaint = "no process to analyse in" if review.failed else ""
        doing = format_activity(
            steps, self._typed_number, len(self.move_reviews), asked=review.is_running, complaint=complaint
        )
        seen = (steps.turns_taken, doing, len(self.move_reviews), size, self._moves_text.size.height)
        if seen == self._shown_state:
            return
        if self._shown_state and self._shown_state[0] != steps.turns_taken:
            self._step_scroll.scroll_home(animate=False)
        self._shown_state = seen
        self._step_scroll.styles.max_height = max(
            1, size.height - (MIN_LIST_ROWS if size.height > LOW else LEAST_IF_LOW) - 1
        )
        self._step_text.update(format_step(steps, self.move_reviews, doing, size.width, size.height))
        self._moves_text.update(
            format_actions(
                steps.record, steps.turns_taken, self.move_reviews, size.width, max(1, self._moves_text.size.height)
            )
        )
        self.call_after_refresh(self.update_screen)  # the list has as many rows as the words have left

    # What keys do.

    def action_step(self, turns: int) -> None:
        """Go back or forth."""
        self.record_steps.is_playing = False
        self.record_steps.go_to_turn(self.record_steps.turns_taken + turns, self._now())
        self.update_screen()

    def action_scroll(self, way: int) -> None:
        """Scroll the words, if they have no room."""
        (self._step_scroll.scroll_down if way > 0 else self._step_scroll.scroll_up)(animate=False)

    def action_play(self) -> None:
        """Let it play by itself, or stop it."""
        self.record_steps.toggle_playing(self._now())
        self.update_screen()

    def action_digit(self, digit: str) -> None:
        """A digit of the turn to go to."""
        if len(self._typed_number) < MAX_NUMBER_DIGITS:
            self._typed_number = (self._typed_number + digit).lstrip("0")
        self.update_screen()

    def action_shorten(self) -> None:
        """Without the last digit."""
        self._typed_number = self._typed_number[:-1]
        self.update_screen()

    def action_never_mind(self) -> None:
        """Go nowhere."""
        self._typed_number = ""
        self.update_screen()

    def action_go(self) -> None:
        """Go to the turn with that number."""
        if self._typed_number:
            self.record_steps.is_playing = False
            self.record_steps.go_to_pair(int(self._typed_number), self._now())
            self._typed_number = ""
        self.update_screen()

    def action_help(self) -> None:
        """Show how Pond is played, what the keys do and how the lamps speak."""
        self.push_screen(HelpScreen(self._lamp_frame.lamps_per_cell, self._now, playing=KEY_HELP))

    # What is found out about the actions, in a process of its own.

    @property
    def move_reviews(self) -> dict[int, MoveReview]:
        """What is known of actions, by how many came before."""
        return self._game_review.move_reviews

    def action_analyse(self) -> None:
        """Begin to find out what the actions were worth, or leave it."""
        if self._game_review.is_running:
            self._game_review.close()
        else:
            self._game_review.start_review()
        self.update_screen()
