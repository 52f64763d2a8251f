"""`pond report`: what is around the board, as a text to show when asking for help."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from pond_hw.commands.board_options import add_board_option
from pond_hw.commands.command import Command, CommandGroup
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError

if TYPE_CHECKING:
    from pond_hw.doctor import Surroundings

COMMAND = Command(
    "report",
    CommandGroup.BOARDS,
    "Print a text to show when asking for help; it holds nothing personal.",
    "-o report.txt",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_board_option(parser, required=False)
    parser.add_argument("-o", metavar="FILE", dest="file", help="write it to a new file")


def run_command(options: Namespace) -> None:
    """Report on this machine."""
    write_report(options.board, options.file)


def write_report(board: str | None, file: str | None, around: Surroundings | None = None) -> None:
    """Print the report, or write it to a file that is not there yet.

    Raises:
        ProfileError: there is no such profile.
        PondError: there is such a file, or it cannot be written.
    """
    from pond_hw.doctor import Surroundings
    from pond_hw.doctor.report import report

    text = report(board, around or Surroundings(), describe_measurements)
    if file is None:
        print(text, end="")
        return
    try:
        with Path(file).open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise PondError(f"There is a file {file} already, and it is kept. Name another one.") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise PondError(f"{file} cannot be written: {describe_system_error(error)}.") from None
    print(f"{file} is written. Read it before you show it to anybody.")


def describe_measurements(board: str) -> list[str]:
    """What set-up has found and changed on a board, in lines."""
    from pond_hw.profile.calibration_store import history
    from pond_hw.setup.results_store import kept
    from pond_hw.setup.step import GOOD

    lines = []
    for step, result in kept(board).items():
        bad = [finding for finding in result["findings"] if finding["grade"] != GOOD]
        lines.append(f"{step}, {result['at']}: {len(result['findings']) - len(bad)} good, {len(bad)} not")
        for finding in bad:
            line = f"  {finding['grade']}, {finding['kind']}: {finding['told']} {finding['figures'] or ''}"
            lines.append(line.rstrip())
    try:
        changes = history(board)
    except PondError as error:
        return [*lines, f"The board's own file: {error}"]
    return lines + [f"changed {', '.join(keys)}, {at}, by {by}: {why}" for at, by, keys, why in changes]
