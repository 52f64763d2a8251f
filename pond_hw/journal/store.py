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

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pond_hw.files import sync_to_disk
from pond_hw.journal.database_file import (
    APPLICATION_ID,
    FORMAT_VERSION,
    DamagedJournal,
    check_header,
    checkpoint_log,
    connect_database,
    discard_file,
    has_unread_commit,
    log_path,
)
from pond_hw.journal.events import GameProjection, ImpossibleEntry, JournalEntry
from pond_hw.journal.stored_game import GameUpdate, StoredGame, Timestamp, TimestampedEntry, replay_game
from pond_hw.rules import parse_variant

LONGEST_LOG_PAGES = 256
"""So long the log may grow before it is brought into the database, in pages of 4096 bytes."""

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


class _GameEnd(NamedTuple):
    """Where a game ends in a file: its number, how many entries it has, and the seal of the last one."""

    row_id: int
    entry_count: int
    last_seal: bytes


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
        check_header(path)
        if has_unread_commit(path):
            raise DamagedJournal("the end of its log cannot be read, and what was played last may be missing")
        self._log_settled = not log_path(path).exists()  # or somebody went without closing it
        self._read_connection = connect_database(path, "ro")
        self._write_connection = connect_database(path, "rw")
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
            sync_to_disk(path.parent)  # the log's name is there; SQLite does not tell when that cannot be written out
        except BaseException as error:
            self.abandon_file()
            if isinstance(error, UnicodeDecodeError) or (isinstance(error, sqlite3.Error) and _is_content_error(error)):
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
            checkpoint_log(self._write_connection)
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
        found = [each.stat() for each in (self.path, log_path(self.path))]
        return [(each.st_dev, each.st_ino) for each in found]

    def _is_replaced(self) -> bool:
        """Whether somebody has deleted the file: what is written to it then goes nowhere, and nobody says so."""
        try:
            return self._current_file_ids() != self._known_file_ids
        except OSError:
            return True

    def close(self) -> None:
        """Leave the file; what was written stays, whatever closing comes to."""
        _close_connections(self._read_connection, self._write_connection)

    def abandon_file(self) -> None:
        """Leave a file that cannot be trusted exactly as it is.

        Whoever leaves last brings the log into the database and deletes it; the anchor, which may only read, cannot.
        """
        _close_connections(self._write_connection, self._read_connection)


def _close_connections(*connections: sqlite3.Connection) -> None:
    for connection in connections:
        with suppress(sqlite3.Error):
            connection.close()


def create_file(path: Path, parts: Sequence[GameUpdate] = ()) -> None:
    """Make a journal with these games in it. It has its name only when it is whole.

    Raises:
        sqlite3.Error, OSError: there can be none.
    """
    new = path.with_name(path.name + ".new")
    discard_file(new)
    new.touch(0o600)
    with closing(connect_database(new, "rw")) as base:
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
        ForeignFile, DamagedJournal, sqlite3.Error, OSError: it cannot be done.
    """
    check_header(path)
    count = 0
    with closing(connect_database(path, "rw")) as base:
        base.execute("PRAGMA synchronous = EXTRA")
        base.execute("PRAGMA secure_delete = ON")
        checkpoint_log(base)
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
        DamagedJournal, sqlite3.Error, OSError: this is all that can be read.
    """
    log, index = log_path(path), path.with_name(path.name + "-shm")
    may_write = os.access(path.parent, os.W_OK)
    if log.exists() and not index.exists() and not may_write:  # a log is read with its index only
        with TemporaryDirectory() as own:
            for each in (log, path):
                shutil.copyfile(each, Path(own) / each.name)
            yield from read_stored_games(Path(own) / path.name)
        return
    try:
        check_header(path)
    except DamagedJournal:
        if not log.is_file() or not path.stat().st_size:  # SQLite deletes the log of an empty file
            raise
    alone = not log.exists() and not may_write
    try:
        with closing(connect_database(path, "ro", "&immutable=1" if alone else "")) as base:
            for kept, _ in _read_games(base, path.name):
                yield kept
            _check_integrity(base)
    except UnicodeDecodeError as error:  # in SQLite's own words, where they quote what they cannot read
        raise DamagedJournal(str(error)) from error
    if all(has_unread_commit(path) for _ in range(2)):  # once may be somebody who was just writing
        raise DamagedJournal("the end of its log cannot be read, and what was played last may be missing")


def _check_integrity(base: sqlite3.Connection) -> None:
    """Look at what the seals do not cover: the pages, the tables, and which game an entry belongs to."""
    found = [str(row[0]) for row in base.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        raise DamagedJournal("; ".join(line.replace("\n", " ") for line in found))
    if [row[0] for row in base.execute("SELECT sql FROM sqlite_schema")] != list(_TABLE_STATEMENTS):
        raise DamagedJournal("its tables are described in another way")
    if base.execute("SELECT 1 FROM entry WHERE game NOT IN (SELECT id FROM game)").fetchone():
        raise DamagedJournal("there are entries in it that belong to no game")


def _is_content_error(error: sqlite3.Error) -> bool:
    """Whether something is wrong with what is in a file; else the file could not be had."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code in _CONTENT_ERRORS or code & 0xFF in _CONTENT_ERRORS


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
