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

from pond_hw.journal.events import GameProjection, ImpossibleEntry, JournalEntry, replay_entries
from pond_hw.rules import NotationError, Position, explain_invalid_start, parse_variant

FORMAT_VERSION = 1
"""The version of the tables, in every file's header (`user_version`)."""

APPLICATION_ID = int.from_bytes(b"Pond", "big")
"""Whose file it is, in every file's header (`application_id`)."""

LONGEST_LOG_PAGES = 256
"""So long the log may grow before it is brought into the database, in pages of 4096 bytes."""

BUSY_TIMEOUT_SECONDS = 5.0
"""How long another process may write before we give up for the moment."""

_SQLITE_MAGIC = b"SQLite format 3\0"

_LOG_HEADER_BYTES, _FRAME_HEADER_BYTES = 32, 24
"""So many bytes stand at the beginning of a write-ahead log, and in front of each page in it."""

_TABLE_STATEMENTS = (
    "CREATE TABLE game (id INTEGER PRIMARY KEY, uid TEXT NOT NULL, facts TEXT NOT NULL, seal BLOB NOT NULL)",
    """CREATE TABLE entry (
    game INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
    boot TEXT NOT NULL, since REAL NOT NULL, wall TEXT NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (game, n)
) WITHOUT ROWID""",
)

_CONTENT_ERRORS = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR_READ,
          sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)  # fmt: skip
"""What SQLite says of a file when something is wrong with what is in it."""


class ForeignFile(Exception):
    """There is something else in a journal's place: of another program, or of a newer version of this one."""


class DamagedJournal(Exception):
    """A journal cannot be read as it was written."""


class Timestamp(NamedTuple):
    """When something was written: in which run of the machine, how far into it, and what the clock on the wall said.

    Attributes:
        boot_id: the machine's run, as Linux names it; "" if it does not.
        since_boot: seconds since the machine started, time asleep included.
        wall_time: date and time in UTC. On a machine without a clock of its own it may be wrong by years.
    """

    boot_id: str
    since_boot: float
    wall_time: str


class TimestampedEntry(NamedTuple):
    """An entry and when it was written."""

    entry: JournalEntry
    timestamp: Timestamp


@dataclass(frozen=True)
class StoredGame:
    """A game as a file has kept it.

    Attributes:
        uid: the game's own name, the same in whatever file it stands.
        facts: what is known of it besides what happened: `variant`, `start` (a position or None), `size` of the board,
            `board`, `built` (the version of the board's own file), `pieces`, `light` and `dark` (who plays; None is a
            person without a name), `program`; of a game that was read from a record also what `records` tells.
        entries: its entries, as far as they are good.
        projection: what they come to.
        fault: why there are no more of them, if something is wrong with the next one.
        number: the larger, the later it was begun, within its file.
        file: the file's name.
    """

    uid: str
    facts: Mapping[str, object]
    entries: tuple[TimestampedEntry, ...]
    projection: GameProjection
    fault: str | None = None
    number: int = 0
    file: str = ""


class GameUpdate(NamedTuple):
    """What is to be written of one game.

    Attributes:
        uid: the game; one that is new in a file gets its row first.
        facts: what is known of it.
        entries: all its entries from the first one on; those that are in the file already are not written again.
    """

    uid: str
    facts: Mapping[str, object]
    entries: Sequence[TimestampedEntry]


class _GameEnd(NamedTuple):
    """Where a game ends in a file: its number, how many entries it has, and the seal of the last one."""

    row_id: int
    entry_count: int
    last_seal: bytes


def initial_projection(facts: Mapping[str, object]) -> GameProjection:
    """The game that these facts begin.

    Raises:
        ImpossibleEntry: no game can begin like that.
    """
    try:
        pond = parse_variant(str(facts["variant"]))
        start = facts.get("start")
        begun = None if start is None else Position.from_notation(str(start), pond)
    except (KeyError, TypeError, NotationError) as error:
        raise ImpossibleEntry(f"No game can begin like that: {error}") from error
    if begun and (why := explain_invalid_start(begun)):
        raise ImpossibleEntry(why)
    return GameProjection(pond, begun)


def replay_game(
    uid: str, facts: Mapping[str, object], noted: Sequence[TimestampedEntry], **where: object
) -> StoredGame:
    """A game from its entries, as far as the rules allow.

    Raises:
        ImpossibleEntry: it cannot even begin.
    """
    story, good, fault = replay_entries(initial_projection(facts), (each.entry for each in noted))
    return StoredGame(uid, facts, tuple(noted[:good]), story, fault, **where)  # type: ignore[arg-type]


