"""Progress on standard error: one line that is rewritten on a terminal, or a new line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from time import monotonic
from typing import TextIO

from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, as_message

LINE_INTERVALS = (0.2, 10.0)
"""Minimum seconds between updates on a terminal, and elsewhere."""

MIN_SECONDS = 2.0
"""Seconds of work before the remaining time is estimated."""


class ProgressLine:
    """Progress display with an estimate of the remaining time. Use it in a `with` statement."""

    def __init__(self, out: TextIO | None = None, now: Callable[[], float] = monotonic) -> None:
        self._out = sys.stderr if out is None else out
        self._rewrites = self._out.isatty()
        self._now = now
        self._started = self._last = now()
        self._first_share: float | None = None
        self._width = 0
        self._silent = True

    def __enter__(self) -> ProgressLine:
        return self

    def show_state(self, state: Message | str, done_share: float | None = None, *, new: bool = False) -> None:
        """Show the progress, unless the last update was only a moment ago.

        `done_share` is the finished share of all work, 0 to 1, if known. Set `new` to show a new phase at once.
        """
        now = self._now()
        if self._first_share is None:
            self._first_share = done_share
        if done_share is not None and done_share >= 1:
            return
        if now - self._last < LINE_INTERVALS[not self._rewrites] and not new and not (self._rewrites and self._silent):
            return
        self._last, self._silent = now, False
        progress_text = (
            f"pond: {to_english(self._describe_progress(as_message(state), done_share, now - self._started))}"
        )
        if self._rewrites:
            progress_text = progress_text[: shutil.get_terminal_size().columns - 1]
            self._write_text(f"\r{progress_text:<{self._width}}")
            self._width = len(progress_text)
        else:
            self._write_text(f"{progress_text}\n")

    def clear_line(self) -> None:
        if self._width:
            self._write_text(f"\r{'':<{self._width}}\r")
            self._width = 0

    def __exit__(self, error_type: type[BaseException] | None, *_: object) -> None:
        """Clear the line, except after Ctrl-C, because then it shows how far the work got."""
        if error_type is None or not issubclass(error_type, KeyboardInterrupt):
            self.clear_line()

    def _describe_progress(self, state: Message, done_share: float | None, passed: float) -> Message:
        if done_share is None or self._first_share is None:
            return state
        percent, new_share = round(100 * done_share), done_share - self._first_share
        if new_share <= 0 or passed < MIN_SECONDS:
            return Message("progress.share", state=state, percent=percent)
        left = describe_duration(passed / new_share * max(0.0, 1 - done_share))
        return Message("progress.share_and_rest", state=state, percent=percent, left=left)

    def _write_text(self, line_text: str) -> None:
        try:
            self._out.write(line_text)
            self._out.flush()
        except OSError:  # Losing the terminal must not stop the work.
            self._rewrites, self._width = False, 0


def describe_duration(seconds: float) -> Message:
    """Format a duration in a suitable unit."""
    for unit, unit_seconds in (("seconds", 1), ("minutes", 60), ("hours", 3600)):
        if seconds < 100 * unit_seconds:
            return Message(f"duration.{unit}", count=round(seconds / unit_seconds))
    return Message("duration.days", count=round(seconds / 86400))
