"""Recovery of games from a damaged SQLite file that SQLite itself cannot read.

The file is searched for record headers whose last column is an eight-byte seal. See "Record Format" and "Cell Payload
Overflow Pages" in SQLite's documentation. A row counts only if its seal is correct, so stale copies and unlinked pages
do no harm.
"""

from __future__ import annotations

import json
import re
import struct
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pond_hw.journal import stored_game as games
from pond_hw.journal.database_file import SQLITE_MAGIC, describe_file_error, list_committed_pages, log_path
from pond_hw.journal.stored_game import JournalEntry, StoredGame, Timestamp, TimestampedEntry, compute_seal
from pond_hw.messages.message import Message

CHUNK_BYTES = 65536
"""Number of bytes searched at once: the largest page size, so that no page spans two chunks."""

SECTOR_BYTES = 4096
"""Number of bytes skipped where the disk cannot be read."""

DEFAULT_PAGE_BYTES = 4096

_VARINT = rb"[\x80-\xff]{0,2}[\x00-\x7f]"
_INTEGER = rb"[\x01-\x06\x08\x09]"
_GAME_RECORD = re.compile(rb"(?=([\x05-\x0b]\x00(?:%b){2}\x1c))" % _VARINT, re.DOTALL)
_ENTRY_RECORD = re.compile(
    rb"(?=([\x09-\x15]%b%b(?:%b){3}[\x01-\x09]%b\x1c))" % (_INTEGER, _INTEGER, _VARINT, _VARINT), re.DOTALL
)
_INTEGER_BYTES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Size of a number in bytes, by serial type. Type 7 is a float; types 8 and 9 are the constants 0 and 1."""

_Entries = dict[int, list[tuple[TimestampedEntry, bytes]]]
"""Candidates for the entries of a game, with their seals, by entry number."""


def salvage_games(path: Path) -> Iterator[StoredGame]:
    """Yield every game found in a damaged file, even if only a part of it is left.

    If the row of a game is missing, the game has no `uid` and no facts.
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
                # SQLite stores a float without a fraction as an integer.
                timestamp = Timestamp(boot_id, float(since_boot), wall_time)
                candidate = TimestampedEntry(JournalEntry(kind, value), timestamp), seal
                if candidate not in entries[game_id][number]:
                    entries[game_id][number].append(candidate)
    return entries


def _follow_seals(entries: _Entries, uid: str, facts: str) -> tuple[list[TimestampedEntry], bool]:
    """Return the entries up to the first broken seal, and True if no entry follows them."""
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


class FoundRow(NamedTuple):
    """A candidate row. `row_id` is 0 for the `entry` table, which has no row ids."""

    row_id: int
    values: tuple[object, ...]


def find_game_rows(path: Path) -> Iterator[FoundRow]:
    """Find candidate rows of the `game` table. Their first column is None."""
    for pages in _read_pages(path):
        for match in _GAME_RECORD.finditer(pages.chunk):
            for values in pages.read_record(match.start(), match[1], is_index=False):
                yield FoundRow(_read_row_id(pages.chunk, match.start()), values)


def find_entry_rows(path: Path) -> Iterator[FoundRow]:
    for pages in _read_pages(path):
        for match in _ENTRY_RECORD.finditer(pages.chunk):
            for values in pages.read_record(match.start(), match[1], is_index=True):
                yield FoundRow(0, values)


