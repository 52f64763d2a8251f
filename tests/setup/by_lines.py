"""Set-up as a program leads it by lines; and somebody who sees nothing but the lamps, and has read the README."""

import json
from contextlib import closing, contextmanager
from itertools import pairwise

from pond_hw.companion import SimulatedClock
from pond_hw.server.setup_lines import SetupLines
from pond_hw.setup.controller import SetupController

STEP = 0.1
"""Seconds from look to look."""

BRIGHT = 12
"""Steps of a channel from which on an eye calls a lamp bright."""


class Sitting:
    """A pretended board that is set up by lines.

    Attributes:
        said: all lines that came out, as objects.
        page: the last page.
    """

    def __init__(self, controller, clock):
        self.controller, self.clock, self.said = controller, clock, []
        self.lines = SetupLines(controller, clock, lambda line: self.said.append(json.loads(line)))
        self.lines.send_opening()

    def says(self, *asked):
        """Says lines; gives the last line that came of them."""
        for each in asked:
            self.lines.handle_line(each if isinstance(each, bytes) else json.dumps(each).encode())
        return self.said[-1]

    @property
    def page(self):
        return next(each for each in reversed(self.said) if each["type"] == "page")

    @property
    def seen(self):
        """What an eye sees, by cell: for each channel the brightest of its lamps."""
        cells = {cell: lamps for cell, lamps in self.page["seen"].items() if len(cell) == len("a1")}
        return {cell: tuple(map(max, zip(*lamps, strict=True))) for cell, lamps in cells.items()}

    @property
    def lit_key(self):
        """The turn key that is lit; None if none is."""
        keys = (name for name in self.page["seen"] if name.startswith("key_"))
        return next((name for name in keys if max(map(max, self.page["seen"][name])) >= BRIGHT), None)

    @property
    def results(self):
        return {each["step"]: each for each in self.said if each["type"] == "result"}


@contextmanager
def sitting(board="direct-4x4", *flaws, seed=0, pretend=True):
    """Sit down at a pretended board; a real one of that profile is out of reach."""
    clock = SimulatedClock()
    with closing(
        SetupController(board, clock.now, is_simulated=pretend, flaws=flaws, random_seed=seed, is_polled=True)
    ) as controller:
        yield Sitting(controller, clock)


class ByLight:
    """Does what the lamps ask, with no screen: what is bright is touched, and winks are counted.

    Args:
        sitting: the board.
        taken_over: whether the proposal of the map is to be taken over.
    """

    def __init__(self, sitting, *, taken_over=True):
        self.sitting, self.taken_over = sitting, taken_over
        size = sitting.said[0]["size"]
        self.told_by_winks = {1: "a1", 2: f"{'abcde'[size - 1]}1", 3: "a2", 4: "b1"}
        self.story = []

    def looks(self):
        """One look: the cells that are bright, with their colours."""
        self.sitting.says({"ask": "page"})
        return {cell: colour for cell, colour in self.sitting.seen.items() if max(colour) >= BRIGHT}

    def waits(self, seconds):
        self.sitting.says({"wait": seconds})

    def watches(self, seconds=6.0, step=STEP):
        """Many looks: for each the cells that give any light at all."""
        looks = []
        for _ in range(round(seconds / step)):
            self.waits(step)
            looks.append(frozenset(cell for cell, colour in self.sitting.seen.items() if max(colour)))
        return looks

    def does_it(self, most=1500.0):
        """Do what the lamps ask until they show what was found; that is told as `verdicts` tells it."""
        while self.sitting.page["t"] < most:
            bright = self.looks()
            white = [cell for cell, colour in bright.items() if min(colour) >= BRIGHT]
            if key := self.sitting.lit_key:
                self.touches(key)
            elif len(bright) == 3 and not white:
                for channel in range(3):
                    self.touches(max(bright, key=lambda cell: bright[cell][channel]))
            elif len(bright) == 3:
                self.holds(white)
            elif len(bright) == 2:
                self.answers()
            elif len(bright) == 1:
                self.touches(white[0] if white else next(iter(bright)))
            elif any(max(colour) for colour in self.sitting.seen.values()):
                if found := self.glows():
                    return found
            else:
                self.waits(0.3)
        raise AssertionError(f"Never done: {self.sitting.page}")

    def glows(self):
        """Faint light: it winks to ask for a cell, or it shows what was found, or it says what has been done."""
        looks = self.watches()
        everywhere = frozenset(self.sitting.seen)
        if any(max(colour) >= BRIGHT for colour in self.sitting.seen.values()):
            return None  # something is asked for meanwhile
        winks = winked(looks)
        if all(look in (everywhere, frozenset()) for look in looks) and winks:
            self.touches(self.told_by_winks[winks])
            return None
        found = verdicts(looks, everywhere)
        return found if found == verdicts(self.watches(), everywhere) else None

    def answers(self):
        """One is lit and one blinks: yes and no."""
        looks = [frozenset(self.looks()) for _ in range(20) if not self.waits(0.1)]
        steady = frozenset.intersection(*looks)
        blinks = frozenset.union(*looks) - steady
        assert (len(steady), len(blinks)) == (1, 1)
        self.story.append("yes" if self.taken_over else "no")
        for _ in range(1 if self.taken_over else 2):
            self.touches(*(steady if self.taken_over else blinks))

    def touches(self, cell):
        self.story.append(cell)
        self.sitting.says({"press": cell}, {"wait": 0.3}, {"release": cell}, {"wait": 0.4})

    def holds(self, cells):
        for cell in cells:
            self.sitting.says({"press": cell}, {"wait": 0.1})
        self.waits(0.6)
        for cell in cells:
            self.sitting.says({"release": cell})
        self.waits(0.4)


def winked(looks):
    """How often all went dark in a row, in looks that are long enough to hold one row whole."""
    begins = [n for n, (before, now) in enumerate(pairwise(looks)) if before and not now]
    rows = []
    for begin in begins:
        if rows and begin - rows[-1][-1] <= 0.6 / STEP:
            rows[-1].append(begin)
        else:
            rows.append([begin])
    return max(map(len, rows), default=0)


def verdicts(looks, cells):
    """What each cell says by its rhythm: steady, slow, or two blinks in two seconds."""
    told = {}
    for cell in cells:
        lit = [cell in look for look in looks]
        begins = sum(now and not before for before, now in pairwise(lit))
        told[cell] = "dark" if not any(lit) else "good" if all(lit) else "slow" if begins <= 3 else "twice"
    return told
