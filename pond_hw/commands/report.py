"""`pond report`: what is around the board, as a text to show when asking for help."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pond_hw.commands.arguments import add_board_option
from pond_hw.commands.command_output import save_new_file
from pond_hw.rules import PondError

if TYPE_CHECKING:
    from pond_hw.doctor import HostSystem


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_board_option(parser, required=False)
    parser.add_argument("-o", metavar="FILE", dest="file", help="write it to a new file")


def run_command(options: Namespace) -> None:
    """Report on this machine."""
    write_report(options.board, options.file)


def write_report(board: str | None, file: str | None, around: HostSystem | None = None) -> None:
    """Print the report, or write it to a file that is not there yet.

    Raises:
        ProfileError: there is no such profile.
        PondError: there is such a file, or it cannot be written.
    """
    from pond_hw.doctor import HostSystem
    from pond_hw.doctor.report import format_report

    report_text = format_report(board, around or HostSystem(), describe_measurements)
    if file is None:
        print(report_text, end="")
        return
    save_new_file(file, report_text)
    print(f"{file} is written. Read it before you show it to anybody.")


def describe_measurements(board: str) -> list[str]:
    """What set-up has found and changed on a board, in lines."""
    from pond_hw.profile.calibration_store import calibration_history
    from pond_hw.setup.findings import GOOD
    from pond_hw.setup.results_store import load_results

    lines = []
    for step_name, result in load_results(board).items():
        bad = [finding for finding in result["findings"] if finding["grade"] != GOOD]
        lines.append(f"{step_name}, {result['at']}: {len(result['findings']) - len(bad)} good, {len(bad)} not")
        for finding in bad:
            finding_text = f"{finding['kind']}: {finding['told']} {finding['figures'] or ''}"
            lines.append(f"  {finding['grade']}, {finding_text}".rstrip())
    try:
        board_changes = calibration_history(board)
    except PondError as error:
        return [*lines, f"The board's own file: {error}"]
    return lines + [f"changed {', '.join(keys)}, {at}, by {who}: {why}" for at, who, keys, why in board_changes]