class _Pages(NamedTuple):
    """A part of a file, with the data needed to find the overflow pages of its records."""

    chunk: bytes
    page_bytes: int
    logged_pages: dict[int, bytes]
    path: Path

    def read_record(self, start: int, header: bytes, *, is_index: bool) -> Iterator[tuple[object, ...]]:
        """Yield the possible values of a record that may start here. Overflow pages may come from the log or from the database."""
        serial_types = _read_varints(header[1:])
        if header[0] != len(header):
            return
        sizes = [_INTEGER_BYTES[each] if each < 10 else (each - 12) // 2 for each in serial_types]
        payload_bytes = len(header) + sum(sizes)
        local_bytes = self._count_local_bytes(payload_bytes, is_index=is_index)
        local = self.chunk[start : start + local_bytes]
        payloads = [local]
        if local_bytes < payload_bytes:
            next_page = int.from_bytes(self.chunk[start + local_bytes : start + local_bytes + 4], "big")
            payloads = [
                local + self._read_overflow(next_page, payload_bytes - local_bytes, pages)
                for pages in (self.logged_pages, {})
            ]
        for payload in payloads:
            if len(payload) == payload_bytes:
                try:
                    yield tuple(_read_values(payload[len(header) :], serial_types, sizes))
                except UnicodeDecodeError:
                    continue

    def _count_local_bytes(self, payload_bytes: int, *, is_index: bool) -> int:
        """Return how many bytes of a record are stored in its own page."""
        usable = self.page_bytes
        max_bytes = (usable - 12) * 64 // 255 - 23 if is_index else usable - 35
        if payload_bytes <= max_bytes:
            return payload_bytes
        min_bytes = (usable - 12) * 32 // 255 - 23
        surplus = min_bytes + (payload_bytes - min_bytes) % (usable - 4)
        return surplus if surplus <= max_bytes else min_bytes

    def _read_overflow(self, page_number: int, missing_bytes: int, logged_pages: dict[int, bytes]) -> bytes:
        found = b""
        while page_number and missing_bytes > 0:
            page = logged_pages.get(page_number) or self._read_page(page_number)
            content = page[4:][:missing_bytes]
            if not content:
                break
            found, missing_bytes = found + content, missing_bytes - len(content)
            page_number = int.from_bytes(page[:4], "big")
        return found

    def _read_page(self, page_number: int) -> bytes:
        return next(_read_blocks(self.path, (page_number - 1) * self.page_bytes, self.page_bytes, 1), b"")


def _read_pages(path: Path) -> Iterator[_Pages]:
    """Yield every version of every page: first those in the log, then those in the database."""
    try:
        log = log_path(path).read_bytes()
    except OSError:
        log = b""
    page_bytes = _find_page_bytes(path, log)
    committed_pages = list_committed_pages(log, page_bytes)
    logged_pages = dict(committed_pages)
    for _, page in committed_pages:
        yield _Pages(page, page_bytes, logged_pages, path)
    for chunk in _read_blocks(path, 0, CHUNK_BYTES):
        yield _Pages(chunk, page_bytes, logged_pages, path)


def _find_page_bytes(path: Path, log: bytes) -> int:
    header = next(_read_blocks(path, 0, SECTOR_BYTES, 1), b"")
    sizes = [int.from_bytes(log[8:12], "big")]
    if header.startswith(SQLITE_MAGIC):
        sizes.insert(0, int.from_bytes(header[16:18], "big"))
    return next((each for each in sizes if each in (512 << power for power in range(8))), DEFAULT_PAGE_BYTES)


def _read_blocks(path: Path, start: int, block_bytes: int, count: int | None = None) -> Iterator[bytes]:
    """Yield a file block by block. Unreadable sectors are filled with zeros."""
    try:
        with path.open("rb", buffering=0) as file:
            file_bytes = file.seek(0, 2)
            end = file_bytes if count is None else min(file_bytes, start + count * block_bytes)
            for offset in range(start, end, block_bytes):
                length = min(block_bytes, end - offset)
                try:
                    file.seek(offset)
                    yield file.read(length)
                except OSError:
                    if block_bytes <= SECTOR_BYTES:
                        yield bytes(length)
                    else:
                        sectors = range(offset, offset + length, SECTOR_BYTES)
                        yield b"".join(next(_read_blocks(path, each, SECTOR_BYTES, 1), b"") for each in sectors)
    except OSError:
        return


def _read_varints(data: bytes) -> list[int]:
    """Decode variable-length integers, which have seven bits per byte and the highest bit set on all bytes but the last."""
    numbers, number = [], 0
    for byte in data:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers


def _read_row_id(chunk: bytes, record_start: int) -> int:
    first = record_start - 1
    while first > max(0, record_start - 9) and chunk[first - 1] >= 0x80:
        first -= 1
    return (_read_varints(chunk[max(0, first) : record_start]) or [0])[-1]


def _read_values(body: bytes, serial_types: Sequence[int], sizes: Sequence[int]) -> Iterator[object]:
    start = 0
    for serial_type, size in zip(serial_types, sizes, strict=True):
        data = body[start : start + size]
        start += size
        if serial_type == 0:
            yield None
        elif serial_type == 7:
            yield struct.unpack(">d", data)[0]
        elif serial_type < 8:
            yield int.from_bytes(data, "big", signed=True)
        elif serial_type < 10:
            yield serial_type - 8
        else:
            yield data.decode() if serial_type % 2 else data
