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
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isqrt

from pond_hw.board import RGB, Health, Reading
from pond_hw.profile.board_profile import Analog, Pretended, Profile
from pond_hw.profile.faults import listed
from pond_hw.rules import Cell, grid
from pond_hw.setup.map_drawings import WIDEST, lamps_drawn, sensors_drawn, side_by_side, text
from pond_hw.setup.remedies import FLAPPING, remedy
from pond_hw.setup.setup_light import faded, next_fade
from pond_hw.setup.step import WARNING, Choice, Event, Finding, Page, Reply, Result, Tick
from pond_hw.setup.touch_detector import LEAST_HOLD, Felt, Fingers, What
from pond_hw.setup.wiring_inference import Ask, Heard, Learned, beside_the_corner, corners, learn, probes

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


@dataclass(frozen=True, slots=True)
class MapWalk:
    """The step; `MapWalk.start` begins it.

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
        asked_colours: whether the colours are done with.
        refused: whether the corner that means no was touched once.
        view: what the last page shows: `l` lamps, `s` sensors, `f` what was found.
        stuck: inputs that were on all the time.
        lately: the inputs that answered last, when, and the place of the lamp that was lit then.
        restless: inputs that answer by themselves, and are ignored.
        trouble: why the sensors are not reached, if they are not.
        timed: whether what nobody answers is skipped after a while, as by the lamps alone.
        result: what came of it.
    """

    profile: Profile
    at: float
    since: float
    fingers: Fingers
    heard: Heard
    learned: Learned
    stage: Stage = Stage.ASKING
    note: str = ""
    reds: tuple[int, ...] = ()
    colours: str = ""
    asked_colours: bool = False
    refused: bool = False
    view: str = "f"
    stuck: frozenset[int] = frozenset()
    lately: tuple[tuple[int, float, int], ...] = ()
    restless: frozenset[int] = frozenset()
    trouble: str = ""
    timed: bool = False
    result: Result | None = None

    @classmethod
    def start(cls, profile: Profile, at: float, *, timed: bool = False) -> MapWalk:
        """The walk from its beginning.

        Args:
            profile: the board as it is drawn so far.
            at: the instant, in seconds on the board's clock.
            timed: whether it is led by the lamps alone.
        """
        hold = max(profile.sensing.debounce, LEAST_HOLD)
        heard = Heard()
        return cls(
            profile, at, at, Fingers(hold), heard, learn(profile, heard),
            colours=profile.chain.colours, asked_colours=profile.chain.driver == "neotrellis",
            timed=timed,
        )  # fmt: skip

    def after(self, event: Event) -> MapWalk:
        """The walk after an event."""
        if self.result:
            return self
        match event:
            case Reply(key, at):
                return replace(self, at=at)._replied(key)
            case Health(None, at):
                return replace(self, at=at, since=at, trouble="", fingers=self.fingers.afresh(at))
            case Health(str(trouble), at):
                return replace(self, at=at, trouble=trouble)
            case Reading(at=at):
                levels = tuple(0 if i in self.restless else level for i, level in enumerate(event.levels))
                fingers, felt = self.fingers.after(at, event._replace(levels=levels))
            case Tick(at):
                if self.trouble:
                    return replace(self, at=at)
                fingers, felt = self.fingers.after(at)
            case _:
                return self
        walk = replace(self, at=at, fingers=fingers)
        for each in felt:
            walk = walk._felt(each)
        return walk._waited()

    # What is felt

    def _felt(self, felt: Felt) -> MapWalk:
        if self.result or {*felt.inputs} & self.restless:
            return self
        names = listed(self._cell(i) for i in felt.inputs)
        match felt.what:
            case What.TOUCH:
                return self._touched(felt.inputs[0])
            case What.TWO:
                only = "Touch only the cell that is lit." if isinstance(self.learned.ask, int) else "Touch only one."
                return replace(self, since=self.at, note=f"Two answered at once: {names}. {only}")
            case What.FLICKER:
                said = f"{names} flickers: more than ten times in a second, and it never holds still. Touch it firmly."
                return replace(self, note=said)
            case What.STUCK:
                some = "are on all the time and are" if len(felt.inputs) > 1 else "is on all the time and is"
                said = f"{names} {some} ignored until it lets go."
                return replace(self, note=said, stuck=self.stuck | set(felt.inputs))
            case _:  # a finger comes down: why the colours begin again is to be read until one is understood
                return self if self.stage == Stage.COLOURS else replace(self, note="")

    def _touched(self, answered: int) -> MapWalk:
        lately = tuple(each for each in self.lately if each[1] > self.at - WITHIN)
        if self.stage == Stage.ASKING and isinstance(self.learned.ask, int):
            lately = (*lately, (answered, self.at, self.learned.ask))
        if len({ask for i, _, ask in lately if i == answered}) >= BY_ITSELF:
            return self._hushed(answered)
        return replace(self, lately=lately)._understood(answered)

    def _hushed(self, answered: int) -> MapWalk:
        """An input answers by itself: it is ignored from now on, and nothing it said is believed."""
        by_it = [ask for ask, all_ in self.heard.answers.items() if answered in all_]
        said = f"{self._cell(answered)} answers again and again by itself, so it is ignored."
        walk = replace(self, restless=self.restless | {answered}, lately=(), heard=self.heard.without(by_it))
        return replace(walk._go_on(), note=said)

    def _understood(self, answered: int) -> MapWalk:
        walk = replace(self, since=self.at, note="", refused=False)
        match self.stage:
            case Stage.ASKING:
                return walk._answered(answered)
            case Stage.COLOURS:
                cell = self._under(answered)
                return walk._coloured(cell) if cell else walk
            case Stage.CONSENT:
                return walk._consented(answered, self.refused)
            case _:
                return walk

    def _answered(self, answered: int) -> MapWalk:
        ask = self.learned.ask
        if ask is None:
            return self
        note = ""
        earlier = [
            other for other in self.heard.answers
            if isinstance(other, int) and isinstance(ask, int) and other != ask
            and self.heard.believed(other) == answered
        ]  # fmt: skip
        if earlier and not self.learned.again:
            note = f"{self._cell(answered)} has answered for another lamp already: if need be, both are asked again."
        return replace(self, heard=self.heard.told(ask, answered), note=note)._go_on()

    def _go_on(self) -> MapWalk:
        """What is asked next, now that something more was heard or skipped."""
        learned = learn(self.profile, self.heard)
        walk = replace(self, learned=learned, since=self.at)
        if learned.ask is not None:
            if learned.again and not walk.note:
                walk = replace(walk, note="Something does not fit yet, so this is asked again.")
            return replace(walk, stage=Stage.ASKING)
        if not learned.found:
            return replace(walk, stage=Stage.OVER, result=Result(walk._findings))
        if walk.asked_colours:
            view = "l" if learned.lamps != walk.profile.chain.cells else "s"
            return replace(walk, stage=Stage.CONSENT, view=view)
        return replace(walk, stage=Stage.COLOURS, reds=())

    # The colours

    @property
    def _answering(self) -> tuple[Cell, ...]:
        """The cells that can be asked to answer: they did when they were lit, and are not on all the time."""
        per_cell = self.profile.chain.per_cell
        lit = {i // per_cell for i, place in enumerate(self.learned.lamps or ()) if place in self.heard.answers}
        sensors = self.learned.sensors or {}
        return tuple(
            cell
            for i, cell in enumerate(grid(self.profile.size).cells)
            if i in lit and sensors.get(cell) not in self.fingers.ignored | self.restless
        )

    @property
    def _trio(self) -> tuple[Cell, ...]:
        """The cells that show red, green and blue: three beside each other in a middle row, if they can answer."""
        rows, answering = grid(self.profile.size).rows, self._answering
        middle = self.profile.size // 2
        near = sorted(range(self.profile.size), key=lambda row: (row != middle, row))
        for row in (rows[i] for i in near):
            if set(row[:3]) <= set(answering):
                return row[:3]
        return (*answering, *(cell for row in rows for cell in row if cell not in answering))[:3]

    @property
    def _yes_and_no(self) -> tuple[Cell, Cell]:
        """The cells that mean yes and no: the bottom corners; if one cannot answer, the first (the last) that can."""
        yes, no = corners(self.profile.size)
        others = [cell for cell in self._answering if cell not in (yes, no)]
        if len(others) > 1:
            yes = yes if yes in self._answering else others[0]
            no = no if no in self._answering else others[-1]
        return yes, no

    def _coloured(self, cell: Cell) -> MapWalk:
        """The cell was touched that shows red (green, blue)."""
        trio, wanted = self._trio, CHANNELS[len(self.reds)]
        if cell not in trio:
            return replace(self, note=f"{cell} is not lit. Touch one of {listed(trio)}.")
        if trio.index(cell) in self.reds:
            before = CHANNELS[self.reds.index(trio.index(cell))]
            said = f"You touched {cell} for {before} and for {wanted}. Start again with red."
            return replace(self, reds=(), note=said)
        reds = (*self.reds, trio.index(cell))
        if len(reds) < len(CHANNELS):
            return replace(self, reds=reds)
        order = list(self.profile.chain.colours)
        for colour, shown in zip("RGB", reds, strict=True):
            order[self.profile.chain.colours.index("RGB"[shown])] = colour
        return replace(self, reds=(), colours="".join(order), asked_colours=True)._go_on()

    # Consent

    def _consented(self, answered: int, refused: bool) -> MapWalk:
        yes, no = self._yes_and_no
        match self._under(answered):
            case cell if cell == yes:
                return self._done(agreed=True)
            case cell if cell == no and refused:
                return self._done(agreed=False)
            case cell if cell == no:
                return replace(self, refused=True, note=f"Touch {no} once more to leave everything as it was.")
        return replace(self, note=f"Touch {yes} for yes, or {no} for no.")

    def _done(self, *, agreed: bool) -> MapWalk:
        changes = self._changes if agreed else {}
        told = "; ".join(finding.told.partition(".")[0] for finding in self._findings if finding.kind not in OF_SENSORS)
        why = textwrap.shorten(f"map: {told}", 160, placeholder=" ...") if changes else ""
        return replace(self, stage=Stage.OVER, note="", result=Result(self._findings, changes, why))

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

    # Replies

    def _replied(self, key: str) -> MapWalk:
        walk = replace(self, since=self.at, note="", refused=False)
        cells = grid(self.profile.size).cells
        match self.stage, key:
            case (Stage.ASKING, "s") if self.learned.ask is not None:
                return walk._skipped()
            case (Stage.ASKING, "a") | (Stage.WHICH, "a"):
                return walk if self.stage == Stage.ASKING else replace(walk, stage=Stage.CONSENT)
            case Stage.COLOURS, "s":
                return replace(walk, reds=(), asked_colours=True)._go_on()
            case (Stage.COLOURS, "1" | "2" | "3"):
                return walk._coloured(self._trio[int(key) - 1])
            case (Stage.COLOURS, _) if key in cells:
                return walk._coloured(key)
            case Stage.CONSENT, "y" | "n":
                return walk._done(agreed=key == "y")
            case Stage.CONSENT, "s" | "l" | "f":
                return replace(walk, view=key)
            case Stage.CONSENT, "r":
                return replace(walk, stage=Stage.WHICH)
            case Stage.CONSENT, "c" if self.profile.chain.driver != "neotrellis":
                return replace(walk, stage=Stage.COLOURS, asked_colours=False, reds=())
            case (Stage.CONSENT | Stage.WHICH, _) if key in cells:
                return walk._redo(key)
        return self

    def _skipped(self) -> MapWalk:
        """Nobody answers what is asked. If cells are asked for without light, none of them is any more."""
        ask = self.learned.ask
        if ask is None:
            return self
        asks: list[Ask] = [ask]
        if isinstance(ask, str) and ask not in corners(self.profile.size):
            asks = [*beside_the_corner(self.profile.size)]
        return replace(self, heard=self.heard.without([ask]).skip(asks))._go_on()

    def _redo(self, cell: Cell) -> MapWalk:
        """Ask for all lamps of a cell again, as if they had never been asked; and for the cell, if it was touched."""
        if self.learned.lamps is None:
            return self
        first = grid(self.profile.size).cells.index(cell) * self.profile.chain.per_cell
        inside = self.learned.lamps[first : first + self.profile.chain.per_cell]
        gone = [ask for ask in (*self.heard.answers, *self.heard.skipped) if ask == cell or ask in inside]
        return replace(self, heard=self.heard.without(gone))._go_on()

    def _waited(self) -> MapWalk:
        """What is due because nobody did anything for a while."""
        if self.result or self.stage != Stage.ASKING or self.fingers.busy or self.trouble:
            return self
        waited = self.at - self.since
        if self.at >= self._given_up:
            return replace(self, note="It was skipped: nobody answered.")._skipped()
        if waited >= NOBODY_AFTER and not self.note.startswith("Nothing has answered"):
            return replace(self, note=f"Nothing has answered for {NOBODY_AFTER:g} s.")
        return self

    @property
    def _given_up(self) -> float:
        """When what is asked is skipped although nobody has answered; without the corners there would be no walk."""
        corner = self.learned.ask in corners(self.profile.size)
        return self.since + SKIP_AFTER if self.timed and not corner else inf

    # What is shown

    @property
    def due(self) -> float:
        """When a `Tick` is needed, in seconds."""
        if self.result or self.trouble:
            return inf
        due = self.fingers.due
        if self.stage == Stage.ASKING and not self.fingers.busy:
            told = self.since + NOBODY_AFTER
            due = min(due, next_fade(self._given_up, self.at), told if told > self.at else inf)
        if self.stage == Stage.CONSENT:
            due = min(due, self._next(BLINK))
        if self.stage == Stage.COLOURS and self._begins_again:
            due = min(due, self.since + DARK)
        if isinstance(self.learned.ask, str) and self.stage == Stage.ASKING:
            due = min(due, self._next(WINK))
        return due

    @property
    def _begins_again(self) -> bool:
        """Whether the colours are dark for a moment, so that it is seen without a screen that they begin again."""
        return bool(self.note) and not self.reds and self.at < self.since + DARK

    def _next(self, beat: float) -> float:
        """The next instant at which something lit may change, so many seconds being a beat since it was asked."""
        return self.since + (round((self.at - self.since) / beat, 6) // 1 + 1) * beat

    def _beat(self, beat: float) -> int:
        """How many beats have passed since it was asked."""
        return int(round((self.at - self.since) / beat, 6) // 1)

    @property
    def lit(self) -> Mapping[int, RGB]:
        """What is lit, by the place of the lamp in the chain."""
        ask, lamps, size = self.learned.ask, self.learned.lamps, self.profile.size
        if self.result or self.trouble or (self.fingers.busy and self.stage != Stage.CONSENT):
            return {}
        if self.stage == Stage.ASKING:
            left = self._given_up - self.at
            if isinstance(ask, int):
                return {ask: faded(PROBE, left)}
            return {} if self._winks(ask) else dict.fromkeys(self.profile.chain.cells, faded(GLOW, left))
        if lamps is None:
            return {}
        of = {cell: lamps[i * self.profile.chain.per_cell] for i, cell in enumerate(grid(size).cells)}
        if self.stage == Stage.COLOURS and self._begins_again:
            return {}
        if self.stage == Stage.COLOURS:
            shades = ((FULL, 0, 0), (0, FULL, 0), (0, 0, FULL))
            return {of[cell]: shade for cell, shade in zip(self._trio, shades, strict=True)}
        yes, no = self._yes_and_no
        return {of[yes]: PROBE} | ({of[no]: PROBE} if self._beat(BLINK) % 2 == 0 else {})

    def _winks(self, ask: Ask | None) -> bool:
        """Whether glowing lamps are dark now, to tell which cell is asked for."""
        told = (*corners(self.profile.size), *beside_the_corner(self.profile.size)[:2])
        times = told.index(ask) + 1 if ask in told else len(told) + 1
        beat = self._beat(WINK) % round(WINKS_EVERY / WINK) - 1
        return beat in range(0, 2 * times, 2)

    @property
    def page(self) -> Page:
        """What a person is told and asked now."""
        title = "Where lamps and sensors are"
        if self.trouble:
            return Page(title, _wrapped(self.trouble), "Wait until the sensors are back.", (), self._progress)
        if self.result:
            return Page(title, self._told(LINES), "", (), self._progress)
        note = _wrapped(self.note) if self.note else ()
        match self.stage:
            case Stage.ASKING:
                choices = (Choice("s", "skip this one"), Choice("a", "wait for it again"))
                return Page(title, note, self._asks, choices, self._progress)
            case Stage.COLOURS:
                asks = f"Touch the {CHANNELS[len(self.reds)]} one of the three cells that are lit."
                each = tuple(Choice(str(i + 1), f"it is {cell}") for i, cell in enumerate(self._trio))
                return Page(title, note, asks, (*each, Choice("s", "keep the order as it is")), self._progress)
            case Stage.WHICH:
                asks = "Which cell is to be done again? Type its name."
                each = tuple(Choice(cell, "") for row in grid(self.profile.size).rows for cell in row)
                return Page(title, note, asks, (*each, Choice("a", "none")), self._progress)
        return Page(title, (*self._proposal(LINES - len(note)), *note), self._question, self._choices, self._progress)

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

    @property
    def _question(self) -> str:
        yes, no = self._yes_and_no
        by_hand = f"(On the board: {yes} is lit for yes, {no} blinks for no.)"
        if not self._changes:
            return f"Nothing is to be changed. Done? {by_hand}"
        return f"Take the proposal over? {by_hand}"

    @property
    def _choices(self) -> tuple[Choice, ...]:
        return (
            Choice("y", "yes"),
            Choice("n", "no, leave everything as it was"),
            Choice("s", "sensors"),
            Choice("l", "lamps"),
            Choice("f", "what was found"),
            Choice("r", "do one cell again"),
            *([Choice("c", "do the colours again")] if self.profile.chain.driver != "neotrellis" else []),
        )

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
        done = sum(not self.heard.open(ask) for ask in asks) + len(self.reds) + len(CHANNELS) * self.asked_colours
        return done + (self.result is not None), len(asks) + len(CHANNELS) + 1

    def _cell(self, answered: int) -> str:
        """How an input is called: by the cell under which it lies, or is drawn as long as that is not known."""
        return self._under(answered) or grid(self.profile.size).cells[answered]

    def _under(self, answered: int) -> Cell | None:
        """The cell under which an input lies, if that is known."""
        sensors = self.learned.sensors or {}
        return next((cell for cell, under in sensors.items() if under == answered), None)


def _wrapped(sentence: str) -> tuple[str, ...]:
    return tuple(textwrap.wrap(sentence, WIDEST))
