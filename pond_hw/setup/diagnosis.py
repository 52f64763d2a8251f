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

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from pond_hw.profile.board_profile import AnalogWiring, Profile
from pond_hw.profile.faults import join_words
from pond_hw.profile.soldered_wires import sensor_chips, sensor_wires
from pond_hw.rules import Cell, get_grid
from pond_hw.setup import remedies
from pond_hw.setup.findings_page import faulty_cells
from pond_hw.setup.remedies import TURNED_KINDS
from pond_hw.setup.sensor_trial import IdlePeriod, PressTrial
from pond_hw.setup.step import FAULT, GOOD, WARNING, SetupFinding

FLAPPING_CHANGES = 2
"""Changes in an idle time that are too many."""

LONG_BOUNCE_SECONDS = 0.010
"""Seconds after which a good contact has been stable for long."""

WEAK_SHARE = 0.6
"""A linear sensor that moves by less than this share of what is usual on its board is weak."""

MIN_LINEAR_SENSORS = 3
"""With fewer linear sensors than this, what is usual is what the profile says."""

DRIFT_COUNTS = 12
"""Counts by which the rest of a linear sensor may differ after a few minutes."""

NOISE_COUNTS = 20
"""Counts between the least and the greatest that a linear sensor may read at rest."""

OFF_CENTRE_SHARE = 0.4
"""The share of `on` by which a linear sensor may rest away from where the profile says."""


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


def diagnose_sensors(profile: Profile, measured: BoardMeasurements) -> tuple[SetupFinding, ...]:
    """What is to be said of each cell that was measured, and of the board: what is wrong first, then what is good."""
    judge = _SensorDiagnosis(profile, measured)
    whole = [
        finding for finding in (judge.find_unreached(), judge.find_turned_board(), judge.find_wrong_poles()) if finding
    ]
    turned = any(finding.kind in TURNED_KINDS for finding in whole)
    bad = [*whole, *judge.find_cell_faults(elsewhere=not turned), *judge.find_cross_talk()]
    told = {cell for finding in bad for cell in faulty_cells(finding)}
    if unknown := judge.find_unexamined(told):
        bad.append(unknown)
        told |= {*unknown.cells}
    good = [judge.good_finding(cell) for cell in measured.trials_by_cell if cell not in told]
    return tuple(sorted((*bad, *good), key=lambda finding: (FAULT, WARNING, GOOD).index(finding.grade)))


