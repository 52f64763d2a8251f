"""What is wrong with a profile: each fault with its place, and all of them together as one error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pond_hw.messages.message import Message, PondError


class ProfileFault(NamedTuple):
    """One thing to correct in a profile.

    Attributes:
        line: of the file, 1 first.
        place: the key, or a message that names the row of a drawing or the item of a list too; may be empty.
        reason: what is wrong and what to write instead.
        file: the file, if it is another than the one that the error names.
    """

    line: int
    place: str | Message
    reason: Message
    file: str = ""

    @property
    def message(self) -> Message:
        """The place and the reason."""
        line, place, reason, file = self
        if file:
            return Message("profile.fault.in_file", line=line, file=file, place=place, reason=reason)
        if place:
            return Message("profile.fault.at_key", line=line, place=place, reason=reason)
        return Message("profile.fault.at_line", line=line, reason=reason)


class FileLocation(NamedTuple):
    """Where something is in a profile, as in `ProfileFault`."""

    line: int
    place: str | Message

    def make_fault(self, reason: Message) -> ProfileFault:
        """What is wrong here."""
        return ProfileFault(self.line, self.place, reason)


class ProfileError(PondError):
    """A profile cannot be used; the message names everything that is wrong with it, a line a fault.

    Attributes:
        faults: every fault, from the top of the file down; none if there is no file to have them.
    """

    def __init__(self, message: Message, faults: Iterable[ProfileFault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)

    @classmethod
    def for_file(cls, file: str, faults: Iterable[ProfileFault], *, measured: bool = False) -> ProfileError:
        """The error that lists these faults of a profile, or of a file of measured values."""
        # stable: faults of one line stay as they were found
        ordered = sorted(faults, key=lambda fault: (fault.file != "", fault.line))
        lines = tuple(fault.message for fault in ordered)
        kind = "measured" if measured else "profile"
        message = Message(f"profile.faults.{kind}", file=escape_unprintable(file), count=len(lines), faults=lines)
        return cls(message, ordered)


def escape_unprintable(text: str) -> str:
    """A text with nothing in it that a terminal would obey."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def quote_text(text: str) -> str:
    """A text of the file as TOML has it, short, and with nothing in it that a terminal would obey."""
    return f'"{escape_unprintable(text if len(text) <= 40 else f"{text[:37]}...")}"'


def quote_value(toml_value: object) -> str | Message:
    """A value of the file as a message may quote it: as it is written, or what kind of thing it is."""
    match toml_value:
        case bool():
            return "true" if toml_value else "false"
        case int() if abs(toml_value) >= 10**12:  # may be longer than Python is willing to print
            return Message("profile.value.large_number")
        case str():
            return quote_text(toml_value)
        case list():
            return Message("profile.value.list")
        case dict():
            return Message("profile.value.table")
    return str(toml_value)
