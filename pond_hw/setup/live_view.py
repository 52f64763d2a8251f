"""The step `live`: what every sensor says at this moment, for as long as somebody looks.

raw        as it is read: # down, . up; of a linear sensor the count, and where it rests
believed   after it has held still for as long as the profile asks
changes    how often each has changed since the step began
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from pond_hw.board import RGB, Health, Reading
from pond_hw.profile.board_profile import Analog, Profile
from pond_hw.rules import grid
from pond_hw.setup.setup_light import places_of
from pond_hw.setup.signal_log import said
from pond_hw.setup.step import Choice, Lit, Page, Prompt, Reply, Result, Step, Talk, Tick

DOWN: RGB = (90, 90, 90)
"""How a cell is lit whose sensor says something."""

MOST = 999
"""Changes that are counted up to on a page: more would not fit beside a board on the screen."""

SILENT = "Nothing has been read yet."


class Live(Step):
    """A look at the sensors.

    Attributes:
        profile: the board.
        last: what was read last; None: nothing yet.
        changes: how often each input has changed.
        ripe: since when each input has said what it says now, in seconds.
        believed: the inputs that are believed to be down.
        trouble: why the sensors are not reached, or None.
    """

    title = "Live"

    def __init__(self, profile: Profile) -> None:
        self.profile, self.cells = profile, grid(profile.size).cells
        self.last: Reading | None = None
        self.changes = [0] * len(self.cells)
        self.ripe: dict[int, float] = {}
        self.believed: set[int] = set()
        self.trouble: str | None = None
        super().__init__()

    def conversation(self) -> Talk[Result]:
        """It is looked at until somebody has looked enough."""
        while True:
            waiting = self._waiting()
            match (yield Prompt(self._look, self._light, min(waiting.values(), default=inf))):
                case Reading() as reading:
                    self._believe(reading.at)
                    self._take(reading)
                case Tick(at):
                    self._believe(at)
                case Health(trouble, _):
                    self.trouble = trouble
                case Reply("z"):
                    self.changes = [0] * len(self.cells)
                case Reply("q"):
                    return Result()

    def _look(self) -> Page:
        """Two or three drawn grids."""
        last = self.last
        if last is None:
            return Page(self.title, (), self.trouble or SILENT, (Choice("q", "leave"),))
        levels = said(last)
        believed = self._grid("believed", lambda number: "#" if number in self.believed else ".")
        changes = self._grid("changes", lambda number: str(min(self.changes[number], MOST)))
        wiring = self.profile.sensing.wiring
        if isinstance(wiring, Analog) and last.raw:
            counts, rests = last.raw, tuple(wiring.rest.values())
            count = self._grid("count", lambda number: f"{counts[number]:>4}")
            rest = self._grid("rest", lambda number: f"{rests[number]:>4}")
            told = f"A magnet is there from {wiring.on} counts off rest on, gone below {wiring.off}."
            drawn = (*_side_by_side(count, rest), "", told, "", *_side_by_side(believed, changes))
        else:
            drawn = _side_by_side(self._grid("raw", lambda number: "#" if levels[number] else "."), believed, changes)
        asks = self.trouble or "Touch the cells, move the wires, and watch. What says something is lit."
        return Page(self.title, drawn, asks, (Choice("z", "changes from zero"), Choice("q", "leave")))

    def _light(self) -> Lit:
        """The cells whose sensors say something."""
        levels = zip(self.cells, said(self.last), strict=True) if self.last else ()
        return {place: DOWN for cell, level in levels if level for place in places_of(self.profile, cell)}

    def _take(self, reading: Reading) -> None:
        now, before = said(reading), said(self.last) if self.last else ()
        for number, level in enumerate(now):
            if not before or bool(before[number]) != bool(level):
                self.changes[number] += bool(before)
                self.ripe[number] = reading.at
        self.last = reading

    def _waiting(self) -> dict[int, float]:
        """When the inputs will be believed that say something else than is believed of them."""
        levels, holds = said(self.last) if self.last else (), self.profile.sensing.holds
        return {
            number: self.ripe[number] + holds[self.cells[number]]
            for number, level in enumerate(levels)
            if bool(level) != (number in self.believed)
        }

    def _believe(self, at: float) -> None:
        self.believed ^= {number for number, due in self._waiting().items() if at >= due - 1e-9}

    def _grid(self, title: str, shows: Callable[[int], str]) -> Sequence[str]:
        """A drawn grid, the top row first, all lines equally long."""
        size = self.profile.size
        words = [shows(number) for number in range(size * size)]
        wide = max(2, *map(len, words)) + 1
        rows = ["".join(f"{word:<{wide}}" for word in words[y * size : (y + 1) * size]) for y in reversed(range(size))]
        return [f"{title:<{wide * size}}", *rows]


def _side_by_side(*grids: Sequence[str]) -> tuple[str, ...]:
    return tuple("  ".join(row).rstrip() for row in zip(*grids, strict=True))
