"""Where everything stands in a TOML text.

`tomllib` gives the values and is the only judge of them, but it forgets the lines. This goes through a text that
`tomllib` has accepted and notes the line of each table, key and list item, and of each row inside a string.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Container
from typing import Protocol

KeyPath = tuple[str | int, ...]
"""The keys that lead to a value, and the numbers of list items: `("strips", "light", 3)`."""

_SPACE = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_BASIC = r'"(?:\\.|[^"\\\n])*"'
_LITERAL = r"'[^'\n]*'"
_LONG_BASIC = r'"""(?:\\.|[^\\])*?"{3,5}'  # of the quotes at the end all but three belong to the text
_LONG_LITERAL = r"'''.*?'{3,5}"
_KEY = re.compile(f"[A-Za-z0-9_-]+|{_BASIC}|{_LITERAL}")
_STRING = re.compile(f"{_LONG_BASIC}|{_LONG_LITERAL}|{_BASIC}|{_LITERAL}", re.DOTALL)
_SCALAR = re.compile(r"[^,\]}#\n]*")

_ESCAPED_TOKENS = re.compile(  # what a string in double quotes is made of
    r"(?P<fold>\\[ \t]*\n[ \t\n]*)|(?P<end>\n|\\n|\\u000[Aa]|\\U0000000[Aa])|(?P<blank>[ \t]+)"
    r"|(?P<sign>\\.|[^\s\\]+|.)",
    re.DOTALL,
)
_LITERAL_TOKENS = re.compile(r"(?P<end>\n)|(?P<blank>[ \t]+)|(?P<sign>\S+|.)")


class LineLookup(Protocol):
    """Whoever knows on which line everything stands."""

    def line_of(self, path: KeyPath) -> int:
        """The line of a key, a table or a list item."""

    def row_lines(self, path: KeyPath) -> list[int]:
        """The line of each row of a string."""


