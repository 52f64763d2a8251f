"""The step `lamps`: light them one by one, by row or by cell, and let a person say what is not as it should be.

    show     one lamp, one row, one cell after the other; x: that is not what I see
    break    in few questions: from which place on does nothing light up? Each halves what is left
    bright   how bright they are to be

Every question may be answered by hand too: a touch anywhere on the board is a yes (or: the next one). Only a person
says no: as long as nobody answers, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.board import RGB
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.conversation import Lit, Prompt, SetupStep, Talk, ask_choice
from pond_hw.setup.findings import FAULT, GOOD, SetupFinding
from pond_hw.setup.findings_page import wrap_sentences
from pond_hw.setup.setup_light import cell_lamps, lamp_location, light_cells, strip_hint, usable_lamps
from pond_hw.setup.step import SetupOption, StepPage, StepResult
from pond_hw.setup.touch_detector import TouchDetector

LIT: RGB = (120, 120, 120)  # what is shown: dim, since so many are shown at once

ONE: RGB = (150, 150, 150)

ASKS_SEEN = "Is that what you see? A touch goes on."

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # brightnesses that may be chosen


class LampWalk(SetupStep):
    """Lamps after lamps, in the order in which they should lie.

    Attributes:
        profile: the board.
        shown: what is lit one after the other: the words for it, and the places of its lamps.
        number: which of them is lit.
    """

    title = "Lamps"

    def __init__(self, profile: Profile, shown_lamps: Sequence[tuple[str, tuple[int, ...]]]) -> None:
        self.profile, self.shown, self.number = profile, shown_lamps, 0
        super().__init__()

    @classmethod
    def one_by_one(cls, profile: Profile) -> LampWalk:
        """Along the chain, from its beginning."""
        places = usable_lamps(profile)
        return cls(profile, [(f"Lamp {place} ({lamp_location(profile, place)})", (place,)) for place in places])

    @classmethod
    def by_row(cls, profile: Profile) -> LampWalk:
        """The rows of the board, from the top."""
        rows = get_grid(profile.size).rows
        return cls(profile, [(f"Row {row[0][1]}", tuple(light_cells(profile, row, LIT))) for row in rows])

    @classmethod
    def by_cell(cls, profile: Profile) -> LampWalk:
        """The cells of the board, a1 first."""
        return cls(profile, [(f"Cell {cell}", cell_lamps(profile, cell)) for cell in get_grid(profile.size).cells])

    def conversation(self) -> Talk[StepResult]:
        """Each of them: is that what you see?"""
        touch_detector, wrong_numbers = TouchDetector(self.profile), list[int]()
        while self.number < len(self.shown):
            lamp_words, lamp_places = self.shown[self.number]
            told = wrap_sentences(*(f"Not as it should be: {self.shown[number][0]}." for number in wrong_numbers[-8:]))
            hint = strip_hint(self.profile, lamp_places[0])
            prompt_text = " ".join(filter(None, (f"{lamp_words} is lit, and nothing else.", hint, ASKS_SEEN)))
            page_choices = SetupOption("n", "yes, next"), SetupOption("x", "no"), SetupOption("b", "back")
            step_page = StepPage(self.title, tuple(told), prompt_text, page_choices, (self.number, len(self.shown)))
            given_answer = yield from touch_detector.touch_or_reply(step_page, "nxb", dict.fromkeys(lamp_places, LIT))
            if given_answer == "x" and self.number not in wrong_numbers:
                wrong_numbers.append(self.number)
            self.number = max(0, self.number - 1) if given_answer == "b" else self.number + 1
        cause = "The lamp is dead or badly soldered, or it lies elsewhere than it was drawn."
        cure = "If nothing is lit from there on, run `break`; if it lights elsewhere, run the step `map`."
        findings = []
        for lamp_words, lamp_places in (self.shown[number] for number in wrong_numbers):
            message, its_cells = f"{lamp_words} was not seen as it should be.", _cells_of(self.profile, lamp_places)
            findings.append(SetupFinding(FAULT, "lamp", its_cells, message, cause, cure))
        return StepResult(tuple(findings))


class BreakSearch(SetupStep):
    """Where a chain of lamps is broken: all lamps before that place light up, none from it on.

    Attributes:
        profile: the board.
        places: the lamps that can be lit, in the order of the chain.
        low: so many of them, from the beginning, are known to light up.
        high: from the one with this number on none does, as far as is known.
        asked: how many questions there were.
    """

    title = "Where the chain is broken"

    def __init__(self, profile: Profile) -> None:
        self.profile, self.places = profile, usable_lamps(profile)
        self.low, self.high, self.asked = 0, len(self.places), 0
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """Each question halves what is left: the lamp in the middle is lit, is it seen?"""
        touch_detector = TouchDetector(self.profile)
        while self.low < self.high:
            middle_index = (self.low + self.high) // 2
            place = self.places[middle_index]
            hint = strip_hint(self.profile, place)
            asks = f"Do you see one dim white lamp? It should be {self._named(place)}. {hint}"
            asks = f"{asks.rstrip()} If you see one, answer yes or touch a cell; if all is dark, answer no."
            known = (f"So far {self.low} of {len(self.places)} lamps are known to light up.",) if self.asked else ()
            page_choices = SetupOption("y", "yes"), SetupOption("n", "no")
            page = StepPage(self.title, known, asks, page_choices, (self.asked, len(self.places).bit_length()))
            given_answer = yield from touch_detector.touch_or_reply(page, "yn", {place: ONE})
            self.asked += 1
            self.low, self.high = (self.low, middle_index) if given_answer == "n" else (middle_index + 1, self.high)
        return StepResult((self._finding(),))

    def _finding(self) -> SetupFinding:
        """From where on nothing lights up."""
        if self.low == len(self.places):
            message = f"All {self.low} lamps get their data; that took {self.asked} questions."
            return SetupFinding(GOOD, "chain", (), message)
        lamp_place = self.places[self.low]
        if self.low:
            place_before = self._named(self.places[self.low - 1])
            broken_link = f"between the output of {place_before} and the input of {self._named(lamp_place)}"
            cure = f"Solder the joints {broken_link} anew; then change the second of them, and then the first."
        else:
            broken_link = f"between the Pi and {self._named(lamp_place)}"
            cure = "Measure 5 V at the lamps; follow the data wire through the level shifter; try another first lamp."
        cause_text = f"The data does not get through {broken_link}: a wire or a joint is open, or a lamp is dead."
        search_figures = {"place": lamp_place, "questions": self.asked}
        message = f"From {self._named(lamp_place)} on nothing lights up."
        dark_cells = _cells_of(self.profile, self.places[self.low :])
        return SetupFinding(FAULT, "broken chain", dark_cells, message, cause_text, cure, search_figures)

    def _named(self, lamp_place: int) -> str:
        return f"lamp {lamp_place} ({lamp_location(self.profile, lamp_place)})"


class BrightnessStep(SetupStep):
    """How bright the lamps are to be: all of them show the two owners' light, and `+` and `-` change it.

    Attributes:
        profile: the board.
        level: which of `LEVELS` is shown; the least at first.
    """

    title = "How bright the lamps are"

    def __init__(self, profile: Profile) -> None:
        self.profile, self.level = profile, 0
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """Brighter, darker, and then: is it to be kept?"""
        given_answer, set_so = "", self.profile.chain.brightness
        while given_answer not in ("y", "n"):
            told = f"Brightness {LEVELS[self.level]:.0%}; the profile says {set_so:.0%}."
            limit = f"What the lamps draw stays below {self.profile.chain.budget_ma:.0f} mA in any case."
            keep_options = SetupOption("y", "keep it so"), SetupOption("n", "leave it as it was")
            page_choices = SetupOption("+", "brighter"), SetupOption("-", "darker"), *keep_options
            step_page = StepPage(self.title, (told, limit), "Is that right for the room you play in?", page_choices)
            given_answer = yield from ask_choice(Prompt(step_page, self._light), "+-yn")
            self.level = min(max(self.level + {"+": 1, "-": -1}.get(given_answer, 0), 0), len(LEVELS) - 1)
        chosen_level = LEVELS[self.level]
        if given_answer == "n" or chosen_level == set_so:
            return StepResult()
        return StepResult((), {"lamps.brightness": chosen_level}, f"lamps: brightness {chosen_level:.0%}")

    def _light(self) -> Lit:
        """Every second cell in amber, the others in azure, as bright as the level says."""
        # The limiter brings in the profile's brightness, which is light; what people perceive goes with its root.
        share = min(1.0, LEVELS[self.level] / self.profile.chain.brightness) ** (1 / 2.2)
        lit_lamps: dict[int, RGB] = {}
        for shown_number, cell in enumerate(get_grid(self.profile.size).cells):
            red, green, blue = (int(part * share) for part in ((255, 120, 0) if shown_number % 2 else (0, 120, 255)))
            lit_lamps |= dict.fromkeys(cell_lamps(self.profile, cell), (red, green, blue))
        return lit_lamps


def _cells_of(profile: Profile, lamp_places: Sequence[int]) -> tuple[Cell, ...]:
    """The cells in which some lamps are, without those that are in none."""
    place_names = dict.fromkeys(lamp_location(profile, lamp_place) for lamp_place in lamp_places)
    return tuple(cell for cell in place_names if cell in get_grid(profile.size).cells)