class _SensorDiagnosis:
    """Holds what was measured on one cell against what was measured on the others."""

    def __init__(self, profile: Profile, measured: BoardMeasurements) -> None:
        self._profile, self._measured = profile, measured
        self._cells = get_grid(profile.size).cells
        self._number = {cell: number for number, cell in enumerate(self._cells)}
        none = (0,) * len(self._cells)
        before, after = [idle.flip_counts if idle else none for idle in (measured.idle_before, measured.idle_after)]
        self._flaps = tuple(map(max, before, after))
        self._on = {n for idle in (measured.idle_before, measured.idle_after) if idle for n in idle.inputs_on}
        self._answers = {cell: self._find_answering_cell(cell) for cell in measured.trials_by_cell}
        swings = [swing for cell in self._answers if abs(swing := self._largest_swing(cell)) > NOISE_COUNTS]
        self._usual = median(map(abs, swings)) if len(swings) >= MIN_LINEAR_SENSORS else 0.0
        wiring = profile.sensing.wiring
        self._profiled_above = not isinstance(wiring, AnalogWiring) or wiring.light > 0
        above = sum(swing > 0 for swing in swings)
        alike = len(swings) >= MIN_LINEAR_SENSORS and above * 2 != len(swings)
        self._above = above * 2 > len(swings) if alike else self._profiled_above

    def find_unreached(self) -> SetupFinding | None:
        """What is to be said when the sensors do not answer at all: which chip it is, if the board knows."""
        trouble = self._measured.sensor_trouble
        if trouble is None:
            return None
        for chip, cells in sensor_chips(self._profile).items():
            if chip in trouble:
                return self._make_finding(FAULT, remedies.DEAD_CHIP, cells, trouble)
        return self._make_finding(FAULT, remedies.NOT_REACHED, (), trouble)

    def find_cell_faults(self, *, elsewhere: bool) -> list[SetupFinding]:
        """What is wrong with each cell; `elsewhere`: whether it is to be told that another one answers."""
        found = [each for cell in self._cells if (each := self._find_cell_fault(cell, elsewhere=elsewhere))]
        swapped = {each.cells for each in found if each.kind == remedies.SWAPPED}
        return [each for each in found if each.cells not in swapped or self._are_ordered(each.cells)]

    def find_wrong_poles(self) -> SetupFinding | None:
        """Whether linear sensors feel the other pole than the profile says, nearly all of them."""
        if self._above == self._profiled_above:
            return None
        way = "above" if self._above else "below"
        return self._make_finding(WARNING, remedies.POLES, (), f"Most sensors read {way} rest for light's pieces.")

    def find_turned_board(self) -> SetupFinding | None:
        """Whether the cells answer as if the whole board were turned, mirrored, or its rows ran to and fro."""
        answers = {cell: other for cell, other in self._answers.items() if other}
        wrong = [cell for cell, other in answers.items() if other != cell]
        if len(wrong) < max(3, len(answers) // 3):
            return None
        for kind, told, goes in _list_turns(self._profile.size):
            fits = sum(self._number[other] == goes[self._number[cell]] for cell, other in answers.items())
            if fits >= 0.9 * len(answers):
                one = f"{wrong[0]} is read as {answers[wrong[0]]}"
                return self._make_finding(FAULT, kind, tuple(wrong), f"The sensors answer as if {told}: {one}.")
        return None

    def find_cross_talk(self) -> list[SetupFinding]:
        """The sensors that answer for other cells as well."""
        found = []
        for cell, trials in self._measured.trials_by_cell.items():
            last, number = trials[-1], self._number[cell]
            if self._answers[cell] != cell:
                continue
            least = max(1.0, 2 / 3 * last.count_presses(number))
            for other in self._cells:
                also = self._number[other]
                if (
                    other != cell
                    and self._flaps[also] < FLAPPING_CHANGES
                    and last.count_shared_presses(number, also) >= least
                ):
                    told = f"{other} answers too when {cell} is pressed ({self._describe_wire(other)})."
                    found.append(self._make_finding(FAULT, remedies.CROSS_TALK, (other, cell), told))
        return found

    def find_unexamined(self, told: Collection[Cell]) -> SetupFinding | None:
        """The cells of which nothing can be said, but for those of which something is told already."""
        trouble = self._measured.sensor_trouble
        lost = (
            [cell for cell in self._measured.asked_cells if cell not in self._measured.trials_by_cell]
            if trouble
            else []
        )
        cells = tuple(cell for cell in self._cells if cell not in told and (cell in lost or self._is_unanswered(cell)))
        if not cells or (lost and not told):
            return None  # nothing was reached at all, and that is told of the whole board
        verb = "was" if len(cells) == 1 else "were"
        if lost:
            why = f"{join_words(cells)} {verb} not examined, since the sensors could not be read to the end."
            return SetupFinding(
                WARNING, remedies.NOT_EXAMINED, cells, why, "", "Mend that first; then run this step again."
            )
        why = f"{join_words(cells)} {verb} not examined: not pressed {self._wanted_presses} times in time, or skipped."
        return self._make_finding(WARNING, remedies.NOT_EXAMINED, cells, why)

    @property
    def _wanted_presses(self) -> int:
        return max(trials[-1].wanted_presses for trials in self._measured.trials_by_cell.values())

    def _is_unanswered(self, cell: Cell) -> bool:
        """Whether presses are missing, and nobody says that there were any."""
        if cell not in self._answers or self._answers[cell] not in (None, cell):
            return False
        trials, number = self._measured.trials_by_cell[cell], self._number[cell]
        if trials[-1].count_presses(number) >= trials[-1].wanted_presses:
            return False
        return not any(trial.confirmed for trial in trials if trial.count_presses(number) < trial.wanted_presses)

    def good_finding(self, cell: Cell) -> SetupFinding:
        """A cell with which nothing is wrong, and what was measured of it."""
        figures: dict[str, float] = {
            "presses": self._measured.trials_by_cell[cell][-1].count_presses(self._number[cell])
        }
        if self._profile.sensing.kind == "button":
            figures |= self._bounce_figures(cell)
        if swing := self._largest_swing(cell):
            figures["swing_counts"] = swing
        tried = not self._measured.ghosts_by_cell or cell in self._measured.ghosts_by_cell
        return SetupFinding(GOOD, "good", (cell,), "" if tried else "Its diode was not tried.", figures=figures)

    def _find_cell_fault(self, cell: Cell, *, elsewhere: bool) -> SetupFinding | None:
        return (
            self._check_idle(cell)
            or self._check_pole(cell)
            or self._check_rest_noise(cell)
            or self._check_release(cell)
            or self._check_silence(cell)
            or (self._check_elsewhere(cell) if elsewhere else None)
            or self._check_rest_centre(cell)
            or self._check_diode(cell)
            or self._check_bounce(cell)
        )

    def _check_idle(self, cell: Cell) -> SetupFinding | None:
        number, idles = self._number[cell], (self._measured.idle_before, self._measured.idle_after)
        if idles[0] and number in idles[0].inputs_on:
            return self._of_cell(FAULT, remedies.STUCK_ON, cell, f"{cell} {self._press_phrase} all the time")
        for idle in idles:
            if idle and (flips := idle.flip_counts[number]) >= FLAPPING_CHANGES:
                told = f"{cell} changed {flips} times in {idle.seconds:.0f} seconds while nobody touched it"
                figures = {"changes_per_second": flips / idle.seconds}
                return self._of_cell(FAULT, remedies.FLAPPING, cell, told, figures)
        return None

    def _are_ordered(self, cells: Sequence[Cell]) -> bool:
        return [*cells] == sorted(cells, key=self._number.__getitem__)

    def _check_pole(self, cell: Cell) -> SetupFinding | None:
        """Whether a linear sensor feels the wrong pole, or hardly any."""
        wiring, swing = self._profile.sensing.wiring, self._largest_swing(cell)
        if not isinstance(wiring, AnalogWiring) or not self._felt_magnet(cell):
            return None
        enough = max(WEAK_SHARE * self._usual, float(wiring.on))
        figures = {"swing_counts": swing, "usual_counts": self._usual}
        if (swing > 0) != self._above:
            told = f"{cell} goes the other way than it should, by {swing:+.0f} counts"
            return self._of_cell(FAULT, remedies.REVERSED, cell, told, figures)
        if abs(swing) < enough:
            told = f"{cell} moves by {abs(swing):.0f} counts only, and {enough:.0f} are wanted"
            return self._of_cell(FAULT, remedies.WEAK, cell, told, figures)
        return None

    def _felt_magnet(self, cell: Cell) -> bool:
        """Whether a magnet was felt by the linear sensor of a cell, and not by that of another one in its place."""
        return abs(self._largest_swing(cell)) > NOISE_COUNTS and self._answers[cell] in (None, cell)

    def _check_rest_noise(self, cell: Cell) -> SetupFinding | None:
        """Whether a linear sensor that feels magnets does not hold still without one."""
        idle, after, number = self._measured.idle_before, self._measured.idle_after, self._number[cell]
        asked = cell in self._measured.trials_by_cell
        if (
            not isinstance(self._profile.sensing.wiring, AnalogWiring)
            or idle is None
            or (asked and not self._felt_magnet(cell))
        ):
            return None
        if (noise := idle.count_spreads[number]) >= NOISE_COUNTS:
            told = f"{cell} trembles by {noise} counts at rest"
            return self._of_cell(WARNING, remedies.NOISE, cell, told, {"noise_counts": noise})
        crept = after.rest_counts[number] - idle.rest_counts[number] if after else 0.0
        if abs(crept) >= DRIFT_COUNTS:
            told = f"What {cell} reads at rest crept by {crept:+.0f} counts meanwhile"
            return self._of_cell(WARNING, remedies.DRIFT, cell, told, {"drift_counts": crept})
        return None

    def _check_rest_centre(self, cell: Cell) -> SetupFinding | None:
        """Whether a linear sensor rests elsewhere than the profile says."""
        wiring, idle, number = self._profile.sensing.wiring, self._measured.idle_before, self._number[cell]
        if not isinstance(wiring, AnalogWiring) or idle is None:
            return None
        rest = idle.rest_counts[number]
        if abs(rest - wiring.rest[cell]) > OFF_CENTRE_SHARE * wiring.on:
            told = f"{cell} rests at {rest:.0f} counts, and the profile says {wiring.rest[cell]}."
            return self._make_finding(WARNING, remedies.OFF_CENTRE, (cell,), told, {"rest_counts": rest})
        return None

    def _check_release(self, cell: Cell) -> SetupFinding | None:
        """Whether a sensor did not let go any more."""
        if self._number[cell] not in self._on:
            return None
        told = f"{cell} {self._press_phrase} still, though nobody touches it any more"
        return self._of_cell(FAULT, remedies.STUCK_ON, cell, told)

    def _check_silence(self, cell: Cell) -> SetupFinding | None:
        if cell not in self._answers or self._answers[cell] not in (None, cell) or self._is_unanswered(cell):
            return None
        trials = self._measured.trials_by_cell[cell]
        felt = [trial.count_presses(self._number[cell]) for trial in trials]
        if not any(felt):
            return self._of_cell(FAULT, remedies.NEVER, cell, f"{cell} was asked for and nothing answered")
        if felt[-1] >= trials[-1].wanted_presses:
            return None
        told = f"{cell} was asked for {trials[-1].wanted_presses} presses and answered {_format_times(felt[0])}"
        told += f"; asked once more, it answered {_format_times(felt[-1])}" if len(felt) > 1 else ""
        return self._of_cell(FAULT, remedies.STUCK_OFF, cell, told, {"presses": max(felt)})

    def _check_elsewhere(self, cell: Cell) -> SetupFinding | None:
        other = self._answers.get(cell)
        if other in (None, cell):
            return None
        assert other
        told = f"When {cell} is pressed, {other} answers"
        if self._answers.get(other) == cell:
            wires = f"{self._describe_wire(cell)}; {self._describe_wire(other)}"
            told = f"{told}, and the other way round ({wires})."
            return self._make_finding(FAULT, remedies.SWAPPED, (cell, other), told)
        return self._make_finding(FAULT, remedies.ELSEWHERE, (cell, other), f"{told} ({self._describe_wire(other)}).")

    def _check_diode(self, cell: Cell) -> SetupFinding | None:
        if not self._measured.ghosts_by_cell.get(cell):
            return None
        told = f"With three corners of a rectangle pressed the fourth answered too: current runs back through {cell}"
        return self._of_cell(FAULT, remedies.NO_DIODE, cell, told)

    def _check_bounce(self, cell: Cell) -> SetupFinding | None:
        figures = self._bounce_figures(cell) if cell in self._answers and not self._is_hall else {"chatter_ms": 0.0}
        if figures["chatter_ms"] <= LONG_BOUNCE_SECONDS * 1000:
            return None
        told = f"The contact of {cell} took {figures['chatter_ms']:.0f} ms to be stable"
        return self._of_cell(WARNING, remedies.LONG_BOUNCE, cell, told, figures)

    def _find_answering_cell(self, cell: Cell) -> Cell | None:
        """The cell that answered when this one was asked for: itself, if it did more than once; else who did most.

        One press may be one too many for the cell before, or a slip of the finger.
        """
        trials, own = self._measured.trials_by_cell[cell], self._number[cell]
        if max(trial.count_presses(own) for trial in trials) > 1:
            return cell
        for trial in reversed(trials):
            others = [
                number
                for number in trial.presses_by_input
                if self._flaps[number] < FLAPPING_CHANGES and number not in self._on
            ]
            best = max(others, key=trial.count_presses, default=own)
            if trial.count_presses(best) > 1:
                return self._cells[best]
        return None

    def _bounce_figures(self, cell: Cell) -> dict[str, float]:
        trials = self._measured.trials_by_cell[cell]
        return {
            "chatter_ms": max(trial.longest_bounce for trial in trials) * 1000,
            "bounces": max(trial.most_bounces for trial in trials),
        }

    def _largest_swing(self, cell: Cell) -> float:
        """How far a magnet moved a linear sensor at the most, in counts; 0 for others."""
        swings = [
            trial.swings_by_input.get(self._number[cell], 0.0) for trial in self._measured.trials_by_cell.get(cell, ())
        ]
        return max(swings, key=abs, default=0.0)

    @property
    def _press_phrase(self) -> str:
        return "feels a piece" if self._is_hall else "is pressed"

    @property
    def _is_hall(self) -> bool:
        return self._profile.sensing.kind == "hall"

    def _describe_wire(self, cell: Cell) -> str:
        return self._wire_descriptions[cell]

    @cached_property
    def _wire_descriptions(self) -> dict[Cell, str]:
        return sensor_wires(self._profile)

    def _make_finding(
        self, grade: str, kind: str, cells: tuple[Cell, ...], told: str, figures: Mapping[str, float] | None = None
    ) -> SetupFinding:
        return SetupFinding(
            grade, kind, cells, told, *remedies.find_remedy(kind, self._profile.sensing.kind), figures or {}
        )

    def _of_cell(
        self, grade: str, kind: str, cell: Cell, told: str, figures: Mapping[str, float] | None = None
    ) -> SetupFinding:
        """A finding about one cell; the sentence ends with where its wire goes."""
        return self._make_finding(grade, kind, (cell,), f"{told} ({self._describe_wire(cell)}).", figures)


def _format_times(number: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(number, f"{number} times")


def _list_turns(size: int) -> list[tuple[str, str, tuple[int, ...]]]:
    """How a board may lie: the kind, what it is as if, and for each cell the one as which it is then read."""
    last = size - 1

    def as_if(to: Callable[[int, int], tuple[int, int]]) -> tuple[int, ...]:
        places = [to(number % size, number // size) for number in range(size * size)]
        return tuple(y * size + x for x, y in places)

    return [
        (remedies.ROTATED, "the board were turned by half", as_if(lambda x, y: (last - x, last - y))),
        (remedies.ROTATED, "the board were turned by a quarter to the left", as_if(lambda x, y: (y, last - x))),
        (remedies.ROTATED, "the board were turned by a quarter to the right", as_if(lambda x, y: (last - y, x))),
        (remedies.MIRRORED, "left and right were exchanged", as_if(lambda x, y: (last - x, y))),
        (remedies.MIRRORED, "top and bottom were exchanged", as_if(lambda x, y: (x, last - y))),
        (remedies.MIRRORED, "the board were mirrored at the diagonal from a1", as_if(lambda x, y: (y, x))),
        (remedies.MIRRORED, "the board were mirrored at the other diagonal", as_if(lambda x, y: (last - y, last - x))),
        (remedies.SERPENTINE, "every second row ran the other way", as_if(lambda x, y: (last - x if y % 2 else x, y))),
        (remedies.SERPENTINE, "every other row ran the other way", as_if(lambda x, y: (x if y % 2 else last - x, y))),
        (remedies.SERPENTINE, "every second column ran down", as_if(lambda x, y: (x, last - y if x % 2 else y))),
        (remedies.SERPENTINE, "every other column ran down", as_if(lambda x, y: (x, y if x % 2 else last - y))),
    ]
