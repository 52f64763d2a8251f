"""A scene and an instant become a frame of lamp values. Pure: no clock, no chance, nothing remembered.

`render_scene` paints what there is to see as people perceive it; a `CurrentLimiter` makes of it what the lamps may draw:

    frame = limiter.limit_frame(render_scene(scene, now, lamps), frame)
"""

from pond_hw.lights.glyphs import LAMP_COUNTS
from pond_hw.lights.limiter import CurrentLimiter
from pond_hw.lights.render import Picture, render_scene, turn_duration

FRAME_SECONDS = 1 / 30
"""From one frame to the next: often enough for every pattern here, and easy on the smallest Pi."""

__all__ = ["FRAME_SECONDS", "LAMP_COUNTS", "CurrentLimiter", "Picture", "render_scene", "turn_duration"]
