"""The table [body] of a profile: what is printed around sensors and lamps. It may be left out."""

from __future__ import annotations

from pond_hw.profile.board_profile import BoardBody
from pond_hw.profile.fields import TomlTable

TRELLIS_PITCH_MM = 15.0
"""From key to key on a NeoTrellis, in mm."""

MAGNET_KEYS = ("magnet_mm", "magnet_height_mm", "reach_mm")
"""Keys that only boards with pieces have."""


def parse_body(root: TomlTable, driver: str | None, kind: str | None) -> BoardBody:
    """Read it, as far as it is there.

    Args:
        root: the whole profile.
        driver: what reads the sensors, if that is known.
        kind: `button` or `hall`, if that is known.
    """
    usual = BoardBody(TRELLIS_PITCH_MM) if driver == "neotrellis" else BoardBody()
    table = root.read_table("body")
    if table is None:
        return usual
    pitch: float | None = usual.pitch_mm
    magnet: tuple[float | None, float | None] = usual.magnet_size_mm
    reach: float | None = usual.reach_mm
    elsewhere = {"pitch_mm": f"The keys of a NeoTrellis are {TRELLIS_PITCH_MM:g} mm apart. Leave pitch_mm out."}
    if driver != "neotrellis":
        pitch = table.read_number("pitch_mm", 28, 60, default=usual.pitch_mm)
    if kind == "button":
        elsewhere |= {key: f"{key} is for pieces with magnets, on hall sensors. Leave it out." for key in MAGNET_KEYS}
    else:
        magnet = (
            table.read_number("magnet_mm", 4, 10, default=usual.magnet_size_mm[0]),
            table.read_number("magnet_height_mm", 1.5, 5, default=usual.magnet_size_mm[1]),
        )
        reach = table.read_number("reach_mm", 3, 15, default=usual.reach_mm)
    table.check_keys(elsewhere)
    wide, high = magnet
    return BoardBody(pitch, (wide, high), reach) if pitch and wide and high and reach else usual
