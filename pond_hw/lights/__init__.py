"""A scene and an instant become a frame of lamp values. Pure: no clock, no chance, nothing remembered.

`render_scene` paints what there is to see as people perceive it; a `CurrentLimiter` makes of it what the lamps may draw:

    frame = limiter.limit_frame(render_scene(scene, now, lamps), frame)

`draw_scene` also says when it will next look different.
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
