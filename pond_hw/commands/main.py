"""Entry point of `pond`. Each command is imported only when it runs, so that Pond starts quickly."""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TextIO

from pond_hw import __version__
from pond_hw.commands.command_parser import CommandParser
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.messages.terminal_output import print_text
from pond_hw.rules import PondError

COMMANDS = {
    "Play": {
        "play": ("Play on the lit board in this terminal.", "--dark level-4"),
        "lessons": ("List the lessons for a first evening, and mark those you have done.", ""),
        "puzzle": ("Solve a puzzle: a position with one right action.", "--daily"),
        "games": ("List your games, the newest last.", "--player Ada"),
        "analyse": ("Show what each action of your last game was worth.", ""),
        "web": ("Serve a phone page that shows a board.", "--spectators"),
        "link": ("Play one game on two boards in two homes.", "invite mqtts://broker.example"),
        "cards": ("Play the card game of the same name, or keep its score.", "play"),
    },
    "Your games": {
        "replay": ("Step through your last game, or another one, in this terminal.", "last"),
        "show-game": ("Show a game: its moves, its position, and moves taken back.", "last"),
        "export": ("Write games to files (.pond).", "last -o evening.pond"),
        "import": ("Add games from files (.pond).", "evening.pond"),
        "resume": ("Offer to resume a game when a board next starts.", "last"),
        "statistics": ("Show statistics of your games: wins, lengths and scores.", "--by player"),
        "delete-game": ("Delete games for good, after confirmation.", "3"),
    },
    "Boards and set-up": {
        "serve": ("Run a board, real or simulated, until you stop it.", "--board simulated-4x4"),
        "dark": ("Turn off all lamps of a board.", "--board direct-4x4"),
        "setup": ("Set up a board: find faults, learn its wiring, measure sensors.", "--board direct-4x4"),
        "boards": ("List the boards that Pond knows, or describe one.", "hall-5x5"),
        "doctor": ("Check the board and its machine, and say how to fix faults.", ""),
        "report": ("Write a report to send when you ask for help. It contains no names.", "-o report.txt"),
        "replay-board": ("Play back a recording of a board (--record).", "evening.box --speed 4"),
    },
    "Build a board": {
        "hardware": ("Generate the files for building a board: wiring, parts, STL.", "build matrix-5x5"),
        "sd-card": ("Make an image of Raspberry Pi OS that starts as a board.", "raspios.img.xz pond.deb hall-4x4"),
        "board": ("Find a board on USB, or write its configuration.", "flash-config usb-direct-4x4"),
    },
    "Many games": {
        "solve": ("Solve a three-row pond: who wins if both sides play perfectly?", "3x3/6/3"),
        "tournament": ("Let programs play many games against each other.", "level-1 greedy --games 200"),
        "study": ("Measure how fair a pond is when a player plays itself.", "mini standard"),
    },
    "For programs and shells": {
        "headless": ("Control a simulated board with JSON lines (docs/protocol.md).", "--pieces --dark greedy"),
        "perft": ("Count the legal sequences of exactly DEPTH actions.", "standard 4 --divide"),
        "legal": ("List the legal actions.", "'.tt./..FE/ft.T/T..T l 1 1 7 8'"),
        "show": ("Draw a position.", "'.tt./..FE/ft.T/T..T l 1 1 7 8'"),
        "apply": ("Play one action and print the turn as JSON.", "standard @b2"),
        "completion": ("Print the script that completes `pond` in your shell.", "bash"),
    },
}
"""Commands by group: name, summary and example arguments.

`pond --help` shows the first group, `pond --help all` shows all. A new command needs an entry here and a module in this
folder. The card game is in another package (`command_parser.OTHER_MODULES`).
"""

SILENT_COMMANDS = ("play", "serve", "web", "link", "dark")
"""Commands that print no results. For these, a system error without a file name can't come from writing the output."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Return the exit code: 0; 1 if `pond doctor` found a fault; 2 after an error message; 130 after Ctrl-C.
    """
    _prepare_streams()
    options = Namespace(command=None)
    try:
        try:
            options = build_parser().read_command_line(arguments)
            exit_code: int = options.run(options) or 0
        finally:
            sys.stdout.flush()
    except PondError as error:
        _print_error(f"pond: {to_english(error.message)}")
        return 2
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            _print_error("")
        return 130
    except BrokenPipeError:  # The reader has closed the pipe.
        _discard_output(sys.stdout)
        return 1
    except OSError as error:
        reason = describe_system_error(error)
        if error.filename is not None:
            failure = Message("command.file_unusable", file=os.fsdecode(error.filename), reason=reason)
        elif options.command in SILENT_COMMANDS:
            failure = Message("command.system_refuses", reason=reason)
        else:
            failure = Message("command.output_unwritable", reason=reason)
        _discard_output(sys.stdout)
        _print_error(f"pond: {to_english(failure)}")
        return 2
    return exit_code


def build_parser() -> CommandParser:
    about = "Pond, on a board that lights up."
    more = "All commands: pond --help all. Options of a command: pond play --help."
    parser = CommandParser(prog="pond", description=about, epilog=more)
    version = f"pond {__version__}"
    parser.add_argument("-V", "--version", action="version", version=version, help="print the version")
    for group_title, commands in COMMANDS.items():
        parser.add_group(group_title, commands)
    return parser


def _prepare_streams() -> None:
    """Replace closed standard streams, which are None in Python, with the null device.

    Also make standard output print a question mark for each character that its encoding lacks.
    """
    for stream_name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream_name) is None:
            setattr(sys, stream_name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="replace")


def _print_error(error_line: str) -> None:
    """Print an error to standard error, without terminal control codes. Ignore write errors."""
    try:
        print_text(error_line, sys.stderr)
        sys.stderr.flush()
    except OSError:
        _discard_output(sys.stderr)


def _discard_output(stream: TextIO) -> None:
    """Redirect a stream to the null device, so that the interpreter can flush it at exit without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
