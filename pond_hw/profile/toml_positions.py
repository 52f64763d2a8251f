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

Path = tuple[str | int, ...]
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

_SIGNS = re.compile(  # what a string in double quotes is made of
    r"(?P<fold>\\[ \t]*\n[ \t\n]*)|(?P<end>\n|\\n|\\u000[Aa]|\\U0000000[Aa])|(?P<blank>[ \t]+)"
    r"|(?P<sign>\\.|[^\s\\]+|.)",
    re.DOTALL,
)
_SIGNS_AS_THEY_ARE = re.compile(r"(?P<end>\n)|(?P<blank>[ \t]+)|(?P<sign>\S+|.)")


class Lines(Protocol):
    """Whoever knows on which line everything stands."""

    def line(self, path: Path) -> int:
        """The line of a key, a table or a list item."""

    def rows(self, path: Path) -> list[int]:
        """The line of each row of a string."""


class Places:
    """The lines of a TOML text, 1 first.

    Args:
        text: what `tomllib` could read.
    """

    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")  # as tomllib does
        self._ends = [end.start() for end in re.finditer("\n", self._text)]
        self._lines: dict[Path, int] = {}
        self._strings: dict[Path, tuple[int, int]] = {}  # from where to where in the text, with their quotes
        self._at = 0
        self._read()

    def line(self, path: Path) -> int:
        """The line of a key, a table or a list item; of a table its heading, if it has one.

        Of what is not there, the line of what it should be in.
        """
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def rows(self, path: Path) -> list[int]:
        """The line on which each row of a string begins to have anything in it."""
        if path not in self._strings:
            return [self.line(path)]
        start, end = self._strings[path]
        signs = _SIGNS if self._text[start] == '"' else _SIGNS_AS_THEY_ARE
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
    def last(self) -> int:
        """The number of the last line."""
        return len(self._ends) + 1

    def _line_at(self, offset: int) -> int:
        return bisect_left(self._ends, offset) + 1

    def _read(self) -> None:
        table: Path = ()
        headed = set()
        entries: dict[Path, int] = {}  # how often each table that may come several times has begun
        while self._skip(_SPACE) < len(self._text):
            before = self._at
            if self._text[before] == "[":
                one_of_many = self._text.startswith("[[", before)
                self._at += 2 if one_of_many else 1
                table = self._keys(())
                if table not in headed:
                    headed.add(table)
                    self._lines[table] = self._line_at(before)
                if one_of_many:
                    number = entries.get(table, 0)
                    entries[table] = number + 1
                    table = (*table, number)
                    self._lines[table] = self._line_at(before)
                while self._skip(_BLANK) < len(self._text) and self._text[self._at] == "]":
                    self._at += 1
            else:
                self._pair(table)
            if self._at == before:  # tomllib would not have let this pass; better no places than no end
                return

    def _pair(self, table: Path) -> None:
        path = self._keys(table)
        self._skip(_BLANK)
        self._at += 1  # the equals sign
        self._skip(_BLANK)
        self._value(path)

    def _keys(self, table: Path) -> Path:
        """A key, or several with points between them, noted as what leads to what."""
        path = table
        while True:
            self._skip(_BLANK)
            start = self._at
            raw = self._text[start : self._skip(_KEY)]
            path = (*path, _unquoted(raw))
            self._lines.setdefault(path, self._line_at(start))
            if self._skip(_BLANK) >= len(self._text) or self._text[self._at] != ".":
                return path
            self._at += 1

    def _value(self, path: Path) -> None:
        first = self._text[self._at : self._at + 1]
        if first == "[":
            self._between("]", path)
        elif first == "{":
            self._between("}", path)
        elif first in ('"', "'"):
            start = self._at
            self._strings[path] = (start, self._skip(_STRING))
        else:
            self._skip(_SCALAR)

    def _between(self, end: str, path: Path) -> None:
        """The items of a list, or the pairs of a table in braces."""
        self._at += 1
        number = 0
        while self._skip(_SPACE) < len(self._text) and self._text[self._at] != end:
            before = self._at
            if end == "}":
                self._pair(path)
            else:
                self._lines[(*path, number)] = self._line_at(before)
                self._value((*path, number))
                number += 1
            if self._skip(_SPACE) < len(self._text) and self._text[self._at] == ",":
                self._at += 1
            if self._at == before:
                return
        self._at += 1

    def _skip(self, what: re.Pattern[str]) -> int:
        """Go past this, if it is here; say where that is."""
        found = what.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at


def _unquoted(key: str) -> str:
    if key[:1] == "'":
        return key[1:-1]
    if key[:1] == '"':
        return key[1:-1] if "\\" not in key else "".join(tomllib.loads(f"{key} = 0"))
    return key


class Overlaid:
    """The lines of two texts, of which one goes over the other: its lines are counted on from the other's last.

    Args:
        below: the text that is gone over.
        above: the one that goes over it.
        keys: the paths whose values come from above, such as `("lamps", "cells")`.
    """

    def __init__(self, below: Places, above: Places, keys: Container[Path]) -> None:
        self._below, self._above, self._keys = below, above, keys

    def line(self, path: Path) -> int:
        """The line of a key, a table or a list item, as `Places.line`."""
        if path[:2] in self._keys:
            return self._below.last + self._above.line(path)
        return self._below.line(path)

    def rows(self, path: Path) -> list[int]:
        """The line of each row of a string, as `Places.rows`."""
        if path[:2] in self._keys:
            return [self._below.last + line for line in self._above.rows(path)]
        return self._below.rows(path)
