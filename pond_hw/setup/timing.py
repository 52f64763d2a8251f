"""The step `timing`: the exercise, and then how long each sensor needs to be believed, from what was measured.

Cells that the step `sensors` has measured already are not asked for again, unless somebody wants it.

    debounce  half as long again as the longest chatter of that cell, and two readings; never below what its kind needs
    settle    twice the longest debounce of all, and a tenth of a second for a hand
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, inf

from pond_hw.board import RGB, Reading
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, grid
from pond_hw.setup.diagnosis import Measured, verdicts
from pond_hw.setup.findings_page import about
from pond_hw.setup.sensor_trial import Trial
from pond_hw.setup.sensor_walk import SensorWalk, restless
from pond_hw.setup.signal_log import Heard
from pond_hw.setup.step import FAULT, Choice, Event, Page, Reply, Result

LEAST_MS = {"button": 5, "hall": 20}
"""Milliseconds below which no debounce is proposed: a spike is as long."""

MOST_MS = {"button": 200, "hall": 1000}
"""What a profile allows."""

REACHES_MS = 100
"""Milliseconds that a hand needs from one cell to the next."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The step.

    Attributes:
        walk: the exercise.
        used: whether presses are used that were measured before.
        agreed: what was answered; None: nothing yet.
    """

    walk: SensorWalk
    used: bool = False
    agreed: bool | None = None

    @classmethod
    def start(cls, profile: Profile, at: float, measured: Measured | None = None) -> Timing:
        """Begin the exercise.

        Args:
            profile: the board.
            at: the instant, in seconds.
            measured: what was measured on the same wires before: of these cells nothing is asked.
        """
        walk = SensorWalk.start(profile, at, diodes=False)
        if measured is None:
            return cls(walk)
        known = {*measured.trials, *(walk.queue[number] for number in restless(measured.before))}
        left = tuple(cell for cell in walk.queue if cell not in known)
        if left:
            walk = SensorWalk.start(profile, at, left, diodes=False)
            return cls(replace(walk, measured=replace(walk.measured, trials=measured.trials)), used=True)
        return cls(replace(walk, phase="done", measured=measured, judged=verdicts(profile, measured)), used=True)

    @property
    def page(self) -> Page:
        """The exercise; then the numbers, and whether they are to be taken over."""
        if not self.walk.result:
            page = self.walk.page
            return Page("Timing", page.lines, page.asks, page.choices, page.done)
        drawn, anew = self._drawn, (Choice("r", "measure again"),) if self.used else ()
        if self.used:
            drawn = (*drawn, "These presses were measured by the step `sensors`.")
        if not self._debounce:
            asks = "Nothing could be measured. Mend the sensors first."
            return Page("Timing", drawn, asks, (Choice("n", "leave"), *anew))
        if not self._changes:
            return Page("Timing", drawn, "The profile is right as it is. Done?", (Choice("n", "leave"), *anew))
        return Page("Timing", drawn, "Take these times over?", (Choice("y", "yes"), Choice("n", "no"), *anew))

    @property
    def lit(self) -> Mapping[int, RGB]:
        """As in the exercise."""
        return self.walk.lit

    @property
    def due(self) -> float:
        """As in the exercise."""
        return inf if self.walk.result else self.walk.due

    @property
    def result(self) -> Result | None:
        """What was found, and what was agreed to."""
        if self.agreed is None or not self.walk.result:
            return None
        changes = self._changes if self.agreed else {}
        return Result(self.walk.result.findings, changes, f"timing: {', '.join(changes)}" if changes else "")

    def after(self, event: Event) -> Timing:
        """The step after an event."""
        if self.agreed is not None:
            return self
        if not self.walk.result:
            return replace(self, walk=self.walk.after(event))
        if isinstance(event, Reading):  # for when somebody wants it measured again
            return replace(self, walk=replace(self.walk, heard=Heard().after(event)))
        match event:
            case Reply("y") if self._changes:
                return replace(self, agreed=True)
            case Reply("n"):
                return replace(self, agreed=False)
            case Reply("r", at) if self.used:
                return Timing.start(self._profile, at)._after_last(self.walk)
        return self

    def _after_last(self, walk: SensorWalk) -> Timing:
        """The same, told what was read last: sensors say nothing until that changes."""
        last = walk.heard.last
        return self.after(last._replace(at=self.walk.since)) if last else self

    @property
    def _profile(self) -> Profile:
        return self.walk.profile

    @property
    def _debounce(self) -> dict[Cell, int]:
        """For each cell that was measured the time to be proposed, in milliseconds."""
        sensing, faulty = self._profile.sensing, self._faulty
        return {
            cell: debounce_for(trials, sensing.kind, sensing.scans)
            for cell, trials in self.walk.measured.trials.items()
            if cell not in faulty and any(trial.edges for trial in trials)
        }

    @property
    def _faulty(self) -> frozenset[Cell]:
        """The cells from which nothing can be learned: their sensors are faulty, or are others than it is thought."""
        findings = self.walk.result.findings if self.walk.result else ()
        return frozenset(cell for finding in findings if finding.grade == FAULT for cell in about(finding))

    @property
    def _changes(self) -> dict[str, object]:
        sensing, proposed = self._profile.sensing, self._debounce
        if not proposed:
            return {}
        longest = max(proposed.values())
        wanted = {cell: proposed.get(cell, longest) for cell in grid(self._profile.size).cells}
        changes: dict[str, object] = {}
        if any(round(sensing.holds[cell] * 1000) != wanted[cell] for cell in wanted):
            rows = grid(self._profile.size).rows
            changes["sensors.debounce_ms"] = "\n".join("  ".join(f"{wanted[cell]:>3}" for cell in row) for row in rows)
        settle = max(100, 2 * longest + REACHES_MS)
        if sensing.kind == "hall" and settle != round(sensing.settle * 1000):
            changes["sensors.settle_ms"] = settle
        return changes

    @property
    def _drawn(self) -> tuple[str, ...]:
        """For each cell the longest chatter, and the time that is proposed."""
        measured, proposed = self.walk.measured.trials, self._debounce
        chatter = {cell: max(trial.chatter for trial in trials) * 1000 for cell, trials in measured.items()}
        lines = ["Longest chatter -> debounce, in ms:"]
        for row in grid(self._profile.size).rows:
            words = [f"{chatter[cell]:.0f} -> {proposed[cell]}" if cell in proposed else "." for cell in row]
            lines.append("".join(f"{word:<12}" for word in words).rstrip())
        sensing = self._profile.sensing
        lines += ["", f"The profile says {sensing.debounce * 1000:.0f} ms at the most."]
        if "sensors.settle_ms" in self._changes:
            lines.append(f"Settle: {self._changes['sensors.settle_ms']} ms instead of {sensing.settle * 1000:.0f}.")
        return tuple(lines)


def debounce_for(trials: tuple[Trial, ...], kind: str, scans: float) -> int:
    """The debounce to be proposed for a sensor, in whole milliseconds.

    Args:
        trials: what was measured of it.
        kind: `button` or `hall`.
        scans: how often it is read, in 1/s.
    """
    longest = max(trial.chatter for trial in trials) * 1000
    needed = max(1.5 * longest, 2000 / scans)
    return min(max(LEAST_MS[kind], ceil(needed)), MOST_MS[kind])
