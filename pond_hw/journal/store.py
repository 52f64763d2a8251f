"""One file of the journal: an SQLite database that only grows, checked whenever it is opened.

    game    one row for each game: who, where, which pond, from which position
    entry   what happened in it, in order; each is sealed with all that came before it

SQLite answers for its pages, the seals for what is written in them: a bit that has flipped in a cell of the table would
pass SQLite's own check. Set here and not left to whoever built the library: `synchronous` EXTRA, and a write-ahead log
whose commits are padded to whole sectors (`psow=0`), so that no write ever touches a sector with an earlier turn in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from pond_hw.journal.story import Entry, Story, StoryFault, retold
from pond_hw.rules import NotationError, Position, cannot_begin, variant

FORMAT = 1
"""The version of the tables, in every file's header (`user_version`)."""

APPLICATION = int.from_bytes(b"Pond", "big")
"""Whose file it is, in every file's header (`application_id`)."""

PAGES_OF_LOG = 256
"""So long the log may grow before it is brought into the database, in pages of 4096 bytes."""

PATIENCE_SECONDS = 5.0
"""How long another process may write before we give up for the moment."""

_TABLES = """
CREATE TABLE game (id INTEGER PRIMARY KEY, uid TEXT NOT NULL, facts TEXT NOT NULL, seal BLOB NOT NULL);
CREATE TABLE entry (
    game INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
    boot TEXT NOT NULL, since REAL NOT NULL, wall TEXT NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (game, n)
) WITHOUT ROWID;
"""


class Foreign(Exception):
    """There is something else in a journal's place: of another program, or of a newer version of this one."""


class Damaged(Exception):
    """A journal cannot be read as it was written."""


class Label(NamedTuple):
    """When something was written: in which run of the machine, how far into it, and what the clock on the wall said.

    Attributes:
        boot: the machine's run, as Linux names it; "" if it does not.
        since: seconds since the machine started, time asleep included.
        wall: date and time in UTC. On a machine without a clock of its own it may be wrong by years.
    """

    boot: str
    since: float
    wall: str


class Noted(NamedTuple):
    """An entry and when it was written."""

    entry: Entry
    label: Label


@dataclass(frozen=True)
class Kept:
    """A game as a file has kept it.

    Attributes:
        uid: the game's own name, the same in whatever file it stands.
        facts: what is known of it besides what happened: `variant`, `start` (a position or None), `size` of the board,
            `board`, `built` (the version of the board's own file), `pieces`, `light` and `dark` (who plays; None is a
            person without a name), `program`, `tags`.
        noted: its entries, as far as they are good.
        story: what they come to.
        fault: why there are no more of them, if something is wrong with the next one.
        number: the larger, the later it was begun, within its file.
        file: the file's name.
    """

    uid: str
    facts: Mapping[str, object]
    noted: tuple[Noted, ...]
    story: Story
    fault: str | None = None
    number: int = 0
    file: str = ""


class Part(NamedTuple):
    """What is to be written of one game.

    Attributes:
        uid: the game; one that is new in a file gets its row first.
        facts: what is known of it.
        noted: all its entries from the first one on.
        begin: how many of them are in the file already.
    """

    uid: str
    facts: Mapping[str, object]
    noted: Sequence[Noted]
    begin: int


def beginning(facts: Mapping[str, object]) -> Story:
    """The game that these facts begin.

    Raises:
        StoryFault: no game can begin like that.
    """
    try:
        pond = variant(str(facts["variant"]))
        start = facts.get("start")
        begun = None if start is None else Position.read(str(start), pond)
    except (KeyError, NotationError) as error:
        raise StoryFault(f"No game can begin like that: {error}") from error
    if begun and (why := cannot_begin(begun)):
        raise StoryFault(why)
    return Story(pond, begun)


def retell(uid: str, facts: Mapping[str, object], noted: Sequence[Noted], **where: object) -> Kept:
    """A game from its entries, as far as the rules allow.

    Raises:
        StoryFault: it cannot even begin.
    """
    story, good, fault = retold(beginning(facts), (each.entry for each in noted))
    return Kept(uid, facts, tuple(noted[:good]), story, fault, **where)  # type: ignore[arg-type]


