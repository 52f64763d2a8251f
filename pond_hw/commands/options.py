"""Short ways to add the usual kinds of options to a command."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from pond_hw.commands.number_types import parse_whole_number

JSON_HELP, RESULT_HELP = "one JSON object", "what it comes to as one JSON object"
WORKERS_HELP = "processes that play (one for each core)"
OUT_HELP = "keep all games in FILE; if it was begun, go on with it"
"""What the help says of options that several commands take."""


def add_flag(parser: ArgumentParser, option_name: str, help_text: str) -> None:
    """Add an option that is given or not."""
    parser.add_argument(option_name, action="store_true", help=help_text)


def add_number(
    parser: ArgumentParser,
    option_name: str,
    help_text: str,
    parse: Callable[[str], float] = parse_whole_number,
    *,
    metavar: str = "N",
    default: float | None = None,
) -> None:
    """Add an option with a number, which `parse` reads; a whole one, if nothing is said."""
    parser.add_argument(option_name, metavar=metavar, type=parse, default=default, help=help_text)


def add_list(parser: ArgumentParser, option_name: str, metavar: str, help_text: str, **settings: Any) -> None:
    """Add an option that may be given several times."""
    parser.add_argument(option_name, metavar=metavar, action="append", default=[], help=help_text, **settings)
