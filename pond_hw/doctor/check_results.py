"""Results of the checks, and formatting them as text or JSON."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pond_hw.doctor.redact import PrivateNames, redact_text
from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import wrap_around
from pond_hw.messages.terminal_text import pad_text, replace_unprintable
from pond_hw.setup.findings import FAULT, GOOD, WARNING

TEXT_COLUMNS = 80
"""Width of the text in columns."""

GRADES = (GOOD, WARNING, FAULT)
"""Grades in the order used for text. Faults come last, where they stay visible in the terminal."""

_QUOTED_PART = re.compile(r"""'[^']*'?|"[^"]*"?""")


class CheckResult(NamedTuple):
    """Result of one check: a description with advice, and the exact command that fixes the problem, if there is one.

    The grade is `good`, `warning` or `fault`. The subject is a keyword for programs, such as `spi`.
    """

    grade: str
    subject: str
    messages: tuple[Message, ...]
    fix_command: str = ""

    def redacted_copy(self, private_names: PrivateNames) -> CheckResult:
        """Return a copy without personal data or terminal control codes."""
        messages = tuple(_redact_message(message, private_names) for message in self.messages)
        return self._replace(messages=messages, fix_command=_redact_text(self.fix_command, private_names))


def _redact_message(message: Message, private_names: PrivateNames) -> Message:
    arguments = {name: _redact_argument(argument, private_names) for name, argument in message.arguments.items()}
    return Message(message.id, **arguments)


def _redact_argument(argument: Any, private_names: PrivateNames) -> Any:
    match argument:
        case str():
            return _redact_text(argument, private_names)
        case tuple():
            return tuple(_redact_argument(each, private_names) for each in argument)
        case Message():
            return _redact_message(argument, private_names)
    return argument


def _redact_text(text: str, private_names: PrivateNames) -> str:
    return replace_unprintable(redact_text(text, private_names), "")


def good_result(subject: str, *messages: Message) -> CheckResult:
    return CheckResult(GOOD, subject, messages)


def warning_result(subject: str, *messages: Message, fix_command: str = "") -> CheckResult:
    """Return a warning about a problem that is minor or may become serious."""
    return CheckResult(WARNING, subject, messages, fix_command)


def fault_result(subject: str, *messages: Message, fix_command: str = "") -> CheckResult:
    """Return a fault about a problem that stops the board or loses games."""
    return CheckResult(FAULT, subject, messages, fix_command)


def count_grades(check_results: Sequence[CheckResult]) -> dict[str, int]:
    counts = Counter(check_result.grade for check_result in check_results)
    return {grade: counts[grade] for grade in GRADES}


def format_results(check_results: Sequence[CheckResult], language: str = "en") -> list[str]:
    """Return the results as lines of text, followed by a summary."""
    catalogue = get_catalogue(language)
    marks = {grade: catalogue.text(Message(f"doctor.mark.{grade}")) for grade in GRADES}
    mark_columns = max(map(len, marks.values())) + 2
    output_lines: list[str] = []
    for grade, mark in marks.items():
        for check_result in check_results:
            if check_result.grade == grade:
                output_lines += _format_result(check_result, pad_text(mark, mark_columns), catalogue)
    return [*output_lines, "", catalogue.text(describe_summary(check_results))]


def describe_summary(check_results: Sequence[CheckResult]) -> Iterator[Message]:
    """Yield messages that give the number of faults, warnings and good results."""
    counts = count_grades(check_results)
    for grade in (FAULT, WARNING):
        count = counts[grade]
        yield Message(f"doctor.count.{grade}", count=count) if count else Message(f"doctor.count.no_{grade}")
    yield Message("doctor.count.good", count=counts[GOOD])
    if counts[FAULT]:
        yield Message("doctor.fix_and_repeat")


def results_to_json(check_results: Sequence[CheckResult]) -> list[dict[str, object]]:
    """Return the results as JSON. docs/doctor.md lists the keys."""
    return [
        {
            "grade": check_result.grade,
            "subject": check_result.subject,
            "told": get_catalogue().text(check_result.messages),
            "said": [message.to_json() for message in check_result.messages],
            "mend": check_result.fix_command,
        }
        for check_result in check_results
    ]


def _format_result(check_result: CheckResult, mark: str, catalogue: Catalogue) -> Iterator[str]:
    subject, text = Message(f"doctor.subject.{check_result.subject}"), catalogue.text(check_result.messages)
    result_text = catalogue.text(Message("doctor.result", subject=subject, text=text))
    indent = " " * len(mark)
    yield from textwrap.wrap(
        result_text, TEXT_COLUMNS, initial_indent=mark, subsequent_indent=indent, break_on_hyphens=False
    )
    if check_result.fix_command:
        yield from wrap_command(check_result.fix_command, TEXT_COLUMNS, f"{indent}    ")


def wrap_command(command: str, width: int, indent: str) -> list[str]:
    """Wrap a command so that it can still be copied: break it at unquoted spaces, and end lines with a backslash.

    Words longer than the width are not broken.
    """
    lines = wrap_around(_QUOTED_PART, command, width - 2, indent, f"{indent}  ")
    return [*(f"{line} \\" for line in lines[:-1]), *lines[-1:]]
