"""When sensors are read, the second look and the sentences, with a reader whose every answer the test decides."""

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
from tests.drivers.refusals import raises_message

HOLD, PERIOD = 0.015, 0.01
REST = pytest.approx(0.03 - HOLD - 0.002)


class Chips:
    """A reader in memory. What goes wrong is in `faults`: errors that the next calls raise, one each; None is none."""

    raw_values = edge_file = None

    def __init__(self, size=3):
        self.levels = [0] * size**2
        self.faults, self.takes, self.always = [], 0.0, None
        self.opened = self.closed = self.asked = self.readings = 0
        self.forgot = False
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
        self.forgot = False

    def read_levels(self):
        self.readings += 1
        self._fail()
        return list(self.levels)

    def is_configured(self):
        self.asked += 1
        self._fail()
        return not self.forgot

    def close(self):
        self.closed += 1


class Switch:
    """The key, in memory."""

    edge_file = None

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
    """A scan, its chips, and what it tells."""

    def __init__(self, hold=HOLD, key=None, **how):
        keys = [(key, KeyEvent)] if key else how.pop("keys", ())
        self.chips, self.clock, self.felt = Chips(), Clock(), []
        self.chips.clock = self.clock
        self.scan = SensorScan(3, self.chips, hold, 1 / PERIOD, self.clock.now, keys=keys, **how)

    def begin(self):
        self.scan.open_unthreaded(self.felt.append)
        return self

    def passes(self, seconds):
        end = self.clock.time + seconds
        while self.clock.time < end - 1e-9:
            self.clock.time += PERIOD
            self.scan.poll(self.clock.time)

    def told(self):
        felt, self.felt[:] = [tuple(each)[:-2] if isinstance(each, Touch) else each for each in self.felt], []
        return felt


@pytest.fixture
def bench():
    return ScanBench().begin()


def test_cells_are_named_along_the_rows_from_the_bottom_left(bench):
    for number, cell in enumerate(("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")):
        bench.chips.levels[number] = 1
        bench.passes(0.1)
        bench.chips.levels[number] = 0
        bench.passes(0.1)
        assert bench.told() == [(cell, True), (cell, False)]


def test_a_touch_carries_the_instant_at_which_it_was_believed(bench):
    bench.chips.levels[4] = 1
    bench.passes(0.1)
    (touch,) = bench.felt
    assert touch.cell == "b2"
    assert touch.down
    assert touch.instant == pytest.approx(3 * PERIOD)
    assert touch.owner is None


@pytest.mark.parametrize(("light", "owners"), [(1, (LIGHT, DARK)), (-1, (DARK, LIGHT))])
def test_poles_tell_owners_where_sensors_feel_poles(light, owners):
    bench = ScanBench(pieces=True, light=light).begin()
    bench.chips.levels[0] = 1
    bench.passes(0.1)
    bench.chips.levels[0] = -1
    bench.passes(0.1)
    bench.chips.levels[0] = 0
    bench.passes(0.1)
    assert [(each.down, each.owner) for each in bench.felt] == [
        (True, owners[0]),
        (False, owners[0]),
        (True, owners[1]),
        (False, owners[1]),
    ]


def test_readings_are_counted_answered_or_not(bench):
    bench.passes(0.1)
    assert bench.scan.poll_count == 10
    bench.chips.always = OSError("gone")
    bench.passes(1.0)
    assert bench.scan.poll_count == 110


def test_the_latest_levels_are_there_to_be_looked_at(bench):
    bench.chips.levels[2] = 1
    bench.passes(PERIOD)
    assert bench.scan.levels == (0, 0, 1, 0, 0, 0, 0, 0, 0)


def test_two_failures_in_a_row_are_not_even_noticed(bench):
    bench.chips.levels[0] = 1
    for _ in range(10):
        bench.chips.faults += [OSError("a"), OSError("b"), None, None]
        bench.passes(PERIOD)
    assert bench.told() == [("a1", True)]


