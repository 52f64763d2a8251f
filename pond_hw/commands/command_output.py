"""Output of commands: text without terminal control codes, and new files that never overwrite others."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pond_hw.messages.catalogue import get_catalogue, to_english
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.messages.terminal_output import print_text
from pond_hw.rules import Position, Side


def print_lines(*lines: Message | str, language: str = "en") -> None:
    for text_line in map(get_catalogue(language).to_text, lines):
        print_text(text_line)


def log_to_terminal() -> None:
    """Write the log to standard error, without floods of repeated lines."""
    import logging

    from pond_hw.server.rate_limiter import LogLimit

    log = logging.StreamHandler()
    log.addFilter(LogLimit())
    logging.basicConfig(format="%(message)s", level=logging.INFO, handlers=[log])


def draw_position(position: Position) -> list[Message | str]:
    """Return the board and the numbers of scored pieces and spawn, without the side to move."""
    pieces = (
        Message("drawn.pieces", side=str(side), scored=position.scored[side], spawn=position.spawn[side])
        for side in Side
    )
    return [*position.board_lines, *pieces]


def print_note(message: Message | str) -> None:
    """Print a note, a warning or an error to standard error."""
    print_text(f"pond: {to_english(message)}", sys.stderr)


def write_new_file(path: Path, file_text: str) -> None:
    """Write a new file, and never leave a partly written one.

    Raise FileExistsError, another OSError, or ValueError for an invalid name.
    """
    with path.open("xb") as new_file:
        try:
            new_file.write(file_text.encode())
            new_file.flush()
        except OSError:
            path.unlink()
            raise


def check_new_file(file_name: str) -> None:
    """Raise PondError if a new file can't be written. Call this before a long computation."""
    path = Path(file_name)
    with explain_system_errors("file.cannot_write", file=file_name):
        exists, is_folder = path.exists(), path.is_dir()
        may_write = os.access(path.parent, os.W_OK)
    if is_folder:
        raise PondError(Message("file.is_folder", file=file_name))
    if exists:
        raise PondError(Message("file.exists", file=file_name))
    if not path.parent.is_dir():
        raise PondError(Message("file.no_folder", file=file_name, folder=str(path.parent)))
    if not may_write:
        raise PondError(Message("file.locked_folder", file=file_name, folder=str(path.parent)))


def save_new_file(file_name: str, file_text: str) -> None:
    """Write a new file with a name given by the user. Raise PondError if the file exists or can't be written."""
    with explain_system_errors("file.cannot_write", file=file_name):
        try:
            write_new_file(Path(file_name), file_text)
        except FileExistsError:
            raise PondError(Message("file.exists", file=file_name)) from None
