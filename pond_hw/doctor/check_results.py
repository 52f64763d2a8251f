"""What the doctor has found, and how it is told: on a terminal of 80 columns, or as JSON for a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pond_hw.doctor.redact import PrivateNames, redact_text
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.setup.step import FAULT, GOOD, WARNING

TEXT_COLUMNS = 80
"""Columns of the text."""

GRADE_MARKS = {GOOD: "ok", WARNING: "!", FAULT: "FAULT"}
"""How a line begins; it needs no colour."""

_MARK_COLUMNS = 7


class CheckResult(NamedTuple):
    """One thing that was looked at.

    Attributes:
        grade: `good`, `warning` or `fault`.
        subject: what it is about, in a word that programs know, such as `spi`.
        message: what was found, and what to do if no line mends it; a sentence or two.
        fix_command: the exact line to type; empty if there is nothing to mend, or no line does.
    """

    grade: str
    subject: str
    message: str
    fix_command: str = ""

    def redacted_copy(self, names: PrivateNames) -> CheckResult:
        """The same, with nothing personal in it, and nothing that a terminal would obey."""
        return self._replace(
            message=replace_unprintable(redact_text(self.message, names), ""),
            fix_command=replace_unprintable(redact_text(self.fix_command, names), ""),
        )


def good_result(subject: str, told: str) -> CheckResult:
    """It is as it should be."""
    return CheckResult(GOOD, subject, told)


def warning_result(subject: str, told: str, mend: str = "") -> CheckResult:
    """It may do harm, or does some."""
    return CheckResult(WARNING, subject, told, mend)


def fault_result(subject: str, told: str, mend: str = "") -> CheckResult:
    """The board does not work with it, or a game is lost."""
    return CheckResult(FAULT, subject, told, mend)


def count_grades(found: Sequence[CheckResult]) -> dict[str, int]:
    """How many there are of each grade."""
    return {grade: sum(each.grade == grade for each in found) for grade in GRADE_MARKS}


def format_results(found: Sequence[CheckResult]) -> list[str]:
    """The lines that tell it: what is good first, and the faults last, where the eye is when all has been printed."""
    ordered = [each for grade in GRADE_MARKS for each in found if each.grade == grade]
    return [line for each in ordered for line in _format_result(each)] + ["", format_summary(found)]


def format_summary(found: Sequence[CheckResult]) -> str:
    """All of it in one line."""
    counts = count_grades(found)
    faults = count_noun(counts[FAULT], "fault") if counts[FAULT] else "No fault"
    warnings = count_noun(counts[WARNING], "warning") if counts[WARNING] else "no warning"
    again = " Mend the faults and look again." if counts[FAULT] else ""
    return f"{faults}, {warnings}, {counts[GOOD]} in order.{again}"


def results_to_json(found: Sequence[CheckResult]) -> list[dict[str, str]]:
    """The same for a program; docs/doctor.md tells the keys."""
    return [
        {"grade": each.grade, "subject": each.subject, "told": each.message, "mend": each.fix_command} for each in found
    ]


def _format_result(found: CheckResult) -> Iterator[str]:
    first = f"{GRADE_MARKS[found.grade]:<{_MARK_COLUMNS}}"
    text = f"{found.subject}: {found.message}"
    yield from textwrap.wrap(
        text, TEXT_COLUMNS, initial_indent=first, subsequent_indent=" " * _MARK_COLUMNS, break_on_hyphens=False
    )
    if found.fix_command:
        yield from wrap_command(found.fix_command, TEXT_COLUMNS, " " * (_MARK_COLUMNS + 4))


def wrap_command(command: str, width: int, indent: str) -> list[str]:
    """A command as it may be copied: broken at blanks that no quotes hold, with the backslash that joins the lines.

    A word that is longer than the width stays whole.
    """
    lines, line = [], indent
    for word in _split_command(command):
        if line.strip() and len(line) + len(word) + 3 > width:  # a blank, the word, and room for another backslash
            lines.append(f"{line} \\")
            line = f"{indent}  {word}"
        else:
            line = f"{line} {word}" if line.strip() else f"{line}{word}"
    return [*lines, line]


def _split_command(command: str) -> list[str]:
    words, quote = [""], ""
    for letter in command:
        if letter == " " and not quote:
            words.append("")
            continue
        words[-1] += letter
        if letter in "'\"" and quote in ("", letter):
            quote = "" if quote else letter
    return words