class Store:
    """One open file of the journal, to be written by one thread.

    Args:
        path: the file; `create` makes one.

    Raises:
        Foreign: it is something else; nothing was changed.
        Damaged: it is a journal, and spoilt.
        sqlite3.Error, OSError: it cannot be had.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        _look_at_header(path)
        self._base = _connected(path, "rw")
        try:
            self._base.execute("PRAGMA synchronous = EXTRA")
            self._base.execute(f"PRAGMA wal_autocheckpoint = {PAGES_OF_LOG}")
            _check(self._base)
            self.kept = tuple(_games(self._base, path.name))
        except BaseException:
            with suppress(sqlite3.Error):
                self._base.close()
            raise
        self._node = path.stat().st_ino
        self._numbers = {kept.uid: kept.number for kept in self.kept}
        if spoilt := [kept for kept in self.kept if kept.fault]:
            self.close()
            raise Damaged(f"in game {spoilt[0].number}, entry {len(spoilt[0].noted) + 1}: {spoilt[0].fault}")
        self._seals = {kept.uid: _sealed(kept) for kept in self.kept}

    def append(self, parts: Sequence[Part]) -> None:
        """Write entries of games, durably and all together: when this comes back, no loss of power takes them away.

        Raises:
            sqlite3.Error: nothing was written.
        """
        if self._gone():
            raise sqlite3.OperationalError("the file is no longer there")
        base, numbers, seals = self._base, dict(self._numbers), dict(self._seals)
        base.execute("BEGIN IMMEDIATE")
        try:
            for uid, facts, noted, begin in parts:
                if uid not in numbers:
                    text = json.dumps(facts, sort_keys=True)
                    seals[uid] = _seal(b"", [uid, text])
                    row = base.execute("INSERT INTO game (uid, facts, seal) VALUES (?, ?, ?)", (uid, text, seals[uid]))
                    numbers[uid] = int(row.lastrowid or 0)
                for n, (entry, label) in enumerate(noted[begin:], begin + 1):
                    told = (n, *entry, *label)
                    seals[uid] = _seal(seals[uid], told)
                    values = (numbers[uid], *told, seals[uid])
                    base.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            base.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                base.execute("ROLLBACK")
            raise
        self._numbers, self._seals = numbers, seals

    def _gone(self) -> bool:
        """Whether somebody has deleted the file: what is written to it then goes nowhere, and nobody says so."""
        try:
            return self.path.stat().st_ino != self._node
        except OSError:
            return True

    def close(self) -> None:
        """Leave the file; what was written stays, whatever closing comes to."""
        with suppress(sqlite3.Error):
            self._base.close()


def create(path: Path) -> None:
    """Make an empty journal. It has its name only when it is whole.

    Raises:
        sqlite3.Error, OSError: there can be none.
    """
    new = path.with_name(path.name + ".new")
    for each in (new, *_beside(new)):
        each.unlink(missing_ok=True)
    new.touch(0o600)
    with closing(_connected(new, "rw")) as base:
        base.execute("PRAGMA synchronous = EXTRA")
        base.executescript(
            f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {_TABLES} COMMIT;"
        )
        base.execute("PRAGMA journal_mode = WAL")
    synced(new)
    new.rename(path)
    synced(path.parent)


def remove(path: Path, uids: Sequence[str]) -> None:
    """Delete games from a file.

    Raises:
        Foreign, Damaged, sqlite3.Error, OSError: it cannot be done.
    """
    _look_at_header(path)
    with closing(_connected(path, "rw")) as base:
        base.execute("PRAGMA synchronous = EXTRA")
        base.execute("PRAGMA secure_delete = ON")
        base.execute("BEGIN IMMEDIATE")
        for uid in uids:
            base.execute("DELETE FROM entry WHERE game IN (SELECT id FROM game WHERE uid = ?)", (uid,))
            base.execute("DELETE FROM game WHERE uid = ?", (uid,))
        base.execute("COMMIT")


def kept_in(path: Path) -> tuple[Kept, ...]:
    """The games in a file that somebody else may be writing, or that is spoilt: all that can be read of it.

    Raises:
        Foreign: it is something else.
        sqlite3.Error, OSError: nothing can be read.
    """
    _look_at_header(path)
    wal = path.with_name(path.name + "-wal")
    alone = not wal.exists() and not os.access(path.parent, os.W_OK)
    found: list[Kept] = []
    with closing(_connected(path, "ro", "&immutable=1" if alone else "")) as base, suppress(sqlite3.DatabaseError):
        found.extend(_games(base, path.name))
    return tuple(found)


def synced(path: Path) -> None:
    """Have a file, or what a folder holds, written out.

    Raises:
        OSError: that cannot be done.
    """
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _beside(path: Path) -> tuple[Path, ...]:
    """The files that SQLite lays beside a database."""
    return tuple(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))


def _connected(path: Path, mode: str, more: str = "") -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(os.fspath(path.absolute()))}?mode={mode}&psow=0{more}",
        uri=True,
        timeout=PATIENCE_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # opened where the program starts, written by one thread after that
    )


def _look_at_header(path: Path) -> None:
    """Whether a file is ours at all; SQLite is not asked, for it would mend another program's file."""
    if not path.is_file():
        raise Foreign(f"{path} is no file.")
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
        raise Damaged("it does not begin as a journal does")
    (version,), (whose,) = struct.unpack(">i", header[60:64]), struct.unpack(">I", header[68:72])
    if whose != APPLICATION:
        raise Foreign(f"{path} is a database of another program.")
    if version > FORMAT:
        raise Foreign(f"{path} was written by a newer version of Pond (its format is {version}, ours {FORMAT}).")
    if version < 1:
        raise Damaged(f"its header names the format {version}")


