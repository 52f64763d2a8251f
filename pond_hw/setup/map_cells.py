"""How the walk round the board asks for cells: what is lit is touched, until both maps are known.

A touch counts when it lets go; the light goes out as soon as it is felt. Lamps that glow tell by winks which cell is
asked for.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from enum import StrEnum
from math import inf

from pond_hw.board import RGB, HealthEvent, Sample
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.faults import join_words
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.map_drawings import MOST_COLUMNS
from pond_hw.setup.setup_light import fade_colour, next_fade_time
from pond_hw.setup.step import NO_LIGHT, Lit, Prompt, SetupOption, SetupStep, StepPage, StepReply, StepTick, Talk
from pond_hw.setup.touch_detector import DetectedTouch, TouchDetector, TouchKind
from pond_hw.setup.wiring_findings import Ask
from pond_hw.setup.wiring_inference import TouchAnswers, beside_the_corner, corner_lamps, infer_wiring, probe_lamps

GLOW: RGB = (30, 30, 30)
"""All lamps, while a cell is asked for that is not lit."""

PROBE: RGB = (120, 120, 120)
"""The one lamp whose cell is asked for."""

WINK, WINKS_EVERY = 0.2, 3.0
"""Seconds for which glowing lamps go dark to tell which cell is asked for, and from one such telling to the next."""

BY_ITSELF, WITHIN = 4, 2.5
"""So many touches of one sensor in so many seconds, each when another lamp is lit, are no finger's."""

NOBODY_AFTER = 20.0
"""Seconds after which it is said that nobody answers."""

SKIP_AFTER = 60.0
"""Seconds after which, by the lamps alone, it is skipped: so a walk gets past a dead sensor."""

CHANNELS = ("red", "green", "blue")


class MapStage(StrEnum):
    """What is being done: lamps and cells are asked for, colours, consent, a cell to do again; or it is over."""

    ASKING = "asking"
    COLOURS = "colours"
    CONSENT = "consent"
    WHICH = "which"
    OVER = "over"


