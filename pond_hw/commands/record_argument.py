"""Argument for a game record: a file, standard input or a saved game."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands.arguments import add_journal_option
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.rules import PondError, Record, RecordError, parse_record

MAX_RECORD_BYTES = 1_000_000
"""Maximum size of a record in bytes. Even a long game with comments is far shorter."""


def add_record_argument(parser: ArgumentParser) -> None:
    """Add the arguments for a record, and for the journal of saved games."""
    help_text = "a record, - for standard input, or a saved game: its number in `pond games`, or `last` (the default)"
    parser.add_argument("record", metavar="FILE.pond", nargs="?", default="last", help=help_text)
    add_journal_option(parser)


def read_record_argument(options: Namespace) -> Record:
    if re.fullmatch("[0-9]{1,9}|last", options.record, re.ASCII):
        from pond_hw.commands.saved_games import make_record, open_journal, warn_of_damage

        (game,) = open_journal(options).find([options.record])
        record = make_record(game)
        warn_of_damage(game)
        return record
    return read_record_file(options.record)


def read_record_file(file_name: str) -> Record:
    """Read a record from a file, or from standard input if the name is `-`. Raise PondError if that fails."""
    try:
        return parse_record(_read_text(file_name))
    except RecordError as error:
        raise PondError(Message("file.bad_record", file=file_name, reason=error.message)) from error


def _read_text(file_name: str) -> str:
    if not file_name:
        raise PondError(Message("file.no_name"))
    with explain_system_errors("file.cannot_read", file=file_name):
        if file_name == "-":
            data = sys.stdin.buffer.read(MAX_RECORD_BYTES + 1)
        else:
            with Path(file_name).open("rb") as file:
                data = file.read(MAX_RECORD_BYTES + 1)
    if len(data) > MAX_RECORD_BYTES:
        raise PondError(Message("file.too_long", file=file_name))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise PondError(Message("file.not_utf8", file=file_name)) from None
