"""Tests of the sensor scan with simulated readers: timing, retries, faults and messages."""

import threading
import time
from functools import partial
from itertools import pairwise

import pytest

from pond_hw.board import BoardFault, HealthEvent, KeyEvent, Touch, TurnKeyEvent
from pond_hw.drivers.scan import READINGS_PER_DEBOUNCE, SensorReadError, SensorScan
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT
from tests.clock import Clock
from tests.drivers.error_checks import raises_message

HOLD, PERIOD = 0.015, 0.01
REST = pytest.approx(0.03 - HOLD - 0.002)


class Chips:
    """Simulated reader. `faults` lists the errors of the next calls; None means success."""

    raw_values = edge_fd = None

    def __init__(self, size=3):
        self.levels = [0] * size**2
        self.faults, self.takes, self.always = [], 0.0, None
        self.opened = self.closed = self.checks = self.readings = 0
        self.was_reset = False
        self.clock = None

    def _fail(self):
        self.clock.sleep(self.takes)
        if self.always:
            raise self.always
        if self.faults and (fault := self.faults.pop(0)):
            raise fault

    def open(self):
        self.opened += 1
        self._fail()
        self.was_reset = False

    def read_levels(self):
        self.readings += 1
        self._fail()
        return list(self.levels)

    def is_configured(self):
        self.checks += 1
        self._fail()
        return not self.was_reset

    def close(self):
        self.closed += 1


class Switch:
    """Simulated key."""

    edge_fd = None

    def __init__(self):
        self.level, self.held, self.fault = 0, 0, None

    def open(self):
        if self.fault:
            raise self.fault
        self.held += 1

    def read_levels(self):
        return (self.level,)

    def close(self):
        self.held -= 1


class ScanBench:
    """Scan of simulated chips, with the events that it emits."""

    def __init__(self, hold=HOLD, key=None, **options):
        keys = [(key, KeyEvent)] if key else options.pop("keys", ())
        self.chips, self.clock, self.events = Chips(), Clock(), []
        self.chips.clock = self.clock
        self.scan = SensorScan(3, self.chips, hold, 1 / PERIOD, self.clock.now, keys=keys, **options)

    def begin(self):
        self.scan.open_unthreaded(self.events.append)
        return self

    def advance(self, seconds):
        end = self.clock.time + seconds
        while self.clock.time < end - 1e-9:
            self.clock.time += PERIOD
            self.scan.poll(self.clock.time)

    def take_events(self):
        events, self.events[:] = [tuple(each)[:-2] if isinstance(each, Touch) else each for each in self.events], []
        return events


@pytest.fixture
def bench():
    return ScanBench().begin()


def test_cells_are_numbered_from_bottom_left(bench):
    for number, cell in enumerate(("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")):
        bench.chips.levels[number] = 1
        bench.advance(0.1)
        bench.chips.levels[number] = 0
        bench.advance(0.1)
        assert bench.take_events() == [(cell, True), (cell, False)]


def test_touch_is_timed_when_it_is_accepted(bench):
    bench.chips.levels[4] = 1
    bench.advance(0.1)
    (touch,) = bench.events
    assert touch.cell == "b2"
    assert touch.down
    assert touch.instant == pytest.approx(3 * PERIOD)
    assert touch.owner is None


@pytest.mark.parametrize(("light", "owners"), [(1, (LIGHT, DARK)), (-1, (DARK, LIGHT))])
def test_poles_become_owners(light, owners):
    bench = ScanBench(pieces=True, light=light).begin()
    bench.chips.levels[0] = 1
    bench.advance(0.1)
    bench.chips.levels[0] = -1
    bench.advance(0.1)
    bench.chips.levels[0] = 0
    bench.advance(0.1)
    assert [(each.down, each.owner) for each in bench.events] == [
        (True, owners[0]),
        (False, owners[0]),
        (True, owners[1]),
        (False, owners[1]),
    ]


