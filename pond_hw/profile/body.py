"""The table [body] of a profile: what is printed around sensors and lamps. It may be left out."""

from __future__ import annotations

from pond_hw.profile.board_profile import BoardBody
from pond_hw.profile.fields import BodyFields
from pond_hw.profile.toml_table import TomlTable

TRELLIS_PITCH_MM = 15.0
"""From key to key on a NeoTrellis, in mm."""

PIECE_FIELDS = (BodyFields.magnet_mm, BodyFields.magnet_height_mm, BodyFields.reach_mm)
"""What only boards with pieces have."""


def parse_body(root: TomlTable, driver: str | None, kind: str | None) -> BoardBody:
    """Read it, as far as it is there.

    Args:
        root: the whole profile.
        driver: what reads the sensors, if that is known.
        kind: `button` or `hall`, if that is known.
    """
    is_trellis = driver == "neotrellis"
    table = root.read_table("body")
    elsewhere = {"pitch_mm": f"The keys of a NeoTrellis are {TRELLIS_PITCH_MM:g} mm apart. Leave pitch_mm out."}
    pitch_mm = TRELLIS_PITCH_MM if is_trellis else table.read_number(BodyFields.pitch_mm)
    if kind == "button":
        sentence = "{} is for pieces with magnets, on hall sensors. Leave it out."
        table.check_keys(elsewhere | {field.key: sentence.format(field.key) for field in PIECE_FIELDS})
        return BoardBody(pitch_mm)
    diameter_mm, height_mm, reach_mm = map(table.read_number, PIECE_FIELDS)
    table.check_keys(elsewhere)
    return BoardBody(pitch_mm, (diameter_mm, height_mm), reach_mm)
