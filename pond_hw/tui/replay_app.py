"""Terminal app for `pond replay`: shows a game record turn by turn, with an analysis."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size

from pond_hw.engine.analysis import REVIEW_LIMITS
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.searcher import SearchLimits
from pond_hw.lights import turn_duration
from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import Record, Turn
from pond_hw.session import CellRole, CellView, Scene, View
from pond_hw.tui.board_app import TEXT_COLUMNS, BoardApp
from pond_hw.tui.help_screen import HelpScreen
from pond_hw.tui.key_footer import KeyBar
from pond_hw.tui.lamp_grid import LitGrid, lamp_count_for_pitch
from pond_hw.tui.local_table import DEFAULT_LAMPS
from pond_hw.tui.review_text import MAX_SHORT_ROWS, MIN_LIST_ROWS, MIN_LIST_ROWS_IF_SHORT, format_actions, format_step

PAUSE_SECONDS = 1.2  # seconds between turns while the game plays by itself

MAX_NUMBER_DIGITS = 3  # maximum digits of a turn number


class RecordPlayback:
    """Playback position in a game record."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.turns_taken = 0
        self.is_playing = False
        self._arrived_at = 0.0
        self._moved_forward = False  # True after a single turn forward, which is animated

    @property
    def turn_count(self) -> int:
        return len(self.record.turns)

    @property
    def last_turn(self) -> Turn | None:
        return self.record.turns[self.turns_taken - 1] if self.turns_taken else None

    def go_to_turn(self, turn_number: int, now: float) -> None:
        """Go to the position after a number of turns, clamped to the length of the game."""
        turn_number = min(max(0, turn_number), self.turn_count)
        if turn_number != self.turns_taken:
            self._moved_forward = turn_number == self.turns_taken + 1
            self.turns_taken, self._arrived_at = turn_number, now

    def go_to_pair(self, pair_number: int, now: float) -> None:
        """Go to the position after the first action of a numbered pair in the record."""
        self.go_to_turn(2 * pair_number - 1 - self.record.start_position.to_move, now)

    def toggle_playing(self, now: float) -> None:
        """Start or stop automatic playback. The first turn follows immediately. At the end of the game, start over."""
        self.is_playing = not self.is_playing
        if self.is_playing:
            if self.turns_taken == self.turn_count:
                self.go_to_turn(0, now)
            self.go_to_turn(self.turns_taken + 1, now)

    def pass_time(self, now: float) -> None:
        """Show the next turn if it is due."""
        if self.is_playing:
            turn = self.last_turn
            lasting_seconds = PAUSE_SECONDS + (turn_duration(turn) if turn and self._moved_forward else 0.0)
            if now - self._arrived_at >= lasting_seconds:
                self.go_to_turn(self.turns_taken + 1, now)
            self.is_playing = self.turns_taken < self.turn_count

    @property
    def view(self) -> View:
        """View of the current position. No actions are possible in it."""
        record = self.record
        return View(
            size=record.variant.size,
            variant=record.variant,
            turns=record.turns[: self.turns_taken],
            declared_outcome=record.declared_outcome if self.turns_taken == self.turn_count else None,
            custom_start=record.custom_start,
            game_phase="replay",
            turn_is_fresh=self._moved_forward,
            changed_at=self._arrived_at,
        )


def mark_turn(scene: Scene, turn: Turn | None) -> Scene:
    """Return a copy of a scene in which the target, the developed pieces and the scored pieces of a turn are marked.

    Scored pieces are no longer in the scene, so they are added again.
    """
    if turn is None:
        return scene
    cell_views = dict(scene.cell_views)
    scored = set(chain.from_iterable(turn.scored_cells.values()))
    for cell in (developed_piece.cell for developed_piece in turn.developed_pieces):
        cell_views[cell] = cell_views[cell]._replace(role=CellRole.FLIP)
    cell_views[turn.action.target] = cell_views[turn.action.target]._replace(role=CellRole.CHOSEN)
    for cell in scored:
        cell_views[cell] = CellView(turn.pieces_after_develop[cell], CellRole.TAKE_OFF, cell == turn.action.target)
    return scene._replace(cell_views=cell_views)