def test_poll_count_includes_failures(bench):
    bench.advance(0.1)
    assert bench.scan.poll_count == 10
    bench.chips.always = OSError("gone")
    bench.advance(1.0)
    assert bench.scan.poll_count == 110


def test_latest_levels_are_available(bench):
    bench.chips.levels[2] = 1
    bench.advance(PERIOD)
    assert bench.scan.levels == (0, 0, 1, 0, 0, 0, 0, 0, 0)


def test_two_failures_are_retried_silently(bench):
    bench.chips.levels[0] = 1
    for _ in range(10):
        bench.chips.faults += [OSError("a"), OSError("b"), None, None]
        bench.advance(PERIOD)
    assert bench.take_events() == [("a1", True)]


def test_missed_reading_restarts_hold(bench):
    bench.chips.levels[0] = 1
    bench.advance(2 * PERIOD)
    bench.chips.faults += [OSError("a")] * 3
    bench.advance(PERIOD)
    bench.advance(HOLD)
    assert bench.take_events() == []
    bench.advance(PERIOD)
    assert bench.take_events() == [("a1", True)]


def test_slow_failure_is_not_retried(bench):
    bench.chips.takes, bench.chips.always = 0.05, OSError("timed out")
    before = bench.chips.readings
    bench.scan.poll(bench.clock.now())
    assert bench.chips.readings == before + 1


def test_quick_failure_is_tried_three_times(bench):
    bench.chips.takes, bench.chips.always = 0.001, OSError("no answer")
    before = bench.chips.readings
    bench.scan.poll(bench.clock.now())
    assert bench.chips.readings == before + 3


def lost(text):
    """Return the message about sensors that cannot be read for this reason."""
    return lost_message("sensors.read_error", text=text)


def lost_message(reason_id, **arguments):
    return Message("sensors.lost", reason=Message(reason_id, **arguments))


def test_lost_sensors_and_recovery_are_each_reported_once(bench):
    bench.chips.always = OSError("the wire is off")
    bench.advance(5.0)
    (health,) = bench.take_events()
    assert health == HealthEvent(lost("the wire is off"), pytest.approx(0.21))
    bench.chips.always = None
    bench.advance(1.0)
    (health,) = bench.take_events()
    assert health.trouble is None
    assert 5.0 < health.instant <= 5.26


def test_short_outage_is_not_reported(bench):
    for _ in range(5):
        bench.chips.always = OSError("unreachable")
        bench.advance(0.15)
        bench.chips.always = None
        bench.advance(HOLD + 4 * PERIOD)
    assert bench.take_events() == []


def test_flickering_sensors_are_reported_lost(bench):
    for _ in range(100):
        bench.chips.faults += [OSError("unreachable")] * 3
        bench.advance(2 * PERIOD)
    assert bench.events[0].trouble == lost("unreachable")


def test_occasional_missed_readings_are_not_reported(bench):
    for _ in range(100):
        bench.chips.faults += [OSError("unreachable")] * 3
        bench.advance(6 * PERIOD)
    assert bench.take_events() == []


def test_failing_board_without_hold_keeps_scan_rate():
    bench = ScanBench()
    bench.scan = SensorScan(3, bench.chips, 0.0, 1 / PERIOD, bench.clock.now)
    bench.begin().advance(0.1)
    bench.chips.levels[4] = 1
    bench.scan.poll(bench.clock.time + PERIOD / 2)
    assert 0 < bench.scan.pause_seconds < PERIOD
    bench.chips.always = OSError("unreachable")
    for _ in range(5):
        bench.advance(PERIOD)
        assert bench.scan.pause_seconds == PERIOD


def test_hanging_reading_is_reported_when_it_returns(bench):
    bench.chips.takes, bench.chips.always = 1.0, OSError("hung")
    bench.advance(PERIOD)
    assert [type(each) for each in bench.events] == [HealthEvent]