class TomlPositions:
    """The lines of a TOML text, 1 first.

    Args:
        toml_text: what `tomllib` could read.
    """

    def __init__(self, toml_text: str) -> None:
        self._text = toml_text.replace("\r\n", "\n")  # as tomllib does
        self._ends = [line_end.start() for line_end in re.finditer("\n", self._text)]
        self._lines: dict[KeyPath, int] = {}
        self._strings: dict[KeyPath, tuple[int, int]] = {}  # from where to where in the text, with their quotes
        self._at = 0
        self._scan_text()

    def line_of(self, path: KeyPath) -> int:
        """The line of a key, a table or a list item; of a table its heading, if it has one.

        Of what is not there, the line of what it should be in.
        """
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def row_lines(self, path: KeyPath) -> list[int]:
        """The line on which each row of a string begins to have anything in it."""
        if path not in self._strings:
            return [self.line_of(path)]
        start, text_end = self._strings[path]
        signs = _ESCAPED_TOKENS if self._text[start] == '"' else _LITERAL_TOKENS
        if self._text.startswith(('"""', "'''"), start):
            start, text_end = start + 3, text_end - 3
            start += self._text.startswith("\n", start)  # a line end right after the quotes belongs to them
        else:
            start, text_end = start + 1, text_end - 1
        rows = []
        begun: int | None = None
        for sign in signs.finditer(self._text, start, text_end):
            if sign.lastgroup == "end":
                rows.append(self._line_at(sign.start() if begun is None else begun))
                begun = None
            elif sign.lastgroup == "sign" and begun is None:
                begun = sign.start()
        return [*rows, self._line_at(text_end if begun is None else begun)]

    @property
    def last_line(self) -> int:
        """The number of the last line."""
        return len(self._ends) + 1

    def _line_at(self, offset: int) -> int:
        return bisect_left(self._ends, offset) + 1

    def _scan_text(self) -> None:
        table: KeyPath = ()
        headed = set()
        entries: dict[KeyPath, int] = {}  # how often each table that may come several times has begun
        while self._skip_pattern(_SPACE) < len(self._text):
            start_offset = self._at
            if self._text[start_offset] == "[":
                one_of_many = self._text.startswith("[[", start_offset)
                self._at += 2 if one_of_many else 1
                table = self._scan_keys(())
                if table not in headed:
                    headed.add(table)
                    self._lines[table] = self._line_at(start_offset)
                if one_of_many:
                    entry_number = entries.get(table, 0)
                    entries[table] = entry_number + 1
                    table = (*table, entry_number)
                    self._lines[table] = self._line_at(start_offset)
                while self._skip_pattern(_BLANK) < len(self._text) and self._text[self._at] == "]":
                    self._at += 1
            else:
                self._scan_pair(table)
            if self._at == start_offset:  # tomllib would not have let this pass; better no places than no end
                return

    def _scan_pair(self, table: KeyPath) -> None:
        path = self._scan_keys(table)
        self._skip_pattern(_BLANK)
        self._at += 1  # the equals sign
        self._skip_pattern(_BLANK)
        self._scan_value(path)

    def _scan_keys(self, table: KeyPath) -> KeyPath:
        """A key, or several with points between them, noted as what leads to what."""
        path = table
        while True:
            self._skip_pattern(_BLANK)
            key_start = self._at
            raw_key = self._text[key_start : self._skip_pattern(_KEY)]
            path = (*path, _unquote_key(raw_key))
            self._lines.setdefault(path, self._line_at(key_start))
            if self._skip_pattern(_BLANK) >= len(self._text) or self._text[self._at] != ".":
                return path
            self._at += 1

    def _scan_value(self, path: KeyPath) -> None:
        first_letter = self._text[self._at : self._at + 1]
        if first_letter == "[":
            self._scan_items("]", path)
        elif first_letter == "{":
            self._scan_items("}", path)
        elif first_letter in ('"', "'"):
            string_start = self._at
            self._strings[path] = (string_start, self._skip_pattern(_STRING))
        else:
            self._skip_pattern(_SCALAR)

    def _scan_items(self, end_mark: str, path: KeyPath) -> None:
        """The items of a list, or the pairs of a table in braces."""
        self._at += 1
        item_number = 0
        while self._skip_pattern(_SPACE) < len(self._text) and self._text[self._at] != end_mark:
            start_offset = self._at
            if end_mark == "}":
                self._scan_pair(path)
            else:
                self._lines[(*path, item_number)] = self._line_at(start_offset)
                self._scan_value((*path, item_number))
                item_number += 1
            if self._skip_pattern(_SPACE) < len(self._text) and self._text[self._at] == ",":
                self._at += 1
            if self._at == start_offset:
                return
        self._at += 1

    def _skip_pattern(self, text_pattern: re.Pattern[str]) -> int:
        """Go past this, if it is here; say where that is."""
        pattern_match = text_pattern.match(self._text, self._at)
        self._at = pattern_match.end() if pattern_match else self._at
        return self._at


def _unquote_key(quoted_key: str) -> str:
    if quoted_key[:1] == "'":
        return quoted_key[1:-1]
    if quoted_key[:1] == '"':
        return quoted_key[1:-1] if "\\" not in quoted_key else "".join(tomllib.loads(f"{quoted_key} = 0"))
    return quoted_key


class OverlaidPositions:
    """The lines of two texts, of which one goes over the other: its lines are counted on from the other's last.

    Args:
        lower_positions: the text that is gone over.
        above: the one that goes over it.
        keys: the paths whose values come from above, such as `("lamps", "cells")`.
    """

    def __init__(self, lower_positions: TomlPositions, above: TomlPositions, keys: Container[KeyPath]) -> None:
        self._below, self._above, self._keys = lower_positions, above, keys

    def line_of(self, path: KeyPath) -> int:
        """The line of a key, a table or a list item, as `TomlPositions.line`."""
        if path[:2] in self._keys:
            return self._below.last_line + self._above.line_of(path)
        return self._below.line_of(path)

    def row_lines(self, path: KeyPath) -> list[int]:
        """The line of each row of a string, as `TomlPositions.rows`."""
        if path[:2] in self._keys:
            return [self._below.last_line + row_line for row_line in self._above.row_lines(path)]
        return self._below.row_lines(path)
