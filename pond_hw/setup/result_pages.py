"""What came of a step, told page by page: the board drawn, and each fault with its cause and its cure."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from pond_hw.board import RGB
from pond_hw.messages.plurals import count_noun
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, grid
from pond_hw.setup.findings_page import MARKS, drawn
from pond_hw.setup.step import FAULT, GOOD, WARNING, Choice, Event, Finding, Page, Reply, Result

WIDE, HIGH = 76, 16
"""Columns and lines of a page."""


@dataclass(frozen=True, slots=True)
class Told:
    """Findings, to be read.

    Attributes:
        profile: the board.
        name: the step that found them.
        findings: what it found.
        note: what was done besides, such as what was saved.
        by_cell: whether the step can be done for one cell again.
        number: which page is shown.
        wish: what is to be done next: `menu`, `again` or the cell that is to be done again; None: nobody has said.
    """

    profile: Profile
    name: str
    findings: tuple[Finding, ...]
    note: str = ""
    by_cell: bool = False
    number: int = 0
    wish: Cell | None = None

    @property
    def page(self) -> Page:
        """One of the pages."""
        pages, cells = self._pages, grid(self.profile.size).cells
        number = min(self.number, len(pages) - 1)
        turns = (Choice("n", "next page"),) if number < len(pages) - 1 else ()
        back = (Choice("b", "page before"),) if number else ()
        again = tuple(Choice(cell, "") for cell in cells) if self.by_cell else ()
        asks = "Type the name of a cell to do it once more." if self.by_cell else ""
        choices = (*turns, *back, Choice("r", "the whole step once more"), Choice("q", "menu"), *again)
        of = f" (page {number + 1} of {len(pages)})" if len(pages) > 1 else ""
        return Page(f"What came of the step {self.name}{of}", pages[number], asks, choices)

    @property
    def lit(self) -> Mapping[int, RGB]:
        """Nothing: it is read."""
        return {}

    @property
    def due(self) -> float:
        """Nothing comes of waiting."""
        return inf

    @property
    def result(self) -> Result | None:
        """Nothing new; `wish` tells what is next."""
        return None if self.wish is None else Result()

    def after(self, event: Event) -> Told:
        """The same after an event."""
        match event:
            case Reply("n"):
                return replace(self, number=min(self.number + 1, len(self._pages) - 1))
            case Reply("b"):
                return replace(self, number=max(self.number - 1, 0))
            case Reply("q"):
                return replace(self, wish="menu")
            case Reply("r"):
                return replace(self, wish="again")
            case Reply(key) if self.by_cell and key in grid(self.profile.size).cells:
                return replace(self, wish=key)
        return self

    @property
    def _pages(self) -> list[tuple[str, ...]]:
        """Lines of all pages; a finding is not torn apart unless a page has no room for it."""
        head = [] if not any(finding.cells for finding in self.findings) else [*drawn(self.profile, self.findings), ""]
        blocks = [[*head, *wrapped(summary(self.findings)), *(["", *wrapped(self.note)] if self.note else [])]]
        blocks += [["", *told(finding)] for finding in self.findings if finding.grade != GOOD or finding.told]
        pages: list[list[str]] = [[]]
        for block in blocks:
            if pages[-1] and len(pages[-1]) + len(block) > HIGH:
                pages.append([])
            pages[-1] += block[1:] if not pages[-1] and not block[0] else block
        return [tuple(page[:HIGH]) for page in pages]


def summary(findings: Sequence[Finding]) -> str:
    """How many are good and how many not, as a sentence."""
    grades = [finding.grade for finding in findings]
    bad = [count_noun(count, name) for name in (FAULT, WARNING) if (count := grades.count(name))]
    cells = [cell for finding in findings if finding.grade == GOOD for cell in finding.cells]
    good = [count_noun(len(cells), "good cell")] if cells else []
    return f"{', '.join([*bad, *good])}." if bad or good else "Nothing is wrong."


def told(finding: Finding) -> list[str]:
    """One finding: what was measured, what is likely behind it, what to do."""
    lines = textwrap.wrap(f"{MARKS[finding.grade]} {finding.told}", WIDE, subsequent_indent="    ")
    for sentence in (finding.cause, finding.cure):
        lines += textwrap.wrap(sentence, WIDE, initial_indent="    ", subsequent_indent="    ")
    return lines


def wrapped(sentence: str) -> list[str]:
    """A sentence in lines."""
    return textwrap.wrap(sentence, WIDE)