def test_lost_sensors_are_reopened_four_times_a_second(bench):
    bench.chips.always = OSError("unreachable")
    bench.advance(0.3)
    before, readings = bench.chips.opened, bench.chips.readings
    bench.advance(2.0)
    assert bench.chips.opened - before == 8
    assert bench.chips.readings == readings, "no readings in between"


def test_unconfigured_sensors_are_not_recovered(bench):
    bench.chips.always = OSError("unreachable")
    bench.advance(1.0)
    bench.take_events()
    bench.chips.always = None
    bench.chips.open = lambda: None
    bench.chips.was_reset = True
    bench.advance(1.0)
    assert bench.take_events() == []
    bench.chips.was_reset = False
    bench.advance(1.0)
    assert [each.trouble for each in bench.take_events()] == [None]


def test_one_miss_after_recovery_is_not_an_outage(bench):
    bench.chips.always = OSError("unreachable")
    bench.advance(1.0)
    bench.take_events()
    bench.chips.always = None
    good = [None] * 4  # open, read, check, and one more reading
    for missed in range(4):
        bench.chips.faults = [*good[: 3 + missed], *[OSError("no answer")] * 3]
        bench.advance(0.3)
        assert [each.trouble for each in bench.take_events()] == ([None] if missed == 0 else [])


def test_missing_library_at_recovery_is_an_outage(bench):
    bench.chips.always = BoardFault("The bus is gone.")
    bench.advance(1.0)
    assert [type(each) for each in bench.take_events()] == [HealthEvent]
    bench.chips.always = None
    bench.advance(1.0)
    assert [each.trouble for each in bench.take_events()] == [None]


def test_only_releases_during_outage_are_reported(bench):
    bench.chips.levels[0:2] = [1, 1]
    bench.advance(0.1)
    assert bench.take_events() == [("a1", True), ("b1", True)]
    bench.chips.always = OSError("unreachable")
    bench.advance(1.0)
    bench.chips.levels[0] = 0
    bench.chips.always = None
    bench.advance(1.0)
    assert [each for each in bench.take_events() if not isinstance(each, HealthEvent)] == [("a1", False)]


def test_presses_during_outage_are_not_reported():
    for pieces, expected in ((False, []), (True, [("c3", True)])):
        bench = ScanBench(pieces=pieces).begin()
        bench.chips.always = OSError("unreachable")
        bench.advance(1.0)
        bench.chips.levels[8] = 1
        bench.chips.always = None
        bench.advance(1.0)
        assert [each for each in bench.take_events() if not isinstance(each, HealthEvent)] == expected


def test_configuration_is_checked_before_a_change(bench):
    bench.chips.levels[0], bench.chips.was_reset = 1, True
    bench.advance(3 * PERIOD)
    assert bench.chips.opened == 2, "reopened once"
    assert bench.take_events() == []
    bench.chips.levels[0] = 0  # the level was only a result of the lost configuration
    bench.advance(0.5)
    assert bench.take_events() == []


def test_change_after_reconfiguration_must_hold_again(bench):
    bench.chips.levels[0], bench.chips.was_reset = 1, True
    bench.advance(3 * PERIOD)
    assert bench.chips.opened == 2
    bench.advance(2 * PERIOD)
    assert bench.take_events() == []
    bench.advance(PERIOD)
    assert bench.take_events() == [("a1", True)]


def test_idle_chips_are_checked_once_a_second(bench):
    bench.advance(10.0)
    assert 10 <= bench.chips.checks <= 12


def test_failing_configuration_check_blocks_changes(bench):
    bench.chips.levels[0] = 1
    bench.advance(2 * PERIOD)
    bench.chips.faults += [None] + [OSError("no answer")] * 3
    bench.advance(PERIOD)
    assert bench.take_events() == []
    bench.advance(0.1)
    assert bench.take_events() == [("a1", True)]


