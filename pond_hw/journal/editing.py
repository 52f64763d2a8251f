"""Manual edits to a journal: import games, delete games, or choose the game to resume next.

A service may be writing the journal at the same time. Importing games or deleting finished ones does not disturb it.
But the game to resume cannot be changed then, because the service has already read it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from pond_hw.journal.database_file import DamagedJournal, ForeignFile, describe_file_error
from pond_hw.journal.folder import JournalLocked, acquire_lock, is_locked, list_files, open_newest
from pond_hw.journal.game_records import count_imported_entries, facts_and_entries
from pond_hw.journal.store import JournalStore, delete_games
from pond_hw.journal.stored_game import GameUpdate, JournalEntry, StoredGame, TimestampedEntry
from pond_hw.journal.writer import StampSource
from pond_hw.messages.message import Message
from pond_hw.rules import Record

READ_ATTEMPTS = 5
"""Number of attempts to read a file that another program is writing before it is reported as damaged."""


def import_records(
    journal_folder: Path, records: Sequence[Record], stamp_source: StampSource | None = None
) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """Import records as games. Return their `uid`s, and messages about the files. If one record fails, none is imported.

    An unfinished game is marked as left, so that Pond does not offer to resume it.

    Raises:
        RecordError: if a record contains no game.
        JournalLocked: if another program is creating the journal at this moment.
        DamagedJournal, ForeignFile, sqlite3.Error, OSError: if the journal cannot be written.
    """
    stamp_source = stamp_source or StampSource()
    parts = []
    for record in records:
        facts, record_entries = facts_and_entries(record)
        label = stamp_source.stamp_now()
        parts.append(
            GameUpdate(stamp_source.new_uid(), facts, [TimestampedEntry(entry, label) for entry in record_entries])
        )
    with _open_for_writing(journal_folder, may_share=True) as (store, file_notices):
        store.append_games(parts)
    return tuple(part.uid for part in parts), file_notices


def mark_for_resume(
    journal_folder: Path, stored_game: StoredGame, stamp_source: StampSource | None = None
) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """Choose the stored game that the board offers to resume at its next start.

    Raises JournalLocked if the journal is in use.

    Returns:
        The `uid`s of later unfinished games, which are marked as left, and messages about the files.
    """
    label = (stamp_source or StampSource()).stamp_now()
    resume_entry, leave_entry = (TimestampedEntry(JournalEntry(kind), label) for kind in ("resume", "leave"))
    with _open_for_writing(journal_folder, may_share=False) as (store, file_notices):
        game_ids = [other_game.uid for other_game in store.stored_games]
        place = game_ids.index(stored_game.uid) if stored_game.uid in game_ids else len(game_ids)
        entries_here = store.stored_games[place].entries if place < len(game_ids) else ()
        goes_further = stored_game.entries[: len(entries_here)] == entries_here
        entries = stored_game.entries if goes_further else entries_here
        later_games = [
            other_game for other_game in store.stored_games[place + 1 :] if other_game.projection.can_continue
        ]
        resumed = GameUpdate(stored_game.uid, stored_game.facts, [*entries, resume_entry])
        store.append_games([resumed, *(other_game.as_update(leave_entry) for other_game in later_games)])
    return tuple(other_game.uid for other_game in later_games), file_notices


def may_be_in_progress(journal_folder: Path, stored_games: Sequence[StoredGame], uid: str) -> bool:
    """Return True if a game may be in progress: the journal is in use, and the game is unfinished or the newest."""
    if not is_locked(journal_folder):
        return False
    last = [game.uid for game in stored_games if not count_imported_entries(game)][-1:]
    return uid in last or any(game.uid == uid and game.projection.can_continue for game in stored_games)


def delete_from_journal(journal_folder: Path, game_ids: Collection[str]) -> list[tuple[str, Message]]:
    """Delete games from every file of a journal. Return the files that may still contain some of them, with the reasons."""
    failed_files = []
    with _try_lock(journal_folder):
        for path in list_files(journal_folder):
            try:
                delete_games(path, tuple(game_ids))
            except ForeignFile:
                continue
            except (DamagedJournal, sqlite3.Error, OSError) as error:
                failed_files.append((path.name, describe_file_error(error)))
    return failed_files


@contextmanager
def _try_lock(journal_folder: Path) -> Iterator[bool]:
    """Acquire the journal's lock if it is free. Yield True if it was."""
    try:
        lock_descriptor = acquire_lock(journal_folder)
    except JournalLocked:
        yield False
        return
    try:
        yield True
    finally:
        os.close(lock_descriptor)


def _open_shared(path: Path) -> JournalStore:
    """Open a file that another program is writing. A write in progress looks like damage, so make several attempts."""
    for _ in range(READ_ATTEMPTS - 1):
        with suppress(DamagedJournal):
            return JournalStore(path)
    return JournalStore(path)


@contextmanager
def _open_for_writing(journal_folder: Path, *, may_share: bool) -> Iterator[tuple[JournalStore, tuple[Message, ...]]]:
    """Open the newest file, and yield it with messages about damaged files. `may_share` permits other writers."""
    with _try_lock(journal_folder) as is_alone:
        if is_alone:
            store, file_notices = open_newest(journal_folder)
        elif not may_share:
            raise JournalLocked(Message("journal.in_use", folder=str(journal_folder)))
        else:
            last = list_files(journal_folder)[-1:]
            if not last or last[0].suffix == ".bad":
                raise JournalLocked(Message("journal.just_begun", folder=str(journal_folder)))
            store, file_notices = _open_shared(last[0]), ()
        with closing(store):
            yield store, file_notices
