"""An SQLite file as it lies on the disk: whose it is, whether its write-ahead log is whole, and how it is opened.

SQLite itself would mend another program's file, and ends a log at the first bit that has flipped, without a word, as if
all that follows had never been written. So header and log are looked at here first.
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
"""The version of the tables, in every file's header (`user_version`)."""

APPLICATION_ID = int.from_bytes(b"Pond", "big")
"""Whose file it is, in every file's header (`application_id`)."""

TABLE_STATEMENTS = (
    "CREATE TABLE game (id INTEGER PRIMARY KEY, uid TEXT NOT NULL, facts TEXT NOT NULL, seal BLOB NOT NULL)",
    """CREATE TABLE entry (
    game INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
    boot TEXT NOT NULL, since REAL NOT NULL, wall TEXT NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (game, n)
) WITHOUT ROWID""",
)

BUSY_TIMEOUT_SECONDS = 5.0
"""How long another process may write before we give up for the moment."""

SQLITE_MAGIC = b"SQLite format 3\0"

FIRST_PAGE_BYTES = 4096
"""Bytes in which the tables of a journal are described."""

HEADER_BYTES = 100
"""So many bytes stand at the beginning of a database."""

LOG_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
"""So many bytes stand at the beginning of a write-ahead log, and in front of each page in it."""

LITTLE_ENDIAN_MAGIC = 0x377F0682
"""How a log begins whose sums are made of little-endian words; one more is big-endian."""

FIRST_PAGE = b"\0\0\0\1"
"""The number of the page with the header, as a frame names it."""


class ForeignFile(PondError):
    """The file belongs to another program, or to a newer version of this one."""


class DamagedJournal(PondError):
    """A journal file is damaged."""


def describe_file_error(error: Exception) -> Message:
    """Why a file cannot be used: what is wrong with the journal, or what SQLite or the system says."""
    return error.message if isinstance(error, PondError) else Message("damage.system", text=str(error))


def log_path(path: Path) -> Path:
    """The write-ahead log that SQLite lays beside a database."""
    return path.with_name(path.name + "-wal")


def connect_database(path: Path, mode: str, uri_parameters: str = "") -> sqlite3.Connection:
    """Open a database so that its commits are padded to whole sectors.

    Args:
        path: the file.
        mode: `ro` or `rw`.
        uri_parameters: further parameters of SQLite's URI, such as `&immutable=1`.
    """
    return sqlite3.connect(
        f"file:{quote(os.fspath(path.absolute()))}?mode={mode}&psow=0{uri_parameters}",
        uri=True,
        timeout=BUSY_TIMEOUT_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # opened where the program starts, written by one thread after that
    )


def checkpoint_log(base: sqlite3.Connection) -> None:
    """Move what a crash left in the log into the database, and start the log again.

    What pads the last commit in it may be gone. The next one would then begin in a sector with an earlier turn in it.

    Raises:
        sqlite3.Error: it cannot be done now; nothing may be written before it is.
    """
    (is_busy, *_) = base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if is_busy:
        busy_error = sqlite3.OperationalError("database is locked")
        busy_error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise busy_error


def _iter_frames(log: bytes, page_bytes: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """The whole frames of a write-ahead log: the header of each, and its page."""
    page_bytes = page_bytes or int.from_bytes(log[8:12], "big")
    frame_bytes = FRAME_HEADER_BYTES + page_bytes
    for start in range(LOG_HEADER_BYTES, len(log) - frame_bytes + 1, frame_bytes):
        yield log[start : start + FRAME_HEADER_BYTES], log[start + FRAME_HEADER_BYTES : start + frame_bytes]


def _read_header_in_log(path: Path) -> bytes:
    """The header of a database as its log has it last; empty if the log has none. SQLite checks the rest."""
    try:
        log = log_path(path).read_bytes()
    except OSError:
        return b""
    newest = FIRST_PAGE, log[16:24]
    first_pages = [page for header, page in _iter_frames(log) if (header[:4], header[8:16]) == newest]
    return first_pages[-1][:HEADER_BYTES] if first_pages else b""


def check_header(path: Path) -> None:
    """Check that a file is ours, without SQLite, which would repair another program's file."""
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
    if header and not header.startswith(SQLITE_MAGIC):  # the power may have gone while the page came in from the log
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
    """Whether the log holds a commit that SQLite cannot reach because something before it is damaged.

    See "The WAL File Format" on SQLite's own pages: a header, and frames of a page each, every one with the salts of
    the header and with a sum over all before it. Frames that were left from earlier have other salts. The last frame
    may be half there because somebody was stopped while it was written.
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
    magic_number, *_, salt_one, salt_two, one, two = struct.unpack(">8I", log[:LOG_HEADER_BYTES])
    word_format, sums = "<II" if magic_number == LITTLE_ENDIAN_MAGIC else ">II", (one, two)
    checked_bytes = log[: LOG_HEADER_BYTES - 8]
    if magic_number | 1 != LITTLE_ENDIAN_MAGIC | 1 or _extend_checksum(word_format, (0, 0), checked_bytes) != sums:
        return any(log[LOG_HEADER_BYTES:])
    is_whole = True
    for header, page in _iter_frames(log):
        _, commit_size, *frame_salts, one, two = struct.unpack(">6I", header)
        is_current = frame_salts == [salt_one, salt_two]
        if not is_whole and commit_size and is_current:
            return True
        if is_whole:
            sums = _extend_checksum(word_format, _extend_checksum(word_format, sums, header[:8]), page)
            is_whole = is_current and sums == (one, two)
    return False


def list_committed_pages(log: bytes, page_bytes: int) -> list[tuple[int, bytes]]:
    """List the pages of a damaged log with their numbers, oldest first, but for commits of which a frame is damaged.

    Of such a commit nothing may be taken: perhaps the power went before it was written out, and nobody was told of it.
    A frame's sum covers all before it, but the sum of the frame before is enough to check it.
    """
    word_format = ">II" if log[:4] == (LITTLE_ENDIAN_MAGIC | 1).to_bytes(4, "big") else "<II"
    sums = (int.from_bytes(log[24:28], "big"), int.from_bytes(log[28:32], "big"))
    pages, commit, is_whole = list[tuple[int, bytes]](), list[tuple[int, bytes]](), True
    for header, page in _iter_frames(log, page_bytes):
        number, commit_size, _, _, one, two = struct.unpack(">6I", header)
        sums = _extend_checksum(word_format, _extend_checksum(word_format, sums, header[:8]), page)
        is_whole = is_whole and sums == (one, two)
        sums = one, two
        commit.append((number, page))
        if commit_size:
            pages += commit if is_whole else []
            commit, is_whole = [], True
    return pages


def _extend_checksum(word_format: str, sums: tuple[int, int], log_part: bytes) -> tuple[int, int]:
    """The checksums of a log after another part of it."""
    one, two = sums
    for first_word, second_word in struct.iter_unpack(word_format, log_part):
        one = (one + first_word + two) & 0xFFFFFFFF
        two = (two + second_word + one) & 0xFFFFFFFF
    return one, two


def discard_file(path: Path) -> None:
    """Delete a database that nobody has written to yet, and SQLite's files beside it.

    Raises:
        OSError: that cannot be done.
    """
    for name_end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + name_end).unlink(missing_ok=True)
