"""What commands print: in letters that the terminal knows, with nothing in it that a terminal would obey."""

from __future__ import annotations

import sys

from pond_hw.messages.terminal_text import replace_unprintable


def print_lines(*lines: str) -> None:
    """Print lines on standard output."""
    for text_line in lines:
        print_encodable(replace_unprintable(text_line))


def print_encodable(text_line: str) -> None:
    """Print a line; letters that the output's encoding has not become question marks."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text_line.encode(encoding, "replace").decode(encoding))


def print_note(message_text: str) -> None:
    """Say something on standard error that is no part of what was asked for."""
    print(f"pond: {message_text}", file=sys.stderr)


def print_complaint(message_text: str) -> None:
    """Say on standard error what is wrong with something that somebody else wrote."""
    print_note(replace_unprintable(message_text))
