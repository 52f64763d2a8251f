"""Tests of the scan's thread, with and without edges to wake it."""

import os
import select
import threading
import time
from itertools import pairwise

import pytest

from pond_hw.board import KeyEvent
from pond_hw.drivers.scan import SensorScan
from tests.clock import Clock
from tests.drivers.test_scan import Chips, Switch


class SimulatedThread:
    """The scan's thread in simulated time. It stops after some readings.

    Args:
        chips: simulated chips.
        readings: number of readings.
        edges_at: times at which the contact changes and causes an edge.
        silent: times at which it closes without an edge.
        late: True if `edges_at` are times of edges without a change.
        fails_at: number of the first of three readings that fail.

    Attributes:
        instants: times of all readings.
    """

    def __init__(self, chips, readings, edges_at=(), *, hold=0.008, silent=(), late=False, fails_at=None, **options):
        self.clock, self.instants, self.events = Clock(), [], []
        self._chips, self._left, self._edges = chips, readings, list(edges_at)
        self._silent, self._late, self._fails_at = list(silent), late, fails_at
        chips.clock = self.clock
        self.scan = SensorScan(3, chips, hold, 200, self.clock.now, **options)
        self.scan.open_unthreaded(self.events.append)
        self.scan._stop = self
        chips.read_levels = self._read

    def _read(self):
        self.instants.append(round(self.clock.now(), 4))
        if self._fails_at is not None and 0 <= len(self.instants) - 1 - self._fails_at < 3:
            raise OSError("unreachable")
        if self._silent and self._silent[0] <= self.clock.now():
            self._silent.pop(0)
            self._chips.levels[4] = 1
        return [*self._chips.levels]

    def wait(self, seconds):
        self.clock.sleep(seconds)
        return len(self.instants) >= self._left

    # Stands in for the module `select` and its poll object.

    POLLIN = select.POLLIN

    def is_set(self):
        return self.wait(0.0)

    def poll(self, milliseconds=None):
        if milliseconds is None:
            return self
        if self._edges and self._edges[0] <= self.clock.now() + milliseconds / 1000:
            self.clock.time = max(self.clock.time, self._edges.pop(0))
            if not self._late:
                self._chips.levels[4] = 1 - self._chips.levels[4]
            os.write(self._chips.write_end, b"edge" * 3)
            return [(self._chips.read_end, select.POLLIN)]
        self.clock.sleep(milliseconds / 1000)
        return []

    def register(self, edge_fd, events):
        assert (edge_fd, events) == (self._chips.read_end, select.POLLIN)


@pytest.fixture
def run_thread(monkeypatch):
    """Run a thread with chips that cause edges."""
    chips = Chips()
    read_end, chips.write_end = os.pipe()
    chips.edge_fd = chips.read_end = read_end

    def make(*arguments, key_has_edges=False, **options):
        if key_has_edges:
            key = Switch()
            key.edge_fd, chips.edge_fd, options["keys"] = chips.edge_fd, None, [(key, KeyEvent)]
        thread = SimulatedThread(chips, *arguments, **options)
        monkeypatch.setattr("pond_hw.drivers.scan.select", thread)
        thread.scan._poll_until_stopped()
        return thread

    yield make
    os.close(read_end)
    os.close(chips.write_end)


def test_edge_wakes_reader(run_thread):
    thread = run_thread(12, [0.1031])
    assert thread.instants[:4] == [0.0, 0.05, 0.1, 0.1031]
    assert [touch.instant for touch in thread.events] == pytest.approx([0.1031 + 0.008], abs=2e-4)


def test_constant_edges_are_limited_to_1000_per_second(run_thread):
    thread = run_thread(50, [0.03 + 1e-5 * count for count in range(10_000)], hold=0.004)
    assert min(later - earlier for earlier, later in pairwise(thread.instants)) >= 0.000999


def test_key_without_edges_sets_reading_rate(run_thread):
    thread = run_thread(6, keys=[(Switch(), KeyEvent)])
    assert thread.instants == [0.0, 0.02, 0.04, 0.06, 0.08, 0.1]


def test_key_edge_wakes_reader_of_cells_without_edges(run_thread, caplog):
    thread = run_thread(30, silent=[0.05], key_has_edges=True)
    assert thread.instants[:4] == [0.0, 0.02, 0.04, 0.06]
    assert [touch.down for touch in thread.events] == [True]
    assert caplog.text == "", "cells without edges are not at fault"


def test_closed_edge_file_does_not_block(run_thread, monkeypatch):
    monkeypatch.setattr("pond_hw.drivers.scan.read", lambda *_: (_ for _ in ()).throw(OSError("bad file descriptor")))
    assert [touch.down for touch in run_thread(12, [0.1031]).events] == [True]


def test_missed_edge_ends_trust_in_edges(run_thread, caplog):
    thread = run_thread(40, silent=[0.12])
    assert [touch.down for touch in thread.events] == [True]
    assert "without an edge event" in caplog.text
    rests = [round(later - earlier, 4) for earlier, later in pairwise(thread.instants)]
    assert set(rests[:3]) == {0.05}
    assert set(rests[-20:]) == {0.02}


def test_slightly_late_edge_is_accepted(run_thread, caplog):
    thread = run_thread(40, [0.151], silent=[0.1499], late=True)
    assert [touch.down for touch in thread.events] == [True]
    assert caplog.text == ""
    assert round(thread.instants[-1] - thread.instants[-2], 4) == 0.05


def test_failed_reading_suspends_trust_in_edges(run_thread):
    instants = run_thread(16, fails_at=2).instants
    assert instants[:10] == [0.0, 0.05, *[0.1] * 3, 0.105, 0.11, 0.115, 0.12, 0.125]
    assert round(instants[-1] - instants[-2], 4) == 0.05


@pytest.mark.slow
def test_real_file_wakes_real_thread():
    chips, reported = Chips(), threading.Event()
    chips.clock = Clock()
    chips.edge_fd, write_end = os.pipe()
    scan = SensorScan(3, chips, 0.001, 20, time.monotonic)
    scan.open(lambda _touch: reported.set())
    chips.levels[4] = 1
    os.write(write_end, b"edge")
    assert reported.wait(10)
    scan.close()
    os.close(write_end)
    os.close(chips.edge_fd)
