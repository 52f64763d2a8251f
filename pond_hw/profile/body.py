"""The table [body] of a profile: what is printed around sensors and lamps. It may be left out."""

from __future__ import annotations

from pond_hw.profile.board_profile import Body
from pond_hw.profile.fields import Table

TRELLIS_PITCH = 15.0
"""From key to key on a NeoTrellis, in mm."""

MAGNETS = ("magnet_mm", "magnet_height_mm", "reach_mm")
"""Keys that only boards with pieces have."""


def read_body(root: Table, driver: str | None, kind: str | None) -> Body:
    """Read it, as far as it is there.

    Args:
        root: the whole profile.
        driver: what reads the sensors, if that is known.
        kind: `button` or `hall`, if that is known.
    """
    usual = Body(TRELLIS_PITCH) if driver == "neotrellis" else Body()
    table = root.table("body")
    if table is None:
        return usual
    pitch: float | None = usual.pitch
    magnet: tuple[float | None, float | None] = usual.magnet
    reach: float | None = usual.reach
    elsewhere = {"pitch_mm": f"The keys of a NeoTrellis are {TRELLIS_PITCH:g} mm apart. Leave pitch_mm out."}
    if driver != "neotrellis":
        pitch = table.number("pitch_mm", 28, 60, default=usual.pitch)
    if kind == "button":
        elsewhere |= {key: f"{key} is for pieces with magnets, on hall sensors. Leave it out." for key in MAGNETS}
    else:
        magnet = (
            table.number("magnet_mm", 4, 10, default=usual.magnet[0]),
            table.number("magnet_height_mm", 1.5, 5, default=usual.magnet[1]),
        )
        reach = table.number("reach_mm", 3, 15, default=usual.reach)
    table.close(elsewhere)
    wide, high = magnet
    return Body(pitch, (wide, high), reach) if pitch and wide and high and reach else usual
