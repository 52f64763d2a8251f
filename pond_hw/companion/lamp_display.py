"""Lamp output: draws a frame when the scene changes, and resends the last frame at regular intervals."""

from __future__ import annotations

from pond_hw.board import BoardFault, Frame, Lamps
from pond_hw.lights import FRAME_SECONDS, CurrentLimiter, draw_scene
from pond_hw.messages.message import Message
from pond_hw.session import Scene

SHOW_AGAIN_SECONDS = 0.25
"""Interval in seconds at which an unchanged frame is sent again, in case the lamps missed it."""


class LampDisplay:
    """Renders scenes and sends the frames to the lamps.

    Args:
        lamps: lamps of the board.
        limiter: limits the current of the lamps. The default assumes a power supply that matches the number of lamps.

    Attributes:
        frame: latest frame after current limiting.
        trouble: error of the last transmission, or None.
        drawn_count: number of frames drawn so far.
        shown_count: number of frames sent so far, including failed transmissions.
    """

    def __init__(self, lamps: Lamps, limiter: CurrentLimiter | None) -> None:
        self._lamps = lamps
        self.frame = Frame.dark_frame_of(lamps)
        self._limiter = limiter or CurrentLimiter.for_lamps(len(self.frame.data) // 3)
        self.trouble: Message | None = None
        self.drawn_count = self.shown_count = 0
        self._next_drawing = self._next_transmission = 0.0

    @property
    def limiter(self) -> CurrentLimiter:
        """Limiter for the current of the lamps. A new limiter takes effect immediately."""
        return self._limiter

    @limiter.setter
    def limiter(self, limiter: CurrentLimiter) -> None:
        self._limiter = limiter
        self.invalidate()

    @property
    def next_due(self) -> float:
        """Time of the next drawing or transmission if the scene does not change."""
        return min(self._next_drawing, self._next_transmission)

    def invalidate(self) -> None:
        """Make the next call of `draw_if_due` draw the scene."""
        self._next_drawing = 0.0

    def draw_if_due(self, scene: Scene, now: float) -> None:
        """Draw the scene if it has changed, or if the lamp current is still settling."""
        if now < self._next_drawing:
            return
        self._next_drawing = now + FRAME_SECONDS  # even if drawing fails
        self.drawn_count += 1
        picture, next_change = draw_scene(
            scene, now, self.frame.lamps_per_cell, self.frame.strip_lamps, self._lamps.key_lamps
        )
        wanted_frame = self._limiter.wanted_frame(picture, self.frame)
        frame = self._limiter.step_frame(wanted_frame, self.frame)
        if frame != self.frame:
            self._next_transmission = now
        if frame == wanted_frame:
            self._next_drawing = next_change
        self.frame = frame

    def show_if_due(self, now: float) -> None:
        """Send the frame if it is new or due to be sent again, and update `trouble`."""
        if now < self._next_transmission:
            return
        self._next_transmission = now + SHOW_AGAIN_SECONDS
        self.shown_count += 1
        try:
            self._lamps.show(self.frame)
            self.trouble = None
        except BoardFault as fault:
            self.trouble = fault.message
