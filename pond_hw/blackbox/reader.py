"""Reader for recordings, which may be truncated or damaged."""

from __future__ import annotations

import zlib
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pond_hw.blackbox.format import BOX_NAME, MAX_LINE_LENGTH, BoxHeader, BoxNote, DamagedRecording, NoteCodec
from pond_hw.blackbox.recorder import GZIP_WBITS
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import describe_system_error

CHUNK_BYTES = 1 << 14
"""Number of compressed bytes to read at a time."""

MAX_HEADER_BYTES = 1 << 12
"""Maximum length of the first line, in bytes."""

COMPLETE, TRUNCATED, DAMAGED = "whole", "torn", "damaged"  # how a file can end


class BoxContents(NamedTuple):
    """Contents of a recording. `damage` is a message if the rest of the file is missing or unreadable, otherwise None.

    The notes are in the order in which they were recorded. A late touch has an earlier time than the note before it.
    """

    header: BoxHeader
    notes: tuple[BoxNote, ...]
    damage: Message | None


def read_box(path: Path) -> BoxContents:
    """Read a recording up to the end of the file or the first damaged line.

    Raises:
        PondError: if there are no notes to read.
    """
    try:
        with path.open("rb") as file:
            header = _read_header(path, file)
            notes, damage = _read_notes(path, file)
    except PondError:
        raise
    except (OSError, ValueError) as error:
        reason = describe_system_error(error)
        raise PondError(Message("recording.unreadable", file=str(path), reason=reason)) from None
    return BoxContents(header, notes, damage)


def _read_header(path: Path, file: BinaryIO) -> BoxHeader:
    header_line = file.readline(MAX_HEADER_BYTES)
    if not header_line:
        raise PondError(Message("recording.empty", file=str(path)))
    begins = f'{{"box": "{BOX_NAME}"'.encode()
    if not header_line.endswith(b"\n") and (header_line.startswith(begins) or begins.startswith(header_line)):
        raise PondError(Message("recording.torn_header", file=str(path)))
    return BoxHeader.parse_line(header_line.decode("utf-8", "replace"), str(path))


def _read_notes(path: Path, file: BinaryIO) -> tuple[tuple[BoxNote, ...], Message | None]:
    """Return the readable notes, and a message if the rest of the file can't be read."""
    codec, notes = NoteCodec(), list[BoxNote]()
    note_lines = _unpacked_lines(file)
    try:
        while True:
            notes.append(codec.decode_line(next(note_lines)))
    except StopIteration as stop:
        ending = stop.value
    except DamagedRecording:
        ending = DAMAGED
    if not notes:
        raise PondError(Message(f"recording.nothing.{ending}", file=str(path)))
    if ending == COMPLETE:
        return tuple(notes), None
    recorded_seconds = max(note.instant for note in notes) - notes[0].instant
    return tuple(notes), Message(f"recording.incomplete.{ending}", seconds=recorded_seconds)


def _unpacked_lines(file: BinaryIO) -> Generator[str, None, str]:
    """Yield the decompressed lines. Return `COMPLETE`, `TRUNCATED` or `DAMAGED`."""
    unpacker, rest_bytes = zlib.decompressobj(wbits=GZIP_WBITS), b""
    while not unpacker.eof and (packed_bytes := file.read(CHUNK_BYTES)):
        saved_unpacker = unpacker.copy()
        try:
            unpacked_bytes, is_broken = unpacker.decompress(packed_bytes), False
        except zlib.error:
            unpacked_bytes, is_broken = _salvage_chunk(saved_unpacker, packed_bytes), True
        *note_lines, rest_bytes = (rest_bytes + unpacked_bytes).split(b"\n")
        for line_bytes in note_lines:
            yield line_bytes.decode("utf-8", "replace")
        if is_broken or len(rest_bytes) > MAX_LINE_LENGTH:
            return DAMAGED
    return COMPLETE if unpacker.eof and not rest_bytes else TRUNCATED


def _salvage_chunk(unpacker: zlib._Decompress, packed_bytes: bytes) -> bytes:
    """Decompress the start of a damaged chunk, up to the first bad byte."""
    unpacked_bytes = b""
    with suppress(zlib.error):
        for byte_index in range(len(packed_bytes)):
            unpacked_bytes += unpacker.decompress(packed_bytes[byte_index : byte_index + 1])
    return unpacked_bytes
