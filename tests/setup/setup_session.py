"""Set-up over JSON lines, and a simulated user who sees only the lamps."""

import json
from contextlib import closing, contextmanager
from itertools import pairwise

from pond_hw.companion import SimulatedClock
from pond_hw.server.setup_lines import SetupLines
from pond_hw.setup.controller import SetupController

STEP = 0.1
"""Seconds between two looks at the board."""

BRIGHT = 12
"""Minimum level of a colour channel that looks bright."""


class SetupSession:
    """Set-up of a simulated board over JSON lines.

    Attributes:
        messages: all messages received.
        page: latest page.
    """

    def __init__(self, controller, clock):
        self.controller, self.clock, self.messages = controller, clock, []
        self.lines = SetupLines(controller, clock, lambda line: self.messages.append(json.loads(line)))
        self.lines.send_opening()

    def send(self, *asked):
        """Send messages and return the last answer."""
        for each in asked:
            self.lines.handle_line(each if isinstance(each, bytes) else json.dumps(each).encode())
        return self.messages[-1]

    @property
    def page(self):
        return next(each for each in reversed(self.messages) if each["type"] == "page")

    @property
    def seen(self):
        """Visible colour of each cell: the maximum of its lamps in each channel."""
        cells = {cell: lamps for cell, lamps in self.page["seen"].items() if len(cell) == len("a1")}
        return {cell: tuple(map(max, zip(*lamps, strict=True))) for cell, lamps in cells.items()}

    @property
    def lit_key(self):
        """Name of the lit turn key, or None."""
        keys = (name for name in self.page["seen"] if name.startswith("key_"))
        return next((name for name in keys if max(map(max, self.page["seen"][name])) >= BRIGHT), None)

    @property
    def results(self):
        return {each["step"]: each for each in self.messages if each["type"] == "result"}


@contextmanager
def open_session(board="direct-4x4", *flaws, seed=0, pretend=True):
    """Open set-up on a simulated board."""
    clock = SimulatedClock()
    with closing(
        SetupController(board, clock.now, is_simulated=pretend, flaws=flaws, random_seed=seed, is_polled=True)
    ) as controller:
        yield SetupSession(controller, clock)


class LampUser:
    """Simulated user who follows the lamps: touches bright cells and counts winks.

    Args:
        session: set-up session.
        accepts: True if the user accepts the proposal of the `map` step.
    """

    def __init__(self, session, *, accepts=True):
        self.session, self.accepts = session, accepts
        size = session.messages[0]["size"]
        self.cell_by_winks = {1: "a1", 2: f"{'abcde'[size - 1]}1", 3: "a2", 4: "b1"}
        self.story = []

    def look(self):
        """Return the bright cells with their colours."""
        self.session.send({"ask": "page"})
        return {cell: colour for cell, colour in self.session.seen.items() if max(colour) >= BRIGHT}

    def wait(self, seconds):
        self.session.send({"wait": seconds})

    def watch(self, seconds=6.0, step=STEP):
        """Return the lit cells seen in a series of looks."""
        looks = []
        for _ in range(round(seconds / step)):
            self.wait(step)
            looks.append(frozenset(cell for cell, colour in self.session.seen.items() if max(colour)))
        return looks

    def run(self, max_seconds=1500.0):
        """Follow the lamps until they show the findings. Return these in the format of `verdicts`."""
        while self.session.page["t"] < max_seconds:
            bright = self.look()
            white = [cell for cell, colour in bright.items() if min(colour) >= BRIGHT]
            if key := self.session.lit_key:
                self.touch(key)
            elif len(bright) == 3 and not white:
                for channel in range(3):
                    self.touch(max(bright, key=lambda cell: bright[cell][channel]))
            elif len(bright) == 3:
                self.hold(white)
            elif len(bright) == 2:
                self.answer_consent()
            elif len(bright) == 1:
                self.touch(white[0] if white else next(iter(bright)))
            elif any(max(colour) for colour in self.session.seen.values()):
                if found := self.read_glow():
                    return found
            else:
                self.wait(0.3)
        raise AssertionError(f"Never done: {self.session.page}")

    def read_glow(self):
        """Interpret faint light: winks ask for a cell, and rhythms show findings."""
        looks = self.watch()
        everywhere = frozenset(self.session.seen)
        if any(max(colour) >= BRIGHT for colour in self.session.seen.values()):
            return None  # a question follows
        winks = count_winks(looks)
        if all(look in (everywhere, frozenset()) for look in looks) and winks:
            self.touch(self.cell_by_winks[winks])
            return None
        found = verdicts(looks, everywhere)
        return found if found == verdicts(self.watch(), everywhere) else None

    def answer_consent(self):
        """Answer yes (steady) or no (blinking)."""
        looks = [frozenset(self.look()) for _ in range(20) if not self.wait(0.1)]
        steady = frozenset.intersection(*looks)
        blinks = frozenset.union(*looks) - steady
        assert (len(steady), len(blinks)) == (1, 1)
        self.story.append("yes" if self.accepts else "no")
        for _ in range(1 if self.accepts else 2):
            self.touch(*(steady if self.accepts else blinks))

    def touch(self, cell):
        self.story.append(cell)
        self.session.send({"press": cell}, {"wait": 0.3}, {"release": cell}, {"wait": 0.4})

    def hold(self, cells):
        for cell in cells:
            self.session.send({"press": cell}, {"wait": 0.1})
        self.wait(0.6)
        for cell in cells:
            self.session.send({"release": cell})
        self.wait(0.4)


def count_winks(looks):
    """Return the number of consecutive winks."""
    begins = [n for n, (before, now) in enumerate(pairwise(looks)) if before and not now]
    rows = []
    for begin in begins:
        if rows and begin - rows[-1][-1] <= 0.6 / STEP:
            rows[-1].append(begin)
        else:
            rows.append([begin])
    return max(map(len, rows), default=0)


def verdicts(looks, cells):
    """Return the verdict on each cell, derived from its rhythm."""
    found = {}
    for cell in cells:
        lit = [cell in look for look in looks]
        begins = sum(now and not before for before, now in pairwise(lit))
        found[cell] = "dark" if not any(lit) else "good" if all(lit) else "slow" if begins <= 3 else "twice"
    return found
