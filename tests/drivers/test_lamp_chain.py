"""Tests of lamp chains: wiring order, and when frames are sent."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import BoardFault, Frame
from pond_hw.drivers.lamp_chain import REFRESH_SECONDS, RETRY_SECONDS, ChainLamps
from pond_hw.drivers.lamp_pulses import PACKED
from pond_hw.profile.board_profile import LampSettings
from pond_hw.rules import get_grid
from tests.clock import Clock
from tests.drivers.error_checks import raises
from tests.drivers.ws2812 import CHIPS, decode, levels
from tests.messages.says import says

CLOCK = Fraction(25_000_000, 3)
ORDERS = ["".join(letters) for letters in permutations("RGB")]


class RecordingWire:
    """Wire that records the bytes sent. While it is cut, sending and opening fail."""

    def __init__(self):
        self.sent, self.calls = [], []
        self.cut = self.gone = False

    def open(self):
        self.calls.append("open")
        if self.gone:
            raise BoardFault("There is no such wire. Buy one.")

    def send_bytes(self, data):
        self.calls.append("send")
        if self.cut or self.gone:
            raise OSError(5, "Input/output error")
        self.sent.append(data)

    def close(self):
        self.calls.append("close")
        if self.gone:
            raise OSError(19, "No such device")


def chain(cells, per_cell=1, strips=((), ()), unused=0, colours="GRB"):
    """Build a chain with lamps at these positions."""
    count = len(cells) + len(strips[0]) + len(strips[1]) + unused
    return LampSettings("spi", 10, count, per_cell, tuple(cells), strips, colours, 1.0, 500.0, 150.0)


@pytest.fixture
def line():
    return RecordingWire()


@pytest.fixture
def time():
    return Clock(100.0)


@pytest.fixture
def lamps(line, time):
    """Nine open lamps in the order of the cells."""
    shown = ChainLamps(3, chain(range(9)), line, time)
    shown.open()
    line.calls.clear()
    line.sent.clear()
    return shown


RED = Frame(3, 1, bytes([200, 0, 0]) * 9)
BLUE = Frame(3, 1, bytes([0, 0, 200]) * 9)
RED_BYTES, BLUE_BYTES, DARK_BYTES = bytes([0, 200, 0]) * 9, bytes([0, 0, 200]) * 9, bytes(27)


def test_serpentine_chain_may_skip_the_first_lamp(line, time):
    rows = [(1, 2, 3), (6, 5, 4), (7, 8, 9)]  # from the bottom up, every other row reversed
    lamps = ChainLamps(3, chain([place for row in rows for place in row], unused=1, colours="GRB"), line, time)
    lamps.open()
    frame = Frame(3, 1, bytes(range(27)))
    lamps.show(frame)
    by_lamp = [tuple(line.sent[-1][at : at + 3]) for at in range(0, 30, 3)]
    assert by_lamp[0] == (0, 0, 0)
    assert frame["a2"] == ((9, 10, 11),)
    assert by_lamp[6] == (10, 9, 11)  # a2 is at the end of the second row, green first
    assert by_lamp[4] == (16, 15, 17)  # c2
    assert by_lamp[7] == (19, 18, 20)  # a3


def test_turn_key_lamps_are_at_their_positions(line, time):
    keyed = replace(chain(range(1, 10), unused=1, colours="RGB"), lamp_count=11, key_positions=(10, 0))
    lamps = ChainLamps(3, keyed, line, time)
    assert lamps.key_lamps == 2
    lamps.open()
    lamps.show(Frame(3, 1, bytes(27) + bytes([1, 1, 1, 2, 2, 2])))
    assert line.sent[-1] == bytes([2] * 3) + bytes(27) + bytes([1] * 3)


def test_score_strip_lamps_are_at_their_positions(line, time):
    lamps = ChainLamps(3, chain(range(2, 11), strips=((1, 0), (11, 12)), colours="RGB"), line, time)
    assert (lamps.size, lamps.lamps_per_cell, lamps.strip_lamps) == (3, 1, 2)
    lamps.open()
    lamps.show(Frame(3, 1, bytes(27) + bytes([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]), 2))
    assert line.sent[-1] == bytes([2] * 3 + [1] * 3) + bytes(27) + bytes([3] * 3 + [4] * 3)


@pytest.mark.parametrize("colours", ORDERS)
def test_colours_are_sent_in_the_lamps_order(line, time, colours):
    lamps = ChainLamps(3, chain(range(9), colours=colours), line, time)
    lamps.open()
    lamps.show(Frame(3, 1, b"RGB" * 9))
    assert line.sent[-1] == colours.encode() * 9


@st.composite
def boards(draw):
    """Draw a chain in any order, with a frame to show on it."""
    size, per_cell = draw(st.sampled_from([(3, 1), (3, 4), (3, 9), (4, 1), (4, 4), (5, 1)]))
    strip, unused = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    drawn = size * size * per_cell + 2 * strip
    places = draw(st.permutations(range(drawn + unused)))[:drawn]
    cells, light, dark = places[: drawn - 2 * strip], places[drawn - 2 * strip : drawn - strip], places[drawn - strip :]
    hung = chain(cells, per_cell, (tuple(light), tuple(dark)), unused, draw(st.sampled_from(ORDERS)))
    return hung, Frame(size, per_cell, draw(st.binary(min_size=drawn * 3, max_size=drawn * 3)), strip)


@given(boards(), st.sampled_from(CHIPS))
def test_lamps_show_frame_in_any_chain_order(board, chip):
    hung, frame = board
    line = RecordingWire()
    lamps = ChainLamps(frame.size, hung, line, Clock(100.0))
    lamps.open()
    lamps.show(frame)
    assert not any(line.sent[0])
    (shown,) = decode(levels(PACKED.encode(line.sent[-1])), CLOCK, chip)
    colours = [tuple(shown[at + hung.colour_order.index(letter)] for letter in "RGB") for at in range(0, len(shown), 3)]
    assert len(colours) == hung.lamp_count
    for number, cell in enumerate(get_grid(frame.size).cells):
        places = hung.cell_positions[number * hung.lamps_per_cell : (number + 1) * hung.lamps_per_cell]
        assert tuple(colours[place] for place in places) == frame[cell]
    points = frame.data[len(hung.cell_positions) * 3 :]
    strips = [tuple(points[at : at + 3]) for at in range(0, len(points), 3)]
    assert [colours[place] for place in (*hung.strip_positions[0], *hung.strip_positions[1])] == strips
    drawn = {*hung.cell_positions, *hung.strip_positions[0], *hung.strip_positions[1]}
    assert not any(any(colours[place]) for place in set(range(hung.lamp_count)) - drawn)


def test_open_turns_lamps_off(line, time):
    lamps = ChainLamps(3, chain(range(9)), line, time)
    lamps.open()
    assert (line.calls, line.sent) == (["open", "send"], [DARK_BYTES])


def test_same_frame_is_sent_once(lamps, line, time):
    for _ in range(10):
        lamps.show(RED)
        time.time += 1 / 30
    lamps.show(BLUE)
    assert line.sent == [RED_BYTES, BLUE_BYTES]


def test_unchanged_frame_is_refreshed_twice_a_second(lamps, line, time):
    frames = 30 * 10
    for _ in range(frames):
        lamps.show(RED)
        time.time += 1 / 30
    assert 18 <= len(line.sent) <= 21
    assert set(line.sent) == {RED_BYTES}


def test_refresh_counts_from_last_transfer(lamps, line, time):
    lamps.show(RED)
    time.time += 0.75 * REFRESH_SECONDS
    lamps.show(BLUE)
    time.time += 0.75 * REFRESH_SECONDS
    lamps.show(BLUE)
    assert line.sent == [RED_BYTES, BLUE_BYTES]
    time.time += 0.25 * REFRESH_SECONDS
    lamps.show(BLUE)
    assert line.sent == [RED_BYTES, BLUE_BYTES, BLUE_BYTES]


def test_lost_lamps_are_retried_four_times_a_second(lamps, line, time):
    lamps.show(RED)
    line.calls.clear()
    line.cut = True
    for _ in range(30):
        with raises(BoardFault, "lamps.lost", text="Input/output error"):
            lamps.show(BLUE)
        time.time += 1 / 30
    assert line.calls == ["send"] + ["close", "open", "send"] * 3
    assert RETRY_SECONDS == 0.25


def test_recovered_lamps_show_current_frame(lamps, line, time):
    lamps.show(RED)
    line.cut = True
    with pytest.raises(BoardFault):
        lamps.show(BLUE)
    line.cut = False
    with pytest.raises(BoardFault):  # too early to try again
        lamps.show(RED)
    time.time += RETRY_SECONDS
    lamps.show(RED)
    assert line.sent == [RED_BYTES, RED_BYTES]  # again, because the lamps may have lost power
    lamps.show(BLUE)
    time.time += RETRY_SECONDS
    lamps.show(BLUE)
    assert line.sent == [RED_BYTES, RED_BYTES, BLUE_BYTES]
    assert line.calls[-1] == "send"


def test_failed_frame_is_sent_again(lamps, line, time):
    line.cut = True
    with pytest.raises(BoardFault):
        lamps.show(RED)
    line.cut = False
    time.time += RETRY_SECONDS
    lamps.show(RED)
    assert line.sent == [RED_BYTES]


def test_wire_error_at_reopening_is_reported(lamps, line, time):
    line.cut = True
    with raises(BoardFault, "lamps.lost", text="Input/output error"):
        lamps.show(RED)
    line.cut, line.gone = False, True
    time.time += RETRY_SECONDS
    with pytest.raises(BoardFault, check=says(r"There is no such wire\. Buy one\.")):
        lamps.show(RED)
    line.gone = False
    time.time += RETRY_SECONDS
    lamps.show(RED)
    assert line.sent == [RED_BYTES]


def test_missing_wire_is_reported_by_open(line, time):
    line.gone = True
    lamps = ChainLamps(3, chain(range(9)), line, time)
    with pytest.raises(BoardFault, check=says("There is no such wire")):
        lamps.open()
    lamps.close()
    assert line.calls == ["open"]


def test_unreachable_lamps_are_reported_by_show(line, time):
    line.cut = True
    lamps = ChainLamps(3, chain(range(9)), line, time)
    lamps.open()
    time.time += RETRY_SECONDS
    with raises(BoardFault, "lamps.lost", text="Input/output error"):
        lamps.show(RED)
    line.cut = False
    time.time += RETRY_SECONDS
    lamps.show(RED)
    assert line.sent == [RED_BYTES]


def test_close_sends_dark_frame_twice(lamps, line):
    lamps.show(RED)
    line.calls.clear()
    lamps.close()
    assert line.sent[1:] == [DARK_BYTES, DARK_BYTES]
    assert line.calls == ["send", "send", "close"]


def test_closed_lamps_stay_closed(lamps, line):
    lamps.close()
    line.calls.clear()
    lamps.close()
    lamps.show(RED)
    assert line.calls == []


def test_lamps_can_be_opened_again(lamps, line):
    lamps.show(RED)
    lamps.close()
    line.sent.clear()
    lamps.open()
    lamps.show(RED)
    assert line.sent == [DARK_BYTES, RED_BYTES]


@pytest.mark.parametrize("fault", ["cut", "gone"])
def test_closing_lost_wire_is_silent(lamps, line, time, fault):
    setattr(line, fault, True)
    lamps.close()
    assert line.calls[-1] == "close"
    line.calls.clear()
    lamps.close()
    assert line.calls == []


def test_closing_lost_lamps_clears_fault(lamps, line):
    line.cut = True
    with pytest.raises(BoardFault):
        lamps.show(RED)
    line.gone = True
    lamps.close()
    line.cut = line.gone = False
    line.calls.clear()
    lamps.open()
    assert line.calls == ["open", "send"]


def test_lost_lamps_are_retried_at_close(lamps, line):
    line.cut = True
    with pytest.raises(BoardFault):
        lamps.show(RED)
    line.cut = False
    line.calls.clear()
    lamps.close()
    assert line.calls == ["close", "open", "send", "send", "close"]
    assert line.sent == [DARK_BYTES, DARK_BYTES]
    line.sent.clear()
    lamps.open()
    assert line.sent == [DARK_BYTES]


def test_lost_and_recovered_lamps_are_logged_once(lamps, line, time, caplog):
    line.cut = True
    for _ in range(10):
        with pytest.raises(BoardFault):
            lamps.show(RED)
        time.time += RETRY_SECONDS
    line.cut = False
    lamps.show(RED)
    assert [record.getMessage() for record in caplog.records] == [
        "the lamps are lost: Input/output error",
        "the lamps are back",
    ]
