"""The step `sensors`: hands off; then every cell in turn a few times; in a matrix three at once; hands off again.

What was felt is measured cell by cell (`trial`) and judged in the end (`verdicts`). Since hands err too, a cell that
did not answer as it should is asked for once more at the end, and if anything was felt while hands were to be off, that
time is taken once more. Cells that feel something all by themselves are not asked for: what they say is known.

A sensor that says nothing may be dead, or nobody has pressed it: on a screen a person says which, and is waited for. By
the lamps alone a cell that nobody answers is left after a while, and was not examined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from pond_hw.board import RGB, Health, Key, Reading
from pond_hw.profile.board_profile import Crossing, Matrix, Profile
from pond_hw.rules import Cell, grid
from pond_hw.setup.diagnosis import FLAPS, Measured, verdicts
from pond_hw.setup.findings_page import drawn, page_of, pages
from pond_hw.setup.sensor_trial import Idle, idle, trial
from pond_hw.setup.setup_light import faded, next_fade, places_of
from pond_hw.setup.signal_log import Heard, said
from pond_hw.setup.step import Choice, Event, Finding, Page, Reply, Result, Tick

HANDS_OFF = 3.0
"""Seconds for which nobody is to touch the board."""

PRESSES = 3
"""How often each cell is to be pressed."""

PATIENCE = 8.0
"""Seconds after which, by the lamps alone, a cell that does not answer, or no more, is left."""

QUIET = 0.25
"""Seconds after the last release until the next cell is asked for."""

HELD = 3.0
"""Seconds after which a cell that stays down is said to be so: somebody holds it, or it sticks."""

MOST = 30.0
"""Seconds after which a cell that was pressed often enough, or is asked for by the lamps alone, is left in any case."""

LOST = 3.0
"""Seconds after which sensors that are not reached are the result."""

SILENT = "Nothing has been read from the sensors yet."
"""What is said when nobody knows why."""

ASKED, GLOW = (150, 150, 150), (14, 14, 14)
"""How bright the cell that is asked for is lit, and those that are done."""


@dataclass(frozen=True, slots=True)
class SensorWalk:
    """The exercise.

    Attributes:
        profile: the board.
        queue: the cells still to be asked for, the next one first.
        since: since when it does what it does now, in seconds.
        phase: `off` (hands off), `press`, `corners`, `off again` or `done`.
        heard: what was read since then.
        moved: when a sensor changed last that is at rest by itself.
        pressed: since when patience runs: the beginning, or the last press of the cell that is asked for.
        felt: how many presses were felt: by the cell that is asked for, or else by the one that answered most.
        again: whether hands are to be off once more, since something was felt.
        measured: what has been measured so far.
        lost_since: since when the sensors are not reached, or None.
        corners: in a matrix, the cells whose diodes are still to be tried.
        rectangle: of these the first, two more cells that are to be held down, and the one that must not answer then.
        total: how many cells there were in the beginning.
        timed: whether a cell that nobody answers is left after a while, as by the lamps alone.
        at: the latest instant.
        judged: what is to be said of what has been measured so far; it is drawn many times a second.
        leaf: which page of what was found is shown, 0 first.
    """

    profile: Profile
    queue: tuple[Cell, ...]
    since: float
    phase: str = "off"
    heard: Heard = field(default_factory=Heard)
    moved: float = 0.0
    pressed: float = 0.0
    felt: int = 0
    again: bool = False
    measured: Measured = field(default_factory=Measured)
    lost_since: float | None = None
    corners: tuple[Cell, ...] = ()
    rectangle: tuple[Cell, ...] = ()
    total: int = 0
    timed: bool = False
    at: float = 0.0
    judged: tuple[Finding, ...] = ()
    leaf: int = 0

    @classmethod
    def start(
        cls, profile: Profile, at: float, cells: Sequence[Cell] = (), *, diodes: bool = True, timed: bool = False
    ) -> SensorWalk:
        """Begin.

        Args:
            profile: the board.
            at: the instant, in seconds.
            cells: those to be asked for; by default all.
            diodes: whether the diodes of a matrix are tried too.
            timed: whether it is led by the lamps alone.
        """
        asked = tuple(cells) or grid(profile.size).cells
        matrix = diodes and isinstance(profile.sensing.wiring, Matrix)
        elbows = asked if matrix else ()
        return cls(
            profile, asked, at, moved=at, pressed=at, corners=elbows, total=len(asked), timed=timed, at=at,
            measured=Measured(asked=asked),
        )  # fmt: skip

    @property
    def page(self) -> Page:
        """What a person is told and asked now."""
        if self.result:
            return page_of("Sensors", pages(self.profile, self.result.findings), self.leaf)
        lines = drawn(self.profile, self.judged)
        if self.lost_since is not None and self.measured.trouble:
            return Page("Sensors", lines, self.measured.trouble, (Choice("q", "leave"),))
        silent = (Choice("x", "I pressed it, nothing happens"),) if self.phase == "press" else ()
        choices = *silent, Choice("n", "skip"), Choice("q", "leave")
        return Page("Sensors", lines, self._asks, choices, (self.total - len(self.queue), self.total))

    @property
    def lit(self) -> Mapping[int, RGB]:
        """The cells that are to be pressed, brightly until they are or time runs out; those that are done glow."""
        done = {place: GLOW for cell in self.measured.trials for place in places_of(self.profile, cell)}
        down = self._pressed if self.phase == "corners" else self._down
        asked = [cell for cell in self._asked if cell not in down] if not self._enough else []
        shade = faded(ASKED, self._given_up - self.at)
        return done | {place: shade for cell in asked for place in places_of(self.profile, cell)}

    @property
    def due(self) -> float:
        """When a `Tick` is needed."""
        if self.result:
            return inf
        if self.lost_since is not None:
            return self.lost_since + LOST
        held = self._held_since + HELD
        return min(self._ends, next_fade(self._given_up, self.at), held if held > self.at else inf)

    @property
    def _held_since(self) -> float:
        """Since when the cell that is asked for has been down; infinity if it is not."""
        if self.phase != "press" or self.queue[0] not in self._down:
            return inf
        flips = self.heard.flips.get(self._number(self.queue[0]), ())
        return flips[-1].at if flips else self.since

    @property
    def _ends(self) -> float:
        """When what goes on now comes to its end."""
        if self.phase.startswith("off"):
            return self.since + HANDS_OFF
        return min(self.moved + QUIET, self.since + MOST) if self._enough else self._given_up

    @property
    def _given_up(self) -> float:
        """When the cells that are asked for are left although nobody has answered."""
        if not self.timed or self.phase not in ("press", "corners"):
            return inf
        return min(self.pressed + PATIENCE, self.since + MOST)

    @property
    def result(self) -> Result | None:
        """What is wrong with the sensors, once all have been asked."""
        return Result(self.judged) if self.phase == "done" else None

    def after(self, event: Event) -> SensorWalk:
        """The exercise after an event."""
        now = self._after(event)
        if now.measured is self.measured and now.phase == self.phase:
            return now
        measured = now.measured if now.phase == "done" else replace(now.measured, trouble=None)
        return replace(now, judged=verdicts(now.profile, measured))

    def _after(self, event: Event) -> SensorWalk:
        if self.phase == "done":
            return replace(self, leaf=self.leaf + 1) if isinstance(event, Reply) and event.key == "m" else self
        match event:
            case Reading():
                return replace(self, at=event.at)._read(event)._looked(event.at)
            case Health(None, at):
                back = replace(self, lost_since=None, measured=replace(self.measured, trouble=None))
                return back._begins(self.phase, at)
            case Health(str(trouble), at):
                return replace(self, lost_since=at, measured=replace(self.measured, trouble=trouble))
            case Tick(at):
                if self.lost_since is not None:
                    return replace(self, phase="done") if at >= self.lost_since + LOST else self
                return replace(self, at=at)._looked(at)
            case Reply("n", at):
                return self._next(at)
            case Reply("x", at) if self.phase == "press":
                return self._tried(confirmed=True)._begins("press", at)
            case Reply() | Key():
                return self
        return self

    @property
    def _asked(self) -> tuple[Cell, ...]:
        """The cells that are to be pressed now."""
        if self.phase == "press":
            return self.queue[:1]
        return self.rectangle[:3] if self.phase == "corners" else ()

    @property
    def _asks(self) -> str:
        pieces = self.profile.sensing.kind == "hall"
        if self.phase == "press" and self.at >= self._held_since + HELD:
            there = "a piece stands there" if pieces else "it is pressed"
            return f"{self.queue[0]} says that {there}. Let go of it; if nothing is there, answer x."
        if self.phase == "press":
            done = f" ({self.felt} of {PRESSES})" if self.felt else ""
            what = "Put a piece of light's on" if pieces else "Press"
            again = " and take it off again, three times." if pieces else " three times, and let go."
            return f"{what} {self.queue[0]}, which is lit,{again}{done}"
        if self.phase == "corners":
            one, two, three = self._asked
            return f"Hold down {one}, {two} and {three}, all at once."
        off = "Take everything off the board and your hands away" if pieces else "Take your hands off the board"
        some = "Something was felt. Once more: " if self.again else ""
        return f"{some}{off}, for {HANDS_OFF:.0f} seconds."

    @property
    def _down(self) -> frozenset[Cell]:
        if self.heard.last is None:
            return frozenset()
        levels = zip(grid(self.profile.size).cells, said(self.heard.last), strict=True)
        return frozenset(cell for cell, level in levels if level)

    def _read(self, reading: Reading) -> SensorWalk:
        """One more reading; what it tells of presses is counted only where something has changed."""
        heard = self.heard.after(reading)
        if heard.flips is self.heard.flips:
            return replace(self, heard=heard)
        changed = {n for n, flips in heard.flips.items() if len(flips) != len(self.heard.flips.get(n, ()))}
        moved = reading.at if changed - self._restless else self.moved
        now = replace(self, heard=heard, moved=moved)
        if self.phase != "press":
            return now
        own = self._number(self.queue[0])
        counted = {n: len(heard.presses(n)) for n in heard.flips if n not in self._restless}
        felt = counted.get(own, 0) or max(counted.values(), default=0)
        return replace(now, felt=felt, pressed=max([self.since, *(edge.end for edge in heard.bursts(own))]))

    @property
    def _restless(self) -> frozenset[int]:
        """The inputs that feel something by themselves."""
        return restless(self.measured.before)

    @property
    def _enough(self) -> bool:
        if self.phase == "press":
            return self.felt >= PRESSES
        return self.phase == "corners" and self._pressed >= {*self._asked}

    @property
    def _pressed(self) -> frozenset[Cell]:
        """The cells that have come down since they were asked for, and are down: no finger or ghost from before."""
        fresh = {n for n, flips in self.heard.flips.items() if any(flip.down for flip in flips)}
        return frozenset(cell for cell in self._down if self._number(cell) in fresh)

    def _looked(self, at: float) -> SensorWalk:
        return self if at < self._ends else self._next(at)

    def _number(self, cell: Cell) -> int:
        return grid(self.profile.size).cells.index(cell)

    def _next(self, at: float) -> SensorWalk:
        """What was asked for has been done, or is given up; on to what comes next."""
        measured = self.measured
        found = idle(self.heard, at - self.since)
        match self.phase:
            case "off":
                if found is None:
                    return replace(self, measured=replace(measured, trouble=SILENT), phase="done")
                if restless(found, 1) and not self.again:
                    return replace(self._begins("off", at), again=True)
                queue = tuple(cell for cell in self.queue if self._number(cell) not in restless(found))
                now = replace(self, queue=queue, measured=replace(measured, before=found))
                return now._begins("press", at)
            case "press":
                return self._tried()._begins("press", at)
            case "corners":
                elbow, *_, ghost = self.rectangle
                ghosts = {**measured.ghosts, elbow: ghost in self._down} if self._enough else measured.ghosts
                tried = replace(self, corners=self.corners[1:], measured=replace(measured, ghosts=ghosts))
                return tried._begins("corners", at)
        new = restless(found, 1) - self._restless
        if new and not self.again:
            return replace(self._begins("off again", at), again=True)
        return replace(self, measured=replace(measured, after=found), phase="done")

    def _begins(self, phase: str, at: float) -> SensorWalk:
        """Begin a phase, or go on to the one behind it if there is nothing to do in it."""
        left, rectangle = self.corners, tuple[Cell, ...]()
        if phase == "press" and not self.queue:
            phase = "corners"
        if phase == "corners":
            sound = self._sound
            while left and not (rectangle := corners(self.profile, left[0], sound)):
                left = left[1:]
            phase = phase if left else "off again"
        last = self.heard.last
        return replace(
            self, phase=phase, since=at, at=at, moved=at, pressed=at, felt=0, again=False,
            corners=left, rectangle=rectangle, heard=Heard().after(last) if last else Heard(),
        )  # fmt: skip

    @property
    def _sound(self) -> frozenset[Cell]:
        """The cells that answered as they should, and only when they were asked for."""
        trials = {cell: trials[-1] for cell, trials in self.measured.trials.items()}
        well = {cell for cell, trial in trials.items() if trial.answered(self._number(cell)) >= PRESSES}
        keen = {
            other
            for other in well
            for cell, trial in trials.items()
            if other != cell and trial.along(self._number(cell), self._number(other))
        }
        return frozenset(well - keen)

    def _tried(self, *, confirmed: bool = False) -> SensorWalk:
        """The cell that is asked for has been tried; `confirmed`: somebody says that it was pressed in vain."""
        cell, *rest = self.queue
        at_rest = self.measured.before.rest if self.measured.before else ()
        came = trial(cell, PRESSES, self.heard, self._number(cell), at_rest, confirmed=confirmed)
        before = self.measured.trials.get(cell, ())
        clean = came.answered(self._number(cell)) >= PRESSES
        again = () if clean or before else (cell,)
        trials = {**self.measured.trials, cell: (*before, came)}
        return replace(self, queue=(*rest, *again), measured=replace(self.measured, trials=trials))


def restless(idle: Idle | None, flaps: int = FLAPS) -> frozenset[int]:
    """The inputs that were down, or changed at least so often, while nobody was to touch the board."""
    if idle is None:
        return frozenset()
    return idle.on | {number for number, flips in enumerate(idle.flips) if flips >= flaps}


def corners(profile: Profile, elbow: Cell, sound: frozenset[Cell]) -> tuple[Cell, ...]:
    """A rectangle of a matrix: the cell whose diode is tried, the others on its two lines, and the fourth.

    With the first three down, current can get to the fourth only back through the diode of the first.

    Args:
        profile: the board.
        elbow: the cell whose diode is tried.
        sound: the cells whose sensors can be relied on: all four are taken from these.

    Returns:
        The four; none if there is no such rectangle.
    """
    wiring = profile.sensing.wiring
    assert isinstance(wiring, Matrix)
    drive, sense = wiring.crossings[elbow]
    of = {crossing: cell for cell, crossing in wiring.crossings.items() if cell in sound}
    for (other_drive, other_sense), cell in of.items():
        along, across = of.get(Crossing(drive, other_sense)), of.get(Crossing(other_drive, sense))
        if elbow in sound and other_drive != drive and other_sense != sense and along and across:
            return elbow, along, across, cell
    return ()
