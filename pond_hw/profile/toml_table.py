"""Strict reading of tables, keys, lists and drawings, each with its location.

Unreadable values are recorded as faults and read as None or NaN, so that all faults are found at once. Comparisons with
NaN are false, so no rule reports such a number a second time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from pond_hw.messages.message import Message
from pond_hw.profile.faults import FileLocation, ProfileFault, quote_text, quote_value
from pond_hw.profile.field_kinds import Field, FieldError, ListField, NumberField, WordForm, nearest_word
from pond_hw.profile.toml_positions import KeyPath, TomlPositions
from pond_hw.rules import Cell, get_grid

T = TypeVar("T")

_BARE_KEY = re.compile(r"[\w-]{1,40}", re.ASCII)


class LocatedList(NamedTuple, Generic[T]):
    """List, as far as it is readable.

    `length` is the number of all its items in the file, or None if the value is missing or not a list.
    """

    items: list[tuple[T, FileLocation]]
    length: int | None

    @property
    def is_complete(self) -> bool:
        return len(self.items) == self.length

    @property
    def values(self) -> tuple[T, ...]:
        return tuple(list_item for list_item, _ in self.items)


DrawnValues = list[tuple[T, Cell | Message, FileLocation]]
"""Values of a drawing, each with its row and its cell (or its place in the drawing, if that doesn't fit the grid)."""


_DrawnRow = tuple[FileLocation, list[str]]
"""Location and words of a row."""


class GridDrawing(NamedTuple, Generic[T]):
    """Drawing of the cells as players see them, top row first, as far as it is readable.

    `words_per_side` is the number of values along the side of a cell.
    """

    drawn_values: DrawnValues[T]
    words_per_side: int
    is_complete: bool


class TomlTable:
    """A table in a file. Call `check_keys` once all possible keys have been read.

    Args:
        path: keys that lead to this table; empty for the file itself.
        places: line numbers.
        faults: list to which faults are added.
    """

    def __init__(
        self, values: dict[str, Any], path: KeyPath, places: TomlPositions, faults: list[ProfileFault]
    ) -> None:
        self.values, self.places, self.faults = values, places, faults
        self._path = path
        self._known: dict[str, None] = {}  # an ordered set
        self._missing: dict[str, ProfileFault] = {}

    def locate_key(self, *keys: str | int) -> FileLocation:
        path = (*self._path, *keys)
        dotted_key, items = self.dotted_key(*keys), [index for index in path if isinstance(index, int)]
        place = Message("profile.place.item", key=dotted_key, item=items[-1] + 1) if items else dotted_key
        return FileLocation(self.places.line_of(path), place)

    def dotted_key(self, *keys: str | int) -> str:
        """Return a key with the tables that contain it, such as `sensors.chips.A`."""
        return ".".join(_format_key(key_part) for key_part in (*self._path, *keys) if isinstance(key_part, str))

    def add_fault(self, key: str, reason: Message) -> None:
        self.faults.append(self.locate_key(key).make_fault(reason))

    def read_field(self, table_field: Field[T]) -> T | None:
        """Return the value of a field: its default if the key is missing, or None if it is unreadable or has no default."""
        toml_value = self._raw_value(table_field.key, table_field.example)
        if toml_value is None:
            return table_field.default
        try:
            return table_field.parse_value(toml_value)
        except FieldError as error:
            self.add_fault(table_field.key, error.message)
            return None

    def read_number(self, table_field: NumberField) -> float:
        """Return the number in a field: its default if the key is missing, or NaN if it is unreadable or has no default."""
        field_number = self.read_field(table_field)
        return math.nan if field_number is None else float(field_number)

    def read_list(self, field: ListField[T], parse_item: Callable[[object], T]) -> LocatedList[T]:
        """Return a list whose items are parsed separately, or an empty one if the key is missing and optional."""
        toml_value = self._raw_value(field.key, field.example)
        if toml_value is None:
            return LocatedList([], None if field.example else 0)
        if not isinstance(toml_value, list):
            reason = Message("profile.field.list", example=field.sample, value=quote_value(toml_value))
            self.add_fault(field.key, reason)
            return LocatedList([], None)
        list_items = []
        for item_number, list_item in enumerate(toml_value):
            location = self.locate_key(field.key, item_number)
            try:
                list_items.append((parse_item(list_item), location))
            except FieldError as error:
                self.faults.append(location.make_fault(error.message))
        return LocatedList(list_items, len(toml_value))

    def read_drawing(
        self, key: str, size: int | None, form: WordForm[T], max_side: int = 1, *, must_fit: bool = False
    ) -> GridDrawing[T]:
        """Read a drawn grid of up to `max_side` words along the side of a cell.

        Words are separated by spaces; empty lines and `#` comments are skipped. The key is required if the form has an
        example. With `must_fit`, return nothing if the drawing doesn't fit the grid.
        """
        missing = Message("profile.drawing.missing", key=key, example=form.example_row)
        toml_value = self._raw_value(key, form.example_row, missing)
        if not isinstance(toml_value, str):
            if toml_value is not None:
                self.add_fault(key, Message("profile.drawing.not_drawn", value=quote_value(toml_value)))
            return GridDrawing([], 1, False)
        rows = self._drawn_rows(key, toml_value)
        side = self._words_per_side(key, len(rows), size, max_side)
        fits = self._check_rows(rows, size * side if size and side else None)
        if must_fit and not fits:
            return GridDrawing([], 1, False)
        drawn_values = self._read_words(rows, form, get_grid(size).rows if fits and size else (), side or 1)
        return GridDrawing(drawn_values, side or 1, fits and len(drawn_values) == sum(len(words) for _, words in rows))

    def _drawn_rows(self, key: str, drawing_text: str) -> list[_DrawnRow]:
        numbered_lines = zip(self.places.row_lines((*self._path, key)), drawing_text.split("\n"), strict=True)
        rows = [(line_number, words) for line_number, row in numbered_lines if (words := row.partition("#")[0].split())]
        dotted_key = self.dotted_key(key)
        return [
            (FileLocation(line_number, Message("profile.place.row", key=dotted_key, row=row_number)), words)
            for row_number, (line_number, words) in enumerate(rows, 1)
        ]

    def _words_per_side(self, key: str, row_count: int, size: int | None, max_side: int) -> int | None:
        if not row_count:
            self.add_fault(key, Message("profile.drawing.empty"))
        elif size and row_count % size == 0 and row_count // size <= max_side:
            return row_count // size
        elif size and max_side > 1:
            rows = {"size": size, "twice": 2 * size, "thrice": 3 * size, "found": row_count, "side": max_side}
            self.add_fault(key, Message("profile.drawing.rows_of_squares", **rows))
        elif size:
            self.add_fault(key, Message("profile.drawing.rows", size=size, found=row_count))
        return None

    def _check_rows(self, drawn_rows: list[_DrawnRow], row_width: int | None) -> bool:
        """Remove commas from the rows. Return True if each row has the required number of words, as far as that is known."""
        is_fitting = row_width is not None
        for location, words in drawn_rows:
            without_commas = _without_commas(words, row_width)
            if without_commas != words:
                words[:] = without_commas
                self.faults.append(location.make_fault(Message("profile.drawing.commas")))
            if row_width and len(words) != row_width:
                is_fitting = False
                reason = Message("profile.drawing.row_length", count=row_width, found=len(words))
                self.faults.append(location.make_fault(reason))
        return is_fitting

    def _read_words(
        self, drawn_rows: list[_DrawnRow], form: WordForm[T], cell_rows: Sequence[Sequence[Cell]], side: int
    ) -> DrawnValues[T]:
        """Parse words. Return each with its row and its cell (or its place in the drawing, if the cells are unknown)."""
        drawn_values = []
        for y, (location, words) in enumerate(drawn_rows):
            for x, word in enumerate(words):
                place = Message("profile.place.word", word=x + 1, row=y + 1)
                cell = cell_rows[y // side][x // side] if cell_rows else place
                try:
                    drawn_values.append((form.parse_word(word, cell), cell, location))
                except FieldError as error:
                    self.faults.append(location.make_fault(error.message))
        return drawn_values

    def read_table(self, key: str, *needed_keys: str) -> TomlTable:
        """Return a table inside this one. If it is required but missing, the fault lists `needed_keys`."""
        self._known[key] = None
        toml_value, path = self.values.get(key), (*self._path, key)
        if isinstance(toml_value, dict):
            return TomlTable(toml_value, path, self.places, self.faults)
        heading = ".".join(map(str, path))
        if toml_value is not None:
            self.add_fault(key, Message("profile.table.not_a_table", heading=heading, value=quote_value(toml_value)))
        elif needed_keys:
            reason = Message("profile.table.missing", heading=heading, keys=needed_keys)
            self._missing[key] = self.locate_key(key).make_fault(reason)
        return TomlTable({}, path, self.places, [])  # discard the faults of a missing table

    def read_tables(self, key: str) -> list[TomlTable]:
        value = self._raw_value(key)
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            path = *self._path, key
            return [TomlTable(item, (*path, number), self.places, self.faults) for number, item in enumerate(value)]
        if value is not None:
            self.add_fault(key, Message("profile.table.not_tables", heading=key, value=quote_value(value)))
        return []

    def ignore_keys(self, *keys: str) -> None:
        self._known.update(dict.fromkeys(keys))

    def check_keys(self, elsewhere: Mapping[str, Message] | None = None) -> None:
        """Report missing and unknown keys.

        Args:
            elsewhere: messages about keys that exist only in other profiles.
        """
        reasons_by_key = {"variant": Message("profile.key.variant"), **(elsewhere or {})}
        for key in [key for key in self.values if key not in self._known]:
            self.add_fault(key, reasons_by_key.get(key) or self._explain_unknown(key))
        self.faults.extend(self._missing.values())

    def _explain_unknown(self, key: str) -> Message:
        if near := nearest_word(key, list(self._known)):
            self._missing.pop(near, None)  # report a misspelt key only once
            return Message("profile.key.misspelt", key=_format_key(key), near=near)
        return Message("profile.key.unknown", key=_format_key(key), keys=tuple(self._known))

    def _raw_value(self, key: str, example: str = "", missing: Message | None = None) -> object:
        self._known[key] = None
        if key not in self.values and example:
            reason = missing or Message("profile.key.missing", key=key, example=example)
            self._missing[key] = self.locate_key(key).make_fault(reason)
        return self.values.get(key)  # TOML has no None


def _format_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else quote_text(key)


def _without_commas(words: list[str], row_width: int | None) -> list[str]:
    """Remove commas. Also split words at commas if this gives the required number of words."""
    split_words = " ".join(words).replace(",", " ").split()
    if len(split_words) == row_width:
        return split_words
    return [bare_word for word in words if (bare_word := word.strip(","))]
