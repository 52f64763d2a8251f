"""`pond replay` in a terminal: the board of a record, its actions, and keys that step through it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size

from pond_hw.engine.analysis import REVIEW_LIMITS, MoveReview
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.searcher import SearchLimits
from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import Record
from pond_hw.tui import replay_text
from pond_hw.tui.board_app import TEXT_COLUMNS, BoardApp
from pond_hw.tui.help_screen import HelpScreen
from pond_hw.tui.key_bar import KeyBar
from pond_hw.tui.lamp_grid import LitGrid, lamps_for
from pond_hw.tui.local_table import DEFAULT_LAMPS
from pond_hw.tui.replay_text import RecordSteps, mark_turn

MAX_NUMBER_DIGITS = 3  # digits of a turn to go to


class ReplayApp(BoardApp):
    """A game record in a terminal, to step through.

    Args:
        record: of the game.
        lamp_count: lamps in a cell; None: as many as the window has room for.
        search_limits: how far each position is looked ahead.
        now: the clock, in seconds.
        catalogue: the language; English if none is given.
        lives: whether the screen updates itself. If not, the caller calls `update_screen`.

    Attributes:
        record_steps: where one is.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "turns", key_display="← →"),
        Binding("right", "step(1)", show=False),
        Binding("pageup", "step(-10)", show=False),
        Binding("pagedown", "step(10)", show=False),
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
        Binding("escape", f"erase({MAX_NUMBER_DIGITS})", show=False),
        Binding("backspace", "erase(1)", show=False),
        *(Binding(digit, f"digit('{digit}')", show=False) for digit in "0123456789"),
    ]

    def __init__(
        self,
        record: Record,
        lamp_count: int | None,
        search_limits: SearchLimits = REVIEW_LIMITS,
        now: Callable[[], float] = time.monotonic,
        catalogue: Catalogue | None = None,
        *,
        lives: bool = True,
    ) -> None:
        self._lit_grid = LitGrid(record.variant.size, lamp_count or DEFAULT_LAMPS, room=TEXT_COLUMNS)
        super().__init__(self._lit_grid, KeyBar(), catalogue=catalogue, lives=lives)
        self.record_steps = RecordSteps(record)
        self._game_review = BackgroundReview(record, search_limits)
        self._now, self._requested_lamps = now, lamp_count
        self._shown_state: tuple[object, ...] | None = None
        self._typed_number = ""

    def on_unmount(self) -> None:
        """Stop the analysis."""
        self._game_review.close()

    def update_screen(self) -> None:
        """Collect what the analysis found, play on, and show what has changed."""
        if not self.screen_stack:
            return  # everybody has left, and the clock ticks once more
        self._game_review.collect_answers()
        if isinstance(self.screen, HelpScreen):
            self.screen.update_lamps()
        if len(self.screen_stack) > 1:
            return  # what lies under the help page stands still
        now, lamp_count = self._now(), self._requested_lamps or lamps_for(self._lit_grid.pitch)
        steps, moves_text = self.record_steps, self._moves_text
        if lamp_count != self._lit_grid.lamp_frame.lamps_per_cell:
            self._lit_grid.light_lamps(steps.record.variant.size, lamp_count)
        steps.pass_time(now)
        scene = steps.view.scene
        self._lit_grid.show_scene(scene, now, marked=mark_turn(scene, steps.last_turn))
        size = self._side_panel.content_size - Size(1, 0)  # the margin, or what scrolls
        reviewed_count = len(self.move_reviews)
        activity = self._describe_activity()
        shown_state = (steps.turns_taken, activity, reviewed_count, size, moves_text.size.height)
        if shown_state == self._shown_state:
            return
        if self._shown_state and self._shown_state[0] != steps.turns_taken:
            self._status_scroll.scroll_home(animate=False)
        self._shown_state = shown_state
        list_rows = replay_text.MIN_LIST_ROWS if size.height > replay_text.LOW else replay_text.LEAST_IF_LOW
        self._status_scroll.styles.max_height = max(1, size.height - list_rows - 1)
        reviews, catalogue = self.move_reviews, self.catalogue
        self._status_text.update(replay_text.format_step(steps, reviews, activity, catalogue, *size))
        room = size.width, max(1, moves_text.size.height)
        actions = replay_text.format_actions(steps.record, steps.turns_taken, reviews, catalogue, *room)
        moves_text.update(actions)
        self.call_after_refresh(self.update_screen)  # the list has as many rows as the words have left

    def _describe_activity(self) -> tuple[Message, ...]:
        """The number that is being typed; or whether the game plays, and how far the analysis is."""
        if self._typed_number:
            return (Message("record_screen.go_to", number=self._typed_number),)
        review, reviewed_count = self._game_review, len(self.move_reviews)
        activity = [Message("record_screen.playing")] if self.record_steps.is_playing else []
        if review.is_running and reviewed_count < self.record_steps.turn_count:
            activity.append(Message("record_screen.analysed", actions=reviewed_count))
        elif review.failed:
            activity.append(Message("record_screen.no_analysis"))
        return tuple(activity)

    # What keys do.

    def action_step(self, turns: int) -> None:
        """Go back or forth."""
        self.record_steps.is_playing = False
        self.record_steps.go_to_turn(self.record_steps.turns_taken + turns, self._now())
        self.update_screen()

    def action_scroll(self, way: int) -> None:
        """Scroll the words, if they have no room."""
        (self._status_scroll.scroll_down if way > 0 else self._status_scroll.scroll_up)(animate=False)

    def action_play(self) -> None:
        """Let it play by itself, or stop it."""
        self.record_steps.toggle_playing(self._now())
        self.update_screen()

    def action_digit(self, digit: str) -> None:
        """A digit of the turn to go to."""
        if len(self._typed_number) < MAX_NUMBER_DIGITS:
            self._typed_number = (self._typed_number + digit).lstrip("0")
        self.update_screen()

    def action_erase(self, digit_count: int) -> None:
        """Without the last digits."""
        self._typed_number = self._typed_number[:-digit_count]
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
        self.push_screen(HelpScreen(self._lit_grid.lamp_frame.lamps_per_cell, self._now, "record"))

    # What is found out about the actions, in a process of its own.

    @property
    def move_reviews(self) -> dict[int, MoveReview]:
        """What is known of actions, by how many came before."""
        return self._game_review.move_reviews

    def action_analyse(self) -> None:
        """Start the analysis, or stop it."""
        if self._game_review.is_running:
            self._game_review.close()
        else:
            self._game_review.start_review()
        self.update_screen()
