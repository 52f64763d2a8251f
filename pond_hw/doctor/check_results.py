"""What the doctor has found, and how it is told: on a terminal of 80 columns, or as JSON for a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pond_hw.doctor.redact import Names, redacted
from pond_hw.messages.terminal_text import printable
from pond_hw.setup.step import FAULT, GOOD, WARNING

WIDTH = 80
"""Columns of the text."""

MARKS = {GOOD: "ok", WARNING: "!", FAULT: "FAULT"}
"""How a line begins; it needs no colour."""

_INDENT = 7


class Found(NamedTuple):
    """One thing that was looked at.

    Attributes:
        grade: `good`, `warning` or `fault`.
        subject: what it is about, in a word that programs know, such as `spi`.
        told: what was found, and what to do if no line mends it; a sentence or two.
        mend: the exact line to type; empty if there is nothing to mend, or no line does.
    """

    grade: str
    subject: str
    told: str
    mend: str = ""

    def redacted(self, names: Names) -> Found:
        """The same, with nothing personal in it, and nothing that a terminal would obey."""
        return self._replace(
            told=printable(redacted(self.told, names), ""), mend=printable(redacted(self.mend, names), "")
        )


def good(subject: str, told: str) -> Found:
    """It is as it should be."""
    return Found(GOOD, subject, told)


def warning(subject: str, told: str, mend: str = "") -> Found:
    """It may do harm, or does some."""
    return Found(WARNING, subject, told, mend)


def fault(subject: str, told: str, mend: str = "") -> Found:
    """The board does not work with it, or a game is lost."""
    return Found(FAULT, subject, told, mend)


def count(found: Sequence[Found]) -> dict[str, int]:
    """How many there are of each grade."""
    return {grade: sum(each.grade == grade for each in found) for grade in MARKS}


def printed(found: Sequence[Found]) -> list[str]:
    """The lines that tell it: what is good first, and the faults last, where the eye is when all has been printed."""
    ordered = [each for grade in MARKS for each in found if each.grade == grade]
    return [line for each in ordered for line in _lines(each)] + ["", summary(found)]


def summary(found: Sequence[Found]) -> str:
    """All of it in one line."""
    counts = count(found)
    faults = "1 fault" if counts[FAULT] == 1 else f"{counts[FAULT]} faults"
    warnings = "1 warning" if counts[WARNING] == 1 else f"{counts[WARNING]} warnings"
    told = f"{faults if counts[FAULT] else 'no fault'}, {warnings if counts[WARNING] else 'no warning'}, "
    again = " Mend the faults and look again." if counts[FAULT] else ""
    return f"{told[0].upper()}{told[1:]}{counts[GOOD]} in order.{again}"


def as_json(found: Sequence[Found]) -> list[dict[str, str]]:
    """The same for a program; docs/doctor.md tells the keys."""
    return [each._asdict() for each in found]


def _lines(found: Found) -> Iterator[str]:
    first = f"{MARKS[found.grade]:<{_INDENT}}"
    text = f"{found.subject}: {found.told}"
    yield from textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=" " * _INDENT, break_on_hyphens=False)
    if found.mend:
        yield from typed(found.mend, WIDTH, " " * (_INDENT + 4))


def typed(command: str, width: int, indent: str) -> list[str]:
    """A command as it may be copied: broken at blanks that no quotes hold, with the backslash that joins the lines.

    A word that is longer than the width stays whole.
    """
    lines, line = [], indent
    for word in _words(command):
        if line.strip() and len(line) + len(word) + 3 > width:  # a blank, the word, and room for another backslash
            lines.append(f"{line} \\")
            line = f"{indent}  {word}"
        else:
            line = f"{line} {word}" if line.strip() else f"{line}{word}"
    return [*lines, line]


def _words(command: str) -> list[str]:
    words, quote = [""], ""
    for letter in command:
        if letter == " " and not quote:
            words.append("")
            continue
        words[-1] += letter
        if letter in "'\"" and quote in ("", letter):
            quote = "" if quote else letter
    return words
