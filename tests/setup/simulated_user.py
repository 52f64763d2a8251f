"""Simulated user who sets up a simulated board by looking at its lamps."""

from random import Random

from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import AnalogWiring
from pond_hw.rules import get_grid
from pond_hw.setup.controller import PolledBoard
from pond_hw.setup.pages import show_page
from pond_hw.setup.step import StepReply
from pond_hw.setup.step_runner import StepRunner
from pond_hw.simulator.sensor_faults import CHATTER

BRIGHT = 12
"""Minimum level of a colour channel that looks bright."""

LINEAR_PERIOD = 0.02
"""Seconds between readings of linear sensors. They don't bounce, so nothing is missed."""


class StepBench:
    """Simulated board that runs a step in simulated time.

    Attributes:
        runner: step runner.
        bench: simulated board.
    """

    def __init__(self, bench, clock, step):
        board = bench.to_board()
        self.bench, self.clock, self.profile = bench, clock, bench.profile
        self.board = PolledBoard(board.sensors, board.lamps)
        self.runner = StepRunner(self.profile, self.board, step, clock.now, profile_limiter(self.profile))
        self.due = clock.now()
        self.min_period = LINEAR_PERIOD if isinstance(self.profile.sensing.wiring, AnalogWiring) else 0.0
        self.runner.run_once()

    @property
    def step(self):
        return self.runner.step

    @property
    def cells(self):
        return get_grid(self.profile.size).cells

    def advance(self, seconds):
        """Advance time while reading sensors and showing frames."""
        end = self.clock.now() + seconds
        next_frame = self.clock.now()
        while True:
            if self.quiet and self.clock.now() > self.bench.moved_at + 0.06:
                self.due = max(self.due, end)  # nothing can change
            at = min(self.due, next_frame)
            if at > end:
                break
            self.clock.advance_to(at)
            if self.due <= at:
                self.board.sensors.poll(self.clock.now())
                self.due = self.clock.now() + max(self.board.sensors.pause_seconds, self.min_period)
            next_frame = self.runner.run_once()
            if next_frame <= self.clock.now():
                next_frame = self.clock.now() + 0.01
        self.clock.advance_to(end)

    @property
    def quiet(self):
        """True if sensors change only when they are touched."""
        return not (isinstance(self.profile.sensing.wiring, AnalogWiring) or CHATTER in self.bench.flaws.values())

    def bright(self, minimum=BRIGHT):
        """Return the cells that look bright."""
        return [cell for cell in self.cells if any(max(lamp) >= minimum for lamp in self.bench.seen_lamps(cell))]


MAX_TRIES = 4
"""Number of touches without a response before the user reports that nothing happens."""

MAX_DARK_LOOKS = 15
"""Number of looks at a dark board, 0.2 s apart, before the user reports that nothing happens."""


class SimulatedUser:
    """Simulated user who presses lit cells and reports if nothing happens.

    Args:
        table: board and step.
        seed: random seed.
        slip_rate: share of touches that hit the wrong cell.
    """

    def __init__(self, table, seed=0, slip_rate=0.0):
        self.table, self.random, self.slip_rate = table, Random(f"person {seed}"), slip_rate
        self.tried, self.dark = [], 0

    def run(self, max_seconds=900.0):
        """Follow the lamps until the step is done."""
        table, end = self.table, self.table.clock.now() + max_seconds
        while not table.step.result:
            assert table.clock.now() < end, f"Never done: {table.step.page}"
            lit = table.bright()
            self.tried = [*(each for each in self.tried if each == lit), lit] if lit else self.tried
            self.dark = self.dark + 1 if not lit and "x" in dict(table.step.page.choices) else 0
            if len(self.tried) > MAX_TRIES or self.dark > MAX_DARK_LOOKS:
                self.tried, self.dark = [], 0
                table.runner.put(StepReply("n" if len(lit) > 1 else "x", table.clock.now()))
                table.runner.run_once()
            elif len(lit) == 1:
                self.press(lit[0])
            elif len(lit) > 1:
                self.hold(lit)
            else:
                table.advance(0.2)
        return table.step.result

    def press(self, cell):
        if self.random.random() < self.slip_rate:
            cell = self.random.choice([each for each in self.table.cells if each != cell])
        self.table.bench.press(cell)
        self.table.advance(self.random.uniform(0.1, 0.4))
        self.table.bench.release(cell)
        self.table.advance(self.random.uniform(0.12, 0.3))

    def hold(self, cells):
        for cell in cells:
            self.table.bench.press(cell)
            self.table.advance(self.random.uniform(0.02, 0.2))
        self.table.advance(0.6)
        for cell in cells:
            self.table.bench.release(cell)
        self.table.advance(0.4)


def prompt_messages(of):
    """Return the messages in the prompt of a page or step."""
    prompt = getattr(of, "page", of).prompt
    return (prompt,) if isinstance(prompt, Message) else prompt


def page_text(of):
    """Return a page, or the current page of a step, as text."""
    return show_page(getattr(of, "page", of))
