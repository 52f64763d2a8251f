"""Tests with bouncing contacts at the slow reading rate used at rest: no press is lost or invented."""

from bisect import bisect_right
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import Touch
from pond_hw.drivers.debounce import (
    MIN_CHANGE_HOLDS,
    MIN_PRESS_SECONDS,
    MIN_VISIT_SECONDS,
    choose_rest_seconds,
)
from pond_hw.drivers.scan import MIN_PAUSE_SECONDS, SensorScan
from pond_hw.profile import list_shipped, load_profile

LATEST_SECONDS, READING_SECONDS = 0.0003, 0.0002
"""Maximum delay of the thread, and duration of a reading. REST_SLACK_SECONDS covers both."""

CHATTER_SECONDS = 0.004


class Contact:
    """Switch in simulated time, read by a slightly late scan.

    Args:
        hold: debounce time in seconds.
        edges: True if changes wake the scan.
        pieces: True for a piece instead of a button.
    """

    raw_values = edge_fd = None

    def __init__(self, hold, seed=0, *, scan_rate=200, edges=False, pieces=False):
        self.time, self.events, self.readings = 0.0, [], 0
        self._rng, self._edges = Random(seed), edges
        self._changes, self._next = [], 0.0
        self.scan = SensorScan(3, self, hold, scan_rate, lambda: self.time, pieces=pieces)
        self.scan.open_unthreaded(self.events.append)

    def open(self):
        pass

    def is_configured(self):
        return True

    def close(self):
        pass

    def read_levels(self):
        duration = self._rng.uniform(0, READING_SECONDS)
        self.time += duration / 2
        level = bisect_right(self._changes, self.time) % 2
        self.time += duration / 2
        return (0, 0, 0, 0, level, 0, 0, 0, 0)

    def advance(self, seconds, changes=()):
        """Advance the time. The contact closes and opens in turn, these numbers of seconds from now."""
        begun = self.time
        self._changes = [begun + change for change in changes]
        while self._due() <= begun + seconds:
            self.time = max(self.time, self._due() + self._rng.uniform(0, LATEST_SECONDS))
            self._begun = self.time
            self.readings += 1
            self.scan.poll(self.time)
            self._next = self._begun + self.scan.pause_seconds
        self.time = max(self.time, begun + seconds)

    def _due(self):
        if self._edges and self.readings and self.scan.pause_seconds == self.scan.rest_seconds:
            to_come = [max(change, self._begun + MIN_PAUSE_SECONDS) for change in self._changes if change > self._begun]
            return min([self._next, *to_come])
        return self._next

    def chatter(self, at):
        """Return an even number of changes within a few milliseconds."""
        count = 2 * self._rng.randrange(4)
        return sorted(at + self._rng.uniform(0, CHATTER_SECONDS) for _ in range(count))

    def press(self, steady):
        """Press for this time, with chatter before and after, then leave the contact at rest for a while."""
        pressed_at = self._rng.uniform(0, 0.06)
        before = self.chatter(pressed_at)
        down = pressed_at + CHATTER_SECONDS
        changes = [*before, down, down + steady, *self.chatter(down + steady + 1e-6)]
        self.advance(down + steady + CHATTER_SECONDS + 0.05 + 3 * self.scan._holds[0], changes)

    def take_presses(self):
        events, self.events[:] = [touch.down for touch in self.events if isinstance(touch, Touch)], []
        return events


def check_presses(contact, count, steady):
    for _ in range(count):
        contact.press(steady)
        assert contact.take_presses() == [True, False]


BOARDS = [
    name
    for name in list_shipped()
    if load_profile(name).controller == "pi" and load_profile(name).sensing.debounce_seconds and "simulated" not in name
]


def contact_of(name, **options):
    sensing = load_profile(name, measured=False).sensing
    return Contact(sensing.debounce_seconds, scan_rate=sensing.scan_rate, pieces=sensing.kind == "hall", **options)


def min_press_seconds(name):
    sensing = load_profile(name, measured=False).sensing
    shortest = MIN_VISIT_SECONDS if sensing.kind == "hall" else MIN_PRESS_SECONDS
    return max(shortest, MIN_CHANGE_HOLDS * sensing.debounce_seconds)


@pytest.mark.parametrize("name", BOARDS)
def test_shipped_boards_miss_no_press_or_piece(name):
    check_presses(contact_of(name), 100, min_press_seconds(name))


@pytest.mark.long
@pytest.mark.parametrize(("name", "count"), [("direct-4x4", 100_000), ("matrix-5x5", 20_000), ("hall-4x4", 10_000)])
def test_no_press_is_lost_in_100_000(name, count):
    check_presses(contact_of(name, seed=1), count, min_press_seconds(name))


def test_edges_detect_press_just_longer_than_hold():
    check_presses(contact_of("direct-4x4", edges=True), 300, 0.0105)


@given(hold=st.floats(0.001, 0.1), seed=st.integers(0, 1000))
def test_change_lasting_one_and_a_half_holds_is_reported(hold, seed):
    chatter_is_over = hold > CHATTER_SECONDS + 0.001  # otherwise chatter counts as a press
    contact, steady = Contact(hold, seed), max(MIN_PRESS_SECONDS, MIN_CHANGE_HOLDS * hold)
    if chatter_is_over:
        check_presses(contact, 3, steady)
    else:
        contact.advance(steady + 0.3, [0.1, 0.1 + steady])
        assert contact.take_presses() == [True, False]


@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.long)])
def test_press_shorter_than_hold_is_ignored(edges, count):
    contact, rng = contact_of("direct-4x4", edges=edges), Random(7)
    for _ in range(count):
        pressed_at = rng.uniform(0, 0.05)
        contact.advance(0.12, [pressed_at, pressed_at + rng.uniform(0.0001, 0.0079)])
        assert contact.take_presses() == []


def test_idle_scan_rate_depends_on_the_board():
    readings = {}
    for name in BOARDS:
        contact = contact_of(name)
        contact.advance(10.0)
        readings[name] = round(contact.readings / 10)
    at_rest = {"direct-4x4": 50, "pwm-4x4": 50, "matrix-5x5": 50, "hall-4x4": 20, "hall-5x5": 20, "owner-4x4": 20}
    assert readings == at_rest


def test_idle_pause_depends_on_shortest_hold():
    assert choose_rest_seconds(200, [0.008, 0.02], pieces=False) == pytest.approx(0.008)
    assert choose_rest_seconds(125, [0.06], pieces=False) == pytest.approx(0.028)
    assert choose_rest_seconds(125, [1.0], pieces=False) == 0.05
    assert choose_rest_seconds(20, [0.008], pieces=False) == 0.05, "never shorter than the scan period"
    assert choose_rest_seconds(200, [0.08], pieces=True) == pytest.approx(0.038)
    assert choose_rest_seconds(200, [0.008, 0.0], pieces=False) == 0.005, (
        "already debounced sensors are read at the full rate"
    )
