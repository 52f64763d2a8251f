"""One file of the journal: an SQLite database that only grows, checked whenever it is opened.

    game    one row for each game: who, where, which pond, from which position
    entry   what happened in it, in order; each is sealed with all that came before it

SQLite answers for its pages, the seals for what is written in them: a bit that has flipped in a cell of the table would
pass SQLite's own check. One in the write-ahead log ends it for SQLite, without a word, as if all that follows had never
been written; so that is looked for here. Set here and not left to whoever built the library: `synchronous` EXTRA, and a
write-ahead log whose commits are padded to whole sectors (`psow=0`), so that no write ever touches a sector with an
earlier turn in it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import quote

from pond_hw.journal.events import Entry, Story, StoryFault, retold
from pond_hw.rules import NotationError, Position, cannot_begin, variant

FORMAT = 1
"""The version of the tables, in every file's header (`user_version`)."""

APPLICATION = int.from_bytes(b"Pond", "big")
"""Whose file it is, in every file's header (`application_id`)."""

PAGES_OF_LOG = 256
"""So long the log may grow before it is brought into the database, in pages of 4096 bytes."""

PATIENCE_SECONDS = 5.0
"""How long another process may write before we give up for the moment."""

_MAGIC = b"SQLite format 3\0"

_HEADER, _FRAME = 32, 24
"""So many bytes stand at the beginning of a write-ahead log, and in front of each page in it."""

_TABLES = (
    "CREATE TABLE game (id INTEGER PRIMARY KEY, uid TEXT NOT NULL, facts TEXT NOT NULL, seal BLOB NOT NULL)",
    """CREATE TABLE entry (
    game INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
    boot TEXT NOT NULL, since REAL NOT NULL, wall TEXT NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (game, n)
) WITHOUT ROWID""",
)

_IN_IT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR_READ,
          sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)  # fmt: skip
"""What SQLite says of a file when something is wrong with what is in it."""


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
            person without a name), `program`; of a game that was read from a record also what `records` tells.
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
        noted: all its entries from the first one on; those that are in the file already are not written again.
    """

    uid: str
    facts: Mapping[str, object]
    noted: Sequence[Noted]


class _End(NamedTuple):
    """Where a game ends in a file: its number, how many entries it has, and the seal of the last one."""

    number: int
    length: int
    seal: bytes


def beginning(facts: Mapping[str, object]) -> Story:
    """The game that these facts begin.

    Raises:
        StoryFault: no game can begin like that.
    """
    try:
        pond = variant(str(facts["variant"]))
        start = facts.get("start")
        begun = None if start is None else Position.read(str(start), pond)
    except (KeyError, TypeError, NotationError) as error:
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
        wanted: which games are to be at hand; thousands of finished ones would fill a small machine's memory.

    Attributes:
        kept: these games, the one that was begun first in front.

    Raises:
        Foreign: it is something else; nothing was changed.
        Damaged: it is a journal, and spoilt.
        sqlite3.Error, OSError: it cannot be had.
    """

    def __init__(self, path: Path, wanted: Callable[[Kept], bool] = lambda _: True) -> None:
        self.path = path
        self._ends: dict[str, _End] = {}
        found: list[Kept] = []
        _look_at_header(path)
        if _passed_over(path):
            raise Damaged("the end of its log cannot be read, and what was played last may be missing")
        self._settled = not _log(path).exists()  # or somebody went without closing it
        self._anchor = _connected(path, "ro")
        self._base = _connected(path, "rw")
        try:
            self._base.execute("PRAGMA synchronous = EXTRA")
            self._base.execute(f"PRAGMA wal_autocheckpoint = {PAGES_OF_LOG}")
            self._anchor.execute("PRAGMA schema_version")  # to read something is to have one's hands on it
            _check(self._base)
            for kept, end in _games(self._base, path.name):
                self._ends[kept.uid] = end
                if kept.fault or wanted(kept):
                    found.append(kept)
            self._nodes = self._there()
            synced(path.parent)  # the log has its name there; SQLite does not tell when that cannot be written out
        except BaseException as error:
            self.forsake()
            if isinstance(error, UnicodeDecodeError) or (isinstance(error, sqlite3.Error) and not lost(error)):
                raise Damaged(str(error)) from error
            raise
        self.kept = tuple(found)
        if spoilt := [kept for kept in self.kept if kept.fault]:
            self.forsake()
            raise Damaged(f"in game {spoilt[0].number}, entry {len(spoilt[0].noted) + 1}: {spoilt[0].fault}")

    @property
    def empty(self) -> bool:
        """Whether there is no game in it."""
        return not self._ends

    def append(self, parts: Sequence[Part]) -> None:
        """Write what is new of these games, durably and all together: no loss of power takes it away afterwards.

        Raises:
            sqlite3.Error: nothing was written.
        """
        if self._gone():
            raise sqlite3.OperationalError("the file is no longer there")
        if not self._settled:
            _settle(self._base)
            self._settled = True
        self._base.execute("BEGIN IMMEDIATE")
        try:
            ends = _put(self._base, self._ends, parts)
            self._base.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._base.execute("ROLLBACK")
            raise
        self._ends = ends

    def _there(self) -> list[tuple[int, int]]:
        """Which files have the names of this one and of its log."""
        found = [each.stat() for each in (self.path, _log(self.path))]
        return [(each.st_dev, each.st_ino) for each in found]

    def _gone(self) -> bool:
        """Whether somebody has deleted the file: what is written to it then goes nowhere, and nobody says so."""
        try:
            return self._there() != self._nodes
        except OSError:
            return True

    def close(self) -> None:
        """Leave the file; what was written stays, whatever closing comes to."""
        for each in (self._anchor, self._base):
            with suppress(sqlite3.Error):
                each.close()

    def forsake(self) -> None:
        """Leave a file that cannot be trusted exactly as it is.

        Whoever leaves last brings the log into the database and deletes it; the anchor, which may only read, cannot.
        """
        for each in (self._base, self._anchor):
            with suppress(sqlite3.Error):
                each.close()


