"""What the doctor has found, and how it is told: on a terminal of 80 columns, or as JSON for a program."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from pond_hw.doctor.redact import PrivateNames, redact_text
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.setup.findings import FAULT, GOOD, WARNING

TEXT_COLUMNS = 80
"""Columns of the text."""

GRADE_MARKS = {GOOD: "ok", WARNING: "!", FAULT: "FAULT"}
"""How a line begins; it needs no colour."""

_MARK_COLUMNS = 7

_QUOTED_PART = re.compile(r"""'[^']*'?|"[^"]*"?""")


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

    def redacted_copy(self, private_names: PrivateNames) -> CheckResult:
        """The same, with nothing personal in it, and nothing that a terminal would obey."""
        texts = (replace_unprintable(redact_text(text, private_names), "") for text in self[2:])
        return CheckResult(self.grade, self.subject, *texts)


good_result = partial(CheckResult, GOOD)
"""It is as it should be."""

warning_result = partial(CheckResult, WARNING)
"""It may do harm, or does some."""

fault_result = partial(CheckResult, FAULT)
"""The board does not work with it, or a game is lost."""


def count_grades(check_results: Sequence[CheckResult]) -> dict[str, int]:
    """How many there are of each grade."""
    counts = Counter(check_result.grade for check_result in check_results)
    return {grade: counts[grade] for grade in GRADE_MARKS}


def format_results(check_results: Sequence[CheckResult]) -> list[str]:
    """The lines that tell it: what is good first, and the faults last, where the eye is when all has been printed."""
    ordered = sorted(check_results, key=lambda check_result: list(GRADE_MARKS).index(check_result.grade))
    output_lines = [output_line for check_result in ordered for output_line in _format_result(check_result)]
    return [*output_lines, "", format_summary(check_results)]


def format_summary(check_results: Sequence[CheckResult]) -> str:
    """All of it in one line."""
    counts = count_grades(check_results)
    faults = count_noun(counts[FAULT], "fault") if counts[FAULT] else "No fault"
    warning_count = count_noun(counts[WARNING], "warning") if counts[WARNING] else "no warning"
    again = " Mend the faults and look again." if counts[FAULT] else ""
    return f"{faults}, {warning_count}, {counts[GOOD]} in order.{again}"


def results_to_json(check_results: Sequence[CheckResult]) -> list[dict[str, str]]:
    """The same for a program; docs/doctor.md tells the keys."""
    json_keys = ("grade", "subject", "told", "mend")
    return [dict(zip(json_keys, check_result, strict=True)) for check_result in check_results]


def _format_result(check_result: CheckResult) -> Iterator[str]:
    first = f"{GRADE_MARKS[check_result.grade]:<{_MARK_COLUMNS}}"
    result_text = f"{check_result.subject}: {check_result.message}"
    yield from textwrap.wrap(
        result_text, TEXT_COLUMNS, initial_indent=first, subsequent_indent=" " * _MARK_COLUMNS, break_on_hyphens=False
    )
    if check_result.fix_command:
        yield from wrap_command(check_result.fix_command, TEXT_COLUMNS, " " * (_MARK_COLUMNS + 4))


def wrap_command(command: str, width: int, indent: str) -> list[str]:
    """A command as it may be copied: broken at blanks that no quotes hold, with the backslash that joins the lines.

    A word that is longer than the width stays whole.
    """
    unbreakable = _QUOTED_PART.sub(lambda quoted: quoted[0].replace(" ", "\0"), command)
    wrapper = textwrap.TextWrapper(width - 2, indent, f"{indent}  ", break_long_words=False, break_on_hyphens=False)
    return " \\\n".join(wrapper.wrap(unbreakable)).replace("\0", " ").split("\n")
