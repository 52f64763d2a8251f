"""The step `live`: what every sensor says at this moment, for as long as somebody looks.

raw        as it is read: # down, . up; of a linear sensor the count, and where it rests
believed   after it has held still for as long as the profile asks
changes    how often each has changed since the step began
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from pond_hw.board import RGB, HealthEvent, Sample
from pond_hw.profile.board_profile import AnalogWiring, Profile
from pond_hw.rules import get_grid
from pond_hw.setup.setup_light import cell_lamps
from pond_hw.setup.signal_log import sensed_levels
from pond_hw.setup.step import Lit, Prompt, SetupOption, SetupStep, StepPage, StepReply, StepResult, StepTick, Talk

DOWN: RGB = (90, 90, 90)
"""How a cell is lit whose sensor says something."""

MOST = 999
"""Changes that are counted up to on a page: more would not fit beside a board on the screen."""

SILENT = "Nothing has been read yet."


class LiveView(SetupStep):
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
        self.profile, self.cells = profile, get_grid(profile.size).cells
        self.last: Sample | None = None
        self.changes = [0] * len(self.cells)
        self.ripe: dict[int, float] = {}
        self.believed: set[int] = set()
        self.trouble: str | None = None
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """It is looked at until somebody has looked enough."""
        while True:
            waiting = self._waiting()
            match (yield Prompt(self._look, self._light, min(waiting.values(), default=inf))):
                case Sample() as reading:
                    self._believe(reading.instant)
                    self._take(reading)
                case StepTick(at):
                    self._believe(at)
                case HealthEvent(trouble, _):
                    self.trouble = trouble
                case StepReply("z"):
                    self.changes = [0] * len(self.cells)
                case StepReply("q"):
                    return StepResult()

    def _look(self) -> StepPage:
        """Two or three drawn grids."""
        last = self.last
        if last is None:
            return StepPage(self.title, (), self.trouble or SILENT, (SetupOption("q", "leave"),))
        levels = sensed_levels(last)
        believed = self._grid("believed", lambda number: "#" if number in self.believed else ".")
        changes = self._grid("changes", lambda number: str(min(self.changes[number], MOST)))
        wiring = self.profile.sensing.wiring
        if isinstance(wiring, AnalogWiring) and last.raw_values:
            counts, rests = last.raw_values, tuple(wiring.rest.values())
            count = self._grid("count", lambda number: f"{counts[number]:>4}")
            rest = self._grid("rest", lambda number: f"{rests[number]:>4}")
            told = f"A magnet is there from {wiring.on} counts off rest on, gone below {wiring.off}."
            drawn = (*_side_by_side(count, rest), "", told, "", *_side_by_side(believed, changes))
        else:
            drawn = _side_by_side(self._grid("raw", lambda number: "#" if levels[number] else "."), believed, changes)
        asks = self.trouble or "Touch the cells, move the wires, and watch. What says something is lit."
        return StepPage(self.title, drawn, asks, (SetupOption("z", "changes from zero"), SetupOption("q", "leave")))

    def _light(self) -> Lit:
        """The cells whose sensors say something."""
        levels = zip(self.cells, sensed_levels(self.last), strict=True) if self.last else ()
        return {place: DOWN for cell, level in levels if level for place in cell_lamps(self.profile, cell)}

    def _take(self, reading: Sample) -> None:
        now, before = sensed_levels(reading), sensed_levels(self.last) if self.last else ()
        for number, level in enumerate(now):
            if not before or bool(before[number]) != bool(level):
                self.changes[number] += bool(before)
                self.ripe[number] = reading.instant
        self.last = reading

    def _waiting(self) -> dict[int, float]:
        """When the inputs will be believed that say something else than is believed of them."""
        levels, holds = sensed_levels(self.last) if self.last else (), self.profile.sensing.debounce_by_cell
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
