"""When sensors are read, the second look and the sentences, with a reader whose every answer the test decides."""

import threading
import time
from functools import partial
from itertools import pairwise

import pytest

from pond_hw.board import BoardFault, HealthEvent, KeyEvent, Touch
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


class Table:
    """A scan, its chips, and what it tells."""

    def __init__(self, hold=HOLD, **how):
        self.chips, self.clock, self.felt = Chips(), Clock(), []
        self.chips.clock = self.clock
        self.scan = SensorScan(3, self.chips, hold, 1 / PERIOD, self.clock.now, **how)

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
def table():
    return Table().begin()


def test_cells_are_named_along_the_rows_from_the_bottom_left(table):
    for number, cell in enumerate(("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")):
        table.chips.levels[number] = 1
        table.passes(0.1)
        table.chips.levels[number] = 0
        table.passes(0.1)
        assert table.told() == [(cell, True), (cell, False)]


def test_a_touch_carries_the_instant_at_which_it_was_believed(table):
    table.chips.levels[4] = 1
    table.passes(0.1)
    (touch,) = table.felt
    assert touch.cell == "b2"
    assert touch.down
    assert touch.instant == pytest.approx(3 * PERIOD)
    assert touch.owner is None


@pytest.mark.parametrize(("light", "owners"), [(1, (LIGHT, DARK)), (-1, (DARK, LIGHT))])
def test_poles_tell_owners_where_sensors_feel_poles(light, owners):
    table = Table(pieces=True, light=light).begin()
    table.chips.levels[0] = 1
    table.passes(0.1)
    table.chips.levels[0] = -1
    table.passes(0.1)
    table.chips.levels[0] = 0
    table.passes(0.1)
    assert [(each.down, each.owner) for each in table.felt] == [
        (True, owners[0]),
        (False, owners[0]),
        (True, owners[1]),
        (False, owners[1]),
    ]


def test_readings_are_counted_answered_or_not(table):
    table.passes(0.1)
    assert table.scan.poll_count == 10
    table.chips.always = OSError("gone")
    table.passes(1.0)
    assert table.scan.poll_count == 110


def test_the_latest_levels_are_there_to_be_looked_at(table):
    table.chips.levels[2] = 1
    table.passes(PERIOD)
    assert table.scan.levels == (0, 0, 1, 0, 0, 0, 0, 0, 0)


def test_two_failures_in_a_row_are_not_even_noticed(table):
    table.chips.levels[0] = 1
    for _ in range(10):
        table.chips.faults += [OSError("a"), OSError("b"), None, None]
        table.passes(PERIOD)
    assert table.told() == [("a1", True)]


def test_a_reading_that_was_missed_makes_a_change_hold_still_anew(table):
    table.chips.levels[0] = 1
    table.passes(2 * PERIOD)
    table.chips.faults += [OSError("a")] * 3
    table.passes(PERIOD)
    table.passes(HOLD)
    assert table.told() == []
    table.passes(PERIOD)
    assert table.told() == [("a1", True)]


def test_what_takes_long_to_fail_is_not_tried_again(table):
    table.chips.takes, table.chips.always = 0.05, OSError("timed out")
    before = table.chips.readings
    table.scan.poll(table.clock.now())
    assert table.chips.readings == before + 1


def test_what_fails_quickly_is_tried_three_times(table):
    table.chips.takes, table.chips.always = 0.001, OSError("no answer")
    before = table.chips.readings
    table.scan.poll(table.clock.now())
    assert table.chips.readings == before + 3


def lost(text):
    """What is said about sensors that cannot be read, for a reason that the system gives."""
    return lost_by("sensors.read_error", text=text)


def lost_by(reason_id, **arguments):
    return Message("sensors.lost", reason=Message(reason_id, **arguments))


def test_lost_sensors_are_told_once_and_so_is_their_return(table):
    table.chips.always = OSError("the wire is off")
    table.passes(5.0)
    (health,) = table.told()
    assert health == HealthEvent(lost("the wire is off"), pytest.approx(0.21))
    table.chips.always = None
    table.passes(1.0)
    (health,) = table.told()
    assert health.trouble is None
    assert 5.0 < health.instant <= 5.26


def test_an_outage_too_short_to_tell_is_not_told(table):
    for _ in range(5):
        table.chips.always = OSError("away")
        table.passes(0.15)
        table.chips.always = None
        table.passes(HOLD + 4 * PERIOD)
    assert table.told() == []