class ReplayApp(BoardApp):
    """Screen that shows a game record turn by turn.

    Args:
        record: game to show.
        lamp_count: number of lamps per cell, or None for as many as fit the window.
        search_limits: limits for the analysis of each position.
        now: clock in seconds.
        catalogue: catalogue of the user's language; English by default.
        auto_update: True if the screen updates itself, False if the caller calls `update_screen`.
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
        auto_update: bool = True,
    ) -> None:
        self._lit_grid = LitGrid(record.variant.size, lamp_count or DEFAULT_LAMPS, free_columns=TEXT_COLUMNS)
        super().__init__(self._lit_grid, KeyBar(), catalogue=catalogue, auto_update=auto_update)
        self.playback = RecordPlayback(record)
        self.game_review = BackgroundReview(record, search_limits)
        self._now, self._requested_lamps = now, lamp_count
        self._shown_state: tuple[object, ...] | None = None
        self._typed_number = ""

    def on_unmount(self) -> None:
        self.game_review.close()

    def update_screen(self) -> None:
        """Collect results of the analysis, play due turns, and redraw what has changed."""
        if not self.screen_stack:
            return  # a timer fired after the last screen closed
        self.game_review.collect_answers()
        if isinstance(self.screen, HelpScreen):
            self.screen.update_lamps()
        if len(self.screen_stack) > 1:
            return  # do not redraw under the help page
        now, lamp_count = self._now(), self._requested_lamps or lamp_count_for_pitch(self._lit_grid.pitch)
        steps, moves_text = self.playback, self._moves_text
        if lamp_count != self._lit_grid.lamp_frame.lamps_per_cell:
            self._lit_grid.reset_lamps(steps.record.variant.size, lamp_count)
        steps.pass_time(now)
        scene = steps.view.scene
        self._lit_grid.show_scene(scene, now, marked=mark_turn(scene, steps.last_turn))
        size = self._side_panel.content_size - Size(1, 0)  # the margin or the scroll bar
        reviewed_count = len(self.game_review.game.turns)
        activity = self._describe_activity()
        shown_state = (steps.turns_taken, activity, reviewed_count, size, moves_text.size.height)
        if shown_state == self._shown_state:
            return
        if self._shown_state and self._shown_state[0] != steps.turns_taken:
            self._status_scroll.scroll_home(animate=False)
        self._shown_state = shown_state
        list_rows = MIN_LIST_ROWS if size.height > MAX_SHORT_ROWS else MIN_LIST_ROWS_IF_SHORT
        self._status_scroll.styles.max_height = max(1, size.height - list_rows - 1)
        game, catalogue = self.game_review.game, self.catalogue
        self._status_text.update(format_step(game, steps.view, activity, catalogue, *size))
        room = size.width, max(1, moves_text.size.height)
        moves_text.update(format_actions(game, steps.turns_taken, catalogue, *room))
        self.call_after_refresh(self.update_screen)  # the list takes the rows that the text leaves free

    def _describe_activity(self) -> tuple[Message, ...]:
        """Return the number that is being typed, or the state of playback and analysis."""
        if self._typed_number:
            return (Message("record_screen.go_to", number=self._typed_number),)
        review, reviewed_count = self.game_review, len(self.game_review.game.turns)
        activity = [Message("record_screen.playing")] if self.playback.is_playing else []
        if review.is_running and reviewed_count < self.playback.turn_count:
            activity.append(Message("record_screen.analysed", actions=reviewed_count))
        elif review.failed:
            activity.append(Message("record_screen.no_analysis"))
        return tuple(activity)

    # Actions of keys

    def action_step(self, turns: int) -> None:
        self.playback.is_playing = False
        self.playback.go_to_turn(self.playback.turns_taken + turns, self._now())
        self.update_screen()

    def action_scroll(self, way: int) -> None:
        """Scroll the text if it does not fit in the window."""
        (self._status_scroll.scroll_down if way > 0 else self._status_scroll.scroll_up)(animate=False)

    def action_play(self) -> None:
        self.playback.toggle_playing(self._now())
        self.update_screen()

    def action_digit(self, digit: str) -> None:
        if len(self._typed_number) < MAX_NUMBER_DIGITS:
            self._typed_number = (self._typed_number + digit).lstrip("0")
        self.update_screen()

    def action_erase(self, digit_count: int) -> None:
        self._typed_number = self._typed_number[:-digit_count]
        self.update_screen()

    def action_go(self) -> None:
        """Go to the turn whose number was typed."""
        if self._typed_number:
            self.playback.is_playing = False
            self.playback.go_to_pair(int(self._typed_number), self._now())
            self._typed_number = ""
        self.update_screen()

    def action_help(self) -> None:
        self.push_screen(HelpScreen(self._lit_grid.lamp_frame.lamps_per_cell, self._now, "record"))

    def action_analyse(self) -> None:
        """Start or stop the analysis."""
        if self.game_review.is_running:
            self.game_review.close()
        else:
            self.game_review.start_review()
        self.update_screen()