def test_a_reading_that_was_missed_makes_a_change_hold_still_anew(bench):
    bench.chips.levels[0] = 1
    bench.passes(2 * PERIOD)
    bench.chips.faults += [OSError("a")] * 3
    bench.passes(PERIOD)
    bench.passes(HOLD)
    assert bench.told() == []
    bench.passes(PERIOD)
    assert bench.told() == [("a1", True)]


def test_what_takes_long_to_fail_is_not_tried_again(bench):
    bench.chips.takes, bench.chips.always = 0.05, OSError("timed out")
    before = bench.chips.readings
    bench.scan.poll(bench.clock.now())
    assert bench.chips.readings == before + 1


def test_what_fails_quickly_is_tried_three_times(bench):
    bench.chips.takes, bench.chips.always = 0.001, OSError("no answer")
    before = bench.chips.readings
    bench.scan.poll(bench.clock.now())
    assert bench.chips.readings == before + 3


def lost(text):
    """What is said about sensors that cannot be read, for a reason that the system gives."""
    return lost_by("sensors.read_error", text=text)


def lost_by(reason_id, **arguments):
    return Message("sensors.lost", reason=Message(reason_id, **arguments))


def test_lost_sensors_are_told_once_and_so_is_their_return(bench):
    bench.chips.always = OSError("the wire is off")
    bench.passes(5.0)
    (health,) = bench.told()
    assert health == HealthEvent(lost("the wire is off"), pytest.approx(0.21))
    bench.chips.always = None
    bench.passes(1.0)
    (health,) = bench.told()
    assert health.trouble is None
    assert 5.0 < health.instant <= 5.26


def test_an_outage_too_short_to_tell_is_not_told(bench):
    for _ in range(5):
        bench.chips.always = OSError("away")
        bench.passes(0.15)
        bench.chips.always = None
        bench.passes(HOLD + 4 * PERIOD)
    assert bench.told() == []


def test_sensors_that_come_and_go_too_fast_for_a_touch_are_lost(bench):
    for _ in range(100):
        bench.chips.faults += [OSError("away")] * 3
        bench.passes(2 * PERIOD)
    assert bench.felt[0].trouble == lost("away")


def test_a_reading_that_is_missing_now_and_then_is_not_told(bench):
    for _ in range(100):
        bench.chips.faults += [OSError("away")] * 3
        bench.passes(6 * PERIOD)
    assert bench.told() == []


def test_a_board_without_a_hold_that_dies_during_a_press_is_not_asked_more_often_than_before():
    bench = ScanBench()
    bench.scan = SensorScan(3, bench.chips, 0.0, 1 / PERIOD, bench.clock.now)
    bench.begin().passes(0.1)
    bench.chips.levels[4] = 1
    bench.scan.poll(bench.clock.time + PERIOD / 2)
    assert 0 < bench.scan.pause_seconds < PERIOD
    bench.chips.always = OSError("away")
    for _ in range(5):
        bench.passes(PERIOD)
        assert bench.scan.pause_seconds == PERIOD


def test_a_single_reading_that_hangs_is_told_as_soon_as_it_comes_back(bench):
    bench.chips.takes, bench.chips.always = 1.0, OSError("hung")
    bench.passes(PERIOD)
    assert [type(each) for each in bench.felt] == [HealthEvent]


def test_lost_sensors_are_set_up_again_four_times_a_second(bench):
    bench.chips.always = OSError("away")
    bench.passes(0.3)
    before, readings = bench.chips.opened, bench.chips.readings
    bench.passes(2.0)
    assert bench.chips.opened - before == 8
    assert bench.chips.readings == readings, "and left alone in between"


