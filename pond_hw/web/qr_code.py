"""A QR code in a terminal, for the camera of a phone."""

from __future__ import annotations

import shutil
import sys

import segno

BLACK_ON_WHITE, PLAIN = "\x1b[38;5;16;48;5;231m", "\x1b[0m"
"""Escape sequences that show the code as on paper, whatever the colours of the terminal."""

HALVES = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
"""Characters for two squares, one above the other."""

QUIET_SQUARES = 4
"""Width of the white border, in squares."""


def draw_qr_code(text: str) -> list[str]:
    """Return the lines of a QR code, for a dark or light terminal."""
    squares = [list(row) for row in segno.make_qr(text, error="m").matrix_iter(border=QUIET_SQUARES)]
    if len(squares) % 2:
        squares.append([0] * len(squares[0]))
    rows = zip(squares[::2], squares[1::2], strict=True)
    return [f"{BLACK_ON_WHITE}{''.join(HALVES[pair] for pair in zip(*two, strict=True))}{PLAIN}" for two in rows]


def print_qr_code(text: str) -> None:
    """Print a QR code, if standard output is a terminal that has room for it."""
    if not sys.stdout.isatty():
        return
    lines = draw_qr_code(text)
    columns = len(lines[0]) - len(BLACK_ON_WHITE + PLAIN)
    if shutil.get_terminal_size().columns >= columns:
        print(*lines, sep="\n", flush=True)
