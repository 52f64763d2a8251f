"""The step `timing`: the exercise, and then how long each sensor must hold a level, from what was measured.

Cells that the step `sensors` has measured are not asked for again, unless somebody wants it.

    debounce  half as long again as the longest chatter of that cell, and at least two readings and what its kind needs
    settle    twice the longest debounce of all, and a tenth of a second for a hand
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from pond_hw.board import Sample
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.conversation import NO, YES, Lit, Prompt, SetupStep, Talk
from pond_hw.setup.findings import FAULT, SetupFinding
from pond_hw.setup.findings_page import faulty_cells, format_cell_table
from pond_hw.setup.lamp_places import light_cells
from pond_hw.setup.sensor_diagnosis import BoardMeasurements, diagnose_sensors
from pond_hw.setup.sensor_measurements import PressTrial
from pond_hw.setup.sensor_steps import GLOW, SensorWalk, find_restless
from pond_hw.setup.step import Block, SetupOption, StepPage, StepReply, StepResult

LEAST_MS = {"button": 5, "hall": 20}  # milliseconds below which no debounce is proposed: a spike is as long
MOST_MS = {"button": 200, "hall": 1000}  # what a profile allows

REACHES_MS = 100  # milliseconds that a hand needs from one cell to the next


class TimingStep(SetupStep):
    """The step.

    Attributes:
        profile: the board.
        measured: what is known of its sensors, once it is.
        findings: what is wrong with them.
    """

    title = Message("timing.title")

    def __init__(self, profile: Profile, instant: float, known_measurements: BoardMeasurements | None = None) -> None:
        """Begin the exercise.

        Args:
            profile: the board.
            instant: the instant, in seconds.
            known_measurements: what was measured on the same wires before: these cells are not asked for.
        """
        self.profile, self.at, self._used = profile, instant, known_measurements is not None
        self.cells = get_grid(profile.size).cells
        self.measured = known_measurements or BoardMeasurements()
        self.findings: tuple[SetupFinding, ...] = ()
        self._last: Sample | None = None
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """The exercise, as far as it is needed; then the numbers, and whether to use them."""
        restless_inputs = find_restless(self.measured.idle_before)
        known_cells = {*self.measured.trials_by_cell, *(self.cells[input_number] for input_number in restless_inputs)}
        if unknown := tuple(cell for cell in self.cells if cell not in known_cells):
            known = self.measured.trials_by_cell
            walk = SensorWalk(self.profile, self.at, unknown, tries_diodes=False, known_trials=known)
            yield from self._exercise(walk)
        else:
            self.findings = diagnose_sensors(self.profile, self.measured)
        while (given_answer := (yield from self._agree())) == "r":
            self._used = False
            walk = SensorWalk(self.profile, self.at, tries_diodes=False)
            yield from self._exercise(walk.after(self._last._replace(instant=self.at)) if self._last else walk)
        changes = self._changes if given_answer == "y" else {}
        return StepResult(self.findings, changes, f"timing: {', '.join(changes)}" if changes else "")

    def last_prompt(self) -> Prompt:
        """The cells that were measured glow on."""
        return Prompt(StepPage(self.title), self._light)

    def _exercise(self, walk: SensorWalk) -> Talk[None]:
        """What the step `sensors` does, under the title of this one."""
        while not walk.result:
            walk.after((yield Prompt(lambda: replace(walk.page, title=self.title), lambda: walk.lit_lamps, walk.due)))
        self.measured, self.findings, self._last = walk.measured, walk.result.findings, walk.heard.last_sample

    def _agree(self) -> Talk[str]:
        """The numbers; `y`: use them, `n`: do not, `r`: measure everything again."""
        prompt, choices = Message("timing.right"), [SetupOption("n", Message("setup_key.menu"))]
        if self._changes:
            prompt, choices = Message("timing.ask"), [YES, NO]
        if not self._debounce:
            prompt = Message("timing.nothing_measured")
        text = self._described
        if self._used:
            text = (*text, Message("timing.measured_before"))
            choices.append(SetupOption("r", Message("timing.again")))
        page = StepPage(self.title, self._drawn, prompt, tuple(choices), text=text)
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

        Sensors that are faulty, or that are wired elsewhere, say nothing about it.
        """
        faulty_names = {cell for finding in self.findings if finding.grade == FAULT for cell in faulty_cells(finding)}
        sensing = self.profile.sensing
        return {
            cell: recommend_debounce(press_trials, sensing.kind, sensing.scan_rate)
            for cell, press_trials in self.measured.trials_by_cell.items()
            if cell not in faulty_names and any(press_trial.edge_bursts for press_trial in press_trials)
        }

    @property
    def _changes(self) -> dict[str, object]:
        sensing, proposed_ms = self.profile.sensing, self._debounce
        if not proposed_ms:
            return {}
        longest_ms = max(proposed_ms.values())
        wanted_ms = {cell: proposed_ms.get(cell, longest_ms) for cell in self.cells}
        proposed_changes: dict[str, object] = {}
        if any(round(sensing.debounce_by_cell[cell] * 1000) != wanted_ms[cell] for cell in wanted_ms):
            proposed_changes["sensors.debounce_ms"] = format_cell_table(self.profile, wanted_ms, 3)
        settle_ms = max(100, 2 * longest_ms + REACHES_MS)
        if sensing.kind == "hall" and settle_ms != round(sensing.settle_seconds * 1000):
            proposed_changes["sensors.settle_ms"] = settle_ms
        return proposed_changes

    @property
    def _drawn(self) -> tuple[Block, ...]:
        """For each cell the longest chatter, and the time that is proposed."""
        proposed, trials = self._debounce, self.measured.trials_by_cell
        rows = []
        for row in get_grid(self.profile.size).rows:
            times = [f"{longest_bounce_ms(trials[c]):.0f} -> {proposed[c]}" if c in proposed else "." for c in row]
            rows.append("".join(f"{cell_times:<12}" for cell_times in times).rstrip())
        return Message("timing.heading"), *rows

    @property
    def _described(self) -> tuple[Message, ...]:
        """What the profile says, as far as it matters."""
        sensing = self.profile.sensing
        drawn = Message("timing.drawn", debounce_ms=round(sensing.debounce_seconds * 1000))
        if settle_ms := self._changes.get("sensors.settle_ms"):
            assert isinstance(settle_ms, int)
            settle = {"settle_ms": settle_ms, "drawn_ms": round(sensing.settle_seconds * 1000)}
            return drawn, Message("timing.settle", **settle)
        return (drawn,)


def longest_bounce_ms(press_trials: tuple[PressTrial, ...]) -> float:
    """The longest time until a sensor was stable, in milliseconds."""
    return max(press_trial.longest_bounce for press_trial in press_trials) * 1000


def recommend_debounce(press_trials: tuple[PressTrial, ...], sensor_kind: str, scan_rate: float) -> int:
    """The debounce to be proposed for a sensor, in whole milliseconds.

    Args:
        press_trials: what was measured of it.
        sensor_kind: `button` or `hall`.
        scan_rate: how often it is read, in 1/s.
    """
    needed_ms = max(1.5 * longest_bounce_ms(press_trials), 2000 / scan_rate)
    return min(max(LEAST_MS[sensor_kind], ceil(needed_ms)), MOST_MS[sensor_kind])
