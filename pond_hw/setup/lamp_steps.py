"""The lamp steps, which light lamps and ask the user what they see.

    lamps, rows, cells   light one lamp, row or cell after another
    break                binary search for the first dark lamp
    bright               brightness of the lamps
    signal               integrity of the lamp data

In all steps but `bright` and `signal`, a touch anywhere on the board also means "yes" or "next". Only a key can mean
"no", and no answer is assumed if the user does nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pond_hw.board import RGB, Sample
from pond_hw.lights import FRAME_SECONDS
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.lamp_positions import cell_lamps, lamp_cell, light_cells, name_lamp, strip_hints, usable_lamps
from pond_hw.setup.pages import NO, YES, SetupOption, StepPage
from pond_hw.setup.step import Conversation, LitLamps, Prompt, SetupStep, StepReply, StepResult, StepTick, ask_choice
from pond_hw.setup.touch_detector import TouchDetector

DIM: RGB = (120, 120, 120)  # colour of many lit lamps

BRIGHT: RGB = (150, 150, 150)  # colour of a single lit lamp

WALK_CHOICES = (
    SetupOption("n", Message("setup_key.yes_next")),
    SetupOption("x", Message("setup_key.no")),
    SetupOption("b", Message("setup_key.back")),
)

BRIGHTNESS_CHOICES = (
    SetupOption("+", Message("setup_key.brighter")),
    SetupOption("-", Message("setup_key.darker")),
    SetupOption("y", Message("setup_key.keep")),
    SetupOption("n", Message("setup_key.as_before")),
)

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class LampTest(SetupStep):
    """Lights lamps in their expected order and asks about each.

    Attributes:
        profile: the board's profile.
        shown: names and chain positions of the lamps to light, in order.
        number: index of the current entry.
    """

    title = Message("lamp_walk.title")

    def __init__(self, profile: Profile, shown_lamps: Sequence[tuple[Message, tuple[int, ...]]]) -> None:
        self.profile, self.shown, self.number = profile, shown_lamps, 0
        super().__init__()

    @classmethod
    def one_by_one(cls, profile: Profile) -> LampTest:
        """Return a test that lights each lamp along the chain."""
        return cls(profile, [(name_lamp(profile, position), (position,)) for position in usable_lamps(profile)])

    @classmethod
    def by_row(cls, profile: Profile) -> LampTest:
        """Return a test that lights each row, from top to bottom."""
        rows = get_grid(profile.size).rows
        return cls(
            profile, [(Message("lamp.row", row=row[0][1]), tuple(light_cells(profile, row, DIM))) for row in rows]
        )

    @classmethod
    def by_cell(cls, profile: Profile) -> LampTest:
        """Return a test that lights each cell, starting with a1."""
        cells = get_grid(profile.size).cells
        return cls(profile, [(Message("lamp.one_cell", cell=cell), cell_lamps(profile, cell)) for cell in cells])

    def conversation(self) -> Conversation[StepResult]:
        touch_detector, wrong_numbers = TouchDetector(self.profile), list[int]()
        while self.number < len(self.shown):
            shown, lamp_positions = self.shown[self.number]
            wrong = tuple(Message("lamp_walk.wrong", shown=self.shown[number][0]) for number in wrong_numbers[-8:])
            hints = strip_hints(self.profile, lamp_positions[0])
            prompt = Message("lamp_walk.lit", shown=shown), *hints, Message("lamp_walk.ask")
            step_page = StepPage(self.title, wrong, prompt, WALK_CHOICES, (self.number, len(self.shown)))
            given_answer = yield from touch_detector.touch_or_reply(
                step_page, "nxb", dict.fromkeys(lamp_positions, DIM)
            )
            if given_answer == "x" and self.number not in wrong_numbers:
                wrong_numbers.append(self.number)
            self.number = max(0, self.number - 1) if given_answer == "b" else self.number + 1
        return StepResult(tuple(self._finding(*self.shown[number]) for number in wrong_numbers))

    def _finding(self, shown: Message, lamp_positions: Sequence[int]) -> SetupFinding:
        message, cells = Message("lamp_walk.not_seen", shown=shown), _cells_of(self.profile, lamp_positions)
        return SetupFinding(FAULT, "lamp", cells, message, Message("lamp_walk.cause"), Message("lamp_walk.cure"))


class BreakSearch(SetupStep):
    """Binary search for a break in the lamp chain. All lamps before the break light up, but none after it.

    Attributes:
        profile: the board's profile.
        positions: chain positions of the lamps that can be lit, in order.
        low: number of lamps at the start of the chain that are known to work.
        high: index of the first lamp that is known to be dark, or the number of lamps.
        question_count: number of questions asked.
    """

    title = Message("lamp_break.title")

    def __init__(self, profile: Profile) -> None:
        self.profile, self.positions = profile, usable_lamps(profile)
        self.low, self.high, self.question_count = 0, len(self.positions), 0
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Light the middle lamp of the remaining range and ask about it, until the break is found."""
        touch_detector = TouchDetector(self.profile)
        while self.low < self.high:
            middle_index = (self.low + self.high) // 2
            position = self.positions[middle_index]
            asked = Message("lamp_break.ask", lamp=name_lamp(self.profile, position))
            prompt = asked, *strip_hints(self.profile, position), Message("lamp_break.answer")
            known = (
                (Message("lamp_break.known", count=self.low, lamps=len(self.positions)),) if self.question_count else ()
            )
            page = StepPage(
                self.title, known, prompt, (YES, NO), (self.question_count, len(self.positions).bit_length())
            )
            given_answer = yield from touch_detector.touch_or_reply(page, "yn", {position: BRIGHT})
            self.question_count += 1
            self.low, self.high = (self.low, middle_index) if given_answer == "n" else (middle_index + 1, self.high)
        return StepResult((self._finding(),))

    def _finding(self) -> SetupFinding:
        """Return a finding that locates the break."""
        if self.low == len(self.positions):
            message = Message("lamp_break.all_good", lamps=self.low, questions=self.question_count)
            return SetupFinding(GOOD, "chain", (), message)
        lamp = name_lamp(self.profile, self.positions[self.low])
        if self.low:
            link = {"before": name_lamp(self.profile, self.positions[self.low - 1]), "lamp": lamp}
            cause, cure = Message("lamp_break.cause.between", **link), Message("lamp_break.cure.between", **link)
        else:
            cause, cure = Message("lamp_break.cause.first", lamp=lamp), Message("lamp_break.cure.first")
        search_figures = {"place": self.positions[self.low], "questions": self.question_count}
        message = Message("lamp_break.dark_from", lamp=lamp)
        dark_cells = _cells_of(self.profile, self.positions[self.low :])
        return SetupFinding(FAULT, "broken chain", dark_cells, message, cause, cure, search_figures)