def test_sensors_that_come_and_go_too_fast_for_a_touch_are_lost(table):
    for _ in range(100):
        table.chips.faults += [OSError("away")] * 3
        table.passes(2 * PERIOD)
    assert table.felt[0].trouble == lost("away")


def test_a_reading_that_is_missing_now_and_then_is_not_told(table):
    for _ in range(100):
        table.chips.faults += [OSError("away")] * 3
        table.passes(6 * PERIOD)
    assert table.told() == []


def test_a_board_without_a_hold_that_dies_during_a_press_is_not_asked_more_often_than_before():
    table = Table()
    table.scan = SensorScan(3, table.chips, 0.0, 1 / PERIOD, table.clock.now)
    table.begin().passes(0.1)
    table.chips.levels[4] = 1
    table.scan.poll(table.clock.time + PERIOD / 2)
    assert 0 < table.scan.pause_seconds < PERIOD
    table.chips.always = OSError("away")
    for _ in range(5):
        table.passes(PERIOD)
        assert table.scan.pause_seconds == PERIOD


def test_a_single_reading_that_hangs_is_told_as_soon_as_it_comes_back(table):
    table.chips.takes, table.chips.always = 1.0, OSError("hung")
    table.passes(PERIOD)
    assert [type(each) for each in table.felt] == [HealthEvent]


def test_lost_sensors_are_set_up_again_four_times_a_second(table):
    table.chips.always = OSError("away")
    table.passes(0.3)
    before, readings = table.chips.opened, table.chips.readings
    table.passes(2.0)
    assert table.chips.opened - before == 8
    assert table.chips.readings == readings, "and left alone in between"


def test_sensors_that_are_back_but_not_as_they_were_set_up_are_not_back(table):
    table.chips.always = OSError("away")
    table.passes(1.0)
    table.told()
    table.chips.always = None
    table.chips.open = lambda: None
    table.chips.forgot = True
    table.passes(1.0)
    assert table.told() == []
    table.chips.forgot = False
    table.passes(1.0)
    assert [each.trouble for each in table.told()] == [None]


def test_one_miss_after_they_are_back_is_not_an_outage_again(table):
    table.chips.always = OSError("away")
    table.passes(1.0)
    table.told()
    table.chips.always = None
    good = [None] * 4  # set up again, read, asked; and read once more
    for missed in range(4):
        table.chips.faults = [*good[: 3 + missed], *[OSError("no answer")] * 3]
        table.passes(0.3)
        assert [each.trouble for each in table.told()] == ([None] if missed == 0 else [])


def test_a_library_that_is_gone_as_they_are_set_up_again_is_an_outage_too(table):
    table.chips.always = BoardFault("The bus is gone.")
    table.passes(1.0)
    assert [type(each) for each in table.told()] == [HealthEvent]
    table.chips.always = None
    table.passes(1.0)
    assert [each.trouble for each in table.told()] == [None]


def test_buttons_held_through_an_outage_are_not_told_again_and_those_let_go_are(table):
    table.chips.levels[0:2] = [1, 1]
    table.passes(0.1)
    assert table.told() == [("a1", True), ("b1", True)]
    table.chips.always = OSError("away")
    table.passes(1.0)
    table.chips.levels[0] = 0
    table.chips.always = None
    table.passes(1.0)
    assert [each for each in table.told() if not isinstance(each, HealthEvent)] == [("a1", False)]


def test_buttons_pressed_during_an_outage_are_not_told_as_pressed():
    for pieces, told in ((False, []), (True, [("c3", True)])):
        table = Table(pieces=pieces).begin()
        table.chips.always = OSError("away")
        table.passes(1.0)
        table.chips.levels[8] = 1
        table.chips.always = None
        table.passes(1.0)
        assert [each for each in table.told() if not isinstance(each, HealthEvent)] == told


def test_before_a_change_is_told_the_chips_are_asked_whether_they_are_in_order(table):
    table.chips.levels[0], table.chips.forgot = 1, True
    table.passes(3 * PERIOD)
    assert table.chips.opened == 2, "set up again, once"
    assert table.told() == []
    table.chips.levels[0] = 0  # it was only that they had forgotten
    table.passes(0.5)
    assert table.told() == []


def test_what_is_still_so_once_they_are_set_up_again_is_told_when_it_has_held_still_anew(table):
    table.chips.levels[0], table.chips.forgot = 1, True
    table.passes(3 * PERIOD)
    assert table.chips.opened == 2
    table.passes(2 * PERIOD)
    assert table.told() == []
    table.passes(PERIOD)
    assert table.told() == [("a1", True)]


