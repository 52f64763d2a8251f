"""Keeps a game on the card while the loop goes on: what has happened is handed in, and told when it is durable.

One thread writes, so that a slow card makes no lamp stutter. When it cannot write, the game goes on in memory, and so
everybody is told; it is tried again, and what had to wait is written then. A file of which the system once said that it
could not be written out is never trusted again: a new one gets the whole game.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple, Protocol
from uuid import uuid4

from pond_hw.journal import folder as shelf
from pond_hw.journal.events import Entry, Story, entries
from pond_hw.journal.folder import Taken
from pond_hw.journal.store import Damaged, Kept, Label, Noted, Part, Store
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.session import Notice, Saving, Session

AGAIN_SECONDS = 1.0
"""How long after a write that failed it is tried again."""

AT_HAND = 8
"""So many games besides the one that is played are remembered whole, should one of them be come back to."""


class Written(NamedTuple):
    """How far the journal is.

    Attributes:
        ticket: all that was handed in up to this one has been dealt with.
        trouble: None if it is on the card; else why it is not, and nobody knows when it will be.
    """

    ticket: int
    trouble: str | None


class Labels(Protocol):
    """What the journal is told about time and chance."""

    def label(self) -> Label:
        """When it is now."""

    def uid(self) -> str:
        """A name that no other game has."""


class RealLabels:
    """The machine's own clocks."""

    def __init__(self) -> None:
        try:
            self._boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            self._boot = ""

    def label(self) -> Label:
        """Seconds since the machine started, and what the wall clock claims."""
        clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
        since = round(time.clock_gettime(clock), 3)
        return Label(self._boot, since, datetime.now(UTC).isoformat(timespec="seconds"))

    def uid(self) -> str:
        """A random one."""
        return uuid4().hex


@dataclass
class _Game:
    """A game that is being written: all of it, so that another file can have it too."""

    uid: str
    facts: Mapping[str, object]
    noted: list[Noted] = field(default_factory=list)


class _Item(NamedTuple):
    ticket: int
    game: _Game
    noted: tuple[Noted, ...]