class BrightnessStep(SetupStep):
    """The `bright` step: show both sides' colours while `+` and `-` change the brightness.

    Attributes:
        profile: the board's profile.
        level: index of the current brightness in `LEVELS`.
    """

    title = Message("brightness.title")

    def __init__(self, profile: Profile) -> None:
        self.profile, self.level = profile, 0
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        given_answer, profile_level = "", self.profile.chain.brightness
        while given_answer not in ("y", "n"):
            now = Message("brightness.now", percent=round(LEVELS[self.level] * 100), profile=round(profile_level * 100))
            limit = Message("brightness.limit", milliamps=round(self.profile.chain.budget_ma))
            step_page = StepPage(self.title, (now, limit), Message("brightness.ask"), BRIGHTNESS_CHOICES)
            given_answer = yield from ask_choice(Prompt(step_page, self._light), "+-yn")
            self.level = min(max(self.level + {"+": 1, "-": -1}.get(given_answer, 0), 0), len(LEVELS) - 1)
        chosen_level = LEVELS[self.level]
        if given_answer == "n" or chosen_level == profile_level:
            return StepResult()
        return StepResult((), {"lamps.brightness": chosen_level}, f"lamps: brightness {chosen_level:.0%}")

    def _light(self) -> LitLamps:
        """Light every second cell amber and the others azure, at the current level."""
        # The profile's brightness scales light, not perceived brightness, in the limiter: convert it with gamma 2.2.
        share = min(1.0, LEVELS[self.level] / self.profile.chain.brightness) ** (1 / 2.2)
        lit_lamps: dict[int, RGB] = {}
        for shown_number, cell in enumerate(get_grid(self.profile.size).cells):
            red, green, blue = (int(part * share) for part in ((255, 120, 0) if shown_number % 2 else (0, 120, 255)))
            lit_lamps |= dict.fromkeys(cell_lamps(self.profile, cell), (red, green, blue))
        return lit_lamps


