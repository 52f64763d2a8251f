"""What `--record` has kept of a board, seen again: in a terminal (`app`), or as lines (`words`)."""

from __future__ import annotations

import sys
from pathlib import Path

from pond_hw.blackbox import read_box
from pond_hw.blackbox.text import lines

__all__ = ["run"]


def run(path: Path, speed: float, *, text: bool) -> None:
    """Show a black box again.

    Args:
        path: the file.
        speed: how many times as fast as it was.
        text: whether it is printed, a line for each thing that happened, and not played.

    Raises:
        PondError: it cannot be read, or there is no terminal.
    """
    box = read_box(path)
    if text:
        for line in lines(box.notes):
            print(line)
    else:
        from pond_hw.tui.blackbox_app import play

        play(box, speed)
    if box.lacks:
        print(f"pond: {box.lacks}", file=sys.stderr)
