"""`pond analyse`: what each action of a game was worth, where the game turned, and what would have been better.

`words` and `written` are pure; here is what prints.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pond_hw.faces.analyse.words import text
from pond_hw.faces.analyse.written import as_object, remarked
from pond_hw.kernel import DEEPEST
from pond_hw.players.analysis import NODES, Judged, analysed
from pond_hw.players.search import Limits
from pond_hw.rules import PondError, Record

__all__ = ["limits", "run"]

EVERY = 10.0
"""Seconds from one line to the next that says how far it is, where lines cannot be written over."""


def limits(depth: int | None, nodes: int | None, seconds: float | None) -> Limits:
    """How far each position is looked ahead. If nobody says anything, by a number of positions."""
    usual = NODES if depth is None and seconds is None else 0
    return Limits(DEEPEST if depth is None else depth, usual if nodes is None else nodes, seconds)


def run(record: Record, bounds: Limits, to: str | None = None, *, for_program: bool = False) -> None:
    """Print the analysis of a game.

    Args:
        record: of the game.
        bounds: how far each of its positions is looked ahead.
        to: a new file for the record with the values as comments, if it is wanted.
        for_program: whether one JSON object is wanted.

    Raises:
        PondError: there is nothing to analyse, or the file cannot be written.
    """
    if not record.turns:
        raise PondError("No action has been taken in this game yet, so there is nothing to analyse.")
    if to is not None:
        _refuse_what_is_there(to)
    progress = _Progress(len(record.turns))
    judged = list[Judged]()
    try:
        for each in analysed(record, bounds):
            judged.append(each)
            progress.tell(len(judged))
    finally:
        progress.end()
    if for_program:
        print(json.dumps(as_object(record, judged, bounds), indent=1, ensure_ascii=True))
    else:
        known = sys.stdout.encoding or "utf-8"
        for line in text(record, judged, bounds):
            print(line.encode(known, "replace").decode(known))
    if to is not None:
        sys.stdout.flush()
        _write(to, str(remarked(record, judged)))
        print(f"pond: {to} is written.", file=sys.stderr)


class _Progress:
    """Says on standard error how far it is.

    Args:
        many: actions there are.
        now: the clock, in seconds.
    """

    def __init__(self, many: int, now: Callable[[], float] = time.monotonic) -> None:
        self._many, self._now = many, now
        self._over = sys.stderr.isatty()
        self._begun = self._said = now()
        self._shown = 0
        self.tell(0)

    def tell(self, done: int) -> None:
        """So many actions are judged."""
        passed = self._now() - self._begun
        left = f", {passed / done * (self._many - done):.0f} s left" if done > 1 and passed > 1 else ""
        said = f"pond: {done} of {self._many} actions looked at{left} ..."
        if self._over:
            print(f"\r{said:<{self._shown}}", end="", file=sys.stderr, flush=True)
            self._shown = len(said)
        elif self._now() - self._said >= EVERY:
            print(said, file=sys.stderr, flush=True)
            self._said = self._now()

    def end(self) -> None:
        """Leave nothing of it on the screen."""
        if self._over:
            print(f"\r{'':{self._shown}}\r", end="", file=sys.stderr, flush=True)


def _refuse_what_is_there(to: str) -> None:
    if not to:
        raise PondError("-o needs the name of a file.")
    path = Path(to)
    try:
        there, folder = path.exists(), path.is_dir()
        can = os.access(path.parent, os.W_OK)
    except (OSError, ValueError) as error:
        raise PondError(f"{to!r} cannot be written: {getattr(error, 'strerror', None) or error}.") from None
    if folder:
        raise PondError(f"{to} is a folder. Name a file in it.")
    if there:
        raise PondError(f"There is a file {to} already, and it is kept. Name another one.")
    if not path.parent.is_dir():
        raise PondError(f"{to} cannot be written: there is no folder {path.parent}.")
    if not can:
        raise PondError(f"{to} cannot be written: nothing may be put into the folder {path.parent}.")


def _write(to: str, record: str) -> None:
    path = Path(to)
    try:
        with path.open("xb") as out:
            try:
                out.write(record.encode())
                out.flush()
            except OSError:
                path.unlink()  # half a record is none
                raise
    except FileExistsError:
        raise PondError(f"There is a file {to} already, and it is kept. Name another one.") from None
    except (OSError, ValueError) as error:
        raise PondError(f"{to} cannot be written: {getattr(error, 'strerror', None) or error}.") from None