def _cells_of(profile: Profile, lamp_positions: Iterable[int]) -> tuple[Cell, ...]:
    """Return the cells that contain these lamps, without duplicates."""
    cells = (lamp_cell(profile, lamp_position) for lamp_position in lamp_positions)
    return tuple(dict.fromkeys(cell for cell in cells if cell))


SIGNAL_CHOICES = (
    SetupOption("y", Message("setup_key.signal_steady")),
    SetupOption("x", Message("setup_key.signal_spoilt")),
)

DIMMEST, BRIGHTEST = 70, 160
"""Minimum and maximum perceived brightness of the white lamps, out of 255."""

BREATH_SECONDS = 4.0
"""Period of the brightness changes, in seconds; slow enough not to look like flicker."""


class SignalStep(SetupStep):
    """The `signal` step: check that the lamp data arrives as sent, and propose the other encoding if not.

    Every second lamp in the chain is white and the others are dark. The white lamps slowly get brighter and darker, so
    every frame is different and is sent. A pulse that is split in two adds a bit. All lamps behind it then show wrong
    colours, and dark lamps light up. The test works even if the colour order or the lamp positions in the profile are wrong.

    Attributes:
        profile: the board's profile.
        encoding: current encoding of the lamp data, `byte` or `packed`.
        since: time at which the step began, in seconds.
        at: time of the latest event.
    """

    title = Message("signal.title")

    def __init__(self, profile: Profile, encoding: str, instant: float) -> None:
        self.profile, self.encoding, self.since, self.at = profile, encoding, instant, instant
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Ask whether the lamps show only white. If they don't, offer the other encoding."""
        now = Message("signal.encoding", encoding=self.encoding)
        prompt = Message("signal.shown"), Message("signal.watch"), Message("signal.ask")
        if (yield from self._watch(StepPage(self.title, (now,), prompt, SIGNAL_CHOICES), "yx")) == "y":
            message = Message("signal.steady", encoding=self.encoding)
            return StepResult((SetupFinding(GOOD, "signal", (), message),))
        corrupt = Message("signal.spoilt", encoding=self.encoding)
        if self.encoding == "byte":
            return StepResult((SetupFinding(FAULT, "signal", (), corrupt, *_remedy("wire")),))
        ask_page = StepPage(self.title, (corrupt,), (Message("signal.offer"), Message("signal.agree")), (YES, NO))
        if (yield from self._watch(ask_page, "yn")) == "n":
            return StepResult((SetupFinding(FAULT, "signal", (), corrupt, *_remedy("kept")),))
        finding = SetupFinding(WARNING, "signal", (), corrupt, *_remedy("changed"))
        return StepResult((finding,), {"lamps.encoding": "byte"}, "lamps: encoding byte, since packed was corrupt")

    def _watch(self, page: StepPage, reply_keys: str) -> Conversation[str]:
        """Show the lamps until one of these keys is pressed. A touch does not count, because it may be accidental."""
        while True:
            event = yield Prompt(page, self._light, self.at + FRAME_SECONDS)
            if isinstance(event, Sample | StepTick):
                self.at = max(self.at, event.instant)
            elif isinstance(event, StepReply) and event.key in reply_keys:
                return event.key

    def _light(self) -> LitLamps:
        """Light every second lamp white, at the current brightness."""
        phase = (self.at - self.since) / BREATH_SECONDS % 1
        level = round(DIMMEST + (BRIGHTEST - DIMMEST) * (1 - abs(2 * phase - 1)))
        return dict.fromkeys(usable_lamps(self.profile)[::2], (level, level, level))


def _remedy(case: str) -> tuple[Message, Message]:
    """Return the likely cause and the suggested fix."""
    return Message(f"signal.cause.{case}"), Message(f"signal.cure.{case}")
