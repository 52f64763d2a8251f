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

from pond_hw.profile.board_profile import Analog, Profile
from pond_hw.profile.faults import listed
from pond_hw.profile.soldered_wires import chips, wired_to
from pond_hw.rules import Cell, grid
from pond_hw.setup import remedies
from pond_hw.setup.findings_page import about
from pond_hw.setup.remedies import TURNED
from pond_hw.setup.sensor_trial import Idle, Trial
from pond_hw.setup.step import FAULT, GOOD, WARNING, Finding

FLAPS = 2
"""Changes in an idle time that are too many."""

LONG_BOUNCE = 0.010
"""Seconds after which a good contact has been stable for long."""

WEAK = 0.6
"""A linear sensor that moves by less than this share of what is usual on its board is weak."""

FEW = 3
"""With fewer linear sensors than this, what is usual is what the profile says."""

CREEPS = 12
"""Counts by which the rest of a linear sensor may differ after a few minutes."""

TREMBLES = 20
"""Counts between the least and the greatest that a linear sensor may read at rest."""

OFF_REST = 0.4
"""The share of `on` by which a linear sensor may rest away from where the profile says."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that was measured on a board.

    Attributes:
        before: the idle time at the beginning; None if it was not got to.
        trials: for each cell that was asked for what came of it, the first trial first.
        after: the idle time at the end.
        ghosts: in a matrix, the cells whose diode was tried, and whether the fourth corner answered.
        trouble: what the board said when its sensors were not reached; None if they were.
        asked: the cells that were to be examined.
    """

    before: Idle | None = None
    trials: Mapping[Cell, tuple[Trial, ...]] = field(default_factory=dict)
    after: Idle | None = None
    ghosts: Mapping[Cell, bool] = field(default_factory=dict)
    trouble: str | None = None
    asked: tuple[Cell, ...] = ()


def verdicts(profile: Profile, measured: Measured) -> tuple[Finding, ...]:
    """What is to be said of each cell that was measured, and of the board: what is wrong first, then what is good."""
    judge = _Judge(profile, measured)
    whole = [finding for finding in (judge.not_reached(), judge.turned(), judge.poles()) if finding]
    turned = any(finding.kind in TURNED for finding in whole)
    bad = [*whole, *judge.cells(elsewhere=not turned), *judge.cross_talk()]
    told = {cell for finding in bad for cell in about(finding)}
    if unknown := judge.not_examined(told):
        bad.append(unknown)
        told |= {*unknown.cells}
    good = [judge.good(cell) for cell in measured.trials if cell not in told]
    return tuple(sorted((*bad, *good), key=lambda finding: (FAULT, WARNING, GOOD).index(finding.grade)))


