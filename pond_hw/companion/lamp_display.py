"""Draws the lamps of a board when they will look different, and sends the same frame again now and then.

On a board at rest that is a few times a second, and nothing is computed in between. While something moves it is as often
as the eye needs.
"""

from __future__ import annotations

from pond_hw.board import BoardFault, Frame, Lamps
from pond_hw.lights import FRAME_SECONDS, CurrentLimiter, draw_scene
from pond_hw.messages.message import Message
from pond_hw.session import Scene

SHOW_AGAIN_SECONDS = 0.25
"""Seconds after which a frame is sent again: lamps that missed it show it then."""


class LampDisplay:
    """Draws scenes for lamps, as rarely as the eye allows.

    Args:
        lamps: the lamps.
        limiter: current limit of the lamps; by default that of a supply that suits their number.

    Attributes:
        frame: the frame that the lamps show.
        trouble: message why the lamps were not reached the last time; None if they were.
        drawn_count: number of frames that were drawn.
        shown_count: number of frames that were sent, whether the lamps were reached or not.
    """

    def __init__(self, lamps: Lamps, limiter: CurrentLimiter | None) -> None:
        self._lamps = lamps
        self.frame = Frame.dark_frame_of(lamps)
        self._limiter = limiter or CurrentLimiter.for_lamps(len(self.frame.data) // 3)
        self.trouble: Message | None = None
        self.drawn_count = self.shown_count = 0
        self._next_drawing = self._next_showing = 0.0

    @property
    def limiter(self) -> CurrentLimiter:
        """Current limit of the lamps; a new one counts at once."""
        return self._limiter

    @limiter.setter
    def limiter(self, limiter: CurrentLimiter) -> None:
        self._limiter = limiter
        self.scene_changed()

    @property
    def next_due(self) -> float:
        """The instant at which there is something to draw or to send, if the scene stays the same."""
        return min(self._next_drawing, self._next_showing)

    def scene_changed(self) -> None:
        """Draw the next time: the scene or the limiter is another one."""
        self._next_drawing = 0.0

    def draw_if_due(self, scene: Scene, now: float) -> None:
        """Draw the scene, if it looks different by now; again soon if the current may not rise so fast."""
        if now < self._next_drawing:
            return
        self._next_drawing = now + FRAME_SECONDS  # if this fails, too
        self.drawn_count += 1
        picture, next_change = draw_scene(
            scene, now, self.frame.lamps_per_cell, self.frame.strip_lamps, self._lamps.key_lamps
        )
        wanted_frame = self._limiter.wanted_frame(picture, self.frame)
        frame = self._limiter.step_frame(wanted_frame, self.frame)
        if frame != self.frame:
            self._next_showing = now
        if frame == wanted_frame:
            self._next_drawing = next_change
        self.frame = frame

    def show_if_due(self, now: float) -> None:
        """Send the frame, if it is new or was sent some time ago, and note whether the lamps were reached."""
        if now < self._next_showing:
            return
        self._next_showing = now + SHOW_AGAIN_SECONDS
        self.shown_count += 1
        try:
            self._lamps.show(self.frame)
            self.trouble = None
        except BoardFault as fault:
            self.trouble = fault.message