def test_third_configuration_check_succeeds(bench):
    bench.chips.levels[0] = 1
    bench.advance(2 * PERIOD)
    bench.chips.faults += [None, OSError("no answer"), OSError("no answer")]
    bench.advance(PERIOD)
    assert bench.take_events() == [("a1", True)]


def test_failing_reconfiguration_is_an_outage(bench):
    bench.chips.was_reset = True
    bench.chips.open = lambda: (_ for _ in ()).throw(OSError("no answer"))
    bench.chips.levels[0] = 1
    bench.advance(0.5)
    assert [type(each) for each in bench.take_events()] == [HealthEvent]


def test_full_board_is_a_fault_only_for_buttons():
    for pieces, kind in ((False, HealthEvent), (True, tuple)):
        bench = ScanBench(pieces=pieces).begin()
        bench.chips.levels[:] = [1] * 9
        bench.advance(1.0)
        assert {type(each) for each in bench.take_events()} == {kind}


def test_initial_pieces_are_reported_but_not_buttons():
    for pieces, expected in ((False, []), (True, [("b1", True)])):
        bench = ScanBench(pieces=pieces)
        bench.chips.levels[1] = 1
        bench.begin().advance(1.0)
        assert bench.take_events() == expected


def test_key_event_is_reported():
    key = Switch()
    bench = ScanBench(key=key).begin()
    key.level = 1
    bench.advance(0.1)
    key.level = 0
    bench.advance(0.1)
    assert [(type(each), each.down) for each in bench.events] == [(KeyEvent, True), (KeyEvent, False)]
    assert bench.events[0].instant == pytest.approx(3 * PERIOD)


def test_turn_keys_report_their_sides():
    switches = {LIGHT: Switch(), DARK: Switch()}
    bench = ScanBench(keys=[(switch, partial(TurnKeyEvent, side)) for side, switch in switches.items()]).begin()
    for side, switch in switches.items():
        for level in (1, 0):
            switch.level = level
            bench.advance(0.1)
            assert [each[:2] for each in bench.take_events()] == [(side, bool(level))]


def test_quick_key_tap_counts_despite_slow_magnet_debounce():
    key = Switch()
    bench = ScanBench(hold=0.06, key=key, pieces=True).begin()
    key.level = 1
    bench.advance(0.05)
    key.level = 0
    bench.advance(0.1)
    assert [each.down for each in bench.take_events()] == [True, False]


def test_more_than_three_simultaneous_buttons_are_ignored():
    bench = ScanBench().begin()
    bench.chips.levels[:] = [1] * 8 + [0]
    bench.advance(5.0)
    assert bench.events[0].trouble == lost_message("sensors.too_many_buttons", buttons=8)
    assert not [event for event in bench.events if isinstance(event, Touch)]
    bench.chips.levels[:] = [0] * 9
    bench.advance(0.5)
    bench.chips.levels[4] = 1
    bench.advance(0.1)
    assert bench.events[-1][:2] == ("b2", True)


HOLDS = [0.009, 0.019, 0.029, 0.039, 0.049, 0.059, 0.069, 0.079, 0.089]
"""Hold times that all differ, so that no two sensors are accepted in the same reading."""


def test_each_cell_and_key_has_its_own_hold_time():
    key = Switch()
    bench = ScanBench(hold=HOLDS, key=key, pieces=True).begin()
    bench.chips.levels[:], key.level = [1] * 9, 1
    bench.advance(0.2)
    reported = [(getattr(event, "cell", "key"), round(event.instant / PERIOD)) for event in bench.events]
    cells = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    expected = [(cell, number) for number, cell in enumerate(cells, 2)]  # first read at 1
    assert reported == [*expected[:2], ("key", 3), *expected[2:]]


def test_quickest_cell_sets_reading_rate():
    bench = ScanBench(hold=[0.02] + [0.2] * 8).begin()
    bench.chips.levels[0] = 1
    bench.advance(PERIOD)
    assert bench.scan.pause_seconds == 0.02 / READINGS_PER_DEBOUNCE


