"""Folder of a journal: its location, its files, and recovery from damaged files.

    journal-1.db   journal-2.db …     only the one with the highest number is written; all are read
    journal-1.bad                     damaged: set aside, and read as far as possible
    lock                              held by the writing process

A new file is created if there is none, if the newest is damaged or foreign, or if a write has failed, which leaves its
contents uncertain. If several files contain the same game, the longest version counts.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pond_hw.durable_files import is_still_at, open_nonblocking, sync_to_disk, try_lock
from pond_hw.journal.database_file import DamagedJournal, ForeignFile, describe_file_error, discard_file
from pond_hw.journal.store import JournalStore, create_file, read_stored_games
from pond_hw.journal.stored_game import GameUpdate, StoredGame
from pond_hw.messages.message import Message, PondError

SERVICE_FOLDER = Path("/var/lib/pond")
"""State folder of the installed service."""

OFF_SETTING = "off"
"""Value of $POND_JOURNAL that turns saving off."""

_FILE_NAME = re.compile(r"journal-([1-9][0-9]{0,5})\.(db|bad)", re.ASCII)
_USED_NUMBER = re.compile(r"journal-([1-9][0-9]{0,5})\.(?!db\.new)", re.ASCII)
"""Pattern of the names that use up a number. A leftover log counts too, because SQLite would apply it to a new file."""


class JournalLocked(PondError):
    """Error for a journal that another process is writing."""


def default_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the default folder for games; None if saving is off."""
    named_folder = environment.get("POND_JOURNAL")
    if named_folder:
        return None if named_folder == OFF_SETTING else Path(named_folder)
    return program_state_folder(environment)


def program_state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for Pond's state: the one from systemd, or one in the user's home."""
    if state_folder := environment.get("STATE_DIRECTORY", "").split(":")[0]:
        return Path(state_folder)
    home_folder = environment.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - Path.home() fails without one
    return Path(environment.get("XDG_STATE_HOME") or f"{home_folder}/.local/state") / "pond"


def acquire_lock(folder: Path) -> int:
    """Lock a journal for writing. Closing the returned file descriptor releases the lock."""
    _make_folder(folder)
    lock_descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try_lock(lock_descriptor)
    except OSError as error:
        os.close(lock_descriptor)
        raise JournalLocked(Message("journal.in_use", folder=str(folder))) from error
    return lock_descriptor


def _make_folder(folder: Path) -> None:
    """Create a folder and its parents. Sync their names to disk even if they already exist."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    with suppress(PermissionError):  # an unreadable parent was not created here
        sync_to_disk(folder.parent)


def is_own_lock(folder: Path, lock_descriptor: int) -> bool:
    """Return True if the descriptor from `acquire_lock` still locks this folder. The folder may have been deleted."""
    return is_still_at(lock_descriptor, folder / "lock")


def is_locked(folder: Path) -> bool:
    """Return True if a process is writing this journal."""
    try:
        lock_descriptor = open_nonblocking(folder / "lock", os.O_RDONLY)
    except OSError:
        return False
    try:
        try_lock(lock_descriptor)
    except OSError:
        return True
    finally:
        os.close(lock_descriptor)
    return False


def list_files(folder: Path) -> list[Path]:
    """List the files of a journal, including damaged ones, oldest first."""
    paths = folder.iterdir() if folder.is_dir() else ()
    found = [(int(match[1]), match[2], path) for path in paths if (match := _FILE_NAME.fullmatch(path.name))]
    return [path for *_, path in sorted(found)]


def open_newest(
    folder: Path, is_wanted: Callable[[StoredGame], bool] = lambda _: True
) -> tuple[JournalStore, tuple[Message, ...]]:
    """Open the newest file for writing, or create one. Return it with messages about damaged files."""
    newest_files = list_files(folder)[-1:]
    if not newest_files or newest_files[0].suffix == ".bad":
        return begin_file(folder), ()
    try:
        return JournalStore(newest_files[0], is_wanted), ()
    except ForeignFile as foreign:
        return begin_file(folder), (foreign.message, Message("journal.left_alone"))
    except DamagedJournal as damaged:
        return _replace_damaged(newest_files[0], damaged)


def begin_file(folder: Path, game_updates: Sequence[GameUpdate] = ()) -> JournalStore:
    """Create a new file containing these games."""
    used_numbers = [int(name_match[1]) for path in folder.iterdir() if (name_match := _USED_NUMBER.match(path.name))]
    path = folder / f"journal-{max(used_numbers, default=0) + 1}.db"
    create_file(path, game_updates)
    try:
        return JournalStore(path)
    except BaseException:  # each retry would leave another file
        with suppress(OSError):
            discard_file(path)
        raise


