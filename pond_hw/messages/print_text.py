"""Printed text: in a terminal, long lines are broken at spaces; elsewhere they stay as they are."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

from pond_hw.messages.terminal_text import count_columns, replace_unprintable

DEFAULT_COLUMNS = 80
"""Columns of a terminal that does not know its own width."""

_COMMAND = re.compile(
    r"`[^`]+`"
    r"|(?<=: )(?:sudo|(?:\S*/)?pond|make|pipx?|uv|apt|python3?)(?: [^\s,;()]+)*?(?=[.,;]?$|[.,;]? [A-Z(]|[.,;] )"
)
"""A command that can be copied: between backticks, or behind a colon up to the end of the sentence."""

_LABEL = re.compile(r" *(?:\S+(?: \S+){0,2} {2,})?")


def print_text(text: str, file: TextIO | None = None) -> None:
    """Print text, with nothing that a terminal would obey."""
    stream = file or sys.stdout
    columns = find_columns(stream)
    for line in text.split("\n"):
        print(fold_line(replace_unprintable(line), columns), file=stream)


def find_columns(stream: TextIO) -> int | None:
    """Return the width of the terminal that a stream goes to; None if it goes elsewhere."""
    if not stream.isatty():
        return None
    wanted = os.environ.get("COLUMNS", "")
    try:
        return (int(wanted) if wanted.isdecimal() else os.get_terminal_size(stream.fileno()).columns) or DEFAULT_COLUMNS
    except (OSError, ValueError):
        return DEFAULT_COLUMNS


def fold_line(line: str, columns: int | None) -> str:
    """Break a line at spaces, but not inside a command. Later lines begin below the text behind a label."""
    if columns is None or count_columns(line) <= columns:
        return line
    from textwrap import wrap  # most commands print nothing that is long

    label = _LABEL.match(line)
    indent = len(label[0]) if label and len(label[0]) <= columns // 3 else 0
    unbreakable = _COMMAND.sub(lambda command: command[0].replace(" ", "\0"), line[indent:])
    parts = wrap(unbreakable, columns - indent, break_long_words=False, break_on_hyphens=False)
    return line[:indent] + f"\n{' ' * indent}".join(parts).replace("\0", " ")
