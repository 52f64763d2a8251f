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
        text: what `tomllib` could read.
    """

    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")  # as tomllib does
        self._ends = [end.start() for end in re.finditer("\n", self._text)]
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
        start, end = self._strings[path]
        signs = _ESCAPED_TOKENS if self._text[start] == '"' else _LITERAL_TOKENS
        if self._text.startswith(('"""', "'''"), start):
            start, end = start + 3, end - 3
            start += self._text.startswith("\n", start)  # a line end right after the quotes belongs to them
        else:
            start, end = start + 1, end - 1
        rows = []
        begun: int | None = None
        for sign in signs.finditer(self._text, start, end):
            if sign.lastgroup == "end":
                rows.append(self._line_at(sign.start() if begun is None else begun))
                begun = None
            elif sign.lastgroup == "sign" and begun is None:
                begun = sign.start()
        return [*rows, self._line_at(end if begun is None else begun)]

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
            before = self._at
            if self._text[before] == "[":
                one_of_many = self._text.startswith("[[", before)
                self._at += 2 if one_of_many else 1
                table = self._scan_keys(())
                if table not in headed:
                    headed.add(table)
                    self._lines[table] = self._line_at(before)
                if one_of_many:
                    number = entries.get(table, 0)
                    entries[table] = number + 1
                    table = (*table, number)
                    self._lines[table] = self._line_at(before)
                while self._skip_pattern(_BLANK) < len(self._text) and self._text[self._at] == "]":
                    self._at += 1
            else:
                self._scan_pair(table)
            if self._at == before:  # tomllib would not have let this pass; better no places than no end
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
            start = self._at
            raw = self._text[start : self._skip_pattern(_KEY)]
            path = (*path, _unquote_key(raw))
            self._lines.setdefault(path, self._line_at(start))
            if self._skip_pattern(_BLANK) >= len(self._text) or self._text[self._at] != ".":
                return path
            self._at += 1

    def _scan_value(self, path: KeyPath) -> None:
        first = self._text[self._at : self._at + 1]
        if first == "[":
            self._scan_items("]", path)
        elif first == "{":
            self._scan_items("}", path)
        elif first in ('"', "'"):
            start = self._at
            self._strings[path] = (start, self._skip_pattern(_STRING))
        else:
            self._skip_pattern(_SCALAR)

    def _scan_items(self, end: str, path: KeyPath) -> None:
        """The items of a list, or the pairs of a table in braces."""
        self._at += 1
        number = 0
        while self._skip_pattern(_SPACE) < len(self._text) and self._text[self._at] != end:
            before = self._at
            if end == "}":
                self._scan_pair(path)
            else:
                self._lines[(*path, number)] = self._line_at(before)
                self._scan_value((*path, number))
                number += 1
            if self._skip_pattern(_SPACE) < len(self._text) and self._text[self._at] == ",":
                self._at += 1
            if self._at == before:
                return
        self._at += 1

    def _skip_pattern(self, what: re.Pattern[str]) -> int:
        """Go past this, if it is here; say where that is."""
        found = what.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at


def _unquote_key(key: str) -> str:
    if key[:1] == "'":
        return key[1:-1]
    if key[:1] == '"':
        return key[1:-1] if "\\" not in key else "".join(tomllib.loads(f"{key} = 0"))
    return key


class OverlaidPositions:
    """The lines of two texts, of which one goes over the other: its lines are counted on from the other's last.

    Args:
        below: the text that is gone over.
        above: the one that goes over it.
        keys: the paths whose values come from above, such as `("lamps", "cells")`.
    """

    def __init__(self, below: TomlPositions, above: TomlPositions, keys: Container[KeyPath]) -> None:
        self._below, self._above, self._keys = below, above, keys

    def line_of(self, path: KeyPath) -> int:
        """The line of a key, a table or a list item, as `TomlPositions.line`."""
        if path[:2] in self._keys:
            return self._below.last_line + self._above.line_of(path)
        return self._below.line_of(path)

    def row_lines(self, path: KeyPath) -> list[int]:
        """The line of each row of a string, as `TomlPositions.rows`."""
        if path[:2] in self._keys:
            return [self._below.last_line + line for line in self._above.row_lines(path)]
        return self._below.row_lines(path)
