"""The step `calibrate`, for linear hall sensors: where each rests, how far each pole moves it, where to draw the line.

    counts   1023 |        ___ light's piece        swing    from rest to a pole, for each cell and pole
                  |.......|...|......... on         noise    from the least to the greatest at rest
             rest |_______|...|________             on       half of the least swing of all
                  |.......|...|......... off        off      half of that
                0 |

A line that is nearer to rest than four times the noise is none. A sensor that trembles far more than the others, or
feels far less, is named and left out of the lines; if that does not help, nothing is proposed. A pole that nobody held
there was not examined: that a sensor felt nothing is for a person to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from statistics import median

from pond_hw.board import RGB, Health, Reading
from pond_hw.profile.board_profile import Analog, Profile
from pond_hw.profile.faults import listed
from pond_hw.rules import Cell, PondError, grid
from pond_hw.setup import remedies
from pond_hw.setup.findings_page import page_of, under
from pond_hw.setup.sensor_trial import Idle, idle
from pond_hw.setup.setup_light import places_of
from pond_hw.setup.signal_log import Heard
from pond_hw.setup.soldered_wires import wired_to
from pond_hw.setup.step import FAULT, GOOD, WARNING, Choice, Event, Finding, Page, Reply, Result, Tick

HANDS_OFF = 3.0
"""Seconds for which nothing is to be near the sensors."""

THERE = 25
"""Counts off rest from which on something is taken to be near, before any line is known."""

MOST_THERE = 100
"""The most of these counts, for a sensor that trembles so that it is never nearer to rest."""

STILL = 0.5
"""Seconds for which a pole has to stand there."""

MARGIN = 4
"""So many times the noise the nearer line has to be away from rest at least."""

LOUD = 2
"""A sensor that trembles by more than so many times what is usual on its board is to blame for it by itself."""

FEEBLE = 0.6
"""A sensor that moves by less than this share of what is usual on its board is to blame for it by itself."""

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
        poles: for each cell how far light's piece and then dark's moved it, in counts with their sign; 0: a person says
            that it felt nothing; None: left out.
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
    poles: Mapping[Cell, tuple[float | None, ...]] = field(default_factory=dict)
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
            choices = Choice("x", "it is there, nothing happens"), Choice("n", "leave this one out"), leave
            return Page(title, self._drawn, asks, choices, self._progress)
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
        """When a magnet has stood for long enough."""
        if self.result or self.trouble:
            return inf
        if self.rest is None:
            return self.since + HANDS_OFF
        if not self.queue:
            return inf
        return self.stood + STILL if self.stood is not None else inf

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
                return self._poled(None, at)
            case Reply("x", at) if self.rest and self.queue:
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
        if abs(off) < self._there:
            return replace(self, stood=None, gone=True)
        if not self.gone:  # the piece from before still stands there
            return self
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
    def _there(self) -> float:
        """Counts off rest from which on something is taken to be near the sensor that is asked for."""
        assert self.rest
        return max(THERE, min(0.75 * self.rest.swing[self._number], MOST_THERE))

    @property
    def _stands(self) -> bool:
        """Whether the piece from before is still there."""
        return not self.gone and bool(self.heard.counts) and abs(self._off) >= self._there

    def _poled(self, swing: float | None, at: float) -> Calibration:
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
        both = {cell: (poles[0] or 0.0, poles[1] or 0.0) for cell, poles in self.poles.items() if len(poles) == 2}
        return {c: (a, b) for c, (a, b) in both.items() if a * self._light > 0 and b * self._light < 0}

    @property
    def _lines(self) -> tuple[int, int] | None:
        """How far off rest a magnet is there, and how near it has gone; None if noise or weakness leave no room."""
        return self._divided[0]

    @property
    def _divided(self) -> tuple[tuple[int, int] | None, Mapping[Cell, str]]:
        """Both lines, if there are any, and the sensors for which they are not: that tremble too much, or are weak."""
        swings = {cell: min(abs(light), abs(dark)) for cell, (light, dark) in self._measured.items()}
        apart: dict[Cell, str] = {}
        if not swings or self.rest is None:
            return None, apart
        noise = {cell: self.rest.swing[number] for number, cell in enumerate(grid(self.profile.size).cells)}
        usual_noise, usual_swing = median(noise.values()), median(swings.values())
        while swings:
            on = max(10, min(250, round(min(swings.values()) / 2)))
            off = round(on / 2)
            loudest = max(swings, key=noise.__getitem__)
            if off >= MARGIN * noise[loudest] / 2:
                return (on, off), apart
            weakest = min(swings, key=swings.__getitem__)
            if noise[loudest] > LOUD * usual_noise:
                apart[loudest] = remedies.NOISE
                del swings[loudest]
            elif swings[weakest] < FEEBLE * usual_swing:
                apart[weakest] = remedies.WEAK
                del swings[weakest]
            else:
                break
        return None, apart

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
        lines, apart = self._divided
        skipped = []
        for cell, poles in self.poles.items():
            where = wires[cell]
            if cell in apart:
                found.append(self._apart(cell, apart[cell], where))
            elif len(poles) < 2:
                continue
            elif cell in good:
                figures = dict(zip(("light_counts", "dark_counts"), good[cell], strict=True))
                found.append(Finding(GOOD, "good", (cell,), figures=figures))
            elif None in poles:
                skipped.append(cell)
            elif not any(poles):
                told = f"{cell} felt neither pole ({where})."
                found.append(Finding(FAULT, remedies.NEVER, (cell,), told, *remedies.remedy(remedies.NEVER, "hall")))
            else:
                light, dark = map(_counts, poles)
                told = f"{cell} reads {light} for light's piece and {dark} for dark's ({where})."
                remedy = remedies.remedy(remedies.REVERSED, "hall")
                found.append(Finding(FAULT, remedies.REVERSED, (cell,), told, *remedy))
        if skipped:
            told = f"{listed(skipped)} {'was' if len(skipped) == 1 else 'were'} left out, and so not examined."
            cure = "Run the step `calibrate` for these cells."
            found.append(Finding(WARNING, remedies.NOT_EXAMINED, tuple(skipped), told, "", cure))
        if lines is None and len(apart) < len(good):
            told = "The sensors tremble too much for how little they move: no line can be drawn between the two."
            found.append(Finding(WARNING, remedies.WEAK, (), told, *remedies.remedy(remedies.WEAK, "hall")))
        return tuple(sorted(found, key=lambda finding: (FAULT, WARNING, GOOD).index(finding.grade)))

    def _apart(self, cell: Cell, kind: str, where: str) -> Finding:
        """What is to be said of a sensor for which the lines of the others are not."""
        assert self.rest
        noise = self.rest.swing[self._cells.index(cell)]
        swing = min(map(abs, self._measured[cell]))
        figures = {"noise_counts": noise, "swing_counts": swing}
        if kind == remedies.NOISE:
            told = f"{cell} trembles by {noise} counts with nothing near it, far more than the others ({where})."
        else:
            told = f"{cell} moves by {swing:.0f} counts only, far less than the others ({where})."
        return Finding(WARNING, kind, (cell,), told, *remedies.remedy(kind, "hall"), figures)

    @property
    def _cells(self) -> tuple[Cell, ...]:
        return grid(self.profile.size).cells

    @property
    def _drawn(self) -> tuple[str, ...]:
        """For each cell how far light's and dark's piece moved it."""
        words = {cell: "/".join(map(_counts, poles)) for cell, poles in self.poles.items()}
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


def _counts(pole: float | None) -> str:
    """How far a piece moved a sensor, in counts; a dash if it was left out."""
    return "-" if pole is None else f"{pole:+.0f}"
