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
from math import inf

from pond_hw.profile.faults import join_words
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.map_cells import CHANNELS, PROBE, CellWalk, MapStage, wrap_lines
from pond_hw.setup.map_drawings import proposed_changes, proposed_drawing
from pond_hw.setup.remedies import FLAPPING
from pond_hw.setup.step import NO_LIGHT, Lit, Prompt, SetupFinding, SetupOption, StepPage, StepResult, Talk
from pond_hw.setup.wiring_findings import describe_colours, describe_restless, describe_stuck
from pond_hw.setup.wiring_inference import corner_lamps

FULL = 120
"""The one channel of a lamp whose colour is asked for."""

BLINK = 0.5
"""Seconds for which the corner that means no is lit, and as long dark."""

DARK = 1.0
"""Seconds for which the three colours go out when the same cell was touched for two of them: they begin again."""

OF_SENSORS = ("stuck on", FLAPPING)
"""Kinds of findings that are no reason to change a drawing."""

LINES = 16
"""Lines that a page has."""


class MapWalk(CellWalk):
    """The step.

    Attributes:
        view: what the last page shows: `l` lamps, `s` sensors, `f` what was found.
        refused: whether the corner that means no was touched once.
    """

    view, refused = "f", False

    def conversation(self) -> Talk[StepResult]:
        """What is lit is touched, the colours are told apart, and in the end: is that to be taken over?"""
        agreed: bool | None = None
        while agreed is None:
            yield from self._ask_cells()
            if not self.learned.found:
                break
            if not self._colours_known:
                yield from self._ask_colours()
            self.view = "l" if self.learned.lamps != self.profile.chain.cell_positions else "s"
            agreed = yield from self._ask_consent()
        changes = self._proposed if agreed else {}
        told = "; ".join(
            finding.message.partition(".")[0] for finding in self._findings if finding.kind not in OF_SENSORS
        )
        why = textwrap.shorten(f"map: {told}", 160, placeholder=" ...") if changes else ""
        self.stage, self.note = MapStage.OVER, ""
        return StepResult(self._findings, changes, why)

    def last_prompt(self) -> Prompt:
        """What was found."""
        done, total = self._progress
        return Prompt(StepPage(self.title, self._told(LINES), "", (), (done + 1, total)))

    # Colours

    def _ask_colours(self) -> Talk[None]:
        """Three cells show what the profile calls red, green and blue: which is which?"""
        self.stage, self.reds = MapStage.COLOURS, ()
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
            self.note = f"{cell} is not lit. Touch one of {join_words(trio)}."
        elif trio.index(cell) in self.reds:
            before = CHANNELS[self.reds.index(trio.index(cell))]
            self.note, self.reds = f"You touched {cell} for {before} and for {wanted}. Start again with red.", ()
        else:
            self.reds = (*self.reds, trio.index(cell))
        if len(self.reds) == len(CHANNELS):
            drawn = self.profile.chain.colour_order
            order = {drawn.index("RGB"[shown]): colour for colour, shown in zip("RGB", self.reds, strict=True)}
            self.colours, self._colours_known = "".join(order[i] for i in range(len(drawn))), True

    def _colours_page(self) -> StepPage:
        asks = f"Touch the {CHANNELS[len(self.reds)]} one of the three cells that are lit."
        each = tuple(SetupOption(str(number), f"it is {cell}") for number, cell in enumerate(self._trio, 1))
        choices = *each, SetupOption("s", "keep the order as it is")
        return StepPage(self.title, wrap_lines(self.note), asks, choices, self._progress)

    def _colours_light(self) -> Lit:
        if self.fingers.holds_touch or self._begins_again:
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
        per_cell, sensors = self.profile.chain.lamps_per_cell, self.learned.sensors or {}
        lit = {i // per_cell for i, place in enumerate(self.learned.lamps or ()) if place in self.heard.answers}
        ignored = self.fingers.ignored_inputs | self.restless
        return tuple(cell for i, cell in enumerate(self.cells) if i in lit and sensors.get(cell) not in ignored)

    @property
    def _trio(self) -> tuple[Cell, ...]:
        """The cells that show red, green and blue: three beside each other in a middle row, if they can answer."""
        rows, answering, middle = get_grid(self.profile.size).rows, self._answering, self.profile.size // 2
        for _, row in sorted(enumerate(rows), key=lambda numbered: (numbered[0] != middle, numbered[0])):
            if set(row[:3]) <= set(answering):
                return row[:3]
        return (*answering, *(cell for row in rows for cell in row if cell not in answering))[:3]

    # Consent

    def _ask_consent(self) -> Talk[bool | None]:
        """Whether the proposal is to be taken over; None: something is to be asked again first."""
        self.stage = MapStage.CONSENT
        while True:
            consents = self.stage == MapStage.CONSENT
            page = self._consent_page if consents else self._which_page
            happened = yield from self._listen(page, self._consent_light, self._next_beat(BLINK) if consents else inf)
            refused, self.refused = self.refused, self.refused and happened is None
            if isinstance(happened, int) or happened in (*self.cells, *(choice.key for choice in page().choices)):
                self._answered()
            if isinstance(happened, int):
                agreed = self._consent(self._under(happened), refused) if consents else None
            else:
                agreed = self._choose(happened, consents=consents)
            if agreed is not None or self.stage == MapStage.ASKING:
                return agreed

    def _consent(self, cell: Cell | None, refused: bool) -> bool | None:
        """A cell was touched: whether that means yes or no, which has to be said twice."""
        yes, no = self._yes_and_no
        if cell == yes or (cell == no and refused):
            return cell == yes
        self.refused = cell == no
        again = f"Touch {no} once more to leave everything as it was."
        self.note = again if self.refused else f"Touch {yes} for yes, or {no} for no."
        return None

    def _choose(self, key: str | None, *, consents: bool) -> bool | None:
        """An answer was given in a face: yes, no, another view, or what is to be asked again."""
        match key:
            case "y" | "n" if consents:
                return key == "y"
            case "s" | "l" | "f" if consents:
                self.view = key
            case "r" | "a":
                self.stage = MapStage.WHICH if key == "r" else MapStage.CONSENT
            case "c" if consents and self.profile.chain.driver != "neotrellis":
                self._colours_known, self.stage = False, MapStage.ASKING
            case str(cell) if cell in self.cells:
                self._forget(cell)
                self.stage = MapStage.ASKING
        return None

    @property
    def _yes_and_no(self) -> tuple[Cell, Cell]:
        """The cells that mean yes and no: the bottom corners; if one cannot answer, the first (the last) that can."""
        yes, no = corner_lamps(self.profile.size)
        answering = self._answering
        others = [cell for cell in answering if cell not in (yes, no)]
        if len(others) > 1:
            yes, no = yes if yes in answering else others[0], no if no in answering else others[-1]
        return yes, no

    def _forget(self, cell: Cell) -> None:
        """Ask for all lamps of a cell again, as if they had never been asked; and for the cell, if it was touched."""
        per_cell, first = self.profile.chain.lamps_per_cell, self.cells.index(cell) * self.profile.chain.lamps_per_cell
        inside = (self.learned.lamps or ())[first : first + per_cell]
        asked = (*self.heard.answers, *self.heard.skipped)
        self.heard = self.heard.without([ask for ask in asked if ask == cell or ask in inside])

    def _consent_page(self) -> StepPage:
        note, (yes, no) = wrap_lines(self.note), self._yes_and_no
        asks = "Take the proposal over?" if self._proposed else "Nothing is to be changed. Done?"
        choices = (
            SetupOption("y", "yes"),
            SetupOption("n", "no, leave everything as it was"),
            SetupOption("s", "sensors"),
            SetupOption("l", "lamps"),
            SetupOption("f", "what was found"),
            SetupOption("r", "do one cell again"),
            *([SetupOption("c", "do the colours again")] if self.profile.chain.driver != "neotrellis" else []),
        )
        asks = f"{asks} (On the board: {yes} is lit for yes, {no} blinks for no.)"
        most = LINES - len(note)
        drawing = proposed_drawing(self.profile, self.learned, self.colours, self.view)
        lines = (*self._told(most - len(drawing)), *drawing)[-most:]
        return StepPage(self.title, (*lines, *note), asks, choices, self._progress)

    def _which_page(self) -> StepPage:
        each = tuple(SetupOption(cell, "") for row in get_grid(self.profile.size).rows for cell in row)
        asks, choices = "Which cell is to be done again? Type its name.", (*each, SetupOption("a", "none"))
        return StepPage(self.title, wrap_lines(self.note), asks, choices, self._progress)

    def _consent_light(self) -> Lit:
        if self.fingers.holds_touch and self.stage != MapStage.CONSENT:
            return NO_LIGHT
        yes, no = self._yes_and_no
        return dict.fromkeys([self._lamp(yes), *([] if self._beats(BLINK) % 2 else [self._lamp(no)])], PROBE)

    # What is found

    @property
    def _findings(self) -> tuple[SetupFinding, ...]:
        found, chain = list(self.learned.findings), self.profile.chain
        if self.learned.found and self.colours != chain.colour_order:
            found.append(describe_colours(self.colours, chain.colour_order))
        if self.restless:
            found.append(describe_restless(self._names(self.restless), self.profile.sensing.kind))
        if stuck := self.stuck & self.fingers.ignored_inputs:
            found.append(describe_stuck(self._names(stuck)))
        return tuple(found)

    def _told(self, most: int) -> tuple[str, ...]:
        """What was found, in so many lines."""
        lines = [line for finding in self._findings for line in wrap_lines(finding.message)]
        return tuple(lines) if len(lines) <= most else (*lines[: most - 1], "... and more: see what was found.")

    @property
    def _proposed(self) -> dict[str, object]:
        return proposed_changes(self.profile, self.learned, self.colours)
