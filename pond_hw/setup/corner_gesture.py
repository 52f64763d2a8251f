"""How set-up is asked for without a screen: two corners are held down while the board is switched on.

    down at power-on   a1 and the top right corner, and nothing else   both blink
    let go of both     within five seconds                             set-up begins
    otherwise                                                          the board plays, as always

On a board with pieces a piece stands on each of the two. That may come up in a game, so it takes hands as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

from pond_hw.board import RGB, Health, Reading
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, grid
from pond_hw.setup.setup_light import places_of
from pond_hw.setup.signal_log import said
from pond_hw.setup.step import Event, Page, Reply, Result, Tick

LOOKS = 0.6
"""Seconds after which sensors that have said nothing are not waited for."""

WAITS = 5.0
"""Seconds in which both corners are to be let go of."""

BLINK = 0.25
"""Seconds for which they are lit, and as long dark."""

LIGHT: RGB = (150, 150, 150)


@dataclass(frozen=True, slots=True)
class Gesture:
    """Whether somebody asks for set-up.

    Attributes:
        profile: the board.
        since: when it was switched on; when the corners were seen, in seconds.
        at: the latest instant.
        seen: whether the corners were down.
        asked: whether set-up was asked for; None as long as that is not known.
    """

    profile: Profile
    since: float
    at: float
    seen: bool = False
    asked: bool | None = None

    @classmethod
    def start(cls, profile: Profile, at: float) -> Gesture:
        """Begin to look."""
        return cls(profile, at, at)

    @property
    def corners(self) -> frozenset[Cell]:
        """The two cells that are to be held."""
        cells = grid(self.profile.size).cells
        return frozenset((cells[0], cells[-1]))

    @property
    def page(self) -> Page:
        """What is to be done."""
        first, last = sorted(self.corners)
        return Page("Set-up", (), f"Let go of {first} and {last} now, and set-up begins." if self.seen else "")

    @property
    def lit(self) -> Mapping[int, RGB]:
        """The two corners, blinking."""
        if not self.seen or self.asked is not None or self._beat % 2:
            return {}
        return {place: LIGHT for cell in self.corners for place in places_of(self.profile, cell)}

    @property
    def due(self) -> float:
        """The next blink, or the end of waiting."""
        if self.asked is not None:
            return inf
        if not self.seen:
            return self.since + LOOKS
        return self.since + (self._beat + 1) * BLINK

    @property
    def _beat(self) -> int:
        """How many beats have passed since the corners were seen."""
        return int((self.at - self.since) / BLINK + 1e-6)

    @property
    def result(self) -> Result | None:
        """Nothing; `asked` tells."""
        return None if self.asked is None else Result()

    def after(self, event: Event) -> Gesture:
        """The look after an event."""
        if self.asked is not None:
            return self
        match event:
            case Reading():
                cells = grid(self.profile.size).cells
                down = {cell for cell, level in zip(cells, said(event), strict=True) if level}
                return self._looked(down, event.at)
            case Tick(at):
                late = at >= self.since + (WAITS if self.seen else LOOKS) - 1e-6
                return replace(self, at=at, asked=False if late else None)
            case Health(str(), _):
                return replace(self, asked=False)
            case Reply():
                return replace(self, asked=True)
        return self

    def _looked(self, down: set[Cell], at: float) -> Gesture:
        if not self.seen:
            both = down == self.corners
            return replace(self, seen=both, since=at, at=at, asked=None if both else False)
        if not down:
            return replace(self, at=at, asked=True)
        return replace(self, at=at, asked=None if down <= self.corners else False)
