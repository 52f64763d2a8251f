"""The step `lamps`: light them one by one, by row or by cell, and let a person say what is not as it should be.

    show     one lamp, one row, one cell after the other; x: that is not what I see
    break    in few questions: from which place on does nothing light up? Each halves what is left
    bright   how bright they are to be

Every question may be answered by hand too: a touch anywhere on the board is a yes (or: the next one). Only a person
says no: as long as nobody answers, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from pond_hw.board import RGB, Reading
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import grid
from pond_hw.setup.findings_page import wrapped
from pond_hw.setup.setup_light import all_places, cell_of, places_of, strip_hint
from pond_hw.setup.step import FAULT, GOOD, Choice, Event, Finding, Page, Reply, Result, Tick
from pond_hw.setup.touch_detector import LEAST_HOLD, Fingers, What

LIT: RGB = (120, 120, 120)
"""What is shown: dim, since so many are shown at once."""

ONE: RGB = (150, 150, 150)

ASKS_SEEN = "Is that what you see? A touch goes on."

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Brightnesses that may be chosen."""


@dataclass(frozen=True, slots=True)
class Show:
    """Lamps after lamps, in the order in which they should lie.

    Attributes:
        profile: the board.
        shown: what is lit one after the other: the words for it, and the places of its lamps.
        fingers: what the sensors feel.
        number: which of them is lit.
        wrong: those of which somebody said that it is not what they see.
        over: whether it is done.
    """

    profile: Profile
    shown: tuple[tuple[str, tuple[int, ...]], ...]
    fingers: Fingers
    number: int = 0
    wrong: tuple[int, ...] = ()
    over: bool = False

    @classmethod
    def one_by_one(cls, profile: Profile) -> Show:
        """Along the chain, from its beginning."""
        named = [(f"Lamp {place} ({cell_of(profile, place)})", (place,)) for place in all_places(profile)]
        return cls._of(profile, named)

    @classmethod
    def by_row(cls, profile: Profile) -> Show:
        """The rows of the board, from the top."""
        rows = [
            (f"Row {row[0][1]}", tuple(place for cell in row for place in places_of(profile, cell)))
            for row in grid(profile.size).rows
        ]
        return cls._of(profile, rows)

    @classmethod
    def by_cell(cls, profile: Profile) -> Show:
        """The cells of the board, a1 first."""
        return cls._of(profile, [(f"Cell {cell}", places_of(profile, cell)) for cell in grid(profile.size).cells])

    @classmethod
    def _of(cls, profile: Profile, shown: Sequence[tuple[str, tuple[int, ...]]]) -> Show:
        return cls(profile, tuple(shown), Fingers(max(profile.sensing.debounce, LEAST_HOLD)))

    @property
    def page(self) -> Page:
        """What is lit now, and where that should be."""
        told = tuple(wrapped(*(f"Not as it should be: {self.shown[number][0]}." for number in self.wrong[-8:])))
        if self.over:
            return Page("Lamps", told or ("Everything that was shown was as it should be.",))
        words, places = self.shown[self.number]
        where = strip_hint(self.profile, places[0])
        asks = " ".join(filter(None, (f"{words} is lit, and nothing else.", where, ASKS_SEEN)))
        choices = Choice("n", "yes, next"), Choice("x", "no"), Choice("b", "back"), Choice("q", "leave")
        return Page("Lamps", told, asks, choices, (self.number, len(self.shown)))

    @property
    def lit(self) -> Mapping[int, RGB]:
        """The lamps that are shown."""
        return {} if self.over else dict.fromkeys(self.shown[self.number][1], LIT)

    @property
    def due(self) -> float:
        """When a touch may be one."""
        return inf if self.over else self.fingers.due

    @property
    def result(self) -> Result | None:
        """What was not as it should be."""
        if not self.over:
            return None
        found = []
        for number in self.wrong:
            words, places = self.shown[number]
            cells = tuple({cell: None for place in places if (cell := cell_of(self.profile, place)) in self._cells})
            found.append(
                Finding(
                    FAULT,
                    "lamp",
                    cells,
                    f"{words} was not seen as it should be.",
                    "The lamp is dead or badly soldered, or it lies elsewhere than it was drawn.",
                    "If nothing is lit from there on, run `break`; if it lights elsewhere, run the step `map`.",
                )
            )
        return Result(tuple(found))

    @property
    def _cells(self) -> tuple[str, ...]:
        return grid(self.profile.size).cells

    def after(self, event: Event) -> Show:
        """The show after an event."""
        if self.over:
            return self
        match event:
            case Reply("n"):
                return self._on()
            case Reply("x"):
                wrong = self.wrong if self.number in self.wrong else (*self.wrong, self.number)
                return replace(self, wrong=wrong)._on()
            case Reply("b"):
                return replace(self, number=max(0, self.number - 1))
            case Reading() | Tick():
                fingers, felt = self.fingers.after(event.at, event if isinstance(event, Reading) else None)
                session = replace(self, fingers=fingers)
                return session._on() if any(each.what is What.TOUCH for each in felt) else session
        return self

    def _on(self) -> Show:
        last = self.number == len(self.shown) - 1
        return replace(self, over=True) if last else replace(self, number=self.number + 1)


