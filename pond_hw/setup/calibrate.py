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
from pond_hw.setup.conversation import Lit, Prompt, SetupStep, Talk, begin_anew, listen
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding, sort_by_grade
from pond_hw.setup.findings_page import format_pages_under, numbered_page
from pond_hw.setup.map_drawings import format_cell_table
from pond_hw.setup.sensor_trial import IdlePeriod, measure_idle
from pond_hw.setup.setup_light import light_cells
from pond_hw.setup.signal_log import SignalLog
from pond_hw.setup.step import SetupOption, StepEvent, StepPage, StepReply, StepResult, StepTick

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
            for owner in ("light", "dark"):
                swing = yield from begin_anew(partial(self._measure_pole, owner), self.at)
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
                idle = measure_idle(self.heard, event.instant - since)
                assert idle
                return idle

    def _measure_pole(self, owner: str, _: float) -> Talk[float | None]:
        """How far a piece moves the cell that is asked for, once it stands still; None: it is left out."""
        assert self.rest
        self.heard, self.gone, stood_at = SignalLog(), False, inf
        number = self.cells.index(self.queue[0])
        near_counts = max(THERE, min(0.75 * self.rest.count_spreads[number], MOST_THERE))
        rest_count = self.rest.rest_counts[number]

        def is_near() -> bool:
            return abs(self.heard.raw_counts[-1][number] - rest_count) >= near_counts

        def ask() -> StepPage:
            return self._question(owner, still_there=not self.gone and bool(self.heard.raw_counts) and is_near())

        while True:
            event = yield from self._listen(Prompt(ask, self._light, stood_at + STILL))
            if isinstance(event, StepReply) and event.key in ("n", "x"):
                return None if event.key == "n" else 0.0
            if not isinstance(event, Sample | StepTick) or not self.heard.raw_counts:
                continue
            if not is_near():
                self.gone, stood_at = True, inf
            elif self.gone and stood_at == inf and self.heard.last_sample:
                self.heard, stood_at = SignalLog().with_sample(self.heard.last_sample), event.instant
            elif self.gone and event.instant >= stood_at + STILL:
                column = sorted(counts[number] for counts in self.heard.raw_counts)
                return column[len(column) // 2] - rest_count

    def _question(self, owner: str, *, still_there: bool) -> StepPage:
        cell = self.queue[0]
        prompt = f"Put a piece of {owner}'s on the middle of {cell}, which is lit; take it off when it goes dark."
        if still_there:
            prompt = f"Take the piece off {cell}."
        done = sum(map(len, self.poles.values()))
        progress = done, done + 2 * len(self.queue) - (owner == "dark")
        choices = SetupOption("x", "it is there, nothing happens"), SetupOption("n", "leave this one out"), LEAVE
        return StepPage(self.title, self._drawn, prompt, choices, progress)

    def _light(self) -> Lit:
        """The cell that is asked for, until its magnet has stood for long enough; those that are done glow."""
        done_cells = [cell for cell, poles in self.poles.items() if len(poles) == 2]
        asked_cells = self.queue[:1] if self.gone else ()
        return light_cells(self.profile, done_cells, GLOW) | light_cells(self.profile, asked_cells, ASKED)

    def _agree(self, _: float) -> Talk[Mapping[str, object]]:
        """What is to be changed, as somebody has agreed to."""
        changes, page_number = self._changes, 0
        pages = format_pages_under(self._drawn, [finding for finding in self._findings if finding.grade != GOOD])
        question = "Take these values over?" if changes else "Nothing is to be changed. Done?"
        choices = (SetupOption("y", "yes"), *([SetupOption("n", "no")] if changes else []))
        while True:
            page = numbered_page(self.title, pages, page_number, *choices, asks=question)
            event = yield from self._listen(Prompt(page))
            if isinstance(event, StepReply) and event.key in ("y", "n"):
                return changes if event.key == "y" else {}
            page_number += isinstance(event, StepReply) and event.key == "m"

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
    def _noise(self) -> dict[Cell, int]:
        """How far apart the counts of each sensor lie at rest."""
        return dict(zip(self.cells, self.rest.count_spreads, strict=True)) if self.rest else {}

    @property
    def _lines(self) -> tuple[tuple[int, int] | None, Mapping[Cell, str]]:
        """How far off rest a magnet is there, and how near it has gone; None if noise or weakness leave no room.

        And the sensors for which these lines are not: that tremble too much, or are weak.
        """
        swings = {cell: min(map(abs, poles)) for cell, poles in self._measured.items()}
        outliers: dict[Cell, str] = {}
        noise = self._noise
        usual_noise, usual_swing = median(noise.values() or (0,)), median(swings.values() or (0,))
        while swings:
            on = max(10, min(250, round(min(swings.values()) / 2)))
            loudest, weakest = max(swings, key=noise.__getitem__), min(swings, key=swings.__getitem__)
            if round(on / 2) >= MARGIN * noise[loudest] / 2:
                return (on, round(on / 2)), outliers
            if noise[loudest] > LOUD * usual_noise:
                outlier, outliers[loudest] = loudest, remedies.NOISE
            elif swings[weakest] < FEEBLE * usual_swing:
                outlier, outliers[weakest] = weakest, remedies.WEAK
            else:
                break
            del swings[outlier]
        return None, outliers

    @property
    def _changes(self) -> dict[str, object]:
        wiring, (lines, _) = self.wiring, self._lines
        if self.rest is None or lines is None:
            return {}
        rest = dict(zip(self.cells, map(round, self.rest.rest_counts), strict=True))
        side = "above" if self._sign > 0 else "below"
        changes = {
            "sensors.rest": (rest != dict(wiring.rest), format_cell_table(self.profile, rest, 4)),
            "sensors.on": (lines[0] != wiring.on, lines[0]),
            "sensors.off": (lines[1] != wiring.off, lines[1]),
            "sensors.light": (self._sign != wiring.light, side),
        }
        return {key: new for key, (is_changed, new) in changes.items() if is_changed}

    @property
    def _findings(self) -> tuple[SetupFinding, ...]:
        found, sound, (lines, outliers) = [], self._measured, self._lines
        for cell, poles in self.poles.items():
            if cell in outliers:
                found.append(self._describe_outlier(cell, outliers[cell]))
            elif cell in sound:
                figures = dict(zip(("light_counts", "dark_counts"), sound[cell], strict=True))
                found.append(SetupFinding(GOOD, "good", (cell,), figures=figures))
            elif None not in poles and any(poles):
                light, dark = map(_format_counts, poles)
                message = f"{cell} reads {light} for light's piece and {dark} for dark's"
                found.append(self._make_finding(FAULT, remedies.REVERSED, cell, message))
            elif None not in poles:
                found.append(self._make_finding(FAULT, remedies.NEVER, cell, f"{cell} felt neither pole"))
        if skipped := tuple(cell for cell, poles in self.poles.items() if None in poles):
            verb = "was" if len(skipped) == 1 else "were"
            message = f"{join_words(skipped)} {verb} left out, and so not examined."
            cure = "Run the step `calibrate` for these cells."
            found.append(SetupFinding(WARNING, remedies.NOT_EXAMINED, skipped, message, "", cure))
        if lines is None and len(outliers) < len(sound):
            message = "The sensors tremble too much for how little they move: no line can be drawn between the two."
            remedy = remedies.find_remedy(remedies.WEAK, "hall")
            found.append(SetupFinding(WARNING, remedies.WEAK, (), message, *remedy))
        return sort_by_grade(found)

    def _describe_outlier(self, cell: Cell, kind: str) -> SetupFinding:
        """What is to be said of a sensor for which the lines of the others are not."""
        noise, swing = self._noise[cell], min(map(abs, self._measured[cell]))
        message = f"{cell} moves by {swing:.0f} counts only, far less than the others"
        if kind == remedies.NOISE:
            message = f"{cell} trembles by {noise} counts with nothing near it, far more than the others"
        return self._make_finding(WARNING, kind, cell, message, noise_counts=noise, swing_counts=swing)

    def _make_finding(self, grade: str, kind: str, cell: Cell, message: str, **figures: float) -> SetupFinding:
        """A finding about one cell; the sentence ends with where its wire goes."""
        sentence = f"{message} ({sensor_wires(self.profile)[cell]})."
        return SetupFinding(grade, kind, (cell,), sentence, *remedies.find_remedy(kind, "hall"), figures)

    @property
    def _drawn(self) -> tuple[str, ...]:
        """For each cell how far light's and dark's piece moved it."""
        words = {cell: "/".join(map(_format_counts, poles)) for cell, poles in self.poles.items()}
        width = max([9, *map(len, words.values())]) + 1
        rows = get_grid(self.profile.size).rows
        grid_lines = ["".join(f"{words.get(cell, '.'):<{width}}" for cell in row).rstrip() for row in rows]
        lines, _ = self._lines
        note = [f"A magnet is there from {lines[0]} counts off rest on, gone below {lines[1]}."] if lines else []
        return ("Counts off rest, light's piece / dark's piece:", *grid_lines, *note)


def _format_counts(pole: float | None) -> str:
    """How far a piece moved a sensor, in counts; a dash if it was left out."""
    return "-" if pole is None else f"{pole:+.0f}"
