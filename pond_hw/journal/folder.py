"""The folder that the journal lies in: which of its files is written, and what becomes of those that cannot be.

    journal-1.db   journal-2.db …     the one with the highest number is written, all of them are read
    journal-1.bad                     spoilt: kept aside, and still read as far as it goes
    lock                              held by whoever writes

A new file is begun when there is none, when the last one is spoilt or another program's, and when the system has said
that something could not be written out: what a file holds after that nobody knows. A game that stands in several files
is the longest of them.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from pond_hw.files import is_still_at, sync_to_disk, try_lock
from pond_hw.journal.database_file import DamagedJournal, ForeignFile, discard_file
from pond_hw.journal.store import JournalStore, create_file, read_stored_games
from pond_hw.journal.stored_game import GameUpdate, StoredGame

_FILE_NAME = re.compile(r"journal-([1-9][0-9]{0,5})\.(db|bad)", re.ASCII)
_USED_NUMBER = re.compile(r"journal-([1-9][0-9]{0,5})\.(?!db\.new)", re.ASCII)
"""A number that a new file cannot have: the log of one that was deleted would be taken for its own."""


class JournalLocked(Exception):
    """Another process writes this journal."""


def acquire_lock(folder: Path) -> int:
    """Be the only one who writes here, as long as the file that is given back stays open.

    Raises:
        JournalLocked: somebody else does.
        OSError: the folder cannot be had.
    """
    _make_folder(folder)
    opened = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try_lock(opened)
    except OSError as error:
        os.close(opened)
        raise JournalLocked(f"Another program keeps its games in {folder} at this moment.") from error
    return opened


def _make_folder(folder: Path) -> None:
    """See to it that there is a folder, and that its name is on the card, whoever made it and was stopped then."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    with suppress(PermissionError):  # a parent that is not ours to read was not made by us either
        sync_to_disk(folder.parent)


def is_own_lock(folder: Path, opened: int) -> bool:
    """Whether what `acquire_lock` opened is this folder's lock still, and not that of one which was deleted since."""
    return is_still_at(opened, folder / "lock")


def is_locked(folder: Path) -> bool:
    """Whether somebody writes here at this moment."""
    try:
        opened = os.open(folder / "lock", os.O_RDWR)
    except OSError:
        return False
    try:
        try_lock(opened)
    except OSError:
        return True
    finally:
        os.close(opened)
    return False


def list_files(folder: Path) -> list[Path]:
    """The files of a journal, spoilt ones included, the oldest first.

    Raises:
        OSError: the folder cannot be read.
    """
    found = [path for path in folder.iterdir() if _FILE_NAME.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(found, key=lambda path: (_file_number(path), path.suffix))


def open_newest(
    folder: Path, wanted: Callable[[StoredGame], bool] = lambda _: True
) -> tuple[JournalStore, tuple[str, ...]]:
    """Open the file that is to be written, or a new one.

    Args:
        folder: where it lies.
        wanted: which games are to be at hand: see `JournalStore`.

    Returns:
        It, and what a person should know of the others.

    Raises:
        DamagedJournal, sqlite3.Error, OSError: there can be none.
    """
    last = list_files(folder)[-1:]
    if not last or last[0].suffix == ".bad":
        return begin_file(folder), ()
    try:
        return JournalStore(last[0], wanted), ()
    except ForeignFile as foreign:
        return begin_file(folder), (f"{foreign} It is left as it is, and the journal goes on in a new file.",)
    except DamagedJournal as damaged:
        return _replace_damaged(last[0], damaged)


def begin_file(folder: Path, parts: Sequence[GameUpdate] = ()) -> JournalStore:
    """Begin a new file, with these games in it.

    Raises:
        DamagedJournal, sqlite3.Error, OSError: there can be none.
    """
    taken = [int(named[1]) for path in folder.iterdir() if (named := _USED_NUMBER.match(path.name))]
    path = folder / f"journal-{max(taken, default=0) + 1}.db"
    create_file(path, parts)
    try:
        return JournalStore(path)
    except BaseException:  # it is tried again every second, and each time would leave one more file
        with suppress(OSError):
            discard_file(path)
        raise


def _replace_damaged(path: Path, damaged: DamagedJournal) -> tuple[JournalStore, tuple[str, ...]]:
    """A new file with all that is good of one that is spoilt; that is kept aside."""
    read: list[StoredGame] = []
    with suppress(ForeignFile, DamagedJournal, sqlite3.Error, OSError):
        read.extend(read_stored_games(path))
    good = [kept for kept in read if kept.is_readable]
    store = begin_file(path.parent, [GameUpdate(kept.uid, kept.facts, kept.entries) for kept in good])
    said = [f"The journal {path.name} is spoilt ({damaged}). It is kept as {_set_aside(path).name}."]
    said.append("What is good of it goes on in a new file." if good else "Nothing of it could be read.")
    if short := [kept for kept in good if kept.fault]:
        said.append(f"Of {_format_game_numbers(short)} only the beginning could be read.")
    if none := [kept for kept in read if not kept.is_readable and good]:
        said.append(f"Of {_format_game_numbers(none)} nothing could be read.")
    return store, (" ".join(said),)


def _set_aside(path: Path) -> Path:
    """Give a spoilt file the name of one, its log first; where it is afterwards."""
    aside = path.with_suffix(".bad")
    if aside.exists():
        return path
    try:
        for end in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + end).rename(aside.with_name(aside.name + end))
        path.rename(aside)
        sync_to_disk(path.parent)
    except OSError:
        return path
    return aside


def _format_game_numbers(kept: Iterable[StoredGame]) -> str:
    numbers = [str(each.number) for each in kept]
    return f"game {numbers[0]}" if len(numbers) == 1 else f"games {', '.join(numbers)}"


def read_all_games(folder: Path, besides: Path | None = None) -> tuple[list[StoredGame], list[str]]:
    """Every game in a journal, the one that was begun first in front, and what could not be read.

    A game that stands in several files is taken where most of it is; if it is as long in two, from the later one.

    Args:
        folder: the journal.
        besides: the file that this process writes, which is not to be read: see `read_stored_games`.

    Raises:
        OSError: the folder cannot be read.
    """
    best: dict[str, StoredGame] = {}
    said: list[str] = []
    for path in list_files(folder):
        if path == besides:
            continue
        try:
            for kept in read_stored_games(path):
                before = best.get(kept.uid)
                if before is None or len(kept.entries) >= len(before.entries):
                    best[kept.uid] = kept
        except ForeignFile as foreign:
            said.append(str(foreign))
        except (DamagedJournal, sqlite3.Error, OSError) as error:
            said.append(f"{path.name} cannot be read to its end: {error}.")
    return list(best.values()), said


def _file_number(path: Path) -> int:
    named = _FILE_NAME.fullmatch(path.name)
    assert named
    return int(named[1])
