"""Reads the games of a damaged file from whatever rows of it can still be found.

A row counts if its seal is right. So it does not matter how often it is found, in which version of a page, or whether
SQLite would still find it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pond_hw.journal import stored_game as games
from pond_hw.journal.database_file import describe_file_error
from pond_hw.journal.database_pages import find_entry_rows, find_game_rows
from pond_hw.journal.stored_game import JournalEntry, StoredGame, Timestamp, TimestampedEntry, compute_seal
from pond_hw.messages.message import Message

_Entries = dict[int, list[tuple[TimestampedEntry, bytes]]]
"""Possible entries of a game with their seals, by their number."""


def salvage_games(path: Path) -> Iterator[StoredGame]:
    """Read all games of which something can be found in a damaged file.

    A game of which entries were found, but not the row that says what game it is, has no `uid` and no facts.
    """
    entries = _collect_entries(path)
    places, unsealed = defaultdict[tuple[str, str], set[int]](set), set[int]()
    for row_id, (_, uid, facts, seal) in find_game_rows(path):
        if isinstance(uid, str) and isinstance(facts, str) and seal == compute_seal(b"", [uid, facts]):
            places[uid, facts].add(row_id)
        else:
            unsealed.add(row_id)
    for (uid, facts), row_ids in places.items():
        found = [(*_follow_seals(entries.get(row_id, {}), uid, facts), row_id) for row_id in sorted(row_ids)]
        game_entries, is_whole, row_id = max(found, key=lambda each: len(each[0]))
        try:
            game = games.replay_game(uid, json.loads(facts), game_entries, number=row_id, file=path.name)
        except (games.ImpossibleEntry, ValueError, RecursionError) as error:
            game = games.unreadable_game(uid, row_id, path.name, describe_file_error(error))
        if not (is_whole or game.fault):
            game = replace(game, fault=Message("fault.missing_entry"))
        yield game
    known = unsealed.union(*places.values())
    for row_id in sorted(entries.keys() - known):
        yield games.unreadable_game("", row_id, path.name, Message("fault.missing_entry"))


def _collect_entries(path: Path) -> dict[int, _Entries]:
    """Find the entries in a file, by the number of their game."""
    entries: dict[int, _Entries] = defaultdict(lambda: defaultdict(list))
    for _, values in find_entry_rows(path):
        match values:
            case (
                int(game_id),
                int(number),
                str(kind),
                str(value),
                str(boot_id),
                int() | float() as since_boot,
                str(wall_time),
                bytes(seal),
            ):
                # SQLite stores a float without a fraction as a whole number.
                timestamp = Timestamp(boot_id, float(since_boot), wall_time)
                candidate = TimestampedEntry(JournalEntry(kind, value), timestamp), seal
                if candidate not in entries[game_id][number]:
                    entries[game_id][number].append(candidate)
    return entries


def _follow_seals(entries: _Entries, uid: str, facts: str) -> tuple[list[TimestampedEntry], bool]:
    """Return the entries of a game as far as each is sealed with the one before, and whether there are no others."""
    seal, game_entries = compute_seal(b"", [uid, facts]), list[TimestampedEntry]()
    while True:
        number = len(game_entries) + 1
        for candidate, sealed in entries.get(number, ()):
            if sealed == compute_seal(seal, (number, *candidate.entry, *candidate.timestamp)):
                seal = sealed
                game_entries.append(candidate)
                break
        else:
            return game_entries, max(entries, default=0) < number
