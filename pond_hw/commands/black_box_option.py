"""Whether what a board senses and shows is recorded, and where."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pond_hw.commands.command_output import print_note

if TYPE_CHECKING:
    from pond_hw.blackbox import BlackBox


def add_black_box_option(parser: ArgumentParser) -> None:
    """Add `--record`."""
    help_text = "keep all that sensors say and lamps show in this new file, for `pond replay-board`"
    parser.add_argument("--record", metavar="FILE", help=help_text)


@contextmanager
def open_black_box(
    options: Namespace, command: str, profile: str = "", warn: Callable[[str], None] | None = None
) -> Iterator[BlackBox | None]:
    """A new black box, if one was asked for. If it cannot be kept to the end, `warn` is told; or else it is said then.

    Raises:
        PondError: there cannot be one.
    """
    if options.record is None:
        yield None
        return
    from pond_hw.blackbox import BlackBox

    warning_texts: list[str] = []
    try:
        with closing(BlackBox(Path(options.record), command, profile, warn or warning_texts.append)) as box:
            yield box
    finally:
        for warning in warning_texts:
            print_note(warning)
