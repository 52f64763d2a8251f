"""How the screen around the lamps looks. Its greys are those of the 256-colour palette, and so the same everywhere."""

from __future__ import annotations

import os

from textual.theme import Theme

from pond_hw.lights.palette import OWNER
from pond_hw.rules import DARK, LIGHT, Side

GROUND = "#121212"
GAP = "#080808"  # between the cells of the board
TILE = "#303030"
GLASS = "#3a3a3a"  # of a lamp that is not lit
QUIET = "#9e9e9e"
BRIGHT = "#ffffff"

THEME = Theme(
    name="pond",
    primary="#ffaf00",
    accent="#ffaf00",
    foreground="#e4e4e4",
    background=GROUND,
    surface="#1c1c1c",
    panel=TILE,
)

WOOD = {LIGHT: ("#000000", "#d7af87"), DARK: ("#ffffff", "#875f00"), None: ("#000000", "#af875f")}
"""Ink and paper of a wooden piece: light's is of a light wood, dark's of a dark one; None: whose it is is not known."""


def hue(side: Side) -> str:
    """The colour of a side's lamps."""
    return "#{:02x}{:02x}{:02x}".format(*(round(255 * part) for part in OWNER[side]))


def plate(side: Side) -> tuple[str, str]:
    """Ink and paper of a piece's letter, so that nobody needs a hue to know its owner: dark on light, light on dark."""
    return ("#000000", "#eeeeee") if side is LIGHT else (BRIGHT, "#000000")


def half_blocks() -> bool:
    """Whether the terminal's font has half blocks: those of the Linux console on Debian have none."""
    return os.environ.get("TERM") != "linux"
