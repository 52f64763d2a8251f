"""Small profiles for tests to modify, and the faults that the reader finds in them."""

import pytest

from pond_hw.messages.catalogue import to_english
from pond_hw.profile import ProfileError, parse_profile


def edited(text, *changes):
    """Replace each old text, which must occur exactly once, with the new one."""
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in the text"
        text = text.replace(old, new)
    return text


LAMPS = """
[lamps]
driver = "auto"
pin = 10
count = 9
budget_ma = 300
cells = '''
0 1 2
5 4 3
6 7 8
'''

[supply]
source = "pi"
current_ma = 2500
"""

BUTTONS = f"""\
format = 1
title = "Nine buttons"
grid = 3

[sensors]
kind = "button"
driver = "gpio"
cells = '''
 4 17 27
22  5  6
13 19 26
'''
{LAMPS}
[undo_key]
pin = 20

[buzzer]
pin = 16
"""

MATRIX = f"""\
format = 1
title = "Nine crossings"
grid = 3

[sensors]
kind = "button"
driver = "matrix"
cells = '''
 5/17  5/27  5/22
 6/17  6/27  6/22
13/17 13/27 13/22
'''
{LAMPS}"""

EXPANDERS = f"""\
format = 1
title = "Nine magnets"
grid = 3

[sensors]
kind = "hall"
driver = "mcp23017"
cells = '''
20.A0 20.A1 20.A2
20.B0 20.B1 20.B2
21.A0 21.A1 21.A2
'''
{LAMPS}"""

HALLS = f"""\
format = 1
title = "Nine magnets with poles"
grid = 3

[sensors]
kind = "hall"
driver = "mcp3008"
cells = '''
A0 A1 A2
A3 A4 A5
B0 B1 C0
'''

[sensors.chips]
A = {{ clock = 21, mosi = 20, miso = 19, select = 18 }}
B = {{ clock = 21, mosi = 20, miso = 19, select = 17 }}
C = {{ clock = 5, mosi = 6, miso = 13, select = 26 }}
{LAMPS}"""

PICO_LAMPS = edited(LAMPS, ("pin = 10", "pin = 26"), ('"pi"', '"usb"'), ("2500", "500"))

PICO = f"""\
format = 1
title = "Nine buttons on a cable"
grid = 3
controller = "pico"

[sensors]
kind = "button"
driver = "gpio"
cells = '''
0 1 2
3 6 7
8 9 22
'''
{PICO_LAMPS}
[undo_key]
pin = 27
"""

TRELLIS = """\
format = 1
title = "Sixteen keys"
grid = 4

[sensors]
kind = "button"
driver = "neotrellis"
cells = '''
 0  1  2  3
 4  5  6  7
 8  9 10 11
12 13 14 15
'''

[lamps]
driver = "neotrellis"
count = 16
budget_ma = 300
cells = '''
 0  1  2  3
 4  5  6  7
 8  9 10 11
12 13 14 15
'''

[supply]
source = "pi"
current_ma = 2500
"""

SIMULATED = """\
format = 1
title = "Nothing at all"
grid = 3

[sensors]
kind = "button"
driver = "simulated"

[lamps]
driver = "simulated"
count = 15
budget_ma = 300
cells = '''
0 1 2
5 4 3
6 7 8
'''

[strips]
light = [9, 10, 11]
dark = [14, 13, 12]

[supply]
source = "own"
current_ma = 2500
"""

ALL = {
    "buttons": BUTTONS,
    "matrix": MATRIX,
    "expanders": EXPANDERS,
    "halls": HALLS,
    "trellis": TRELLIS,
    "simulated": SIMULATED,
    "pico": PICO,
}


def faults(text):
    """Return all faults of a text."""
    with pytest.raises(ProfileError) as refused:
        parse_profile(text, "board")
    return refused.value.faults


def places(text):
    """Return the line and the path of each fault in a text."""
    return [(fault.line, to_english(fault.place)) for fault in faults(text)]
