"""Screen colours apart from the lamps.

All greys are in the 256-colour palette, so they look the same in every terminal.
"""

from __future__ import annotations

from textual.theme import Theme

from pond_hw.lights.palette import OWNER_COLOUR
from pond_hw.rules import DARK, LIGHT, Side

GROUND_COLOUR = "#121212"
GAP_COLOUR = "#080808"  # between the cells of the board
TILE_COLOUR = "#303030"
GLASS_COLOUR = "#3a3a3a"  # an unlit lamp
QUIET_COLOUR = "#9e9e9e"
BRIGHT_COLOUR = "#ffffff"

POND_THEME = Theme(
    name="pond",
    primary="#ffaf00",
    accent="#ffaf00",
    foreground="#e4e4e4",
    background=GROUND_COLOUR,
    surface="#1c1c1c",
    panel=TILE_COLOUR,
)

PIECE_COLOURS = {LIGHT: ("#000000", "#d7af87"), DARK: ("#ffffff", "#875f00"), None: ("#000000", "#af875f")}
"""Foreground and background of a wooden piece by owner: light wood, dark wood, or a medium tone if unknown."""


def hex_colour(red: int, green: int, blue: int) -> str:
    """Format a colour as `#rrggbb`."""
    return f"#{red:02x}{green:02x}{blue:02x}"


def side_colour(side: Side) -> str:
    return hex_colour(*(round(255 * colour_part) for colour_part in OWNER_COLOUR[side]))


def plate_colours(side: Side) -> tuple[str, str]:
    """Return the foreground and background of a piece's letter: black on white for light, white on black for dark."""
    return ("#000000", "#eeeeee") if side is LIGHT else (BRIGHT_COLOUR, "#000000")
