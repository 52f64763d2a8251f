"""The walk in which a board learns where its lamps and sensors are: what is lit is touched.

    corners     all lamps glow faintly    touch the bottom left corner; the bottom right one
    lamps       one lamp is lit           touch its cell; once for every cell, and again where something is doubted
    colours     three cells are lit       touch the red one, the green one, the blue one
    consent     a1 is lit, the bottom     touch a1 to take the proposal over, the one that blinks to leave it
                right corner blinks

While all glow, they wink every three seconds and so say which cell is asked for: once the bottom left corner, twice the
bottom right one, three times the cell over the bottom left corner, four times the one beside it; five times one that
only words can tell. A touch counts when it lets go; the light goes out as soon as it is felt. Pure, as every step is.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from enum import StrEnum
from math import inf, isqrt

from pond_hw.board import RGB, Health, Reading
from pond_hw.profile.board_profile import Analog, Pretended, Profile
from pond_hw.profile.faults import listed
from pond_hw.rules import Cell, grid
from pond_hw.setup.map_drawings import WIDEST, lamps_drawn, sensors_drawn, side_by_side, text
from pond_hw.setup.remedies import FLAPPING, remedy
from pond_hw.setup.setup_light import faded, next_fade
from pond_hw.setup.step import NO_LIGHT, WARNING, Choice, Finding, Lit, Page, Prompt, Reply, Result, Step, Talk, Tick
from pond_hw.setup.touch_detector import Felt, Fingers, What
from pond_hw.setup.wiring_findings import Ask
from pond_hw.setup.wiring_inference import Heard, beside_the_corner, corners, learn, probes

GLOW: RGB = (30, 30, 30)
"""All lamps, while a cell is asked for that is not lit."""

PROBE: RGB = (120, 120, 120)
"""The one lamp whose cell is asked for."""

FULL = 120
"""The one channel of a lamp whose colour is asked for."""

BLINK = 0.5
"""Seconds for which the corner that means no is lit, and as long dark."""

WINK, WINKS_EVERY = 0.2, 3.0
"""Seconds for which glowing lamps go dark to tell which cell is asked for, and from one such telling to the next."""

DARK = 1.0
"""Seconds for which the three colours go out when the same cell was touched for two of them: they begin again."""

BY_ITSELF, WITHIN = 4, 2.5
"""So many touches of one sensor in so many seconds, each when another lamp is lit, are no finger's."""

NOBODY_AFTER = 20.0
"""Seconds after which it is said that nobody answers."""

SKIP_AFTER = 60.0
"""Seconds after which, by the lamps alone, it is skipped: so a walk gets past a dead sensor."""

OF_SENSORS = ("stuck on", FLAPPING)
"""Kinds of findings that are no reason to change a drawing."""

LINES = 16
"""Lines that a page has."""


class Stage(StrEnum):
    """What is being done: lamps and cells are asked for, colours, consent, a cell to do again; or it is over."""

    ASKING = "asking"
    COLOURS = "colours"
    CONSENT = "consent"
    WHICH = "which"
    OVER = "over"


CHANNELS = ("red", "green", "blue")