def create(path: Path, parts: Sequence[Part] = ()) -> None:
    """Make a journal with these games in it. It has its name only when it is whole.

    Raises:
        sqlite3.Error, OSError: there can be none.
    """
    new = path.with_name(path.name + ".new")
    discard(new)
    new.touch(0o600)
    with closing(_connected(new, "rw")) as base:
        base.execute("PRAGMA synchronous = EXTRA")
        base.execute("BEGIN")
        for statement in (f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {FORMAT}", *_TABLES):
            base.execute(statement)
        _put(base, {}, parts)
        base.execute("COMMIT")
        if base.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
            raise sqlite3.OperationalError("no write-ahead log can be kept there")
    synced(new)
    new.rename(path)
    try:
        synced(path.parent)
    except OSError:
        path.unlink()  # else there would be another one each time it is tried again
        raise


def discard(path: Path) -> None:
    """Take a database away that nobody has written to yet, and what SQLite laid beside it.

    Raises:
        OSError: that cannot be done.
    """
    for each in (path, *_beside(path)):
        each.unlink(missing_ok=True)


def _put(base: sqlite3.Connection, ends: Mapping[str, _End], parts: Sequence[Part]) -> dict[str, _End]:
    """Put into the tables what they do not have yet of these games, and tell where all games end then."""
    ends = dict(ends)
    for uid, facts, noted in parts:
        if uid not in ends or not _stands(base, ends[uid].number, uid):  # it is new here, or somebody deleted it
            text = json.dumps(facts, sort_keys=True)
            seal = _seal(b"", [uid, text])
            row = base.execute("INSERT INTO game (uid, facts, seal) VALUES (?, ?, ?)", (uid, text, seal))
            ends[uid] = _End(int(row.lastrowid or 0), 0, seal)
        number, length, seal = ends[uid]
        for n, (entry, label) in enumerate(noted[length:], length + 1):
            told = (n, *entry, *label)
            seal = _seal(seal, told)
            base.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (number, *told, seal))
            ends[uid] = _End(number, n, seal)
    return ends


def remove(path: Path, uids: Sequence[str]) -> int:
    """Delete games from a file, and what they said from the disk.

    Returns:
        How many were there.

    Raises:
        Foreign, Damaged, sqlite3.Error, OSError: it cannot be done.
    """
    _look_at_header(path)
    count = 0
    with closing(_connected(path, "rw")) as base:
        base.execute("PRAGMA synchronous = EXTRA")
        base.execute("PRAGMA secure_delete = ON")
        _settle(base)
        base.execute("BEGIN IMMEDIATE")
        for uid in uids:
            base.execute("DELETE FROM entry WHERE game IN (SELECT id FROM game WHERE uid = ?)", (uid,))
            count += base.execute("DELETE FROM game WHERE uid = ?", (uid,)).rowcount
        base.execute("COMMIT")
        with suppress(sqlite3.Error):  # they are deleted; but the log still holds the pages as they were
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return count


def _stands(base: sqlite3.Connection, number: int, uid: str) -> bool:
    """Whether a game is still where it was: somebody may have deleted it, and its number may be another's by now."""
    return base.execute("SELECT 1 FROM game WHERE id = ? AND uid = ?", (number, uid)).fetchone() is not None


