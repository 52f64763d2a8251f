"""Kinds of profile fields: accepted values, and error messages for all others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Generic, TypeVar

from pond_hw.messages.message import Argument, Message, PondError
from pond_hw.profile.faults import quote_text, quote_value
from pond_hw.rules import Cell, get_grid

T = TypeVar("T")


class FieldError(PondError):
    """Error for a rejected value of a field. The message says what to write instead."""


@dataclass(eq=False)
class Field(Generic[T]):
    """Key of a profile.

    Attributes:
        meaning: description for the reference page.
        example: sample value, if the key is required.
        default: value if the key is missing.
        unit: unit for the reference page, such as `mA`.
        limits: accepted values for the reference page, unless the kind of field implies them.
        default_text: default for the reference page, if it is not a plain value.
        drivers: sensor drivers with this key; empty for all.
        measured: True if set-up may change it.
        drawn: True if it can be a drawing.
        key: name in the file, equal to the attribute's name.
    """

    meaning: str
    _: KW_ONLY
    example: str = ""
    default: T | None = None
    unit: str = ""
    limits: str = ""
    default_text: str = ""
    drivers: Sequence[str] = ()
    measured: bool = False
    drawn: bool = False
    key: str = ""

    def __set_name__(self, owner: type, attribute_name: str) -> None:
        self.key = attribute_name

    def parse_value(self, toml_value: object) -> T:
        """Return the value as a Python object.

        Raises:
            FieldError: the field doesn't accept the value.
        """
        raise NotImplementedError("Drawings, lists and tables have readers of their own.")


@dataclass(eq=False)
class DrawnField(Field[str]):
    """Drawing that set-up may measure. A `WordForm` defines the syntax of its words."""

    _: KW_ONLY
    limits: str = "see below"
    measured: bool = True
    drawn: bool = True


@dataclass(eq=False)
class IntegerField(Field[int]):
    """Integer within bounds: `integer`, `gpio` or `address`. `quote` formats it in messages."""

    low: int
    high: int
    _: KW_ONLY
    kind: str = "integer"
    quote: Callable[[object], str | Message] = quote_value

    def parse_value(self, toml_value: object) -> int:
        if type(toml_value) is int and self.low <= toml_value <= self.high:
            return toml_value
        low, high = self.quote(self.low), self.quote(self.high)
        raise FieldError(Message(f"profile.field.{self.kind}", low=low, high=high, value=self.quote(toml_value)))


@dataclass(eq=False)
class NumberField(Field[float]):
    """Number within bounds, possibly with a fraction."""

    low: float
    high: float

    def parse_value(self, toml_value: object) -> float:
        if isinstance(toml_value, int | float) and type(toml_value) is not bool and self.low <= toml_value <= self.high:
            return float(toml_value)  # NaN fails every comparison
        raise FieldError(Message("profile.field.number", low=self.low, high=self.high, value=quote_value(toml_value)))

    def with_bounds(self, low: float, high: float, default: float) -> NumberField:
        return replace(self, low=low, high=high, default=default)


@dataclass(eq=False)
class ChoiceField(Field[str]):
    """One of several names."""

    choices: Sequence[str]

    def parse_value(self, toml_value: object) -> str:
        if isinstance(toml_value, str) and toml_value in self.choices:
            return toml_value
        choices, value = tuple(map(quote_text, self.choices)), quote_value(toml_value)
        if nearest := nearest_word(toml_value, self.choices) if isinstance(toml_value, str) else None:
            message = Message("profile.field.misspelt_choice", choices=choices, value=value, near=quote_text(nearest))
            raise FieldError(message)
        raise FieldError(Message("profile.field.choice", choices=choices, value=value))


@dataclass(eq=False)
class ColourOrderField(ChoiceField):
    """Order of the three colours in a lamp's data."""

    def parse_value(self, toml_value: object) -> str:
        """Return the order. Raise a specific error for lamps with a white channel."""
        if isinstance(toml_value, str) and set("RGBW") <= set(toml_value.upper()):
            raise FieldError(Message("profile.lamps.white"))
        return super().parse_value(toml_value)


@dataclass(eq=False)
class LineField(Field[str]):
    """A single line of text for people."""

    max_length: int = 80

    def parse_value(self, toml_value: object) -> str:
        match toml_value:
            case str() if toml_value.strip() and toml_value.isprintable() and len(toml_value) <= self.max_length:
                return toml_value
        raise FieldError(Message("profile.field.line", length=self.max_length, value=quote_value(toml_value)))


class NamesField(Field[list[str]]):
    """List of names."""

    def parse_value(self, toml_value: object) -> list[str]:
        if isinstance(toml_value, list) and all(isinstance(item, str) and item.isprintable() for item in toml_value):
            return toml_value
        raise FieldError(Message("profile.field.names", example=self.example, value=quote_value(toml_value)))


@dataclass(eq=False)
class ListField(Field[list[T]]):
    """List whose items are checked separately. `noun` is what the reference page calls them."""

    noun: str = "whole numbers"
    sample: str = "[0, 1, 2]"


def parse_integer(list_item: object) -> int:
    if type(list_item) is int:
        return list_item
    raise FieldError(Message("profile.item.integer", value=quote_value(list_item)))


def parse_cell(list_item: object, size: int) -> Cell:
    cell_names = get_grid(size).cells
    if isinstance(list_item, str) and list_item in cell_names:
        return list_item
    value = quote_value(list_item)
    raise FieldError(Message("profile.item.cell", first=cell_names[0], last=cell_names[-1], value=value))


@dataclass(frozen=True)
class WordForm(Generic[T]):
    """Syntax of the word that describes a cell in a drawing of the board.

    Attributes:
        name: last part of the message id for an invalid word.
        make_value: converts the pattern's groups to a value; None if they are invalid.
        example_row: sample row, if the drawing is required.
        limits: numbers to fill in the error message.
    """

    name: str
    pattern: str
    make_value: Callable[..., T | None]
    example_row: str = ""
    limits: Mapping[str, Argument] = field(default_factory=dict)

    def parse_word(self, word: str, cell: Cell | Message) -> T:
        """Parse a word drawn for a cell.

        Raises:
            FieldError: the word is invalid.
        """
        pattern_match = re.fullmatch(self.pattern, word)
        drawn_value = self.make_value(*pattern_match.groups()) if pattern_match else None
        if drawn_value is None:
            raise FieldError(Message(f"profile.word.{self.name}", word=quote_text(word), cell=cell, **self.limits))
        return drawn_value


def nearest_word(misspelt_word: str, known_words: Sequence[str]) -> str | None:
    from difflib import get_close_matches  # not needed for a valid profile

    words_by_lower = {known_word.lower(): known_word for known_word in known_words}
    nearest_words = get_close_matches(misspelt_word[:80].lower(), words_by_lower, 1)
    return words_by_lower[nearest_words[0]] if nearest_words else None


def format_address(toml_value: object) -> str | Message:
    return f"{toml_value:#04x}" if type(toml_value) is int and 0 <= toml_value < 256 else quote_value(toml_value)
