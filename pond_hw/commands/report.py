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
    parser.add_argument("-o", metavar="FILE", dest="file", action=FileOption, help="write it to a new file")
    add_language_option(parser, languages=BUILDER_LANGUAGES)


def run_command(options: Namespace) -> None:
    write_report(options.board, options.file, language=read_language(options))


def write_report(board: str | None, file: str | None, host: HostSystem | None = None, language: str = "en") -> None:
    from pond_hw.doctor import HostSystem
    from pond_hw.doctor.report import format_report

    report_text = format_report(board, host or HostSystem(), describe_measurements, language)
    if file is None:
        print(report_text, end="")
        return
    save_new_file(file, report_text)
    print_text(get_catalogue(language).text(Message("report.written", file=file)))


def describe_measurements(board: str) -> list[Message]:
    """Return the set-up results and calibration changes of a board, one per message."""
    from pond_hw.profile.calibration_store import calibration_history
    from pond_hw.setup.findings import GOOD
    from pond_hw.setup.saved_results import load_results

    messages = []
    for step_name, result in load_results(board).items():
        bad_findings = [finding for finding in result["findings"] if finding["grade"] != GOOD]
        good_count = len(result["findings"]) - len(bad_findings)
        messages.append(Message("report.step", step=step_name, at=result["at"], good=good_count, bad=len(bad_findings)))
        for finding in bad_findings:
            figures = f" {finding['figures']}" if finding["figures"] else ""
            what = _stored_message(finding)
            messages.append(Message(f"report.{finding['grade']}", kind=finding["kind"], what=what, figures=figures))
    try:
        board_changes = calibration_history(board)
    except PondError as error:
        return [*messages, Message("report.unreadable_calibration", reason=error.message)]
    changes = (
        Message("report.changed_values", keys=tuple(keys), at=at, who=who, why=why)
        for at, who, keys, why in board_changes
    )
    return [*messages, *changes]


def _stored_message(finding: dict[str, Any]) -> Message:
    with suppress(LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        return parse_messages(finding["said"][:1], finding["told"])[0]
    return as_message(finding["told"])  # The message list is invalid: use the plain text.
