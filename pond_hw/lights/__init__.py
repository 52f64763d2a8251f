"""A scene and an instant become a frame of lamp values. Pure: no clock, no chance, nothing remembered.

`render` paints what there is to see as people perceive it; a `Limiter` makes of it what the lamps may draw:

    frame = limiter.limit(render(scene, now, lamps), frame)
"""

from pond_hw.lights.glyphs import LAMPS
from pond_hw.lights.limiter import Limiter
from pond_hw.lights.render import Picture, render, turn_seconds

FRAME_SECONDS = 1 / 30
"""From one frame to the next: often enough for every pattern here, and easy on the smallest Pi."""

__all__ = ["FRAME_SECONDS", "LAMPS", "Limiter", "Picture", "render", "turn_seconds"]
