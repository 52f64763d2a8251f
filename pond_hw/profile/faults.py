"""Faults in a profile, each with its location, and the error that combines them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pond_hw.messages.message import Message, PondError


class ProfileFault(NamedTuple):
    """One thing to correct in a profile.

    Attributes:
        line: line in the file, from 1.
        place: a key, or a message that also names the row of a drawing or the item of a list; may be empty.
        file: the file, if it isn't the one that the error names.
    """

    line: int
    place: str | Message
    reason: Message
    file: str = ""

    @property
    def message(self) -> Message:
        line, place, reason, file = self
        if file:
            return Message("profile.fault.in_file", line=line, file=file, place=place, reason=reason)
        if place:
            return Message("profile.fault.at_key", line=line, place=place, reason=reason)
        return Message("profile.fault.at_line", line=line, reason=reason)


class FileLocation(NamedTuple):
    """Location in a profile, as in `ProfileFault`."""

    line: int
    place: str | Message

    def make_fault(self, reason: Message) -> ProfileFault:
        return ProfileFault(self.line, self.place, reason)


class ProfileError(PondError):
    """Error for an unusable profile. The message has one line per fault.

    Attributes:
        faults: all faults from the top of the file; empty if the file does not exist.
    """

    def __init__(self, message: Message, faults: Iterable[ProfileFault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)

    @classmethod
    def for_file(cls, file: str, faults: Iterable[ProfileFault], *, measured: bool = False) -> ProfileError:
        # The sort is stable: faults on the same line keep their order.
        ordered = sorted(faults, key=lambda fault: (fault.file != "", fault.line))
        lines = tuple(fault.message for fault in ordered)
        kind = "measured" if measured else "profile"
        message = Message(f"profile.faults.{kind}", file=escape_unprintable(file), count=len(lines), faults=lines)
        return cls(message, ordered)


def escape_unprintable(text: str) -> str:
    return text if text.isprintable() else "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def quote_text(text: str) -> str:
    """Quote a string as TOML, shortened and without characters that a terminal would interpret."""
    return f'"{escape_unprintable(text if len(text) <= 40 else f"{text[:37]}...")}"'


def quote_value(toml_value: object) -> str | Message:
    """Quote a TOML value for a message, or name its type instead."""
    match toml_value:
        case bool():
            return "true" if toml_value else "false"
        case int() if abs(toml_value) >= 10**12:  # may have too many digits for Python to format
            return Message("profile.value.large_number")
        case str():
            return quote_text(toml_value)
        case list():
            return Message("profile.value.list")
        case dict():
            return Message("profile.value.table")
    return str(toml_value)