def test_sensors_that_are_back_but_not_as_they_were_set_up_are_not_back(bench):
    bench.chips.always = OSError("away")
    bench.passes(1.0)
    bench.told()
    bench.chips.always = None
    bench.chips.open = lambda: None
    bench.chips.forgot = True
    bench.passes(1.0)
    assert bench.told() == []
    bench.chips.forgot = False
    bench.passes(1.0)
    assert [each.trouble for each in bench.told()] == [None]


def test_one_miss_after_they_are_back_is_not_an_outage_again(bench):
    bench.chips.always = OSError("away")
    bench.passes(1.0)
    bench.told()
    bench.chips.always = None
    good = [None] * 4  # set up again, read, asked; and read once more
    for missed in range(4):
        bench.chips.faults = [*good[: 3 + missed], *[OSError("no answer")] * 3]
        bench.passes(0.3)
        assert [each.trouble for each in bench.told()] == ([None] if missed == 0 else [])


def test_a_library_that_is_gone_as_they_are_set_up_again_is_an_outage_too(bench):
    bench.chips.always = BoardFault("The bus is gone.")
    bench.passes(1.0)
    assert [type(each) for each in bench.told()] == [HealthEvent]
    bench.chips.always = None
    bench.passes(1.0)
    assert [each.trouble for each in bench.told()] == [None]


def test_buttons_held_through_an_outage_are_not_told_again_and_those_let_go_are(bench):
    bench.chips.levels[0:2] = [1, 1]
    bench.passes(0.1)
    assert bench.told() == [("a1", True), ("b1", True)]
    bench.chips.always = OSError("away")
    bench.passes(1.0)
    bench.chips.levels[0] = 0
    bench.chips.always = None
    bench.passes(1.0)
    assert [each for each in bench.told() if not isinstance(each, HealthEvent)] == [("a1", False)]


def test_buttons_pressed_during_an_outage_are_not_told_as_pressed():
    for pieces, told in ((False, []), (True, [("c3", True)])):
        bench = ScanBench(pieces=pieces).begin()
        bench.chips.always = OSError("away")
        bench.passes(1.0)
        bench.chips.levels[8] = 1
        bench.chips.always = None
        bench.passes(1.0)
        assert [each for each in bench.told() if not isinstance(each, HealthEvent)] == told


def test_before_a_change_is_told_the_chips_are_asked_whether_they_are_in_order(bench):
    bench.chips.levels[0], bench.chips.forgot = 1, True
    bench.passes(3 * PERIOD)
    assert bench.chips.opened == 2, "set up again, once"
    assert bench.told() == []
    bench.chips.levels[0] = 0  # it was only that they had forgotten
    bench.passes(0.5)
    assert bench.told() == []


def test_what_is_still_so_once_they_are_set_up_again_is_told_when_it_has_held_still_anew(bench):
    bench.chips.levels[0], bench.chips.forgot = 1, True
    bench.passes(3 * PERIOD)
    assert bench.chips.opened == 2
    bench.passes(2 * PERIOD)
    assert bench.told() == []
    bench.passes(PERIOD)
    assert bench.told() == [("a1", True)]


def test_chips_at_rest_are_asked_about_once_a_second(bench):
    bench.passes(10.0)
    assert 10 <= bench.chips.asked <= 12


def test_chips_that_do_not_say_whether_they_are_in_order_are_not_believed(bench):
    bench.chips.levels[0] = 1
    bench.passes(2 * PERIOD)
    bench.chips.faults += [None] + [OSError("no answer")] * 3
    bench.passes(PERIOD)
    assert bench.told() == []
    bench.passes(0.1)
    assert bench.told() == [("a1", True)]


def test_chips_that_say_so_at_the_third_time_of_asking_are_in_order(bench):
    bench.chips.levels[0] = 1
    bench.passes(2 * PERIOD)
    bench.chips.faults += [None, OSError("no answer"), OSError("no answer")]
    bench.passes(PERIOD)
    assert bench.told() == [("a1", True)]


