"""Diagnose the sensors of a board from measurements.

Each cell is checked in this order, and the first fault that fits is reported:

    stuck on        always on without a touch; or on at the end, but not at the beginning
    flapping        changes without a touch
    reversed, weak  linear sensors only: opposite polarity, or swing too small
    noise, drift    linear sensors only: unsteady at rest, although magnets are detected
    not examined    no response, and the user did not confirm a press; or the sensor could not be read
    never           no response, and the user confirmed a press
    stuck off       responded at first, then stopped, and the user confirmed a press
    swapped         this cell and another one respond in place of each other
    elsewhere       another cell responded; if this fits all cells, the board is rotated, mirrored or serpentine
    off centre      linear sensors only: wrong rest count
    missing diode   with three corners of a rectangle in a matrix held, the fourth responded too
    long bounce     the contact takes a long time to settle

A sensor that also responds to touches on another cell is reported as cross-talk. If the polarity of most linear sensors
is the opposite of that in the profile, this is reported once for the whole board.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from statistics import median

from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import AnalogWiring, Profile
from pond_hw.profile.sensor_wires import sensor_chips, sensor_wires
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import (
    FAULT,
    GOOD,
    TURNED_KINDS,
    WARNING,
    SetupFinding,
    faulty_cells,
    find_remedy,
    sort_by_grade,
)
from pond_hw.setup.sensor_measurements import IdlePeriod, PressTrial

FLAPPING_CHANGES = 2  # changes of an untouched sensor that count as flapping
LONG_BOUNCE_SECONDS = 0.010  # a good contact settles faster

WEAK_SHARE = 0.6  # a linear sensor with less than this share of the board's typical swing is weak
MIN_LINEAR_SENSORS = 3  # with fewer linear sensors there is no typical swing

DRIFT_COUNTS = 12  # largest normal change of a rest count within minutes
NOISE_COUNTS = 20  # largest normal range of counts at rest

OFF_CENTRE_SHARE = 0.4  # largest normal deviation from the profile's rest count, as a share of `on`


BOARD_TURNS: tuple[tuple[str, str, Callable[[int, int, int], tuple[int, int]]], ...] = (
    ("rotated", "half", lambda x, y, last: (last - x, last - y)),
    ("rotated", "left", lambda x, y, last: (y, last - x)),
    ("rotated", "right", lambda x, y, last: (last - y, x)),
    ("mirrored", "left_right", lambda x, y, last: (last - x, y)),
    ("mirrored", "top_bottom", lambda x, y, last: (x, last - y)),
    ("mirrored", "diagonal", lambda x, y, _: (y, x)),
    ("mirrored", "other_diagonal", lambda x, y, last: (last - y, last - x)),
    ("serpentine", "even_rows", lambda x, y, last: (last - x if y % 2 else x, y)),
    ("serpentine", "odd_rows", lambda x, y, last: (x if y % 2 else last - x, y)),
    ("serpentine", "even_columns", lambda x, y, last: (x, last - y if x % 2 else y)),
    ("serpentine", "odd_columns", lambda x, y, last: (x, y if x % 2 else last - y)),
)
"""Possible orientations of a board: kind, name, and a function that maps a touched cell to the cell that responds.

