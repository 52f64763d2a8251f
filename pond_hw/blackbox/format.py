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

from pond_hw.board import Felt, Frame, Health, Key, Reading, Touch
from pond_hw.rules import Side, grid

FORMAT = 1
"""The number of this form."""

NAME = "pond black box"
"""How a file begins to say what it is."""

LONGEST_LINE = 1 << 17
"""Characters in a line, at the most."""

LARGEST = 1 << 53
"""Numbers beyond this are not written."""

LONGEST_STRIP = 1000
"""Lamps in a score strip, at the most."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
VALUE = {letter: value for value, letter in enumerate(LETTERS)}
GOES_ON = 32
"""The bit of a letter after which the number goes on."""


class Damaged(ValueError):
    """This cannot have been written by us."""


class Head(NamedTuple):
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
    def line(self) -> str:
        """It as the first line, without its end."""
        return json.dumps({"box": NAME, "format": FORMAT} | self._asdict())

    @classmethod
    def read(cls, line: str) -> Head:
        """It as it was written.

        Raises:
            Damaged: this is no first line, or one of another format; the message says which.
        """
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            told = None
        if not isinstance(told, dict) or told.get("box") != NAME:
            raise Damaged("is no black box, as `--record FILE` makes them")
        if told.get("format") != FORMAT:
            wrote = str(told.get("version"))[:20]
            raise Damaged(f"is of another format; pond {wrote} has written it and can read it")
        match told:
            case {
                "version": str(version), "command": str(command), "profile": str(profile), "date": str(date),
                "size": int(size), "lamps": int(lamps), "strip": int(strip),
            } if sound(size, lamps, strip):  # fmt: skip
                return cls(version, command, profile, date, size, lamps, strip)
        raise Damaged("is damaged in its first line")


class Opened(NamedTuple):
    """A board was opened: nothing is lit, nothing was read yet. Rows, lamps in a cell and in each strip; seconds."""

    size: int
    lamps: int
    strip: int
    at: float


class Shown(NamedTuple):
    """The lamps were told to show this, at an instant in seconds."""

    frame: Frame
    at: float


class LampsSay(NamedTuple):
    """The lamps are not reached, and a sentence says why; or None: they are again."""

    trouble: str | None
    at: float


Note = Opened | Reading | Felt | Shown | LampsSay
"""All that is noted of a board."""


class Form:
    """Notes to lines, or lines to notes; either way it remembers the last ones, because lines tell what has changed.

    Instants come back to the microsecond, all else as it was.
    """

    def __init__(self) -> None:
        self._at = 0  # of the last note, in microseconds
        self._open(Opened(0, 1, 0, 0.0))

    def _open(self, opened: Opened) -> None:
        self._opened = opened
        self._cells = grid(opened.size).cells if opened.size else ()
        self._frame = Frame.dark(opened.size, opened.lamps, opened.strip).data
        self._levels: tuple[int, ...] = (0,) * len(self._cells)
        self._raw: tuple[int, ...] | None = None

    def line(self, note: Note) -> str:
        """A note as a line, without its end."""
        at = round(note.at * 1e6)
        since, self._at = at - self._at, at
        told: list[object]
        match note:
            case Opened():
                self._open(note)
                told = ["b", since, note.size, note.lamps, note.strip]
            case Reading():
                told = ["r", since, *self._changes(note)]
            case Touch(cell, down, _, owner):
                told = ["t", since, cell, int(down)] + ([str(owner)] if owner is not None else [])
            case Key(down, _):
                told = ["k", since, int(down)]
            case Health(trouble, _):
                told = ["h", since, trouble]
            case LampsSay(trouble, _):
                told = ["l", since, trouble]
            case Shown(frame, _):
                told = ["f", since, vlq(runs(self._frame, frame.data))]
                self._frame = frame.data
        return json.dumps(told, separators=(",", ":"))

    def _changes(self, reading: Reading) -> list[object]:
        """What of a reading differs from the one before."""
        levels, raw = reading.levels, reading.raw
        pairs = zip(self._levels, levels, strict=True)
        told: list[object] = [[each for n, (old, new) in enumerate(pairs) if old != new for each in (n, new)]]
        if raw is not None:
            before = self._raw or (0,) * len(raw)
            told.append(vlq(new - old for old, new in zip(before, raw, strict=True)))
        self._levels, self._raw = tuple(levels), raw
        return told

    def note(self, line: str) -> Note:
        """What a line says.

        Raises:
            Damaged: it says nothing that could have been written.
        """
        try:
            match json.loads(line):
                case [str(kind), int(since), *rest] if not isinstance(since, bool) and abs(since) <= LARGEST:
                    at = self._at + since
                    note = self._note(kind, rest, at / 1e6)
                    self._at = at
                    return note
        except (ValueError, RecursionError) as error:  # what Python says of no JSON, and of what goes on too long
            raise Damaged(str(error)) from None
        raise Damaged("no note")

    def _note(self, kind: str, rest: list[Any], at: float) -> Note:
        if kind != "b" and not self._cells:
            raise Damaged("no board")
        match kind, rest:
            case "b", [int(size), int(lamps), int(strip)] if sound(size, lamps, strip):
                opened = Opened(size, lamps, strip, at)
                self._open(opened)
                return opened
            case "r", [list(changes), *raw]:
                return self._reading(changes, raw, at)
            case "t", [str(cell), 0 | 1 as down] if cell in self._cells:
                return Touch(cell, bool(down), at)
            case "t", [str(cell), 0 | 1 as down, "light" | "dark" as owner] if cell in self._cells:
                return Touch(cell, bool(down), at, Side[owner.upper()])
            case "k", [0 | 1 as down]:
                return Key(bool(down), at)
            case "h", [str() | None as trouble]:
                return Health(trouble, at)
            case "l", [str() | None as trouble]:
                return LampsSay(trouble, at)
            case "f", [str(changes)]:
                self._frame = changed(self._frame, changes)
                return Shown(Frame(self._opened.size, self._opened.lamps, self._frame, self._opened.strip), at)
        raise Damaged("no note")

    def _reading(self, changes: list[Any], raw: list[Any], at: float) -> Reading:
        levels = list(self._levels)
        for number, level in zip(changes[::2], changes[1::2], strict=True):
            if not (type(number) is type(level) is int and 0 <= number < len(levels) and -1 <= level <= 1):
                raise Damaged("no sensor, or no level")
            levels[number] = level
        made_of = None
        match raw:
            case [str(differences)]:
                before = self._raw or (0,) * len(levels)
                made_of = tuple(old + new for old, new in zip(before, unvlq(differences), strict=True))
            case [_, *_]:
                raise Damaged("no counts")
        self._levels, self._raw = tuple(levels), made_of
        return Reading(self._levels, at, made_of)


def sound(size: int, lamps: int, strip: int) -> bool:
    """Whether there may be such a board."""
    return 3 <= size <= 5 and lamps in {side * side for side in range(1, 9)} and 0 <= strip <= LONGEST_STRIP


def vlq(numbers: Iterable[int]) -> str:
    """Numbers as Base64 VLQ: the sign is the lowest bit, the lowest five bits come first."""
    letters = []
    for number in numbers:
        left = number << 1 if number >= 0 else (-number << 1) | 1
        while left >= GOES_ON:
            letters.append(LETTERS[left & 31 | GOES_ON])
            left >>= 5
        letters.append(LETTERS[left])
    return "".join(letters)


def unvlq(text: str) -> Iterator[int]:
    """The numbers of such a text.

    Raises:
        Damaged: it is none.
    """
    number = shift = 0
    for letter in text:
        value = VALUE.get(letter)
        if value is None or shift > 60:
            raise Damaged("no number")
        number |= (value & 31) << shift
        if value & GOES_ON:
            shift += 5
            continue
        yield -(number >> 1) if number & 1 else number >> 1
        number = shift = 0
    if shift:
        raise Damaged("half a number")


def runs(before: bytes, after: bytes) -> Iterator[int]:
    """How bytes differ: how many stay, how many then differ, by how much each of these; and so on to the last one."""
    stay = 0
    for same, pairs in groupby(zip(before, after, strict=True), lambda pair: pair[0] == pair[1]):
        if same:
            stay = sum(1 for _ in pairs)
        else:
            differences = [new - old for old, new in pairs]
            yield from (stay, len(differences), *differences)


def changed(before: bytes, text: str) -> bytes:
    """The bytes that differ so from those before.

    Raises:
        Damaged: these cannot.
    """
    after, place = bytearray(before), 0
    numbers = unvlq(text)
    for stay in numbers:
        count = next(numbers, 0)
        if stay < 0 or count < 1 or place + stay + count > len(after):
            raise Damaged("more bytes than a frame has")
        place += stay
        for differs in range(place, place + count):
            after[differs] += next(numbers, 256)  # ValueError, if that is no byte
        place += count
    return bytes(after)