def test_chips_that_cannot_be_set_up_again_are_an_outage(bench):
    bench.chips.forgot = True
    bench.chips.open = lambda: (_ for _ in ()).throw(OSError("no answer"))
    bench.chips.levels[0] = 1
    bench.passes(0.5)
    assert [type(each) for each in bench.told()] == [HealthEvent]


def test_all_buttons_at_once_are_a_wire_that_came_off_but_pieces_may_stand_everywhere():
    for pieces, kind in ((False, HealthEvent), (True, tuple)):
        bench = ScanBench(pieces=pieces).begin()
        bench.chips.levels[:] = [1] * 9
        bench.passes(1.0)
        assert {type(each) for each in bench.told()} == {kind}


def test_buttons_that_are_down_at_the_beginning_are_not_told_but_pieces_are():
    for pieces, told in ((False, []), (True, [("b1", True)])):
        bench = ScanBench(pieces=pieces)
        bench.chips.levels[1] = 1
        bench.begin().passes(1.0)
        assert bench.told() == told


def test_the_key_is_told_as_a_key():
    key = Switch()
    bench = ScanBench(key=key).begin()
    key.level = 1
    bench.passes(0.1)
    key.level = 0
    bench.passes(0.1)
    assert [(type(each), each.down) for each in bench.felt] == [(KeyEvent, True), (KeyEvent, False)]
    assert bench.felt[0].instant == pytest.approx(3 * PERIOD)


def test_turn_keys_report_their_sides():
    switches = {LIGHT: Switch(), DARK: Switch()}
    bench = ScanBench(keys=[(switch, partial(TurnKeyEvent, side)) for side, switch in switches.items()]).begin()
    for side, switch in switches.items():
        for level in (1, 0):
            switch.level = level
            bench.passes(0.1)
            assert [each[:2] for each in bench.told()] == [(side, bool(level))]


def test_quick_tap_on_key_counts_beside_slow_magnets():
    key = Switch()
    bench = ScanBench(hold=0.06, key=key, pieces=True).begin()
    key.level = 1
    bench.passes(0.05)
    key.level = 0
    bench.passes(0.1)
    assert [each.down for each in bench.told()] == [True, False]


def test_more_buttons_than_fingers_press_at_once_are_no_touches():
    bench = ScanBench().begin()
    bench.chips.levels[:] = [1] * 8 + [0]
    bench.passes(5.0)
    assert bench.felt[0].trouble == lost_by("sensors.too_many_buttons", buttons=8)
    assert not [felt for felt in bench.felt if isinstance(felt, Touch)]
    bench.chips.levels[:] = [0] * 9
    bench.passes(0.5)
    bench.chips.levels[4] = 1
    bench.passes(0.1)
    assert bench.felt[-1][:2] == ("b2", True)


HOLDS = [0.009, 0.019, 0.029, 0.039, 0.049, 0.059, 0.069, 0.079, 0.089]
"""A time of its own for each sensor: no two are believed in the same reading."""


def test_each_cell_is_believed_in_its_own_time_and_a_key_soon():
    key = Switch()
    bench = ScanBench(hold=HOLDS, key=key, pieces=True).begin()
    bench.chips.levels[:], key.level = [1] * 9, 1
    bench.passes(0.2)
    told = [(getattr(felt, "cell", "key"), round(felt.instant / PERIOD)) for felt in bench.felt]
    cells = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    heard = [(cell, number) for number, cell in enumerate(cells, 2)]  # first heard at 1
    assert told == [*heard[:2], ("key", 3), *heard[2:]]


def test_it_is_read_often_enough_for_the_quickest_cell():
    bench = ScanBench(hold=[0.02] + [0.2] * 8).begin()
    bench.chips.levels[0] = 1
    bench.passes(PERIOD)
    assert bench.scan.pause_seconds == 0.02 / READINGS_PER_DEBOUNCE


