"""The `map` step: find the positions of lamps and sensors by asking the user to touch lit lamps.

    corners     all lamps glow faintly    touch the bottom left corner, then the bottom right corner
    lamps       one lamp is lit           touch its cell; once for each cell, and again in case of doubt
    colours     three cells are lit       touch the red one, the green one, then the blue one
    consent     a1 is lit, the bottom     touch a1 to accept the proposal, or touch the blinking corner twice
                right corner blinks       to reject it

While all lamps glow, they wink every three seconds to show which cell to touch: once for the bottom left corner, twice
for the bottom right corner, three times for the cell above a1, four times for the cell to the right of a1, and five
times for a cell that only the screen can name. A touch counts when it ends, but the lamps go out as soon as a sensor
responds.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import chain
from math import inf

from pond_hw.board import RGB, Sample
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup import wiring_findings
from pond_hw.setup.findings import SetupFinding
from pond_hw.setup.lamp_positions import fade_colour, next_fade_time
from pond_hw.setup.pages import YES, Block, SetupOption, StepPage
from pond_hw.setup.step import (
    NO_LIGHT,
    Conversation,
    LitLamps,
    Prompt,
    SensorsBack,
    SetupStep,
    StepReply,
    StepResult,
    StepTick,
    listen,
)
from pond_hw.setup.touch_detector import DetectedTouch, TouchDetector, TouchKind
from pond_hw.setup.wiring_findings import Question, proposed_changes, proposed_drawing
from pond_hw.setup.wiring_inference import TouchAnswers, bottom_corners, infer_wiring, non_corner_cells, probe_lamps

GLOW: RGB = (30, 30, 30)  # all lamps, while the user must find a cell without a lit lamp
PROBE: RGB = (120, 120, 120)  # the lamp to touch

WINK, WINKS_EVERY = 0.2, 3.0
"""Duration of a wink, and time from one series of winks to the next, in seconds."""

RESTLESS_TOUCHES, RESTLESS_SECONDS = 4, 2.5
"""A sensor is defective if it responds for this many different lamps within this many seconds."""

NO_ANSWER_AFTER = 20.0  # seconds without an answer after which a note says so
SKIP_AFTER = 60.0  # seconds after which a question is skipped if there is no screen, to get past a dead sensor

FULL = 120  # brightness of the lit channel during the colour questions
BLINK = 0.5  # seconds for which the blinking "no" corner stays lit or dark

DARK = 1.0
"""Seconds of darkness before the colour questions start again because the same cell was touched for two colours."""

NO_ANSWER = Message("map_walk.nobody", seconds=round(NO_ANSWER_AFTER))

SKIP_CHOICES = SetupOption("s", Message("setup_key.skip")), SetupOption("a", Message("setup_key.wait"))
DRAWING_CHOICES = (
    YES,
    SetupOption("n", Message("setup_key.no_change")),
    SetupOption("s", Message("setup_key.sensors")),
    SetupOption("l", Message("setup_key.lamps")),
    SetupOption("f", Message("setup_key.found")),
    SetupOption("r", Message("setup_key.one_cell")),
)
COLOURS_AGAIN = SetupOption("c", Message("setup_key.colours"))

SENSOR_KINDS = ("stuck on", "flapping")  # kinds of finding that don't change the drawing


class WiringStage(StrEnum):
    """Stage of the wiring step. In `WHICH`, the user chooses the cell to repeat."""

    ASKING = "asking"
    COLOURS = "colours"
    CONSENT = "consent"
    WHICH = "which"
    OVER = "over"


class WiringStep(SetupStep):
    """The `map` step.

    Attributes:
        profile: the board's current profile.
        at: time of the latest event, in seconds.
        since: time of the current question, or of the latest response to it.
        detector: touch detector.
        touch_answers: answers so far.
        learned: wiring inferred from the answers.
        stage: current stage.
        note: latest error message or confirmation.
        naming: state of the colour questions.
        colours: colour order of the lamps; until it is known, the order in the profile.
        stuck_inputs: inputs that are always on.
        restless_inputs: inputs that are ignored because they respond without a touch.
        view: content of the consent page: `l` for lamps, `s` for sensors, `f` for findings.
        refused: True after the first of two touches on the "no" corner.
    """

    title = Message("map_walk.title")

    def __init__(
        self, profile: Profile, instant: float, *, is_timed: bool = False, answers: TouchAnswers | None = None
    ) -> None:
        """Start the step.

        Args:
            profile: the board's current profile.
            instant: current time on the board's clock, in seconds.
            is_timed: True to skip unanswered questions after a while, for set-up without a screen.
            answers: earlier answers.
        """
        self.profile, self.at, self.since, self._timed = profile, instant, instant, is_timed
        self._asked_at = instant
        self.cells, self._corners = get_grid(profile.size).cells, bottom_corners(profile.size)
        self.detector, self.touch_answers = TouchDetector(profile), answers or TouchAnswers()
        self.learned = infer_wiring(profile, self.touch_answers)
        self.stage, self.view, self.refused = WiringStage.ASKING, "f", False
        self.note: Message | None = None
        self.naming = ColourNaming(profile.chain.colour_order)
        self.colours = profile.chain.colour_order
        self._touch = "put" if profile.sensing.kind == "hall" else "touch"
        self._has_one_order = self._colours_known = profile.chain.driver == "neotrellis"
        self.stuck_inputs, self.restless_inputs = set[int](), set[int]()
        self._recent_answers: list[tuple[int, float, int]] = []  # input, instant and lit lamp
        self._pending: list[DetectedTouch] = []
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Find the positions of lamps and sensors, then the colour order. Finally, ask for consent."""
        is_agreed: bool | None = None
        while is_agreed is None:
            yield from self._ask_cells()
            if not self.learned.found:
                break
            if not self._colours_known:
                yield from self._ask_colours()
            self.view = "l" if self.learned.lamps != self.profile.chain.cell_positions else "s"
            is_agreed = yield from self._ask_consent()
        proposed_changes = self._proposed if is_agreed else {}
        reasons = [
            to_english(finding.message).partition(".")[0]
            for finding in self._findings
            if finding.message and finding.kind not in SENSOR_KINDS
        ]
        log_line = textwrap.shorten(f"map: {'; '.join(reasons)}", 160, placeholder=" ...") if proposed_changes else ""
        self.stage, self.note = WiringStage.OVER, None
        return StepResult(self._findings, proposed_changes, log_line)

    def last_prompt(self) -> Prompt:
        """Keep the findings on the page."""
        done_touches, total_touches = self._progress
        return Prompt(StepPage(self.title, text=self._found, step_progress=(done_touches + 1, total_touches)))

    # Events

    def _listen(
        self, page: Callable[[], StepPage], lit: Callable[[], LitLamps], due_time: float
    ) -> Conversation[str | int | None]:
        """Wait for the next event. Return the key of a reply, the input that was touched, or None."""
        if not self._pending:
            try:
                event = yield from listen(Prompt(page, lit, min(due_time, self.detector.due_time)), self._lost_prompt)
            except SensorsBack as back:
                self.at = self.since = back.at
                self.detector.restart(self.at)
                return None
            if isinstance(event, StepReply | StepTick | Sample):
                self.at = event.instant
            if isinstance(event, StepReply):
                return event.key
            if isinstance(event, Sample):
                levels = enumerate(event.levels)
                event = event._replace(levels=tuple(level * (n not in self.restless_inputs) for n, level in levels))
            self._pending = self.detector.process(event) if isinstance(event, StepTick | Sample) else []
        return self._handle_touch(self._pending.pop(0)) if self._pending else None

    def _lost_prompt(self, trouble: Message) -> Prompt:
        return Prompt(self._make_page(Message("map_walk.wait_for_sensors"), text=(trouble,)))

    def _handle_touch(self, touch: DetectedTouch) -> int | None:
        """Return the input that was touched. Any other event sets a note and returns None."""
        if {*touch.inputs} & self.restless_inputs:
            return None
        cells = tuple(map(self._name_input, touch.inputs))
        match touch.kind:
            case TouchKind.TOUCH:
                return (
                    touch.inputs[0] if touch.since >= self._asked_at else None
                )  # touches that began earlier don't count
            case TouchKind.TWO_INPUTS:
                asked = "lit" if isinstance(self.learned.question, int) else "named"
                self._restart_waiting(Message(f"map_walk.two.{asked}", cells=cells))
            case TouchKind.FLICKER:
                self.note = Message("map_walk.flickers", cells=cells, count=len(cells))
            case TouchKind.STUCK:
                self.note = Message("map_walk.stuck", cells=cells, count=len(cells))
                self.stuck_inputs |= {*touch.inputs}
            case _ if self.stage != WiringStage.COLOURS:  # keep the note that explains why the colours start again
                self.note = None
        return None

    def _restart_waiting(self, note: Message | None = None) -> None:
        """Restart the timeout after a response."""
        self.since, self.note = self.at, note

    # Cells

    def _ask_cells(self) -> Conversation[None]:
        """Ask questions until the wiring is known or cannot be inferred."""
        self._ask_next()
        while (open_question := self.learned.question) is not None:
            no_answer_at = self.since + NO_ANSWER_AFTER
            due_time = min(next_fade_time(self._skip_time, self.at), no_answer_at if no_answer_at > self.at else inf)
            due_time = inf if self.detector.holds_touch else due_time
            if isinstance(open_question, str):
                due_time = min(due_time, self._next_beat(WINK))
            match (yield from self._listen(self._cells_page, self._cells_light, due_time)):
                case int(input_number):
                    self._record_answer(open_question, input_number)
                case "s":
                    self._restart_waiting()
                    self._skip(open_question)
                case "a":
                    self._restart_waiting()
            open_question = self.learned.question
            if self._pending or self.detector.holds_touch or open_question is None:
                continue
            if self.at >= self._skip_time:
                self.note = Message("map_walk.skipped")
                self._skip(open_question)
            elif self.at - self.since >= NO_ANSWER_AFTER:
                self.note = NO_ANSWER

    def _record_answer(self, open_question: Question, input_number: int) -> None:
        if isinstance(open_question, int):
            recent_answers = [answer for answer in self._recent_answers if answer[1] > self.at - RESTLESS_SECONDS]
            self._recent_answers = [*recent_answers, (input_number, self.at, open_question)]
            if (
                len({lit_lamp for number, _, lit_lamp in self._recent_answers if number == input_number})
                >= RESTLESS_TOUCHES
            ):
                return self._ignore_input(input_number)
        self._restart_waiting()
        other_answers = {
            position: answer
            for position, answer in self.touch_answers.lit_positions.items()
            if position != open_question
        }
        if isinstance(open_question, int) and input_number in other_answers.values() and not self.learned.again:
            self.note = Message("map_walk.answered_before", cell=self._name_input(input_number))
        self.touch_answers = self.touch_answers.add_answer(open_question, input_number)
        return self._ask_next()

    def _ignore_input(self, input_number: int) -> None:
        """Ignore a sensor that responds without a touch, and drop the answers it gave."""
        note = Message("map_walk.by_itself", cell=self._name_input(input_number))
        its_questions = [question for question, inputs in self.touch_answers.answers.items() if input_number in inputs]
        self.restless_inputs.add(input_number)
        self._recent_answers, self.touch_answers = [], self.touch_answers.without(its_questions)
        self._ask_next()
        self.note = note

    def _ask_next(self) -> None:
        """Infer the wiring again, and find the next question."""
        self.learned = infer_wiring(self.profile, self.touch_answers)
        self.since = self._asked_at = self.at
        if self.learned.again and not self.note:
            self.note = Message("map_walk.asked_again")

    def _skip(self, open_question: Question) -> None:
        """Skip a question. Without a screen, skipping a question that names a cell skips all such questions."""
        is_named = isinstance(open_question, str) and open_question not in self._corners
        all_questions: list[Question] = (
            [*non_corner_cells(self.profile.size)] if is_named and self._timed else [open_question]
        )
        self.touch_answers = self.touch_answers.without([open_question]).skip(all_questions)
        self._ask_next()

    @property
    def _skip_time(self) -> float:
        """Time at which the question is skipped. Corners are never skipped, since nothing works without them."""
        return self.since + SKIP_AFTER if self._timed and self.learned.question not in self._corners else inf

    def _cells_page(self) -> StepPage:
        """Return a page that asks the user to touch a cell."""
        question, kind = self.learned.question, self._touch
        if not isinstance(question, str):
            prompt = Message(f"map_{kind}.lit")
        elif question in self._corners:
            corner = "left" if question == self._corners[0] else "right"
            prompt = Message(f"map_{kind}.{corner}_corner", cell=question)
        else:
            x, y = get_grid(self.profile.size).cell_coordinates(question)
            prompt = Message(f"map_{kind}.cell", cell=question, column=x + 1, row=y + 1)
        return self._make_page(prompt, *SKIP_CHOICES)

    def _cells_light(self) -> LitLamps:
        """Light the lamp to touch. If the question names a cell, let all lamps glow and wink."""
        open_question, left = self.learned.question, self._skip_time - self.at
        if self.detector.holds_touch or open_question is None:
            return NO_LIGHT
        if isinstance(open_question, int):
            return {open_question: fade_colour(PROBE, left)}
        winked_cells = (*self._corners, *non_corner_cells(self.profile.size)[:2])
        wink_count = winked_cells.index(open_question) + 1 if open_question in winked_cells else len(winked_cells) + 1
        blink_phase = self._count_beats(WINK) % round(WINKS_EVERY / WINK) - 1
        is_dark_wink = blink_phase in range(0, 2 * wink_count, 2)
        return NO_LIGHT if is_dark_wink else dict.fromkeys(self.profile.chain.cell_positions, fade_colour(GLOW, left))

    # Colours

    def _ask_colours(self) -> Conversation[None]:
        """Light three cells in red, green and blue, according to the profile, and ask which is which."""
        self.stage, self.naming = WiringStage.COLOURS, ColourNaming(self.profile.chain.colour_order)
        while not self._colours_known:
            due_time = self.since + DARK if self._is_restarting_colours else inf
            reply = yield from self._listen(self._colours_page, self._colours_light, due_time)
            if not isinstance(reply, int) and reply not in ("s", "1", "2", "3", *self.cells):
                continue
            self._restart_waiting()
            cell = self._find_cell(reply) if isinstance(reply, int) else reply
            if cell in ("1", "2", "3"):
                cell = self._colour_cells[int(cell) - 1]
            if cell and cell != "s":
                self.note = self.naming.name_cell(cell, self._colour_cells)
            self.colours = self.naming.found_order or self.colours
            self._colours_known = cell == "s" or self.naming.found_order is not None
        self.naming, self.since = ColourNaming(self.profile.chain.colour_order), self.at

    def _colours_page(self) -> StepPage:
        cells = [
            SetupOption(str(number), Message("setup_key.this_cell", cell=cell))
            for number, cell in enumerate(self._colour_cells, 1)
        ]
        keep = SetupOption("s", Message("setup_key.keep_order"))
        return self._make_page(Message(f"colour.{self._touch}.{self.naming.wanted}"), *cells, keep)

    def _colours_light(self) -> LitLamps:
        if self.detector.holds_touch or self._is_restarting_colours:
            return NO_LIGHT
        channel_colours = ((FULL, 0, 0), (0, FULL, 0), (0, 0, FULL))
        return {self._lamps_in(cell)[0]: shade for cell, shade in zip(self._colour_cells, channel_colours, strict=True)}

    @property
    def _is_restarting_colours(self) -> bool:
        """True during the darkness that tells a user without a screen that the colour questions start again."""
        return bool(self.note) and not self.naming.named and self.at < self.since + DARK

    @property
    def _answering(self) -> tuple[Cell, ...]:
        """Cells that responded when lit and are not always on."""
        answered, sensor_inputs = self.touch_answers.answers.keys(), self.learned.sensors or {}
        ignored = self.detector.ignored_inputs | self.restless_inputs
        lit = [cell for cell in self.cells if answered & {*self._lamps_in(cell)}]
        return tuple(cell for cell in lit if sensor_inputs.get(cell) not in ignored)

    @property
    def _colour_cells(self) -> tuple[Cell, ...]:
        """Cells to light in red, green and blue; if possible, three responding neighbours in the middle row."""
        rows, answering_cells, middle_row = get_grid(self.profile.size).rows, self._answering, self.profile.size // 2
        for row in (rows[middle_row], *rows):
            if set(row[:3]) <= set(answering_cells):
                return row[:3]
        return (*answering_cells, *(cell for row in rows for cell in row if cell not in answering_cells))[:3]

    # Consent

    def _ask_consent(self) -> Conversation[bool | None]:
        """Return True if the user accepts the proposal, or False if not; None if something must be asked again first."""
        self.stage = WiringStage.CONSENT
        while True:
            is_consent = self.stage == WiringStage.CONSENT
            page = self._consent_page if is_consent else self._which_page
            reply = yield from self._listen(page, self._consent_light, self._next_beat(BLINK) if is_consent else inf)
            was_refused, self.refused = self.refused, self.refused and reply is None
            if isinstance(reply, int) or reply in (*self.cells, *dict(page().choices)):
                self._restart_waiting()
            if not isinstance(reply, int):
                is_agreed = self._handle_key(reply, is_consent=is_consent)
            else:
                is_agreed = self._handle_consent_touch(self._find_cell(reply), was_refused) if is_consent else None
            if is_agreed is not None or self.stage == WiringStage.ASKING:
                return is_agreed

    def _handle_consent_touch(self, cell: Cell | None, was_refused: bool) -> bool | None:
        """Return True for a touch on the "yes" cell, False for a second touch on the "no" cell, or None."""
        yes_cell, no_cell = self._yes_and_no
        if cell == yes_cell or (cell == no_cell and was_refused):
            return cell == yes_cell
        self.refused = cell == no_cell
        choose = Message("map_consent.choose", yes=yes_cell, no=no_cell)
        self.note = Message("map_consent.once_more", cell=no_cell) if self.refused else choose
        return None

    def _handle_key(self, key: str | None, *, is_consent: bool) -> bool | None:
        """Process a key: yes, no, another view, or a cell to repeat."""
        match key:
            case "y" | "n" if is_consent:
                return key == "y"
            case "s" | "l" | "f" if is_consent:
                self.view = key
            case "r" | "a":
                self.stage = WiringStage.WHICH if key == "r" else WiringStage.CONSENT
            case "c" if is_consent and not self._has_one_order:
                self._colours_known, self.stage = False, WiringStage.ASKING
            case str(cell) if cell in self.cells:  # drop the answers for the cell and its lamps
                self.touch_answers = self.touch_answers.without([cell, *self._lamps_in(cell)])
                self.stage = WiringStage.ASKING
        return None

    @property
    def _yes_and_no(self) -> tuple[Cell, Cell]:
        """Cells that mean "yes" and "no": the bottom corners if they respond, else other cells that do."""
        yes_cell, no_cell = self._corners
        answering_cells = self._answering
        other_cells = [cell for cell in answering_cells if cell not in self._corners]
        if len(other_cells) > 1:
            yes_cell = yes_cell if yes_cell in answering_cells else other_cells[0]
            no_cell = no_cell if no_cell in answering_cells else other_cells[-1]
        return yes_cell, no_cell

    def _consent_page(self) -> StepPage:
        yes_cell, no_cell = self._yes_and_no
        question = Message("map_consent.ask") if self._proposed else Message("map_consent.nothing")
        prompt = question, Message("map_consent.on_board", yes=yes_cell, no=no_cell)
        choices = DRAWING_CHOICES if self._has_one_order else (*DRAWING_CHOICES, COLOURS_AGAIN)
        drawing = proposed_drawing(self.profile, self.learned, self.colours, self.view)
        return self._make_page(prompt, *choices, drawing=drawing, text=(*self._notes, *self._found))

    def _which_page(self) -> StepPage:
        cells = map(SetupOption, chain.from_iterable(get_grid(self.profile.size).rows))
        return self._make_page(Message("map_walk.which_cell"), *cells, SetupOption("a", Message("setup_key.none")))

    def _consent_light(self) -> LitLamps:
        if self.detector.holds_touch and self.stage != WiringStage.CONSENT:
            return NO_LIGHT
        yes_cell, no_cell = self._yes_and_no
        lit_cells = [yes_cell] if self._count_beats(BLINK) % 2 else [yes_cell, no_cell]
        return {self._lamps_in(cell)[0]: PROBE for cell in lit_cells}

    # Findings

    @property
    def _findings(self) -> tuple[SetupFinding, ...]:
        all_findings, drawn_order = list(self.learned.findings), self.profile.chain.colour_order
        if self.learned.found and self.colours != drawn_order:
            all_findings.append(wiring_findings.describe_colours(self.colours, drawn_order))
        if self.restless_inputs:
            names = map(self._name_input, sorted(self.restless_inputs))
            all_findings.append(wiring_findings.describe_restless(tuple(names), self.profile.sensing.kind))
        if stuck_inputs := self.stuck_inputs & self.detector.ignored_inputs:
            all_findings.append(wiring_findings.describe_stuck(tuple(map(self._name_input, sorted(stuck_inputs)))))
        return tuple(all_findings)

    @property
    def _found(self) -> tuple[Message, ...]:
        return tuple(finding.message for finding in self._findings if finding.message)

    @property
    def _notes(self) -> tuple[Message, ...]:
        return (self.note,) if self.note else ()

    @property
    def _proposed(self) -> dict[str, object]:
        return proposed_changes(self.profile, self.learned, self.colours)

    # Helpers

    def _make_page(
        self,
        prompt: Message | tuple[Message, ...],
        *choices: SetupOption,
        drawing: tuple[Block, ...] = (),
        text: tuple[Message, ...] | None = None,
    ) -> StepPage:
        """Return a page with the progress, and with the current note unless `text` is given."""
        return StepPage(self.title, drawing, prompt, choices, self._progress, self._notes if text is None else text)

    @property
    def _progress(self) -> tuple[int, int]:
        """Number of touches so far, and the approximate total."""
        all_questions: list[Question] = [*self._corners, *probe_lamps(self.profile)]
        done = sum(not self.touch_answers.is_open(question) for question in all_questions)
        return done + len(self.naming.named) + len(CHANNELS) * self._colours_known, len(all_questions) + len(
            CHANNELS
        ) + 1

    def _count_beats(self, beat_seconds: float) -> int:
        """Return the number of beats since the question was asked."""
        return int(round((self.at - self.since) / beat_seconds, 6) // 1)

    def _next_beat(self, beat_seconds: float) -> float:
        """Return the time of the next beat."""
        return self.since + (self._count_beats(beat_seconds) + 1) * beat_seconds

    def _lamps_in(self, cell: Cell) -> tuple[int, ...]:
        """Return the chain positions of a cell's lamps."""
        per_cell, first = self.profile.chain.lamps_per_cell, self.cells.index(cell) * self.profile.chain.lamps_per_cell
        return (self.learned.lamps or ())[first : first + per_cell]

    def _name_input(self, input_number: int) -> str:
        """Return the cell of an input; while it is unknown, the cell in the drawing."""
        return self._find_cell(input_number) or self.cells[input_number]

    def _find_cell(self, input_number: int) -> Cell | None:
        """Return the cell of an input, or None if unknown."""
        sensor_inputs = self.learned.sensors or {}
        return next((cell for cell, known_input in sensor_inputs.items() if known_input == input_number), None)


CHANNELS = ("red", "green", "blue")


class ColourNaming:
    """State of the colour questions. Three cells are lit in what the profile calls red, green and blue.

    Args:
        drawn_order: colour order in the profile, such as `GRB`.

    Attributes:
        named: indices (0 to 2) of the cells touched so far, in the order red, green, blue.
    """

    def __init__(self, drawn_order: str) -> None:
        self.named: tuple[int, ...] = ()
        self._drawn_order = drawn_order

    @property
    def wanted(self) -> str:
        """Colour that the user must touch next."""
        return CHANNELS[len(self.named)]

    def name_cell(self, touched_cell: Cell, lit_cells: Sequence[Cell]) -> Message | None:
        """Record the cell touched for the wanted colour. Return an error message, or None."""
        if touched_cell not in lit_cells:
            return Message("colour.not_lit", cell=touched_cell, cells=tuple(lit_cells))
        cell_number = lit_cells.index(touched_cell)
        if cell_number in self.named:
            colours = {"first": CHANNELS[self.named.index(cell_number)], "second": self.wanted}
            self.named = ()
            return Message("colour.twice", cell=touched_cell, **colours)
        self.named = (*self.named, cell_number)
        return None

    @property
    def found_order(self) -> str | None:
        """Colour order of the lamps; None until all three cells have been touched."""
        if len(self.named) < len(CHANNELS):
            return None
        channel_at = {
            self._drawn_order.index("RGB"[shown]): channel for channel, shown in zip("RGB", self.named, strict=True)
        }
        return "".join(channel_at[channel_position] for channel_position in range(len(CHANNELS)))
