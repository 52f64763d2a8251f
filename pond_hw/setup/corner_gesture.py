"""How set-up is asked for without a screen: two corners are held down while the board is switched on.

    down at power-on   a1 and the top right corner, and nothing else   both blink
    let go of both     within five seconds                             set-up begins
    otherwise                                                          the board plays, as always

On a board with pieces a piece stands on each of the two. That may come up in a game, so it takes hands as well.
"""

from __future__ import annotations

from pond_hw.board import RGB, HealthEvent, KeyEvent, Sample
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.conversation import Lit, Prompt, SetupStep, Talk
from pond_hw.setup.setup_light import cell_lamps
from pond_hw.setup.signal_log import sensed_levels
from pond_hw.setup.step import StepEvent, StepPage, StepReply, StepResult, StepTick

LOOKS = 0.6
"""Seconds after which sensors that have said nothing are not waited for."""

WAITS = 5.0
"""Seconds in which both corners are to be let go of."""

BLINK = 0.25
"""Seconds for which they are lit, and as long dark."""

LIGHT: RGB = (150, 150, 150)


class CornerGesture(SetupStep):
    """Whether somebody asks for set-up.

    Attributes:
        profile: the board.
        corners: the two cells that are to be held.
        since: when it was switched on; when the corners were seen, in seconds.
        at: the latest instant.
        asked: whether set-up was asked for; None as long as that is not known.
    """

    title = "Set-up"

    def __init__(self, profile: Profile, instant: float) -> None:
        self.profile, self.since, self.at = profile, instant, instant
        self.corners = frozenset((get_grid(profile.size).cells[0], get_grid(profile.size).cells[-1]))
        self.asked: bool | None = None
        super().__init__()

    def conversation(self) -> Talk[StepResult]:
        """Just the two corners are down at first; they blink until both are let go of."""
        event = yield Prompt(StepPage(self.title), due=self.since + LOOKS)
        while self._says_nothing(event, LOOKS):
            event = yield Prompt(StepPage(self.title), due=self.since + LOOKS)
        if isinstance(event, Sample) and self._down(event) == self.corners:
            self.since, (first, last_corner) = event.instant, sorted(self.corners)
            asked_page = StepPage(self.title, (), f"Let go of {first} and {last_corner} now, and set-up begins.")
            while self._says_nothing(event, WAITS) or self._is_held(event):
                event = yield Prompt(asked_page, self._light, self.since + (self._beats + 1) * BLINK)
            self.asked = isinstance(event, StepReply) or (isinstance(event, Sample) and not self._down(event))
        else:
            self.asked = isinstance(event, StepReply)
        return StepResult()

    def _says_nothing(self, event: StepEvent, patience_seconds: float) -> bool:
        """Whether nothing has come of waiting yet."""
        if isinstance(event, Sample | StepTick):
            self.at = event.instant
        still_waits = isinstance(event, StepTick) and event.instant < self.since + patience_seconds - 1e-6
        return still_waits or isinstance(event, KeyEvent) or (isinstance(event, HealthEvent) and event.trouble is None)

    def _is_held(self, event: StepEvent) -> bool:
        return isinstance(event, Sample) and bool(down_cells := self._down(event)) and down_cells <= self.corners

    def _down(self, new_sample: Sample) -> set[Cell]:
        sensor_levels = zip(get_grid(self.profile.size).cells, sensed_levels(new_sample), strict=True)
        return {corner_cell for corner_cell, sensor_level in sensor_levels if sensor_level}

    @property
    def _beats(self) -> int:
        """How many beats have passed since the corners were seen."""
        return int((self.at - self.since) / BLINK + 1e-6)

    def _light(self) -> Lit:
        """The two corners, blinking."""
        lit = () if self._beats % 2 else self.corners
        return {lamp_place: LIGHT for corner_cell in lit for lamp_place in cell_lamps(self.profile, corner_cell)}
