"""Tests of the step runner: lamps and ticks."""

from dataclasses import dataclass
from math import inf

from pond_hw.companion import SimulatedClock
from pond_hw.lights.current_limiter import CurrentLimiter
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.setup.controller import PolledBoard
from pond_hw.setup.pages import StepPage
from pond_hw.setup.step import StepTick
from pond_hw.setup.step_runner import StepRunner
from pond_hw.simulator.board_with_faults import FaultyBoard

PROFILE = load_profile("direct-4x4")
WHITE = dict.fromkeys(PROFILE.chain.cell_positions, (255, 255, 255))


@dataclass
class LightStep:
    """Step that only lights lamps and needs ticks."""

    lit_lamps: dict
    due: float = inf
    ticks: tuple = ()
    result = None
    page = StepPage(Message("lamp_walk.title"))

    def after(self, event):
        if isinstance(event, StepTick):
            self.due, self.ticks = self.due + 5.0, (*self.ticks, event.instant)
        return self


class StepRun:
    """Runs a step in simulated time with a low current limit."""

    def __init__(self, step, slew=50.0):
        self.clock = SimulatedClock()
        board = FaultyBoard(PROFILE, self.clock.now).to_board()
        self.lamps, self.sent = board.lamps, 0
        shows = self.lamps.show
        self.lamps.show = lambda frame: (setattr(self, "sent", self.sent + 1), shows(frame))
        limiter = CurrentLimiter(budget=400.0, slew=slew)
        self.runner = StepRunner(PROFILE, PolledBoard(board.sensors, self.lamps), step, self.clock.now, limiter)

    def frames(self, number):
        """Return the total brightness of each frame."""
        sums = []
        for _ in range(number):
            self.runner.run_once()
            sums.append(sum(self.runner.frame.data))
            self.clock.advance_to(self.clock.now() + 0.05)
        return sums


def test_light_ramps_up_and_frames_repeat():
    led = StepRun(LightStep(WHITE))
    sums = led.frames(20)
    assert sums[0] < sums[1] < sums[2] < sums[-1]
    assert sums[10:] == [sums[-1]] * 10
    assert led.sent == 20


def test_next_light_of_a_step_is_shown_at_once():
    led = StepRun(LightStep(WHITE))
    led.frames(20)
    led.runner.step = LightStep({PROFILE.chain.cell_positions[0]: (255, 0, 0)})
    led.frames(20)
    assert sorted(led.runner.frame.data)[-2:] == [0, 255]
    led.runner.step = LightStep({})
    assert led.frames(20)[-1] == 0


def test_step_gets_ticks_when_due():
    led = StepRun(LightStep({}, due=1.0))
    dues = []
    while led.clock.now() < 12.0:
        dues.append(led.runner.run_once())
        led.clock.advance_to(round(led.clock.now() + 0.5, 3))
    assert led.runner.step.ticks == (1.0, 6.0, 11.0)
    assert all(due > 0.5 * number for number, due in enumerate(dues))