def test_simultaneous_buttons_with_different_holds_are_ignored():
    bench = ScanBench(hold=HOLDS).begin()
    bench.chips.levels[:] = [1] * 8 + [0]
    bench.advance(5.0)
    assert bench.events[0].trouble == lost_message("sensors.too_many_buttons", buttons=8)
    assert not [event for event in bench.events if isinstance(event, Touch)]


def test_successive_presses_are_touches():
    bench = ScanBench(hold=[hold + 0.05 for hold in HOLDS]).begin()
    for number in range(5):  # the last is pressed before any is accepted
        bench.chips.levels[number] = 1
        bench.advance(PERIOD)
    bench.advance(0.2)
    assert sorted(event[0] for event in bench.take_events()) == ["a1", "a2", "b1", "b2", "c1"]


def test_recovery_waits_for_slowest_sensor():
    bench = ScanBench(hold=[0.01] * 8 + [0.3]).begin()
    for _ in range(12):  # never good long enough for the slowest sensor
        bench.chips.faults[:] = [OSError("no answer")] * 3
        bench.advance(0.1)
    assert [type(event) for event in bench.events][:1] == [HealthEvent]


def test_three_buttons_and_key_may_be_pressed_together():
    key = Switch()
    bench = ScanBench(key=key).begin()
    key.level = 1
    bench.chips.levels[:3] = [1, 1, 1]
    bench.advance(0.1)
    assert [type(event) for event in bench.events] == [Touch, Touch, Touch, KeyEvent]


def test_touches_are_reported_in_chronological_order():
    bench = ScanBench().begin()
    for number, until in ((8, 0.004), (0, 0.008), (0, 0.1)):
        bench.chips.levels[number] = 1
        bench.clock.time = until
        bench.scan.poll(until)
    assert [event.cell for event in bench.events] == ["c3", "a1"]


def test_initially_silent_sensors_are_awaited():
    bench = ScanBench(key=Switch())
    bench.chips.always = SensorReadError(Message("i2c.hangs", bus=1))
    bench.begin().advance(5.0)
    waits = lost_message("i2c.hangs", bus=1)
    assert [event.trouble for event in bench.events] == [waits]
    bench.chips.always = None
    bench.advance(1.0)
    assert [event.trouble for event in bench.events] == [waits, None]
    bench.scan.close()
    assert bench.chips.closed == 1


def test_key_is_reopened_with_cells():
    key = Switch()
    bench = ScanBench(key=key).begin()
    bench.chips.always = OSError("unreachable")
    bench.advance(0.5)
    bench.chips.always = None
    bench.advance(0.5)
    assert key.held == 2  # the real one closes before it opens again


@pytest.mark.slow
def test_thread_survives_any_exception():
    chips, events, recovered = Chips(), [], threading.Event()
    chips.clock = Clock()
    scan = SensorScan(3, chips, HOLD, 500, time.monotonic)

    def put(event):
        events.append(event)
        if event.trouble is None:
            recovered.set()
        else:
            chips.always = None

    scan.open(put)
    chips.always = RuntimeError("an unforeseen fault")
    assert recovered.wait(10)
    scan.close()
    assert events[0].trouble == lost("an unforeseen fault")


def test_all_pieces_gone_at_once_is_a_fault():
    bench = ScanBench(pieces=True)
    bench.begin()
    for number in (0, 4, 5, 8):
        bench.chips.levels[number] = 1
    bench.advance(1.0)
    bench.events.clear()
    occupied, bench.chips.levels[:] = list(bench.chips.levels), [0] * 9
    bench.advance(5.0)
    (health,) = bench.events
    assert health.trouble == lost_message("sensors.all_pieces_gone")
    bench.chips.levels[:] = occupied
    bench.advance(1.0)
    assert bench.events[1:] == [HealthEvent(None, bench.events[1].instant)]


