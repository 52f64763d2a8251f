"""`pond replay`: a game record in a terminal, turn by turn, back and forth; elsewhere, how it ends."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from pond_hw.commands.arguments import add_flag, add_lamps_option, read_lamp_count
from pond_hw.commands.record_argument import add_record_argument, read_record_argument
from pond_hw.rules import Record
from pond_hw.session import describe_outcome


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_record_argument(parser)
    add_flag(parser, "--text", "print how it ends, in a terminal too")
    add_lamps_option(parser, "as many as the window has room for")


def run_command(options: Namespace) -> None:
    """Show the game."""
    record = read_record_argument(options)
    if not options.text and all(text_stream.isatty() for text_stream in (sys.stdin, sys.stdout, sys.stderr)):
        _step_through(record, read_lamp_count(options))
        return
    position, outcome = record.position, record.outcome
    print(position)
    print(position.notation_line)
    print(describe_outcome(outcome, position) if outcome else f"The game goes on; {position.to_move} is to move.")


def _step_through(record: Record, lamp_count: int | None) -> None:
    from pond_hw.tui.record_app import SteppingBoard
    from pond_hw.tui.terminal import need_terminal

    need_terminal("`pond replay --text` does not")
    stepping_board = SteppingBoard(record, lamp_count)
    stepping_board.run()
    if stepping_board.return_code:
        raise SystemExit(stepping_board.return_code)
