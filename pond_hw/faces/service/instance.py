"""One board, one service: whoever serves it holds a lock, and the lock's file names the holder.

The kernel lets go of a lock when its holder dies, however that happens, so a file that is left over means nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import NamedTuple


class Holder(NamedTuple):
    """Who holds a lock: the process, the board it serves, since when, as the wall clock said. `str` is all of it."""

    process: int
    board: str
    since: str

    def __str__(self) -> str:
        return f"{self.board}, by process {self.process} since {self.since}" if self.process else "by another process"


class Held(Exception):
    """Somebody else holds the lock."""

    def __init__(self, holder: Holder) -> None:
        super().__init__(str(holder))
        self.holder = holder


class Hold:
    """A lock, held until `close`.

    Args:
        files: where such a lock may lie. It is taken in the first of them that can be written, and all are looked at:
            a service and a person see different folders as their own.
        board: the name of the board that is served.

    Attributes:
        file: where the lock is; None if nothing could be written anywhere.

    Raises:
        Held: somebody else holds one of them.
    """

    def __init__(self, files: Sequence[Path], board: str) -> None:
        self.file: Path | None = None
        self._held = -1
        try:
            for file in files:
                if self.file is None and (held := _taken(file)) is not None:
                    self.file, self._held = file, held
                else:
                    _look(file)
        except BaseException:
            self.close()
            raise
        if self.file:
            since = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
            os.ftruncate(self._held, 0)
            os.pwrite(self._held, json.dumps([os.getpid(), board, since]).encode(), 0)

    def close(self) -> None:
        """Let go of it, and leave no file behind."""
        if self.file:
            with suppress(OSError):
                self.file.unlink()
            os.close(self._held)
            self.file, self._held = None, -1

    def __enter__(self) -> Hold:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _taken(file: Path) -> int | None:
    """The open file, locked; None if it cannot be written."""
    while True:
        try:
            opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        except OSError:
            return None
        try:
            _lock(opened, fcntl.LOCK_EX)
            if _is_at(opened, file):
                return opened
        except BaseException:
            os.close(opened)
            raise
        os.close(opened)  # its last holder has just taken the file away: ours would be a lock that nobody else finds


def _look(file: Path) -> None:
    """Look whether somebody holds the lock that lies there."""
    try:
        opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        _lock(opened, fcntl.LOCK_SH)
    finally:
        os.close(opened)


def _lock(opened: int, how: int) -> None:
    try:
        fcntl.flock(opened, how | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Held(_read(opened)) from None


def _is_at(opened: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(opened), file.stat())
    except OSError:
        return False


def _read(opened: int) -> Holder:
    """Who says to hold it. The file may be anybody's: it is quoted short and tame."""
    try:
        process, board, since = json.loads(os.pread(opened, 300, 0))
        return Holder(int(process), _tame(str(board)), _tame(str(since)))
    except (OSError, ValueError, TypeError, RecursionError):
        return Holder(0, "", "")


def _tame(text: str) -> str:
    return "".join(letter for letter in text[:40] if letter.isprintable())
