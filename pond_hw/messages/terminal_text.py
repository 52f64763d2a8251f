"""Functions that make text safe for a terminal, measure it, and cut or pad it to a width."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width, name

NO_BREAK_SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
"""Spaces that Python considers unprintable. French texts and numbers need them, and every terminal can show them."""

UNBREAKABLE_BLANK = "\N{BRAILLE PATTERN BLANK}"
"""Character that replaces no-break spaces on screens, because Rich breaks lines at any kind of space."""


def protect_spaces(text: str) -> str:
    """Replace no-break spaces, such as the one before a French `!`, with unbreakable blanks."""
    for space in NO_BREAK_SPACES:
        text = text.replace(space, UNBREAKABLE_BLANK)
    return text


def replace_unprintable(text: str, replacement: str = "\N{REPLACEMENT CHARACTER}") -> str:
    """Replace all control characters in a text from outside Pond."""
    return "".join(letter if letter.isprintable() or letter in NO_BREAK_SPACES else replacement for letter in text)


def name_rejected_character(toml_text: str, toml_error: ValueError) -> str:
    """Return the name of the character that `tomllib` rejected, such as `no-break space (U+00A0)`.

    If the character is ASCII, return an empty string. If a string starts with a curly quote, `tomllib` reports the error
    only at the end of the line.
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
    """Truncate a text to a width in terminal columns."""
    if count_columns(text) <= width:
        return text
    while text and count_columns(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def pad_text(text: str, width: int, *, right: bool = False) -> str:
    """Pad a text with spaces to a width in terminal columns."""
    spaces = " " * (width - count_columns(text))
    return spaces + text if right else text + spaces
