"""`pond report`: write a description of the board and its machine to send when asking for help."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pond_hw.commands.arguments import FileOption, add_board_option, add_language_option, read_language
from pond_hw.commands.command_output import save_new_file
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, get_catalogue
from pond_hw.messages.message import Message, PondError, as_message
from pond_hw.messages.message_json import parse_messages
from pond_hw.messages.terminal_output import print_text

if TYPE_CHECKING:
    from pond_hw.doctor import HostSystem


def add_arguments(parser: ArgumentParser) -> None:
    add_board_option(parser, required=False)
    parser.add_argument(
        "--first-board", action="store_true", help="write a form to check a newly built board, see docs/first-board.md"
    )
    parser.add_argument("-o", metavar="FILE", dest="file", action=FileOption, help="write it to a new file")
    add_language_option(parser, languages=BUILDER_LANGUAGES)


def run_command(options: Namespace) -> None:
    write = write_first_board if options.first_board else write_report
    write(options.board, options.file, language=read_language(options))


def write_report(board: str | None, file: str | None, host: HostSystem | None = None, language: str = "en") -> None:
    from pond_hw.doctor import HostSystem
    from pond_hw.doctor.report import format_report

    _write(format_report(board, host or HostSystem(), describe_measurements, language), file, language)


def write_first_board(
    board: str | None, file: str | None, host: HostSystem | None = None, language: str = "en"
) -> None:
    """Write the form for a newly built board."""
    from pond_hw.doctor import HostSystem
    from pond_hw.doctor.first_board import format_first_board

    _write(format_first_board(board, host or HostSystem(), describe_steps, language), file, language)


def _write(report_text: str, file: str | None, language: str) -> None:
    if file is None:
        print(report_text, end="")
        return
    save_new_file(file, report_text)
    print_text(get_catalogue(language).text(Message("report.written", file=file)))


def describe_measurements(board: str) -> list[Message]:
    """Return the set-up results and calibration changes of a board, one per message."""
    from pond_hw.profile.calibration_store import calibration_history

    messages = [message for step_messages in describe_steps(board).values() for message in step_messages]
    try:
        board_changes = calibration_history(board)
    except PondError as error:
        return [*messages, Message("report.unreadable_calibration", reason=error.message)]
    changes = (
        Message("report.changed_values", keys=tuple(keys), at=at, who=who, why=why)
        for at, who, keys, why in board_changes
    )
    return [*messages, *changes]


def describe_steps(board: str) -> dict[str, list[Message]]:
    """Return the set-up results of a board by step: a summary, and a message for each finding that isn't good."""
    from pond_hw.setup.findings import GOOD
    from pond_hw.setup.saved_results import load_results

    messages_by_step = {}
    for step_name, result in load_results(board).items():
        bad_findings = [finding for finding in result["findings"] if finding["grade"] != GOOD]
        good_count = len(result["findings"]) - len(bad_findings)
        messages = [Message("report.step", step=step_name, at=result["at"], good=good_count, bad=len(bad_findings))]
        for finding in bad_findings:
            figures = f" {finding['figures']}" if finding["figures"] else ""
            what = _stored_message(finding)
            messages.append(Message(f"report.{finding['grade']}", kind=finding["kind"], what=what, figures=figures))
        messages_by_step[step_name] = messages
    return messages_by_step


def _stored_message(finding: dict[str, Any]) -> Message:
    with suppress(LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        return parse_messages(finding["said"][:1], finding["told"])[0]
    return as_message(finding["told"])  # The message list is invalid: use the plain text.
