"""Terminal output with aligned columns and wrapped lines."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from math import inf
from typing import TextIO

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.terminal_text import count_columns, cut_text, pad_text, replace_unprintable

DEFAULT_COLUMNS = 80
"""Width assumed for a terminal that does not report its width."""

MIN_CELL_COLUMNS = 6
"""Minimum width of a column whose texts are truncated."""

_COMMAND = re.compile(
    r"`[^`]+`"
    r"|(?<=: )(?:sudo|(?:\S*/)?pond|make|pipx?|uv|apt|python3?)(?: [^\s,;()]+)*?(?=[.,;]?$|[.,;]? [A-Z(]|[.,;] )"
)
"""Shell command that the user can copy, either between backticks or from a colon to the end of the sentence."""

_LABEL = re.compile(r" *(?:\S+(?: \S+){0,2} {2,})?")


def print_text(text: str, file: TextIO | None = None) -> None:
    """Print text wrapped to the width of the terminal, with control characters replaced."""
    stream = file or sys.stdout
    columns = find_columns(stream)
    for line in text.split("\n"):
        print(wrap_line(replace_unprintable(line), columns), file=stream)


def find_columns(stream: TextIO) -> int | None:
    """Return the width of the terminal that a stream writes to, or None if it doesn't write to a terminal."""
    if not stream.isatty():
        return None
    columns_text = os.environ.get("COLUMNS", "")
    try:
        return (
            int(columns_text) if columns_text.isdecimal() else os.get_terminal_size(stream.fileno()).columns
        ) or DEFAULT_COLUMNS
    except (OSError, ValueError):
        return DEFAULT_COLUMNS


def wrap_line(line: str, columns: int | None) -> str:
    """Wrap a line at spaces, but never inside a command.

    If the line starts with a label, indent continuation lines to match.
    """
    if columns is None or count_columns(line) <= columns:
        return line
    label = _LABEL.match(line)
    indent = len(label[0]) if label and len(label[0]) <= columns // 3 else 0
    return line[:indent] + f"\n{' ' * indent}".join(wrap_around(_COMMAND, line[indent:], columns - indent))


def wrap_around(unbreakable: re.Pattern[str], text: str, columns: int, first: str = "", later: str = "") -> list[str]:
    """Wrap a text at spaces, but never inside a match of `unbreakable`.

    Args:
        unbreakable: pattern of the parts that stay on one line, such as commands.
        text: text of one paragraph.
        columns: maximum width of a line. Longer words and parts aren't broken.
        first: indentation of the first line.
        later: indentation of the other lines.
    """
    from textwrap import wrap  # lazy: few commands print long lines

    joined = unbreakable.sub(lambda part: part[0].replace(" ", "\0"), text)
    lines = wrap(
        joined, columns, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\0", " ") for line in lines]


def align_columns(
    rows: Iterable[Sequence[object]],
    column_sides: str,
    line_width: int | None = None,
    shrinkable: Sequence[int] = (),
    *,
    language: str = "en",
) -> list[str]:
    """Format rows as lines with aligned columns.

    Args:
        rows: rows of texts, messages or numbers. All rows have the same length.
        column_sides: alignment of each column, `l` or `r`.
        line_width: maximum width of a line. Columns are separated by two spaces, or by one if a line would be too long.
        shrinkable: indices of columns whose texts may be truncated if a line is still too long.
        language: language of the messages.
    """
    to_text = get_catalogue(language).to_text
    text_rows = [list(map(to_text, row)) for row in rows]
    column_widths = [max(map(count_columns, column)) for column in zip(*text_rows, strict=True)]
    longest_line, gap_count = inf if line_width is None else line_width, len(column_widths) - 1
    gap_width = 2 if sum(column_widths) + 2 * gap_count <= longest_line else 1
    while shrinkable and sum(column_widths) + gap_width * gap_count > longest_line:
        longest_column = max(shrinkable, key=column_widths.__getitem__)
        if column_widths[longest_column] <= MIN_CELL_COLUMNS:
            break
        column_widths[longest_column] -= 1
    lines = []
    for row in text_rows:
        cells = zip(row, column_widths, column_sides, strict=True)
        texts = (
            pad_text(cut_text(text, cell_width), cell_width, right=side == "r") for text, cell_width, side in cells
        )
        lines.append((" " * gap_width).join(texts).rstrip())
    return lines