def kept_in(path: Path) -> Iterator[Kept]:
    """The games in a file that somebody else may be writing, or that is spoilt: all that can be read of it.

    Not for a file that this very process has open as a `Store`: a file that is closed takes with it all locks that its
    process has on it, those of SQLite too, and the next one to come would take the log away from under our hands.

    Raises:
        Foreign: it is something else.
        Damaged, sqlite3.Error, OSError: this is all that can be read.
    """
    log, index = _log(path), path.with_name(path.name + "-shm")
    may_write = os.access(path.parent, os.W_OK)
    if log.exists() and not index.exists() and not may_write:  # a log is read with its index only
        with TemporaryDirectory() as own:
            for each in (log, path):
                shutil.copyfile(each, Path(own) / each.name)
            yield from kept_in(Path(own) / path.name)
        return
    try:
        _look_at_header(path)
    except Damaged:
        if not log.is_file() or not path.stat().st_size:  # SQLite deletes the log of an empty file
            raise
    alone = not log.exists() and not may_write
    try:
        with closing(_connected(path, "ro", "&immutable=1" if alone else "")) as base:
            for kept, _ in _games(base, path.name):
                yield kept
            _check(base)
    except UnicodeDecodeError as error:  # in SQLite's own words, where they quote what they cannot read
        raise Damaged(str(error)) from error
    if all(_passed_over(path) for _ in range(2)):  # once may be somebody who was just writing
        raise Damaged("the end of its log cannot be read, and what was played last may be missing")


def synced(path: Path) -> None:
    """Have a file, or what a folder holds, written out.

    Raises:
        OSError: that cannot be done.
    """
    if os.name == "nt" and path.is_dir():
        return  # there nobody can open a folder, and names are written out with their files
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _log(path: Path) -> Path:
    """The write-ahead log that SQLite lays beside a database."""
    return path.with_name(path.name + "-wal")


def _beside(path: Path) -> tuple[Path, ...]:
    """The files that SQLite lays beside a database."""
    return _log(path), *(path.with_name(path.name + end) for end in ("-shm", "-journal"))


def _connected(path: Path, mode: str, more: str = "") -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(os.fspath(path.absolute()))}?mode={mode}&psow=0{more}",
        uri=True,
        timeout=PATIENCE_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # opened where the program starts, written by one thread after that
    )


def _settle(base: sqlite3.Connection) -> None:
    """Bring all of a log that a crash has left into the database, and begin it anew.

    What pads the last commit in it may be gone. The next one would then begin in a sector with an earlier turn in it.

    Raises:
        sqlite3.Error: it cannot be done now; nothing may be written before it is.
    """
    (busy, *_) = base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error


def _header_in_log(path: Path) -> bytes:
    """The first bytes of a database as its log has them last; empty if it has not. SQLite checks the rest."""
    try:
        content = _log(path).read_bytes()
    except OSError:
        return b""
    if len(content) < _HEADER:
        return b""
    size, salts, found = int.from_bytes(content[8:12], "big"), content[16:24], b""
    for at in range(_HEADER, len(content) - _FRAME, _FRAME + size):
        if content[at : at + 4] == b"\0\0\0\1" and content[at + 8 : at + 16] == salts:
            found = content[at + _FRAME : at + _FRAME + 100]
    return found


def _look_at_header(path: Path) -> None:
    """Whether a file is ours at all; SQLite is not asked, for it would mend another program's file."""
    if not path.is_file():
        raise Foreign(f"{path} is no file.")
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        if error.errno == errno.EIO:
            raise Damaged(str(error)) from error
        raise
    if header and not header.startswith(_MAGIC):  # the power may have gone while the page came in from the log
        header = _header_in_log(path)
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise Damaged("it does not begin as a journal does")
    (version,), (whose,) = struct.unpack(">i", header[60:64]), struct.unpack(">I", header[68:72])
    if whose != APPLICATION:
        raise Foreign(f"{path} is a database of another program.")
    if version > FORMAT:
        raise Foreign(f"{path} was written by a newer version of Pond (its format is {version}, ours {FORMAT}).")
    if version < 1:
        raise Damaged(f"its header names the format {version}")
    if header[18:20] != b"\2\2":
        raise Damaged("its header names no write-ahead log")