def test_chips_at_rest_are_asked_about_once_a_second(table):
    table.passes(10.0)
    assert 10 <= table.chips.asked <= 12


def test_chips_that_do_not_say_whether_they_are_in_order_are_not_believed(table):
    table.chips.levels[0] = 1
    table.passes(2 * PERIOD)
    table.chips.faults += [None] + [OSError("no answer")] * 3
    table.passes(PERIOD)
    assert table.told() == []
    table.passes(0.1)
    assert table.told() == [("a1", True)]


def test_chips_that_say_so_at_the_third_time_of_asking_are_in_order(table):
    table.chips.levels[0] = 1
    table.passes(2 * PERIOD)
    table.chips.faults += [None, OSError("no answer"), OSError("no answer")]
    table.passes(PERIOD)
    assert table.told() == [("a1", True)]


def test_chips_that_cannot_be_set_up_again_are_an_outage(table):
    table.chips.forgot = True
    table.chips.open = lambda: (_ for _ in ()).throw(OSError("no answer"))
    table.chips.levels[0] = 1
    table.passes(0.5)
    assert [type(each) for each in table.told()] == [HealthEvent]


def test_all_buttons_at_once_are_a_wire_that_came_off_but_pieces_may_stand_everywhere():
    for pieces, kind in ((False, HealthEvent), (True, tuple)):
        table = Table(pieces=pieces).begin()
        table.chips.levels[:] = [1] * 9
        table.passes(1.0)
        assert {type(each) for each in table.told()} == {kind}


def test_buttons_that_are_down_at_the_beginning_are_not_told_but_pieces_are():
    for pieces, told in ((False, []), (True, [("b1", True)])):
        table = Table(pieces=pieces)
        table.chips.levels[1] = 1
        table.begin().passes(1.0)
        assert table.told() == told


def test_the_key_is_told_as_a_key():
    key = Switch()
    table = Table(key=key).begin()
    key.level = 1
    table.passes(0.1)
    key.level = 0
    table.passes(0.1)
    assert [(type(each), each.down) for each in table.felt] == [(KeyEvent, True), (KeyEvent, False)]
    assert table.felt[0].instant == pytest.approx(3 * PERIOD)


def test_more_buttons_than_fingers_press_at_once_are_no_touches():
    table = Table().begin()
    table.chips.levels[:] = [1] * 8 + [0]
    table.passes(5.0)
    assert table.felt[0].trouble == lost_by("sensors.too_many_buttons", buttons=8)
    assert not [felt for felt in table.felt if isinstance(felt, Touch)]
    table.chips.levels[:] = [0] * 9
    table.passes(0.5)
    table.chips.levels[4] = 1
    table.passes(0.1)
    assert table.felt[-1][:2] == ("b2", True)


HOLDS = [0.009, 0.019, 0.029, 0.039, 0.049, 0.059, 0.069, 0.079, 0.089]
"""A time of its own for each sensor: no two are believed in the same reading."""


def test_each_cell_is_believed_in_its_own_time_and_the_key_with_the_slowest():
    key = Switch()
    table = Table(hold=HOLDS, key=key, pieces=True).begin()
    table.chips.levels[:], key.level = [1] * 9, 1
    table.passes(0.2)
    told = [(getattr(felt, "cell", "key"), round(felt.instant / PERIOD)) for felt in table.felt]
    cells = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    assert told == [*((cell, number) for number, cell in enumerate(cells, 2)), ("key", 10)]  # first heard at 1


def test_it_is_read_often_enough_for_the_quickest_cell():
    table = Table(hold=[0.02] + [0.2] * 8).begin()
    table.chips.levels[0] = 1
    table.passes(PERIOD)
    assert table.scan.pause_seconds == 0.02 / READINGS_PER_DEBOUNCE


def test_buttons_that_came_down_at_once_are_no_touches_however_differently_they_are_held():
    table = Table(hold=HOLDS).begin()
    table.chips.levels[:] = [1] * 8 + [0]
    table.passes(5.0)
    assert table.felt[0].trouble == lost_by("sensors.too_many_buttons", buttons=8)
    assert not [felt for felt in table.felt if isinstance(felt, Touch)]