def test_buttons_that_came_down_at_once_are_no_touches_however_differently_they_are_held():
    bench = ScanBench(hold=HOLDS).begin()
    bench.chips.levels[:] = [1] * 8 + [0]
    bench.passes(5.0)
    assert bench.felt[0].trouble == lost_by("sensors.too_many_buttons", buttons=8)
    assert not [felt for felt in bench.felt if isinstance(felt, Touch)]


def test_fingers_that_come_down_one_after_the_other_are_touches_however_long_they_are_held():
    bench = ScanBench(hold=[hold + 0.05 for hold in HOLDS]).begin()
    for number in range(5):  # none of them is believed yet when the last comes down
        bench.chips.levels[number] = 1
        bench.passes(PERIOD)
    bench.passes(0.2)
    assert sorted(told[0] for told in bench.told()) == ["a1", "a2", "b1", "b2", "c1"]


def test_sensors_are_well_again_only_when_the_slowest_could_have_been_told():
    bench = ScanBench(hold=[0.01] * 8 + [0.3]).begin()
    for _ in range(12):  # never good for as long as the slowest takes
        bench.chips.faults[:] = [OSError("no answer")] * 3
        bench.passes(0.1)
    assert [type(felt) for felt in bench.felt][:1] == [HealthEvent]


def test_three_fingers_and_the_key_may_come_down_together():
    key = Switch()
    bench = ScanBench(key=key).begin()
    key.level = 1
    bench.chips.levels[:3] = [1, 1, 1]
    bench.passes(0.1)
    assert [type(felt) for felt in bench.felt] == [Touch, Touch, Touch, KeyEvent]


def test_who_was_down_first_is_told_first():
    bench = ScanBench().begin()
    for number, until in ((8, 0.004), (0, 0.008), (0, 0.1)):
        bench.chips.levels[number] = 1
        bench.clock.time = until
        bench.scan.poll(until)
    assert [felt.cell for felt in bench.felt] == ["c3", "a1"]


def test_sensors_that_do_not_answer_at_the_beginning_are_waited_for():
    bench = ScanBench(key=Switch())
    bench.chips.always = SensorReadError(Message("i2c.hangs", bus=1))
    bench.begin().passes(5.0)
    waits = lost_by("i2c.hangs", bus=1)
    assert [felt.trouble for felt in bench.felt] == [waits]
    bench.chips.always = None
    bench.passes(1.0)
    assert [felt.trouble for felt in bench.felt] == [waits, None]
    bench.scan.close()
    assert bench.chips.closed == 1


def test_the_key_is_set_up_again_with_the_cells():
    key = Switch()
    bench = ScanBench(key=key).begin()
    bench.chips.always = OSError("away")
    bench.passes(0.5)
    bench.chips.always = None
    bench.passes(0.5)
    assert key.held == 2  # the real one lets go before it takes hold again


@pytest.mark.slow
def test_the_thread_outlives_whatever_a_library_may_raise():
    chips, said, healed = Chips(), [], threading.Event()
    chips.clock = Clock()
    scan = SensorScan(3, chips, HOLD, 500, time.monotonic)

    def put(felt):
        said.append(felt)
        if felt.trouble is None:
            healed.set()
        else:
            chips.always = None

    scan.open(put)
    chips.always = RuntimeError("a fault that nobody thought of")
    assert healed.wait(10)
    scan.close()
    assert said[0].trouble == lost("a fault that nobody thought of")


def test_all_pieces_gone_at_once_is_no_position():
    bench = ScanBench(pieces=True)
    bench.begin()
    for number in (0, 4, 5, 8):
        bench.chips.levels[number] = 1
    bench.passes(1.0)
    bench.felt.clear()
    standing, bench.chips.levels[:] = list(bench.chips.levels), [0] * 9
    bench.passes(5.0)
    (health,) = bench.felt
    assert health.trouble == lost_by("sensors.all_pieces_gone")
    bench.chips.levels[:] = standing
    bench.passes(1.0)
    assert bench.felt[1:] == [HealthEvent(None, bench.felt[1].instant)]


