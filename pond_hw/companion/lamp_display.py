"""What the lamps of a board are told, and when: drawn when it will look different, told again now and then.

On a board at rest that is a few times a second, and nothing is computed in between. While something moves it is as often
as the eye needs.
"""

from __future__ import annotations

from pond_hw.board import Frame, Lamps
from pond_hw.lights import FRAME_SECONDS, CurrentLimiter, draw_scene
from pond_hw.session import Scene

SHOW_AGAIN_SECONDS = 0.25
"""So often the lamps are told what they show even if nothing has changed: what was lost on the way comes back."""


class LampDisplay:
    """Draws scenes for lamps, as rarely as the eye allows.

    Args:
        lamps: where it is shown.
        limiter: what the lamps may draw; by default what a supply allows that suits so many of them.

    Attributes:
        frame: what the lamps were last told to show.
        drawn_count: how often that was drawn.
        shown_count: how often the lamps were told, whether they were reached or not.
    """

    def __init__(self, lamps: Lamps, limiter: CurrentLimiter | None) -> None:
        self._lamps = lamps
        self.frame = Frame.dark_frame(lamps.size, lamps.lamps_per_cell, lamps.strip_lamps)
        self._limiter = limiter or CurrentLimiter.for_lamps(len(self.frame.data) // 3)
        self.drawn_count = self.shown_count = 0
        self._next_drawing = self._next_showing = 0.0

    @property
    def limiter(self) -> CurrentLimiter:
        """What the lamps may draw; another one counts at once."""
        return self._limiter

    @limiter.setter
    def limiter(self, limiter: CurrentLimiter) -> None:
        self._limiter = limiter
        self.scene_changed()

    @property
    def next_due(self) -> float:
        """The instant in seconds at which there is something to draw or to tell, if the scene stays the same."""
        return min(self._next_drawing, self._next_showing)

    def scene_changed(self) -> None:
        """What there is to see is another scene from now on, or the same with other means: it is drawn next time."""
        self._next_drawing = 0.0

    def draw_if_due(self, scene: Scene, now: float) -> None:
        """Draw the scene, if it looks different by now; again soon if the current may not rise so fast."""
        if now < self._next_drawing:
            return
        self._next_drawing = now + FRAME_SECONDS  # if this fails, too
        self.drawn_count += 1
        picture, next_change = draw_scene(scene, now, self.frame.lamps_per_cell, self.frame.strip_lamps)
        wanted_frame = self._limiter.wanted_frame(picture, self.frame)
        frame = self._limiter.step_frame(wanted_frame, self.frame)
        if frame != self.frame:
            self._next_showing = now
        if frame == wanted_frame:
            self._next_drawing = next_change
        self.frame = frame

    def show_if_due(self, now: float) -> bool:
        """Tell the lamps what to show, if that is new or was told some time ago.

        Returns:
            Whether they were told.

        Raises:
            BoardFault: they are not reached at the moment.
        """
        if now < self._next_showing:
            return False
        self._next_showing = now + SHOW_AGAIN_SECONDS
        self.shown_count += 1
        self._lamps.show(self.frame)
        return True
