"""A step led on a board: what it lights is reached and kept, and it is asked when it is due."""

from dataclasses import dataclass
from math import inf

from pond_hw.lights.limiter import Limiter
from pond_hw.profile import load
from pond_hw.setup.step import Page, Tick
from pond_hw.setup.step_runner import Walk
from pond_hw.simulator.workbench import Workbench
from tests.setup.people import Clock, Polled

PROFILE = load("direct-4x4")
WHITE = dict.fromkeys(PROFILE.chain.cells, (255, 255, 255))


@dataclass
class Lights:
    """A step that only lights, and is due now and then."""

    lit: dict
    due: float = inf
    ticks: tuple = ()
    result = None
    page = Page("Lights")

    def after(self, event):
        if isinstance(event, Tick):
            self.due, self.ticks = self.due + 5.0, (*self.ticks, event.at)
        return self


class Led:
    """A walk in simulated time, with little current."""

    def __init__(self, step, slew=50.0):
        self.clock = Clock()
        board = Workbench(PROFILE, self.clock.now).board()
        self.lamps, self.sent = board.lamps, 0
        shows = self.lamps.show
        self.lamps.show = lambda frame: (setattr(self, "sent", self.sent + 1), shows(frame))
        limiter = Limiter(budget=400.0, slew=slew)
        self.walk = Walk(PROFILE, Polled(board.sensors, self.lamps), step, self.clock.now, limiter)

    def frames(self, number):
        """How bright all lamps are together after each of so many frames."""
        sums = []
        for _ in range(number):
            self.walk.go_on()
            sums.append(sum(self.walk.frame.data))
            self.clock.time += 0.05
        return sums


def test_what_is_lit_is_reached_step_by_step_and_kept_and_the_lamps_are_told_it_again_and_again():
    led = Led(Lights(WHITE))
    sums = led.frames(20)
    assert sums[0] < sums[1] < sums[2] < sums[-1]
    assert sums[10:] == [sums[-1]] * 10
    assert led.sent == 20


def test_what_a_step_lights_next_is_seen_at_once():
    led = Led(Lights(WHITE))
    led.frames(20)
    led.walk.step = Lights({PROFILE.chain.cells[0]: (255, 0, 0)})
    led.frames(20)
    assert sorted(led.walk.frame.data)[-2:] == [0, 255]
    led.walk.step = Lights({})
    assert led.frames(20)[-1] == 0


def test_a_step_is_told_the_time_when_it_is_due_and_then_when_it_is_due_again():
    led = Led(Lights({}, due=1.0))
    dues = []
    while led.clock.time < 12.0:
        dues.append(led.walk.go_on())
        led.clock.time = round(led.clock.time + 0.5, 3)
    assert led.walk.step.ticks == (1.0, 6.0, 11.0)
    assert all(due > 0.5 * number for number, due in enumerate(dues))