The function takes the column and row of the cell, counted from a1, and the highest index. It returns a column and a row.
"""


@dataclass(frozen=True, slots=True)
class BoardMeasurements:
    """All measurements of a board.

    Attributes:
        idle_before: measurement of untouched sensors at the beginning; None if not taken.
        trials_by_cell: all trials of each tested cell, in order.
        idle_after: measurement of untouched sensors at the end; None if not taken.
        ghosts_by_cell: for each cell with a tested diode, True if the fourth corner of the rectangle responded too.
        sensor_trouble: reason why the sensors could not be reached, or None.
        asked_cells: cells to examine.
    """

    idle_before: IdlePeriod | None = None
    trials_by_cell: Mapping[Cell, tuple[PressTrial, ...]] = field(default_factory=dict)
    idle_after: IdlePeriod | None = None
    ghosts_by_cell: Mapping[Cell, bool] = field(default_factory=dict)
    sensor_trouble: Message | None = None
    asked_cells: tuple[Cell, ...] = ()


def diagnose_sensors(profile: Profile, measured_board: BoardMeasurements) -> tuple[SetupFinding, ...]:
    """Return findings about the board and about each measured cell, worst first."""
    diagnosis = _SensorDiagnosis(profile, measured_board)
    bad_findings = [*diagnosis.judge_board()]
    is_turned = any(finding.kind in TURNED_KINDS for finding in bad_findings)
    bad_findings += (*diagnosis.judge_cells(report_elsewhere=not is_turned), *diagnosis.find_cross_talk())
    judged_cells = {cell for finding in bad_findings for cell in faulty_cells(finding)}
    if unexamined_finding := diagnosis.find_unexamined(judged_cells):
        bad_findings.append(unexamined_finding)
        judged_cells |= {*unexamined_finding.cells}
    good = (diagnosis.good_finding(cell) for cell in measured_board.trials_by_cell if cell not in judged_cells)
    return sort_by_grade((*bad_findings, *good))


class _SensorDiagnosis:
    """Evaluates the measurements of a board and compares its cells with each other."""

    def __init__(self, profile: Profile, measured: BoardMeasurements) -> None:
        self._profile, self._measured, self._trials = profile, measured, measured.trials_by_cell
        self._wiring = profile.sensing.wiring
        self._sensor_kind = profile.sensing.kind
        self._cells, self._wires = get_grid(profile.size).cells, sensor_wires(profile)
        self._number = {cell: input_number for input_number, cell in enumerate(self._cells)}
        self._idle_periods = [idle_period for idle_period in (measured.idle_before, measured.idle_after) if idle_period]
        flip_counts = [idle_period.flip_counts for idle_period in self._idle_periods] or [(0,) * len(self._cells)]
        self._max_flips = tuple(map(max, zip(*flip_counts, strict=True)))
        self._inputs_on = {input_number for idle_period in self._idle_periods for input_number in idle_period.inputs_on}
        self._answers = {cell: self._find_answering_cell(cell) for cell in self._trials}
        self._profiled_above = not isinstance(self._wiring, AnalogWiring) or self._wiring.light > 0
        self._typical_swing, self._above = self._find_typical_swing()

    def _find_typical_swing(self) -> tuple[float, bool]:
        """Return the median swing of the linear sensors in counts, and True if Light's pieces increase most sensors' counts."""
        swings = [cell_swing for cell in self._trials if abs(cell_swing := self._largest_swing(cell)) > NOISE_COUNTS]
        above_count = sum(cell_swing > 0 for cell_swing in swings)
        if len(swings) < MIN_LINEAR_SENSORS:
            return 0.0, self._profiled_above
        is_even = above_count * 2 == len(swings)
        return median(map(abs, swings)), self._profiled_above if is_even else above_count * 2 > len(swings)

    # The board

    def judge_board(self) -> Iterator[SetupFinding]:
        """Yield faults of the whole board: unreachable sensors, a turned board, opposite polarity."""
        if (trouble := self._measured.sensor_trouble) is not None:  # the reason may name a chip
            chip_cells, english = sensor_chips(self._profile).items(), to_english(trouble).casefold()
            dead_cells = next((cells for chip_name, cells in chip_cells if chip_name.casefold() in english), ())
            yield self._make_finding("dead chip" if dead_cells else "not reached", dead_cells, trouble)
        yield from self._find_turned_board()
        if self._above != self._profiled_above:
            message = Message(f"finding.poles.{'above' if self._above else 'below'}")
            yield self._make_finding("poles", (), message, WARNING)

    def _find_turned_board(self) -> Iterator[SetupFinding]:
        """Yield a finding if the board is rotated, mirrored or serpentine."""
        answers = {cell: other_cell for cell, other_cell in self._answers.items() if other_cell}
        wrong_cells = tuple(cell for cell, other_cell in answers.items() if other_cell != cell)
        if len(wrong_cells) < max(3, len(answers) // 3):
            return
        last, xy = self._profile.size - 1, get_grid(self._profile.size).cell_coordinates
        for finding_kind, turn_name, turn in BOARD_TURNS:
            fits = sum(xy(other_cell) == turn(*xy(cell), last) for cell, other_cell in answers.items())
            if fits >= 0.9 * len(answers):
                wrong_cell = wrong_cells[0]
                message = Message(f"finding.turned.{turn_name}", cell=wrong_cell, answering=answers[wrong_cell])
                yield self._make_finding(finding_kind, wrong_cells, message)
                return

    def find_cross_talk(self) -> list[SetupFinding]:
        """Return findings about sensors that also respond to touches on other cells."""
        cross_talk = []
        for cell in [cell for cell, answering_cell in self._answers.items() if answering_cell == cell]:
            last_trial, input_number = self._trials[cell][-1], self._number[cell]
            min_shared = max(1.0, 2 / 3 * last_trial.count_presses(input_number))
            for other_cell, other_input in self._number.items():
                is_quiet = other_cell != cell and self._max_flips[other_input] < FLAPPING_CHANGES
                if is_quiet and last_trial.count_shared_presses(input_number, other_input) >= min_shared:
                    wire = self._wires[other_cell]
                    message = Message("finding.cross_talk", cell=other_cell, asked=cell, wire=wire)
                    cross_talk.append(self._make_finding("cross-talk", (other_cell, cell), message))
        return cross_talk

    def find_unexamined(self, judged_cells: Collection[Cell]) -> SetupFinding | None:
        """Return a finding about all cells that have neither a usable measurement nor another finding; None if there are none."""
        asked_cells = self._measured.asked_cells if self._measured.sensor_trouble else ()
        lost_cells = [cell for cell in asked_cells if cell not in self._trials]
        open_cells = [cell for cell in self._cells if cell not in judged_cells]
        found_cells = tuple(cell for cell in open_cells if cell in lost_cells or self._is_unanswered(cell))
        if not found_cells or (lost_cells and not judged_cells):
            return None  # a finding about the whole board covers them
        if lost_cells:
            message = Message("finding.not_read", cells=found_cells, count=len(found_cells))
            return SetupFinding(WARNING, "not examined", found_cells, message, cure=Message("cure.not_read"))
        presses = max(press_trials[-1].wanted_presses for press_trials in self._trials.values())
        message = Message("finding.not_pressed", cells=found_cells, count=len(found_cells), presses=presses)
        return self._make_finding("not examined", found_cells, message, WARNING)

    # A cell

    def judge_cells(self, *, report_elsewhere: bool) -> Iterator[SetupFinding]:
        """Yield the first fault of each cell. Report responses from other cells only if `report_elsewhere` is set."""
        for cell in self._cells:
            finding = next(chain(self._judge_rest(cell), self._judge_presses(cell, report_elsewhere)), None)
            if finding and (finding.kind != "swapped" or self._number[cell] < self._number[finding.cells[1]]):
                yield finding  # report a swap once, for the first of its cells

    def good_finding(self, cell: Cell) -> SetupFinding:
        """Return a finding that reports the measurements of a good cell."""
        figures: dict[str, float] = {"presses": self._trials[cell][-1].count_presses(self._number[cell])}
        if self._sensor_kind != "hall":
            figures |= self._bounce_figures(cell)
        if cell_swing := self._largest_swing(cell):
            figures["swing_counts"] = cell_swing
        diode_tried = not self._measured.ghosts_by_cell or cell in self._measured.ghosts_by_cell
        message = None if diode_tried else Message("finding.diode_not_tried", cell=cell)
        return SetupFinding(GOOD, "good", (cell,), message, figures=figures)

    def _judge_rest(self, cell: Cell) -> Iterator[SetupFinding]:
        """Yield faults that show without a touch and, for linear sensors, faults that show with a magnet."""
        number, wire, idle_before = self._number[cell], self._wires[cell], self._measured.idle_before
        if idle_before and number in idle_before.inputs_on:
            message = Message(f"finding.stuck_on.{self._sensor_kind}", cell=cell, wire=wire)
            yield self._make_finding("stuck on", (cell,), message)
        for idle in self._idle_periods:
            if (flips := idle.flip_counts[number]) >= FLAPPING_CHANGES:
                message = Message("finding.flapping", cell=cell, wire=wire, flips=flips, seconds=idle.seconds)
                yield self._make_finding("flapping", (cell,), message, changes_per_second=flips / idle.seconds)
        yield from self._judge_magnet(cell)
        if number in self._inputs_on:
            message = Message(f"finding.not_let_go.{self._sensor_kind}", cell=cell, wire=wire)
            yield self._make_finding("stuck on", (cell,), message)

    def _judge_magnet(self, cell: Cell) -> Iterator[SetupFinding]:
        """Yield faults of a linear sensor: opposite polarity, weak swing, noise or drift."""
        wiring, idle, idle_after = self._wiring, self._measured.idle_before, self._measured.idle_after
        if not isinstance(wiring, AnalogWiring):
            return
        number, wire = self._number[cell], self._wires[cell]
        swing, typical_swing = self._largest_swing(cell), self._typical_swing
        detected_magnet = abs(swing) > NOISE_COUNTS and self._answers[cell] in (None, cell)
        wanted = max(WEAK_SHARE * typical_swing, float(wiring.on))
        if detected_magnet and (swing > 0) != self._above:
            message = Message("finding.reversed", cell=cell, wire=wire, swing=swing)
            yield self._make_finding("reversed", (cell,), message, swing_counts=swing, usual_counts=typical_swing)
        if detected_magnet and abs(swing) < wanted:
            message = Message("finding.weak", cell=cell, wire=wire, swing=abs(swing), wanted=wanted)
            yield self._make_finding("weak", (cell,), message, swing_counts=swing, usual_counts=typical_swing)
        if idle is None or (cell in self._trials and not detected_magnet):
            return
        if (noise := idle.count_spreads[number]) >= NOISE_COUNTS:
            message = Message("finding.noise", cell=cell, wire=wire, noise=noise)
            yield self._make_finding("noise", (cell,), message, WARNING, noise_counts=noise)
        drift = idle_after.rest_counts[number] - idle.rest_counts[number] if idle_after else 0.0
        if abs(drift) >= DRIFT_COUNTS:
            message = Message("finding.drift", cell=cell, wire=wire, drift=drift)
            yield self._make_finding("drift", (cell,), message, WARNING, drift_counts=drift)

    def _judge_presses(self, cell: Cell, report_elsewhere: bool) -> Iterator[SetupFinding]:
        """Yield missing or misplaced presses, then minor faults."""
        wiring, idle_before, other_cell = self._wiring, self._measured.idle_before, self._answers.get(cell) or cell
        wire, other_wire = self._wires[cell], self._wires[other_cell]
        if cell in self._trials and other_cell == cell and not self._is_unanswered(cell):
            yield from self._judge_silence(cell)
        if report_elsewhere and other_cell != cell:
            if self._answers.get(other_cell) == cell:
                message = Message("finding.swapped", cell=cell, wire=wire, other=other_cell, other_wire=other_wire)
                yield self._make_finding("swapped", (cell, other_cell), message)
            message = Message("finding.elsewhere", cell=cell, answering=other_cell, wire=other_wire)
            yield self._make_finding("elsewhere", (cell, other_cell), message)
        if isinstance(wiring, AnalogWiring) and idle_before:
            rest_count = idle_before.rest_counts[self._number[cell]]
            if abs(rest_count - wiring.rest[cell]) > OFF_CENTRE_SHARE * wiring.on:
                message = Message("finding.off_centre", cell=cell, counts=rest_count, drawn=wiring.rest[cell])
                yield self._make_finding("off centre", (cell,), message, WARNING, rest_counts=rest_count)
        if self._measured.ghosts_by_cell.get(cell):
            message = Message("finding.missing_diode", cell=cell, wire=wire)
            yield self._make_finding("missing diode", (cell,), message)
        figures = self._bounce_figures(cell) if cell in self._trials and self._sensor_kind != "hall" else {}
        if (settling := figures.get("chatter_ms", 0.0)) > LONG_BOUNCE_SECONDS * 1000:
            message = Message("finding.long_bounce", cell=cell, wire=wire, settling=settling)
            yield self._make_finding("long bounce", (cell,), message, WARNING, **figures)

    def _judge_silence(self, cell: Cell) -> Iterator[SetupFinding]:
        """Yield a fault if the sensor missed presses."""
        trials, wire = self._trials[cell], self._wires[cell]
        press_counts, wanted = [trial.count_presses(self._number[cell]) for trial in trials], trials[-1].wanted_presses
        if not any(press_counts):
            yield self._make_finding("never", (cell,), Message("finding.never", cell=cell, wire=wire))
        elif press_counts[-1] < wanted:
            message = Message("finding.stuck_off", cell=cell, wire=wire, answered=press_counts[0], wanted=wanted)
            if len(press_counts) > 1:
                counts = {"answered": press_counts[0], "last": press_counts[-1], "wanted": wanted}
                message = Message("finding.stuck_off_twice", cell=cell, wire=wire, **counts)
            yield self._make_finding("stuck off", (cell,), message, presses=max(press_counts))

    # Measurements

    def _is_unanswered(self, cell: Cell) -> bool:
        """Return True if presses are missing that the user did not confirm."""
        if self._answers.get(cell, "") not in (None, cell):
            return False
        press_trials, input_number = self._trials[cell], self._number[cell]
        missing_trials = [trial for trial in press_trials if trial.count_presses(input_number) < trial.wanted_presses]
        return press_trials[-1] in missing_trials and not any(trial.confirmed for trial in missing_trials)

    def _find_answering_cell(self, cell: Cell) -> Cell | None:
        """Return the cell that responded to the presses of this one, or None.

        This is the cell itself if it responded more than once, else the other cell with the most responses. A single response
        does not count: it may be a late press of the previous cell, or a slip.
        """
        press_trials, own = self._trials[cell], self._number[cell]
        if max(trial.count_presses(own) for trial in press_trials) > 1:
            return cell
        noisy = self._inputs_on | {number for number, flips in enumerate(self._max_flips) if flips >= FLAPPING_CHANGES}
        for trial in reversed(press_trials):
            best = max((n for n in trial.presses_by_input if n not in noisy), key=trial.count_presses, default=own)
            if trial.count_presses(best) > 1:
                return self._cells[best]
        return None

    def _bounce_figures(self, cell: Cell) -> dict[str, float]:
        longest = max(trial.longest_bounce for trial in self._trials[cell])
        return {"chatter_ms": longest * 1000, "bounces": max(trial.max_bounces for trial in self._trials[cell])}

    def _largest_swing(self, cell: Cell) -> float:
        """Return the largest swing of a cell's linear sensor, in counts; 0 for other sensors."""
        swings = (trial.swings_by_input.get(self._number[cell], 0.0) for trial in self._trials.get(cell, ()))
        return max(swings, key=abs, default=0.0)

    def _make_finding(
        self, kind: str, cells: tuple[Cell, ...], message: Message, grade: str = FAULT, **figures: float
    ) -> SetupFinding:
        return SetupFinding(grade, kind, cells, message, *find_remedy(kind, self._profile.sensing.kind), figures)
