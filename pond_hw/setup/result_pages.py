"""What came of a step, told page by page: the board drawn, and each fault with its cause and its cure."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from pond_hw.messages.plurals import count_noun
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, grid
from pond_hw.setup.findings_page import MARKS, drawn
from pond_hw.setup.step import FAULT, GOOD, WARNING, Choice, Finding, Page, Prompt, Result, Step, Talk, ask_choice

WIDE, HIGH = 76, 16
"""Columns and lines of a page."""


class Told(Step):
    """Findings, to be read.

    Attributes:
        profile: the board.
        name: the step that found them.
        findings: what it found.
        note: what was done besides, such as what was saved.
        by_cell: whether the step can be done for one cell again.
        wish: what is to be done next: `menu`, `again` or the cell that is to be done again; None: nobody has said.
    """

    def __init__(
        self, profile: Profile, name: str, findings: tuple[Finding, ...], note: str = "", *, by_cell: bool = False
    ) -> None:
        self.profile, self.name, self.findings, self.note, self.by_cell = profile, name, findings, note, by_cell
        self.wish: Cell | None = None
        super().__init__()

    def conversation(self) -> Talk[Result]:
        """Page after page, until somebody says what is next."""
        pages, number = self._pages, 0
        cells = grid(self.profile.size).cells if self.by_cell else ()
        while self.wish is None:
            turns = [Choice("n", "next page")] if number < len(pages) - 1 else []
            back = [Choice("b", "page before")] if number else []
            more = Choice("r", "the whole step once more"), Choice("q", "menu"), *(Choice(cell, "") for cell in cells)
            of = f" (page {number + 1} of {len(pages)})" if len(pages) > 1 else ""
            asks = "Type the name of a cell to do it once more." if cells else ""
            page = Page(f"What came of the step {self.name}{of}", pages[number], asks, (*turns, *back, *more))
            key = yield from ask_choice(Prompt(page), dict(page.choices))
            number += {"n": 1, "b": -1}.get(key, 0)
            if key not in ("n", "b"):
                self.wish = {"q": "menu", "r": "again"}.get(key, key)
        return Result()

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
