"""What was found, shown by the lamps alone, until somebody touches the board. No colour is needed to read it.

good       steady, dim
warning    comes and goes slowly: a second lit, a second dark
fault      blinks twice, then rests
not asked  dark
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

from pond_hw.board import RGB, Reading
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import grid
from pond_hw.setup.findings_page import about, page_of, pages
from pond_hw.setup.setup_light import places_of
from pond_hw.setup.step import FAULT, GOOD, WARNING, Choice, Event, Finding, Page, Reply, Result, Tick
from pond_hw.setup.touch_detector import LEAST_HOLD, Fingers, What

BEAT = 0.25
"""Seconds of a beat; eight of them make a round."""

ROUND = {GOOD: (1,) * 8, WARNING: (1, 1, 1, 1, 0, 0, 0, 0), FAULT: (1, 0, 1, 0, 0, 0, 0, 0)}
"""In which beats of a round a cell is lit."""

LIGHT: Mapping[str, RGB] = {GOOD: (30, 30, 30), WARNING: (110, 110, 60), FAULT: (130, 90, 90)}


@dataclass(frozen=True, slots=True)
class Shown:
    """Findings, shown by light.

    Attributes:
        profile: the board.
        findings: what was found.
        since: when it began, in seconds.
        at: the latest instant.
        fingers: what the sensors feel.
        over: whether somebody has touched the board.
        leaf: which page of them is shown, 0 first.
    """

    profile: Profile
    findings: tuple[Finding, ...]
    since: float
    at: float
    fingers: Fingers
    over: bool = False
    leaf: int = 0

    @classmethod
    def start(cls, profile: Profile, findings: tuple[Finding, ...], at: float) -> Shown:
        """Begin to show them."""
        return cls(profile, findings, at, at, Fingers(max(profile.sensing.debounce, LEAST_HOLD)))

    @property
    def page(self) -> Page:
        """The same, drawn."""
        asks = "Steady cells are good, slow ones want care, those that blink twice are faulty. A touch goes on."
        leaves = pages(self.profile, self.findings)
        return page_of("What was found", leaves, self.leaf, Choice("q", "go on"), asks=asks)

    @property
    def lit(self) -> Mapping[int, RGB]:
        """Every cell that something is known of, in its beat."""
        beat = int((self.at - self.since) / BEAT + 1e-6) % 8
        lit = {cell: grade for cell, grade in self._worst.items() if ROUND[grade][beat]}
        return {place: LIGHT[grade] for cell, grade in lit.items() for place in places_of(self.profile, cell)}

    @property
    def _worst(self) -> Mapping[str, str]:
        """How bad it is with each cell that something is known of; what is wrong with the board is with all of them."""
        worst: dict[str, str] = {}
        for finding in sorted(self.findings, key=lambda finding: (GOOD, WARNING, FAULT).index(finding.grade)):
            cells = about(finding)
            everywhere = () if finding.grade == GOOD else grid(self.profile.size).cells
            worst |= dict.fromkeys(cells or everywhere, finding.grade)
        return worst

    @property
    def due(self) -> float:
        """The next beat."""
        beats = int((self.at - self.since) / BEAT + 1e-6) + 1
        return inf if self.over else min(self.since + beats * BEAT, self.fingers.due)

    @property
    def result(self) -> Result | None:
        """Nothing new."""
        return Result() if self.over else None

    def after(self, event: Event) -> Shown:
        """The same after an event."""
        match event:
            case Reply("q"):
                return replace(self, over=True)
            case Reply("m"):
                return replace(self, leaf=self.leaf + 1)
            case Reading() | Tick():
                fingers, felt = self.fingers.after(event.at, event if isinstance(event, Reading) else None)
                over = self.over or any(each.what is What.TOUCH for each in felt)
                return replace(self, at=event.at, fingers=fingers, over=over)
        return self
