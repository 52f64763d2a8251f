"""The step `live`: what every sensor says at this moment, for as long as somebody looks.

raw        as it is read: # down, . up; of a linear sensor the count, and where it rests
believed   after it has held still for as long as the profile asks
changes    how often each has changed since the step began
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from pond_hw.board import RGB, Health, Reading
from pond_hw.profile.board_profile import Analog, Profile
from pond_hw.rules import grid
from pond_hw.setup.setup_light import places_of
from pond_hw.setup.signal_log import said
from pond_hw.setup.step import Choice, Event, Page, Reply, Result, Tick

DOWN: RGB = (90, 90, 90)
"""How a cell is lit whose sensor says something."""

MOST = 999
"""Changes that are counted up to on a page: more would not fit beside a board on the screen."""

SILENT = "Nothing has been read yet."


@dataclass(frozen=True, slots=True)
class Live:
    """A look at the sensors.

    Attributes:
        profile: the board.
        last: what was read last; None: nothing yet.
        changes: how often each input has changed.
        ripe: since when each input has said what it says now, in seconds.
        believed: the inputs that are believed to be down.
        at: the latest instant, in seconds.
        trouble: why the sensors are not reached, or None.
        over: whether somebody has looked enough.
    """

    profile: Profile
    last: Reading | None = None
    changes: tuple[int, ...] = ()
    ripe: Mapping[int, float] = field(default_factory=dict)
    believed: frozenset[int] = frozenset()
    at: float = 0.0
    trouble: str | None = None
    over: bool = False

    @property
    def page(self) -> Page:
        """Two or three drawn grids."""
        last = self.last
        if self.over or last is None:
            return Page("Live", (), self.trouble or SILENT, (Choice("q", "leave"),))
        levels = said(last)
        raw = self._grid("raw", lambda number: "#" if levels[number] else ".")
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
            drawn = _side_by_side(raw, believed, changes)
        watch = "Touch the cells, move the wires, and watch. What says something is lit."
        asks = self.trouble or watch
        return Page("Live", drawn, asks, (Choice("z", "changes from zero"), Choice("q", "leave")))

    @property
    def lit(self) -> Mapping[int, RGB]:
        """The cells whose sensors say something."""
        if self.over or self.last is None:
            return {}
        levels = zip(grid(self.profile.size).cells, said(self.last), strict=True)
        return {place: DOWN for cell, level in levels if level for place in places_of(self.profile, cell)}

    @property
    def due(self) -> float:
        """When a level will have held still."""
        waiting = [since + self._hold(number) for number, since in self.ripe.items() if self._differs(number)]
        return inf if self.over else min(waiting, default=inf)

    @property
    def result(self) -> Result | None:
        """Nothing is judged here."""
        return Result() if self.over else None

    def after(self, event: Event) -> Live:
        """The look after an event."""
        match event:
            case Reading():
                return self._believing(event.at)._read(event)
            case Tick(at):
                return self._believing(at)
            case Health(trouble, _):
                return replace(self, trouble=trouble)
            case Reply("z"):
                return replace(self, changes=(0,) * len(self.changes))
            case Reply("q"):
                return replace(self, over=True)
        return self

    def _read(self, reading: Reading) -> Live:
        now = said(reading)
        if self.last is None:
            return replace(self, last=reading, changes=(0,) * len(now), ripe=dict.fromkeys(range(len(now)), reading.at))
        before = said(self.last)
        if now == before:
            return replace(self, last=reading)
        changed = {n for n, level in enumerate(now) if bool(before[n]) != bool(level)}
        changes = tuple(count + (n in changed) for n, count in enumerate(self.changes))
        return replace(self, last=reading, changes=changes, ripe={**self.ripe, **dict.fromkeys(changed, reading.at)})

    def _believing(self, at: float) -> Live:
        ripe = {n for n, since in self.ripe.items() if self._differs(n) and at >= since + self._hold(n) - 1e-9}
        return replace(self, believed=self.believed ^ ripe, at=at) if ripe else replace(self, at=at)

    def _differs(self, number: int) -> bool:
        return self.last is not None and bool(said(self.last)[number]) != (number in self.believed)

    def _hold(self, number: int) -> float:
        return self.profile.sensing.holds[grid(self.profile.size).cells[number]]

    def _grid(self, title: str, shows: Callable[[int], str]) -> Sequence[str]:
        """A drawn grid, the top row first, all lines equally long."""
        size = self.profile.size
        words = [shows(number) for number in range(size * size)]
        wide = max(2, *map(len, words)) + 1
        rows = ["".join(f"{word:<{wide}}" for word in words[y * size : (y + 1) * size]) for y in reversed(range(size))]
        return [f"{title:<{wide * size}}", *rows]


def _side_by_side(*grids: Sequence[str]) -> tuple[str, ...]:
    return tuple("  ".join(row).rstrip() for row in zip(*grids, strict=True))
