"""Text that is safe for a terminal, and can be cut and padded to columns."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width, name

NO_BREAK_SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
"""Spaces that Python calls unprintable. French and numbers need them, and every terminal shows them."""

UNBREAKABLE_BLANK = "\N{BRAILLE PATTERN BLANK}"
"""Replacement for a no-break space on a screen, needed because Rich wraps lines at every kind of space."""


def protect_spaces(text: str) -> str:
    """Replace no-break spaces, such as the one before a French `!`, with unbreakable blanks."""
    for space in NO_BREAK_SPACES:
        text = text.replace(space, UNBREAKABLE_BLANK)
    return text


def replace_unprintable(text: str, replacement: str = "\N{REPLACEMENT CHARACTER}") -> str:
    """Replace all terminal control characters; for text that comes from outside Pond."""
    return "".join(letter if letter.isprintable() or letter in NO_BREAK_SPACES else replacement for letter in text)


def name_odd_character(toml_text: str, toml_error: ValueError) -> str:
    """Return the name of the character at which `tomllib` stopped, such as `no-break space (U+00A0)`; empty if it is ASCII.

    After a curly quote, `tomllib` reports an unclosed string only at the end of its line.
    """
    error_position = re.search(r"\(at line (\d+), column (\d+)\)$", str(toml_error))
    if not error_position:
        return ""
    line = toml_text.split("\n")[int(error_position[1]) - 1].removesuffix("\r")
    letter = line[int(error_position[2]) - 1 :][:1] or line[-1:]
    return "" if letter.isascii() else f"{name(letter, 'character').lower()} (U+{ord(letter):04X})"


def count_columns(text: str) -> int:
    """Return the width of a text in terminal columns."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def cut_text(text: str, width: int) -> str:
    """Truncate a text to a width."""
    if count_columns(text) <= width:
        return text
    while text and count_columns(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def pad_text(text: str, width: int, *, right: bool = False) -> str:
    """Pad a text to a width."""
    spaces = " " * (width - count_columns(text))
    return spaces + text if right else text + spaces
