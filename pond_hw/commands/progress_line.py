"""How far long work is, on standard error: one line of a terminal that rewrites itself, or a line now and then."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import TextIO

LINE_INTERVALS = (0.2, 10.0)
"""Seconds from one line to the next: on a terminal, where it is written over, and elsewhere."""

LEAST_SECONDS = 2.0
"""Seconds of work after which it can be said how long the rest takes."""


class ProgressLine:
    """Tells people how far work is and how long the rest takes. To be used in a `with`.

    Args:
        out: where to; None: standard error.
        now: the clock, in seconds.
    """

    def __init__(self, out: TextIO | None = None, now: Callable[[], float] = monotonic) -> None:
        self._out = sys.stderr if out is None else out
        self._rewrites = self._out.isatty()
        self._now = now
        self._begun = self._last = now()
        self._first_share: float | None = None
        self._width = 0
        self._silent = True

    def __enter__(self) -> ProgressLine:
        return self

    def show_state(self, words: str, share: float | None = None, *, new: bool = False) -> None:
        """Say how far it is, if it is time to.

        Args:
            words: what is being done.
            share: how much of all the work is done, 0 to 1, if that is known.
            new: whether another part of the work begins, which is said at once.
        """
        now = self._now()
        if share is not None and self._first_share is None:
            self._first_share = share
        if share is not None and share >= 1:
            return
        if now - self._last < LINE_INTERVALS[not self._rewrites] and not new and not (self._rewrites and self._silent):
            return
        self._last, self._silent = now, False
        line = f"pond: {words}{self._describe_rest(share, now - self._begun)}"
        if self._rewrites:
            line = line[: shutil.get_terminal_size().columns - 1]
            self._write_text(f"\r{line:<{self._width}}")
            self._width = len(line)
        else:
            self._write_text(f"{line}\n")

    def clear_line(self) -> None:
        """Leave nothing of it on a terminal."""
        if self._width:
            self._write_text(f"\r{'':<{self._width}}\r")
            self._width = 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear the line; after Ctrl-C it stays, for whoever wants to know how far it was."""
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            self.clear_line()

    def _describe_rest(self, share: float | None, passed: float) -> str:
        if share is None or self._first_share is None:
            return ""
        percent = f", {100 * share:.0f} %"
        done = share - self._first_share
        if done <= 0 or passed < LEAST_SECONDS:
            return percent
        return f"{percent}, {format_duration(passed / done * max(0.0, 1 - share))} left"

    def _write_text(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except OSError:  # work does not end because nobody can be told of it
            self._rewrites, self._width = False, 0


def format_duration(seconds: float) -> str:
    """So many seconds, in the unit that fits."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 100 * 3600 else f"{seconds / 86400:.0f} days"