class JournalStore:
    """One open file of the journal, to be written by one thread.

    Args:
        path: the file; `create_file` makes one.
        wanted: which games are to be at hand; thousands of finished ones would fill a small machine's memory.

    Attributes:
        stored_games: these games, the one that was begun first in front.

    Raises:
        ForeignFile: it is something else; nothing was changed.
        DamagedJournal: it is a journal, and spoilt.
        sqlite3.Error, OSError: it cannot be had.
    """

    def __init__(self, path: Path, wanted: Callable[[StoredGame], bool] = lambda _: True) -> None:
        self.path = path
        self._game_ends: dict[str, _GameEnd] = {}
        found: list[StoredGame] = []
        _check_header(path)
        if _has_unread_commit(path):
            raise DamagedJournal("the end of its log cannot be read, and what was played last may be missing")
        self._log_settled = not _log_path(path).exists()  # or somebody went without closing it
        self._read_connection = _connect_database(path, "ro")
        self._write_connection = _connect_database(path, "rw")
        try:
            self._write_connection.execute("PRAGMA synchronous = EXTRA")
            self._write_connection.execute(f"PRAGMA wal_autocheckpoint = {LONGEST_LOG_PAGES}")
            self._read_connection.execute("PRAGMA schema_version")  # to read something is to have one's hands on it
            _check_integrity(self._write_connection)
            for kept, end in _read_games(self._write_connection, path.name):
                self._game_ends[kept.uid] = end
                if kept.fault or wanted(kept):
                    found.append(kept)
            self._known_file_ids = self._current_file_ids()
            sync_to_disk(
                path.parent
            )  # the log has its name there; SQLite does not tell when that cannot be written out
        except BaseException as error:
            self.abandon_file()
            if isinstance(error, UnicodeDecodeError) or (
                isinstance(error, sqlite3.Error) and not is_unreachable(error)
            ):
                raise DamagedJournal(str(error)) from error
            raise
        self.stored_games = tuple(found)
        if spoilt := [kept for kept in self.stored_games if kept.fault]:
            self.abandon_file()
            raise DamagedJournal(f"in game {spoilt[0].number}, entry {len(spoilt[0].entries) + 1}: {spoilt[0].fault}")

    @property
    def is_empty(self) -> bool:
        """Whether there is no game in it."""
        return not self._game_ends

    def append_games(self, parts: Sequence[GameUpdate]) -> None:
        """Write what is new of these games, durably and all together: no loss of power takes it away afterwards.

        Raises:
            sqlite3.Error: nothing was written.
        """
        if self._is_replaced():
            raise sqlite3.OperationalError("the file is no longer there")
        if not self._log_settled:
            _checkpoint_log(self._write_connection)
            self._log_settled = True
        self._write_connection.execute("BEGIN IMMEDIATE")
        try:
            ends = _insert_games(self._write_connection, self._game_ends, parts)
            self._write_connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._write_connection.execute("ROLLBACK")
            raise
        self._game_ends = ends

    def _current_file_ids(self) -> list[tuple[int, int]]:
        """Which files have the names of this one and of its log."""
        found = [each.stat() for each in (self.path, _log_path(self.path))]
        return [(each.st_dev, each.st_ino) for each in found]

    def _is_replaced(self) -> bool:
        """Whether somebody has deleted the file: what is written to it then goes nowhere, and nobody says so."""
        try:
            return self._current_file_ids() != self._known_file_ids
        except OSError:
            return True

    def close(self) -> None:
        """Leave the file; what was written stays, whatever closing comes to."""
        for each in (self._read_connection, self._write_connection):
            with suppress(sqlite3.Error):
                each.close()

    def abandon_file(self) -> None:
        """Leave a file that cannot be trusted exactly as it is.

        Whoever leaves last brings the log into the database and deletes it; the anchor, which may only read, cannot.
        """
        for each in (self._write_connection, self._read_connection):
            with suppress(sqlite3.Error):
                each.close()


