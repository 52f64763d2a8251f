"""What came of a step: told page by page, or by the lamps alone, which no colour is needed to read.

good       steady, dim
warning    comes and goes slowly: a second lit, a second dark
fault      blinks twice, then rests
not asked  dark
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from functools import partial

from pond_hw.board import RGB, Sample
from pond_hw.messages.plurals import count_noun
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.conversation import Lit, Prompt, SetupStep, Talk, ask_choice
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.findings_page import GRADE_MARKS, draw_findings, faulty_cells, format_finding_pages, numbered_page
from pond_hw.setup.setup_light import cell_lamps
from pond_hw.setup.step import SetupOption, StepPage, StepReply, StepResult, StepTick
from pond_hw.setup.touch_detector import TouchDetector

RESULT_COLUMNS, RESULT_LINES = 76, 16  # columns and lines of a page
BEAT = 0.25  # seconds of a beat; eight of them make a round

ROUND = {GOOD: (1,) * 8, WARNING: (1, 1, 1, 1, 0, 0, 0, 0), FAULT: (1, 0, 1, 0, 0, 0, 0, 0)}
"""In which beats of a round a cell is lit."""

LIGHT: Mapping[str, RGB] = {GOOD: (30, 30, 30), WARNING: (110, 110, 60), FAULT: (130, 90, 90)}


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
            turns = [SetupOption("n", "next page")] * (number < len(pages) - 1)
            turns += [SetupOption("b", "page before")] * (number > 0)
            options = *turns, *page_choices, *(SetupOption(cell, "") for cell in cell_names)
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
        wrap = partial(textwrap.wrap, width=RESULT_COLUMNS, subsequent_indent="    ")
        page_texts = [[*self._overview]]
        for finding in self.findings:
            if finding.grade != GOOD or finding.message:
                finding_lines = wrap(f"{GRADE_MARKS[finding.grade]} {finding.message}")
                for sentence in (finding.cause, finding.cure):
                    finding_lines += wrap(sentence, initial_indent="    ")
                if len(page_texts[-1]) + 1 + len(finding_lines) > RESULT_LINES:
                    page_texts.append(finding_lines)
                else:
                    page_texts[-1] += ["", *finding_lines]
        return [tuple(page_text[:RESULT_LINES]) for page_text in page_texts]

    @property
    def _overview(self) -> Iterator[str]:
        """The grid, how many are good and how many not, and what was done besides."""
        if any(finding.cells for finding in self.findings):
            yield from (*draw_findings(self.profile, self.findings), "")
        grades = [finding.grade for finding in self.findings]
        counts = [count_noun(grades.count(grade), grade) for grade in (FAULT, WARNING) if grade in grades]
        if good_count := sum(len(finding.cells) for finding in self.findings if finding.grade == GOOD):
            counts.append(count_noun(good_count, "good cell"))
        yield f"{', '.join(counts)}." if counts else "Nothing is wrong."
        if self.saved_note:
            yield from ("", *textwrap.wrap(self.saved_note, RESULT_COLUMNS))


class LampResult(SetupStep):
    """Findings, shown by light.

    Attributes:
        profile: the board.
        findings: what was found.
        since: when it began, in seconds.
        at: the latest instant.
        fingers: what the sensors feel.
    """

    title = "What was found"

    def __init__(self, profile: Profile, all_findings: tuple[SetupFinding, ...], instant: float) -> None:
        self.profile, self.findings, self.since, self.at = profile, all_findings, instant, instant
        self.fingers, self.leaf = TouchDetector(profile), 0
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """It is shown, beat after beat, until somebody touches the board or goes on by a key."""
        while True:
            beat_count = int((self.at - self.since) / BEAT + 1e-6) + 1
            event = yield Prompt(self._drawn, self._light, min(self.since + beat_count * BEAT, self.fingers.due_time))
            if isinstance(event, StepReply):
                self.leaf += event.key == "m"
                if event.key == "q":
                    return StepResult()
            elif isinstance(event, Sample | StepTick):
                self.at = event.instant
                if self.fingers.is_touched(event):
                    return StepResult()

    def last_prompt(self) -> Prompt:
        """The light stays as it is."""
        return Prompt(self._drawn, self._light)

    def _drawn(self) -> StepPage:
        prompt_text = "Steady cells are good, slow ones want care, those that blink twice are faulty. A touch goes on."
        finding_pages = format_finding_pages(self.profile, self.findings)
        return numbered_page(self.title, finding_pages, self.leaf, SetupOption("q", "go on"), prompt_text=prompt_text)

    def _light(self) -> Lit:
        """Every cell that something is known of, in its beat; what is wrong with the board is with all of them."""
        round_beat = int((self.at - self.since) / BEAT + 1e-6) % 8
        worst_grades: dict[str, str] = {}
        for finding in sorted(self.findings, key=lambda finding: (GOOD, WARNING, FAULT).index(finding.grade)):
            all_cells = () if finding.grade == GOOD else get_grid(self.profile.size).cells
            worst_grades |= dict.fromkeys(faulty_cells(finding) or all_cells, finding.grade)
        lit_grades = {cell: grade for cell, grade in worst_grades.items() if ROUND[grade][round_beat]}
        return {place: LIGHT[grade] for cell, grade in lit_grades.items() for place in cell_lamps(self.profile, cell)}
