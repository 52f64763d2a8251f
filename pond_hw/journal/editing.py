"""What people do to a journal by hand: they bring games in, delete some, and choose which one is offered next.

It may be written by a service meanwhile. A game that is brought in is a new one, and gets in nobody's way; so does the
deletion of one that nobody plays. Only what a service has read when it started is not changed behind its back.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from pond_hw.journal import folder as shelf
from pond_hw.journal.events import Entry
from pond_hw.journal.folder import Taken
from pond_hw.journal.game_records import as_kept, brought_in
from pond_hw.journal.store import Damaged, Foreign, Kept, Noted, Part, Store, remove
from pond_hw.journal.writer import Labels, RealLabels
from pond_hw.rules import Record

LOOKS = 5
"""How often a file that another program writes is looked at before it is called spoilt."""


class Removed(NamedTuple):
    """What came of deleting.

    Attributes:
        files: the names of the files that something was deleted from.
        stays: the names of those in which it still stands, and why.
    """

    files: tuple[str, ...]
    stays: tuple[tuple[str, str], ...]


def bring_in(
    folder: Path, records: Sequence[Record], labels: Labels | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Put records into a journal as games; one that is not finished is left, so that nobody is offered it unasked.

    Returns:
        The games' `uid`s, and what a person should know of the files.

    Raises:
        RecordError: there is no game in one of them; nothing was written.
        Taken: another program is just beginning a journal there.
        Damaged, Foreign, sqlite3.Error, OSError: the journal cannot be written; nothing was.
    """
    labels = labels or RealLabels()
    parts = []
    for record in records:
        facts, told = as_kept(record)
        label = labels.label()
        parts.append(Part(labels.uid(), facts, [Noted(entry, label) for entry in told]))
    with _written(folder, beside=True) as (store, said):
        store.append(parts)
    return tuple(part.uid for part in parts), said


def offer_next(folder: Path, kept: Kept, labels: Labels | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Make a game that was kept the one that is offered when a board starts next.

    Returns:
        The games that are left for it, because one of them would be offered instead: their `uid`s. And what a person
        should know of the files.

    Raises:
        Taken: another program keeps its games there, and has offered what it had to offer.
        sqlite3.Error, OSError: the journal cannot be written; nothing was.
    """
    label = (labels or RealLabels()).label()
    with _written(folder, beside=False) as (store, said):
        uids = [each.uid for each in store.kept]
        place = uids.index(kept.uid) if kept.uid in uids else len(uids)
        there = store.kept[place].noted if place < len(uids) else ()
        noted = kept.noted if kept.noted[: len(there)] == there else there
        later = [each for each in store.kept[place + 1 :] if each.story.open]
        back, gone = Noted(Entry("resume"), label), Noted(Entry("leave"), label)
        parts = [Part(each.uid, each.facts, (*each.noted, gone)) for each in later]
        store.append([Part(kept.uid, kept.facts, (*noted, back)), *parts])
    return tuple(each.uid for each in later), said


def may_be_played(folder: Path, kept: Sequence[Kept], uid: str) -> bool:
    """Whether a game may be played at this moment: somebody writes there, and it is not over, or was begun last.

    Args:
        folder: the journal.
        kept: its games, the one that was begun first in front.
        uid: the game.
    """
    if not shelf.held(folder):
        return False
    last = [each.uid for each in kept if not brought_in(each)][-1:]
    return uid in last or any(each.story.open for each in kept if each.uid == uid)


def delete(folder: Path, uids: Collection[str]) -> Removed:
    """Delete games from every file of a journal, those that are spoilt and kept aside included.

    Raises:
        OSError: the folder cannot be read.
    """
    done, stays = [], []
    with _lock(folder):
        for path in shelf.files(folder):
            try:
                if remove(path, tuple(uids)):
                    done.append(path.name)
            except Foreign:  # there is nothing of ours in it
                continue
            except (Damaged, sqlite3.Error, OSError) as error:
                stays.append((path.name, str(error)))
    return Removed(tuple(done), tuple(stays))


@contextmanager
def _lock(folder: Path) -> Iterator[bool]:
    """Be the one who writes, if nobody else does; whether we are."""
    try:
        opened = shelf.hold(folder)
    except Taken:
        yield False
        return
    try:
        yield True
    finally:
        os.close(opened)


def _beside(path: Path) -> Store:
    """A file that another program writes. What is being written at this very moment looks spoilt: so look again."""
    for _ in range(LOOKS - 1):
        with suppress(Damaged):
            return Store(path)
    return Store(path)


@contextmanager
def _written(folder: Path, *, beside: bool) -> Iterator[tuple[Store, tuple[str, ...]]]:
    """The file that is to be written, and what a person should know of the others.

    Args:
        folder: the journal; it is made if there is none.
        beside: whether it may be one that another program writes too.
    """
    with _lock(folder) as alone:
        if alone:
            store, said = shelf.newest(folder)
        elif not beside:
            raise Taken(f"Another program keeps its games in {folder} at this moment.")
        else:
            last = shelf.files(folder)[-1:]
            if not last or last[0].suffix == ".bad":
                raise Taken(f"Another program is just beginning a journal in {folder}. Try again.")
            store, said = _beside(last[0]), ()
        with closing(store):
            yield store, said