def create_file(path: Path, parts: Sequence[GameUpdate] = ()) -> None:
    """Make a journal with these games in it. It has its name only when it is whole.

    Raises:
        sqlite3.Error, OSError: there can be none.
    """
    new = path.with_name(path.name + ".new")
    discard_file(new)
    new.touch(0o600)
    with closing(_connect_database(new, "rw")) as base:
        base.execute("PRAGMA synchronous = EXTRA")
        base.execute("BEGIN")
        for statement in (
            f"PRAGMA application_id = {APPLICATION_ID}",
            f"PRAGMA user_version = {FORMAT_VERSION}",
            *_TABLE_STATEMENTS,
        ):
            base.execute(statement)
        _insert_games(base, {}, parts)
        base.execute("COMMIT")
        if base.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
            raise sqlite3.OperationalError("no write-ahead log can be kept there")
    sync_to_disk(new)
    new.rename(path)
    try:
        sync_to_disk(path.parent)
    except OSError:
        path.unlink()  # else there would be another one each time it is tried again
        raise


def discard_file(path: Path) -> None:
    """Take a database away that nobody has written to yet, and what SQLite laid beside it.

    Raises:
        OSError: that cannot be done.
    """
    for each in (path, *_sidecar_files(path)):
        each.unlink(missing_ok=True)


def _insert_games(
    base: sqlite3.Connection, ends: Mapping[str, _GameEnd], parts: Sequence[GameUpdate]
) -> dict[str, _GameEnd]:
    """Put into the tables what they do not have yet of these games, and tell where all games end then."""
    ends = dict(ends)
    for uid, facts, noted in parts:
        if uid not in ends or not _is_game_at(base, ends[uid].row_id, uid):  # it is new here, or somebody deleted it
            text = json.dumps(facts, sort_keys=True)
            seal = _compute_seal(b"", [uid, text])
            row = base.execute("INSERT INTO game (uid, facts, seal) VALUES (?, ?, ?)", (uid, text, seal))
            ends[uid] = _GameEnd(int(row.lastrowid or 0), 0, seal)
        number, length, seal = ends[uid]
        for n, (entry, label) in enumerate(noted[length:], length + 1):
            told = (n, *entry, *label)
            seal = _compute_seal(seal, told)
            base.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (number, *told, seal))
            ends[uid] = _GameEnd(number, n, seal)
    return ends


def delete_games(path: Path, uids: Sequence[str]) -> int:
    """Delete games from a file, and what they said from the disk.

    Returns:
        How many were there.

    Raises:
        Foreign, Damaged, sqlite3.Error, OSError: it cannot be done.
    """
    _check_header(path)
    count = 0
    with closing(_connect_database(path, "rw")) as base:
        base.execute("PRAGMA synchronous = EXTRA")
        base.execute("PRAGMA secure_delete = ON")
        _checkpoint_log(base)
        base.execute("BEGIN IMMEDIATE")
        for uid in uids:
            base.execute("DELETE FROM entry WHERE game IN (SELECT id FROM game WHERE uid = ?)", (uid,))
            count += base.execute("DELETE FROM game WHERE uid = ?", (uid,)).rowcount
        base.execute("COMMIT")
        with suppress(sqlite3.Error):  # they are deleted; but the log still holds the pages as they were
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return count


def _is_game_at(base: sqlite3.Connection, number: int, uid: str) -> bool:
    """Whether a game is still where it was: somebody may have deleted it, and its number may be another's by now."""
    return base.execute("SELECT 1 FROM game WHERE id = ? AND uid = ?", (number, uid)).fetchone() is not None


def read_stored_games(path: Path) -> Iterator[StoredGame]:
    """The games in a file that somebody else may be writing, or that is spoilt: all that can be read of it.

    Not for a file that this very process has open as a `JournalStore`: a file that is closed takes with it all locks that its
    process has on it, those of SQLite too, and the next one to come would take the log away from under our hands.

    Raises:
        ForeignFile: it is something else.
        Damaged, sqlite3.Error, OSError: this is all that can be read.
    """
    log, index = _log_path(path), path.with_name(path.name + "-shm")
    may_write = os.access(path.parent, os.W_OK)
    if log.exists() and not index.exists() and not may_write:  # a log is read with its index only
        with TemporaryDirectory() as own:
            for each in (log, path):
                shutil.copyfile(each, Path(own) / each.name)
            yield from read_stored_games(Path(own) / path.name)
        return
    try:
        _check_header(path)
    except DamagedJournal:
        if not log.is_file() or not path.stat().st_size:  # SQLite deletes the log of an empty file
            raise
    alone = not log.exists() and not may_write
    try:
        with closing(_connect_database(path, "ro", "&immutable=1" if alone else "")) as base:
            for kept, _ in _read_games(base, path.name):
                yield kept
            _check_integrity(base)
    except UnicodeDecodeError as error:  # in SQLite's own words, where they quote what they cannot read
        raise DamagedJournal(str(error)) from error
    if all(_has_unread_commit(path) for _ in range(2)):  # once may be somebody who was just writing
        raise DamagedJournal("the end of its log cannot be read, and what was played last may be missing")


