"""What is wrong with a profile: each fault with its place, and all of them together as one error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pond_hw.messages.plurals import count_noun
from pond_hw.rules import PondError


class ProfileFault(NamedTuple):
    """One thing to mend in a profile.

    Attributes:
        line: of the file, 1 first.
        path: the key and, inside a drawing, the row: `sensors.cells, row 2`. May be empty.
        sentence: what is wrong and how to mend it.
        file: the file, if it is another than the one that the error names.
    """

    line: int
    path: str
    sentence: str
    file: str = ""

    def __str__(self) -> str:
        line_text = f"line {self.line} of {self.file}" if self.file else f"line {self.line}"
        return f"{line_text}, {self.path}: {self.sentence}" if self.path else f"{line_text}: {self.sentence}"


class FileLocation(NamedTuple):
    """Where something stands in a profile: the line, and the path as in `ProfileFault`."""

    line: int
    path: str

    def make_fault(self, sentence: str) -> ProfileFault:
        """What is wrong here."""
        return ProfileFault(self.line, self.path, sentence)


class ProfileError(PondError):
    """A profile cannot be used; the message says all that is wrong with it, a line a fault.

    Attributes:
        faults: every fault, from the top of the file down; none if there is no file to have them.
    """

    def __init__(self, message: str, faults: Iterable[ProfileFault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)

    @classmethod
    def for_file(cls, file: str, faults: Iterable[ProfileFault], last: str = "") -> ProfileError:
        """The error that tells these faults of a file, and in the end one sentence more."""
        # stable: faults of one line stay as they were found
        ordered = sorted(faults, key=lambda fault: (fault.file != "", fault.line))
        first_line = f"{escape_unprintable(file)} has {count_noun(len(ordered), 'fault')}:"
        lines = [first_line, *(f"  {fault}" for fault in ordered), last]
        return cls("\n".join(filter(None, lines)), ordered)


def escape_unprintable(text: str) -> str:
    """A text with nothing in it that a terminal would obey."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def quote_value(toml_value: object) -> str:
    """A value of the file as a sentence may quote it: short, and with nothing in it that a terminal would obey."""
    match toml_value:
        case bool():
            return "true" if toml_value else "false"
        case int():  # TOML's hexadecimal numbers may be longer than Python is willing to print
            return str(toml_value) if abs(toml_value) < 10**12 else "so large a number"
        case float():
            return repr(toml_value)
        case str():
            return repr(toml_value if len(toml_value) <= 40 else f"{toml_value[:37]}...")
        case list():
            return "a list"
        case dict():
            return "a table"
    return "a date or a time"
