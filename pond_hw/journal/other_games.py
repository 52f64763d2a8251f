"""Journal of games other than the board game, in the same file format.

Each event of such a game is an entry of plain text. The journal does not know the rules; the caller replays the entries.
The files have their own folder, which keeps these games out of lists of board games.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pond_hw.journal import folder as journal_folder
from pond_hw.journal.database_file import DamagedJournal
from pond_hw.journal.store import JournalStore
from pond_hw.journal.stored_game import GameUpdate, JournalEntry, StoredGame, TimestampedEntry
from pond_hw.journal.writer import StampSource, describe_write_error
from pond_hw.messages.message import Message

CARDS_FOLDER = "cards"
"""Folder of card games, inside the folder of board games."""

ENTRY_KIND, UNDO_KIND = "other", "other_back"
"""Kinds of entries: an event, and the undoing of the last event."""


class OtherGame(NamedTuple):
    """A saved game: its facts, and the events that were not undone. `begun` is the start by the wall clock, in UTC."""

    uid: str
    facts: Mapping[str, object]
    entries: tuple[str, ...]
    begun: str


class OtherGameJournal:
    """Journal for another game, written synchronously. If `folder` is None, nothing is saved.

    Attributes:
        trouble: reason why nothing is saved at the moment, or None. The game continues in memory.
        file_notices: messages about damaged files.
    """

    def __init__(self, folder: Path | None, stamp_source: StampSource | None = None) -> None:
        self._folder, self._stamp_source = folder, stamp_source or StampSource()
        self._store: JournalStore | None = None
        self._lock: int | None = None
        self._game: GameUpdate | None = None
        self.trouble: Message | None = None
        self.file_notices: tuple[Message, ...] = ()
        self._stored: tuple[StoredGame, ...] = ()
        if folder is not None:
            self._write([])
            holds_lock = self._lock is not None
            self._stored, notices = journal_folder.read_earlier_games(folder, self._store, holds_lock=holds_lock)
            self.file_notices = (*self.file_notices, *notices)

    @property
    def is_saved(self) -> bool:
        return self._folder is not None and self.trouble is None

    @property
    def games(self) -> tuple[OtherGame, ...]:
        """Earlier games, oldest first."""
        return tuple(map(project_game, self._stored))

    def begin_game(self, facts: Mapping[str, object]) -> None:
        """Start a new game. It is written with its first entry."""
        board_facts = {"variant": "standard", "start": None, "size": 4}  # required by the file format
        self._game = GameUpdate(self._stamp_source.new_uid(), {**board_facts, **facts}, [])

    def resume_game(self, uid: str) -> None:
        """Continue a saved game."""
        self._game = next(stored.as_update() for stored in self._stored if stored.uid == uid)

    def add_entry(self, entry: str) -> None:
        self._append(JournalEntry(ENTRY_KIND, entry))

    def take_back(self) -> None:
        self._append(JournalEntry(UNDO_KIND))

    def _append(self, entry: JournalEntry) -> None:
        if self._game is None or self._folder is None:
            return
        self._game.entries.append(TimestampedEntry(entry, self._stamp_source.stamp_now()))
        self._write([self._game])

    def _write(self, updates: list[GameUpdate]) -> None:
        """Write new entries. If writing fails, they are written together with the next entries."""
        assert self._folder is not None
        try:
            if self._lock is None:
                self._lock = journal_folder.acquire_lock(self._folder)
            if self._store is None:
                self._store, self.file_notices = journal_folder.open_newest(self._folder)
            self._store.append_games(updates)
        except journal_folder.JournalLocked as taken:
            self.trouble = Message("saving.failed", reason=taken.message)
        except (sqlite3.Error, OSError, DamagedJournal) as error:
            self.trouble = describe_write_error(error)
        else:
            self.trouble = None

    def close(self) -> None:
        if self._store:
            self._store.close()
        if self._lock is not None:
            with suppress(OSError):
                os.close(self._lock)
        self._store = self._lock = None


def project_game(stored: StoredGame) -> OtherGame:
    entries: list[str] = []
    for entry, _ in stored.entries:
        if entry.kind == ENTRY_KIND:
            entries.append(entry.value)
        elif entry.kind == UNDO_KIND and entries:
            entries.pop()
    begun = stored.entries[0].timestamp.wall_time if stored.entries else ""
    return OtherGame(stored.uid, stored.facts, tuple(entries), begun)


def read_other_games(folder: Path) -> tuple[list[OtherGame], list[Message]]:
    """Read all games in a folder, oldest first, and messages about what could not be read."""
    stored_games, notices = journal_folder.read_all_games(folder)
    return list(map(project_game, stored_games)), notices
