"""The kinds of fields that a profile has: what each takes, and the message about what it does not take."""

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
    """A field does not take a value; the message says what to write instead."""


@dataclass(eq=False)
class Field(Generic[T]):
    """A key of a profile.

    Attributes:
        meaning: what it is, for the reference page.
        example: a value to show, if the key must be there.
        default: what it is if the key is not there.
        unit: such as `mA`, for the reference page.
        limits: what it may be, for the reference page, where its kind does not say it.
        usual: its default, for the reference page, where that is no plain value.
        drivers: those whose sensors have it; empty if all have.
        measured: whether set-up may change it.
        drawn: whether it is drawn, or may be.
        key: as it is written: the name of the attribute that holds the field.
    """

    meaning: str
    _: KW_ONLY
    example: str = ""
    default: T | None = None
    unit: str = ""
    limits: str = ""
    usual: str = ""
    drivers: Sequence[str] = ()
    measured: bool = False
    drawn: bool = False
    key: str = ""

    def __set_name__(self, owner: type, attribute_name: str) -> None:
        self.key = attribute_name

    def parse_value(self, toml_value: object) -> T:
        """The value, if the field takes it.

        Raises:
            FieldError: it does not.
        """
        raise NotImplementedError("Drawings, lists and tables have readers of their own.")


@dataclass(eq=False)
class DrawnField(Field[str]):
    """A drawing, which set-up may measure; what stands for a cell in it is a `WordForm`."""

    _: KW_ONLY
    limits: str = "see below"
    measured: bool = True
    drawn: bool = True


@dataclass(eq=False)
class IntegerField(Field[int]):
    """A whole number within bounds: `integer`, `gpio` or `address`; a message shows it as `quote` does."""

    low: int
    high: int
    _: KW_ONLY
    kind: str = "integer"
    quote: Callable[[object], str | Message] = quote_value

    def parse_value(self, toml_value: object) -> int:
        """The number."""
        if type(toml_value) is int and self.low <= toml_value <= self.high:
            return toml_value
        low, high = self.quote(self.low), self.quote(self.high)
        raise FieldError(Message(f"profile.field.{self.kind}", low=low, high=high, value=self.quote(toml_value)))


@dataclass(eq=False)
class NumberField(Field[float]):
    """A number within bounds, whole or not."""

    low: float
    high: float

    def parse_value(self, toml_value: object) -> float:
        """The number."""
        if isinstance(toml_value, int | float) and type(toml_value) is not bool and self.low <= toml_value <= self.high:
            return float(toml_value)  # NaN is within no bounds
        raise FieldError(Message("profile.field.number", low=self.low, high=self.high, value=quote_value(toml_value)))

    def with_bounds(self, low: float, high: float, default: float) -> NumberField:
        """The same field with other bounds and another default."""
        return replace(self, low=low, high=high, default=default)


@dataclass(eq=False)
class ChoiceField(Field[str]):
    """One of some names."""

    choices: Sequence[str]

    def parse_value(self, toml_value: object) -> str:
        """The name."""
        if isinstance(toml_value, str) and toml_value in self.choices:
            return toml_value
        choices, value = tuple(map(quote_text, self.choices)), quote_value(toml_value)
        if nearest := nearest_word(toml_value, self.choices) if isinstance(toml_value, str) else None:
            message = Message("profile.field.misspelt_choice", choices=choices, value=value, near=quote_text(nearest))
            raise FieldError(message)
        raise FieldError(Message("profile.field.choice", choices=choices, value=value))


@dataclass(eq=False)
class ColourOrderField(ChoiceField):
    """Order of a lamp's three colours."""

    def parse_value(self, toml_value: object) -> str:
        """Return the order; lamps with a white channel are refused by name."""
        if isinstance(toml_value, str) and set("RGBW") <= set(toml_value.upper()):
            raise FieldError(Message("profile.lamps.white"))
        return super().parse_value(toml_value)


@dataclass(eq=False)
class LineField(Field[str]):
    """One line of text for people."""

    max_length: int = 80

    def parse_value(self, toml_value: object) -> str:
        """The line."""
        match toml_value:
            case str() if toml_value.strip() and toml_value.isprintable() and len(toml_value) <= self.max_length:
                return toml_value
        raise FieldError(Message("profile.field.line", length=self.max_length, value=quote_value(toml_value)))


class NamesField(Field[list[str]]):
    """A list of names."""

    def parse_value(self, toml_value: object) -> list[str]:
        """The names."""
        if isinstance(toml_value, list) and all(isinstance(item, str) and item.isprintable() for item in toml_value):
            return toml_value
        raise FieldError(Message("profile.field.names", example=self.example, value=quote_value(toml_value)))


@dataclass(eq=False)
class ListField(Field[list[T]]):
    """A list whose items are judged one by one; the reference page calls them by their noun."""

    noun: str = "whole numbers"
    sample: str = "[0, 1, 2]"


def parse_integer(list_item: object) -> int:
    """An item of a list of whole numbers."""
    if type(list_item) is int:
        return list_item
    raise FieldError(Message("profile.item.integer", value=quote_value(list_item)))


def parse_cell(list_item: object, size: int) -> Cell:
    """An item of a list of cells of a board with so many rows."""
    cell_names = get_grid(size).cells
    if isinstance(list_item, str) and list_item in cell_names:
        return list_item
    value = quote_value(list_item)
    raise FieldError(Message("profile.item.cell", first=cell_names[0], last=cell_names[-1], value=value))


@dataclass(frozen=True)
class WordForm(Generic[T]):
    """What stands for a cell in a drawing.

    Attributes:
        name: what it is; the last word of the id of the message about another word.
        pattern: its form.
        make_value: from the groups of the pattern what it stands for; None if that is nothing.
        example_row: what a row may look like, if the drawing must be there.
        limits: numbers that the message needs.
    """

    name: str
    pattern: str
    make_value: Callable[..., T | None]
    example_row: str = ""
    limits: Mapping[str, Argument] = field(default_factory=dict)

    def parse_word(self, word: str, cell: Cell | Message) -> T:
        """What a word that is drawn for a cell stands for.

        Raises:
            FieldError: it stands for nothing.
        """
        pattern_match = re.fullmatch(self.pattern, word)
        drawn_value = self.make_value(*pattern_match.groups()) if pattern_match else None
        if drawn_value is None:
            raise FieldError(Message(f"profile.word.{self.name}", word=quote_text(word), cell=cell, **self.limits))
        return drawn_value


def nearest_word(misspelt_word: str, known_words: Sequence[str]) -> str | None:
    """The one of some words that a misspelt one is likely to be."""
    from difflib import get_close_matches  # a good profile has no need of it

    words_by_lower = {known_word.lower(): known_word for known_word in known_words}
    nearest_words = get_close_matches(misspelt_word[:80].lower(), words_by_lower, 1)
    return words_by_lower[nearest_words[0]] if nearest_words else None


def format_address(toml_value: object) -> str | Message:
    """An I2C address as people write it: `0x2e`."""
    return f"{toml_value:#04x}" if type(toml_value) is int and 0 <= toml_value < 256 else quote_value(toml_value)