@dataclass(frozen=True, slots=True)
class Break:
    """Where a chain of lamps is broken: all lamps before that place light up, none from it on.

    Attributes:
        profile: the board.
        places: the lamps that can be lit, in the order of the chain.
        fingers: what the sensors feel.
        low: so many of them, from the beginning, are known to light up.
        high: from the one with this number on none does, as far as is known.
        asked: how many questions there were.
    """

    profile: Profile
    places: tuple[int, ...]
    fingers: Fingers
    low: int
    high: int
    asked: int = 0

    @classmethod
    def start(cls, profile: Profile, _at: float) -> Break:
        """Nothing is known yet."""
        places = all_places(profile)
        return cls(profile, places, Fingers(max(profile.sensing.debounce, LEAST_HOLD)), 0, len(places))

    @property
    def _place(self) -> int:
        """The lamp that is asked for: the one in the middle of those of which nothing is known."""
        return self.places[(self.low + self.high) // 2]

    @property
    def page(self) -> Page:
        """One question."""
        title = "Where the chain is broken"
        if self.result:
            found = self.result.findings
            return Page(title, tuple(wrapped(*(said for each in found for said in (each.told, each.cause, each.cure)))))
        named, where = self._named(self._place), strip_hint(self.profile, self._place)
        asks = f"Do you see one dim white lamp? It should be {named}. {where}".rstrip()
        asks = f"{asks} If you see one, answer yes or touch a cell; if all is dark, answer no."
        known = (f"So far {self.low} of {len(self.places)} lamps are known to light up.",) if self.asked else ()
        choices = Choice("y", "yes"), Choice("n", "no"), Choice("q", "leave")
        return Page(title, known, asks, choices, (self.asked, len(self.places).bit_length()))

    @property
    def lit(self) -> Mapping[int, RGB]:
        """The lamp that is asked for."""
        return {} if self.result else {self._place: ONE}

    @property
    def due(self) -> float:
        """When a touch may be one."""
        return inf if self.result else self.fingers.due

    @property
    def result(self) -> Result | None:
        """From where on nothing lights up, as soon as that is known."""
        if self.low < self.high:
            return None
        if self.low == len(self.places):
            told = f"All {self.low} lamps get their data; that took {self.asked} questions."
            return Result((Finding(GOOD, "chain", (), told),))
        place = self.places[self.low]
        dark = [cell_of(self.profile, each) for each in self.places[self.low :]]
        cells = tuple(cell for cell in dict.fromkeys(dark) if cell in grid(self.profile.size).cells)
        if self.low:
            before = self.places[self.low - 1]
            link = f"between the output of {self._named(before)} and the input of {self._named(place)}"
            cure = f"Solder the joints {link} anew; then change the second of them, and then the first."
        else:
            link = f"between the Pi and {self._named(place)}"
            cure = "Measure 5 V at the lamps; follow the data wire through the level shifter; try another first lamp."
        cause = f"The data does not get through {link}: a wire or a joint is open, or a lamp is dead."
        figures = {"place": place, "questions": self.asked}
        told = f"From {self._named(place)} on nothing lights up."
        return Result((Finding(FAULT, "broken chain", cells, told, cause, cure, figures),))

    def after(self, event: Event) -> Break:
        """The search after an event."""
        if self.result:
            return self
        match event:
            case Reply("y"):
                return self._answered(seen=True)
            case Reply("n"):
                return self._answered(seen=False)
            case Reading() | Tick():
                fingers, felt = self.fingers.after(event.at, event if isinstance(event, Reading) else None)
                now = replace(self, fingers=fingers)
                return now._answered(seen=True) if any(each.what is What.TOUCH for each in felt) else now
        return self

    def _named(self, place: int) -> str:
        return f"lamp {place} ({cell_of(self.profile, place)})"

    def _answered(self, *, seen: bool) -> Break:
        middle = (self.low + self.high) // 2
        asked = replace(self, asked=self.asked + 1)
        return replace(asked, low=middle + 1) if seen else replace(asked, high=middle)


@dataclass(frozen=True, slots=True)
class Bright:
    """How bright the lamps are to be: all of them show the two owners' light, and `+` and `-` change it.

    Attributes:
        profile: the board.
        level: which of `LEVELS` is shown.
        agreed: whether it is to be kept; None as long as nobody has said.
    """

    profile: Profile
    level: int
    agreed: bool | None = None

    @classmethod
    def start(cls, profile: Profile) -> Bright:
        """Begin dim, with the least."""
        return cls(profile, 0)

    @property
    def page(self) -> Page:
        """How bright it is."""
        told = f"Brightness {LEVELS[self.level]:.0%}; the profile says {self.profile.chain.brightness:.0%}."
        limit = f"What the lamps draw stays below {self.profile.chain.budget:.0f} mA in any case."
        if self.agreed is not None:
            return Page("How bright the lamps are", (told,))
        change = Choice("+", "brighter"), Choice("-", "darker")
        choices = *change, Choice("y", "keep it so"), Choice("n", "leave it as it was")
        return Page("How bright the lamps are", (told, limit), "Is that right for the room you play in?", choices)

    @property
    def lit(self) -> Mapping[int, RGB]:
        """Every second cell in amber, the others in azure, as bright as the level says."""
        if self.agreed is not None:
            return {}
        # The limiter brings in the profile's brightness, which is light; what people perceive goes with its root.
        share = min(1.0, LEVELS[self.level] / self.profile.chain.brightness) ** (1 / 2.2)
        lit: dict[int, RGB] = {}
        for number, cell in enumerate(grid(self.profile.size).cells):
            colour = (255, 120, 0) if number % 2 else (0, 120, 255)
            red, green, blue = (int(part * share) for part in colour)
            lit |= dict.fromkeys(places_of(self.profile, cell), (red, green, blue))
        return lit

    @property
    def due(self) -> float:
        """Nothing comes of waiting."""
        return inf

    @property
    def result(self) -> Result | None:
        """The brightness that was agreed to."""
        if self.agreed is None:
            return None
        level = LEVELS[self.level]
        changes = {"lamps.brightness": level} if self.agreed and level != self.profile.chain.brightness else {}
        return Result((), changes, f"lamps: brightness {level:.0%}" if changes else "")

    def after(self, event: Event) -> Bright:
        """The choice after an event."""
        if self.agreed is not None:
            return self
        match event:
            case Reply("+"):
                return replace(self, level=min(self.level + 1, len(LEVELS) - 1))
            case Reply("-"):
                return replace(self, level=max(self.level - 1, 0))
            case Reply("y"):
                return replace(self, agreed=True)
            case Reply("n"):
                return replace(self, agreed=False)
        return self