def _passed_over(path: Path) -> bool:
    """Whether the log of a file has a commit in it that SQLite does not come to, for something before it is spoilt.

    See "The WAL File Format" on SQLite's own pages: a header, and frames of a page each, every one with the salts of
    the header and with a sum over all before it. Frames that were left from earlier have other salts. The last frame
    may be half there because somebody was stopped while it was written.
    """
    try:
        log = _log(path).read_bytes()
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno in (errno.EIO, errno.EISDIR):
            return True
        raise
    if len(log) < _HEADER:
        return False
    magic, _, size, _, *salts, one, two = struct.unpack(">8I", log[:_HEADER])
    words, sums = "<II" if magic == 0x377F0682 else ">II", (one, two)
    if magic | 1 != 0x377F0683 or _summed(words, (0, 0), log[: _HEADER - 8]) != sums:
        return any(log[_HEADER:])
    well = True
    for at in range(_HEADER, len(log) - size - _FRAME + 1, size + _FRAME):
        _, commit, *salted, one, two = struct.unpack(">6I", log[at : at + _FRAME])
        if not well and commit and salted == salts:
            return True
        if well:
            sums = _summed(words, _summed(words, sums, log[at : at + 8]), log[at + _FRAME : at + _FRAME + size])
            well = salted == salts and sums == (one, two)
    return False


def _summed(words: str, sums: tuple[int, int], part: bytes) -> tuple[int, int]:
    """The sums of a log, gone on with over another part of it."""
    one, two = sums
    for this, that in struct.iter_unpack(words, part):
        one = (one + this + two) & 0xFFFFFFFF
        two = (two + that + one) & 0xFFFFFFFF
    return one, two


def _check(base: sqlite3.Connection) -> None:
    """Look at what the seals do not cover: the pages, the tables, and which game an entry belongs to."""
    found = [str(row[0]) for row in base.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        raise Damaged("; ".join(line.replace("\n", " ") for line in found))
    if [row[0] for row in base.execute("SELECT sql FROM sqlite_schema")] != list(_TABLES):
        raise Damaged("its tables are described in another way")
    if base.execute("SELECT 1 FROM entry WHERE game NOT IN (SELECT id FROM game)").fetchone():
        raise Damaged("there are entries in it that belong to no game")


def lost(error: sqlite3.Error) -> bool:
    """Whether a file could not be had, as opposed to what is in it."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code not in _IN_IT and code & 0xFF not in _IN_IT


def _games(base: sqlite3.Connection, file: str) -> Iterator[tuple[Kept, _End]]:
    """The games of a file; each ends where a seal is broken or the rules forbid what comes next."""
    if base.execute("SELECT 1 FROM sqlite_schema WHERE type <> 'table'").fetchone():
        raise Damaged("there is something in it that is no table")
    for number, uid, text, seal in base.execute("SELECT id, uid, facts, seal FROM game ORDER BY id"):
        if not isinstance(uid, str) or not isinstance(text, str) or seal != _seal(b"", [uid, text]):
            yield _unreadable(str(uid), number, file, "its seal is broken")
            continue
        noted, last, fault = _entries(base, number, seal)
        try:
            kept = retell(uid, json.loads(text), noted, number=number, file=file)
        except (StoryFault, ValueError, RecursionError) as error:
            yield _unreadable(uid, number, file, str(error))
            continue
        if fault and not kept.fault:
            kept = replace(kept, fault=fault)
        yield kept, _End(number, len(noted), last)


def _unreadable(uid: str, number: int, file: str, why: str) -> tuple[Kept, _End]:
    return Kept(uid, {}, (), Story(variant("standard"), left=True), why, number, file), _End(number, 0, b"")


def _entries(base: sqlite3.Connection, number: int, seal: bytes) -> tuple[list[Noted], bytes, str | None]:
    """The entries of a game as far as they are good, the seal of the last one, and what is wrong with the next."""
    noted: list[Noted] = []
    asked = "SELECT n, kind, value, boot, since, wall, seal FROM entry WHERE game = ? ORDER BY n"
    try:
        for n, kind, value, boot, since, wall, sealed in base.execute(asked, (number,)):
            texts = all(isinstance(text, str) for text in (kind, value, boot, wall))
            if n != len(noted) + 1 or not texts or not isinstance(since, float):
                return noted, seal, "it is out of order"
            if sealed != (next_seal := _seal(seal, (n, kind, value, boot, since, wall))):
                return noted, seal, "its seal is broken"
            seal = next_seal
            noted.append(Noted(Entry(kind, value), Label(boot, since, wall)))
    except sqlite3.DatabaseError as error:
        return noted, seal, str(error)
    return noted, seal, None


def _seal(before: bytes, told: Sequence[object]) -> bytes:
    return hashlib.blake2b(before + json.dumps(told).encode(), digest_size=8).digest()