def test_fingers_that_come_down_one_after_the_other_are_touches_however_long_they_are_held():
    table = Table(hold=[hold + 0.05 for hold in HOLDS]).begin()
    for number in range(5):  # none of them is believed yet when the last comes down
        table.chips.levels[number] = 1
        table.passes(PERIOD)
    table.passes(0.2)
    assert sorted(told[0] for told in table.told()) == ["a1", "a2", "b1", "b2", "c1"]


def test_sensors_are_well_again_only_when_the_slowest_could_have_been_told():
    table = Table(hold=[0.01] * 8 + [0.3]).begin()
    for _ in range(12):  # never good for as long as the slowest takes
        table.chips.faults[:] = [OSError("no answer")] * 3
        table.passes(0.1)
    assert [type(felt) for felt in table.felt][:1] == [HealthEvent]


def test_three_fingers_and_the_key_may_come_down_together():
    key = Switch()
    table = Table(key=key).begin()
    key.level = 1
    table.chips.levels[:3] = [1, 1, 1]
    table.passes(0.1)
    assert [type(felt) for felt in table.felt] == [Touch, Touch, Touch, KeyEvent]


def test_who_was_down_first_is_told_first():
    table = Table().begin()
    for number, until in ((8, 0.004), (0, 0.008), (0, 0.1)):
        table.chips.levels[number] = 1
        table.clock.time = until
        table.scan.poll(until)
    assert [felt.cell for felt in table.felt] == ["c3", "a1"]


def test_sensors_that_do_not_answer_at_the_beginning_are_waited_for():
    table = Table(key=Switch())
    table.chips.always = SensorReadError(Message("i2c.hangs", bus=1))
    table.begin().passes(5.0)
    waits = lost_by("i2c.hangs", bus=1)
    assert [felt.trouble for felt in table.felt] == [waits]
    table.chips.always = None
    table.passes(1.0)
    assert [felt.trouble for felt in table.felt] == [waits, None]
    table.scan.close()
    assert table.chips.closed == 1


def test_the_key_is_set_up_again_with_the_cells():
    key = Switch()
    table = Table(key=key).begin()
    table.chips.always = OSError("away")
    table.passes(0.5)
    table.chips.always = None
    table.passes(0.5)
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
    table = Table(pieces=True)
    table.begin()
    for number in (0, 4, 5, 8):
        table.chips.levels[number] = 1
    table.passes(1.0)
    table.felt.clear()
    standing, table.chips.levels[:] = list(table.chips.levels), [0] * 9
    table.passes(5.0)
    (health,) = table.felt
    assert health.trouble == lost_by("sensors.all_pieces_gone")
    table.chips.levels[:] = standing
    table.passes(1.0)
    assert table.felt[1:] == [HealthEvent(None, table.felt[1].instant)]


def test_pieces_that_are_taken_off_one_after_the_other_may_all_go():
    table = Table(pieces=True)
    table.begin()
    for number in (0, 4, 5, 8):
        table.chips.levels[number] = 1
    table.passes(1.0)
    table.felt.clear()
    for number in (0, 4, 5, 8):
        table.chips.levels[number] = 0
        table.passes(0.3)
    assert [felt.down for felt in table.felt] == [False] * 4


def test_a_key_that_cannot_be_had_lets_go_of_the_sensors_too():
    key = Switch()
    key.fault = BoardFault(Message("pin.busy", user="a1", pins=("17",), count=1))
    table = Table(key=key)
    with raises_message(BoardFault, key.fault.message):
        table.begin()
    assert table.chips.closed == 1
    assert table.felt == []


def test_closing_lets_go_once_and_what_was_never_open_is_not_closed():
    key = Switch()
    table = Table(key=key)
    table.scan.close()
    assert table.chips.closed == 0
    table.begin()
    table.scan.close()
    table.scan.close()
    assert (table.chips.closed, key.held) == (1, 0)


def test_opened_again_it_begins_anew(table):
    table.chips.levels[0] = 1
    table.passes(0.1)
    table.chips.always = OSError("away")
    table.passes(1.0)
    table.scan.close()
    table.told()
    table.chips.always = None
    table.chips.levels[0] = 0
    table.begin().passes(1.0)
    assert table.told() == []


def test_readings_come_closer_together_while_something_is_not_decided(table):
    assert table.scan.pause_seconds == REST
    table.passes(PERIOD)
    assert table.scan.pause_seconds == REST
    table.chips.levels[0] = 1
    table.passes(PERIOD)
    assert table.scan.pause_seconds == HOLD / READINGS_PER_DEBOUNCE < PERIOD
    table.passes(2 * PERIOD)
    assert table.told() == [("a1", True)]
    assert table.scan.pause_seconds == REST


