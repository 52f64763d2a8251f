"""The games that a journal holds: listed, shown, written as records, read from records, counted, deleted.

`times` and `rows` and `statistics` are pure, `commands` prints.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError

LARGEST_RECORD = 1_000_000
"""Bytes of a game record; the longest game with a word to every turn has far fewer."""


def text_of(name: str) -> str:
    """What a file, or standard input, says; `-` stands for that.

    Raises:
        PondError: it cannot be read, or is no text of a game.
    """
    if not name:
        raise PondError("No file was named; - stands for standard input.")
    try:
        if name == "-":
            data = sys.stdin.buffer.read(LARGEST_RECORD + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(LARGEST_RECORD + 1)
        text = data.decode("utf-8") if len(data) <= LARGEST_RECORD else None
    except UnicodeDecodeError:
        raise PondError(f"{name} is not a text in UTF-8, so it is not a game record.") from None
    except (OSError, ValueError) as error:
        raise PondError(f"{name!r} cannot be read: {describe_system_error(error)}.") from None
    if text is None:
        raise PondError(f"{name} is too long to be a game record.")
    return text
