"""The sensor test with real drivers on simulated wires that have faults."""

from types import MethodType

import pytest

from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.rules import get_grid
from pond_hw.setup.controller import PolledBoard
from pond_hw.setup.findings import GOOD
from pond_hw.setup.lamp_positions import cell_lamps
from pond_hw.setup.sensor_steps import GLOW, SensorTest
from pond_hw.setup.step_runner import StepRunner
from tests.board.benches import MAGNET_COUNTS, bench_for
from tests.conftest import long_after_first
from tests.setup.simulated_user import SimulatedUser

pytestmark = pytest.mark.slow

OFTEN, SELDOM, SETTLES = 0.01, 0.1, 0.06
"""Seconds between readings shortly after a touch, and later; and seconds until the wires are stable."""


@pytest.fixture
def tools(monkeypatch, tmp_path, request):
    """Provide the tools of `tests.board`."""
    from tests.board.conftest import tools as made

    yield from made.__wrapped__(monkeypatch, tmp_path, request)


class SensorTestOnWires:
    """Sensor test on simulated wires, for a `SimulatedUser`.

    Args:
        name: name of the board.
        tools: simulated wires that replace those of a Pi.
        cells: cells to test.
        wrong: function that injects a fault into the board.
    """

    def __init__(self, name, tools, cells, wrong=lambda copper: None):
        self.copper = copper = bench_for(name, tools)
        wrong(copper)
        board = PolledBoard(copper.board.sensors, copper.board.lamps)
        step = SensorTest(copper.profile, copper.now(), cells)
        self.steady, self.clock, self.bench, self.cells = (
            copper.now(),
            copper.clock,
            self,
            get_grid(copper.profile.size).cells,
        )
        self.runner = StepRunner(copper.profile, board, step, copper.now, profile_limiter(copper.profile))

    def advance(self, seconds):
        """Advance time, with frequent readings shortly after a touch."""
        copper, end = self.copper, self.copper.now() + seconds
        while copper.now() < end:
            copper.board.sensors.poll(copper.now())
            self.runner.run_once()
            pause = OFTEN if copper.now() < self.steady else SELDOM
            copper.clock.reach(min(end, copper.now() + max(pause, copper.board.sensors.pause_seconds)))

    @property
    def step(self):
        return self.runner.step

    def bright(self):
        """Return the cells to press; finished cells only glow."""
        lit = {position for position, colour in self.step.lit_lamps.items() if max(colour) > max(GLOW)}
        return [cell for cell in self.cells if lit & {*cell_lamps(self.copper.profile, cell)}]

    def run(self):
        """Run the step. Return kind and cells of all warnings and faults."""
        return [(each.kind, each.cells) for each in SimulatedUser(self).run().findings if each.grade != GOOD]

    def press(self, cell):
        self.copper.press(cell)
        self.steady = self.copper.now() + SETTLES

    def release(self, cell):
        self.copper.release(cell)
        self.steady = self.copper.now() + SETTLES


def stuck(cell):
    return lambda copper: (copper.press(cell), replace_sensor(copper, cell))


def replace_sensor(copper, cell, does=lambda copper, set_it, down: None):
    """Replace the function that touches a cell's sensor."""
    set_it = copper.set

    def instead(_, each, *, down):
        if each == cell:
            does(copper, set_it, down)
        else:
            set_it(each, down=down)

    copper.set = MethodType(instead, copper)


def dead(cell):
    return lambda copper: replace_sensor(copper, cell)


def swapped(one, other):
    def wrong(copper):
        set_it = copper.set
        of = {one: other, other: one}
        copper.set = MethodType(lambda _, cell, *, down: set_it(of.get(cell, cell), down=down), copper)

    return wrong


def make_cross_talk(cell, other):
    """Make the sensor of a cell respond to touches on another cell too."""

    def wrong(copper):
        set_it = copper.set

        def both(_, each, *, down):
            set_it(each, down=down)
            if each == other:
                set_it(cell, down=down)

        copper.set = MethodType(both, copper)

    return wrong


def make_weak(cell, share):
    """Make a linear sensor detect only this share of the magnetic field."""

    def wrong(copper):
        light = copper.profile.sensing.wiring.light
        replace_sensor(
            copper, cell, lambda copper, _, down: copper.magnet(cell, int(MAGNET_COUNTS * share * light * down))
        )

    return wrong


BOARDS = ("direct-4x4", "matrix-5x5", "hall-4x4", "hall-5x5", "owner-4x4")
CORNER = ("a1", "b1", "a2", "b2")


@pytest.mark.parametrize("name", BOARDS)
def test_good_board_on_simulated_wires_has_no_findings(name, tools):
    assert SensorTestOnWires(name, tools, CORNER).run() == []


WRONG = {
    "stuck": (stuck("b1"), "stuck on", ("b1",)),
    "dead": (dead("b1"), "never", ("b1",)),
    "swapped": (swapped("b1", "a2"), "swapped", ("b1", "a2")),
    "cross-talk": (make_cross_talk("b1", "a1"), "cross-talk", ("b1", "a1")),
}


@pytest.mark.parametrize(
    ("name", "wrong", "kind", "cells"),
    [
        # Test each board and each kind once in every run, all of them in the long one.
        pytest.param(name, *WRONG[what], id=f"{what}-{name}", marks=() if here == there else pytest.mark.long)
        for here, what in enumerate(WRONG)
        for there, name in enumerate(BOARDS)
    ],
)
def test_wiring_faults_are_found(name, tools, wrong, kind, cells):
    assert SensorTestOnWires(name, tools, CORNER, wrong).run() == [(kind, cells)]


@pytest.mark.parametrize("cell", long_after_first(["b2", "a1"]))
def test_missing_diode_is_found(cell, tools):
    def wrong(copper):
        pins, bridged = copper.pins, copper.profile.sensing.wiring.crossings[cell]

        def reaches_ground(sense):
            senses = {sense}
            while True:
                drives = {crossing.drive for crossing in pins.closed if crossing.sense in senses}
                back = {bridged.sense} if bridged in pins.closed and bridged.drive in drives else set()
                if back <= senses:
                    return False in {pin._state for pin in map(pins.pin, drives) if pin.function == "output"}
                senses |= back

        pins._reaches_ground = reaches_ground

    assert SensorTestOnWires("matrix-5x5", tools, CORNER, wrong).run() == [("missing diode", (cell,))]


@pytest.mark.parametrize(("share", "kind"), long_after_first([(-1.0, "reversed"), (0.33, "weak"), (0.2, "weak")], 2))
def test_linear_sensor_faults_are_found(share, kind, tools):
    assert SensorTestOnWires("hall-5x5", tools, CORNER, make_weak("b1", share)).run() == [(kind, ("b1",))]


@pytest.mark.parametrize("board", ["hall-4x4", "hall-4x4 with PCF8575s"])
def test_dead_expander_is_found(board, tools):
    def wrong(copper):
        copper.wire.chips.pop(0x21)

    ((kind, cells),) = SensorTestOnWires(board, tools, CORNER, wrong).run()
    assert kind == "dead chip"
    assert cells == tuple(f"{column}{row}" for row in "12" for column in "abcd")


def test_dead_converter_is_found(tools):
    def wrong(copper):
        copper.converters["C"].counts[:] = [0] * 8

    (kind, cells), (rest, others) = SensorTestOnWires("hall-5x5", tools, CORNER, wrong).run()
    assert (kind, rest) == ("dead chip", "not examined")
    assert "b2" in cells
    assert "a5" not in cells
    assert {*others} == {*CORNER} - {*cells}