def test_pieces_that_are_taken_off_one_after_the_other_may_all_go():
    bench = ScanBench(pieces=True)
    bench.begin()
    for number in (0, 4, 5, 8):
        bench.chips.levels[number] = 1
    bench.passes(1.0)
    bench.felt.clear()
    for number in (0, 4, 5, 8):
        bench.chips.levels[number] = 0
        bench.passes(0.3)
    assert [felt.down for felt in bench.felt] == [False] * 4


def test_a_key_that_cannot_be_had_lets_go_of_the_sensors_too():
    key = Switch()
    key.fault = BoardFault(Message("pin.busy", user="a1", pins=("17",), count=1))
    bench = ScanBench(key=key)
    with raises_message(BoardFault, key.fault.message):
        bench.begin()
    assert bench.chips.closed == 1
    assert bench.felt == []


def test_closing_lets_go_once_and_what_was_never_open_is_not_closed():
    key = Switch()
    bench = ScanBench(key=key)
    bench.scan.close()
    assert bench.chips.closed == 0
    bench.begin()
    bench.scan.close()
    bench.scan.close()
    assert (bench.chips.closed, key.held) == (1, 0)


def test_opened_again_it_begins_anew(bench):
    bench.chips.levels[0] = 1
    bench.passes(0.1)
    bench.chips.always = OSError("away")
    bench.passes(1.0)
    bench.scan.close()
    bench.told()
    bench.chips.always = None
    bench.chips.levels[0] = 0
    bench.begin().passes(1.0)
    assert bench.told() == []


def test_readings_come_closer_together_while_something_is_not_decided(bench):
    assert bench.scan.pause_seconds == REST
    bench.passes(PERIOD)
    assert bench.scan.pause_seconds == REST
    bench.chips.levels[0] = 1
    bench.passes(PERIOD)
    assert bench.scan.pause_seconds == HOLD / READINGS_PER_DEBOUNCE < PERIOD
    bench.passes(2 * PERIOD)
    assert bench.told() == [("a1", True)]
    assert bench.scan.pause_seconds == REST


def test_readings_that_fail_are_tried_again_at_the_rate_until_all_is_well(bench):
    bench.chips.faults += [OSError("away")] * 3
    bench.passes(PERIOD)
    assert bench.scan.pause_seconds == PERIOD
    bench.passes(HOLD + 3 * PERIOD)
    assert bench.scan.pause_seconds == PERIOD
    bench.passes(2 * PERIOD)
    assert bench.scan.pause_seconds == REST


@pytest.mark.parametrize(
    "readings",
    [[(1.0, 0.013, 0), (1.013, 0, 0), (1.02, 0, 0), (1.025, 0, 0)], [(1.013, 0, 0), (1.02, 0, 0), (1.025, 0, 0.01)]],
    ids=["before it looks for the first time", "after it has looked for the last time"],
)
def test_a_computer_that_stands_still_in_a_reading_does_not_make_a_short_change_long(bench, readings):
    # A finger is there for nine tenths of the hold; other work holds up one of the readings that hear it.
    comes, goes = 1.013, 1.013 + 0.9 * HOLD

    def read(before, after):
        bench.clock.sleep(before)
        seen = int(comes <= bench.clock.time < goes)
        bench.clock.sleep(after)
        return [seen, *[0] * 8]

    for begun, *held_up in readings:
        bench.chips.read_levels = partial(read, *held_up)
        bench.clock.time = max(begun, bench.clock.time)
        bench.scan.poll(bench.clock.time)
        assert bench.scan.levels[0] == 1
    assert bench.told() == []