def _check(base: sqlite3.Connection) -> None:
    try:
        found = [str(row[0]) for row in base.execute("PRAGMA integrity_check(3)")]
    except sqlite3.DatabaseError as error:
        if lost(error):
            raise
        raise Damaged(str(error)) from error
    if found != ["ok"]:
        raise Damaged("; ".join(line.replace("\n", " ") for line in found))


def lost(error: sqlite3.Error) -> bool:
    """Whether a file could not be had, as opposed to what is in it."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def _games(base: sqlite3.Connection, file: str) -> Iterator[Kept]:
    """The games of a file; each ends where a seal is broken or the rules forbid what comes next."""
    for number, uid, text, seal in base.execute("SELECT id, uid, facts, seal FROM game ORDER BY id").fetchall():
        if not isinstance(uid, str) or not isinstance(text, str) or seal != _seal(b"", [uid, text]):
            yield _unreadable(str(uid), number, file, "its seal is broken")
            continue
        noted, fault = _entries(base, number, seal)
        try:
            kept = retell(uid, json.loads(text), noted, number=number, file=file)
        except (StoryFault, ValueError) as error:
            yield _unreadable(uid, number, file, str(error))
            continue
        yield kept if kept.fault or not fault else Kept(uid, kept.facts, kept.noted, kept.story, fault, number, file)


def _unreadable(uid: str, number: int, file: str, why: str) -> Kept:
    return Kept(uid, {}, (), Story(variant("standard"), left=True), why, number, file)


def _entries(base: sqlite3.Connection, number: int, seal: bytes) -> tuple[list[Noted], str | None]:
    noted: list[Noted] = []
    asked = "SELECT n, kind, value, boot, since, wall, seal FROM entry WHERE game = ? ORDER BY n"
    try:
        for n, kind, value, boot, since, wall, sealed in base.execute(asked, (number,)):
            texts = all(isinstance(text, str) for text in (kind, value, boot, wall))
            if n != len(noted) + 1 or not texts or not isinstance(since, float):
                return noted, "it is out of order"
            seal = _seal(seal, (n, kind, value, boot, since, wall))
            if sealed != seal:
                return noted, "its seal is broken"
            noted.append(Noted(Entry(kind, value), Label(boot, since, wall)))
    except sqlite3.DatabaseError as error:
        return noted, str(error)
    return noted, None


def _seal(before: bytes, told: Sequence[object]) -> bytes:
    return hashlib.blake2b(before + json.dumps(told).encode(), digest_size=8).digest()


def _sealed(kept: Kept) -> bytes:
    """The seal of a game's last entry."""
    seal = _seal(b"", [kept.uid, json.dumps(kept.facts, sort_keys=True)])
    for n, (entry, label) in enumerate(kept.noted, 1):
        seal = _seal(seal, (n, *entry, *label))
    return seal