def sync_to_disk(path: Path) -> None:
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


def _log_path(path: Path) -> Path:
    """The write-ahead log that SQLite lays beside a database."""
    return path.with_name(path.name + "-wal")


def _sidecar_files(path: Path) -> tuple[Path, ...]:
    """The files that SQLite lays beside a database."""
    return _log_path(path), *(path.with_name(path.name + end) for end in ("-shm", "-journal"))


def _connect_database(path: Path, mode: str, more: str = "") -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(os.fspath(path.absolute()))}?mode={mode}&psow=0{more}",
        uri=True,
        timeout=BUSY_TIMEOUT_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # opened where the program starts, written by one thread after that
    )


def _checkpoint_log(base: sqlite3.Connection) -> None:
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


def _read_header_in_log(path: Path) -> bytes:
    """The first bytes of a database as its log has them last; empty if it has not. SQLite checks the rest."""
    try:
        content = _log_path(path).read_bytes()
    except OSError:
        return b""
    if len(content) < _LOG_HEADER_BYTES:
        return b""
    size, salts, found = int.from_bytes(content[8:12], "big"), content[16:24], b""
    for at in range(_LOG_HEADER_BYTES, len(content) - _FRAME_HEADER_BYTES, _FRAME_HEADER_BYTES + size):
        if content[at : at + 4] == b"\0\0\0\1" and content[at + 8 : at + 16] == salts:
            found = content[at + _FRAME_HEADER_BYTES : at + _FRAME_HEADER_BYTES + 100]
    return found


def _check_header(path: Path) -> None:
    """Whether a file is ours at all; SQLite is not asked, for it would mend another program's file."""
    if not path.is_file():
        raise ForeignFile(f"{path} is no file.")
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        if error.errno == errno.EIO:
            raise DamagedJournal(str(error)) from error
        raise
    if header and not header.startswith(_SQLITE_MAGIC):  # the power may have gone while the page came in from the log
        header = _read_header_in_log(path)
    if len(header) < 100 or not header.startswith(_SQLITE_MAGIC):
        raise DamagedJournal("it does not begin as a journal does")
    (version,), (whose,) = struct.unpack(">i", header[60:64]), struct.unpack(">I", header[68:72])
    if whose != APPLICATION_ID:
        raise ForeignFile(f"{path} is a database of another program.")
    if version > FORMAT_VERSION:
        raise ForeignFile(
            f"{path} was written by a newer version of Pond (its format is {version}, ours {FORMAT_VERSION})."
        )
    if version < 1:
        raise DamagedJournal(f"its header names the format {version}")
    if header[18:20] != b"\2\2":
        raise DamagedJournal("its header names no write-ahead log")


def _has_unread_commit(path: Path) -> bool:
    """Whether the log of a file has a commit in it that SQLite does not come to, for something before it is spoilt.

    See "The WAL File Format" on SQLite's own pages: a header, and frames of a page each, every one with the salts of
    the header and with a sum over all before it. Frames that were left from earlier have other salts. The last frame
    may be half there because somebody was stopped while it was written.
    """
    try:
        log = _log_path(path).read_bytes()
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno in (errno.EIO, errno.EISDIR):
            return True
        raise
    if len(log) < _LOG_HEADER_BYTES:
        return False
    magic, _, size, _, *salts, one, two = struct.unpack(">8I", log[:_LOG_HEADER_BYTES])
    words, sums = "<II" if magic == 0x377F0682 else ">II", (one, two)
    if magic | 1 != 0x377F0683 or _extend_checksum(words, (0, 0), log[: _LOG_HEADER_BYTES - 8]) != sums:
        return any(log[_LOG_HEADER_BYTES:])
    well = True
    for at in range(_LOG_HEADER_BYTES, len(log) - size - _FRAME_HEADER_BYTES + 1, size + _FRAME_HEADER_BYTES):
        _, commit, *salted, one, two = struct.unpack(">6I", log[at : at + _FRAME_HEADER_BYTES])
        if not well and commit and salted == salts:
            return True
        if well:
            sums = _extend_checksum(
                words,
                _extend_checksum(words, sums, log[at : at + 8]),
                log[at + _FRAME_HEADER_BYTES : at + _FRAME_HEADER_BYTES + size],
            )
            well = salted == salts and sums == (one, two)
    return False