def test_what_is_to_be_believed_is_looked_at_again_as_soon_as_it_may_be_and_not_a_step_later(bench):
    bench.chips.takes = 0.002
    bench.chips.levels[4] = 1
    begun = bench.clock.time = 1.0
    while not bench.felt:
        bench.scan.poll(bench.clock.time)
        bench.clock.time = max(bench.clock.time, begun := begun + bench.scan.pause_seconds)
    assert bench.felt[0].instant == pytest.approx(1.0 + bench.chips.takes + HOLD, abs=1e-3)


def test_while_something_moves_readings_never_come_farther_apart_than_their_rate_says():
    slow = SensorScan(3, Chips(), 10.0, 1 / PERIOD, Clock().now)
    assert slow.quick_seconds == PERIOD


def test_set_up_reads_all_the_time_as_often_as_while_something_moves(bench):
    bench.scan.always_fast = True
    bench.passes(PERIOD)
    assert bench.scan.pause_seconds == HOLD / READINGS_PER_DEBOUNCE


class Threaded(Chips):
    """Chips that remember which threads read them."""

    def __init__(self):
        super().__init__()
        self.clock, self.threads = Clock(), set()

    def read_levels(self):
        self.threads.add(threading.current_thread().name)
        return super().read_levels()


def test_a_thread_of_its_own_reads_until_it_is_closed():
    chips, felt, told = Threaded(), [], threading.Event()
    scan = SensorScan(3, chips, 0.0, 1000, time.monotonic)
    scan.open(lambda touch: (felt.append(touch), told.set()))
    chips.levels[4] = 1
    assert told.wait(10)
    scan.close()
    readings = chips.readings
    assert [touch.cell for touch in felt] == ["b2"]
    assert "pond sensors" in chips.threads
    assert "pond sensors" not in {thread.name for thread in threading.enumerate()}
    assert (chips.readings, chips.closed) == (readings, 1)


def test_whoever_is_told_may_close_it():
    chips, done = Threaded(), threading.Event()
    scan = SensorScan(3, chips, 0.0, 1000, time.monotonic)
    scan.open(lambda touch: (scan.close(), done.set()))
    chips.levels[0] = 1
    assert done.wait(10)
    assert chips.closed == 1


def test_readings_keep_to_their_rate_and_do_not_catch_up():
    chips, clock, instants = Chips(), Clock(), []
    chips.clock = clock
    scan = SensorScan(3, chips, 0.0, 100, clock.now)

    class Stop:
        """The thread's way to wait, in simulated time; over after some readings."""

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
    """A scan, what it reads, and what its watcher has seen."""
    chips, seen = Chips(), []
    chips.clock = Clock()
    scan = SensorScan(3, chips, 0.008, 200, chips.clock.now)
    scan.sample_watchers.append(seen.append)
    return scan, chips, seen


def test_whoever_watches_is_told_every_reading_that_differs_before_anything_is_made_of_it(watched):
    scan, chips, seen = watched
    scan.open_unthreaded(lambda felt: None)
    for at, levels in ((0.01, [0] * 9), (0.02, [0, 1] + [0] * 7), (0.03, [0, 1] + [0] * 7), (0.04, [1] * 9)):
        chips.levels = levels
        scan.poll(at)
    assert [(reading.instant, sum(reading.levels)) for reading in seen] == [(0.0, 0), (0.02, 1), (0.04, 9)]


def test_what_levels_were_made_of_is_watched_too(watched):
    scan, chips, seen = watched
    scan.open_unthreaded(lambda felt: None)
    for at, count in ((0.01, 500), (0.02, 501), (0.03, 501)):
        chips.raw_values = (count,) * 9
        scan.poll(at)
    assert [reading.raw_values and reading.raw_values[0] for reading in seen] == [None, 500, 501]


def test_whoever_watches_is_told_what_is_read_first_when_sensors_are_opened_again(watched):
    scan, _, seen = watched
    for _ in range(2):
        scan.open_unthreaded(lambda felt: None)
        scan.poll(0.01)
        scan.close()
    assert len(seen) == 2