class Journal:
    """The journal in a folder, as it is while a board is played on.

    Args:
        folder: where it lies; it is made if there is none.
        about: what is known of every game that is begun: see `store.Kept.facts`; `size` has to be among it.
        labels: time and chance; by default the machine's.
        threaded: whether writing happens aside; if not, `note` comes back when it is done.

    Attributes:
        last: the game that was not finished when the last program ended, if this board can go on with it.
        said: what a person should know of the files.
        trouble: why nothing is saved at this moment, or None.
    """

    def __init__(
        self, folder: Path, about: Mapping[str, object], labels: Labels | None = None, *, threaded: bool = True
    ) -> None:
        self._folder, self._about, self._labels, self._threaded = folder, about, labels or RealLabels(), threaded
        self._tell: Callable[[Written], None] = lambda _: None
        self._lock: int | None = None
        self._store: Store | None = None
        self._game: _Game | None = None  # that is played
        self._games: dict[str, _Game] = {}  # that were handed in, whole
        self._behind: dict[str, _Game] = {}  # of which something is not on the card yet
        self._inbox: SimpleQueue[_Item | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ticket = self._done = 0
        self._dead = False  # whether the last file cannot be trusted any more
        self.said: tuple[str, ...] = ()
        self.trouble: str | None = None
        self.last: Kept | None = None

    def open(self, tell: Callable[[Written], None] = lambda _: None) -> None:
        """Read what there is. Nothing is raised: a journal that cannot be had is `trouble`, and tried again.

        Args:
            tell: see `listen`.
        """
        self._tell = tell
        self.trouble = self._write()
        self.last = self._unfinished()
        if self._threaded:
            self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()

    def listen(self, tell: Callable[[Written], None]) -> None:
        """Have somebody told, in the thread that writes, when more has been dealt with or `trouble` comes or goes."""
        self._tell = tell

    def about(self, **facts: object) -> None:
        """From now on these are facts of every game that is begun."""
        self._about = {**self._about, **facts}

    def offered(self, session: Session, now: float) -> Session:
        """The session to begin with: with what a person should know, and with the unfinished game that is offered."""
        if self.last:
            story = self.last.story
            session = session.offering(story.pond, story.begun, story.turns, story.undone)
        if self.said:
            session = session.after(Notice(" ".join((*self.said, session.message)), now))
        return session.after(Saving(self.trouble, now))

    def note(self, before: Session, after: Session) -> int | None:
        """Hand in what happened between two moments.

        Returns:
            The ticket that `Written` will name when it is durable, or None if there is nothing to be written.
        """
        was, now = Story.of(before), Story.of(after)
        # All that is computed comes first: if it fails, nothing has been handed in and nothing is remembered.
        told, begun, fresh = entries(was, now), Story(was.pond, was.begun), Story(now.pond, now.begun)
        first = entries(fresh, now) if told is None else entries(begun, was) if told and not self._game else ()
        left = told is None and self._game and was.open
        if before.offer and not after.offer and self.last:
            kept, self.last = self.last, None
            if was == now:
                return self.go_on(kept)
            self.leave(kept)
        if told is None:
            if self._game and left:
                self._hand_in(self._game, Entry("leave"))
            self._game = self._begun(fresh)
            return self._hand_in(self._game, *(first or ()))
        if not told:
            return None
        if self._game is None:
            self._game = self._begun(begun)
        return self._hand_in(self._game, *(first or ()), *told)

    def go_on(self, kept: Kept) -> int:
        """The game that is played from now on is one that was kept, as it is kept now."""
        self._game = _Game(kept.uid, kept.facts, list(kept.noted))
        return self._hand_in(self._game, Entry("resume"))

    def part(self, session: Session) -> None:
        """Whoever plays goes on to another table; the game on this one is left, if it was not finished."""
        if session.offer and self.last:
            self.leave(self.last)
        elif self._game and Story.of(session).open:
            self._hand_in(self._game, Entry("leave"))
        self._game = self.last = None

    def leave(self, kept: Kept) -> int:
        """A game that was kept will not be gone on with; it stays in the journal."""
        return self._hand_in(_Game(kept.uid, kept.facts, list(kept.noted)), Entry("leave"))

    def remark(self, sentence: str) -> None:
        """Keep a sentence beside the game that is played, if there is one."""
        if self._game:
            self._hand_in(self._game, Entry("note", sentence.encode(errors="replace").decode()))

    def retry(self) -> None:
        """Try again to write what could not be written; a journal with a thread does so by itself."""
        if self.trouble and not self._thread:
            self._take([])

    def close(self, patience: float = 5.0) -> None:
        """Write what there is to write, for so many seconds at the most, and leave."""
        if self._thread:
            self._inbox.put(None)
            self._thread.join(patience)
            if self._thread.is_alive():
                return  # a card that does not answer: the process ends without it
        else:
            self.retry()
        if self._store:
            self._store.close()
        if self._lock is not None:
            with suppress(OSError):
                os.close(self._lock)
        self._store = self._lock = None

    def _begun(self, story: Story) -> _Game:
        start = story.begun.line if story.begun else None
        return _Game(self._labels.uid(), {**self._about, "variant": story.pond.name, "start": start})

    def _hand_in(self, game: _Game, *told: Entry) -> int:
        self._ticket += 1
        label = self._labels.label()
        item = _Item(self._ticket, game, tuple(Noted(entry, label) for entry in told))
        if self._thread:
            self._inbox.put(item)
        else:
            self._take([item])
        return self._ticket

    # What follows happens in the thread that writes.

    def _run(self) -> None:
        """Write whatever has come, all of it together; None is the end."""
        ends = False
        while not ends:
            items: list[_Item | None] = []
            with suppress(Empty):
                items.append(self._inbox.get(timeout=AGAIN_SECONDS if self.trouble else None))
                while True:
                    items.append(self._inbox.get_nowait())
            ends = None in items
            self._take([item for item in items if item])

    def _take(self, items: list[_Item]) -> None:
        """Write these, and what could not be written before."""
        for _, handed_in, noted in items:
            game = self._games.setdefault(handed_in.uid, handed_in)  # it may have been here before, and left
            game.noted.extend(noted)
            self._behind[game.uid] = game
        before, self.trouble = self.trouble, self._write()
        self._done = items[-1].ticket if items else self._done
        if items or self.trouble != before:
            self._tell(Written(self._done, self.trouble))

    def _write(self) -> str | None:
        """Bring everything that waits onto the card; or say why that is not possible."""
        try:
            if self._store is None:
                self._open_store()
            assert self._store
            if self._behind:
                self._store.append(_parts(self._behind))
        except Taken as taken:
            return f"Not saved: {taken}"
        except (sqlite3.Error, OSError, Damaged) as error:
            if self._store and _spoilt(error):
                self._store.forsake()
                self._store, self._dead = None, True
                return self._write()
            return _sentence(error)
        except Exception as error:  # noqa: BLE001 - a mistake of ours ends neither game nor thread
            return f"Not saved: something went wrong inside Pond ({type(error).__name__}). It is tried again."
        self._behind = {}
        for uid in [uid for uid in self._games if self._game is None or uid != self._game.uid][:-AT_HAND]:
            del self._games[uid]
        return None

    def _open_store(self) -> None:
        """Have a file to write to: after one that cannot be trusted any more a new one, with all of every game at hand.

        Raises:
            Taken, Damaged, sqlite3.Error, OSError: there is none.
        """
        if self._lock is not None and not shelf.holds(self._folder, self._lock):
            os.close(self._lock)
            self._lock = None
        if self._lock is None:
            self._lock = shelf.hold(self._folder)
        if not self._dead:
            self._store, self.said = shelf.newest(self._folder, lambda kept: kept.story.open)
            return
        self._store = shelf.another(self._folder, _parts(self._games))
        self._dead, self._behind = False, {}

    def _unfinished(self) -> Kept | None:
        """The game that is to be offered."""
        kept = self._store.kept if self._store else ()
        if self._store and self._store.empty:
            with suppress(OSError):
                kept = tuple(shelf.all_kept(self._folder, besides=self._store.path)[0])
        size = self._about["size"]
        assert isinstance(size, int)
        there = [each for each in kept if each.story.open and each.story.pond.size <= size]
        return there[-1] if there else None


def _parts(games: Mapping[str, _Game]) -> list[Part]:
    return [Part(game.uid, game.facts, game.noted) for game in games.values()]


def _spoilt(error: sqlite3.Error | OSError | Damaged) -> bool:
    """Whether nobody knows any more what the file holds: what could not be written out may be lost, or half there."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    may_be_tried_again = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return code not in may_be_tried_again


def _sentence(error: sqlite3.Error | OSError | Damaged) -> str:
    """Why nothing is saved, and what to do."""
    whole = getattr(error, "sqlite_errorcode", 0)
    code = whole & 0xFF
    number = getattr(error, "errno", None)
    if code == sqlite3.SQLITE_FULL or whole == sqlite3.SQLITE_IOERR_SHMSIZE or number in (errno.ENOSPC, errno.EDQUOT):
        return "Not saved: the disk is full. Make room; saving goes on by itself."
    if code == sqlite3.SQLITE_READONLY or number == errno.EROFS:
        return "Not saved: the disk is read-only. `pond doctor` tells why; saving goes on by itself."
    if number in (errno.EACCES, errno.EPERM):
        return f"Not saved: {getattr(error, 'filename', None) or 'the folder'} may not be written to."
    if code == sqlite3.SQLITE_BUSY:
        return "Not saved: another program has the journal in its hands. Saving goes on by itself."
    why = describe_system_error(error)
    return f"Not saved: the disk does not take it ({why}). It is tried again all the time; `pond doctor` tells more."