class MapWalk(Step):
    """The step.

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
        refused: whether the corner that means no was touched once.
        view: what the last page shows: `l` lamps, `s` sensors, `f` what was found.
        stuck: inputs that were on all the time.
        restless: inputs that answer by themselves, and are ignored.
    """

    title = "Where lamps and sensors are"

    def __init__(self, profile: Profile, at: float, *, timed: bool = False, heard: Heard | None = None) -> None:
        """The walk from its beginning.

        Args:
            profile: the board as it is drawn so far.
            at: the instant, in seconds on the board's clock.
            timed: whether it is led by the lamps alone: then what nobody answers is skipped after a while.
            heard: what has been answered already.
        """
        self.profile, self.at, self.since, self._timed = profile, at, at, timed
        self.cells = grid(profile.size).cells
        self.fingers, self.heard = Fingers(profile), heard or Heard()
        self.learned = learn(profile, self.heard)
        self.stage, self.note, self.view, self.refused = Stage.ASKING, "", "f", False
        self.reds: tuple[int, ...] = ()
        self.colours = profile.chain.colours
        self._colours_known = profile.chain.driver == "neotrellis"
        self.stuck: set[int] = set()
        self.restless: set[int] = set()
        self._lately: list[tuple[int, float, int]] = []  # which input answered, when, and which lamp was lit then
        self._pending: list[Felt] = []
        super().__init__()

    def conversation(self) -> Talk[Result]:
        """What is lit is touched, the colours are told apart, and in the end: is that to be taken over?"""
        agreed: bool | None = None
        while agreed is None:
            yield from self._ask_cells()
            if not self.learned.found:
                break
            if not self._colours_known:
                yield from self._ask_colours()
            self.view = "l" if self.learned.lamps != self.profile.chain.cells else "s"
            agreed = yield from self._ask_consent()
        changes = self._changes if agreed else {}
        told = "; ".join(finding.told.partition(".")[0] for finding in self._findings if finding.kind not in OF_SENSORS)
        why = textwrap.shorten(f"map: {told}", 160, placeholder=" ...") if changes else ""
        self.stage, self.note = Stage.OVER, ""
        return Result(self._findings, changes, why)

    def last_prompt(self) -> Prompt:
        """What was found."""
        done, total = self._progress
        return Prompt(Page(self.title, self._told(LINES), "", (), (done + 1, total)))

    # What happens

    def _listen(self, page: Callable[[], Page], lit: Callable[[], Lit], due: float) -> Talk[str | int | None]:
        """The next thing that happens: the key of a reply, the input that was touched, or nothing that counts."""
        while not self._pending:
            event = yield Prompt(page, lit, min(due, self.fingers.due))
            match event:
                case Reply(key, at):
                    self.at = at
                    return key
                case Health(trouble, at):
                    self.at = at
                    if trouble:
                        yield from self._wait_for_sensors(trouble)
                    self.since = self.at
                    self.fingers.begin_anew(self.at)
                case Reading(levels, at):
                    self.at = at
                    heard = tuple(0 if number in self.restless else level for number, level in enumerate(levels))
                    self._pending = self.fingers.feel(event._replace(levels=heard))
                case Tick(at):
                    self.at = at
                    self._pending = self.fingers.feel(event)
            if not self._pending:
                return None
        return self._feel(self._pending.pop(0))

    def _wait_for_sensors(self, trouble: str | None) -> Talk[None]:
        while trouble:
            page = Page(self.title, _wrapped(trouble), "Wait until the sensors are back.", (), self._progress)
            event = yield Prompt(page)
            if isinstance(event, Health):
                trouble, self.at = event.trouble, event.at

    def _feel(self, felt: Felt) -> int | None:
        """The input that was touched; of what is no touch a note is made."""
        if {*felt.inputs} & self.restless:
            return None
        names = listed(self._cell(number) for number in felt.inputs)
        match felt.what:
            case What.TOUCH:
                return felt.inputs[0]
            case What.TWO:
                only = "Touch only the cell that is lit." if isinstance(self.learned.ask, int) else "Touch only one."
                self.since, self.note = self.at, f"Two answered at once: {names}. {only}"
            case What.FLICKER:
                often = "more than ten times in a second, and it never holds still"
                self.note = f"{names} flickers: {often}. Touch it firmly."
            case What.STUCK:
                some = "are on all the time and are" if len(felt.inputs) > 1 else "is on all the time and is"
                self.note = f"{names} {some} ignored until it lets go."
                self.stuck |= {*felt.inputs}
            case _ if self.stage != Stage.COLOURS:  # why the colours begin again is to be read until one is understood
                self.note = ""
        return None

    def _answered(self) -> None:
        """Something was touched or said: what is asked is waited for anew."""
        self.since, self.note, self.refused = self.at, "", False

    # Cells

    def _ask_cells(self) -> Talk[None]:
        """Ask until both maps are known, or nothing can be known."""
        self._go_on()
        while (ask := self.learned.ask) is not None:
            self.stage = Stage.ASKING
            told = self.since + NOBODY_AFTER
            due = min(next_fade(self._given_up, self.at), told if told > self.at else inf)
            due = inf if self.fingers.busy else due
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
        self.learned, self.since = learn(self.profile, self.heard), self.at
        if self.learned.again and not self.note:
            self.note = "Something does not fit yet, so this is asked again."

    def _skip(self) -> None:
        """Nobody answers what is asked. If cells are asked for without light, none of them is any more."""
        ask = self.learned.ask
        assert ask is not None
        named = isinstance(ask, str) and ask not in corners(self.profile.size)
        asks: list[Ask] = [*beside_the_corner(self.profile.size)] if named else [ask]
        self.heard = self.heard.without([ask]).skip(asks)
        self._go_on()

    def _wait(self) -> None:
        """What is due because nobody did anything for a while."""
        if self.fingers.busy or self.learned.ask is None:
            return
        if self.at >= self._given_up:
            self.note = "It was skipped: nobody answered."
            self._skip()
        elif self.at - self.since >= NOBODY_AFTER and not self.note.startswith("Nothing has answered"):
            self.note = f"Nothing has answered for {NOBODY_AFTER:g} s."

    @property
    def _given_up(self) -> float:
        """When what is asked is skipped although nobody has answered; without the corners there would be no walk."""
        corner = self.learned.ask in corners(self.profile.size)
        return self.since + SKIP_AFTER if self._timed and not corner else inf

    def _cells_page(self) -> Page:
        choices = Choice("s", "skip this one"), Choice("a", "wait for it again")
        return Page(self.title, _wrapped(self.note), self._asks, choices, self._progress)

    def _cells_light(self) -> Lit:
        """One lamp; or, while a cell is asked for that is not lit, all: they wink to tell which."""
        ask, left = self.learned.ask, self._given_up - self.at
        if self.fingers.busy:
            return NO_LIGHT
        if isinstance(ask, int):
            return {ask: faded(PROBE, left)}
        told = (*corners(self.profile.size), *beside_the_corner(self.profile.size)[:2])
        times = told.index(ask) + 1 if ask in told else len(told) + 1
        beat = self._beats(WINK) % round(WINKS_EVERY / WINK) - 1
        winks = beat in range(0, 2 * times, 2)
        return NO_LIGHT if winks else dict.fromkeys(self.profile.chain.cells, faded(GLOW, left))

    def _beats(self, beat: float) -> int:
        """How many beats have passed since it was asked."""
        return int(round((self.at - self.since) / beat, 6) // 1)

    def _next_beat(self, beat: float) -> float:
        """The next instant at which something lit may change, so many seconds being a beat since it was asked."""
        return self.since + (self._beats(beat) + 1) * beat

    # Colours

    def _ask_colours(self) -> Talk[None]:
        """Three cells show what the profile calls red, green and blue: which is which?"""
        self.stage, self.reds = Stage.COLOURS, ()
        while not self._colours_known:
            due = self.since + DARK if self._begins_again else inf
            match (yield from self._listen(self._colours_page, self._colours_light, due)):
                case int(touched):
                    self._answered()
                    self._color(self._under(touched))
                case "s":
                    self._answered()
                    self._colours_known = True
                case "1" | "2" | "3" as key:
                    self._answered()
                    self._color(self._trio[int(key) - 1])
                case str(key) if key in self.cells:
                    self._answered()
                    self._color(key)
        self.reds, self.since = (), self.at

    def _color(self, cell: Cell | None) -> None:
        """The cell was touched that shows red (green, blue)."""
        trio, wanted = self._trio, CHANNELS[len(self.reds)]
        if cell is None:
            return
        if cell not in trio:
            self.note = f"{cell} is not lit. Touch one of {listed(trio)}."
        elif trio.index(cell) in self.reds:
            before = CHANNELS[self.reds.index(trio.index(cell))]
            self.note, self.reds = f"You touched {cell} for {before} and for {wanted}. Start again with red.", ()
        else:
            self.reds = (*self.reds, trio.index(cell))
        if len(self.reds) == len(CHANNELS):
            drawn = self.profile.chain.colours
            order = {drawn.index("RGB"[shown]): colour for colour, shown in zip("RGB", self.reds, strict=True)}
            self.colours, self._colours_known = "".join(order[i] for i in range(len(drawn))), True

    def _colours_page(self) -> Page:
        asks = f"Touch the {CHANNELS[len(self.reds)]} one of the three cells that are lit."
        each = tuple(Choice(str(number), f"it is {cell}") for number, cell in enumerate(self._trio, 1))
        choices = *each, Choice("s", "keep the order as it is")
        return Page(self.title, _wrapped(self.note), asks, choices, self._progress)

    def _colours_light(self) -> Lit:
        if self.fingers.busy or self._begins_again:
            return NO_LIGHT
        shades = ((FULL, 0, 0), (0, FULL, 0), (0, 0, FULL))
        return {self._lamp(cell): shade for cell, shade in zip(self._trio, shades, strict=True)}

    @property
    def _begins_again(self) -> bool:
        """Whether the colours are dark for a moment, so that it is seen without a screen that they begin again."""
        return bool(self.note) and not self.reds and self.at < self.since + DARK

    @property
    def _answering(self) -> tuple[Cell, ...]:
        """The cells that can be asked to answer: they did when they were lit, and are not on all the time."""
        per_cell, sensors = self.profile.chain.per_cell, self.learned.sensors or {}
        lit = {i // per_cell for i, place in enumerate(self.learned.lamps or ()) if place in self.heard.answers}
        ignored = self.fingers.ignored | self.restless
        return tuple(cell for i, cell in enumerate(self.cells) if i in lit and sensors.get(cell) not in ignored)

    @property
    def _trio(self) -> tuple[Cell, ...]:
        """The cells that show red, green and blue: three beside each other in a middle row, if they can answer."""
        rows, answering, middle = grid(self.profile.size).rows, self._answering, self.profile.size // 2
        for _, row in sorted(enumerate(rows), key=lambda numbered: (numbered[0] != middle, numbered[0])):
            if set(row[:3]) <= set(answering):
                return row[:3]
        return (*answering, *(cell for row in rows for cell in row if cell not in answering))[:3]

    # Consent

    def _ask_consent(self) -> Talk[bool | None]:
        """Whether the proposal is to be taken over; None: something is to be asked again first."""
        self.stage = Stage.CONSENT
        while True:
            consents = self.stage == Stage.CONSENT
            page = self._consent_page if consents else self._which_page
            due = self._next_beat(BLINK) if consents else inf
            happened = yield from self._listen(page, self._consent_light, due)
            refused = self.refused
            if isinstance(happened, int) or happened in (*self.cells, *(choice.key for choice in page().choices)):
                self._answered()
            match happened:
                case int(touched) if consents:
                    cell, (yes, no) = self._under(touched), self._yes_and_no
                    if cell == yes or (cell == no and refused):
                        return cell == yes
                    self.refused, self.note = cell == no, f"Touch {yes} for yes, or {no} for no."
                    if self.refused:
                        self.note = f"Touch {no} once more to leave everything as it was."
                case "y" | "n" if consents:
                    return happened == "y"
                case "s" | "l" | "f" if consents:
                    self.view = happened
                case "r" | "a":
                    self.stage = Stage.WHICH if happened == "r" else Stage.CONSENT
                case "c" if consents and self.profile.chain.driver != "neotrellis":
                    self._colours_known = False
                    return None
                case str(cell) if cell in self.cells:
                    self._forget(cell)
                    return None

    @property
    def _yes_and_no(self) -> tuple[Cell, Cell]:
        """The cells that mean yes and no: the bottom corners; if one cannot answer, the first (the last) that can."""
        yes, no = corners(self.profile.size)
        answering = self._answering
        others = [cell for cell in answering if cell not in (yes, no)]
        if len(others) > 1:
            yes, no = yes if yes in answering else others[0], no if no in answering else others[-1]
        return yes, no

    def _forget(self, cell: Cell) -> None:
        """Ask for all lamps of a cell again, as if they had never been asked; and for the cell, if it was touched."""
        per_cell, first = self.profile.chain.per_cell, self.cells.index(cell) * self.profile.chain.per_cell
        inside = (self.learned.lamps or ())[first : first + per_cell]
        asked = (*self.heard.answers, *self.heard.skipped)
        self.heard = self.heard.without([ask for ask in asked if ask == cell or ask in inside])

    def _consent_page(self) -> Page:
        note, (yes, no) = _wrapped(self.note), self._yes_and_no
        asks = "Take the proposal over?" if self._changes else "Nothing is to be changed. Done?"
        choices = (
            Choice("y", "yes"),
            Choice("n", "no, leave everything as it was"),
            Choice("s", "sensors"),
            Choice("l", "lamps"),
            Choice("f", "what was found"),
            Choice("r", "do one cell again"),
            *([Choice("c", "do the colours again")] if self.profile.chain.driver != "neotrellis" else []),
        )
        asks = f"{asks} (On the board: {yes} is lit for yes, {no} blinks for no.)"
        return Page(self.title, (*self._proposal(LINES - len(note)), *note), asks, choices, self._progress)

    def _which_page(self) -> Page:
        each = tuple(Choice(cell, "") for row in grid(self.profile.size).rows for cell in row)
        asks, choices = "Which cell is to be done again? Type its name.", (*each, Choice("a", "none"))
        return Page(self.title, _wrapped(self.note), asks, choices, self._progress)

    def _consent_light(self) -> Lit:
        if self.fingers.busy and self.stage != Stage.CONSENT:
            return NO_LIGHT
        yes, no = self._yes_and_no
        return dict.fromkeys([self._lamp(yes), *([] if self._beats(BLINK) % 2 else [self._lamp(no)])], PROBE)

    # What is found

    @property
    def _changes(self) -> dict[str, object]:
        """What is proposed, by its key in a profile."""
        profile, learned = self.profile, self.learned
        changes: dict[str, object] = {}
        if learned.sensors is None or learned.lamps is None:
            return changes
        wiring, cells = profile.sensing.wiring, grid(profile.size).cells
        if not isinstance(wiring, Pretended) and list(learned.sensors.values()) != list(range(len(cells))):
            changes["sensors.cells"] = text(sensors_drawn(profile, learned.sensors))
            if isinstance(wiring, Analog) and len(set(wiring.rest.values())) > 1:
                # what was measured goes with the wire
                rest = {cell: str(counts) for cell, counts in wiring.rest.items()}
                changes["sensors.rest"] = text(sensors_drawn(profile, learned.sensors, rest))
        if learned.lamps != profile.chain.cells:
            side = isqrt(profile.chain.per_cell)
            changes["lamps.cells"] = text(lamps_drawn(profile, learned.lamps), side)
        if self.colours != profile.chain.colours:
            changes["lamps.colours"] = self.colours
        return changes

    @property
    def _findings(self) -> tuple[Finding, ...]:
        profile, found = self.profile, list(self.learned.findings)
        if self.learned.found and self.colours != profile.chain.colours:
            told = f"The lamps take their colours as {self.colours}, the drawing says {profile.chain.colours}."
            cause = "Lamps of different makers take them in different orders."
            found.append(Finding(WARNING, Stage.COLOURS, (), told, cause, "Take the proposed order over."))
        if self.restless:
            names = tuple(map(self._cell, sorted(self.restless)))
            some = "answer by themselves and were" if len(names) > 1 else "answers by itself and was"
            told = f"{listed(names)} {some} ignored."
            found.append(Finding(WARNING, FLAPPING, names, told, *remedy(FLAPPING, profile.sensing.kind)))
        if self.stuck & self.fingers.ignored:
            names = tuple(self._cell(i) for i in sorted(self.stuck & self.fingers.ignored))
            told = f"{listed(names)} {'are' if len(names) > 1 else 'is'} on all the time."
            cause, cure = "Something stands there, or there is a short.", "Take it off, or look at the wires."
            found.append(Finding(WARNING, "stuck on", names, told, cause, cure))
        return tuple(found)

    @property
    def _asks(self) -> str:
        """The sentence that says what to do."""
        ask, size = self.learned.ask, self.profile.size
        do = "put a piece on {} and take it off again" if self.profile.sensing.kind == "hall" else "touch {}"
        if isinstance(ask, int):
            said = do.format("the cell that is lit")
            return f"{said[0].upper()}{said[1:]}."
        left, right = corners(size)
        x, y = grid(size).place(ask or left)
        where = {left: "the bottom left corner", right: "the bottom right corner"}
        words = where.get(ask or left, f"column {x + 1} from the left, row {y + 1} from the bottom")
        return f"As you sit at the side where light plays: {do.format(f'{ask} ({words})')}."

    def _told(self, most: int) -> tuple[str, ...]:
        """What was found, in so many lines."""
        lines = [line for finding in self._findings for line in _wrapped(finding.told)]
        return tuple(lines) if len(lines) <= most else (*lines[: most - 1], "... and more: see what was found.")

    def _proposal(self, most: int) -> tuple[str, ...]:
        """What was found, and the drawing that is looked at, in so many lines."""
        profile, learned = self.profile, self.learned
        if learned.lamps is None or learned.sensors is None or self.view == "f":
            return self._told(most)
        if self.view == "s":
            drawn = dict(zip(grid(profile.size).cells, range(profile.size**2), strict=True))
            drawing = side_by_side(sensors_drawn(profile, drawn), sensors_drawn(profile, learned.sensors))
            what = "Sensors"
        else:
            old, new = lamps_drawn(profile, profile.chain.cells), lamps_drawn(profile, learned.lamps)
            drawing = side_by_side(old, new, isqrt(profile.chain.per_cell))
            what = f"Lamps, colours {self.colours}"
        heading = f"{what}:"
        return (*self._told(most - len(drawing) - 2), "", heading, *drawing)[-most:]

    @property
    def _progress(self) -> tuple[int, int]:
        """Touches so far, of about how many."""
        asks: list[Ask] = [*corners(self.profile.size), *probes(self.profile)]
        done = sum(not self.heard.open(ask) for ask in asks) + len(self.reds) + len(CHANNELS) * self._colours_known
        return done, len(asks) + len(CHANNELS) + 1

    def _lamp(self, cell: Cell) -> int:
        """The first lamp of a cell, by its place in the chain."""
        assert self.learned.lamps
        return self.learned.lamps[self.cells.index(cell) * self.profile.chain.per_cell]

    def _cell(self, answered: int) -> str:
        """How an input is called: by the cell under which it lies, or is drawn as long as that is not known."""
        return self._under(answered) or self.cells[answered]

    def _under(self, answered: int) -> Cell | None:
        """The cell under which an input lies, if that is known."""
        sensors = self.learned.sensors or {}
        return next((cell for cell, under in sensors.items() if under == answered), None)


def _wrapped(sentence: str) -> tuple[str, ...]:
    return tuple(textwrap.wrap(sentence, WIDEST))
