"""The step `calibrate`, for linear hall sensors: where each rests, how far each pole moves it, where to draw the line.

    counts   1023 |        ___ light's piece        swing    from rest to a pole, for each cell and pole
                  |.......|...|......... on         noise    from the least to the greatest at rest
             rest |_______|...|________             on       half of the least swing of all
                  |.......|...|......... off        off      half of that
                0 |

A line that is nearer to rest than four times the noise is none: then nothing is proposed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from pond_hw.board import RGB, Health, Reading
from pond_hw.profile.build import Analog, Profile
from pond_hw.rules import Cell, PondError, grid
from pond_hw.setup import remedies
from pond_hw.setup.light import places_of
from pond_hw.setup.picture import page_of, under
from pond_hw.setup.signals import Heard
from pond_hw.setup.step import FAULT, GOOD, WARNING, Choice, Event, Finding, Page, Reply, Result, Tick
from pond_hw.setup.trial import Idle, idle
from pond_hw.setup.wires import wired_to

HANDS_OFF = 3.0
"""Seconds for which nothing is to be near the sensors."""

THERE = 25
"""Counts off rest from which on something is taken to be near, before any line is known."""

STILL = 0.5
"""Seconds for which a pole has to stand there."""

MARGIN = 4
"""So many times the noise the nearer line has to be away from rest at least."""

PATIENCE = 20.0
"""Seconds after which a pole that does not come is left out."""

ASKED: RGB = (150, 150, 150)
GLOW: RGB = (14, 14, 14)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The step.

    Attributes:
        profile: the board, with linear sensors.
        queue: the cells still to be asked for.
        since: since when the present question is asked, in seconds.
        rest: what was read with nothing near; None as long as that goes on.
        poles: for each cell how far light's piece and then dark's moved it, in counts with their sign; 0: not felt.
        heard: what has been read since the question was asked.
        stood: since when a magnet stands there, in seconds; None: none does.
        gone: whether nothing has stood there since the question was asked.
        trouble: why the sensors are not reached, or None.
        agreed: what was answered in the end; None: nothing yet.
        leaf: which page of what was found is shown, 0 first.
    """

    profile: Profile
    queue: tuple[Cell, ...]
    since: float
    rest: Idle | None = None
    poles: Mapping[Cell, tuple[float, ...]] = field(default_factory=dict)
    heard: Heard = field(default_factory=Heard)
    stood: float | None = None
    gone: bool = False
    trouble: str | None = None
    agreed: bool | None = None
    leaf: int = 0

    @classmethod
    def start(cls, profile: Profile, at: float, cells: Sequence[Cell] = ()) -> Calibration:
        """Begin.

        Args:
            profile: the board.
            at: the instant, in seconds.
            cells: those to be done; by default all.

        Raises:
            PondError: its sensors are not linear ones.
        """
        if not isinstance(profile.sensing.wiring, Analog):
            raise PondError(f"{profile.name} has no linear hall sensors: there is nothing to calibrate.")
        return cls(profile, tuple(cells) or grid(profile.size).cells, at)

    @property
    def page(self) -> Page:
        """What is to be done, and what came of it so far."""
        title = "Calibrate the hall sensors"
        if self.trouble:
            return Page(title, (), self.trouble, (Choice("q", "leave"),))
        leave = Choice("q", "leave")
        if self.rest is None:
            return Page(title, (), "Take every piece off the board and far away, for 3 seconds.", (leave,))
        if self.queue:
            cell, whose = self.queue[0], "light" if self._half == 0 else "dark"
            asks = f"Put a piece of {whose}'s on the middle of {cell}, which is lit; take it off when it goes dark."
            if self._stands:
                asks = f"Take the piece off {cell}."
            return Page(title, self._drawn, asks, (Choice("n", "leave this one out"), leave), self._progress)
        leaves = under(self._drawn, [finding for finding in self._findings if finding.grade != GOOD])
        if not self._changes:
            return page_of(title, leaves, self.leaf, Choice("y", "yes"), asks="Nothing is to be changed. Done?")
        yes_or_no = Choice("y", "yes"), Choice("n", "no")
        return page_of(title, leaves, self.leaf, *yes_or_no, asks="Take these values over?")

    @property
    def lit(self) -> Mapping[int, RGB]:
        """The cell that is asked for, until its magnet has stood for long enough; those that are done glow."""
        if not self.queue or self.rest is None or self.trouble:
            return {}
        done = [cell for cell, poles in self.poles.items() if len(poles) == 2]
        lit = {place: GLOW for cell in done for place in places_of(self.profile, cell)}
        if self.gone:
            lit |= dict.fromkeys(places_of(self.profile, self.queue[0]), ASKED)
        return lit

    @property
    def due(self) -> float:
        """When a magnet has stood for long enough, or none has come."""
        if self.result or self.trouble:
            return inf
        if self.rest is None:
            return self.since + HANDS_OFF
        if not self.queue:
            return inf
        stood = self.stood + STILL if self.stood is not None else inf
        return min(self.since + PATIENCE, stood)

    @property
    def result(self) -> Result | None:
        """What was measured, and what of it was taken over."""
        if self.agreed is None:
            return None
        changes = self._changes if self.agreed else {}
        return Result(self._findings, changes, "calibrate: " + ", ".join(changes) if changes else "")

    def after(self, event: Event) -> Calibration:
        """The step after an event."""
        if self.agreed is not None:
            return self
        match event:
            case Reading():
                return replace(self, heard=self.heard.after(event))._looked(event.at)
            case Tick(at):
                return self._looked(at)
            case Health(trouble, at):
                return replace(self, trouble=trouble, heard=Heard(), since=at, stood=None, gone=False)
            case Reply("n", at) if self.rest and self.queue:
                return self._poled(0.0, at)
            case Reply("m") if self.rest and not self.queue:
                return replace(self, leaf=self.leaf + 1)
            case Reply("y") if self.rest and not self.queue:
                return replace(self, agreed=True)
            case Reply("n") if self.rest and not self.queue:
                return replace(self, agreed=False)
        return self

    @property
    def _half(self) -> int:
        return len(self.poles.get(self.queue[0], ())) if self.queue else 0

    def _looked(self, at: float) -> Calibration:
        if self.trouble:
            return self
        if self.rest is None:
            if at < self.since + HANDS_OFF or not self.heard.counts:
                return self
            return replace(self, rest=idle(self.heard, at - self.since), since=at, heard=Heard())
        if not self.queue or not self.heard.counts:
            return self
        off = self._off
        if abs(off) < THERE:
            waited = at >= self.since + PATIENCE
            now = replace(self, stood=None, gone=True)
            return now._poled(0.0, at) if waited else now
        if not self.gone:  # the piece from before still stands there
            return self._poled(0.0, at) if at >= self.since + PATIENCE else self
        if self.stood is None:
            return replace(self, stood=at, heard=Heard().after(self.heard.last) if self.heard.last else Heard())
        if at < self.stood + STILL:
            return self
        number = self._number
        column = sorted(counts[number] for counts in self.heard.counts)
        return self._poled(column[len(column) // 2] - self.rest.rest[number], at)

    @property
    def _number(self) -> int:
        return grid(self.profile.size).cells.index(self.queue[0])

    @property
    def _off(self) -> float:
        """How far from rest the sensor that is asked for reads now, in counts."""
        assert self.rest
        return self.heard.counts[-1][self._number] - self.rest.rest[self._number]

    @property
    def _stands(self) -> bool:
        """Whether the piece from before is still there."""
        return not self.gone and bool(self.heard.counts) and abs(self._off) >= THERE

    def _poled(self, swing: float, at: float) -> Calibration:
        cell = self.queue[0]
        poles = (*self.poles.get(cell, ()), swing)
        queue = self.queue[1:] if len(poles) == 2 else self.queue
        return replace(
            self, poles={**self.poles, cell: poles}, queue=queue, since=at, stood=None, gone=False, heard=Heard()
        )

    @property
    def _light(self) -> int:
        """Which way light's pieces pull on most cells: +1 or -1."""
        return 1 if sum(1 if poles[0] > 0 else -1 for poles in self.poles.values() if poles and poles[0]) >= 0 else -1

    @property
    def _measured(self) -> dict[Cell, tuple[float, float]]:
        """The cells of which both poles were felt, each on its side."""
        both = {cell: poles for cell, poles in self.poles.items() if len(poles) == 2}
        return {c: (a, b) for c, (a, b) in both.items() if a * self._light > 0 and b * self._light < 0}

    @property
    def _lines(self) -> tuple[int, int] | None:
        """How far off rest a magnet is there, and how near it has gone; None if noise or weakness leave no room."""
        swings = [min(abs(light), abs(dark)) for light, dark in self._measured.values()]
        if not swings or self.rest is None:
            return None
        on = max(10, min(250, round(min(swings) / 2)))
        off = round(on / 2)
        return (on, off) if off >= MARGIN * max(self.rest.swing) / 2 else None

    @property
    def _changes(self) -> dict[str, object]:
        wiring, lines = self.profile.sensing.wiring, self._lines
        assert isinstance(wiring, Analog)
        if self.rest is None or lines is None:
            return {}
        numbers = {cell: number for number, cell in enumerate(grid(self.profile.size).cells)}
        rest = {cell: round(self.rest.rest[number]) for cell, number in numbers.items()}
        changes: dict[str, object] = {}
        if rest != dict(wiring.rest):
            rows = grid(self.profile.size).rows
            changes["sensors.rest"] = "\n".join("  ".join(f"{rest[cell]:>4}" for cell in row) for row in rows)
        for key, old, new in (("on", wiring.on, lines[0]), ("off", wiring.off, lines[1])):
            if old != new:
                changes[f"sensors.{key}"] = new
        if self._light != wiring.light and self._measured:
            changes["sensors.light"] = "above" if self._light > 0 else "below"
        return changes

    @property
    def _findings(self) -> tuple[Finding, ...]:
        found, good, wires = [], self._measured, wired_to(self.profile)
        for cell, poles in self.poles.items():
            where = wires[cell]
            if cell in good:
                figures = {"light_counts": poles[0], "dark_counts": poles[1]}
                found.append(Finding(GOOD, "good", (cell,), figures=figures))
            elif not any(poles):
                told = f"{cell} felt neither pole ({where})."
                found.append(Finding(FAULT, remedies.NEVER, (cell,), told, *remedies.remedy(remedies.NEVER, "hall")))
            else:
                told = f"{cell} reads {poles[0]:+.0f} for light's piece and {poles[-1]:+.0f} for dark's ({where})."
                remedy = remedies.remedy(remedies.REVERSED, "hall")
                found.append(Finding(FAULT, remedies.REVERSED, (cell,), told, *remedy))
        if self._lines is None and good:
            told = "The weakest sensor is too weak for the noise: no line can be drawn between them."
            found.append(Finding(WARNING, remedies.WEAK, (), told, *remedies.remedy(remedies.WEAK, "hall")))
        return tuple(sorted(found, key=lambda finding: (FAULT, WARNING, GOOD).index(finding.grade)))

    @property
    def _drawn(self) -> tuple[str, ...]:
        """For each cell how far light's and dark's piece moved it."""
        words = {cell: "/".join(f"{pole:+.0f}" for pole in poles) for cell, poles in self.poles.items()}
        wide = max([9, *map(len, words.values())]) + 1
        rows = grid(self.profile.size).rows
        lines = ["".join(f"{words.get(cell, '.'):<{wide}}" for cell in row).rstrip() for row in rows]
        drawn = self._lines
        told = f"A magnet is there from {drawn[0]} counts off rest on, gone below {drawn[1]}." if drawn else ""
        return ("Counts off rest, light's piece / dark's piece:", *lines, *([told] if told else []))

    @property
    def _progress(self) -> tuple[int, int]:
        done = sum(map(len, self.poles.values()))
        return done, done + 2 * len(self.queue) - self._half