def test_readings_that_fail_are_tried_again_at_the_rate_until_all_is_well(table):
    table.chips.faults += [OSError("away")] * 3
    table.passes(PERIOD)
    assert table.scan.pause_seconds == PERIOD
    table.passes(HOLD + 3 * PERIOD)
    assert table.scan.pause_seconds == PERIOD
    table.passes(2 * PERIOD)
    assert table.scan.pause_seconds == REST


@pytest.mark.parametrize(
    "readings",
    [[(1.0, 0.013, 0), (1.013, 0, 0), (1.02, 0, 0), (1.025, 0, 0)], [(1.013, 0, 0), (1.02, 0, 0), (1.025, 0, 0.01)]],
    ids=["before it looks for the first time", "after it has looked for the last time"],
)
def test_a_computer_that_stands_still_in_a_reading_does_not_make_a_short_change_long(table, readings):
    # A finger is there for nine tenths of the hold; other work holds up one of the readings that hear it.
    comes, goes = 1.013, 1.013 + 0.9 * HOLD

    def read(before, after):
        table.clock.sleep(before)
        seen = int(comes <= table.clock.time < goes)
        table.clock.sleep(after)
        return [seen, *[0] * 8]

    for begun, *held_up in readings:
        table.chips.read_levels = partial(read, *held_up)
        table.clock.time = max(begun, table.clock.time)
        table.scan.poll(table.clock.time)
        assert table.scan.levels[0] == 1
    assert table.told() == []


def test_what_is_to_be_believed_is_looked_at_again_as_soon_as_it_may_be_and_not_a_step_later(table):
    table.chips.takes = 0.002
    table.chips.levels[4] = 1
    begun = table.clock.time = 1.0
    while not table.felt:
        table.scan.poll(table.clock.time)
        table.clock.time = max(table.clock.time, begun := begun + table.scan.pause_seconds)
    assert table.felt[0].instant == pytest.approx(1.0 + table.chips.takes + HOLD, abs=1e-3)


def test_while_something_moves_readings_never_come_farther_apart_than_their_rate_says():
    slow = SensorScan(3, Chips(), 10.0, 1 / PERIOD, Clock().now)
    assert slow.quick_seconds == PERIOD


def test_set_up_reads_all_the_time_as_often_as_while_something_moves(table):
    table.scan.always_fast = True
    table.passes(PERIOD)
    assert table.scan.pause_seconds == HOLD / READINGS_PER_DEBOUNCE


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


def test_whoever_watches_is_told_every_reading_that_differs_before_anything_is_made_of_it():
    chips, clock, seen = Chips(), Clock(), []
    chips.clock = clock
    scan = SensorScan(3, chips, 0.008, 200, clock.now)
    scan.sample_watchers.append(seen.append)
    scan.open_unthreaded(lambda felt: None)
    for at, levels in ((0.01, [0] * 9), (0.02, [0, 1] + [0] * 7), (0.03, [0, 1] + [0] * 7), (0.04, [1] * 9)):
        chips.levels = levels
        scan.poll(at)
    assert [(reading.instant, sum(reading.levels)) for reading in seen] == [(0.0, 0), (0.02, 1), (0.04, 9)]


def test_what_levels_were_made_of_is_watched_too():
    chips, clock, seen = Chips(), Clock(), []
    chips.clock = clock
    scan = SensorScan(3, chips, 0.008, 200, clock.now)
    scan.sample_watchers.append(seen.append)
    scan.open_unthreaded(lambda felt: None)
    for at, count in ((0.01, 500), (0.02, 501), (0.03, 501)):
        chips.raw_values = (count,) * 9
        scan.poll(at)
    assert [reading.raw_values and reading.raw_values[0] for reading in seen] == [None, 500, 501]


def test_whoever_watches_is_told_what_is_read_first_when_sensors_are_opened_again():
    chips, clock, seen = Chips(), Clock(), []
    chips.clock = clock
    scan = SensorScan(3, chips, 0.008, 200, clock.now)
    scan.sample_watchers.append(seen.append)
    for _ in range(2):
        scan.open_unthreaded(lambda felt: None)
        scan.poll(0.01)
        scan.close()
    assert len(seen) == 2
