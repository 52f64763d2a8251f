"""What came of a step, told page by page: the board drawn, and each fault with its cause and its cure."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from pond_hw.messages.plurals import count_noun
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.conversation import Prompt, SetupStep, Talk, ask_choice
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.findings_page import GRADE_MARKS, draw_findings
from pond_hw.setup.step import SetupOption, StepPage, StepResult

RESULT_COLUMNS, RESULT_LINES = 76, 16
"""Columns and lines of a page."""


class ResultPages(SetupStep):
    """Findings, to be read.

    Attributes:
        profile: the board.
        step_name: the step that found them.
        findings: what it found.
        saved_note: what was done besides, such as what was saved.
        by_cell: whether the step can be done for one cell again.
        next_wish: what is to be done next: `menu`, `again` or the cell that is to be done again; None: nobody has said.
    """

    def __init__(
        self, profile: Profile, name: str, findings: tuple[SetupFinding, ...], note: str = "", *, by_cell: bool = False
    ) -> None:
        self.profile, self.step_name, self.findings = profile, name, findings
        self.saved_note, self.by_cell = note, by_cell
        self.next_wish: Cell | None = None
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """Page after page, until somebody says what is next."""
        pages, number = self._page_lines, 0
        cell_names = get_grid(self.profile.size).cells if self.by_cell else ()
        prompt = "Type the name of a cell to do it once more." if cell_names else ""
        page_choices = SetupOption("r", "the whole step once more"), SetupOption("q", "menu")
        while self.next_wish is None:
            forward_option = [SetupOption("n", "next page")] if number < len(pages) - 1 else []
            back_option = [SetupOption("b", "page before")] if number else []
            options = (*forward_option, *back_option, *page_choices, *(SetupOption(cell, "") for cell in cell_names))
            position = f" (page {number + 1} of {len(pages)})" if len(pages) > 1 else ""
            step_page = StepPage(f"What came of the step {self.step_name}{position}", pages[number], prompt, options)
            key = yield from ask_choice(Prompt(step_page), dict(options))
            number += {"n": 1, "b": -1}.get(key, 0)
            if key not in ("n", "b"):
                self.next_wish = {"q": "menu", "r": "again"}.get(key, key)
        return StepResult()

    @property
    def _page_lines(self) -> list[tuple[str, ...]]:
        """Lines of all pages; a finding is not torn apart unless a page has no room for it."""
        has_cells = any(finding.cells for finding in self.findings)
        grid_lines = [*draw_findings(self.profile, self.findings), ""] if has_cells else []
        note_lines = ["", *wrap_sentence(self.saved_note)] if self.saved_note else []
        page_texts = [[*grid_lines, *wrap_sentence(summarise_findings(self.findings)), *note_lines]]
        for finding in self.findings:
            if finding.grade != GOOD or finding.message:
                finding_lines = format_finding(finding)
                if len(page_texts[-1]) + 1 + len(finding_lines) > RESULT_LINES:
                    page_texts.append(finding_lines)
                else:
                    page_texts[-1] += ["", *finding_lines]
        return [tuple(page_text[:RESULT_LINES]) for page_text in page_texts]


def summarise_findings(all_findings: Sequence[SetupFinding]) -> str:
    """How many are good and how many not, as a sentence."""
    grades = [finding.grade for finding in all_findings]
    grade_counts = [count_noun(grade_count, name) for name in (FAULT, WARNING) if (grade_count := grades.count(name))]
    if good_count := sum(len(finding.cells) for finding in all_findings if finding.grade == GOOD):
        grade_counts.append(count_noun(good_count, "good cell"))
    return f"{', '.join(grade_counts)}." if grade_counts else "Nothing is wrong."


def format_finding(finding: SetupFinding) -> list[str]:
    """One finding: what was measured, what is likely behind it, what to do."""
    lines = textwrap.wrap(f"{GRADE_MARKS[finding.grade]} {finding.message}", RESULT_COLUMNS, subsequent_indent="    ")
    for sentence in (finding.cause, finding.cure):
        lines += textwrap.wrap(sentence, RESULT_COLUMNS, initial_indent="    ", subsequent_indent="    ")
    return lines


def wrap_sentence(sentence: str) -> list[str]:
    """A sentence in lines."""
    return textwrap.wrap(sentence, RESULT_COLUMNS)
