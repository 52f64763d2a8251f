"""The form of a profile: tables, keys, lists and drawings, each taken strictly and with its place.

What cannot be read is noted as a fault and reading goes on, with None or NaN in its stead: so all faults are found at
once. No comparison with NaN is true, so no rule finds a second fault in such a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from pond_hw.messages.plurals import join_words
from pond_hw.profile.faults import FileLocation, ProfileFault, quote_value
from pond_hw.profile.field_kinds import Field, FieldError, ListField, NumberField, WordForm, nearest_word
from pond_hw.profile.toml_positions import KeyPath, TomlPositions
from pond_hw.rules import Cell, get_grid

T = TypeVar("T")

_BARE_KEY = re.compile(r"[\w-]{1,40}", re.ASCII)

NO_VARIANT = "A profile says nothing of variants: the pond is chosen when a game begins. Leave it out."


class LocatedList(NamedTuple, Generic[T]):
    """A list, as far as it can be read.

    Attributes:
        items: those that can, each with its place.
        length: how many the list has; None if it is no list at all, or is missing.
    """

    items: list[tuple[T, FileLocation]]
    length: int | None

    @property
    def is_complete(self) -> bool:
        """Whether all of it could be read."""
        return len(self.items) == self.length

    @property
    def values(self) -> tuple[T, ...]:
        """The items without their places."""
        return tuple(list_item for list_item, _ in self.items)


DrawnThings = list[tuple[T, Cell, FileLocation]]
"""Each thing of a drawing with its cell (or its place, where the drawing does not fit the grid) and its row."""


_DrawnRow = tuple[FileLocation, list[str]]
"""Where a row of a drawing is, and its words."""


class GridDrawing(NamedTuple, Generic[T]):
    """The cells as the players see them: the top row first, the left column first.

    Attributes:
        things: what could be read, row by row from the top.
        words_per_side: how many things lie along a side of a cell.
        is_complete: whether all of it could be read, and fits the grid.
    """

    things: DrawnThings[T]
    words_per_side: int
    is_complete: bool


class TomlTable:
    """A table of the file. Whoever has asked for every key that may be in it calls `check_keys`.

    Args:
        values: as TOML gives them.
        path: the keys that lead here; none for the file itself.
        places: where everything stands.
        faults: where to note what is wrong.

    Attributes:
        values: the same.
        places: the same.
        faults: the same.
    """

    def __init__(
        self, values: dict[str, Any], path: KeyPath, places: TomlPositions, faults: list[ProfileFault]
    ) -> None:
        self.values, self.places, self.faults = values, places, faults
        self._path = path
        self._asked: dict[str, None] = {}  # a set that keeps its order
        self._lacking: dict[str, ProfileFault] = {}

    def locate_key(self, *keys: str | int, row_text: str = "") -> FileLocation:
        """Where a key or a list item stands, or this table itself; `row_text` says where inside it."""
        path = (*self._path, *keys)
        dotted_key = ".".join(_format_key(key_part) for key_part in path if isinstance(key_part, str))
        item_words = [f"item {key_part + 1}" for key_part in path if isinstance(key_part, int)]
        return FileLocation(self.places.line_of(path), ", ".join(filter(None, (dotted_key, *item_words, row_text))))

    def add_fault(self, key: str, sentence: str) -> None:
        """Note what is wrong with a key."""
        self.faults.append(self.locate_key(key).make_fault(sentence))

    def read_field(self, table_field: Field[T]) -> T | None:
        """The value of a field, or its default; None if it cannot be read, or is missing."""
        toml_value = self._raw_value(table_field.key, table_field.example)
        if toml_value is None:
            return table_field.default
        try:
            return table_field.parse_value(toml_value)
        except FieldError as error:
            self.add_fault(table_field.key, str(error))
            return None

    def read_number(self, table_field: NumberField) -> float:
        """The number of a field, or its default; NaN if it cannot be read, or is missing."""
        field_number = self.read_field(table_field)
        return math.nan if field_number is None else float(field_number)

    def read_list(self, field: ListField[T], parse_item: Callable[[object], T]) -> LocatedList[T]:
        """A list of which each item is judged by itself; empty if the key is not there and need not be."""
        toml_value = self._raw_value(field.key, field.example)
        if toml_value is None:
            return LocatedList([], None if field.example else 0)
        if not isinstance(toml_value, list):
            wanted = f"Write a list of {field.noun}, such as {field.sample}"
            self.add_fault(field.key, f"{wanted}, not {quote_value(toml_value)}.")
            return LocatedList([], None)
        list_items = []
        for item_number, list_item in enumerate(toml_value):
            location = self.locate_key(field.key, item_number)
            try:
                list_items.append((parse_item(list_item), location))
            except FieldError as error:
                self.faults.append(location.make_fault(str(error)))
        return LocatedList(list_items, len(toml_value))

    def read_drawing(
        self, key: str, size: int | None, form: WordForm[T], max_side: int = 1, *, must_fit: bool = False
    ) -> GridDrawing[T]:
        """A drawn grid: blanks between the words; lines that are empty or only a `#` comment are no rows.

        Args:
            key: where it is; it must be there if the form has an example.
            size: rows and columns of the board, if that is known.
            form: what the words stand for.
            max_side: how many words may lie along a side of a cell.
            must_fit: whether nothing is said of the words of a drawing that does not fit the grid.
        """
        missing_sentence = f'`{key}` is missing. Draw it between """ and """, with rows such as {form.example_row}.'
        toml_value = self._raw_value(key, form.example_row, missing_sentence)
        if not isinstance(toml_value, str):
            if toml_value is not None:
                shape = f'Draw the {form.noun}s between """ and """, a line for each row'
                self.add_fault(key, f"{shape}, not {quote_value(toml_value)}.")
            return GridDrawing([], 1, False)
        rows = self._drawn_rows(key, toml_value)
        side = self._words_per_side(key, len(rows), size, form.noun, max_side)
        fits = self._check_rows(rows, size * side if size and side else None, form.noun)
        if must_fit and not fits:
            return GridDrawing([], 1, False)
        drawn_things = self._read_words(rows, form, get_grid(size).rows if fits and size else (), side or 1)
        return GridDrawing(drawn_things, side or 1, fits and len(drawn_things) == sum(len(words) for _, words in rows))

    def _drawn_rows(self, key: str, drawing_text: str) -> list[_DrawnRow]:
        """The rows of a drawing: where each is, and its words."""
        numbered_lines = zip(self.places.row_lines((*self._path, key)), drawing_text.split("\n"), strict=True)
        rows = [(line_number, words) for line_number, row in numbered_lines if (words := row.partition("#")[0].split())]
        return [
            (self.locate_key(key, row_text=f"row {row_number}")._replace(line=line_number), words)
            for row_number, (line_number, words) in enumerate(rows, 1)
        ]

    def _words_per_side(self, key: str, row_count: int, size: int | None, noun: str, max_side: int) -> int | None:
        """How many rows of a drawing make a row of cells."""
        if not row_count:
            self.add_fault(key, f"Nothing is drawn here. Draw a {noun} for every cell.")
        elif size and row_count % size == 0 and row_count // size <= max_side:
            return row_count // size
        elif size:
            squares = f", or {2 * size}, {3 * size} and so on for squares of {noun}s in the cells, up to {max_side} along a side;"
            other_rows = squares if max_side > 1 else ","
            self.add_fault(key, f"Draw {size} rows of {noun}s for a grid of {size}{other_rows} not {row_count}.")
        return None

    def _check_rows(self, drawn_rows: list[_DrawnRow], row_width: int | None, field_noun: str) -> bool:
        """Take commas out of the rows; whether each has as many words as it must, if that is known."""
        is_fitting = row_width is not None
        for location, words in drawn_rows:
            without_commas = _without_commas(words, row_width)
            if without_commas != words:
                words[:] = without_commas
                self.faults.append(location.make_fault("Between words stand blanks, not commas. Take the commas out."))
            if row_width and len(words) != row_width:
                is_fitting = False
                asked_text = f"{row_width} {field_noun}s" if row_width != 1 else f"1 {field_noun}"
                self.faults.append(location.make_fault(f"Draw {asked_text} in this row, not {len(words)}."))
        return is_fitting

    def _read_words(
        self, drawn_rows: list[_DrawnRow], form: WordForm[T], cell_rows: Sequence[Sequence[Cell]], side: int
    ) -> DrawnThings[T]:
        """What the words stand for, each with its cell, or with its place if the cells are not known, and its row."""
        drawn_things = []
        for y, (location, words) in enumerate(drawn_rows):
            for x, word in enumerate(words):
                cell = cell_rows[y // side][x // side] if cell_rows else f"place {x + 1} of row {y + 1}"
                try:
                    drawn_things.append((form.parse_word(word, cell), cell, location))
                except FieldError as error:
                    self.faults.append(location.make_fault(str(error)))
        return drawn_things

    def read_table(self, key: str, needed_keys: str = "") -> TomlTable:
        """A table in this one; `needed_keys` lists those that must be in it, if the table itself must be there."""
        self._asked[key] = None
        toml_value, path = self.values.get(key), (*self._path, key)
        if isinstance(toml_value, dict):
            return TomlTable(toml_value, path, self.places, self.faults)
        heading = ".".join(map(str, path))
        if toml_value is not None:
            self.add_fault(key, f"Write this as a table with a heading, [{heading}], not as {quote_value(toml_value)}.")
        elif needed_keys:
            sentence = f"The table [{heading}] is missing. Add it, with {needed_keys} below it."
            self._lacking[key] = self.locate_key(key).make_fault(sentence)
        return TomlTable({}, path, self.places, [])  # and what is noted about it goes nowhere

    def read_tables(self, key: str) -> list[TomlTable]:
        """The tables that begin with [[key]]; none if there are none."""
        value = self._raw_value(key)
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            path = *self._path, key
            return [TomlTable(item, (*path, number), self.places, self.faults) for number, item in enumerate(value)]
        if value is not None:
            self.add_fault(key, f"Write this as tables, each with the heading [[{key}]], not as {quote_value(value)}.")
        return []

    def ignore_keys(self, *keys: str) -> None:
        """These keys may be there and cannot be judged."""
        self._asked.update(dict.fromkeys(keys))

    def check_keys(self, other_sentences: Mapping[str, str] | None = None) -> None:
        """Note which keys are missing, and which nobody asked for.

        Args:
            other_sentences: for keys that only other profiles have, the sentence to say.
        """
        sentences_by_key = {"variant": NO_VARIANT, **(other_sentences or {})}
        for key in [key for key in self.values if key not in self._asked]:
            sentence = sentences_by_key.get(key)
            if not sentence:
                near = nearest_word(key, list(self._asked))
                self._lacking.pop(near or "", None)  # one slip of the pen is one fault
                suggestion_text = f". Did you mean `{near}`?" if near else f", only {join_words(self._asked)}."
                sentence = f"There is no `{_format_key(key)}` here{suggestion_text}"
            self.add_fault(key, sentence)
        self.faults.extend(self._lacking.values())

    def _raw_value(self, key: str, example: str = "", missing_sentence: str = "") -> object:
        self._asked[key] = None
        if key not in self.values and example:
            sentence = missing_sentence or f"`{key}` is missing. Add a line such as: {key} = {example}"
            self._lacking[key] = self.locate_key(key).make_fault(sentence)
        return self.values.get(key)  # TOML has no None


def _format_key(key: str) -> str:
    """A key as a person would write it."""
    return key if _BARE_KEY.fullmatch(key) else quote_value(key)


def _without_commas(words: list[str], row_width: int | None) -> list[str]:
    """A row as it was meant if it was written as a list; a comma inside a word parts it if so many words are asked."""
    parted_words = " ".join(words).replace(",", " ").split()
    if len(parted_words) == row_width:
        return parted_words
    return [bare_word for word in words if (bare_word := word.strip(","))]
