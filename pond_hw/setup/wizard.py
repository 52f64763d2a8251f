"""The set-up wizard: menu, current step and result pages.

    menu  -- key -->  step  -- done -->  finished: accepted changes are saved  -- finish_step -->  result pages  -->  menu
    q: end            q: back to the menu, nothing has changed                                a cell: repeat it

Without a screen there is no menu. The wizard runs the steps in `GUIDED_STEPS`, then shows the findings with the lamps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from pond_hw.board import RGB, HealthEvent, Sample
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding, draw_findings, faulty_cells
from pond_hw.setup.lamp_positions import cell_lamps
from pond_hw.setup.pages import (
    LEAVE,
    TO_MENU,
    Paragraph,
    SetupOption,
    StepPage,
    Table,
    describe_finding,
    summarise_findings,
)
from pond_hw.setup.sensor_diagnosis import BoardMeasurements
from pond_hw.setup.sensor_steps import SensorTest, TimingStep
from pond_hw.setup.step import (
    Conversation,
    LitLamps,
    Prompt,
    SetupStep,
    StepEvent,
    StepReply,
    StepResult,
    StepTick,
    ask_choice,
)
from pond_hw.setup.step_table import GUIDED_STEPS, STEPS, StepKind, begin_step, name_step
from pond_hw.setup.touch_detector import TouchDetector


@dataclass(slots=True)
class SetupWizard:
    """Set-up wizard for one board.

    Attributes:
        profile: the board's profile, including saved changes.
        step: current step; None in the menu.
        name: name of the step; `found` on its result pages, `shown` while the lamps show the results.
        latest: latest sample, which is passed on to the next step.
        trouble: reason why the sensors do not respond, or None; also passed on to the next step.
        results: results of all finished steps by name.
        measured: measurements of the `sensors` step with the current wiring, or None.
        notes: messages about the latest action.
        remaining_steps: steps still to run without a screen, including the current one; None if there is a menu.
        over: True after set-up has ended.
    """

    profile: Profile
    step: SetupStep | None = None
    name: str = ""
    latest: Sample | None = None
    trouble: Message | None = None
    results: dict[str, StepResult] = field(default_factory=dict)
    measured: BoardMeasurements | None = None
    notes: tuple[Message, ...] = ()
    remaining_steps: tuple[str, ...] | None = None
    over: bool = False

    def begin_guided(self, instant: float) -> SetupWizard:
        """Leave the current step and continue with the lamps alone."""
        self.remaining_steps = tuple(name for name in GUIDED_STEPS if STEPS[name].fits(self.profile))
        return self._begin_timed(self.remaining_steps[0], instant)

    def begin(self, step_name: str, instant: float, cell_names: Sequence[Cell] = ()) -> SetupWizard:
        """Begin a step.

        Raises:
            PondError: if the step cannot begin.
        """
        new_step = begin_step(self.profile, step_name, instant, cell_names)
        if isinstance(new_step, TimingStep) and self.measured:
            new_step = TimingStep(self.profile, instant, self.measured)
        return self._begin(new_step, step_name, instant)

    def _begin(
        self, step: SetupStep | None, step_name: str = "", at: float = 0.0, notes: tuple[Message, ...] = ()
    ) -> SetupWizard:
        """Begin a step or show the menu. A step receives the latest sample, since the next comes only when a sensor changes."""
        self.step, self.name, self.notes = step, step_name, notes
        if step and self.latest:
            step.after(self.latest._replace(instant=at))
        if step and self.trouble:
            step.after(HealthEvent(self.trouble, at))
        return self

    def _begin_timed(self, step_name: str, instant: float) -> SetupWizard:
        return self._begin(STEPS[step_name].start(self.profile, instant, is_timed=True), step_name, instant)

    @property
    def page(self) -> StepPage:
        """Page of the current step, or the menu."""
        if self.step:
            page = self.step.page
            return page if _handles_q(page) else replace(page, choices=(*page.choices, TO_MENU))
        options = [SetupOption(kind.key, name_step(kind.name)) for kind in self._usable_steps]
        menu = Table(
            tuple(
                (kind.key, name_step(kind.name), Message(f"steps.{kind.name}"), self._summarise_result(kind.name))
                for kind in self._usable_steps
            )
        )
        new_board: tuple[str, ...] = (
            ("4", "6", "9", "7", "8") if STEPS["calibrate"].fits(self.profile) else ("4", "6", "7", "8")
        )
        new_board += ("k",) if STEPS["keys"].fits(self.profile) else ()
        title, prompt = Message("setup.title", board=self.profile.name), Message("setup.which_step", steps=new_board)
        return StepPage(title, (menu,), prompt, (*options, LEAVE), text=self.notes)

    @property
    def lit_lamps(self) -> Mapping[int, RGB]:
        """Lamps that the current step lights; empty in the menu."""
        return self.step.lit_lamps if self.step else {}

    @property
    def due(self) -> float:
        """Time at which the step needs a tick, in seconds; or infinity."""
        return self.step.due if self.step and not self.finished else inf

    @property
    def finished(self) -> StepResult | None:
        """Result of a finished step, which the caller saves before calling `finish_step`; None while the step is running."""
        return self.step.result if self.step else None

    def finish_step(self, profile: Profile, notes: tuple[Message, ...], instant: float) -> SetupWizard:
        """Continue after a result has been saved.

        Args:
            profile: the board's profile, including the changes.
            notes: messages about saving the result.
            instant: current time, in seconds.
        """
        step, name, finished = self.step, self.name, self.finished
        if finished is None:
            return self
        if isinstance(step, ResultPages):
            self._begin(None, notes=self.notes)
            cell_names = (step.choice,) if step.choice in get_grid(profile.size).cells else ()
            return self if step.choice == "menu" else self.begin(step.step_name, instant, cell_names)
        if name != "shown":
            self.results = {**self.results, name: finished}
        if isinstance(step, SensorTest):
            known_trials = self.measured.trials_by_cell if self.measured else {}
            self.measured = replace(step.measured, trials_by_cell={**known_trials, **step.measured.trials_by_cell})
        if profile.sensing.wiring != self.profile.sensing.wiring:
            self.measured = None
        if profile != self.profile:  # with new wiring, its inputs belong to other cells
            self.latest = None
        self.profile = profile
        self._begin(None, notes=notes)
        if self.remaining_steps is not None:
            self._continue_guided(finished, instant)
        elif finished.findings:
            by_cell = STEPS[name].by_cell
            self.step, self.name = ResultPages(profile, name, finished.findings, notes, by_cell=by_cell), "found"
        return self

    def _continue_guided(self, step_result: StepResult, instant: float) -> None:
        """Continue without a screen: begin the next step, show the findings, or end set-up."""
        self.over, self.remaining_steps = not self.remaining_steps, (self.remaining_steps or ())[1:]
        if self.remaining_steps:
            self._begin_timed(self.remaining_steps[0], instant)
        elif not self.over:
            self._begin(LampResult(self.profile, step_result.findings, instant), "shown", instant)

    def stop_step(self, reason: Message) -> SetupWizard:
        """Leave a failed step and return to the menu, or end set-up if there is no screen."""
        self.over = self.over or self.remaining_steps is not None
        return self._begin(None, notes=(reason, Message("steps.try_again")))

    def after(self, event: StepEvent) -> SetupWizard:
        """Process an event and return the wizard."""
        if self.over or self.finished:
            return self
        if isinstance(event, HealthEvent):
            self.trouble = event.trouble
        elif isinstance(event, Sample):
            self.latest = event
        elif isinstance(event, StepReply) and (not self.step or (event.key == "q" and not _handles_q(self.step.page))):
            return self._reply(event)
        if self.step:
            self.step.after(event)
        return self

    def _reply(self, step_reply: StepReply) -> SetupWizard:
        """Process a key in the menu, or `q` in a step."""
        if step_reply.key == "q":
            self.over = self.step is None or self.remaining_steps is not None
            left = (Message("steps.left", step=self.name),)
            return self._begin(None, notes=self.notes if self.over else left)
        kind = next((kind for kind in self._usable_steps if step_reply.key in (kind.key, kind.name)), None)
        return self.begin(kind.name, step_reply.instant) if kind else self

    @property
    def _usable_steps(self) -> list[StepKind]:
        return [step_kind for step_kind in STEPS.values() if step_kind.fits(self.profile)]

    def _summarise_result(self, step_name: str) -> str | Message:
        if step_name not in self.results:
            return ""
        grades = [finding.grade for finding in self.results[step_name].findings]
        worst_grade = next((grade for grade in (FAULT, WARNING) if grade in grades), GOOD)
        return Message(f"came_of_step.{worst_grade}", count=grades.count(worst_grade))


def _handles_q(page: StepPage) -> bool:
    """Return True if the step itself handles the `q` key."""
    return "q" in dict(page.choices)


BEAT = 0.25  # seconds per beat; eight beats make a round

ROUND = {GOOD: (1,) * 8, WARNING: (1, 1, 1, 1, 0, 0, 0, 0), FAULT: (1, 0, 1, 0, 0, 0, 0, 0)}
"""Beats of a round in which a cell is lit, by grade."""

RESULT_CHOICES = (SetupOption("r", Message("setup_key.whole_step")), TO_MENU)
SHOWN_CHOICES = (SetupOption("q", Message("setup_key.go_on")),)

LIGHT: Mapping[str, RGB] = {GOOD: (30, 30, 30), WARNING: (110, 110, 60), FAULT: (130, 90, 90)}


class ResultPages(SetupStep):
    """Findings of a step as pages of text.

    Attributes:
        profile: the board's profile.
        step_name: name of the step.
        findings: findings of the step.
        saved_notes: messages about saving the result.
        by_cell: True if the step can be repeated for a single cell.
        choice: `menu`, `again` or the name of a cell to repeat; None until the user has chosen.
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
        self.choice: Cell | None = None
        self.title = Message("results.title", step=name)
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Show the findings until the user chooses what to do next."""
        cell_names = get_grid(self.profile.size).cells if self.by_cell else ()
        prompt = (Message("results.one_cell"),) if cell_names else ()
        choices = *RESULT_CHOICES, *map(SetupOption, cell_names)
        drawing = draw_findings(self.profile, self.findings) if any(each.cells for each in self.findings) else ()
        page = StepPage(self.title, drawing, prompt, choices, text=tuple(self._text))
        key = yield from ask_choice(Prompt(page), dict(choices))
        self.choice = {"q": "menu", "r": "again"}.get(key, key)
        return StepResult()

    @property
    def _text(self) -> Iterator[Message | Paragraph]:
        """Yield the number of findings of each grade, messages about saving, and the findings."""
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
    """Shows findings with the lamps, in patterns that need no colour vision.

        good          steady, dim
        warning       slow: lit for a second, dark for a second
        fault         blinks twice, then pauses
        not examined  dark

    Attributes:
        profile: the board's profile.
        findings: findings to show.
        since: time at which the step began, in seconds.
        at: time of the latest event.
        detector: touch detector.
    """

    title = Message("results.shown")

    def __init__(self, profile: Profile, all_findings: tuple[SetupFinding, ...], instant: float) -> None:
        self.profile, self.findings, self.since, self.at = profile, all_findings, instant, instant
        self.detector = TouchDetector(profile)
        drawing, prompt = draw_findings(profile, all_findings), Message("results.lamps")
        self._shown = StepPage(self.title, drawing, prompt, SHOWN_CHOICES, text=summarise_findings(all_findings))
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Show the findings one at a time until the user touches the board or presses `q`."""
        while True:
            beat_count = int((self.at - self.since) / BEAT + 1e-6) + 1
            event = yield Prompt(self._shown, self._light, min(self.since + beat_count * BEAT, self.detector.due_time))
            if isinstance(event, StepReply) and event.key == "q":
                return StepResult()
            if isinstance(event, Sample | StepTick):
                self.at = event.instant
                if self.detector.is_touched(event):
                    return StepResult()

    def last_prompt(self) -> Prompt:
        """Keep showing the findings."""
        return Prompt(self._shown, self._light)

    def _light(self) -> LitLamps:
        """Light each cell in the rhythm of its worst finding. A fault of the whole board is shown on all cells."""
        round_beat = int((self.at - self.since) / BEAT + 1e-6) % 8
        worst_grades: dict[str, str] = {}
        for finding in sorted(self.findings, key=lambda finding: (GOOD, WARNING, FAULT).index(finding.grade)):
            all_cells = () if finding.grade == GOOD else get_grid(self.profile.size).cells
            worst_grades |= dict.fromkeys(faulty_cells(finding) or all_cells, finding.grade)
        lit_grades = {cell: grade for cell, grade in worst_grades.items() if ROUND[grade][round_beat]}
        return {
            position: LIGHT[grade] for cell, grade in lit_grades.items() for position in cell_lamps(self.profile, cell)
        }