def test_pieces_may_be_removed_one_by_one():
    bench = ScanBench(pieces=True)
    bench.begin()
    for number in (0, 4, 5, 8):
        bench.chips.levels[number] = 1
    bench.advance(1.0)
    bench.events.clear()
    for number in (0, 4, 5, 8):
        bench.chips.levels[number] = 0
        bench.advance(0.3)
    assert [event.down for event in bench.events] == [False] * 4


def test_unavailable_key_closes_sensors():
    key = Switch()
    key.fault = BoardFault(Message("pin.busy", user="a1", pins=("17",), count=1))
    bench = ScanBench(key=key)
    with raises_message(BoardFault, key.fault.message):
        bench.begin()
    assert bench.chips.closed == 1
    assert bench.events == []


def test_close_releases_sensors_once():
    key = Switch()
    bench = ScanBench(key=key)
    bench.scan.close()
    assert bench.chips.closed == 0
    bench.begin()
    bench.scan.close()
    bench.scan.close()
    assert (bench.chips.closed, key.held) == (1, 0)


def test_reopened_scan_starts_fresh(bench):
    bench.chips.levels[0] = 1
    bench.advance(0.1)
    bench.chips.always = OSError("unreachable")
    bench.advance(1.0)
    bench.scan.close()
    bench.take_events()
    bench.chips.always = None
    bench.chips.levels[0] = 0
    bench.begin().advance(1.0)
    assert bench.take_events() == []


def test_pending_change_speeds_up_readings(bench):
    assert bench.scan.pause_seconds == REST
    bench.advance(PERIOD)
    assert bench.scan.pause_seconds == REST
    bench.chips.levels[0] = 1
    bench.advance(PERIOD)
    assert bench.scan.pause_seconds == HOLD / READINGS_PER_DEBOUNCE < PERIOD
    bench.advance(2 * PERIOD)
    assert bench.take_events() == [("a1", True)]
    assert bench.scan.pause_seconds == REST


def test_failing_readings_continue_at_scan_rate(bench):
    bench.chips.faults += [OSError("unreachable")] * 3
    bench.advance(PERIOD)
    assert bench.scan.pause_seconds == PERIOD
    bench.advance(HOLD + 3 * PERIOD)
    assert bench.scan.pause_seconds == PERIOD
    bench.advance(2 * PERIOD)
    assert bench.scan.pause_seconds == REST


@pytest.mark.parametrize(
    "readings",
    [[(1.0, 0.013, 0), (1.013, 0, 0), (1.02, 0, 0), (1.025, 0, 0)], [(1.013, 0, 0), (1.02, 0, 0), (1.025, 0, 0.01)]],
    ids=["delayed before the first reading", "delayed after the last reading"],
)
def test_stalled_reading_does_not_delay_change(bench, readings):
    # A press lasts nine tenths of the hold time, and one of the readings that see it is delayed.
    pressed_at, released_at = 1.013, 1.013 + 0.9 * HOLD

    def read(before, after):
        bench.clock.sleep(before)
        seen = int(pressed_at <= bench.clock.time < released_at)
        bench.clock.sleep(after)
        return [seen, *[0] * 8]

    for begun, *held_up in readings:
        bench.chips.read_levels = partial(read, *held_up)
        bench.clock.time = max(begun, bench.clock.time)
        bench.scan.poll(bench.clock.time)
        assert bench.scan.levels[0] == 1
    assert bench.take_events() == []


def test_pending_change_is_read_as_soon_as_due(bench):
    bench.chips.takes = 0.002
    bench.chips.levels[4] = 1
    begun = bench.clock.time = 1.0
    while not bench.events:
        bench.scan.poll(bench.clock.time)
        bench.clock.time = max(bench.clock.time, begun := begun + bench.scan.pause_seconds)
    assert bench.events[0].instant == pytest.approx(1.0 + bench.chips.takes + HOLD, abs=1e-3)