class _Judge:
    """Holds what was measured on one cell against what was measured on the others."""

    def __init__(self, profile: Profile, measured: Measured) -> None:
        self._profile, self._measured = profile, measured
        self._cells = grid(profile.size).cells
        self._number = {cell: number for number, cell in enumerate(self._cells)}
        none = (0,) * len(self._cells)
        before, after = [idle.flips if idle else none for idle in (measured.before, measured.after)]
        self._flaps = tuple(map(max, before, after))
        self._on = {n for idle in (measured.before, measured.after) if idle for n in idle.on}
        self._answers = {cell: self._answer(cell) for cell in measured.trials}
        swings = [swing for cell in self._answers if abs(swing := self._swing(cell)) > TREMBLES]
        self._usual = median(map(abs, swings)) if len(swings) >= FEW else 0.0
        wiring = profile.sensing.wiring
        self._profiled_above = not isinstance(wiring, Analog) or wiring.light > 0
        above = sum(swing > 0 for swing in swings)
        alike = len(swings) >= FEW and above * 2 != len(swings)
        self._above = above * 2 > len(swings) if alike else self._profiled_above

    def not_reached(self) -> Finding | None:
        """What is to be said when the sensors do not answer at all: which chip it is, if the board knows."""
        trouble = self._measured.trouble
        if trouble is None:
            return None
        for chip, cells in chips(self._profile).items():
            if chip in trouble:
                return self._finding(FAULT, remedies.DEAD_CHIP, cells, trouble)
        return self._finding(FAULT, remedies.NOT_REACHED, (), trouble)

    def cells(self, *, elsewhere: bool) -> list[Finding]:
        """What is wrong with each cell; `elsewhere`: whether it is to be told that another one answers."""
        found = [each for cell in self._cells if (each := self._verdict(cell, elsewhere=elsewhere))]
        swapped = {each.cells for each in found if each.kind == remedies.SWAPPED}
        return [each for each in found if each.cells not in swapped or self._in_order(each.cells)]

    def poles(self) -> Finding | None:
        """Whether linear sensors feel the other pole than the profile says, nearly all of them."""
        if self._above == self._profiled_above:
            return None
        way = "above" if self._above else "below"
        return self._finding(WARNING, remedies.POLES, (), f"Most sensors read {way} rest for light's pieces.")

    def turned(self) -> Finding | None:
        """Whether the cells answer as if the whole board were turned, mirrored, or its rows ran to and fro."""
        answers = {cell: other for cell, other in self._answers.items() if other}
        wrong = [cell for cell, other in answers.items() if other != cell]
        if len(wrong) < max(3, len(answers) // 3):
            return None
        for kind, told, goes in _turns(self._profile.size):
            fits = sum(self._number[other] == goes[self._number[cell]] for cell, other in answers.items())
            if fits >= 0.9 * len(answers):
                one = f"{wrong[0]} is read as {answers[wrong[0]]}"
                return self._finding(FAULT, kind, tuple(wrong), f"The sensors answer as if {told}: {one}.")
        return None

    def cross_talk(self) -> list[Finding]:
        """The sensors that answer for other cells as well."""
        found = []
        for cell, trials in self._measured.trials.items():
            last, number = trials[-1], self._number[cell]
            if self._answers[cell] != cell:
                continue
            least = max(1.0, 2 / 3 * last.answered(number))
            for other in self._cells:
                also = self._number[other]
                if other != cell and self._flaps[also] < FLAPS and last.along(number, also) >= least:
                    told = f"{other} answers too when {cell} is pressed ({self._wire(other)})."
                    found.append(self._finding(FAULT, remedies.CROSS_TALK, (other, cell), told))
        return found

    def not_examined(self, told: Collection[Cell]) -> Finding | None:
        """The cells of which nothing can be said, but for those of which something is told already."""
        trouble = self._measured.trouble
        lost = [cell for cell in self._measured.asked if cell not in self._measured.trials] if trouble else []
        cells = tuple(cell for cell in self._cells if cell not in told and (cell in lost or self._unanswered(cell)))
        if not cells or (lost and not told):
            return None  # nothing was reached at all, and that is told of the whole board
        verb = "was" if len(cells) == 1 else "were"
        if lost:
            why = f"{listed(cells)} {verb} not examined, since the sensors could not be read to the end."
            return Finding(WARNING, remedies.NOT_EXAMINED, cells, why, "", "Mend that first; then run this step again.")
        why = f"{listed(cells)} {verb} not examined: not pressed {self._wanted} times in time, or skipped."
        return self._finding(WARNING, remedies.NOT_EXAMINED, cells, why)

    @property
    def _wanted(self) -> int:
        return max(trials[-1].wanted for trials in self._measured.trials.values())

    def _unanswered(self, cell: Cell) -> bool:
        """Whether presses are missing, and nobody says that there were any."""
        if cell not in self._answers or self._answers[cell] not in (None, cell):
            return False
        trials, number = self._measured.trials[cell], self._number[cell]
        if trials[-1].answered(number) >= trials[-1].wanted:
            return False
        return not any(trial.confirmed for trial in trials if trial.answered(number) < trial.wanted)

    def good(self, cell: Cell) -> Finding:
        """A cell with which nothing is wrong, and what was measured of it."""
        figures: dict[str, float] = {"presses": self._measured.trials[cell][-1].answered(self._number[cell])}
        if self._profile.sensing.kind == "button":
            figures |= self._bounce(cell)
        if swing := self._swing(cell):
            figures["swing_counts"] = swing
        tried = not self._measured.ghosts or cell in self._measured.ghosts
        return Finding(GOOD, "good", (cell,), "" if tried else "Its diode was not tried.", figures=figures)

    def _verdict(self, cell: Cell, *, elsewhere: bool) -> Finding | None:
        return (
            self._idle_fault(cell)
            or self._pole(cell)
            or self._restless(cell)
            or self._hangs(cell)
            or self._silent(cell)
            or (self._elsewhere(cell) if elsewhere else None)
            or self._off_centre(cell)
            or self._no_diode(cell)
            or self._slow(cell)
        )

    def _idle_fault(self, cell: Cell) -> Finding | None:
        number, idles = self._number[cell], (self._measured.before, self._measured.after)
        if idles[0] and number in idles[0].on:
            return self._of_cell(FAULT, remedies.STUCK_ON, cell, f"{cell} {self._feels} all the time")
        for idle in idles:
            if idle and (flips := idle.flips[number]) >= FLAPS:
                told = f"{cell} changed {flips} times in {idle.seconds:.0f} seconds while nobody touched it"
                figures = {"changes_per_second": flips / idle.seconds}
                return self._of_cell(FAULT, remedies.FLAPPING, cell, told, figures)
        return None

    def _in_order(self, cells: Sequence[Cell]) -> bool:
        return [*cells] == sorted(cells, key=self._number.__getitem__)

    def _pole(self, cell: Cell) -> Finding | None:
        """Whether a linear sensor feels the wrong pole, or hardly any."""
        wiring, swing = self._profile.sensing.wiring, self._swing(cell)
        if not isinstance(wiring, Analog) or not self._moved(cell):
            return None
        enough = max(WEAK * self._usual, float(wiring.on))
        figures = {"swing_counts": swing, "usual_counts": self._usual}
        if (swing > 0) != self._above:
            told = f"{cell} goes the other way than it should, by {swing:+.0f} counts"
            return self._of_cell(FAULT, remedies.REVERSED, cell, told, figures)
        if abs(swing) < enough:
            told = f"{cell} moves by {abs(swing):.0f} counts only, and {enough:.0f} are wanted"
            return self._of_cell(FAULT, remedies.WEAK, cell, told, figures)
        return None

    def _moved(self, cell: Cell) -> bool:
        """Whether a magnet was felt by the linear sensor of a cell, and not by that of another one in its place."""
        return abs(self._swing(cell)) > TREMBLES and self._answers[cell] in (None, cell)

    def _restless(self, cell: Cell) -> Finding | None:
        """Whether a linear sensor that feels magnets does not hold still without one."""
        idle, after, number = self._measured.before, self._measured.after, self._number[cell]
        asked = cell in self._measured.trials
        if not isinstance(self._profile.sensing.wiring, Analog) or idle is None or (asked and not self._moved(cell)):
            return None
        if (noise := idle.swing[number]) >= TREMBLES:
            told = f"{cell} trembles by {noise} counts at rest"
            return self._of_cell(WARNING, remedies.NOISE, cell, told, {"noise_counts": noise})
        crept = after.rest[number] - idle.rest[number] if after else 0.0
        if abs(crept) >= CREEPS:
            told = f"What {cell} reads at rest crept by {crept:+.0f} counts meanwhile"
            return self._of_cell(WARNING, remedies.DRIFT, cell, told, {"drift_counts": crept})
        return None

    def _off_centre(self, cell: Cell) -> Finding | None:
        """Whether a linear sensor rests elsewhere than the profile says."""
        wiring, idle, number = self._profile.sensing.wiring, self._measured.before, self._number[cell]
        if not isinstance(wiring, Analog) or idle is None:
            return None
        rest = idle.rest[number]
        if abs(rest - wiring.rest[cell]) > OFF_REST * wiring.on:
            told = f"{cell} rests at {rest:.0f} counts, and the profile says {wiring.rest[cell]}."
            return self._finding(WARNING, remedies.OFF_CENTRE, (cell,), told, {"rest_counts": rest})
        return None

    def _hangs(self, cell: Cell) -> Finding | None:
        """Whether a sensor did not let go any more."""
        if self._number[cell] not in self._on:
            return None
        told = f"{cell} {self._feels} still, though nobody touches it any more"
        return self._of_cell(FAULT, remedies.STUCK_ON, cell, told)

    def _silent(self, cell: Cell) -> Finding | None:
        if cell not in self._answers or self._answers[cell] not in (None, cell) or self._unanswered(cell):
            return None
        trials = self._measured.trials[cell]
        felt = [trial.answered(self._number[cell]) for trial in trials]
        if not any(felt):
            return self._of_cell(FAULT, remedies.NEVER, cell, f"{cell} was asked for and nothing answered")
        if felt[-1] >= trials[-1].wanted:
            return None
        told = f"{cell} was asked for {trials[-1].wanted} presses and answered {_times(felt[0])}"
        told += f"; asked once more, it answered {_times(felt[-1])}" if len(felt) > 1 else ""
        return self._of_cell(FAULT, remedies.STUCK_OFF, cell, told, {"presses": max(felt)})

    def _elsewhere(self, cell: Cell) -> Finding | None:
        other = self._answers.get(cell)
        if other in (None, cell):
            return None
        assert other
        told = f"When {cell} is pressed, {other} answers"
        if self._answers.get(other) == cell:
            wires = f"{self._wire(cell)}; {self._wire(other)}"
            told = f"{told}, and the other way round ({wires})."
            return self._finding(FAULT, remedies.SWAPPED, (cell, other), told)
        return self._finding(FAULT, remedies.ELSEWHERE, (cell, other), f"{told} ({self._wire(other)}).")

    def _no_diode(self, cell: Cell) -> Finding | None:
        if not self._measured.ghosts.get(cell):
            return None
        told = f"With three corners of a rectangle pressed the fourth answered too: current runs back through {cell}"
        return self._of_cell(FAULT, remedies.NO_DIODE, cell, told)

    def _slow(self, cell: Cell) -> Finding | None:
        figures = self._bounce(cell) if cell in self._answers and not self._halls else {"chatter_ms": 0.0}
        if figures["chatter_ms"] <= LONG_BOUNCE * 1000:
            return None
        told = f"The contact of {cell} took {figures['chatter_ms']:.0f} ms to be stable"
        return self._of_cell(WARNING, remedies.LONG_BOUNCE, cell, told, figures)

    def _answer(self, cell: Cell) -> Cell | None:
        """The cell that answered when this one was asked for: itself, if it did more than once; else who did most.

        One press may be one too many for the cell before, or a slip of the finger.
        """
        trials, own = self._measured.trials[cell], self._number[cell]
        if max(trial.answered(own) for trial in trials) > 1:
            return cell
        for trial in reversed(trials):
            others = [number for number in trial.presses if self._flaps[number] < FLAPS and number not in self._on]
            best = max(others, key=trial.answered, default=own)
            if trial.answered(best) > 1:
                return self._cells[best]
        return None

    def _bounce(self, cell: Cell) -> dict[str, float]:
        trials = self._measured.trials[cell]
        return {
            "chatter_ms": max(trial.chatter for trial in trials) * 1000,
            "bounces": max(trial.bounces for trial in trials),
        }

    def _swing(self, cell: Cell) -> float:
        """How far a magnet moved a linear sensor at the most, in counts; 0 for others."""
        swings = [trial.swings.get(self._number[cell], 0.0) for trial in self._measured.trials.get(cell, ())]
        return max(swings, key=abs, default=0.0)

    @property
    def _feels(self) -> str:
        return "feels a piece" if self._halls else "is pressed"

    @property
    def _halls(self) -> bool:
        return self._profile.sensing.kind == "hall"

    def _wire(self, cell: Cell) -> str:
        return self._wires[cell]

    @cached_property
    def _wires(self) -> dict[Cell, str]:
        return wired_to(self._profile)

    def _finding(
        self, grade: str, kind: str, cells: tuple[Cell, ...], told: str, figures: Mapping[str, float] | None = None
    ) -> Finding:
        return Finding(grade, kind, cells, told, *remedies.remedy(kind, self._profile.sensing.kind), figures or {})

    def _of_cell(
        self, grade: str, kind: str, cell: Cell, told: str, figures: Mapping[str, float] | None = None
    ) -> Finding:
        """A finding about one cell; the sentence ends with where its wire goes."""
        return self._finding(grade, kind, (cell,), f"{told} ({self._wire(cell)}).", figures)


def _times(number: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(number, f"{number} times")


def _turns(size: int) -> list[tuple[str, str, tuple[int, ...]]]:
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
