"""The command `pond`. What a command needs is imported when it is asked for: start-up stays light."""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TextIO

from pond_hw import __version__
from pond_hw.commands.command_parser import CommandParser
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError

COMMANDS = {
    "Play": {
        "play": ("Play on the lit board in this terminal.", "--dark level-4"),
        "replay": ("Step through a game in this terminal; elsewhere, print how it ends.", "last"),
        "analyse": ("Tell what each action of a game was worth, and where it turned.", "last"),
    },
    "Games that were played": {
        "games": ("List the games that were played, the newest last.", "--player Ada"),
        "show-game": ("Show a game: its record, how it stands, what was taken back.", "last"),
        "export": ("Write games as records (.pond).", "last -o evening.pond"),
        "import": ("Put game records among the games that were played.", "evening.pond"),
        "resume": ("Have a game that was left offered when a board starts next.", "last"),
        "statistics": ("Tell what the finished games come to.", "--by player"),
        "delete-game": ("Delete games for good. It asks first.", "3"),
    },
    "Boards and set-up": {
        "serve": ("Serve a board until told to end: a real one, or one that is simulated.", "--board simulated-4x4"),
        "dark": ("Leave the lamps of a board dark, whatever was left on them.", "--board direct-4x4"),
        "setup": ("Set up a board: find faults, learn wires and lamps, measure sensors.", "--board direct-4x4"),
        "boards": ("List the boards there are profiles for, or describe one of them.", "hall-5x5"),
        "doctor": ("Check everything around the board, and say how to fix what is wrong.", ""),
        "report": ("Print a text to show when asking for help; it holds nothing personal.", "-o report.txt"),
        "bench": ("Measure how fast and how light the companion is on this machine.", "--seconds 60"),
        "replay-board": ("Show again what `--record` has kept of a board.", "evening.box --speed 4"),
    },
    "Building a board": {
        "hardware": ("Make the files to build a board from: wiring, parts, STL files.", "build matrix-5x5")
    },
    "Many games": {
        "solve": ("Solve a pond of three rows: who wins, if both sides do their best.", "3x3/6/3"),
        "tournament": ("Have programs play against each other, many games.", "level-1 greedy --games 200"),
        "study": ("Find out whether ponds are fair; one player meets itself.", "mini standard"),
    },
    "For programs and shells": {
        "headless": ("Drive a simulated board by JSON lines (docs/protocol.md).", "--pieces --dark greedy"),
        "perft": ("Count the legal sequences of exactly DEPTH actions.", "standard 4 --divide"),
        "legal": ("Print the legal actions, a line each.", "'.tt./..FE/ft.T/T..T l 1 1 7 8'"),
        "show": ("Draw a position.", "'.tt./..FE/ft.T/T..T l 1 1 7 8'"),
        "apply": ("Play one action and print the turn as JSON.", "standard @b2"),
        "completion": ("Print the script with which a shell completes `pond`.", "bash"),
    },
}
"""The commands in their groups, as `pond --help` shows them: what each does, and what may stand behind its name.

Each has a module of its own in this folder. A new one is listed here.
"""

SILENT_COMMANDS = ("play", "serve", "dark")
"""They print no results, so an error of the system without a file is none of the output."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: what stands behind `pond` on the command line.

    Returns:
        The exit code: 0, 1 if `pond doctor` has found a fault, or 2 after a sentence on standard error that says what
        is wrong and what to do.
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
        _print_error(f"pond: {error}")
        return 2
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            _print_error("")
        return 130
    except BrokenPipeError:  # whoever read our output has gone; there is nobody to say anything to
        _discard_output(sys.stdout)
        return 1
    except OSError as error:
        if error.filename is not None:
            failure_text = f"{os.fsdecode(error.filename)} cannot be used"
        elif options.command in SILENT_COMMANDS:
            failure_text = "The system refuses what is needed"
        else:
            failure_text = "The output cannot be written"
        _discard_output(sys.stdout)
        _print_error(f"pond: {failure_text}: {describe_system_error(error)}.")
        return 2
    return exit_code


def build_parser() -> CommandParser:
    """The parser of all commands."""
    about, more = "Pond, on a board that lights up.", "`pond COMMAND --help` tells more about a command."
    parser = CommandParser(prog="pond", description=about, epilog=more)
    version = f"pond {__version__}"
    parser.add_argument("-V", "--version", action="version", version=version, help="print the version and leave")
    for group_title, commands in COMMANDS.items():
        parser.add_group(group_title, commands)
    return parser


def _prepare_streams() -> None:
    """A standard stream that is closed (`>&-`) is None to Python; give it one that is empty and swallows all.

    Letters that the output's encoding has not are printed as question marks, and end nothing.
    """
    for stream_name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream_name) is None:
            setattr(sys, stream_name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="replace")


def _print_error(error_line: str) -> None:
    """Print a line on standard error, if anything can be printed there."""
    try:
        print(error_line, file=sys.stderr, flush=True)
    except OSError:
        _discard_output(sys.stderr)


def _discard_output(stream: TextIO) -> None:
    """Keep the interpreter from writing at its end what could not be written before."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
