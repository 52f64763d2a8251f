"""`pond doctor`: check the board's hardware and software, with output as text or JSON."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pond_hw import __version__
from pond_hw.commands.arguments import add_board_option, add_flag, add_language_option, read_language
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, get_catalogue

if TYPE_CHECKING:
    from pond_hw.doctor import HostSystem

JSON_VERSION = 1
"""Version of the JSON object, increased when a key is removed or its meaning changes."""


def add_arguments(parser: ArgumentParser) -> None:
    add_board_option(parser, required=False)
    add_flag(parser, "--json", "print one JSON object; docs/doctor.md lists its keys")
    add_language_option(parser, languages=BUILDER_LANGUAGES)


def run_command(options: Namespace) -> int:
    return print_findings(options.board, as_object=options.json, language=read_language(options))


def print_findings(board: str | None, *, as_object: bool, host: HostSystem | None = None, language: str = "en") -> int:
    """Check a machine (by default this one) and print the results. Return 1 if there is a fault, else 0.

    If no board is given, use the profile of the service. JSON is always in English.
    """
    from pond_hw.doctor import HostSystem, run_checks
    from pond_hw.doctor.check_results import count_grades, describe_summary, format_results, results_to_json

    host = host or HostSystem()
    check_report = run_checks(board, host)
    results = check_report.check_results
    if as_object:
        summary = tuple(describe_summary(results))
        json_object = {
            "doctor": JSON_VERSION,
            "pond": __version__,
            "board": check_report.board_name or None,
            "pi": host.machine.is_pi,
            "count": count_grades(results),
            "summary": get_catalogue().text(summary),
            "summary_said": [message.to_json() for message in summary],
            "findings": results_to_json(results),
        }
        print(json.dumps(json_object, indent=1))
    else:
        print("\n".join(format_results(results, language)))
    return 1 if check_report.has_fault else 0
