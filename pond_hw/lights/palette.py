"""The colours and how bright they are, as perceived: 0 is dark, 1 is all that a lamp can do.

They are written as for a screen of the same gamma; the limiter's gamma turns them into light.

Only the owner of a piece is told by hue alone, so only that pair is chosen by measurement: amber and azure stay
30 apart and more (OKLab, a hundred times the distance; 52 in CIEDE2000) for normal sight and for simulated full
protanopia, deuteranopia and tritanopia, at every gamma from 2.2 to 2.8, and also when one of the two is at
rest. Red and green would be 22 apart at best. `tests/lights/test_palette.py` holds the measure.
"""

from pond_hw.rules import DARK, LIGHT, Side
from pond_hw.session import SignColour

Colour = tuple[float, float, float]
"""Red, green and blue as perceived, each 0 to 1."""

BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)  # the hand: what is chosen, where it may go, where it was last, what it has to do
RED: Colour = (1.0, 0.0, 0.0)  # no

AMBER: Colour = (1.0, 0.58, 0.0)  # as yellow as it can be and still be no neighbour of the azure
AZURE: Colour = (0.0, 0.55, 1.0)  # with enough green to be as bright as the amber: a pure blue is a dim lamp
SIGN_COLOUR = {SignColour.GREEN: (0.0, 1.0, 0.0), SignColour.PURPLE: (0.7, 0.0, 1.0), SignColour.WHITE: WHITE}
OWNER_COLOUR: dict[Side, Colour] = {LIGHT: AMBER, DARK: AZURE}

REST_BRIGHTNESS = 0.45  # a piece whose side is not to move: a sixth of the light, and still all there
CHOSEN_BRIGHTNESS = 0.6  # a chosen piece between its white flashes: low, so that white stands out on amber too
OPEN_BRIGHTNESS = 0.25  # a cell where an egg may be placed
FAINT_BRIGHTNESS = 0.3  # everything, while the board cannot feel; under the pulses of a single lamp, what will be there
TARGET_LOW = 0.18  # a target between its blips, so that nobody waits for the first one to find it
TARGET_HIGH = 0.75  # a target in its blip, and what a whole board may show: white costs three channels
REMARK_BRIGHTNESS = 0.3  # what is only a remark: a spot beside a piece that has yet to be turned, a shut eye
SPOT_SHADE = 0.6  # the same spot on the piece: how much of its light it takes
