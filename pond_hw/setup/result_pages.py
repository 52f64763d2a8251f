"""What came of a step: to be read, or shown by the lamps alone, which no colour is needed to read.

good       steady, dim
warning    comes and goes slowly: a second lit, a second dark
fault      blinks twice, then rests
not asked  dark
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pond_hw.board import RGB, Sample
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.conversation import TO_MENU, Lit, Prompt, SetupStep, Talk, ask_choice
from pond_hw.setup.finding_paragraphs import describe_finding, summarise_findings
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.findings_page import draw_findings, faulty_cells
from pond_hw.setup.lamp_places import cell_lamps
from pond_hw.setup.step import Paragraph, SetupOption, StepPage, StepReply, StepResult, StepTick
from pond_hw.setup.touch_detector import TouchDetector

BEAT = 0.25  # seconds of a beat; eight of them make a round

ROUND = {GOOD: (1,) * 8, WARNING: (1, 1, 1, 1, 0, 0, 0, 0), FAULT: (1, 0, 1, 0, 0, 0, 0, 0)}
"""In which beats of a round a cell is lit."""

RESULT_CHOICES = (SetupOption("r", Message("setup_key.whole_step")), TO_MENU)
SHOWN_CHOICES = (SetupOption("q", Message("setup_key.go_on")),)

LIGHT: Mapping[str, RGB] = {GOOD: (30, 30, 30), WARNING: (110, 110, 60), FAULT: (130, 90, 90)}


class ResultPages(SetupStep):
    """Findings, to be read.

    Attributes:
        profile: the board.
        step_name: the step that found them.
        findings: what it found.
        saved_notes: what else was done, such as what was saved.
        by_cell: whether the step can be done for one cell again.
        next_wish: what comes next: `menu`, `again` or a cell to do again; None as long as nobody has chosen.
    """

    def __init__(
        self,
        profile: Profile,
        name: str,
        findings: tuple[SetupFinding, ...],
        notes: tuple[Message, ...] = (),
        *,
        by_cell: bool = False,
    ) -> None:
        self.profile, self.step_name, self.findings = profile, name, findings
        self.saved_notes, self.by_cell = notes, by_cell
        self.next_wish: Cell | None = None
        self.title = Message("results.title", step=name)
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """They are read, until somebody says what is next."""
        cell_names = get_grid(self.profile.size).cells if self.by_cell else ()
        prompt = (Message("results.one_cell"),) if cell_names else ()
        choices = *RESULT_CHOICES, *map(SetupOption, cell_names)
        drawing = draw_findings(self.profile, self.findings) if any(each.cells for each in self.findings) else ()
        page = StepPage(self.title, drawing, prompt, choices, text=tuple(self._text))
        key = yield from ask_choice(Prompt(page), dict(choices))
        self.next_wish = {"q": "menu", "r": "again"}.get(key, key)
        return StepResult()

    @property
    def _text(self) -> Iterator[Message | Paragraph]:
        """How many are good and how many not, what was done besides, and what was found."""
        grades = [finding.grade for finding in self.findings]
        good_count = sum(len(finding.cells) for finding in self.findings if finding.grade == GOOD)
        counts = {"faults": grades.count(FAULT), "warnings": grades.count(WARNING), "good_cells": good_count}
        counted = tuple(Message(f"results.{what}", count=count) for what, count in counts.items() if count)
        yield Paragraph(counted or (Message("results.nothing_wrong"),))
        yield from self.saved_notes
        for finding in self.findings:
            if finding.grade != GOOD or finding.message:
                yield describe_finding(finding)


class LampResult(SetupStep):
    """Findings, shown by light.

    Attributes:
        profile: the board.
        findings: what was found.
        since: when it began, in seconds.
        at: the latest instant.
        fingers: what the sensors feel.
    """

    title = Message("results.shown")

    def __init__(self, profile: Profile, all_findings: tuple[SetupFinding, ...], instant: float) -> None:
        self.profile, self.findings, self.since, self.at = profile, all_findings, instant, instant
        self.fingers = TouchDetector(profile)
        drawing, prompt = draw_findings(profile, all_findings), Message("results.lamps")
        self._shown = StepPage(self.title, drawing, prompt, SHOWN_CHOICES, text=summarise_findings(all_findings))
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """It is shown, beat after beat, until somebody touches the board or goes on by a key."""
        while True:
            beat_count = int((self.at - self.since) / BEAT + 1e-6) + 1
            event = yield Prompt(self._shown, self._light, min(self.since + beat_count * BEAT, self.fingers.due_time))
            if isinstance(event, StepReply) and event.key == "q":
                return StepResult()
            if isinstance(event, Sample | StepTick):
                self.at = event.instant
                if self.fingers.is_touched(event):
                    return StepResult()

    def last_prompt(self) -> Prompt:
        """The light stays as it is."""
        return Prompt(self._shown, self._light)

    def _light(self) -> Lit:
        """Every cell that something is known of, in its beat; what is wrong with the board is with all of them."""
        round_beat = int((self.at - self.since) / BEAT + 1e-6) % 8
        worst_grades: dict[str, str] = {}
        for finding in sorted(self.findings, key=lambda finding: (GOOD, WARNING, FAULT).index(finding.grade)):
            all_cells = () if finding.grade == GOOD else get_grid(self.profile.size).cells
            worst_grades |= dict.fromkeys(faulty_cells(finding) or all_cells, finding.grade)
        lit_grades = {cell: grade for cell, grade in worst_grades.items() if ROUND[grade][round_beat]}
        return {place: LIGHT[grade] for cell, grade in lit_grades.items() for place in cell_lamps(self.profile, cell)}
