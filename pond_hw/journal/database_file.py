"""SQLite file format of a journal: how to check the header and the write-ahead log, and how to open the file.

These checks run before SQLite opens a file. SQLite would repair another program's file, and would silently drop
everything after the first flipped bit in a log.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from pond_hw.messages.message import Message, PondError

FORMAT_VERSION = 1
"""Version of the tables, stored in the header of every file (`user_version`)."""

APPLICATION_ID = int.from_bytes(b"Pond", "big")
"""Id that marks a file as Pond's, stored in the header of every file (`application_id`)."""

TABLE_STATEMENTS = (
    "CREATE TABLE game (id INTEGER PRIMARY KEY, uid TEXT NOT NULL, facts TEXT NOT NULL, seal BLOB NOT NULL)",
    """CREATE TABLE entry (
    game INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
    boot TEXT NOT NULL, since REAL NOT NULL, wall TEXT NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (game, n)
) WITHOUT ROWID""",
)

BUSY_TIMEOUT_SECONDS = 5.0
"""Seconds to wait for another process to finish writing."""

SQLITE_MAGIC = b"SQLite format 3\0"

FIRST_PAGE_BYTES = 4096
"""Length of the page that describes the tables."""

HEADER_BYTES = 100
"""Length of a database header."""

LOG_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
"""Lengths of the header of a write-ahead log and of the header of each page in it."""

LITTLE_ENDIAN_MAGIC = 0x377F0682
"""First word of a log with little-endian checksums; big-endian logs start with this value plus one."""

FIRST_PAGE = b"\0\0\0\1"
"""Page number of the first page, as stored in a frame."""


class ForeignFile(PondError):
    """Error for a file that belongs to another program or a newer version of Pond."""


class DamagedJournal(PondError):
    """Error for a damaged journal file."""


def describe_file_error(error: Exception) -> Message:
    """Return why a file cannot be used, as reported by the journal, SQLite or the system."""
    return error.message if isinstance(error, PondError) else Message("damage.system", text=str(error))