def test_scan_rate_is_kept_during_changes():
    slow = SensorScan(3, Chips(), 10.0, 1 / PERIOD, Clock().now)
    assert slow.quick_seconds == PERIOD


def test_always_fast_scan_reads_at_quick_rate(bench):
    bench.scan.always_fast = True
    bench.advance(PERIOD)
    assert bench.scan.pause_seconds == HOLD / READINGS_PER_DEBOUNCE


class ThreadedChips(Chips):
    """Chips that record the threads that read them."""

    def __init__(self):
        super().__init__()
        self.clock, self.threads = Clock(), set()

    def read_levels(self):
        self.threads.add(threading.current_thread().name)
        return super().read_levels()


def test_thread_reads_until_closed():
    chips, events, reported = ThreadedChips(), [], threading.Event()
    scan = SensorScan(3, chips, 0.0, 1000, time.monotonic)
    scan.open(lambda touch: (events.append(touch), reported.set()))
    chips.levels[4] = 1
    assert reported.wait(10)
    scan.close()
    readings = chips.readings
    assert [touch.cell for touch in events] == ["b2"]
    assert "pond sensors" in chips.threads
    assert "pond sensors" not in {thread.name for thread in threading.enumerate()}
    assert (chips.readings, chips.closed) == (readings, 1)


def test_event_handler_may_close_scan():
    chips, done = ThreadedChips(), threading.Event()
    scan = SensorScan(3, chips, 0.0, 1000, time.monotonic)
    scan.open(lambda touch: (scan.close(), done.set()))
    chips.levels[0] = 1
    assert done.wait(10)
    assert chips.closed == 1


def test_missed_readings_are_not_made_up():
    chips, clock, instants = Chips(), Clock(), []
    chips.clock = clock
    scan = SensorScan(3, chips, 0.0, 100, clock.now)

    class Stop:
        """Simulated wait of the thread, which stops after some readings."""

        def wait(self, seconds):
            clock.sleep(seconds)
            return len(instants) >= 12

    def read():
        instants.append(round(clock.now(), 6))
        clock.sleep(0.035 if len(instants) == 4 else 0.002)
        return [0] * 9

    chips.read_levels = read
    scan._stop = Stop()
    scan._poll_until_stopped()
    gaps = [round(later - earlier, 6) for earlier, later in pairwise(instants)]
    assert gaps[:3] == [0.01] * 3
    assert gaps[3] == 0.035
    assert gaps[4:] == [0.01] * len(gaps[4:])


@pytest.fixture
def watched():
    """Scan, its chips, and the samples that its watcher received."""
    chips, samples = Chips(), []
    chips.clock = Clock()
    scan = SensorScan(3, chips, 0.008, 200, chips.clock.now)
    scan.sample_watchers.append(samples.append)
    return scan, chips, samples


def test_watcher_gets_each_changed_sample(watched):
    scan, chips, samples = watched
    scan.open_unthreaded(lambda event: None)
    for at, levels in ((0.01, [0] * 9), (0.02, [0, 1] + [0] * 7), (0.03, [0, 1] + [0] * 7), (0.04, [1] * 9)):
        chips.levels = levels
        scan.poll(at)
    assert [(reading.instant, sum(reading.levels)) for reading in samples] == [(0.0, 0), (0.02, 1), (0.04, 9)]


def test_watcher_gets_raw_values(watched):
    scan, chips, samples = watched
    scan.open_unthreaded(lambda event: None)
    for at, count in ((0.01, 500), (0.02, 501), (0.03, 501)):
        chips.raw_values = (count,) * 9
        scan.poll(at)
    assert [reading.raw_values and reading.raw_values[0] for reading in samples] == [None, 500, 501]


def test_watcher_gets_first_sample_after_reopening(watched):
    scan, _, samples = watched
    for _ in range(2):
        scan.open_unthreaded(lambda event: None)
        scan.poll(0.01)
        scan.close()
    assert len(samples) == 2
