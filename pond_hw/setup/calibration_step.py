"""The `calibrate` step for linear hall sensors: find rest counts, polarity and thresholds.

    counts   1023 |        ___ Light's piece        swing    distance from rest to a piece's reading
                  |.......|...|......... on         noise    range of the counts at rest
             rest |_______|...|________             on       half of the smallest swing
                  |.......|...|......... off        off      half of `on`
                0 |

The lower threshold must be at least four times the noise amplitude away from rest. A sensor that is much noisier or
weaker than the others is reported and ignored when the thresholds are calculated. If the remaining sensors are still too
noisy, no change is proposed. A missing reading does not prove a fault, because the user may not have placed the piece.
Only the user can confirm that a sensor missed a piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from statistics import median, median_high

from pond_hw.board import RGB, Sample
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import AnalogWiring, Profile
from pond_hw.profile.sensor_wires import sensor_wires
from pond_hw.rules import Cell, PondError, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding, find_remedy, format_cell_table, sort_by_grade
from pond_hw.setup.lamp_positions import light_cells
from pond_hw.setup.pages import NO, YES, Block, SetupOption, StepPage, describe_bad_findings
from pond_hw.setup.sensor_measurements import IdlePeriod, SignalLog, measure_idle
from pond_hw.setup.step import (
    Conversation,
    LitLamps,
    Prompt,
    SetupStep,
    StepEvent,
    StepReply,
    StepResult,
    StepTick,
    listen,
    run_with_restarts,
)

HANDS_OFF_SECONDS = 3.0
NEAR_COUNTS = 25  # deviation from rest that counts as a piece, before thresholds are known

MAX_NEAR_COUNTS = 100  # upper limit of this deviation, for the noisiest sensor
STILL_SECONDS = 0.5  # seconds that a piece must stand still

NOISE_MARGIN = 4  # the lower threshold must be at least this many times half the noise range
NOISY_FACTOR = 2  # a sensor with more than this many times the typical noise is an outlier

WEAK_SHARE = 0.6  # a sensor with less than this share of the typical swing is an outlier

ASKED: RGB = (150, 150, 150)
GLOW: RGB = (14, 14, 14)

POLE_CHOICES = (
    SetupOption("x", Message("setup_key.piece_unnoticed")),
    SetupOption("n", Message("setup_key.skip_cell")),
)


class CalibrationStep(SetupStep):
    """Calibration of linear sensors.

    Attributes:
        profile: profile of a board with linear sensors.
        queue: remaining cells.
        rest: measurement without pieces; None until it is complete.
        poles: signed swings of Light's and Dark's piece on each cell, in counts; 0 if the user reported that the sensor
            missed the piece; None if skipped.
        log: samples since the current question.
        was_empty: True if the cell has been empty at some point since the current question.
    """

    title = Message("calibrate.title")

    def __init__(self, profile: Profile, instant: float, cell_names: Sequence[Cell] = ()) -> None:
        if not isinstance(profile.sensing.wiring, AnalogWiring):
            raise PondError(Message("calibrate.no_sensors", board=profile.name))
        self.profile, self.wiring, self.at = profile, profile.sensing.wiring, instant
        self.cells = get_grid(profile.size).cells
        self.queue = tuple(cell_names) or self.cells
        self.rest: IdlePeriod | None = None
        self.poles: dict[Cell, tuple[float | None, ...]] = {}
        self.log, self.was_empty = SignalLog(), False
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Measure the sensors at rest, then each side's piece on each cell. Finally, ask for consent."""
        self.rest = yield from run_with_restarts(self._hands_off, self.at)
        while self.queue:
            cell = self.queue[0]
            for piece_owner in ("light", "dark"):
                swing_counts = yield from run_with_restarts(partial(self._measure_pole, piece_owner), self.at)
                self.poles[cell] = (*self.poles.get(cell, ()), swing_counts)
            self.queue = self.queue[1:]
        changes = (yield from run_with_restarts(self._ask_consent, self.at)) or {}
        return StepResult(self._findings, changes, "calibrate: " + ", ".join(changes) if changes else "")

    def _listen(self, prompt: Prompt) -> Conversation[StepEvent]:
        """Wait for the next event and log samples. Raises SensorsLost and SensorsBack, like `listen`."""
        event = yield from listen(prompt, lambda trouble: Prompt(StepPage(self.title, (), trouble)))
        if isinstance(event, Sample):
            self.log = self.log.with_sample(event)
        return event

    def _hands_off(self, begun_at: float) -> Conversation[IdlePeriod]:
        """Measure the sensors without pieces for a few seconds."""
        self.log, idle_end = SignalLog(), begun_at + HANDS_OFF_SECONDS
        idle_page = StepPage(self.title, (), Message("calibrate.hands_off", seconds=round(HANDS_OFF_SECONDS)))
        while True:
            step_event = yield from self._listen(Prompt(idle_page, due=idle_end))
            if isinstance(step_event, Sample | StepTick) and step_event.instant >= idle_end and self.log.raw_counts:
                self.at = step_event.instant
                idle_period = measure_idle(self.log, step_event.instant - begun_at)
                assert idle_period
                return idle_period

    def _measure_pole(self, piece_owner: str, _: float) -> Conversation[float | None]:
        """Wait until a piece stands still on the current cell, and return its swing; None if the user skips the cell."""
        assert self.rest
        self.log, self.was_empty, stood_at = SignalLog(), False, inf
        input_number = self.cells.index(self.queue[0])
        near_counts = max(NEAR_COUNTS, min(0.75 * self.rest.count_spreads[input_number], MAX_NEAR_COUNTS))
        rest_count = self.rest.rest_counts[input_number]

        def is_near() -> bool:
            return abs(self.log.raw_counts[-1][input_number] - rest_count) >= near_counts

        def ask() -> StepPage:
            return self._question(
                piece_owner, still_there=not self.was_empty and bool(self.log.raw_counts) and is_near()
            )

        while True:
            step_event = yield from self._listen(Prompt(ask, self._light, stood_at + STILL_SECONDS))
            if isinstance(step_event, StepReply) and step_event.key in ("n", "x"):
                return None if step_event.key == "n" else 0.0
            if not isinstance(step_event, Sample | StepTick) or not self.log.raw_counts:
                continue
            if not is_near():
                self.was_empty, stood_at = True, inf
            elif self.was_empty and stood_at == inf and self.log.last_sample:
                self.log, stood_at = SignalLog().with_sample(self.log.last_sample), step_event.instant
            elif self.was_empty and step_event.instant >= stood_at + STILL_SECONDS:
                return median_high(raw_row[input_number] for raw_row in self.log.raw_counts) - rest_count

    def _question(self, owner: str, *, still_there: bool) -> StepPage:
        cell = self.queue[0]
        done_count = sum(map(len, self.poles.values()))
        step_progress = done_count, done_count + 2 * len(self.queue) - (owner == "dark")
        put_prompt = Message(f"calibrate.put.{owner}", cell=cell)
        prompt = Message("calibrate.take_off", cell=cell) if still_there else put_prompt
        return StepPage(self.title, self._swing_rows, prompt, POLE_CHOICES, step_progress)

    def _light(self) -> LitLamps:
        """Light the current cell until its piece has been measured. Finished cells glow."""
        done_cells = [cell for cell, pole_counts in self.poles.items() if len(pole_counts) == 2]
        asked_cells = self.queue[:1] if self.was_empty else ()
        return light_cells(self.profile, done_cells, GLOW) | light_cells(self.profile, asked_cells, ASKED)

    def _ask_consent(self, _: float) -> Conversation[Mapping[str, object]]:
        """Ask for consent and return the accepted changes."""
        proposed_changes = self._changes
        prompt = Message("calibrate.ask") if proposed_changes else Message("calibrate.nothing")
        choices, text = (YES, NO) if proposed_changes else (YES,), tuple(describe_bad_findings(self._findings))
        while True:
            step_event = yield from self._listen(
                Prompt(StepPage(self.title, self._swing_rows, prompt, choices, text=text))
            )
            if isinstance(step_event, StepReply) and step_event.key in ("y", "n"):
                return proposed_changes if step_event.key == "y" else {}

    @property
    def _sign(self) -> int:
        """Direction in which Light's pieces move the counts of most sensors: +1 or -1."""
        return 1 if sum(1 if poles[0] > 0 else -1 for poles in self.poles.values() if poles and poles[0]) >= 0 else -1

    @property
    def _measured(self) -> dict[Cell, tuple[float, float]]:
        """Swings of the cells where both pieces moved the counts in the expected directions."""
        pole_pairs = {cell: (poles[0] or 0.0, poles[1] or 0.0) for cell, poles in self.poles.items() if len(poles) == 2}
        return {
            cell: poles for cell, poles in pole_pairs.items() if poles[0] * self._sign > 0 and poles[1] * self._sign < 0
        }

    @property
    def _noise(self) -> dict[Cell, int]:
        """Range of each sensor's counts at rest."""
        return dict(zip(self.cells, self.rest.count_spreads, strict=True)) if self.rest else {}

    @property
    def _thresholds(self) -> tuple[tuple[int, int] | None, Mapping[Cell, str]]:
        """Thresholds `on` and `off`, and the excluded outliers. The thresholds are None if no safe ones exist."""
        swings = {cell: min(map(abs, pole_counts)) for cell, pole_counts in self._measured.items()}
        outlier_kinds: dict[Cell, str] = {}
        noise_counts = self._noise
        typical_noise, typical_swing = median(noise_counts.values() or (0,)), median(swings.values() or (0,))
        while swings:
            on_counts = max(10, min(250, round(min(swings.values()) / 2)))
            noisiest_cell, weakest_cell = max(swings, key=noise_counts.__getitem__), min(swings, key=swings.__getitem__)
            if round(on_counts / 2) >= NOISE_MARGIN * noise_counts[noisiest_cell] / 2:
                return (on_counts, round(on_counts / 2)), outlier_kinds
            if noise_counts[noisiest_cell] > NOISY_FACTOR * typical_noise:
                outlier_cell, outlier_kinds[noisiest_cell] = noisiest_cell, "noise"
            elif swings[weakest_cell] < WEAK_SHARE * typical_swing:
                outlier_cell, outlier_kinds[weakest_cell] = weakest_cell, "weak"
            else:
                break
            del swings[outlier_cell]
        return None, outlier_kinds

    @property
    def _changes(self) -> dict[str, object]:
        sensor_wiring, (thresholds, _) = self.wiring, self._thresholds
        if self.rest is None or thresholds is None:
            return {}
        rest_counts = dict(zip(self.cells, map(round, self.rest.rest_counts), strict=True))
        proposed_changes = {
            "sensors.rest": (rest_counts != dict(sensor_wiring.rest), format_cell_table(self.profile, rest_counts, 4)),
            "sensors.on": (thresholds[0] != sensor_wiring.on, thresholds[0]),
            "sensors.off": (thresholds[1] != sensor_wiring.off, thresholds[1]),
            "sensors.light": (self._sign != sensor_wiring.light, "above" if self._sign > 0 else "below"),
        }
        return {key: new_value for key, (is_changed, new_value) in proposed_changes.items() if is_changed}

    @property
    def _findings(self) -> tuple[SetupFinding, ...]:
        found_findings, sound_cells, (thresholds, outlier_kinds) = [], self._measured, self._thresholds
        for cell, pole_counts in self.poles.items():
            if cell in outlier_kinds:
                kind, noise, swing_counts = outlier_kinds[cell], self._noise[cell], min(map(abs, sound_cells[cell]))
                message = self._describe(kind, cell, counts=noise if kind == "noise" else round(swing_counts))
                figures = {"noise_counts": noise, "swing_counts": swing_counts}
                found_findings.append(self._make_finding(WARNING, kind, cell, message, figures))
            elif cell in sound_cells:
                pole_figures = dict(zip(("light_counts", "dark_counts"), sound_cells[cell], strict=True))
                found_findings.append(SetupFinding(GOOD, "good", (cell,), figures=pole_figures))
            elif None not in pole_counts and any(pole_counts):
                light, dark = map(_format_counts, pole_counts)
                message = self._describe("reversed", cell, light=light, dark=dark)
                found_findings.append(self._make_finding(FAULT, "reversed", cell, message))
            elif None not in pole_counts:
                found_findings.append(self._make_finding(FAULT, "never", cell, self._describe("never", cell)))
        if skipped_cells := tuple(cell for cell, pole_counts in self.poles.items() if None in pole_counts):
            count = len(skipped_cells)
            message = Message("calibrate.skipped", cells=skipped_cells, count=count)
            cure = Message("calibrate.skipped_cure", count=count)
            found_findings.append(SetupFinding(WARNING, "not examined", skipped_cells, message, cure=cure))
        if thresholds is None and len(outlier_kinds) < len(sound_cells):
            message = Message("calibrate.no_threshold")
            found_findings.append(SetupFinding(WARNING, "weak", (), message, *find_remedy("weak", "hall")))
        return sort_by_grade(found_findings)

    def _describe(self, kind: str, cell: Cell, **counts: str | int) -> Message:
        return Message(f"calibrate.{kind}", cell=cell, wire=sensor_wires(self.profile)[cell], **counts)

    def _make_finding(
        self, grade: str, kind: str, cell: Cell, message: Message, figures: Mapping[str, float] | None = None
    ) -> SetupFinding:
        return SetupFinding(grade, kind, (cell,), message, *find_remedy(kind, "hall"), figures or {})

    @property
    def _swing_rows(self) -> tuple[Block, ...]:
        """Rows with the swing of each sensor's signal for Light's and Dark's pieces, and the thresholds."""
        cell_words = {cell: "/".join(map(_format_counts, pole_counts)) for cell, pole_counts in self.poles.items()}
        word_width = max([9, *map(len, cell_words.values())]) + 1
        rows = get_grid(self.profile.size).rows
        grid_lines = ["".join(f"{cell_words.get(cell, '.'):<{word_width}}" for cell in row).rstrip() for row in rows]
        thresholds, _ = self._thresholds
        threshold_line = (Message("live.threshold", on=thresholds[0], off=thresholds[1]),) if thresholds else ()
        return Message("calibrate.heading"), *grid_lines, *threshold_line


def _format_counts(pole_counts: float | None) -> str:
    """Format a swing in counts; a skipped one is a dash."""
    return "-" if pole_counts is None else f"{pole_counts:+.0f}"
