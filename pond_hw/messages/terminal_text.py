"""Text that fits a terminal: nothing in it that a terminal would obey, cut and padded to columns."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width, name

NO_BREAK_SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
"""Spaces that Python calls unprintable; French and numbers need them, and every terminal shows them."""

UNBREAKABLE_BLANK = "\N{BRAILLE PATTERN BLANK}"
"""Stands for a no-break space on a screen, because Rich breaks lines at every kind of space."""


def protect_spaces(text: str) -> str:
    """Put unbreakable blanks for no-break spaces, such as the one before a French `!`."""
    for space in NO_BREAK_SPACES:
        text = text.replace(space, UNBREAKABLE_BLANK)
    return text


def replace_unprintable(text: str, replacement: str = "\N{REPLACEMENT CHARACTER}") -> str:
    """Replace every character that a terminal would obey; for text that somebody else wrote."""
    return "".join(letter if letter.isprintable() or letter in NO_BREAK_SPACES else replacement for letter in text)


def name_odd_character(toml_text: str, toml_error: ValueError) -> str:
    """Return the name of the character at which `tomllib` stopped: `no-break space (U+00A0)`; empty for a plain one.

    An unclosed string is only found at the end of its line, after a curly quote.
    """
    place = re.search(r"\(at line (\d+), column (\d+)\)$", str(toml_error))
    if not place:
        return ""
    line = toml_text.split("\n")[int(place[1]) - 1].removesuffix("\r")
    letter = line[int(place[2]) - 1 :][:1] or line[-1:]
    return "" if letter.isascii() else f"{name(letter, 'character').lower()} (U+{ord(letter):04X})"


def count_columns(text: str) -> int:
    """Count the columns that a text takes in a terminal."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def cut_text(text: str, width: int) -> str:
    """Cut a text to at most this many columns."""
    if count_columns(text) <= width:
        return text
    while text and count_columns(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def pad_text(text: str, width: int, *, right: bool = False) -> str:
    """Fill a text up to this many columns."""
    spaces = " " * (width - count_columns(text))
    return spaces + text if right else text + spaces
