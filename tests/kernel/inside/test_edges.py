"""The kernel wakes whoever reads the pins; and what comes of it where it does not."""

import logging
import time
from random import Random

import pytest

from pond_hw.drivers.debounce import MAX_REST_SECONDS, MIN_PRESS_SECONDS
from pond_hw.drivers.scan import MIN_PAUSE_SECONDS
from tests.kernel.benches import bench_on_pi
from tests.kernel.breadboard import do, virtual

PRESSES = 50
WAKES_WITHIN = MIN_PAUSE_SECONDS + 0.0005
"""Seconds from an edge to the reading that it wakes, which comes no sooner after the one before, and what both take."""


@pytest.fixture
def bench(board):
    if not virtual():
        pytest.skip("only where time is simulated is an instant exact")
    made = bench_on_pi(board)
    yield made
    made.close()
    do("edges 1")


def presses(bench, seconds):
    """Presses of so many seconds at any time; returns for each how long after its beginning it was told, in seconds."""
    chance, late = Random(3), []
    for _ in range(PRESSES):
        bench.passes(chance.uniform(0.1, 0.2))
        cell, begun = chance.choice(bench.cells), time.monotonic()
        bench.for_a_moment(cell, seconds, down=True)
        bench.passes(0.1)
        late.append(bench.sensor_events[0].instant - begun)
        assert bench.touches() == [(cell, True), (cell, False)]
    return late


def test_a_press_hardly_longer_than_its_hold_is_told_as_soon_as_it_may_be(bench, caplog):
    bench.open()
    assert max(presses(bench, bench.hold + 0.002)) <= bench.hold + WAKES_WITHIN
    assert caplog.text == ""


def test_at_rest_it_is_read_twenty_times_a_second(bench):
    bench.open()
    before = bench.board.sensors.poll_count
    bench.passes(10.0)
    assert bench.board.sensors.poll_count - before == pytest.approx(10 / MAX_REST_SECONDS, abs=2)


def test_pins_that_have_no_edges_are_read_often_enough_and_the_log_says_so(bench, caplog):
    do("edges 0")
    with caplog.at_level(logging.WARNING):
        bench.open()
    assert "does not tell of edges" in caplog.text
    presses(bench, MIN_PRESS_SECONDS)


def test_edges_that_stay_away_later_cost_no_press_but_the_first_its_quickness(bench, caplog):
    bench.open()
    do("edges 0")
    cell = bench.cells[0]
    bench.for_a_moment(cell, 0.1, down=True)
    bench.passes(0.1)
    assert bench.touches() == [(cell, True), (cell, False)]
    assert "without an edge event" in caplog.text
    presses(bench, MIN_PRESS_SECONDS)