def _extend_checksum(words: str, sums: tuple[int, int], part: bytes) -> tuple[int, int]:
    """The sums of a log, gone on with over another part of it."""
    one, two = sums
    for this, that in struct.iter_unpack(words, part):
        one = (one + this + two) & 0xFFFFFFFF
        two = (two + that + one) & 0xFFFFFFFF
    return one, two


def _check_integrity(base: sqlite3.Connection) -> None:
    """Look at what the seals do not cover: the pages, the tables, and which game an entry belongs to."""
    found = [str(row[0]) for row in base.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        raise DamagedJournal("; ".join(line.replace("\n", " ") for line in found))
    if [row[0] for row in base.execute("SELECT sql FROM sqlite_schema")] != list(_TABLE_STATEMENTS):
        raise DamagedJournal("its tables are described in another way")
    if base.execute("SELECT 1 FROM entry WHERE game NOT IN (SELECT id FROM game)").fetchone():
        raise DamagedJournal("there are entries in it that belong to no game")


def is_unreachable(error: sqlite3.Error) -> bool:
    """Whether a file could not be had, as opposed to what is in it."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code not in _CONTENT_ERRORS and code & 0xFF not in _CONTENT_ERRORS


def _read_games(base: sqlite3.Connection, file: str) -> Iterator[tuple[StoredGame, _GameEnd]]:
    """The games of a file; each ends where a seal is broken or the rules forbid what comes next."""
    if base.execute("SELECT 1 FROM sqlite_schema WHERE type <> 'table'").fetchone():
        raise DamagedJournal("there is something in it that is no table")
    for number, uid, text, seal in base.execute("SELECT id, uid, facts, seal FROM game ORDER BY id"):
        if not isinstance(uid, str) or not isinstance(text, str) or seal != _compute_seal(b"", [uid, text]):
            yield _unreadable_game(str(uid), number, file, "its seal is broken")
            continue
        noted, last, fault = _read_entries(base, number, seal)
        try:
            kept = replay_game(uid, json.loads(text), noted, number=number, file=file)
        except (ImpossibleEntry, ValueError, RecursionError) as error:
            yield _unreadable_game(uid, number, file, str(error))
            continue
        if fault and not kept.fault:
            kept = replace(kept, fault=fault)
        yield kept, _GameEnd(number, len(noted), last)


def _unreadable_game(uid: str, number: int, file: str, why: str) -> tuple[StoredGame, _GameEnd]:
    return StoredGame(
        uid, {}, (), GameProjection(parse_variant("standard"), was_left=True), why, number, file
    ), _GameEnd(number, 0, b"")


def _read_entries(
    base: sqlite3.Connection, number: int, seal: bytes
) -> tuple[list[TimestampedEntry], bytes, str | None]:
    """The entries of a game as far as they are good, the seal of the last one, and what is wrong with the next."""
    noted: list[TimestampedEntry] = []
    asked = "SELECT n, kind, value, boot, since, wall, seal FROM entry WHERE game = ? ORDER BY n"
    try:
        for n, kind, value, boot, since, wall, sealed in base.execute(asked, (number,)):
            texts = all(isinstance(text, str) for text in (kind, value, boot, wall))
            if n != len(noted) + 1 or not texts or not isinstance(since, float):
                return noted, seal, "it is out of order"
            if sealed != (next_seal := _compute_seal(seal, (n, kind, value, boot, since, wall))):
                return noted, seal, "its seal is broken"
            seal = next_seal
            noted.append(TimestampedEntry(JournalEntry(kind, value), Timestamp(boot, since, wall)))
    except sqlite3.DatabaseError as error:
        return noted, seal, str(error)
    return noted, seal, None


def _compute_seal(before: bytes, told: Sequence[object]) -> bytes:
    return hashlib.blake2b(before + json.dumps(told).encode(), digest_size=8).digest()
