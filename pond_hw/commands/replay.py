"""`pond replay`: step through a game record in a terminal, or print its final position."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from pond_hw.commands.arguments import add_flag, add_lamps_option, add_language_option, read_lamp_count, read_language
from pond_hw.commands.command_output import draw_position, print_lines
from pond_hw.commands.record_argument import add_record_argument, read_record_argument
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.rules import Record
from pond_hw.session import describe_end


def add_arguments(parser: ArgumentParser) -> None:
    add_record_argument(parser)
    add_flag(parser, "--text", "print the final position, even in a terminal")
    add_lamps_option(parser, "as many as fit in the window")
    add_language_option(parser)


def run_command(options: Namespace) -> None:
    record, language = read_record_argument(options), read_language(options)
    if not options.text and all(text_stream.isatty() for text_stream in (sys.stdin, sys.stdout, sys.stderr)):
        _step_through(record, read_lamp_count(options), language)
        return
    position, end = record.position, describe_end(record.position, record.outcome)
    print_lines(*draw_position(position), position.notation_line, end, language=language)


def _step_through(record: Record, lamp_count: int | None, language: str) -> None:
    from pond_hw.tui.replay_app import ReplayApp
    from pond_hw.tui.terminal import require_terminal

    require_terminal("pond replay --text")
    stepping_board = ReplayApp(record, lamp_count, catalogue=get_catalogue(language, "terminal"))
    stepping_board.run()
    if stepping_board.return_code:
        raise SystemExit(stepping_board.return_code)
