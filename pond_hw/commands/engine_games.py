"""What `pond tournament` and `pond study` share: who plays, how far it is, and numbers for 80 columns."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from threading import current_thread, main_thread
from time import monotonic
from typing import Any, TextIO

from pond_hw.commands.progress import Progress
from pond_hw.lab import executor
from pond_hw.lab.tournament import Standing
from pond_hw.rules import PondError

MOST_WORKERS = 256


def check_workers(workers: int | None) -> None:
    """See to it that there can be so many.

    Raises:
        PondError: there cannot.
    """
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise PondError(f"There are 1 to {MOST_WORKERS} workers, not {workers}.")


def end_as_by_ctrl_c() -> None:
    """Being told to end by the system is the same as Ctrl-C: what was played is kept, and it is said how to go on."""
    if current_thread() is main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def beside(workers: int | None) -> AbstractContextManager[executor.Hands]:
    """So many processes that play, or one for each core."""
    return executor.beside(workers or min(MOST_WORKERS, executor.cores()))


class News:
    """Tells how far it is, on standard error."""

    def __init__(self, out: TextIO, standing: Standing) -> None:
        self._progress = Progress(out)
        self._begun = monotonic()
        self._at_first = standing.played
        self.told(standing)

    def told(self, standing: Standing) -> None:
        """Games were played; say so, if it is time."""
        words = progress(standing, self.played(standing), monotonic() - self._begun)
        self._progress.tell(words, standing.counted / standing.total if standing.total else None)

    def played(self, standing: Standing) -> int:
        """How many games were played in this run."""
        return standing.played - self._at_first

    def over(self) -> None:
        """Make room for what is said next."""
        self._progress.clear()


def progress(standing: Standing, games: int, seconds: float) -> str:
    """How far it is, in one line.

    Args:
        standing: what has been played.
        games: how many of these in this run.
        seconds: how long it took.
    """
    counted, total = standing.counted, standing.total
    line = f"{counted} of {'at most ' if standing.plan.test else ''}{total} games"
    if games and seconds:
        rate = games / seconds
        line += f", {rate:.{0 if rate >= 10 else 1 if rate >= 1 else 3}f} a second"
    return line


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows as lines of columns, each to the left (l) or right (r)."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    gap = "  " if sum(wide) + 2 * len(wide) <= 82 else " "
    return [
        gap.join(
            text.rjust(width) if side == "r" else text.ljust(width)
            for text, width, side in zip(row, wide, sides, strict=True)
        ).rstrip()
        for row in rows
    ]


def percent(share: float | None) -> str:
    """A share; nothing if there is none."""
    return "" if share is None else f"{100 * share:.1f} %"


def signed(value: float) -> str:
    """A difference, as a whole number with its sign."""
    return f"{value:+.0f}" if abs(value) >= 0.5 else "0"


def from_to(ends: Mapping[str, Any], shown: Callable[[Any], str]) -> str:
    """From where to where; infinite ends are left open."""
    low, high = ends["low"], ends["high"]
    if low is None and high is None:
        return ""
    if high is None:
        return f"{shown(low)} or more"
    if low is None:
        return f"{shown(high)} or less"
    return f"{shown(low).removesuffix(' %')} to {shown(high)}"


def say_interrupted(sentence: str) -> None:
    """Say something after Ctrl-C, which a terminal has written into the line."""
    if sys.stderr.isatty():
        print(file=sys.stderr)
    say(sentence)


def say(sentence: str) -> None:
    """Say something that is no part of what was asked for."""
    print(f"pond: {sentence}", file=sys.stderr)
