"""The step `timing`: the exercise, and then how long each sensor needs to be believed, from what was measured.

Cells that the step `sensors` has measured already are not asked for again, unless somebody wants it.

    debounce  half as long again as the longest chatter of that cell, and two readings; never below what its kind needs
    settle    twice the longest debounce of all, and a tenth of a second for a hand
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from pond_hw.board import Sample
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.conversation import Lit, Prompt, SetupStep, Talk
from pond_hw.setup.diagnosis import BoardMeasurements, diagnose_sensors
from pond_hw.setup.findings import FAULT, SetupFinding
from pond_hw.setup.findings_page import faulty_cells
from pond_hw.setup.map_drawings import format_cell_table
from pond_hw.setup.sensor_trial import PressTrial
from pond_hw.setup.sensor_walk import GLOW, SensorWalk, find_restless
from pond_hw.setup.setup_light import light_cells
from pond_hw.setup.step import SetupOption, StepPage, StepReply, StepResult

LEAST_MS = {"button": 5, "hall": 20}
"""Milliseconds below which no debounce is proposed: a spike is as long."""

MOST_MS = {"button": 200, "hall": 1000}
"""What a profile allows."""

REACHES_MS = 100
"""Milliseconds that a hand needs from one cell to the next."""


class TimingStep(SetupStep):
    """The step.

    Attributes:
        profile: the board.
        measured: what is known of its sensors, once it is.
        findings: what is wrong with them.
    """

    title = "Timing"

    def __init__(self, profile: Profile, at: float, measured: BoardMeasurements | None = None) -> None:
        """Begin the exercise.

        Args:
            profile: the board.
            at: the instant, in seconds.
            measured: what was measured on the same wires before: of these cells nothing is asked.
        """
        self.profile, self.at, self._used = profile, at, measured is not None
        self.cells = get_grid(profile.size).cells
        self.measured = measured or BoardMeasurements()
        self.findings: tuple[SetupFinding, ...] = ()
        self._last: Sample | None = None
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """The exercise, as far as it is needed; then the numbers, and whether they are to be taken over."""
        restless = find_restless(self.measured.idle_before)
        known = {*self.measured.trials_by_cell, *(self.cells[number] for number in restless)}
        if unknown := tuple(cell for cell in self.cells if cell not in known):
            trials = self.measured.trials_by_cell
            yield from self._exercise(SensorWalk(self.profile, self.at, unknown, diodes=False, known=trials))
        else:
            self.findings = diagnose_sensors(self.profile, self.measured)
        while (answer := (yield from self._agree())) == "r":
            self._used = False
            walk = SensorWalk(self.profile, self.at, diodes=False)
            yield from self._exercise(walk.after(self._last._replace(instant=self.at)) if self._last else walk)
        changes = self._changes if answer == "y" else {}
        return StepResult(self.findings, changes, f"timing: {', '.join(changes)}" if changes else "")

    def last_prompt(self) -> Prompt:
        """The cells that were measured glow on."""
        return Prompt(StepPage(self.title), self._light)

    def _exercise(self, walk: SensorWalk) -> Talk[None]:
        """What the step `sensors` does, under the title of this one."""
        while not walk.result:
            event = yield Prompt(lambda: replace(walk.page, title=self.title), lambda: walk.lit_lamps, walk.due)
            walk.after(event)
        self.measured, self.findings, self._last = walk.measured, walk.result.findings, walk.heard.last_sample

    def _agree(self) -> Talk[str]:
        """The numbers; `y`: they are to be taken over, `n`: not, `r`: all is to be measured again."""
        lines, prompt, choices = self._drawn, "The profile is right as it is. Done?", [SetupOption("n", "leave")]
        if self._changes:
            prompt, choices = "Take these times over?", [SetupOption("y", "yes"), SetupOption("n", "no")]
        if not self._debounce:
            prompt = "Nothing could be measured. Mend the sensors first."
        if self._used:
            lines = (*lines, "These presses were measured by the step `sensors`.")
            choices.append(SetupOption("r", "measure again"))
        page = StepPage(self.title, lines, prompt, tuple(choices))
        while True:
            match (yield Prompt(page, self._light)):
                case Sample() as sample:
                    self._last = sample
                case StepReply(key, instant) if key in dict(choices):
                    self.at = instant
                    return key

    def _light(self) -> Lit:
        return light_cells(self.profile, self.measured.trials_by_cell, GLOW)

    @property
    def _debounce(self) -> dict[Cell, int]:
        """For each cell that was measured the time to be proposed, in milliseconds.

        Nothing can be learned from sensors that are faulty, or that are others than it is thought.
        """
        faulty = {cell for finding in self.findings if finding.grade == FAULT for cell in faulty_cells(finding)}
        sensing = self.profile.sensing
        return {
            cell: recommend_debounce(trials, sensing.kind, sensing.scan_rate)
            for cell, trials in self.measured.trials_by_cell.items()
            if cell not in faulty and any(trial.edge_bursts for trial in trials)
        }

    @property
    def _changes(self) -> dict[str, object]:
        sensing, proposed = self.profile.sensing, self._debounce
        if not proposed:
            return {}
        longest = max(proposed.values())
        wanted = {cell: proposed.get(cell, longest) for cell in self.cells}
        changes: dict[str, object] = {}
        if any(round(sensing.debounce_by_cell[cell] * 1000) != wanted[cell] for cell in wanted):
            changes["sensors.debounce_ms"] = format_cell_table(self.profile, wanted, 3)
        settle = max(100, 2 * longest + REACHES_MS)
        if sensing.kind == "hall" and settle != round(sensing.settle_seconds * 1000):
            changes["sensors.settle_ms"] = settle
        return changes

    @property
    def _drawn(self) -> tuple[str, ...]:
        """For each cell the longest chatter, and the time that is proposed."""
        proposed, sensing, trials = self._debounce, self.profile.sensing, self.measured.trials_by_cell
        lines = ["Longest chatter -> debounce, in ms:"]
        for row in get_grid(self.profile.size).rows:
            words = [f"{longest_bounce_ms(trials[c]):.0f} -> {proposed[c]}" if c in proposed else "." for c in row]
            lines.append("".join(f"{word:<12}" for word in words).rstrip())
        lines += ["", f"The profile says {sensing.debounce_seconds * 1000:.0f} ms at the most."]
        if settle := self._changes.get("sensors.settle_ms"):
            lines.append(f"Settle: {settle} ms instead of {sensing.settle_seconds * 1000:.0f}.")
        return tuple(lines)


def longest_bounce_ms(trials: tuple[PressTrial, ...]) -> float:
    """The longest time until a sensor was stable, in milliseconds."""
    return max(trial.longest_bounce for trial in trials) * 1000


def recommend_debounce(trials: tuple[PressTrial, ...], kind: str, scan_rate: float) -> int:
    """The debounce to be proposed for a sensor, in whole milliseconds.

    Args:
        trials: what was measured of it.
        kind: `button` or `hall`.
        scan_rate: how often it is read, in 1/s.
    """
    needed = max(1.5 * longest_bounce_ms(trials), 2000 / scan_rate)
    return min(max(LEAST_MS[kind], ceil(needed)), MOST_MS[kind])
