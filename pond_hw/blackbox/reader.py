"""The black box as it is read again, whole or torn."""

from __future__ import annotations

import zlib
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pond_hw.blackbox.format import BOX_NAME, MAX_LINE_LENGTH, BoxHeader, BoxNote, DamagedRecording, NoteCodec
from pond_hw.blackbox.recorder import GZIP_WBITS
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.rules import PondError

CHUNK_BYTES = 1 << 14
"""Bytes that are unpacked at a time."""

MAX_HEADER_BYTES = 1 << 12
"""Bytes that the first line may have."""

TORN, DAMAGED = "ends in the middle", "is damaged"


class BoxContents(NamedTuple):
    """All that a file holds.

    Attributes:
        header: what it says of itself.
        notes: what was noted, in the order in which it came to be known; an instant may lie before the last one's.
        damage: a sentence, if the end is missing or cannot be read; else None.
    """

    header: BoxHeader
    notes: tuple[BoxNote, ...]
    damage: str | None


def read_box(path: Path) -> BoxContents:
    """Read a file as far as it can be read.

    Raises:
        PondError: it is none of ours, or there is nothing in it; a sentence says so.
    """
    with explain_system_errors(f"{path} cannot be read"), path.open("rb") as file:
        header = _read_header(path, file)
        notes, damage = _read_notes(path, header, file)
    return BoxContents(header, notes, damage)


def _read_header(path: Path, file: BinaryIO) -> BoxHeader:
    line = file.readline(MAX_HEADER_BYTES)
    if not line:
        raise PondError(f"{path} is empty: nothing was recorded.")
    begins = f'{{"box": "{BOX_NAME}"'.encode()
    if not line.endswith(b"\n") and (line.startswith(begins) or begins.startswith(line)):
        raise PondError(f"{path} ends in its first line: nothing of the board is in it.")
    try:
        return BoxHeader.parse_line(line.decode("utf-8", "replace"))
    except DamagedRecording as damaged:
        raise PondError(f"{path} {damaged}.") from None


def _read_notes(path: Path, header: BoxHeader, file: BinaryIO) -> tuple[tuple[BoxNote, ...], str | None]:
    """The notes as far as they can be read, and a sentence if that is not to the end."""
    codec, notes, lacks = NoteCodec(header.format), list[BoxNote](), None
    lines = _unpacked_lines(file)
    try:
        while True:
            notes.append(codec.decode_line(next(lines)))
    except StopIteration as end:
        lacks = end.value
    except DamagedRecording:
        lacks = DAMAGED
    if not notes:
        raise PondError(f"{path} {lacks or 'ends'} right after its first line: nothing of the board is in it.")
    if lacks:
        lasts = max(note.instant for note in notes) - notes[0].instant
        later = "the last second before that may be missing" if lacks == TORN else "what came later is left out"
        lacks = f"The file {lacks} after {lasts:.1f} s; {later}."
    return tuple(notes), lacks


def _unpacked_lines(file: BinaryIO) -> Generator[str, None, str | None]:
    """The lines of what is packed, and then what is wrong with its end: a return value, None if nothing is."""
    unpacker, rest = zlib.decompressobj(wbits=GZIP_WBITS), b""
    while not unpacker.eof and (packed := file.read(CHUNK_BYTES)):
        kept = unpacker.copy()
        try:
            text, broken = unpacker.decompress(packed), False
        except zlib.error:
            text, broken = _salvage_chunk(kept, packed), True
        *lines, rest = (rest + text).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "replace")
        if broken or len(rest) > MAX_LINE_LENGTH:
            return DAMAGED
    return None if unpacker.eof and not rest else TORN


def _salvage_chunk(unpacker: zlib._Decompress, packed: bytes) -> bytes:
    """What can be had of a piece in which there is damage."""
    text = b""
    with suppress(zlib.error):
        for number in range(len(packed)):
            text += unpacker.decompress(packed[number : number + 1])
    return text
