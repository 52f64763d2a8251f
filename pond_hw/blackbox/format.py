"""What is noted, and how it is written: a line of JSON each, most of it as what has changed.

    ["b",0,4,1,0]                    a board was opened: rows, lamps in a cell, lamps in each score strip
    ["r",50000,[5,1],"AAC..."]       a reading: levels that differ (number of the sensor, level), and what they were
                                     made of, as differences
    ["t",15000,"b2",1,"light"]       a touch: cell, down, owner where sensors tell it
    ["k",20000,1]                    the key beside the cells
    ["h",200000,"The sensors ..."]   the sensors are lost; null: they are back
    ["l",33333,"The lamps ..."]      the lamps are not reached; null: they are again
    ["f",33333,"gBAAC..."]           a frame: the bytes that differ

The second element is the time since the line before in microseconds; below zero, if a touch is told of an instant
that lies before it. Differences are written as Base64 VLQ, as in source maps: five bits a letter, one letter for
what is between -15 and 15. In a frame they come in runs: how many bytes stay, how many differ, by how much each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from pond_hw.board import Frame, HealthEvent, KeyEvent, Sample, SensorEvent, Touch
from pond_hw.rules import Side, get_grid

BOX_FORMAT = 1
"""The number of this form."""

BOX_NAME = "pond black box"
"""How a file begins to say what it is."""

MAX_LINE_LENGTH = 1 << 17
"""Characters in a line, at the most."""

MAX_NUMBER = 1 << 53
"""Numbers beyond this are not written."""

MAX_STRIP_LAMPS = 1000
"""Lamps in a score strip, at the most."""

VLQ_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
VLQ_VALUES = {letter: value for value, letter in enumerate(VLQ_LETTERS)}
CONTINUATION_BIT = 32
"""The bit of a letter after which the number goes on."""


class DamagedRecording(ValueError):
    """This cannot have been written by us."""


class BoxHeader(NamedTuple):
    """What a file says of itself in its first line, in plain text.

    Attributes:
        version: of the program that wrote it.
        command: which one wrote it, such as `serve`.
        profile: the name of the board's profile; empty if it has none.
        date: the day, as `2026-01-31`; a label for people.
        size: rows and columns of the first board.
        lamps: its lamps in a cell.
        strip: its lamps in each score strip.
    """

    version: str
    command: str
    profile: str
    date: str
    size: int
    lamps: int
    strip: int

    @property
    def first_line(self) -> str:
        """It as the first line, without its end."""
        return json.dumps({"box": BOX_NAME, "format": BOX_FORMAT} | self._asdict())

    @classmethod
    def parse_line(cls, line: str) -> BoxHeader:
        """It as it was written.

        Raises:
            DamagedRecording: this is no first line, or one of another format; the message says which.
        """
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            told = None
        if not isinstance(told, dict) or told.get("box") != BOX_NAME:
            raise DamagedRecording("is no black box, as `--record FILE` makes them")
        if told.get("format") != BOX_FORMAT:
            wrote = str(told.get("version"))[:20]
            raise DamagedRecording(f"is of another format; pond {wrote} has written it and can read it")
        match told:
            case {
                "version": str(version), "command": str(command), "profile": str(profile), "date": str(date),
                "size": int(size), "lamps": int(lamps), "strip": int(strip),
            } if is_valid_board(size, lamps, strip):  # fmt: skip
                return cls(version, command, profile, date, size, lamps, strip)
        raise DamagedRecording("is damaged in its first line")


class BoardOpened(NamedTuple):
    """A board was opened: nothing is lit, nothing was read yet. Rows, lamps in a cell and in each strip; seconds."""

    size: int
    lamps_per_cell: int
    strip_lamps: int
    instant: float


class FrameShown(NamedTuple):
    """The lamps were told to show this, at an instant in seconds."""

    frame: Frame
    instant: float


class LampsHealth(NamedTuple):
    """The lamps are not reached, and a sentence says why; or None: they are again."""

    trouble: str | None
    instant: float


BoxNote = BoardOpened | Sample | SensorEvent | FrameShown | LampsHealth
"""All that is noted of a board."""


class NoteCodec:
    """Notes to lines, or lines to notes; either way it remembers the last ones, because lines tell what has changed.

    Instants come back to the microsecond, all else as it was.
    """

    def __init__(self) -> None:
        self._at = 0  # of the last note, in microseconds
        self._begin_board(BoardOpened(0, 1, 0, 0.0))

    def _begin_board(self, opened: BoardOpened) -> None:
        self._opened = opened
        self._cells = get_grid(opened.size).cells if opened.size else ()
        self._frame = Frame.dark_frame(opened.size, opened.lamps_per_cell, opened.strip_lamps).data
        self._levels: tuple[int, ...] = (0,) * len(self._cells)
        self._raw: tuple[int, ...] | None = None

    def encode_note(self, note: BoxNote) -> str:
        """A note as a line, without its end."""
        at = round(note.instant * 1e6)
        since, self._at = at - self._at, at
        told: list[object]
        match note:
            case BoardOpened():
                self._begin_board(note)
                told = ["b", since, note.size, note.lamps_per_cell, note.strip_lamps]
            case Sample():
                told = ["r", since, *self._encode_reading(note)]
            case Touch(cell, down, _, owner):
                told = ["t", since, cell, int(down)] + ([str(owner)] if owner is not None else [])
            case KeyEvent(down, _):
                told = ["k", since, int(down)]
            case HealthEvent(trouble, _):
                told = ["h", since, trouble]
            case LampsHealth(trouble, _):
                told = ["l", since, trouble]
            case FrameShown(frame, _):
                told = ["f", since, encode_vlq(encode_runs(self._frame, frame.data))]
                self._frame = frame.data
        return json.dumps(told, separators=(",", ":"))

    def _encode_reading(self, reading: Sample) -> list[object]:
        """What of a reading differs from the one before."""
        levels, raw = reading.levels, reading.raw_values
        pairs = zip(self._levels, levels, strict=True)
        told: list[object] = [[each for n, (old, new) in enumerate(pairs) if old != new for each in (n, new)]]
        if raw is not None:
            before = self._raw or (0,) * len(raw)
            told.append(encode_vlq(new - old for old, new in zip(before, raw, strict=True)))
        self._levels, self._raw = tuple(levels), raw
        return told

    def decode_line(self, line: str) -> BoxNote:
        """What a line says.

        Raises:
            DamagedRecording: it says nothing that could have been written.
        """
        try:
            match json.loads(line):
                case [str(kind), int(since), *rest] if not isinstance(since, bool) and abs(since) <= MAX_NUMBER:
                    at = self._at + since
                    note = self._decode_note(kind, rest, at / 1e6)
                    self._at = at
                    return note
        except (ValueError, RecursionError) as error:  # what Python says of no JSON, and of what goes on too long
            raise DamagedRecording(str(error)) from None
        raise DamagedRecording("no note")

    def _decode_note(self, kind: str, rest: list[Any], at: float) -> BoxNote:
        if kind != "b" and not self._cells:
            raise DamagedRecording("no board")
        match kind, rest:
            case "b", [int(size), int(lamps), int(strip)] if is_valid_board(size, lamps, strip):
                opened = BoardOpened(size, lamps, strip, at)
                self._begin_board(opened)
                return opened
            case "r", [list(changes), *raw]:
                return self._decode_reading(changes, raw, at)
            case "t", [str(cell), 0 | 1 as down] if cell in self._cells:
                return Touch(cell, bool(down), at)
            case "t", [str(cell), 0 | 1 as down, "light" | "dark" as owner] if cell in self._cells:
                return Touch(cell, bool(down), at, Side[owner.upper()])
            case "k", [0 | 1 as down]:
                return KeyEvent(bool(down), at)
            case "h", [str() | None as trouble]:
                return HealthEvent(trouble, at)
            case "l", [str() | None as trouble]:
                return LampsHealth(trouble, at)
            case "f", [str(changes)]:
                self._frame = apply_runs(self._frame, changes)
                return FrameShown(
                    Frame(self._opened.size, self._opened.lamps_per_cell, self._frame, self._opened.strip_lamps), at
                )
        raise DamagedRecording("no note")

    def _decode_reading(self, changes: list[Any], raw: list[Any], at: float) -> Sample:
        levels = list(self._levels)
        for number, level in zip(changes[::2], changes[1::2], strict=True):
            if not (type(number) is type(level) is int and 0 <= number < len(levels) and -1 <= level <= 1):
                raise DamagedRecording("no sensor, or no level")
            levels[number] = level
        made_of = None
        match raw:
            case [str(differences)]:
                before = self._raw or (0,) * len(levels)
                made_of = tuple(old + new for old, new in zip(before, decode_vlq(differences), strict=True))
            case [_, *_]:
                raise DamagedRecording("no counts")
        self._levels, self._raw = tuple(levels), made_of
        return Sample(self._levels, at, made_of)


def is_valid_board(size: int, lamps: int, strip: int) -> bool:
    """Whether there may be such a board."""
    return 3 <= size <= 5 and lamps in {side * side for side in range(1, 9)} and 0 <= strip <= MAX_STRIP_LAMPS


def encode_vlq(numbers: Iterable[int]) -> str:
    """Numbers as Base64 VLQ: the sign is the lowest bit, the lowest five bits come first."""
    letters = []
    for number in numbers:
        left = number << 1 if number >= 0 else (-number << 1) | 1
        while left >= CONTINUATION_BIT:
            letters.append(VLQ_LETTERS[left & 31 | CONTINUATION_BIT])
            left >>= 5
        letters.append(VLQ_LETTERS[left])
    return "".join(letters)


def decode_vlq(text: str) -> Iterator[int]:
    """The numbers of such a text.

    Raises:
        DamagedRecording: it is none.
    """
    number = shift = 0
    for letter in text:
        value = VLQ_VALUES.get(letter)
        if value is None or shift > 60:
            raise DamagedRecording("no number")
        number |= (value & 31) << shift
        if value & CONTINUATION_BIT:
            shift += 5
            continue
        yield -(number >> 1) if number & 1 else number >> 1
        number = shift = 0
    if shift:
        raise DamagedRecording("half a number")


def encode_runs(before: bytes, after: bytes) -> Iterator[int]:
    """How bytes differ: how many stay, how many then differ, by how much each of these; and so on to the last one."""
    stay = 0
    for same, pairs in groupby(zip(before, after, strict=True), lambda pair: pair[0] == pair[1]):
        if same:
            stay = sum(1 for _ in pairs)
        else:
            differences = [new - old for old, new in pairs]
            yield from (stay, len(differences), *differences)


def apply_runs(before: bytes, text: str) -> bytes:
    """The bytes that differ so from those before.

    Raises:
        DamagedRecording: these cannot.
    """
    after, place = bytearray(before), 0
    numbers = decode_vlq(text)
    for stay in numbers:
        count = next(numbers, 0)
        if stay < 0 or count < 1 or place + stay + count > len(after):
            raise DamagedRecording("more bytes than a frame has")
        place += stay
        for differs in range(place, place + count):
            after[differs] += next(numbers, 256)  # ValueError, if that is no byte
        place += count
    return bytes(after)