def log_path(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def connect_database(path: Path, mode: str, uri_parameters: str = "") -> sqlite3.Connection:
    """Open a database in `ro` or `rw` mode. Its commits are padded to whole sectors."""
    return sqlite3.connect(
        f"file:{quote(os.fspath(path.absolute()))}?mode={mode}&psow=0{uri_parameters}",
        uri=True,
        timeout=BUSY_TIMEOUT_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # opened by the main thread, then used by one writing thread
    )


def checkpoint_log(base: sqlite3.Connection) -> None:
    """Move the log that a crash left behind into the database. Nothing may be written before this has succeeded.

    The padding of the last commit in the log may be missing. The next commit would then share a sector with an earlier turn.
    """
    (is_busy, *_) = base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if is_busy:
        busy_error = sqlite3.OperationalError("database is locked")
        busy_error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise busy_error


def _iter_frames(log: bytes, page_bytes: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Yield the header and page of each complete frame of a write-ahead log."""
    page_bytes = page_bytes or int.from_bytes(log[8:12], "big")
    frame_bytes = FRAME_HEADER_BYTES + page_bytes
    for start in range(LOG_HEADER_BYTES, len(log) - frame_bytes + 1, frame_bytes):
        yield log[start : start + FRAME_HEADER_BYTES], log[start + FRAME_HEADER_BYTES : start + frame_bytes]


def _read_header_in_log(path: Path) -> bytes:
    """Return the newest database header in the log, or b"" if there is none."""
    try:
        log = log_path(path).read_bytes()
    except OSError:
        return b""
    newest = FIRST_PAGE, log[16:24]
    first_pages = [page for header, page in _iter_frames(log) if (header[:4], header[8:16]) == newest]
    return first_pages[-1][:HEADER_BYTES] if first_pages else b""


def check_header(path: Path) -> None:
    """Check that a file is a Pond journal. Raises ForeignFile, DamagedJournal or OSError."""
    if not path.is_file():
        raise ForeignFile(Message("journal.not_a_file", file=str(path)))
    try:
        with path.open("rb") as file:
            first_page = file.read(FIRST_PAGE_BYTES)
    except OSError as error:
        if error.errno == errno.EIO:
            raise DamagedJournal(describe_file_error(error)) from error
        raise
    header = first_page[:HEADER_BYTES]
    if header and not header.startswith(SQLITE_MAGIC):  # a power cut may have interrupted the checkpoint of this page
        header = _read_header_in_log(path)
    if len(header) < HEADER_BYTES or not header.startswith(SQLITE_MAGIC):
        raise DamagedJournal(Message("damage.no_header"))
    (format_version,), (application_id,) = struct.unpack(">i", header[60:64]), struct.unpack(">I", header[68:72])
    if application_id != APPLICATION_ID and TABLE_STATEMENTS[1].encode() in first_page:
        raise DamagedJournal(Message("damage.no_header"))
    if application_id != APPLICATION_ID:
        raise ForeignFile(Message("journal.foreign", file=str(path)))
    if format_version > FORMAT_VERSION:
        raise ForeignFile(Message("journal.newer", file=str(path), format=format_version, known_format=FORMAT_VERSION))
    if format_version < 1:
        raise DamagedJournal(Message("damage.wrong_format", format=format_version))
    if header[18:20] != b"\2\2":
        raise DamagedJournal(Message("damage.no_log"))


def has_unread_commit(path: Path) -> bool:
    """Return True if the log holds a commit that SQLite cannot reach because an earlier frame is damaged.

    See "The WAL File Format" in SQLite's documentation: each frame has the salts of the log header and a checksum over
    everything before it. Stale frames have other salts. The last frame may be incomplete if the writer was stopped.
    """
    try:
        log = log_path(path).read_bytes()
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno in (errno.EIO, errno.EISDIR):
            return True
        raise
    if len(log) < LOG_HEADER_BYTES:
        return False
    magic_number, *_, salt_one, salt_two, first_sum, second_sum = struct.unpack(">8I", log[:LOG_HEADER_BYTES])
    word_format, sums = "<II" if magic_number == LITTLE_ENDIAN_MAGIC else ">II", (first_sum, second_sum)
    checked_bytes = log[: LOG_HEADER_BYTES - 8]
    if magic_number | 1 != LITTLE_ENDIAN_MAGIC | 1 or _extend_checksum(word_format, (0, 0), checked_bytes) != sums:
        return any(log[LOG_HEADER_BYTES:])
    is_whole = True
    for header, page in _iter_frames(log):
        _, commit_size, *frame_salts, first_sum, second_sum = struct.unpack(">6I", header)
        is_current = frame_salts == [salt_one, salt_two]
        if not is_whole and commit_size and is_current:
            return True
        if is_whole:
            sums = _extend_checksum(word_format, _extend_checksum(word_format, sums, header[:8]), page)
            is_whole = is_current and sums == (first_sum, second_sum)
    return False


def list_committed_pages(log: bytes, page_bytes: int) -> list[tuple[int, bytes]]:
    """List the numbers and contents of pages in a damaged log, oldest first. Commits with a damaged frame are skipped.

    Such a commit may never have been confirmed. To check a frame, only the checksum of the frame before it is needed.
    """
    word_format = ">II" if log[:4] == (LITTLE_ENDIAN_MAGIC | 1).to_bytes(4, "big") else "<II"
    sums = (int.from_bytes(log[24:28], "big"), int.from_bytes(log[28:32], "big"))
    pages, commit, is_whole = list[tuple[int, bytes]](), list[tuple[int, bytes]](), True
    for header, page in _iter_frames(log, page_bytes):
        number, commit_size, _, _, first_sum, second_sum = struct.unpack(">6I", header)
        sums = _extend_checksum(word_format, _extend_checksum(word_format, sums, header[:8]), page)
        is_whole = is_whole and sums == (first_sum, second_sum)
        sums = first_sum, second_sum
        commit.append((number, page))
        if commit_size:
            pages += commit if is_whole else []
            commit, is_whole = [], True
    return pages


def _extend_checksum(word_format: str, sums: tuple[int, int], log_part: bytes) -> tuple[int, int]:
    first_sum, second_sum = sums
    for first_word, second_word in struct.iter_unpack(word_format, log_part):
        first_sum = (first_sum + first_word + second_sum) & 0xFFFFFFFF
        second_sum = (second_sum + second_word + first_sum) & 0xFFFFFFFF
    return first_sum, second_sum


def discard_file(path: Path) -> None:
    """Delete a database that nothing was written to, with the files that SQLite created next to it."""
    for name_end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + name_end).unlink(missing_ok=True)
