"""The form of a profile: tables, keys, numbers and drawings, each taken strictly and with its place.

What cannot be read is noted as a fault and reading goes on, with None in its stead: so all faults are found at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pond_hw.profile.faults import FileLocation, ProfileFault, join_words, quote_value
from pond_hw.profile.toml_positions import KeyPath, LineLookup
from pond_hw.rules import SIZES, Cell, get_grid

_BARE_KEY = re.compile(r"[\w-]{1,40}", re.ASCII)

NO_VARIANT = "A profile says nothing of variants: the pond is chosen when a game begins. Leave it out."


class DrawnWord(NamedTuple):
    """One word of a drawing.

    Attributes:
        word: as it is written.
        cell_label: the cell that it is drawn for; or which place of its row, if the drawing does not fit the grid.
        location: its row.
    """

    word: str
    cell_label: str
    location: FileLocation


class NumberList(NamedTuple):
    """A list of numbers, as far as it can be read.

    Attributes:
        numbers: those that can, each with its place.
        length: how many items the list has; None if it is no list at all, or not there.
    """

    numbers: list[tuple[int, FileLocation]]
    length: int | None

    @property
    def is_complete(self) -> bool:
        """Whether all of it could be read."""
        return len(self.numbers) == self.length


class GridDrawing(NamedTuple):
    """The cells as the players see them: the top row first, the left column first.

    Attributes:
        drawn_words: the words, row by row from the top.
        words_per_side: how many of them lie along a side of a cell.
        fits_grid: whether there are as many rows and columns as the grid asks for.
    """

    drawn_words: tuple[DrawnWord, ...]
    words_per_side: int
    fits_grid: bool


class TomlTable:
    """A table of the file. Whoever has asked for every key that may be in it calls `close`.

    Args:
        values: as TOML gives them.
        path: the keys that lead here; none for the file itself.
        places: where everything stands.
        faults: where to note what is wrong.
    """

    def __init__(
        self, values: Mapping[str, object], path: KeyPath, places: LineLookup, faults: list[ProfileFault]
    ) -> None:
        self.faults = faults
        self._values, self._path, self._places = values, path, places
        self._asked: dict[str, None] = {}  # a set that keeps its order
        self._lacking: dict[str, ProfileFault] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __getitem__(self, key: str) -> object:
        return self._values[key]

    def locate_key(self, *keys: str | int, more: str = "") -> FileLocation:
        """Where a key or a list item stands, or this table itself; `more` says where inside it."""
        path = (*self._path, *keys)
        dotted = ".".join(_format_key(key) for key in path if isinstance(key, str))
        items = [f"item {key + 1}" for key in path if isinstance(key, int)]
        return FileLocation(self._places.line_of(path), ", ".join(filter(None, (dotted, *items, more))))

    def add_fault(self, key: str, sentence: str) -> None:
        """Note what is wrong with a key."""
        self.faults.append(self.locate_key(key).make_fault(sentence))

    def read_integer(
        self,
        key: str,
        low: int,
        high: int,
        *,
        default: int | None = None,
        such_as: str = "",
        what: str = "a whole number",
        write: Callable[[object], str] = quote_value,
    ) -> int | None:
        """A whole number within bounds.

        Args:
            key: where it is.
            low: the least that it may be.
            high: the most.
            default: what it is if the key is not there.
            such_as: a value to show, if the key must be there.
            what: how to call it.
            write: how to write it.
        """
        value = self._raw_value(key, such_as)
        if value is None:
            return default
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.add_fault(key, f"Write {what} from {write(low)} to {write(high)}, not {write(value)}.")
        return None

    def read_number(
        self, key: str, low: float, high: float, *, default: float | None = None, such_as: str = ""
    ) -> float | None:
        """A number within bounds, whole or not."""
        value = self._raw_value(key, such_as)
        if value is None:
            return None if default is None else float(default)
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:  # NaN is not
            return float(value)
        self.add_fault(key, f"Write a number from {low:g} to {high:g}, not {quote_value(value)}.")
        return None

    def read_gpio(self, key: str, such_as: str) -> int | None:
        """The number of a GPIO on the header; it must be there."""
        return self.read_integer(key, 0, 27, such_as=such_as, what="a GPIO by its BCM number,")

    def read_choice(
        self, key: str, names: Sequence[str], *, default: str | None = None, such_as: str = ""
    ) -> str | None:
        """One of these names."""
        value = self._raw_value(key, such_as)
        if value is None:
            return default
        if isinstance(value, str) and value in names:
            return value
        near = nearest_word(value, names) if isinstance(value, str) else None
        meant = f' Did you mean "{near}"?' if near else ""
        quoted = join_words((f'"{name}"' for name in names), "or")
        self.add_fault(key, f"Write {quoted}, not {quote_value(value)}.{meant}")
        return None

    def read_line(self, key: str, such_as: str, most: int = 80) -> str | None:
        """One line of text for people."""
        value = self._raw_value(key, such_as)
        if value is None:
            return None
        if isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= most:
            return value
        self.add_fault(key, f"Write one line of 1 to {most} letters in quotes, not {quote_value(value)}.")
        return None

    def read_integers(self, key: str, such_as: str = "") -> NumberList:
        """A list of whole numbers, each with its place; empty if the key is not there and need not be."""
        value = self._raw_value(key, such_as)
        if value is None:
            return NumberList([], None if such_as else 0)
        if not isinstance(value, list):
            self.add_fault(key, f"Write a list of whole numbers, such as [0, 1, 2], not {quote_value(value)}.")
            return NumberList([], None)
        good = []
        for number, item in enumerate(value):
            place = self.locate_key(key, number)
            if isinstance(item, int) and not isinstance(item, bool):
                good.append((item, place))
            else:
                self.faults.append(place.make_fault(f"Write a whole number here, not {quote_value(item)}."))
        return NumberList(good, len(value))

    def read_cells(self, key: str, size: int | None) -> list[tuple[Cell, FileLocation]]:
        """A list of cells by their names, as far as it can be read; empty if the key is not there."""
        value = self._raw_value(key, "")
        if value is None:
            return []
        if not isinstance(value, list):
            self.add_fault(key, f'Write a list of cells, such as ["b3", "c1"], not {quote_value(value)}.')
            return []
        known = get_grid(size or SIZES[-1]).cells
        good = []
        for number, item in enumerate(value):
            place = self.locate_key(key, number)
            if item in known:
                good.append((item, place))
            else:
                self.faults.append(
                    place.make_fault(f"Write a cell from {known[0]} to {known[-1]}, not {quote_value(item)}.")
                )
        return good

    def is_text(self, key: str) -> bool:
        """Whether there is a text, such as a drawing, under this key."""
        return isinstance(self._values.get(key), str)

    def read_drawing(
        self, key: str, size: int | None, what: str, such_as: str = "", most: int = 1
    ) -> GridDrawing | None:
        """A drawn grid: blanks between the words; lines that are empty or only a `#` comment are no rows.

        Args:
            key: where it is; it must be there if `such_as` is not empty.
            size: rows and columns of the board, if that is known.
            what: what the words stand for, one of them and several.
            such_as: what a row may look like.
            most: how many words may lie along a side of a cell.
        """
        lacking = f'`{key}` is missing. Draw it between """ and """, with rows such as {such_as}.'
        value = self._raw_value(key, such_as, lacking)
        if value is None:
            return None
        if not isinstance(value, str):
            self.add_fault(key, f'Draw the {what}s between """ and """, a line for each row, not {quote_value(value)}.')
            return None
        texts = zip(self._places.row_lines((*self._path, key)), value.split("\n"), strict=True)
        lines = [(line, words) for line, text in texts if (words := text.partition("#")[0].split())]
        rows = [
            (self.locate_key(key, more=f"row {number}")._replace(line=line), words)
            for number, (line, words) in enumerate(lines, 1)
        ]
        side = self._words_per_side(key, len(rows), size, what, most)
        wide = size * side if size and side else None
        fits = wide is not None
        for number, (place, written) in enumerate(rows):
            words = _without_commas(written, wide)
            if words != written:
                rows[number] = place, words
                self.faults.append(place.make_fault("Between words stand blanks, not commas. Take the commas out."))
            if wide and len(words) != wide:
                fits = False
                self.faults.append(place.make_fault(f"Draw {_format_count(wide, what)} in this row, not {len(words)}."))
        return GridDrawing(
            tuple(
                DrawnWord(
                    word,
                    _cell_at(size, side, x, y) if fits and size and side else f"place {x + 1} of row {y + 1}",
                    place,
                )
                for y, (place, words) in enumerate(rows)
                for x, word in enumerate(words)
            ),
            side or 1,
            fits,
        )

    def read_table(self, key: str, *, keys: str = "") -> TomlTable | None:
        """A table in this one; `keys` lists those that must be in it, if the table itself must be there."""
        self._asked[key] = None
        value = self._values.get(key)
        if isinstance(value, dict):
            return TomlTable(value, (*self._path, key), self._places, self.faults)
        heading = ".".join((*map(str, self._path), key))
        if value is not None:
            self.add_fault(key, f"Write this as a table with a heading, [{heading}], not as {quote_value(value)}.")
        elif keys:
            sentence = f"The table [{heading}] is missing. Add it, with {keys} below it."
            self._lacking[key] = self.locate_key(key).make_fault(sentence)
        return None

    def read_tables(self, key: str) -> list[TomlTable]:
        """The tables that begin with [[key]]; none if there are none."""
        value = self._raw_value(key, "")
        if value is None:
            return []
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            path = *self._path, key
            return [TomlTable(item, (*path, number), self._places, self.faults) for number, item in enumerate(value)]
        self.add_fault(key, f"Write this as tables, each with the heading [[{key}]], not as {quote_value(value)}.")
        return []

    def read_lines(self, key: str, such_as: str) -> list[str] | None:
        """A list of lines of text."""
        value = self._raw_value(key, such_as)
        if value is None:
            return None
        if isinstance(value, list) and all(isinstance(item, str) and item.isprintable() for item in value):
            return value
        self.add_fault(key, f"Write a list of names in quotes, such as {such_as}, not {quote_value(value)}.")
        return None

    def ignore_keys(self, *keys: str) -> None:
        """These keys may be there and cannot be judged."""
        self._asked.update(dict.fromkeys(keys))

    def check_keys(self, elsewhere: Mapping[str, str] | None = None) -> None:
        """Note which keys are missing, and which nobody asked for.

        Args:
            elsewhere: for keys that only other profiles have, the sentence to say.
        """
        for key in self._values:
            if key in self._asked:
                continue
            if elsewhere and key in elsewhere:
                self.add_fault(key, elsewhere[key])
            elif key == "variant":
                self.add_fault(key, NO_VARIANT)
            else:
                near = nearest_word(key, list(self._asked))
                self._lacking.pop(near or "", None)  # one slip of the pen is one fault
                meant = f". Did you mean `{near}`?" if near else f", only {join_words(self._asked)}."
                self.add_fault(key, f"There is no `{_format_key(key)}` here{meant}")
        self.faults.extend(self._lacking.values())

    def _raw_value(self, key: str, such_as: str, lacking: str = "") -> object:
        self._asked[key] = None
        if key not in self._values and such_as:
            sentence = lacking or f"`{key}` is missing. Add a line such as: {key} = {such_as}"
            self._lacking[key] = self.locate_key(key).make_fault(sentence)
        return self._values.get(key)  # TOML has no None

    def _words_per_side(self, key: str, rows: int, size: int | None, what: str, most: int) -> int | None:
        """How many rows of a drawing make a row of cells."""
        if not rows:
            self.add_fault(key, f"Nothing is drawn here. Draw a {what} for every cell.")
            return None
        if not size:
            return None
        if rows % size == 0 and rows // size <= most:
            return rows // size
        if most == 1:
            self.add_fault(key, f"Draw {size} rows of {what}s for a grid of {size}, not {rows}.")
        else:
            self.add_fault(
                key,
                f"Draw {size} rows of {what}s for a grid of {size}, or {2 * size}, {3 * size} and so on for squares of "
                f"{what}s in the cells, up to {most} along a side; not {rows}.",
            )
        return None


def nearest_word(word: str, words: Sequence[str]) -> str | None:
    """The one of some words that a misspelt one is likely to be."""
    from difflib import get_close_matches  # a good profile has no need of it

    known = {each.lower(): each for each in words}
    return next((known[each] for each in get_close_matches(word[:80].lower(), known, 1)), None)


def _format_key(key: str) -> str:
    """A key as a person would write it."""
    return key if _BARE_KEY.fullmatch(key) else quote_value(key)


def _without_commas(words: list[str], wide: int | None) -> list[str]:
    """A row as it was meant if it was written as a list; a comma inside a word parts it if so many words are asked."""
    parted = " ".join(words).replace(",", " ").split()
    if len(parted) == wide:
        return parted
    return [bare for word in words if (bare := word.strip(","))]


def _format_count(number: int, what: str) -> str:
    return f"{number} {what}s" if number != 1 else f"1 {what}"


def _cell_at(size: int, side: int, x: int, y: int) -> str:
    """The cell in which a word of a drawing lies, counted from the top left."""
    return get_grid(size).rows[y // side][x // side]
