"""Colours and perceived brightness: 0 is dark, 1 is the maximum of a lamp.

Colours are given as for a screen with the limiter's gamma. Only owners are distinguished by hue alone, so only their
hues were chosen by measurement. Amber and azure differ by at least 30 (OKLab distance times 100; 52 in CIEDE2000)
for normal vision and for simulated full protanopia, deuteranopia and tritanopia, at every gamma from 2.2 to 2.8, even
if one of them is dimmed because the other side is to move. Red and green would reach 22 at best.
`tests/lights/test_palette.py` checks this.
"""

from pond_hw.rules import DARK, LIGHT, Side
from pond_hw.session import SignColour

Colour = tuple[float, float, float]
"""Perceived red, green and blue, each 0 to 1."""

BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)  # for the player: chosen pieces, targets, the last action, tasks
RED: Colour = (1.0, 0.0, 0.0)  # refusals

AMBER: Colour = (1.0, 0.58, 0.0)  # as yellow as possible at a safe distance from azure
AZURE: Colour = (0.0, 0.55, 1.0)  # with enough green to match the amber: pure blue looks dim
SIGN_COLOUR = {SignColour.GREEN: (0.0, 1.0, 0.0), SignColour.PURPLE: (0.7, 0.0, 1.0), SignColour.WHITE: WHITE}
OWNER_COLOUR: dict[Side, Colour] = {LIGHT: AMBER, DARK: AZURE}

REST_BRIGHTNESS = 0.45  # pieces of the side that is not to move: a sixth of the light
CHOSEN_BRIGHTNESS = 0.6  # a chosen piece between its white flashes: low, so that white stands out on amber
OPEN_BRIGHTNESS = 0.25  # a cell where an egg may be placed
FAINT_BRIGHTNESS = 0.3  # the whole board while sensors are lost; the preview under the pulses of a single lamp
TARGET_LOW = 0.18  # a target between its blips, so that it is always visible
TARGET_HIGH = 0.75  # a target in its blip, safe for a whole board: white uses three channels
SECONDARY_BRIGHTNESS = 0.3  # secondary signs: the spot beside a piece to be turned over, a shut eye
SPOT_SHADE = 0.6  # the same spot on the piece: share of its light removed
