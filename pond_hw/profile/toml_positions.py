"""Line numbers of everything in a TOML text.

`tomllib` parses and validates, but doesn't report line numbers. This module scans a text that `tomllib` has accepted and
finds the lines of tables, keys, list items, and rows within strings.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections import Counter
from collections.abc import Container

KeyPath = tuple[str | int, ...]
"""Keys and list indexes that lead to a value: `("strips", "light", 3)`."""

_SPACE = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_BASIC = r'"(?:\\.|[^"\\\n])*"'
_LITERAL = r"'[^'\n]*'"
_LONG_BASIC = r'"""(?:\\.|[^\\])*?"{3,5}'  # the last three quotes end the string; any before them belong to the text
_LONG_LITERAL = r"'''.*?'{3,5}"
_KEY = re.compile(f"[A-Za-z0-9_-]+|{_BASIC}|{_LITERAL}")
_STRING = re.compile(f"{_LONG_BASIC}|{_LONG_LITERAL}|{_BASIC}|{_LITERAL}", re.DOTALL)
_SCALAR = re.compile(r"[^,\]}#\n]*")

_ESCAPED_TOKENS = re.compile(  # parts of a string in double quotes
    r"(?P<fold>\\[ \t]*\n[ \t\n]*)|(?P<end>\n|\\n|\\u000[Aa]|\\U0000000[Aa])|(?P<blank>[ \t]+)"
    r"|(?P<sign>\\.|[^\s\\]+|.)",
    re.DOTALL,
)
_LITERAL_TOKENS = re.compile(r"(?P<end>\n)|(?P<blank>[ \t]+)|(?P<sign>\S+|.)")


class TomlPositions:
    """Line numbers, from 1, in a text accepted by `tomllib`."""

    def __init__(self, toml_text: str) -> None:
        self._text = toml_text.replace("\r\n", "\n")  # as tomllib does
        self._ends = [line_end.start() for line_end in re.finditer("\n", self._text)]
        self.last_line = len(self._ends) + 1
        self._lines: dict[KeyPath, int] = {}
        self._rows: dict[KeyPath, list[int]] = {}  # lines of the rows of each string
        self._at = 0
        self._scan_text()

    def line_of(self, path: KeyPath) -> int:
        """Return the line of a key, a table's heading or a list item.

        If an item is missing, return the line of its parent.
        """
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def row_lines(self, path: KeyPath) -> list[int]:
        return self._rows.get(path) or [self.line_of(path)]

    def overlay(self, above: TomlPositions, keys: Container[KeyPath]) -> None:
        """Replace the lines of the values under these keys with those in another text.

        The line numbers of that text continue after the last line of this one.
        """
        for own_path in [path for path in (*self._lines, *self._rows) if path[:2] in keys]:
            self._lines.pop(own_path, None)
            self._rows.pop(own_path, None)
        self._lines |= {path: self.last_line + line for path, line in above._lines.items() if path[:2] in keys}
        for path, rows in above._rows.items():
            if path[:2] in keys:
                self._rows[path] = [self.last_line + line for line in rows]

    def _line_at(self, offset: int) -> int:
        return bisect_left(self._ends, offset) + 1

    def _scan_text(self) -> None:
        table: KeyPath = ()
        headed = set()
        entries = Counter[KeyPath]()  # tables found so far in each array of tables
        while self._skip_pattern(_SPACE) < len(self._text):
            if self._text[self._at] != "[":
                self._scan_pair(table)
                continue
            heading_line = self._line_at(self._at)
            is_entry = self._text.startswith("[[", self._at)
            self._skip_mark("[[" if is_entry else "[")
            table = self._scan_keys(())
            if table not in headed:
                headed.add(table)
                self._lines[table] = heading_line
            if is_entry:
                entries[table] += 1
                table = (*table, entries[table] - 1)
                self._lines[table] = heading_line
            self._skip_mark("]]" if is_entry else "]")

    def _scan_pair(self, table: KeyPath) -> None:
        path = self._scan_keys(table)
        self._skip_mark("=")
        self._skip_pattern(_BLANK)
        self._scan_value(path)

    def _scan_keys(self, table: KeyPath) -> KeyPath:
        path = table
        while True:
            key_start = self._skip_pattern(_BLANK)
            key = self._text[key_start : self._skip_pattern(_KEY)]
            path = (*path, next(iter(tomllib.loads(f"{key} = 0"))) if key[0] in "\"'" else key)
            self._lines.setdefault(path, self._line_at(key_start))
            if not self._skip_mark("."):
                return path

    def _scan_value(self, path: KeyPath) -> None:
        value_start = self._at
        if self._skip_mark("["):
            item_number = 0
            while not self._skip_mark("]", _SPACE):
                self._lines[(*path, item_number)] = self._line_at(self._at)
                self._scan_value((*path, item_number))
                self._skip_mark(",", _SPACE)
                item_number += 1
        elif self._skip_mark("{"):
            while not self._skip_mark("}", _SPACE):
                self._scan_pair(path)
                self._skip_mark(",", _SPACE)
        elif self._skip_pattern(_STRING) > value_start:
            self._rows[path] = self._locate_rows(value_start, self._at)
        else:
            self._skip_pattern(_SCALAR)

    def _locate_rows(self, start: int, end: int) -> list[int]:
        """Record the line of each row of a string between these offsets, which include the quotes."""
        tokens = _ESCAPED_TOKENS if self._text[start] == '"' else _LITERAL_TOKENS
        quote_length = 3 if self._text.startswith(('"""', "'''"), start) else 1
        start, end = start + quote_length, end - quote_length
        if quote_length == 3:
            start += self._text.startswith("\n", start)  # a line break after the opening quotes is dropped
        rows = []
        begun: int | None = None
        for token in tokens.finditer(self._text, start, end):
            if token.lastgroup == "end":
                rows.append(self._line_at(token.start() if begun is None else begun))
                begun = None
            elif token.lastgroup == "sign" and begun is None:
                begun = token.start()
        return [*rows, self._line_at(end if begun is None else begun)]

    def _skip_pattern(self, text_pattern: re.Pattern[str]) -> int:
        if pattern_match := text_pattern.match(self._text, self._at):
            self._at = pattern_match.end()
        return self._at

    def _skip_mark(self, mark: str, space: re.Pattern[str] = _BLANK) -> bool:
        """Skip spaces and, if it comes next, this mark. Return True if the mark was there."""
        self._skip_pattern(space)
        is_here = self._text.startswith(mark, self._at)
        self._at += len(mark) * is_here
        return is_here
