"""The kinds of fields that a profile has: what each takes, and the sentence for what it does not take."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Generic, TypeVar

from pond_hw.profile.faults import join_words, quote_value
from pond_hw.rules import Cell, get_grid

T = TypeVar("T")


class FieldError(ValueError):
    """A field does not take a value; the message says what to write instead."""


@dataclass(frozen=True)
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

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "key", name)

    def parse_value(self, value: object) -> T:
        """The value, if the field takes it.

        Raises:
            FieldError: it does not.
        """
        raise NotImplementedError("Drawings, lists and tables have readers of their own.")


@dataclass(frozen=True)
class DrawnField(Field[str]):
    """A drawing, which set-up may measure; what stands for a cell in it is a `WordForm`."""

    _: KW_ONLY
    limits: str = "see below"
    measured: bool = True
    drawn: bool = True


@dataclass(frozen=True)
class IntegerField(Field[int]):
    """A whole number within bounds; a sentence calls it by its noun, and writes it with `quote`."""

    low: int
    high: int
    _: KW_ONLY
    noun: str = "a whole number"
    quote: Callable[[object], str] = quote_value

    def parse_value(self, value: object) -> int:
        """The number."""
        if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high:
            return value
        low, high = self.quote(self.low), self.quote(self.high)
        raise FieldError(f"Write {self.noun} from {low} to {high}, not {self.quote(value)}.")


@dataclass(frozen=True)
class NumberField(Field[float]):
    """A number within bounds, whole or not."""

    low: float
    high: float

    def parse_value(self, value: object) -> float:
        """The number."""
        if isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high:
            return float(value)  # NaN is within no bounds
        raise FieldError(f"Write a number from {self.low:g} to {self.high:g}, not {quote_value(value)}.")

    def with_bounds(self, low: float, high: float, default: float) -> NumberField:
        """The same field with other bounds and another default."""
        return replace(self, low=low, high=high, default=default)


@dataclass(frozen=True)
class ChoiceField(Field[str]):
    """One of some names."""

    choices: Sequence[str]

    def parse_value(self, value: object) -> str:
        """The name."""
        if isinstance(value, str) and value in self.choices:
            return value
        near = nearest_word(value, self.choices) if isinstance(value, str) else None
        meant = f' Did you mean "{near}"?' if near else ""
        raise FieldError(f"Write {join_quoted(self.choices)}, not {quote_value(value)}.{meant}")


@dataclass(frozen=True)
class LineField(Field[str]):
    """One line of text for people."""

    max_length: int = 80

    def parse_value(self, value: object) -> str:
        """The line."""
        if isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= self.max_length:
            return value
        raise FieldError(f"Write one line of 1 to {self.max_length} letters in quotes, not {quote_value(value)}.")


@dataclass(frozen=True)
class NamesField(Field[list[str]]):
    """A list of names."""

    def parse_value(self, value: object) -> list[str]:
        """The names."""
        if isinstance(value, list) and all(isinstance(item, str) and item.isprintable() for item in value):
            return value
        raise FieldError(f"Write a list of names in quotes, such as {self.example}, not {quote_value(value)}.")


@dataclass(frozen=True)
class ListField(Field[list[T]]):
    """A list whose items are judged one by one; a sentence calls them by their noun and shows a sample."""

    noun: str = "whole numbers"
    sample: str = "[0, 1, 2]"


def parse_integer(item: object) -> int:
    """An item of a list of whole numbers."""
    if isinstance(item, int) and not isinstance(item, bool):
        return item
    raise FieldError(f"Write a whole number here, not {quote_value(item)}.")


def parse_cell(item: object, size: int) -> Cell:
    """An item of a list of cells of a board with so many rows."""
    cells = get_grid(size).cells
    if isinstance(item, str) and item in cells:
        return item
    raise FieldError(f"Write a cell from {cells[0]} to {cells[-1]}, not {quote_value(item)}.")


@dataclass(frozen=True)
class WordForm(Generic[T]):
    """What stands for a cell in a drawing.

    Attributes:
        noun: what it is.
        pattern: its form.
        make_thing: from the groups of the pattern what it stands for; None if that is nothing.
        instruction: how to write it.
        example_row: what a row may look like, if the drawing must be there.
        complaint: the sentence about another word.
    """

    noun: str
    pattern: str
    make_thing: Callable[..., T | None]
    instruction: str
    example_row: str = ""
    complaint: str = "{word} for {cell} is no {noun}. Write {instruction}."

    def parse_word(self, word: str, cell: str) -> T:
        """What a word that is drawn for a cell stands for.

        Raises:
            FieldError: it stands for nothing.
        """
        parts = re.fullmatch(self.pattern, word)
        thing = self.make_thing(*parts.groups()) if parts else None
        if thing is None:
            raise FieldError(
                self.complaint.format(word=quote_value(word), cell=cell, noun=self.noun, instruction=self.instruction)
            )
        return thing


def nearest_word(word: str, words: Sequence[str]) -> str | None:
    """The one of some words that a misspelt one is likely to be."""
    from difflib import get_close_matches  # a good profile has no need of it

    known = {each.lower(): each for each in words}
    return next((known[each] for each in get_close_matches(word[:80].lower(), known, 1)), None)


def join_quoted(names: Sequence[str]) -> str:
    """The names as a sentence lists them: `"a", "b" or "c"`."""
    return join_words((f'"{name}"' for name in names), "or")


def format_address(value: object) -> str:
    """An I2C address as people write it: `0x2e`."""
    return f"{value:#04x}" if type(value) is int and 0 <= value < 256 else quote_value(value)
