"""Rendering of scenes to lamp values. All functions are pure: no clock, no randomness, no state.

    frame = limiter.limit_frame(render_scene(scene, now, lamps), frame)

`render_scene` computes perceived brightness, and a `CurrentLimiter` turns it into a frame within the current limits.
`draw_scene` also returns the time of the next visible change.
"""

from pond_hw.lights.animations import FRAME_SECONDS
from pond_hw.lights.current_limiter import CurrentLimiter
from pond_hw.lights.glyphs import LAMP_COUNTS
from pond_hw.lights.render import DrawnScene, Picture, draw_scene, render_scene, turn_duration

__all__ = [
    "FRAME_SECONDS",
    "LAMP_COUNTS",
    "CurrentLimiter",
    "DrawnScene",
    "Picture",
    "draw_scene",
    "render_scene",
    "turn_duration",
]