def read_earlier_games(
    folder: Path, store: JournalStore | None, *, holds_lock: bool
) -> tuple[tuple[StoredGame, ...], tuple[Message, ...]]:
    """Return the games from earlier runs, oldest first, and messages about the files.

    They come from the file being written or, if that is new or could not be opened, from all files. No games are returned
    while another program is writing the journal.
    """
    if store and not store.is_empty:
        return store.stored_games, ()
    if not holds_lock and is_locked(folder):
        return (), ()
    try:
        games, notices = read_all_games(folder, skipped_file=store.path if store else None)
    except OSError:
        return (), ()
    return tuple(games), () if store else tuple(notices)


def _replace_damaged(path: Path, damaged: DamagedJournal) -> tuple[JournalStore, tuple[Message, ...]]:
    """Copy all readable games of a damaged file to a new file, and set the damaged one aside."""
    _check_room(path.parent)
    read_games, lost_numbers, _ = _read_file(path)
    readable_games = [stored_game for stored_game in read_games if stored_game.is_readable]
    lost_numbers += [stored_game.number for stored_game in read_games if not stored_game.is_readable]
    store = begin_file(path.parent, [stored_game.as_update() for stored_game in readable_games])
    aside_name = _set_aside(path).name
    file_notices = [Message("journal.damaged", file=path.name, aside=aside_name, reason=damaged.message)]
    recovered = (
        Message("journal.recovered", count=len(readable_games))
        if readable_games
        else Message("journal.nothing_readable")
    )
    file_notices.append(recovered)
    if shortened := tuple(str(stored_game.number) for stored_game in readable_games if stored_game.fault):
        file_notices.append(Message("journal.shortened_games", games=shortened, count=len(shortened)))
    if lost_numbers and readable_games:
        lost = tuple(map(str, sorted(lost_numbers)))
        file_notices.append(Message("journal.lost_games", games=lost, count=len(lost)))
    return store, tuple(file_notices)


def _check_room(folder: Path) -> None:
    """Check that a file can be created. Otherwise a damaged file would be read, slowly, at each attempt to open the journal."""
    trial_path = folder / "trial.db"
    try:
        create_file(trial_path)
    finally:
        for path in (trial_path, trial_path.with_name(f"{trial_path.name}.new")):
            with suppress(OSError):
                discard_file(path)


def _read_file(path: Path) -> tuple[list[StoredGame], list[int], Exception | None]:
    """Return a file's games, the numbers of unidentified games, and the error that ended reading, if any."""
    read_games, lost_numbers, failure = dict[str, StoredGame](), list[int](), None
    try:
        for stored_game in read_stored_games(path):
            if stored_game.uid:
                _keep_longest(read_games, stored_game)
            else:
                lost_numbers.append(stored_game.number)
    except (ForeignFile, DamagedJournal, sqlite3.Error, OSError) as error:
        failure = error
    return sorted(read_games.values(), key=lambda game: game.number), lost_numbers, failure


def _keep_longest(games: dict[str, StoredGame], stored_game: StoredGame) -> None:
    before = games.get(stored_game.uid)
    is_more = before is None or (stored_game.is_readable, len(stored_game.entries)) >= (
        before.is_readable,
        len(before.entries),
    )
    if is_more:
        games[stored_game.uid] = stored_game


def _set_aside(path: Path) -> Path:
    """Rename a damaged file and its log to `.bad`, the log first. Return the new path."""
    aside_path = path.with_suffix(".bad")
    if aside_path.exists():
        return path
    try:
        for name_end in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + name_end).rename(aside_path.with_name(aside_path.name + name_end))
        path.rename(aside_path)
        sync_to_disk(path.parent)
    except OSError:
        return path
    return aside_path


def read_all_games(folder: Path, skipped_file: Path | None = None) -> tuple[list[StoredGame], list[Message]]:
    """Read all games of a journal, oldest first, and messages about what could not be read.

    If several files contain a game, the longest version counts, and the latest of equally long ones. `skipped_file` must be
    the file that this process is writing, if any; see `read_stored_games`.
    """
    best_games: dict[str, StoredGame] = {}
    file_notices: list[Message] = []
    for path in list_files(folder):
        if path == skipped_file:
            continue
        read_games, _, error = _read_file(path)
        for stored_game in read_games:
            _keep_longest(best_games, stored_game)
        if isinstance(error, ForeignFile):
            file_notices.append(error.message)
        elif error:
            file_notices.append(Message("journal.unreadable_end", file=path.name, reason=describe_file_error(error)))
    return list(best_games.values()), file_notices
