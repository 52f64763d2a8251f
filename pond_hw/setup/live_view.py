"""The step `live`: what every sensor says at this moment, for as long as somebody looks.

raw        as it is read: # down, . up; of a linear sensor the count, and where it rests
debounced  after it has held still for as long as the profile asks
changes    how often each has changed since the step began
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from pond_hw.board import RGB, HealthEvent, Sample
from pond_hw.drivers.debounce import DebounceFilter
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import AnalogWiring, Profile
from pond_hw.rules import get_grid
from pond_hw.setup.conversation import TO_MENU, Lit, Prompt, SetupStep, Talk
from pond_hw.setup.lamp_places import light_cells
from pond_hw.setup.step import Block, SetupOption, StepPage, StepReply, StepResult, StepTick, Table

DOWN: RGB = (90, 90, 90)  # how a cell is lit whose sensor says something
MOST = 999  # changes that are counted up to on a page: more would not fit beside a board on the screen


class LiveView(SetupStep):
    """A look at the sensors.

    Attributes:
        profile: the board.
        last: what was read last; None: nothing yet.
        changes: how often each input has changed.
        trouble: why the sensors are not reached, or None.
    """

    title = Message("live.title")

    def __init__(self, profile: Profile) -> None:
        self.profile, self.cells = profile, get_grid(profile.size).cells
        self.last: Sample | None = None
        self.changes = [0] * len(self.cells)
        self.trouble: Message | None = None
        self._filter = DebounceFilter([profile.sensing.debounce_by_cell[cell] for cell in self.cells])
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """It is looked at until somebody has looked enough."""
        while True:
            match (yield Prompt(self._look, self._light, self._filter.next_ripe_at)):
                case Sample() as sample:
                    self._take(sample)
                case StepTick(instant):
                    self._believe(instant)
                case HealthEvent(trouble, _):
                    self.trouble = trouble
                case StepReply("z"):
                    self.changes = [0] * len(self.cells)
                case StepReply("q"):
                    return StepResult()

    def _look(self) -> StepPage:
        """Two or three drawn grids."""
        if self.last is None:
            return StepPage(self.title, (), self.trouble or Message("setup.nothing_read"), (TO_MENU,))
        believed = self._grid("debounced", ["#" if sensor_level else "." for sensor_level in self._filter.levels])
        changes_grid = self._grid("changes", [str(min(one_count, MOST)) for one_count in self.changes])
        sensor_wiring = self.profile.sensing.wiring
        if isinstance(sensor_wiring, AnalogWiring) and self.last.raw_values:
            count_grid = self._grid("count", [f"{one_count:>4}" for one_count in self.last.raw_values])
            rest_grid = self._grid("rest", [f"{rest_count:>4}" for rest_count in sensor_wiring.rest.values()])
            threshold = Message("live.threshold", on=sensor_wiring.on, off=sensor_wiring.off)
            counts, changes = _side_by_side(count_grid, rest_grid), _side_by_side(believed, changes_grid)
            drawing: tuple[Block, ...] = (counts, "", threshold, "", changes)
        else:
            raw_grid = self._grid("raw", ["#" if sensor_level else "." for sensor_level in self.last.sensed_levels])
            drawing = (_side_by_side(raw_grid, believed, changes_grid),)
        choices = SetupOption("z", Message("setup_key.from_zero")), TO_MENU
        return StepPage(self.title, drawing, self.trouble or Message("live.watch"), choices)

    def _light(self) -> Lit:
        """The cells whose sensors say something."""
        return light_cells(self.profile, compress(self.cells, self.last.sensed_levels if self.last else ()), DOWN)

    def _take(self, new_sample: Sample) -> None:
        self._believe(new_sample.instant)  # what was read last has held until now
        for input_number, sensor_level in enumerate(new_sample.sensed_levels):
            if self.last and bool(self.last.sensed_levels[input_number]) != bool(sensor_level):
                self.changes[input_number] += 1
        self.last = new_sample
        self._believe(new_sample.instant)

    def _believe(self, instant: float) -> None:
        if self.last:
            sensor_levels = tuple(int(bool(sensor_level)) for sensor_level in self.last.sensed_levels)
            self._filter.accept_changes(self._filter.add_readings(sensor_levels, instant))

    def _grid(self, kind: str, words: Sequence[str]) -> Sequence[str | Message]:
        """A drawn grid under its heading, the top row first."""
        size, width = self.profile.size, max(2, *map(len, words)) + 1
        rows = ["".join(f"{word:<{width}}" for word in words[y * size : (y + 1) * size]) for y in reversed(range(size))]
        return [Message(f"live.grid.{kind}"), *rows]


def _side_by_side(*grids: Sequence[str | Message]) -> Table:
    return Table(tuple(zip(*grids, strict=True)))
