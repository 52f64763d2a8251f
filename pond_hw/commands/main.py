"""The command `pond`. What a command needs is imported when it is asked for: start-up stays light."""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO, cast

from pond_hw import __version__
from pond_hw.commands.command import CommandModule
from pond_hw.commands.command_parser import CommandParser
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError

COMMAND_MODULES = {
    "Play": "play replay analyse",
    "Games that were played": "games show_game export import_ resume statistics delete_game",
    "Boards and set-up": "serve dark setup boards doctor report bench replay_board",
    "Building a board": "hardware",
    "Many games": "solve tournament study",
    "For programs and shells": "headless perft legal show apply completion",
}
"""The modules of the commands in their groups, as `pond --help` shows them. A new one is listed here."""

HELP_ON_COMMANDS = "`pond COMMAND --help` tells more about a command."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: what stands behind `pond` on the command line.

    Returns:
        The exit code: 0, 1 if `pond doctor` has found a fault, or 2 after a sentence on standard error that says what
        is wrong and what to do.
    """
    _open_closed_streams()
    _replace_unknown_letters()
    options = Namespace(prints=True)
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
        _print_error("", only_to_people=True)
        return 130
    except BrokenPipeError:  # whoever read our output has gone; there is nobody to say anything to
        _discard_output(sys.stdout)
        return 1
    except OSError as error:
        if error.filename is not None:
            failure_text = f"{os.fsdecode(error.filename)} cannot be used"
        else:
            failure_text = "The output cannot be written" if options.prints else "The system refuses what is needed"
        _discard_output(sys.stdout)
        _print_error(f"pond: {failure_text}: {describe_system_error(error)}.")
        return 2
    return exit_code


def build_parser() -> CommandParser:
    """The parser of all commands."""
    about = "Pond, on a board that lights up."
    parser = CommandParser(prog="pond", description=about, epilog=HELP_ON_COMMANDS)
    version = f"pond {__version__}"
    parser.add_argument("-V", "--version", action="version", version=version, help="print the version and leave")
    for title, module_names in COMMAND_MODULES.items():
        modules = [import_module(f"pond_hw.commands.{module_name}") for module_name in module_names.split()]
        parser.add_group(title, cast("list[CommandModule]", modules))
    return parser


def _open_closed_streams() -> None:
    """A standard stream that is closed (`>&-`) is None to Python; give it one that is empty and swallows all."""
    for stream_name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream_name) is None:
            setattr(sys, stream_name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end


def _replace_unknown_letters() -> None:
    """Letters that the output's encoding has not are printed as question marks, and end nothing."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")


def _print_error(error_line: str, *, only_to_people: bool = False) -> None:
    """Print a line on standard error, if anything can be printed there."""
    if not only_to_people or sys.stderr.isatty():
        try:
            print(error_line, file=sys.stderr, flush=True)
        except OSError:
            _discard_output(sys.stderr)


def _discard_output(stream: TextIO) -> None:
    """Keep the interpreter from writing at its end what could not be written before."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
