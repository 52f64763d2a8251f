"""What is wrong with the sensors, from what was measured: which cell, what it is, what is likely behind it, what to do.

Judged in this order; of a cell the first that fits is told:

    stuck on        down all the time while nobody touches it; or at the end, and it was not in the beginning
    flapping        changes while nobody touches it
    reversed, weak  linear sensors only: the wrong pole, or hardly any
    noise, drift    linear sensors only: what they read at rest trembles or creeps, though they feel magnets
    not examined    nobody answered, and nobody says that it was pressed; or it could not be read
    never           asked for, and nothing answered, as somebody says who pressed it
    stuck off       answered, and then no more, as somebody says who pressed it
    swapped         another cell answered, and for that one this
    elsewhere       another cell answered; if all do so alike, the board is rotated or mirrored, or runs to and fro
    off centre      linear sensors only: it rests elsewhere than the profile says
    missing diode   three corners of a rectangle in a matrix, and the fourth answered too
    long bounce     takes long to be stable

and besides, of the sensor that does it, cross-talk: it answers for another cell as well. Of linear sensors that nearly
all feel the other pole than the profile says it is told once, and not of each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from statistics import median

from pond_hw.messages.plurals import join_words
from pond_hw.profile.board_profile import AnalogWiring, Profile
from pond_hw.profile.soldered_wires import sensor_chips, sensor_wires
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import FAULT, GOOD, TURNED_KINDS, WARNING, SetupFinding, find_remedy, sort_by_grade
from pond_hw.setup.findings_page import faulty_cells
from pond_hw.setup.sensor_trial import IdlePeriod, PressTrial

FLAPPING_CHANGES = 2  # changes in an idle time that are too many
LONG_BOUNCE_SECONDS = 0.010  # seconds after which a good contact has been stable for long

WEAK_SHARE = 0.6  # a linear sensor that moves by less than this share of what is usual on its board is weak
MIN_LINEAR_SENSORS = 3  # with fewer linear sensors than this, what is usual is what the profile says

DRIFT_COUNTS = 12  # counts by which the rest of a linear sensor may differ after a few minutes
NOISE_COUNTS = 20  # counts between the least and the greatest that a linear sensor may read at rest

OFF_CENTRE_SHARE = 0.4  # the share of `on` by which a linear sensor may rest away from where the profile says


BOARD_TURNS: tuple[tuple[str, str, Callable[[int, int, int], tuple[int, int]]], ...] = (
    ("rotated", "the board were turned by half", lambda x, y, last: (last - x, last - y)),
    ("rotated", "the board were turned by a quarter to the left", lambda x, y, last: (y, last - x)),
    ("rotated", "the board were turned by a quarter to the right", lambda x, y, last: (last - y, x)),
    ("mirrored", "left and right were exchanged", lambda x, y, last: (last - x, y)),
    ("mirrored", "top and bottom were exchanged", lambda x, y, last: (x, last - y)),
    ("mirrored", "the board were mirrored at the diagonal from a1", lambda x, y, _: (y, x)),
    ("mirrored", "the board were mirrored at the other diagonal", lambda x, y, last: (last - y, last - x)),
    ("serpentine", "every second row ran the other way", lambda x, y, last: (last - x if y % 2 else x, y)),
    ("serpentine", "every other row ran the other way", lambda x, y, last: (x if y % 2 else last - x, y)),
    ("serpentine", "every second column ran down", lambda x, y, last: (x, last - y if x % 2 else y)),
    ("serpentine", "every other column ran down", lambda x, y, last: (x, y if x % 2 else last - y)),
)
"""How a board may lie: the kind, what it is as if, and as which cell one is then read, by column and row from a1."""


@dataclass(frozen=True, slots=True)
class BoardMeasurements:
    """Everything that was measured on a board.

    Attributes:
        idle_before: the idle time at the beginning; None if it was not got to.
        trials_by_cell: for each cell that was asked for what came of it, the first trial first.
        idle_after: the idle time at the end.
        ghosts_by_cell: in a matrix, the cells whose diode was tried, and whether the fourth corner answered.
        sensor_trouble: what the board said when its sensors were not reached; None if they were.
        asked_cells: the cells that were to be examined.
    """

    idle_before: IdlePeriod | None = None
    trials_by_cell: Mapping[Cell, tuple[PressTrial, ...]] = field(default_factory=dict)
    idle_after: IdlePeriod | None = None
    ghosts_by_cell: Mapping[Cell, bool] = field(default_factory=dict)
    sensor_trouble: str | None = None
    asked_cells: tuple[Cell, ...] = ()


def diagnose_sensors(profile: Profile, measured_board: BoardMeasurements) -> tuple[SetupFinding, ...]:
    """What is to be said of each cell that was measured, and of the board: what is wrong first, then what is good."""
    diagnosis = _SensorDiagnosis(profile, measured_board)
    bad_findings = [*diagnosis.judge_board()]
    is_turned = any(finding.kind in TURNED_KINDS for finding in bad_findings)
    bad_findings += (*diagnosis.judge_cells(tell_elsewhere=not is_turned), *diagnosis.find_cross_talk())
    judged_cells = {cell for finding in bad_findings for cell in faulty_cells(finding)}
    if unexamined_finding := diagnosis.find_unexamined(judged_cells):
        bad_findings.append(unexamined_finding)
        judged_cells |= {*unexamined_finding.cells}
    good = (diagnosis.good_finding(cell) for cell in measured_board.trials_by_cell if cell not in judged_cells)
    return sort_by_grade((*bad_findings, *good))


class _SensorDiagnosis:
    """Holds what was measured on one cell against what was measured on the others."""

    def __init__(self, profile: Profile, measured: BoardMeasurements) -> None:
        self._profile, self._measured, self._trials = profile, measured, measured.trials_by_cell
        self._wiring = profile.sensing.wiring
        self._is_hall = profile.sensing.kind == "hall"
        self._cells, self._wires = get_grid(profile.size).cells, sensor_wires(profile)
        self._number = {cell: input_number for input_number, cell in enumerate(self._cells)}
        self._idles = [idle_period for idle_period in (measured.idle_before, measured.idle_after) if idle_period]
        flip_counts = [idle_period.flip_counts for idle_period in self._idles] or [(0,) * len(self._cells)]
        self._most_flips = tuple(map(max, zip(*flip_counts, strict=True)))
        self._on = {input_number for idle_period in self._idles for input_number in idle_period.inputs_on}
        self._answers = {cell: self._find_answering_cell(cell) for cell in self._trials}
        self._profiled_above = not isinstance(self._wiring, AnalogWiring) or self._wiring.light > 0
        self._usual_swing, self._above = self._find_usual_swing()

    def _find_usual_swing(self) -> tuple[float, bool]:
        """How far a magnet moves most linear sensors, in counts, and whether light's pieces move most of them up."""
        swings = [cell_swing for cell in self._trials if abs(cell_swing := self._largest_swing(cell)) > NOISE_COUNTS]
        above_count = sum(cell_swing > 0 for cell_swing in swings)
        if len(swings) < MIN_LINEAR_SENSORS:
            return 0.0, self._profiled_above
        is_even = above_count * 2 == len(swings)
        return median(map(abs, swings)), self._profiled_above if is_even else above_count * 2 > len(swings)

    # The board

    def judge_board(self) -> Iterator[SetupFinding]:
        """Sensors that do not answer at all, a board that lies otherwise, and poles that are not the profile's."""
        if (trouble := self._measured.sensor_trouble) is not None:  # if the board knows, which chip it is
            chip_cells = sensor_chips(self._profile).items()
            dead_cells = next((its_cells for chip_name, its_cells in chip_cells if chip_name in trouble), ())
            yield self._make_finding("dead chip" if dead_cells else "not reached", dead_cells, trouble)
        yield from self._find_turned_board()
        if self._above != self._profiled_above:
            message = f"Most sensors read {'above' if self._above else 'below'} rest for light's pieces."
            yield self._make_finding("poles", (), message, WARNING)

    def _find_turned_board(self) -> Iterator[SetupFinding]:
        """Whether the cells answer as if the whole board were turned, mirrored, or its rows ran to and fro."""
        answers = {cell: other_cell for cell, other_cell in self._answers.items() if other_cell}
        wrong_cells = tuple(cell for cell, other_cell in answers.items() if other_cell != cell)
        if len(wrong_cells) < max(3, len(answers) // 3):
            return
        last, spot_of = self._profile.size - 1, get_grid(self._profile.size).cell_coordinates
        for finding_kind, as_if, turn in BOARD_TURNS:
            fits = sum(spot_of(other_cell) == turn(*spot_of(cell), last) for cell, other_cell in answers.items())
            if fits >= 0.9 * len(answers):
                message = f"The sensors answer as if {as_if}: {wrong_cells[0]} is read as {answers[wrong_cells[0]]}."
                yield self._make_finding(finding_kind, wrong_cells, message)
                return

    def find_cross_talk(self) -> list[SetupFinding]:
        """The sensors that answer for other cells as well."""
        cross_talk = []
        for cell in [cell for cell, answering_cell in self._answers.items() if answering_cell == cell]:
            last_trial, input_number = self._trials[cell][-1], self._number[cell]
            least_shared = max(1.0, 2 / 3 * last_trial.count_presses(input_number))
            for other_cell, other_input in self._number.items():
                is_restful = other_cell != cell and self._most_flips[other_input] < FLAPPING_CHANGES
                if is_restful and last_trial.count_shared_presses(input_number, other_input) >= least_shared:
                    message = f"{other_cell} answers too when {cell} is pressed ({self._wires[other_cell]})."
                    cross_talk.append(self._make_finding("cross-talk", (other_cell, cell), message))
        return cross_talk

    def find_unexamined(self, judged_cells: Collection[Cell]) -> SetupFinding | None:
        """The cells of which nothing can be said, but for those of which something is told already."""
        asked_cells = self._measured.asked_cells if self._measured.sensor_trouble else ()
        lost_cells = [cell for cell in asked_cells if cell not in self._trials]
        open_cells = [cell for cell in self._cells if cell not in judged_cells]
        found_cells = tuple(cell for cell in open_cells if cell in lost_cells or self._is_unanswered(cell))
        if not found_cells or (lost_cells and not judged_cells):
            return None  # nothing was reached at all, and that is told of the whole board
        message = f"{join_words(found_cells)} {'was' if len(found_cells) == 1 else 'were'} not examined"
        if lost_cells:
            message += ", since the sensors could not be read to the end."
            cure = "Mend that first; then run this step again."
            return SetupFinding(WARNING, "not examined", found_cells, message, "", cure)
        wanted_presses = max(press_trials[-1].wanted_presses for press_trials in self._trials.values())
        message += f": not pressed {wanted_presses} times in time, or skipped."
        return self._make_finding("not examined", found_cells, message, WARNING)

    # A cell

    def judge_cells(self, *, tell_elsewhere: bool) -> Iterator[SetupFinding]:
        """What is wrong with each cell; `tell_elsewhere`: whether it is to be told that another one answers."""
        for cell in self._cells:
            finding = next(chain(self._judge_rest(cell), self._judge_presses(cell, tell_elsewhere)), None)
            if finding and (finding.kind != "swapped" or self._number[cell] < self._number[finding.cells[1]]):
                yield finding  # what is true of two is told of the first

    def good_finding(self, cell: Cell) -> SetupFinding:
        """A cell with which nothing is wrong, and what was measured of it."""
        figures: dict[str, float] = {"presses": self._trials[cell][-1].count_presses(self._number[cell])}
        if not self._is_hall:
            figures |= self._bounce_figures(cell)
        if cell_swing := self._largest_swing(cell):
            figures["swing_counts"] = cell_swing
        diode_tried = not self._measured.ghosts_by_cell or cell in self._measured.ghosts_by_cell
        return SetupFinding(GOOD, "good", (cell,), "" if diode_tried else "Its diode was not tried.", figures=figures)

    def _judge_rest(self, cell: Cell) -> Iterator[SetupFinding]:
        """What a sensor feels by itself, and what a linear one feels of a magnet."""
        input_number, idle_before = self._number[cell], self._measured.idle_before
        if idle_before and input_number in idle_before.inputs_on:
            yield self._of_cell("stuck on", cell, f"{cell} {self._press_phrase} all the time")
        for idle in self._idles:
            if (flip_count := idle.flip_counts[input_number]) >= FLAPPING_CHANGES:
                message = f"{cell} changed {flip_count} times in {idle.seconds:.0f} seconds while nobody touched it"
                yield self._of_cell("flapping", cell, message, changes_per_second=flip_count / idle.seconds)
        yield from self._judge_magnet(cell)
        if input_number in self._on:
            message = f"{cell} {self._press_phrase} still, though nobody touches it any more"
            yield self._of_cell("stuck on", cell, message)

    def _judge_magnet(self, cell: Cell) -> Iterator[SetupFinding]:
        """Whether a linear sensor feels the wrong pole, hardly any, or one where there is none."""
        wiring, idle, idle_after = self._wiring, self._measured.idle_before, self._measured.idle_after
        if not isinstance(wiring, AnalogWiring):
            return
        input_number, cell_swing, usual_swing = self._number[cell], self._largest_swing(cell), self._usual_swing
        felt_magnet = abs(cell_swing) > NOISE_COUNTS and self._answers[cell] in (None, cell)
        enough_counts = max(WEAK_SHARE * usual_swing, float(wiring.on))
        if felt_magnet and (cell_swing > 0) != self._above:
            message = f"{cell} goes the other way than it should, by {cell_swing:+.0f} counts"
            yield self._of_cell("reversed", cell, message, swing_counts=cell_swing, usual_counts=usual_swing)
        if felt_magnet and abs(cell_swing) < enough_counts:
            message = f"{cell} moves by {abs(cell_swing):.0f} counts only, and {enough_counts:.0f} are wanted"
            yield self._of_cell("weak", cell, message, swing_counts=cell_swing, usual_counts=usual_swing)
        if idle is None or (cell in self._trials and not felt_magnet):
            return
        if (noise_counts := idle.count_spreads[input_number]) >= NOISE_COUNTS:
            message = f"{cell} trembles by {noise_counts} counts at rest"
            yield self._of_cell("noise", cell, message, WARNING, noise_counts=noise_counts)
        crept_counts = idle_after.rest_counts[input_number] - idle.rest_counts[input_number] if idle_after else 0.0
        if abs(crept_counts) >= DRIFT_COUNTS:
            message = f"What {cell} reads at rest crept by {crept_counts:+.0f} counts meanwhile"
            yield self._of_cell("drift", cell, message, WARNING, drift_counts=crept_counts)

    def _judge_presses(self, cell: Cell, tell_elsewhere: bool) -> Iterator[SetupFinding]:
        """Whether a sensor answers, and it alone; then what is not as good as it might be."""
        wiring, idle_before, other_cell = self._wiring, self._measured.idle_before, self._answers.get(cell) or cell
        if cell in self._trials and other_cell == cell and not self._is_unanswered(cell):
            yield from self._judge_silence(cell)
        if tell_elsewhere and other_cell != cell:
            message = f"When {cell} is pressed, {other_cell} answers"
            if self._answers.get(other_cell) == cell:
                message += f", and the other way round ({self._wires[cell]}; {self._wires[other_cell]})."
                yield self._make_finding("swapped", (cell, other_cell), message)
            yield self._make_finding("elsewhere", (cell, other_cell), f"{message} ({self._wires[other_cell]}).")
        if isinstance(wiring, AnalogWiring) and idle_before:
            rest_count = idle_before.rest_counts[self._number[cell]]
            if abs(rest_count - wiring.rest[cell]) > OFF_CENTRE_SHARE * wiring.on:
                message = f"{cell} rests at {rest_count:.0f} counts, and the profile says {wiring.rest[cell]}."
                yield self._make_finding("off centre", (cell,), message, WARNING, rest_counts=rest_count)
        if self._measured.ghosts_by_cell.get(cell):
            three_corners = "With three corners of a rectangle pressed the fourth answered too"
            yield self._of_cell("missing diode", cell, f"{three_corners}: current runs back through {cell}")
        figures = self._bounce_figures(cell) if cell in self._trials and not self._is_hall else {"chatter_ms": 0.0}
        if figures["chatter_ms"] > LONG_BOUNCE_SECONDS * 1000:
            message = f"The contact of {cell} took {figures['chatter_ms']:.0f} ms to be stable"
            yield self._of_cell("long bounce", cell, message, WARNING, **figures)

    def _judge_silence(self, cell: Cell) -> Iterator[SetupFinding]:
        """Whether presses were not felt, as somebody says who pressed."""
        trials = self._trials[cell]
        felt, wanted = [trial.count_presses(self._number[cell]) for trial in trials], trials[-1].wanted_presses
        if not any(felt):
            yield self._of_cell("never", cell, f"{cell} was asked for and nothing answered")
        elif felt[-1] < wanted:
            first, last = ({0: "not at all", 1: "once", 2: "twice"}.get(n, f"{n} times") for n in (felt[0], felt[-1]))
            message = f"{cell} was asked for {wanted} presses and answered {first}"
            message += f"; asked once more, it answered {last}" if len(felt) > 1 else ""
            yield self._of_cell("stuck off", cell, message, presses=max(felt))

    # What was measured

    def _is_unanswered(self, cell: Cell) -> bool:
        """Whether presses are missing, and nobody says that there were any."""
        if self._answers.get(cell, "") not in (None, cell):
            return False
        press_trials, input_number = self._trials[cell], self._number[cell]
        missing_trials = [trial for trial in press_trials if trial.count_presses(input_number) < trial.wanted_presses]
        return press_trials[-1] in missing_trials and not any(trial.confirmed for trial in missing_trials)

    def _find_answering_cell(self, cell: Cell) -> Cell | None:
        """The cell that answered when this one was asked for: itself, if it did more than once; else who did most.

        One press may be one too many for the cell before, or a slip of the finger.
        """
        press_trials, own = self._trials[cell], self._number[cell]
        if max(trial.count_presses(own) for trial in press_trials) > 1:
            return cell
        noisy = self._on | {number for number, flips in enumerate(self._most_flips) if flips >= FLAPPING_CHANGES}
        for trial in reversed(press_trials):
            best = max((n for n in trial.presses_by_input if n not in noisy), key=trial.count_presses, default=own)
            if trial.count_presses(best) > 1:
                return self._cells[best]
        return None

    def _bounce_figures(self, cell: Cell) -> dict[str, float]:
        longest = max(trial.longest_bounce for trial in self._trials[cell])
        return {"chatter_ms": longest * 1000, "bounces": max(trial.most_bounces for trial in self._trials[cell])}

    def _largest_swing(self, cell: Cell) -> float:
        """How far a magnet moved a linear sensor at the most, in counts; 0 for others."""
        felt_swings = (trial.swings_by_input.get(self._number[cell], 0.0) for trial in self._trials.get(cell, ()))
        return max(felt_swings, key=abs, default=0.0)

    @property
    def _press_phrase(self) -> str:
        return "feels a piece" if self._is_hall else "is pressed"

    def _make_finding(
        self, finding_kind: str, its_cells: tuple[Cell, ...], message: str, grade: str = FAULT, **figures: float
    ) -> SetupFinding:
        remedy = find_remedy(finding_kind, self._profile.sensing.kind)
        return SetupFinding(grade, finding_kind, its_cells, message, *remedy, figures)

    def _of_cell(self, kind: str, cell: Cell, message: str, grade: str = FAULT, **figures: float) -> SetupFinding:
        """A finding about one cell; the sentence ends with where its wire goes."""
        return self._make_finding(kind, (cell,), f"{message} ({self._wires[cell]}).", grade, **figures)
