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
from functools import partial
from math import inf
from statistics import median

from pond_hw.board import RGB, Sample
from pond_hw.profile.board_profile import AnalogWiring, Profile
from pond_hw.profile.faults import join_words
from pond_hw.profile.soldered_wires import sensor_wires
from pond_hw.rules import Cell, PondError, get_grid
from pond_hw.setup import remedies
from pond_hw.setup.findings_page import format_pages_under, numbered_page
from pond_hw.setup.sensor_trial import IdlePeriod, measure_idle
from pond_hw.setup.setup_light import cell_lamps
from pond_hw.setup.signal_log import SignalLog
from pond_hw.setup.step import (
    FAULT,
    GOOD,
    WARNING,
    Lit,
    Prompt,
    SetupFinding,
    SetupOption,
    SetupStep,
    StepEvent,
    StepPage,
    StepReply,
    StepResult,
    StepTick,
    Talk,
    begin_anew,
    listen,
)

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

LEAVE = SetupOption("q", "leave")


class CalibrationStep(SetupStep):
    """The step.

    Attributes:
        profile: the board, with linear sensors.
        queue: the cells still to be asked for.
        rest: what was read with nothing near; None as long as that goes on.
        poles: for each cell how far light's piece and then dark's moved it, in counts with their sign; 0: a person says
            that it felt nothing; None: left out.
        heard: what has been read since the question was asked.
        gone: whether nothing has stood there since the question was asked.
    """

    title = "Calibrate the hall sensors"

    def __init__(self, profile: Profile, at: float, cells: Sequence[Cell] = ()) -> None:
        """Begin.

        Args:
            profile: the board.
            at: the instant, in seconds.
            cells: those to be done; by default all.

        Raises:
            PondError: its sensors are not linear ones.
        """
        if not isinstance(profile.sensing.wiring, AnalogWiring):
            raise PondError(f"{profile.name} has no linear hall sensors: there is nothing to calibrate.")
        self.profile, self.wiring, self.at = profile, profile.sensing.wiring, at
        self.cells = get_grid(profile.size).cells
        self.queue = tuple(cells) or self.cells
        self.rest: IdlePeriod | None = None
        self.poles: dict[Cell, tuple[float | None, ...]] = {}
        self.heard, self.gone = SignalLog(), False
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """Nothing near; each piece on each cell; are these values to be taken over?"""
        self.rest = yield from begin_anew(self._hands_off, self.at)
        while self.queue:
            cell = self.queue[0]
            for whose in ("light", "dark"):
                swing = yield from begin_anew(partial(self._pole, whose), self.at)
                self.poles[cell] = (*self.poles.get(cell, ()), swing)
            self.queue = self.queue[1:]
        changes = (yield from begin_anew(self._agree, self.at)) or {}
        return StepResult(self._findings, changes, "calibrate: " + ", ".join(changes) if changes else "")

    def _listen(self, prompt: Prompt) -> Talk[StepEvent]:
        """The next event while the sensors are reached; what is read is kept."""
        event = yield from listen(prompt, lambda trouble: Prompt(StepPage(self.title, (), trouble, (LEAVE,))))
        if isinstance(event, Sample):
            self.heard = self.heard.with_sample(event)
        return event

    def _hands_off(self, since: float) -> Talk[IdlePeriod]:
        """Nothing is near the sensors for a while."""
        self.heard, end = SignalLog(), since + HANDS_OFF
        page = StepPage(self.title, (), "Take every piece off the board and far away, for 3 seconds.", (LEAVE,))
        while True:
            event = yield from self._listen(Prompt(page, due=end))
            if isinstance(event, Sample | StepTick) and event.instant >= end and self.heard.raw_counts:
                self.at = event.instant
                found = measure_idle(self.heard, event.instant - since)
                assert found
                return found

    def _pole(self, whose: str, _: float) -> Talk[float | None]:
        """How far a piece moves the cell that is asked for, once it stands still; None: it is left out."""
        assert self.rest
        self.heard, self.gone, stood = SignalLog(), False, inf
        number = self.cells.index(self.queue[0])
        there = max(THERE, min(0.75 * self.rest.count_spreads[number], MOST_THERE))
        at_rest = self.rest.rest_counts[number]
        while True:
            prompt = Prompt(lambda: self._question(whose, number, there), self._light, stood + STILL)
            event = yield from self._listen(prompt)
            if isinstance(event, StepReply) and event.key in ("n", "x"):
                return None if event.key == "n" else 0.0
            if not isinstance(event, Sample | StepTick) or not self.heard.raw_counts:
                continue
            if abs(self.heard.raw_counts[-1][number] - at_rest) < there:
                self.gone, stood = True, inf
            elif self.gone and stood == inf and self.heard.last_sample:
                self.heard, stood = SignalLog().with_sample(self.heard.last_sample), event.instant
            elif self.gone and event.instant >= stood + STILL:
                column = sorted(counts[number] for counts in self.heard.raw_counts)
                return column[len(column) // 2] - at_rest

    def _question(self, whose: str, number: int, there: float) -> StepPage:
        assert self.rest
        cell, counts = self.queue[0], self.heard.raw_counts
        asks = f"Put a piece of {whose}'s on the middle of {cell}, which is lit; take it off when it goes dark."
        if not self.gone and counts and abs(counts[-1][number] - self.rest.rest_counts[number]) >= there:
            asks = f"Take the piece off {cell}."
        done = sum(map(len, self.poles.values()))
        progress = done, done + 2 * len(self.queue) - (whose == "dark")
        choices = SetupOption("x", "it is there, nothing happens"), SetupOption("n", "leave this one out"), LEAVE
        return StepPage(self.title, self._drawn, asks, choices, progress)

    def _light(self) -> Lit:
        """The cell that is asked for, until its magnet has stood for long enough; those that are done glow."""
        done = [cell for cell, poles in self.poles.items() if len(poles) == 2]
        lit = {place: GLOW for cell in done for place in cell_lamps(self.profile, cell)}
        return lit | (dict.fromkeys(cell_lamps(self.profile, self.queue[0]), ASKED) if self.gone else {})

    def _agree(self, _: float) -> Talk[Mapping[str, object]]:
        """What is to be changed, as somebody has agreed to."""
        changes, leaf = self._changes, 0
        leaves = format_pages_under(self._drawn, [finding for finding in self._findings if finding.grade != GOOD])
        asks = "Take these values over?" if changes else "Nothing is to be changed. Done?"
        choices = (SetupOption("y", "yes"), SetupOption("n", "no")) if changes else (SetupOption("y", "yes"),)
        while True:
            page = numbered_page(self.title, leaves, leaf, *choices, asks=asks)
            event = yield from self._listen(Prompt(page))
            if isinstance(event, StepReply) and event.key in ("y", "n"):
                return changes if event.key == "y" else {}
            leaf += isinstance(event, StepReply) and event.key == "m"

    @property
    def _sign(self) -> int:
        """Which way light's pieces pull on most cells: +1 or -1."""
        return 1 if sum(1 if poles[0] > 0 else -1 for poles in self.poles.values() if poles and poles[0]) >= 0 else -1

    @property
    def _measured(self) -> dict[Cell, tuple[float, float]]:
        """The cells of which both poles were felt, each on its side."""
        both = {cell: (poles[0] or 0.0, poles[1] or 0.0) for cell, poles in self.poles.items() if len(poles) == 2}
        return {cell: poles for cell, poles in both.items() if poles[0] * self._sign > 0 and poles[1] * self._sign < 0}

    @property
    def _divided(self) -> tuple[tuple[int, int] | None, Mapping[Cell, str]]:
        """How far off rest a magnet is there, and how near it has gone; None if noise or weakness leave no room.

        And the sensors for which these lines are not: that tremble too much, or are weak.
        """
        swings = {cell: min(map(abs, poles)) for cell, poles in self._measured.items()}
        apart: dict[Cell, str] = {}
        noise = dict(zip(self.cells, self.rest.count_spreads, strict=True)) if self.rest else {}
        usual_noise, usual_swing = median(noise.values() or (0,)), median(swings.values() or (0,))
        while swings:
            on = max(10, min(250, round(min(swings.values()) / 2)))
            loudest, weakest = max(swings, key=noise.__getitem__), min(swings, key=swings.__getitem__)
            if round(on / 2) >= MARGIN * noise[loudest] / 2:
                return (on, round(on / 2)), apart
            if noise[loudest] > LOUD * usual_noise:
                cell, apart[loudest] = loudest, remedies.NOISE
            elif swings[weakest] < FEEBLE * usual_swing:
                cell, apart[weakest] = weakest, remedies.WEAK
            else:
                break
            del swings[cell]
        return None, apart

    @property
    def _changes(self) -> dict[str, object]:
        wiring, (lines, _) = self.wiring, self._divided
        if self.rest is None or lines is None:
            return {}
        rest = dict(zip(self.cells, map(round, self.rest.rest_counts), strict=True))
        changes: dict[str, object] = {}
        if rest != dict(wiring.rest):
            rows = get_grid(self.profile.size).rows
            changes["sensors.rest"] = "\n".join("  ".join(f"{rest[cell]:>4}" for cell in row) for row in rows)
        for key, old, new in (("on", wiring.on, lines[0]), ("off", wiring.off, lines[1])):
            if old != new:
                changes[f"sensors.{key}"] = new
        if self._sign != wiring.light:
            changes["sensors.light"] = "above" if self._sign > 0 else "below"
        return changes

    @property
    def _findings(self) -> tuple[SetupFinding, ...]:
        found, good, (lines, apart), wires = [], self._measured, self._divided, sensor_wires(self.profile)
        for cell, poles in self.poles.items():
            where = wires[cell]
            if cell in apart:
                found.append(self._apart(cell, apart[cell], where))
            elif cell in good:
                figures = dict(zip(("light_counts", "dark_counts"), good[cell], strict=True))
                found.append(SetupFinding(GOOD, "good", (cell,), figures=figures))
            elif None not in poles:
                light, dark = map(_format_counts, poles)
                kind, told = remedies.NEVER, f"{cell} felt neither pole ({where})."
                if any(poles):
                    kind = remedies.REVERSED
                    told = f"{cell} reads {light} for light's piece and {dark} for dark's ({where})."
                found.append(SetupFinding(FAULT, kind, (cell,), told, *remedies.find_remedy(kind, "hall")))
        if skipped := tuple(cell for cell, poles in self.poles.items() if None in poles):
            told = f"{join_words(skipped)} {'was' if len(skipped) == 1 else 'were'} left out, and so not examined."
            cure = "Run the step `calibrate` for these cells."
            found.append(SetupFinding(WARNING, remedies.NOT_EXAMINED, skipped, told, "", cure))
        if lines is None and len(apart) < len(good):
            told = "The sensors tremble too much for how little they move: no line can be drawn between the two."
            found.append(SetupFinding(WARNING, remedies.WEAK, (), told, *remedies.find_remedy(remedies.WEAK, "hall")))
        return tuple(sorted(found, key=lambda finding: (FAULT, WARNING, GOOD).index(finding.grade)))

    def _apart(self, cell: Cell, kind: str, where: str) -> SetupFinding:
        """What is to be said of a sensor for which the lines of the others are not."""
        assert self.rest
        noise = self.rest.count_spreads[self.cells.index(cell)]
        swing = min(map(abs, self._measured[cell]))
        figures = {"noise_counts": noise, "swing_counts": swing}
        if kind == remedies.NOISE:
            told = f"{cell} trembles by {noise} counts with nothing near it, far more than the others ({where})."
        else:
            told = f"{cell} moves by {swing:.0f} counts only, far less than the others ({where})."
        return SetupFinding(WARNING, kind, (cell,), told, *remedies.find_remedy(kind, "hall"), figures)

    @property
    def _drawn(self) -> tuple[str, ...]:
        """For each cell how far light's and dark's piece moved it."""
        words = {cell: "/".join(map(_format_counts, poles)) for cell, poles in self.poles.items()}
        wide = max([9, *map(len, words.values())]) + 1
        rows = get_grid(self.profile.size).rows
        lines = ["".join(f"{words.get(cell, '.'):<{wide}}" for cell in row).rstrip() for row in rows]
        drawn, _ = self._divided
        told = f"A magnet is there from {drawn[0]} counts off rest on, gone below {drawn[1]}." if drawn else ""
        return ("Counts off rest, light's piece / dark's piece:", *lines, *([told] if told else []))


def _format_counts(pole: float | None) -> str:
    """How far a piece moved a sensor, in counts; a dash if it was left out."""
    return "-" if pole is None else f"{pole:+.0f}"
