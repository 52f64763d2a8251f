"""Notes of a recording and their encoding as JSON arrays, one per line.

    ["b",0,4,1,0]                    board opened: rows, lamps per cell, lamps per score strip
    ["b",0,4,1,0,2]                  the same, with lamps in two turn keys
    ["r",50000,[0,1,...],[512,...]]  sample: level of each sensor, and raw counts if the sensors are linear
    ["t",15000,"b2",1,"light"]       touch: cell, down, owner if the sensors detect it
    ["k",20000,1]                    undo key: down
    ["d",20000,1,"light"]            turn key: down, side; no side if the players share one key
    ["h",200000,"The sensors ..."]   sensor fault, in English; null when the sensors work again
    ["l",33333,"The lamps ..."]      lamp fault, in English; null when the lamps work again
    ["f",33333,"AAD/..."]            frame: its bytes in Base64

The second element is the time since the previous line, in microseconds. It is negative for a touch that was reported
late.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any, NamedTuple

from pond_hw.board import Frame, HealthEvent, KeyEvent, Sample, SensorEvent, Touch, TurnKeyEvent
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, PondError, as_message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Side, get_grid

BOX_FORMAT = 2
"""Version of the file format, written to the first line of each file."""

BOX_NAME = "pond black box"
"""Value of the `box` field in the first line."""

MAX_LINE_LENGTH = 1 << 17
"""Maximum length of a line, in characters."""

MAX_NUMBER = 1 << 53
"""Maximum absolute value of a number."""

SIDE_FIELDS: tuple[list[str], ...] = ([], ["light"], ["dark"])
"""Valid values for the optional side at the end of a line."""

MAX_STRIP_LAMPS = 1000
"""Maximum number of lamps in a score strip."""


class DamagedRecording(ValueError):
    """Raised for a line that does not follow the format."""


class BoxHeader(NamedTuple):
    """First line of a file. `size`, `lamps` and `strip` are the dimensions of the first board, as in `BoardOpened`."""

    version: str
    command: str
    profile: str
    date: str
    size: int
    lamps: int
    strip: int

    @property
    def first_line(self) -> str:
        """The header as a line without the newline."""
        return json.dumps({"box": BOX_NAME, "format": BOX_FORMAT} | self._asdict())

    @classmethod
    def parse_line(cls, line_text: str, file_name: str) -> BoxHeader:
        """Parse the first line of a file.

        Raises:
            PondError: if the file is not a recording, or if its format version is not supported.
        """
        try:
            header_fields = json.loads(line_text)
        except (ValueError, RecursionError):
            header_fields = None
        if not isinstance(header_fields, dict) or header_fields.get("box") != BOX_NAME:
            raise PondError(Message("recording.not_a_recording", file=file_name))
        if header_fields.get("format") != BOX_FORMAT:
            writer_version = str(header_fields.get("version"))[:20]
            raise PondError(Message("recording.other_format", file=file_name, version=writer_version))
        match header_fields:
            case {
                "version": str(version), "command": str(command), "profile": str(profile), "date": str(date),
                "size": int(size), "lamps": int(lamps), "strip": int(strip),
            } if is_valid_board(size, lamps, strip):  # fmt: skip
                return cls(version, command, profile, date, size, lamps, strip)
        raise PondError(Message("recording.damaged_header", file=file_name))


class BoardOpened(NamedTuple):
    """Note that a board has been opened. All lamps are off, and no sensor has been read yet."""

    size: int
    lamps_per_cell: int
    strip_lamps: int
    instant: float
    key_lamps: int = 0

    @property
    def dark_frame(self) -> Frame:
        """Frame of this board with all lamps off."""
        return Frame.dark_frame(self.size, self.lamps_per_cell, self.strip_lamps, self.key_lamps)


class FrameShown(NamedTuple):
    """Note that the lamps have shown a frame. `instant` is the time in seconds."""

    frame: Frame
    instant: float


class LampsHealth(NamedTuple):
    """Note that a lamp fault has begun, or has ended if `trouble` is None."""

    trouble: Message | None
    instant: float


BoxNote = BoardOpened | Sample | SensorEvent | FrameShown | LampsHealth
"""Any kind of note in a recording."""


class NoteCodec:
    """Encoder or decoder for the notes of one recording. Times are rounded to microseconds.

    Each line stores the time since the previous line, so notes must be passed in order.
    """

    def __init__(self) -> None:
        self._instant = 0  # Time of the last note, in microseconds
        self._board: BoardOpened | None = None

    def encode_note(self, note: BoxNote) -> str:
        """Encode a note as a line without the newline."""
        instant = round(note.instant * 1e6)
        elapsed, self._instant = instant - self._instant, instant
        note_fields: list[object]
        match note:
            case BoardOpened():
                key_lamps = [note.key_lamps] if note.key_lamps else []
                note_fields = ["b", elapsed, note.size, note.lamps_per_cell, note.strip_lamps, *key_lamps]
            case Sample(levels, _, counts):
                note_fields = ["r", elapsed, levels] + ([counts] if counts is not None else [])
            case Touch(cell, down, _, owner):
                note_fields = ["t", elapsed, cell, int(down), *_encode_side(owner)]
            case KeyEvent(down, _):
                note_fields = ["k", elapsed, int(down)]
            case TurnKeyEvent(side, down, _):
                note_fields = ["d", elapsed, int(down), *_encode_side(side)]
            case HealthEvent(trouble, _):
                note_fields = ["h", elapsed, None if trouble is None else to_english(trouble)]
            case LampsHealth(trouble, _):
                note_fields = ["l", elapsed, None if trouble is None else to_english(trouble)]
            case FrameShown(frame, _):
                note_fields = ["f", elapsed, base64.b64encode(frame.data).decode()]
        return json.dumps(note_fields, separators=(",", ":"))

    def decode_line(self, line_text: str) -> BoxNote:
        """Decode a line.

        Raises:
            DamagedRecording: if the line does not follow the format.
        """
        try:
            match json.loads(line_text):
                case [str(kind), int(elapsed), *values] if not isinstance(elapsed, bool) and abs(elapsed) <= MAX_NUMBER:
                    instant = self._instant + elapsed
                    note = self._decode_note(kind, values, instant / 1e6)
                    self._instant = instant
                    return note
        except (ValueError, TypeError, RecursionError) as error:
            raise DamagedRecording(describe_system_error(error)) from None
        raise DamagedRecording("no note")

    def _decode_note(self, kind: str, values: list[Any], instant: float) -> BoxNote:
        match kind, values:
            case "b", [int(size), int(lamps), int(strip), *keys] if is_valid_board(size, lamps, strip):
                if keys not in ([], [1], [2]):
                    raise DamagedRecording("no board")
                self._board = BoardOpened(size, lamps, strip, instant, *keys)
                return self._board
            case "k", [0 | 1 as down] if self._board:
                return KeyEvent(bool(down), instant)
            case "d", [0 | 1 as down, *side] if self._board and side in SIDE_FIELDS:
                return TurnKeyEvent(_decode_side(side), bool(down), instant)
            case "h", [str() | None as text] if self._board:
                return HealthEvent(None if text is None else as_message(text), instant)
            case "l", [str() | None as text] if self._board:
                return LampsHealth(None if text is None else as_message(text), instant)
        if self._board:
            return _decode_board_note(self._board, kind, values, instant)
        raise DamagedRecording("no board")


def _decode_board_note(board: BoardOpened, kind: str, values: list[Any], instant: float) -> BoxNote:
    """Decode a note about cells or lamps, and check that the board has them."""
    match kind, values:
        case "r", [list(levels), *counts] if _is_row(board, levels, 1) and len(counts) < 2:
            if all(isinstance(row, list) and _is_row(board, row, MAX_NUMBER) for row in counts):
                return Sample(tuple(levels), instant, tuple(counts[0]) if counts else None)
        case "t", [str(cell), 0 | 1 as down, *owner] if cell in get_grid(board.size).cells:
            if owner in SIDE_FIELDS:
                return Touch(cell, bool(down), instant, _decode_side(owner))
        case "f", [str(text)]:
            frame_bytes = base64.b64decode(text, validate=True)
            frame = board.dark_frame
            if len(frame_bytes) == len(frame.data):
                return FrameShown(replace(frame, data=frame_bytes), instant)
    raise DamagedRecording("no note")


def _encode_side(side: Side | None) -> list[str]:
    return [] if side is None else [str(side)]


def _decode_side(side_field: list[str]) -> Side | None:
    return Side[side_field[0].upper()] if side_field else None


def _is_row(board: BoardOpened, numbers: list[Any], limit: int) -> bool:
    """Return True if there is exactly one integer per sensor and none exceeds the limit in absolute value."""
    return len(numbers) == board.size**2 and all(type(number) is int and abs(number) <= limit for number in numbers)


def is_valid_board(size: int, lamps_per_cell: int, strip: int) -> bool:
    """Return True if Pond supports a board with these dimensions."""
    return 3 <= size <= 5 and lamps_per_cell in {side * side for side in range(1, 9)} and 0 <= strip <= MAX_STRIP_LAMPS
