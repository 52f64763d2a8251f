"""Writer of the current game. It uses a thread, so that a slow disk does not make the lamps stutter.

If writing fails, the game continues in memory, the players are informed, and writing is retried. After a failed sync,
the file is never trusted again: the whole game is written to a new file.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

from pond_hw.journal import folder as journal_folder
from pond_hw.journal import stored_game as games
from pond_hw.journal.database_file import DamagedJournal
from pond_hw.journal.folder import JournalLocked
from pond_hw.journal.store import JournalStore
from pond_hw.journal.stored_game import GameFacts, GameUpdate, JournalEntry, StoredGame, Timestamp, TimestampedEntry
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Position, Variant
from pond_hw.session import (
    ChangeAsked,
    GameDeclined,
    GameLeft,
    GameResumed,
    GameStarted,
    SavingChanged,
    Session,
    ShowNotice,
    is_set_up,
)

RETRY_SECONDS = 1.0
"""Seconds between a failed write and the next attempt."""

REMEMBERED_GAMES = 8
"""Number of earlier games kept in memory in case the players return to them."""


class WriteProgress(NamedTuple):
    """Progress of the journal. All steps up to `ticket` are done.

    `trouble` is the reason why they are not on disk, or None if they are.
    """

    ticket: int
    trouble: Message | None


def seconds_since_boot() -> float:
    """Return the seconds since the machine booted, including sleep."""
    try:
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    except (AttributeError, OSError):  # macOS and Windows lack the name, a browser the clock
        return time.monotonic()


class StampSource:
    """Source of timestamps and random ids."""

    def __init__(self) -> None:
        try:
            self._boot_id = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        except OSError:
            self._boot_id = ""

    def stamp_now(self) -> Timestamp:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return Timestamp(self._boot_id, round(seconds_since_boot(), 3), now)

    def new_uid(self) -> str:
        return os.urandom(16).hex()


class _WriteItem(NamedTuple):
    """New entries of a game to write. The whole game is included because another file may need it."""

    ticket: int
    game: GameUpdate
    entries: tuple[TimestampedEntry, ...]


class Journal:
    """Journal folder that is written during play.

    Args:
        common_facts: facts of every new game, including `size`; see `StoredGame.facts`.
        stamp_source: source of timestamps and ids; None for the machine's clocks and random numbers.
        threaded: True to write in a thread; otherwise `record_step` returns after writing.

    Attributes:
        unfinished_game: game that was unfinished when the last program ended, if this board can continue it.
        file_notices: messages about damaged files.
        trouble: reason why nothing is saved at the moment, or None.
    """

    def __init__(
        self, folder: Path, common_facts: GameFacts, stamp_source: StampSource | None = None, *, threaded: bool = True
    ) -> None:
        self._folder, self._common_facts, self._is_threaded = folder, common_facts, threaded
        self._stamp_source = stamp_source or StampSource()
        self._listener: Callable[[WriteProgress], None] = lambda _: None
        self._lock_handle: int | None = None
        self._open_file: JournalStore | None = None
        self._current_game: GameUpdate | None = None
        self._games_in_memory: dict[str, GameUpdate] = {}
        self._unwritten_games: dict[str, GameUpdate] = {}
        self._item_inbox: SimpleQueue[_WriteItem | None] = SimpleQueue()
        self._writing_thread: threading.Thread | None = None
        self._last_ticket = self._done_ticket = 0
        self._file_is_suspect = False
        self.file_notices: tuple[Message, ...] = ()
        self.trouble: Message | None = None
        self.unfinished_game: StoredGame | None = None

    @property
    def is_empty(self) -> bool:
        return self._open_file is not None and self._open_file.is_empty

    def open(self) -> None:
        """Open the journal. A failure sets `trouble` instead of raising, and is retried."""
        self.trouble = self._write_pending()
        self.unfinished_game = self._find_unfinished()
        if self._is_threaded:
            self._writing_thread = threading.Thread(target=self._write_until_closed, name="journal", daemon=True)
            self._writing_thread.start()

    def set_listener(self, listener: Callable[[WriteProgress], None]) -> None:
        """Set a function that the writing thread calls after progress, and when `trouble` changes."""
        self._listener = listener

    def update_facts(self, **facts: object) -> None:
        """Set the facts of later games, and of the current game if it has not been written yet."""
        self._common_facts = {**self._common_facts, **facts}

    def add_resume_prompt(self, session: Session, now: float) -> Session:
        """Add a resume prompt for the unfinished game, and messages about the files, to a session."""
        if self.unfinished_game:
            game = self.unfinished_game.projection
            course = game.variant, game.custom_start, game.turns, game.undone_turns
            session = session.with_resume_prompt(*course, game.hints_given, game.hinted_position)
        if self.file_notices:
            session = session.after(ShowNotice((*self.file_notices, *session.messages), now))
        return session.after(SavingChanged(self.trouble, now))

    def record_step(self, session: Session) -> int | None:
        """Record the game events of a session's last step.

        Return the ticket that `WriteProgress` reports when the step is durable; None if there is nothing to write.
        """
        kinds = {type(event) for event in session.game_events} - {ChangeAsked}
        if not kinds:
            return None
        begins = GameStarted in kinds
        # Format everything first: if that fails, no state has changed.
        happened = games.format_events(session.game_events)
        entries = happened
        if begins or not self._current_game:
            whole_game = session.turns, session.undone_turns, session.declared_outcome, session.hints_given
            entries = games.list_entries(*whole_game)
        offered = self.unfinished_game
        if kinds & {GameResumed, GameDeclined}:
            self.unfinished_game = None
        if GameResumed in kinds:
            return self.resume_game(offered) if offered else None
        ticket = None
        if GameDeclined in kinds and offered:
            ticket = self.leave_stored_game(offered)
        if begins and self._current_game:
            ends = [*happened, *([JournalEntry("leave")] if GameLeft in kinds else [])]
            ticket = self._submit_entries(self._current_game, *ends) if ends else ticket
            self._current_game = None
        if begins and not entries and not is_set_up(session.custom_start):
            return ticket  # the players may still change until the first action
        self._current_game = self._current_game or self._begin_game(session.variant, session.custom_start)
        return self._submit_entries(self._current_game, *entries)

    def resume_game(self, stored_game: StoredGame) -> int:
        self._current_game = stored_game.as_update()
        return self._submit_entries(self._current_game, JournalEntry("resume"))

    def leave_current_game(self, session: Session) -> None:
        """Mark the current game as left if it is unfinished, because the players are moving to another table."""
        if session.resume_prompt and self.unfinished_game:
            self.leave_stored_game(self.unfinished_game)
        elif self._current_game and session.can_continue:
            self._submit_entries(self._current_game, JournalEntry("leave"))
        self._current_game = self.unfinished_game = None

    def leave_stored_game(self, stored_game: StoredGame) -> int:
        return self._submit_entries(stored_game.as_update(), JournalEntry("leave"))

    def write_remark(self, remark: str) -> None:
        if self._current_game:
            self._submit_entries(self._current_game, JournalEntry("note", remark.encode(errors="replace").decode()))

    def retry_writing(self) -> None:
        """Retry writing after a failure. With a writing thread, this happens by itself."""
        if self.trouble and not self._writing_thread:
            self._write_items([])

    def close(self, timeout_seconds: float = 5.0) -> None:
        """Write what is pending, which may take at most `timeout_seconds`, and close the files."""
        if self._writing_thread:
            self._item_inbox.put(None)
            self._writing_thread.join(timeout_seconds)
            if self._writing_thread.is_alive():
                return  # the disk hangs: the process ends without closing the files
        else:
            self.retry_writing()
        if self._open_file:
            self._open_file.close()
        if self._lock_handle is not None:
            with suppress(OSError):
                os.close(self._lock_handle)
        self._open_file = self._lock_handle = None

    def _begin_game(self, variant: Variant, custom_start: Position | None) -> GameUpdate:
        start = custom_start.notation_line if custom_start else None
        facts = {**self._common_facts, "variant": variant.name, "start": start}
        return GameUpdate(self._stamp_source.new_uid(), facts, [])

    def _submit_entries(self, game: GameUpdate, *entries: JournalEntry) -> int:
        self._last_ticket += 1
        timestamp = self._stamp_source.stamp_now()
        item = _WriteItem(self._last_ticket, game, tuple(TimestampedEntry(entry, timestamp) for entry in entries))
        if self._writing_thread:
            self._item_inbox.put(item)
        else:
            self._write_items([item])
        return self._last_ticket

    # The methods below run in the writing thread.

    def _write_until_closed(self) -> None:
        """Write queued items, several at once if possible, until None arrives."""
        ends = False
        while not ends:
            items: list[_WriteItem | None] = []
            with suppress(Empty):
                items.append(self._item_inbox.get(timeout=RETRY_SECONDS if self.trouble else None))
                while True:
                    items.append(self._item_inbox.get_nowait())
            ends = None in items
            self._write_items([item for item in items if item])

    def _write_items(self, items: list[_WriteItem]) -> None:
        """Write these items, and any that could not be written earlier."""
        for _, item_game, new_entries in items:
            game = self._games_in_memory.setdefault(item_game.uid, item_game)  # the game may have been current before
            game.entries.extend(new_entries)
            self._unwritten_games[game.uid] = game
        before, self.trouble = self.trouble, self._write_pending()
        self._done_ticket = items[-1].ticket if items else self._done_ticket
        if items or self.trouble != before:
            self._listener(WriteProgress(self._done_ticket, self.trouble))

    def _write_pending(self) -> Message | None:
        """Write everything that is pending. Return the reason if that fails."""
        try:
            store = self._open_file or self._open_store()
            if self._unwritten_games:
                store.append_games(list(self._unwritten_games.values()))
        except JournalLocked as taken:
            return Message("saving.failed", reason=taken.message)
        except (sqlite3.Error, OSError, DamagedJournal) as error:
            if self._open_file and _makes_file_suspect(error):
                self._open_file.abandon_file()
                self._open_file, self._file_is_suspect = None, True
                return self._write_pending()
            return describe_write_error(error)
        except Exception as error:  # noqa: BLE001 - a mistake of ours ends neither game nor thread
            return Message("saving.bug", error=type(error).__name__)
        self._unwritten_games = {}
        current_uid = self._current_game.uid if self._current_game else None
        for uid in [uid for uid in self._games_in_memory if uid != current_uid][:-REMEMBERED_GAMES]:
            del self._games_in_memory[uid]
        return None

    def _open_store(self) -> JournalStore:
        """Open a file for writing. After a failed write, create a new one with all games in memory."""
        if self._lock_handle is not None and not journal_folder.is_own_lock(self._folder, self._lock_handle):
            os.close(self._lock_handle)
            self._lock_handle = None
        if self._lock_handle is None:
            self._lock_handle = journal_folder.acquire_lock(self._folder)
        if self._file_is_suspect:
            store = journal_folder.begin_file(self._folder, list(self._games_in_memory.values()))
            self._file_is_suspect, self._unwritten_games = False, {}
        else:
            store, self.file_notices = journal_folder.open_newest(
                self._folder, lambda game: game.projection.can_continue
            )
        self._open_file = store
        return store

    def _find_unfinished(self) -> StoredGame | None:
        size = self._common_facts["size"]
        assert isinstance(size, int)
        holds_lock = self._lock_handle is not None
        stored_games, notices = journal_folder.read_earlier_games(self._folder, self._open_file, holds_lock=holds_lock)
        self.file_notices = (*self.file_notices, *notices)
        unfinished_games = (game for game in reversed(stored_games) if game.projection.can_continue)
        return next((game for game in unfinished_games if game.projection.variant.size <= size), None)


def _makes_file_suspect(error: sqlite3.Error | OSError | DamagedJournal) -> bool:
    """Return True if an error leaves the content of the file uncertain."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    may_be_tried_again = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return code not in may_be_tried_again


def describe_write_error(error: sqlite3.Error | OSError | DamagedJournal) -> Message:
    """Return a message that says why nothing is saved and what to do."""
    full_code = getattr(error, "sqlite_errorcode", 0)
    code, number = full_code & 0xFF, getattr(error, "errno", None)
    is_full = code == sqlite3.SQLITE_FULL or full_code == sqlite3.SQLITE_IOERR_SHMSIZE
    if is_full or number in (errno.ENOSPC, errno.EDQUOT):
        return Message("saving.disk_full")
    if code == sqlite3.SQLITE_READONLY or number == errno.EROFS:
        return Message("saving.read_only")
    if number in (errno.EACCES, errno.EPERM):
        path = getattr(error, "filename", None)
        return Message("saving.file_locked", file=str(path)) if path else Message("saving.folder_locked")
    if code == sqlite3.SQLITE_BUSY:
        return Message("saving.busy")
    if isinstance(error, DamagedJournal):
        return Message("saving.failed", reason=error.message)
    return Message("saving.refused", reason=describe_system_error(error))