class CellWalk(SetupStep):
    """The walk as far as cells are asked for; `MapWalk` is the whole of it.

    Attributes:
        profile: the board as it is drawn so far.
        at: the latest instant, in seconds.
        since: when what is asked now was asked, or last answered in any way.
        fingers: what the sensors feel.
        heard: what answered so far.
        learned: what that tells.
        stage: asking, colours, consent, which (cell to do again), over.
        note: what went wrong last, or what was understood, as a sentence.
        reds: the places of the cells that were touched for red, green and blue so far: 0, 1 or 2 of the three.
        colours: the order in which the lamps take their colours, as far as it is known: the profile's at first.
        stuck: inputs that were on all the time.
        restless: inputs that answer by themselves, and are ignored.
    """

    title = "Where lamps and sensors are"

    def __init__(self, profile: Profile, at: float, *, timed: bool = False, heard: TouchAnswers | None = None) -> None:
        """The walk from its beginning.

        Args:
            profile: the board as it is drawn so far.
            at: the instant, in seconds on the board's clock.
            timed: whether it is led by the lamps alone: then what nobody answers is skipped after a while.
            heard: what has been answered already.
        """
        self.profile, self.at, self.since, self._timed = profile, at, at, timed
        self.cells = get_grid(profile.size).cells
        self.fingers, self.heard = TouchDetector(profile), heard or TouchAnswers()
        self.learned = infer_wiring(profile, self.heard)
        self.stage, self.note = MapStage.ASKING, ""
        self.reds: tuple[int, ...] = ()
        self.colours = profile.chain.colour_order
        self._colours_known = profile.chain.driver == "neotrellis"
        self.stuck: set[int] = set()
        self.restless: set[int] = set()
        self._lately: list[tuple[int, float, int]] = []  # which input answered, when, and which lamp was lit then
        self._pending: list[DetectedTouch] = []
        super().__init__()

    # What happens

    def _listen(self, page: Callable[[], StepPage], lit: Callable[[], Lit], due: float) -> Talk[str | int | None]:
        """The next thing that happens: the key of a reply, the input that was touched, or nothing that counts."""
        while not self._pending:
            event = yield Prompt(page, lit, min(due, self.fingers.due_time))
            match event:
                case StepReply(key, at):
                    self.at = at
                    return key
                case HealthEvent(trouble, at):
                    self.at = at
                    if trouble:
                        yield from self._wait_for_sensors(trouble)
                    self.since = self.at
                    self.fingers.begin_anew(self.at)
                case Sample(levels, at):
                    self.at = at
                    heard = tuple(0 if number in self.restless else level for number, level in enumerate(levels))
                    self._pending = self.fingers.feel(event._replace(levels=heard))
                case StepTick(at):
                    self.at = at
                    self._pending = self.fingers.feel(event)
            if not self._pending:
                return None
        return self._feel(self._pending.pop(0))

    def _wait_for_sensors(self, trouble: str | None) -> Talk[None]:
        while trouble:
            page = StepPage(self.title, wrap_lines(trouble), "Wait until the sensors are back.", (), self._progress)
            event = yield Prompt(page)
            if isinstance(event, HealthEvent):
                trouble, self.at = event.trouble, event.instant

    def _feel(self, felt: DetectedTouch) -> int | None:
        """The input that was touched; of what is no touch a note is made."""
        if {*felt.inputs} & self.restless:
            return None
        names = join_words(self._cell(number) for number in felt.inputs)
        match felt.kind:
            case TouchKind.TOUCH:
                return felt.inputs[0]
            case TouchKind.TWO_INPUTS:
                only = "Touch only the cell that is lit." if isinstance(self.learned.ask, int) else "Touch only one."
                self.since, self.note = self.at, f"Two answered at once: {names}. {only}"
            case TouchKind.FLICKER:
                often = "more than ten times in a second, and it never holds still"
                self.note = f"{names} flickers: {often}. Touch it firmly."
            case TouchKind.STUCK:
                some = "are on all the time and are" if len(felt.inputs) > 1 else "is on all the time and is"
                self.note = f"{names} {some} ignored until it lets go."
                self.stuck |= {*felt.inputs}
            case _ if (
                self.stage != MapStage.COLOURS
            ):  # why the colours begin again is to be read until one is understood
                self.note = ""
        return None

    def _answered(self) -> None:
        """Something was touched or said: what is asked is waited for anew."""
        self.since, self.note = self.at, ""

    # Cells

    def _ask_cells(self) -> Talk[None]:
        """Ask until both maps are known, or nothing can be known."""
        self._go_on()
        while (ask := self.learned.ask) is not None:
            self.stage = MapStage.ASKING
            told = self.since + NOBODY_AFTER
            due = min(next_fade_time(self._given_up, self.at), told if told > self.at else inf)
            due = inf if self.fingers.holds_touch else due
            if isinstance(ask, str):
                due = min(due, self._next_beat(WINK))
            match (yield from self._listen(self._cells_page, self._cells_light, due)):
                case int(touched):
                    self._touched(ask, touched)
                case "s":
                    self._answered()
                    self._skip()
                case "a":
                    self._answered()
            if not self._pending:
                self._wait()

    def _touched(self, ask: Ask, touched: int) -> None:
        """A sensor has answered what is asked."""
        if isinstance(ask, int):
            self._lately = [each for each in self._lately if each[1] > self.at - WITHIN] + [(touched, self.at, ask)]
            if len({lamp for number, _, lamp in self._lately if number == touched}) >= BY_ITSELF:
                return self._ignore(touched)
        self._answered()
        others = [other for other in self.heard.answers if isinstance(other, int) and other != ask]
        known = isinstance(ask, int) and any(self.heard.believed(other) == touched for other in others)
        if known and not self.learned.again:
            name = self._cell(touched)
            self.note = f"{name} has answered for another lamp already: if need be, both are asked again."
        self.heard = self.heard.told(ask, touched)
        return self._go_on()

    def _ignore(self, restless: int) -> None:
        """A sensor answers by itself: it is ignored from now on, and nothing it said is believed."""
        note = f"{self._cell(restless)} answers again and again by itself, so it is ignored."
        by_it = [ask for ask, answers in self.heard.answers.items() if restless in answers]
        self.restless.add(restless)
        self._lately, self.heard = [], self.heard.without(by_it)
        self._go_on()
        self.note = note

    def _go_on(self) -> None:
        """What is asked next, now that something more was heard or skipped."""
        self.learned, self.since = infer_wiring(self.profile, self.heard), self.at
        if self.learned.again and not self.note:
            self.note = "Something does not fit yet, so this is asked again."

    def _skip(self) -> None:
        """Nobody answers what is asked. If cells are asked for without light, none of them is any more."""
        ask = self.learned.ask
        assert ask is not None
        named = isinstance(ask, str) and ask not in corner_lamps(self.profile.size)
        asks: list[Ask] = [*beside_the_corner(self.profile.size)] if named else [ask]
        self.heard = self.heard.without([ask]).skip(asks)
        self._go_on()

    def _wait(self) -> None:
        """What is due because nobody did anything for a while."""
        if self.fingers.holds_touch or self.learned.ask is None:
            return
        if self.at >= self._given_up:
            self.note = "It was skipped: nobody answered."
            self._skip()
        elif self.at - self.since >= NOBODY_AFTER and not self.note.startswith("Nothing has answered"):
            self.note = f"Nothing has answered for {NOBODY_AFTER:g} s."

    @property
    def _given_up(self) -> float:
        """When what is asked is skipped although nobody has answered; without the corners there would be no walk."""
        corner = self.learned.ask in corner_lamps(self.profile.size)
        return self.since + SKIP_AFTER if self._timed and not corner else inf

    def _cells_page(self) -> StepPage:
        choices = SetupOption("s", "skip this one"), SetupOption("a", "wait for it again")
        return StepPage(self.title, wrap_lines(self.note), self._asks, choices, self._progress)

    def _cells_light(self) -> Lit:
        """One lamp; or, while a cell is asked for that is not lit, all: they wink to tell which."""
        ask, left = self.learned.ask, self._given_up - self.at
        if self.fingers.holds_touch:
            return NO_LIGHT
        if isinstance(ask, int):
            return {ask: fade_colour(PROBE, left)}
        told = (*corner_lamps(self.profile.size), *beside_the_corner(self.profile.size)[:2])
        times = told.index(ask) + 1 if ask in told else len(told) + 1
        beat = self._beats(WINK) % round(WINKS_EVERY / WINK) - 1
        winks = beat in range(0, 2 * times, 2)
        return NO_LIGHT if winks else dict.fromkeys(self.profile.chain.cell_positions, fade_colour(GLOW, left))

    def _beats(self, beat: float) -> int:
        """How many beats have passed since it was asked."""
        return int(round((self.at - self.since) / beat, 6) // 1)

    def _next_beat(self, beat: float) -> float:
        """The next instant at which something lit may change, so many seconds being a beat since it was asked."""
        return self.since + (self._beats(beat) + 1) * beat

    @property
    def _asks(self) -> str:
        """The sentence that says what to do."""
        ask, size = self.learned.ask, self.profile.size
        do = "put a piece on {} and take it off again" if self.profile.sensing.kind == "hall" else "touch {}"
        if isinstance(ask, int):
            said = do.format("the cell that is lit")
            return f"{said[0].upper()}{said[1:]}."
        left, right = corner_lamps(size)
        x, y = get_grid(size).cell_coordinates(ask or left)
        where = {left: "the bottom left corner", right: "the bottom right corner"}
        words = where.get(ask or left, f"column {x + 1} from the left, row {y + 1} from the bottom")
        return f"As you sit at the side where light plays: {do.format(f'{ask} ({words})')}."

    @property
    def _progress(self) -> tuple[int, int]:
        """Touches so far, of about how many."""
        asks: list[Ask] = [*corner_lamps(self.profile.size), *probe_lamps(self.profile)]
        done = sum(not self.heard.open(ask) for ask in asks) + len(self.reds) + len(CHANNELS) * self._colours_known
        return done, len(asks) + len(CHANNELS) + 1

    def _lamp(self, cell: Cell) -> int:
        """The first lamp of a cell, by its place in the chain."""
        assert self.learned.lamps
        return self.learned.lamps[self.cells.index(cell) * self.profile.chain.lamps_per_cell]

    def _names(self, inputs: set[int]) -> tuple[str, ...]:
        return tuple(map(self._cell, sorted(inputs)))

    def _cell(self, answered: int) -> str:
        """How an input is called: by the cell under which it lies, or is drawn as long as that is not known."""
        return self._under(answered) or self.cells[answered]

    def _under(self, answered: int) -> Cell | None:
        """The cell under which an input lies, if that is known."""
        sensors = self.learned.sensors or {}
        return next((cell for cell, under in sensors.items() if under == answered), None)


def wrap_lines(sentence: str) -> tuple[str, ...]:
    """A sentence as lines of a page."""
    return tuple(textwrap.wrap(sentence, MOST_COLUMNS))
