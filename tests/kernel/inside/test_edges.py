"""Tests that edges wake the scan, and that it misses no press without them."""

import logging
import time
from random import Random

import pytest

from pond_hw.drivers.debounce import MAX_REST_SECONDS, MIN_PRESS_SECONDS
from pond_hw.drivers.scan import MIN_PAUSE_SECONDS
from tests.kernel.benches import bench_on_pi
from tests.kernel.breadboard import do, is_time_simulated

PRESSES = 50
MAX_WAKE_SECONDS = MIN_PAUSE_SECONDS + 0.0005
"""Maximum seconds from an edge to the reading that it wakes, including the minimum pause between readings."""


@pytest.fixture
def bench(board):
    if not is_time_simulated():
        pytest.skip("exact only in simulated time")
    pi_bench = bench_on_pi(board)
    yield pi_bench
    pi_bench.close()
    do("edges 1")


def measure_delays(bench, seconds):
    """Make presses of this length, and return the delay in seconds until each is reported."""
    rng, delays = Random(3), []
    for _ in range(PRESSES):
        bench.wait(rng.uniform(0.1, 0.2))
        cell, pressed_at = rng.choice(bench.cells), time.monotonic()
        bench.set_briefly(cell, seconds, down=True)
        bench.wait(0.1)
        delays.append(bench.sensor_events[0].instant - pressed_at)
        assert bench.take_touches() == [(cell, True), (cell, False)]
    return delays


def test_short_press_is_reported_without_delay(bench, caplog):
    bench.open()
    assert max(measure_delays(bench, bench.hold + 0.002)) <= bench.hold + MAX_WAKE_SECONDS
    assert caplog.text == ""


def test_idle_board_is_read_20_times_a_second(bench):
    bench.open()
    before = bench.board.sensors.poll_count
    bench.wait(10.0)
    assert bench.board.sensors.poll_count - before == pytest.approx(10 / MAX_REST_SECONDS, abs=2)


def test_pins_without_edges_lose_no_press_and_are_logged(bench, caplog):
    do("edges 0")
    with caplog.at_level(logging.WARNING):
        bench.open()
    assert "reports no edges" in caplog.text
    measure_delays(bench, MIN_PRESS_SECONDS)


def test_edges_failing_later_lose_no_press(bench, caplog):
    bench.open()
    do("edges 0")
    cell = bench.cells[0]
    bench.set_briefly(cell, 0.1, down=True)
    bench.wait(0.1)
    assert bench.take_touches() == [(cell, True), (cell, False)]
    assert "without an edge event" in caplog.text
    measure_delays(bench, MIN_PRESS_SECONDS)
