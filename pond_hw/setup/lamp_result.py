"""What was found, shown by the lamps alone, until somebody touches the board. No colour is needed to read it.

good       steady, dim
warning    comes and goes slowly: a second lit, a second dark
fault      blinks twice, then rests
not asked  dark
"""

from __future__ import annotations

from collections.abc import Mapping

from pond_hw.board import RGB, Sample
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import get_grid
from pond_hw.setup.conversation import Lit, Prompt, SetupStep, Talk
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.findings_page import faulty_cells, format_finding_pages, numbered_page
from pond_hw.setup.setup_light import cell_lamps
from pond_hw.setup.step import SetupOption, StepPage, StepReply, StepResult, StepTick
from pond_hw.setup.touch_detector import TouchDetector

BEAT = 0.25
"""Seconds of a beat; eight of them make a round."""

ROUND = {GOOD: (1,) * 8, WARNING: (1, 1, 1, 1, 0, 0, 0, 0), FAULT: (1, 0, 1, 0, 0, 0, 0, 0)}
"""In which beats of a round a cell is lit."""

LIGHT: Mapping[str, RGB] = {GOOD: (30, 30, 30), WARNING: (110, 110, 60), FAULT: (130, 90, 90)}


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
