"""One file of the journal: an append-only SQLite database that is checked each time it is opened.

    game    one row per game: players, board, variant, start position
    entry   the events of a game in order; each seal covers all entries before it

SQLite checks its pages. The seals detect bit flips inside a row, which SQLite does not check. A flipped bit in the
write-ahead log makes SQLite drop the rest silently, so `database_file` checks the log. `synchronous` EXTRA and commits
padded to whole sectors (`psow=0`) are set explicitly, so that no write touches a sector with an earlier turn.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pond_hw.durable_files import sync_to_disk
from pond_hw.journal import database_file
from pond_hw.journal import stored_game as games
from pond_hw.journal.database_file import (
    DamagedJournal,
    check_header,
    checkpoint_log,
    connect_database,
    describe_file_error,
    log_path,
)
from pond_hw.journal.salvage import salvage_games
from pond_hw.journal.stored_game import (
    GameUpdate,
    JournalEntry,
    StoredGame,
    Timestamp,
    TimestampedEntry,
    compute_seal,
)
from pond_hw.messages.message import Message

MAX_LOG_PAGES = 256
"""Length of the log, in pages of 4096 bytes, at which SQLite moves its contents into the database."""

_CONTENT_ERRORS = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR_READ,
          sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)  # fmt: skip
"""SQLite error codes for a file with damaged content."""


class _GameEnd(NamedTuple):
    """State of a game in a file: its row id, the number of entries, and the last seal."""

    row_id: int
    entry_count: int
    last_seal: bytes


class JournalStore:
    """An open journal file, for use by a single thread.

    Args:
        path: the file; see `create_file`.
        is_wanted: selects the `stored_games`, because thousands of finished games would fill a small machine's memory.

    Raises:
        ForeignFile: if it is not a journal; it is left unchanged.
        DamagedJournal: if the journal is damaged.
        sqlite3.Error, OSError: if it cannot be opened.
    """

    def __init__(self, path: Path, is_wanted: Callable[[StoredGame], bool] = lambda _: True) -> None:
        self.path = path
        self._game_ends: dict[str, _GameEnd] = {}
        found_games: list[StoredGame] = []
        check_header(path)
        if database_file.has_unread_commit(path):
            raise DamagedJournal(Message("damage.unreadable_log"))
        self._log_settled = not log_path(path).exists()  # an existing log was left behind by a crash
        self._read_connection = connect_database(path, "ro")
        self._write_connection = connect_database(path, "rw")
        try:
            self._write_connection.execute("PRAGMA synchronous = EXTRA")
            self._write_connection.execute(f"PRAGMA wal_autocheckpoint = {MAX_LOG_PAGES}")
            self._read_connection.execute("PRAGMA schema_version")  # opens the file, because SQLite connects lazily
            _check_integrity(self._write_connection)
            for stored_game, end in _read_games(self._write_connection, path.name):
                self._game_ends[stored_game.uid] = end
                if stored_game.fault or is_wanted(stored_game):
                    found_games.append(stored_game)
            self._known_file_ids = self._current_file_ids()
            sync_to_disk(path.parent)  # syncs the log's name: SQLite does not report when that fails
        except BaseException as error:
            self.abandon_file()
            if isinstance(error, UnicodeDecodeError) or (isinstance(error, sqlite3.Error) and _is_content_error(error)):
                raise DamagedJournal(describe_file_error(error)) from error
            raise
        self.stored_games = tuple(found_games)
        if damaged_games := [stored_game for stored_game in self.stored_games if stored_game.fault]:
            self.abandon_file()
            raise DamagedJournal(_describe_damaged_game(damaged_games[0]))

    @property
    def is_empty(self) -> bool:
        return not self._game_ends

    def append_games(self, game_updates: Sequence[GameUpdate]) -> None:
        """Write the new entries of these games in one durable transaction."""
        if self._is_replaced():
            raise sqlite3.OperationalError("the file is no longer there")
        if not self._log_settled:
            checkpoint_log(self._write_connection)
            self._log_settled = True
        self._write_connection.execute("BEGIN IMMEDIATE")
        try:
            ends = _insert_games(self._write_connection, self._game_ends, game_updates)
            self._write_connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._write_connection.execute("ROLLBACK")
            raise
        self._game_ends = ends

    def _current_file_ids(self) -> list[tuple[int, int]]:
        file_states = [each.stat() for each in (self.path, log_path(self.path))]
        return [(each.st_dev, each.st_ino) for each in file_states]

    def _is_replaced(self) -> bool:
        """Return True if the file was deleted or replaced. Writes would then succeed, but their data would be lost."""
        try:
            return self._current_file_ids() != self._known_file_ids
        except OSError:
            return True

    def close(self) -> None:
        """Close the file. Written entries are safe even if this fails."""
        _close_connections(self._read_connection, self._write_connection)

    def abandon_file(self) -> None:
        """Close a file that cannot be trusted, without changing it.

        When the last connection is closed, SQLite moves the log into the database and deletes it. A read-only connection does not.
        """
        _close_connections(self._write_connection, self._read_connection)


def _describe_damaged_game(stored_game: StoredGame) -> Message:
    assert stored_game.fault
    entry_number = len(stored_game.entries) + 1
    return Message("damage.entry", game=stored_game.number, entry=entry_number, reason=stored_game.fault)


def _close_connections(*connections: sqlite3.Connection) -> None:
    for connection in connections:
        with suppress(sqlite3.Error):
            connection.close()


def create_file(path: Path, game_updates: Sequence[GameUpdate] = ()) -> None:
    """Create a journal file with these games. It gets its final name only when it is complete."""
    new = path.with_name(path.name + ".new")
    database_file.discard_file(new)
    new.touch(0o600)
    with closing(connect_database(new, "rw")) as base:
        base.execute("PRAGMA synchronous = EXTRA")
        base.execute("BEGIN")
        base.execute(f"PRAGMA application_id = {database_file.APPLICATION_ID}")
        base.execute(f"PRAGMA user_version = {database_file.FORMAT_VERSION}")
        for statement in database_file.TABLE_STATEMENTS:
            base.execute(statement)
        _insert_games(base, {}, game_updates)
        base.execute("COMMIT")
        if base.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
            raise sqlite3.OperationalError("no write-ahead log can be kept there")
    sync_to_disk(new)
    new.rename(path)
    try:
        sync_to_disk(path.parent)
    except OSError:
        path.unlink()  # or each retry would leave another file
        raise


def _insert_games(
    base: sqlite3.Connection, ends: Mapping[str, _GameEnd], game_updates: Sequence[GameUpdate]
) -> dict[str, _GameEnd]:
    """Insert the new rows of these games. Return the state of all games in the file."""
    ends, query = dict(ends), "SELECT 1 FROM game WHERE id = ? AND uid = ?"
    for uid, facts, game_entries in game_updates:
        # A game deleted by another process needs a new row: its row id may have been reused.
        if uid not in ends or not base.execute(query, (ends[uid].row_id, uid)).fetchone():
            facts_text = json.dumps(facts, sort_keys=True)
            seal = compute_seal(b"", [uid, facts_text])
            row = base.execute("INSERT INTO game (uid, facts, seal) VALUES (?, ?, ?)", (uid, facts_text, seal))
            ends[uid] = _GameEnd(int(row.lastrowid or 0), 0, seal)
        row_id, entry_count, seal = ends[uid]
        for entry_number, (entry, label) in enumerate(game_entries[entry_count:], entry_count + 1):
            sealed_values = (entry_number, *entry, *label)
            seal = compute_seal(seal, sealed_values)
            base.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (row_id, *sealed_values, seal))
            ends[uid] = _GameEnd(row_id, entry_number, seal)
    return ends


def delete_games(path: Path, game_ids: Sequence[str]) -> None:
    """Delete games from a file and erase their content from the disk."""
    check_header(path)
    with closing(connect_database(path, "rw")) as base:
        base.execute("PRAGMA synchronous = EXTRA")
        base.execute("PRAGMA secure_delete = ON")
        checkpoint_log(base)
        base.execute("BEGIN IMMEDIATE")
        for uid in game_ids:
            base.execute("DELETE FROM entry WHERE game IN (SELECT id FROM game WHERE uid = ?)", (uid,))
            base.execute("DELETE FROM game WHERE uid = ?", (uid,))
        base.execute("COMMIT")
        with suppress(sqlite3.Error):  # the games are deleted, but the log still holds the old pages
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def read_stored_games(path: Path) -> Iterator[StoredGame]:
    """Yield all readable games of a file, even if it is damaged or being written by another program.

    A game in a damaged file may be yielded twice: as read by SQLite, and then a longer version salvaged from its rows.

    Never use this on a file that the same process has open as a `JournalStore`. Closing any descriptor of a file drops
    all of the process's locks on it, including SQLite's. Another process could then delete the log while it is in use.

    Raises:
        ForeignFile: if it is not a journal.
        DamagedJournal, sqlite3.Error, OSError: after the last readable game.
    """
    read_counts, is_damaged = dict[str, int](), False
    failure: DamagedJournal | sqlite3.Error | None = None
    try:
        for stored_game in _read_by_sqlite(path):
            read_counts[stored_game.uid] = _count_readable(stored_game)
            is_damaged = is_damaged or stored_game.fault is not None
            yield stored_game
    except (DamagedJournal, sqlite3.Error) as error:
        failure = error
        is_damaged = isinstance(error, DamagedJournal) or _is_content_error(error)
    if is_damaged:
        for salvaged in salvage_games(path):
            if salvaged.uid not in read_counts or _count_readable(salvaged) > read_counts[salvaged.uid]:
                yield salvaged
    if failure:
        raise failure


def _count_readable(stored_game: StoredGame) -> int:
    """Return the number of readable entries; -1 if the game is unreadable."""
    return len(stored_game.entries) if stored_game.is_readable else -1


def _read_by_sqlite(path: Path) -> Iterator[StoredGame]:
    wal_path, index_path = log_path(path), path.with_name(path.name + "-shm")
    may_write = os.access(path.parent, os.W_OK)
    if wal_path.exists() and not index_path.exists() and not may_write:  # SQLite needs an index file to read a log
        import shutil
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as copy_folder:
            for each in (wal_path, path):
                shutil.copyfile(each, Path(copy_folder) / each.name)
            yield from _read_by_sqlite(Path(copy_folder) / path.name)
        return
    try:
        check_header(path)
    except DamagedJournal:
        if not wal_path.is_file() or not path.stat().st_size:  # SQLite deletes the log of an empty file
            raise
    is_alone = not wal_path.exists() and not may_write
    try:
        with closing(connect_database(path, "ro", "&immutable=1" if is_alone else "")) as base:
            for stored_game, _ in _read_games(base, path.name):
                yield stored_game
            _check_integrity(base)
    except UnicodeDecodeError as error:  # SQLite quotes undecodable content in an error message
        raise DamagedJournal(describe_file_error(error)) from error
    if all(database_file.has_unread_commit(path) for _ in range(2)):  # a write in progress looks like damage
        raise DamagedJournal(Message("damage.unreadable_log"))


def _check_integrity(base: sqlite3.Connection) -> None:
    """Check what the seals do not cover: pages, tables, and which game each entry belongs to."""
    found_faults = [str(row[0]) for row in base.execute("PRAGMA integrity_check(3)")]
    if found_faults != ["ok"]:
        raise DamagedJournal(Message("damage.system", text="; ".join(line.replace("\n", " ") for line in found_faults)))
    if [row[0] for row in base.execute("SELECT sql FROM sqlite_schema")] != list(database_file.TABLE_STATEMENTS):
        raise DamagedJournal(Message("damage.other_tables"))
    if base.execute("SELECT 1 FROM entry WHERE game NOT IN (SELECT id FROM game)").fetchone():
        raise DamagedJournal(Message("damage.stray_entries"))


def _is_content_error(error: sqlite3.Error) -> bool:
    """Return True if the content of the file is damaged; False if the file could not be accessed."""
    error_code = getattr(error, "sqlite_errorcode", None)
    return error_code is None or error_code in _CONTENT_ERRORS or error_code & 0xFF in _CONTENT_ERRORS


def _read_games(base: sqlite3.Connection, file_name: str) -> Iterator[tuple[StoredGame, _GameEnd]]:
    """Yield the games of a file, each up to the first broken seal or illegal entry."""
    if base.execute("SELECT 1 FROM sqlite_schema WHERE type <> 'table'").fetchone():
        raise DamagedJournal(Message("damage.not_only_tables"))
    for row_id, uid, facts_text, seal in base.execute("SELECT id, uid, facts, seal FROM game ORDER BY id"):
        if not isinstance(uid, str) or not isinstance(facts_text, str) or seal != compute_seal(b"", [uid, facts_text]):
            broken = games.unreadable_game(str(uid), row_id, file_name, Message("fault.broken_seal"))
            yield broken, _GameEnd(row_id, 0, b"")
            continue
        game_entries, last_seal, fault = _read_entries(base, row_id, seal)
        try:
            stored_game = games.replay_game(uid, json.loads(facts_text), game_entries, number=row_id, file=file_name)
        except (games.ImpossibleEntry, ValueError, RecursionError) as error:
            yield games.unreadable_game(uid, row_id, file_name, describe_file_error(error)), _GameEnd(row_id, 0, b"")
            continue
        if fault and not stored_game.fault:
            stored_game = replace(stored_game, fault=fault)
        yield stored_game, _GameEnd(row_id, len(game_entries), last_seal)


def _read_entries(
    base: sqlite3.Connection, row_id: int, seal: bytes
) -> tuple[list[TimestampedEntry], bytes, Message | None]:
    """Return the intact entries of a game, the seal of the last one, and the fault of the next one, if any."""
    game_entries: list[TimestampedEntry] = []
    entry_query = "SELECT n, kind, value, boot, since, wall, seal FROM entry WHERE game = ? ORDER BY n"
    try:
        for entry_number, kind, value, boot_id, since_boot, wall, sealed in base.execute(entry_query, (row_id,)):
            texts = all(isinstance(facts_text, str) for facts_text in (kind, value, boot_id, wall))
            if entry_number != len(game_entries) + 1 or not texts or not isinstance(since_boot, float):
                return game_entries, seal, Message("fault.out_of_order")
            if sealed != (next_seal := compute_seal(seal, (entry_number, kind, value, boot_id, since_boot, wall))):
                return game_entries, seal, Message("fault.broken_seal")
            seal = next_seal
            game_entries.append(TimestampedEntry(JournalEntry(kind, value), Timestamp(boot_id, since_boot, wall)))
    except sqlite3.DatabaseError as error:
        return game_entries, seal, describe_file_error(error)
    return game_entries, seal, None
