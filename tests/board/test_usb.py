"""Tests of a board on a USB cable: faults of the cable, of the Pico and of the computer."""

from dataclasses import replace
from random import Random

import pytest

from pond_hw.board import BoardFault, Frame
from pond_hw.board_factory import build_board
from pond_hw.drivers.scan import SensorReadError
from pond_hw.drivers.usb_config import make_board_config
from pond_hw.drivers.usb_link import ANSWER_SECONDS, UsbLink, format_line
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from tests.board.test_faults import (
    MAX_DETECTION_SECONDS,
    MAX_RECOVERY_SECONDS,
    check_fault,
    check_recovery,
    check_touch,
    press_and_check,
)
from tests.conftest import require
from tests.drivers.pis import make_laptop
from tests.messages.says import says, text
from tests.pico.cable import Pico, in_simulated_time

require("serial", "it drives the cable")

USB = pytest.mark.parametrize("bench", ["usb-direct-4x4"], indirect=True)
USB_PIECES = pytest.mark.parametrize("bench", ["usb-hall-4x4"], indirect=True)


def frame(bench, value):
    """Return a frame in which all lamps are the same."""
    lamps = bench.board.lamps
    return Frame(bench.size, lamps.lamps_per_cell, bytes([value]) * (bench.size**2 * lamps.lamps_per_cell * 3))


def lit(bench, value):
    return bench.pico.lit == frame(bench, value).data


def show(bench, value, seconds=0.05):
    """Show a frame repeatedly, as the program does."""
    for _ in range(round(seconds / 0.01)):
        bench.board.lamps.show(frame(bench, value))
        bench.wait(0.01)


def check_reconnect(bench):
    """Check that the board is reported lost, and recovers when it is plugged in again."""
    bench.wait(MAX_DETECTION_SECONDS)
    (lost,) = bench.take_health_events()
    assert lost.trouble.id == "sensors.lost"
    bench.pico.plug_in()
    bench.wait(MAX_RECOVERY_SECONDS)
    (recovered,) = bench.take_health_events()
    assert recovered.trouble is None
    assert bench.sensor_events == []


# --- light ---


@USB
def test_lamps_follow_chain_order(bench):
    data = bytes(index % 20 for index in range(192))
    bench.board.lamps.show(Frame(4, 4, data))
    bench.wait(0.05)
    for lamp_number, place in enumerate(bench.profile.chain.cell_positions):
        red, green, blue = data[lamp_number * 3 : lamp_number * 3 + 3]
        assert bench.pico.lit[place * 3 : place * 3 + 3] == bytes([green, red, blue])


@USB
def test_latest_of_many_frames_is_shown(bench):
    for value in range(1, 16):
        bench.board.lamps.show(frame(bench, value))
    bench.wait(0.1)
    assert lit(bench, 15)


@USB
def test_close_turns_lamps_off_at_once(bench):
    show(bench, 9)
    assert lit(bench, 9)
    bench.close()
    assert lit(bench, 0)


@USB
def test_lamps_work_without_sensors(bench):
    bench.close()
    bench.board.lamps.open()
    for _ in range(400):
        bench.board.lamps.show(frame(bench, 7))
        bench.sleep(0.01)
    assert lit(bench, 7)
    bench.board.lamps.close()
    assert lit(bench, 0)


@USB
def test_lamps_stay_lit_while_host_is_connected(bench):
    show(bench, 9)
    bench.wait(10.0)
    assert lit(bench, 9)


# --- cable ---


@USB
def test_pulled_cable_is_reported_once_and_board_recovers(bench):
    check_touch(bench)
    bench.pico.pull()
    unplugged_at = bench.now()
    bench.wait(2.0)
    assert check_fault(bench, unplugged_at).arguments["reason"].id.startswith("usb.")
    bench.pico.plug_in()
    plugged_in_at = bench.now()
    bench.wait(MAX_RECOVERY_SECONDS)
    check_recovery(bench, plugged_in_at)
    check_touch(bench)
    show(bench, 5, 0.6)
    assert lit(bench, 5)


@USB
def test_unreachable_lamps_report_without_waiting(bench):
    bench.pico.pull()
    unplugged_at = bench.now()
    for _ in range(20):
        with pytest.raises(BoardFault):
            bench.board.lamps.show(frame(bench, 3))
    assert bench.now() == unplugged_at


@pytest.mark.slow
@USB
def test_cable_pulled_mid_frame_shows_no_partial_frame(bench):
    show(bench, 1)
    length = len(format_line(b"frame 0 " + b"x" * 64))
    for at in range(1, length + 1, 1):
        bench.wait(0.05)
        bench.board.lamps.show(frame(bench, 2))
        bench.pico.cut_after_received = at
        bench.wait(0.3)
        assert bench.pico.ports() == [], at
        assert set(bench.pico.lit) <= {0}
        bench.take_health_events()
        bench.pico.plug_in()
        bench.wait(MAX_RECOVERY_SECONDS)
        assert [each.trouble for each in bench.take_health_events()][-1:] in ([None], [])
        assert bench.sensor_events == []
        show(bench, 1, 0.3)
        assert lit(bench, 1), at
    check_touch(bench)


@pytest.mark.slow
@USB
def test_cable_pulled_mid_press_reports_no_false_event(bench):
    for at in range(1, 40):
        bench.wait(0.09)
        bench.press("b2")
        bench.pico.cut_after_sent = at
        bench.wait(0.3)
        bench.pico.pull()  # where it was not reached
        bench.release("b2")
        events = [each for each in bench.sensor_events if not hasattr(each, "trouble")]
        assert [(each.cell, each.down) for each in events] in ([], [("b2", True)]), at
        bench.pico.cut_after_sent = None
        bench.pico.plug_in()
        bench.wait(MAX_RECOVERY_SECONDS)
        after = [(each.cell, each.down) for each in bench.sensor_events if not hasattr(each, "trouble")]
        assert after in ([], [("b2", True), ("b2", False)]), at
        bench.sensor_events.clear()
    check_touch(bench, "b2")


@USB
def test_hold_while_cable_is_replugged_is_one_touch(bench):
    press_and_check(bench, "b3")
    bench.pico.pull()
    check_reconnect(bench)
    bench.release("b3")
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [("b3", False)]


@USB
def test_presses_while_unplugged_are_not_reported(bench):
    bench.pico.pull()
    bench.wait(MAX_DETECTION_SECONDS)
    bench.press("a1")
    bench.wait(0.2)
    bench.take_health_events()
    bench.pico.plug_in()
    bench.wait(MAX_RECOVERY_SECONDS)
    bench.take_health_events()
    assert bench.sensor_events == []
    bench.release("a1")
    bench.wait(bench.report_delay)
    bench.sensor_events.clear()
    check_touch(bench, "a1")


@USB_PIECES
def test_pieces_moved_while_unplugged_are_reported_later(bench):
    press_and_check(bench, "b3")
    bench.pico.pull()
    bench.wait(MAX_DETECTION_SECONDS)
    bench.take_health_events()
    bench.release("b3")
    bench.press("c1")
    bench.pico.plug_in()
    bench.wait(MAX_RECOVERY_SECONDS)
    bench.take_health_events()
    assert sorted(bench.take_touches()) == [("b3", False), ("c1", True)]


# --- data ---


@USB
def test_garbage_from_board_is_ignored(bench):
    rng = Random(5)
    for number in range(60):
        line = format_line(b"press %d 3 17" % (number + 1))
        bench.pico.send_garbage(line[: rng.randrange(1, len(line) - 1)] + b"\n")
        bench.pico.send_garbage(rng.randbytes(rng.randrange(1, 300)) + b"\n")
        bench.wait(0.03)
    bench.pico.send_garbage(b"\n")
    assert bench.sensor_events == []
    check_touch(bench)


@USB
def test_corrupt_line_loses_no_press(bench):
    """Half a line before each press corrupts it. The board repeats the press until it is acknowledged."""
    for cell in bench.cells:
        bench.press(cell)
        bench.sleep(bench.hold)
        bench.pico.send_garbage(b"hal")
        bench.wait(bench.report_delay + 0.2)
        assert bench.take_touches() == [(cell, True)]
        bench.release(cell)
        bench.pico.send_garbage(b"f a line")
        bench.wait(bench.report_delay + 0.2)
        assert bench.take_touches() == [(cell, False)]


@USB
@pytest.mark.parametrize("late", [0.05, 0.12, 0.2])
def test_slow_answers_lose_no_events(bench, late):
    bench.pico.delay = late
    bench.wait(1.0)
    for cell in bench.cells[:4]:
        bench.press(cell)
        bench.wait(bench.report_delay + 3 * late)
        bench.release(cell)
        bench.wait(bench.report_delay + 3 * late)
        assert bench.take_touches() == [(cell, True), (cell, False)]


@USB
def test_late_answers_mark_board_lost_until_it_recovers(bench):
    bench.pico.delay = 2 * ANSWER_SECONDS
    bench.wait(2.0)
    (lost,) = bench.take_health_events()
    assert lost.trouble.arguments["reason"].id == "usb.silent"
    bench.pico.delay = 0.0
    bench.wait(2.0)
    assert [each.trouble for each in bench.take_health_events()] == [None]
    check_touch(bench)


@USB
def test_silent_board_is_reported_lost_and_recovers(bench):
    bench.pico.is_receiving = False
    bench.wait(1.5)
    (lost,) = bench.take_health_events()
    assert lost.trouble.arguments["reason"].id == "usb.silent"
    bench.pico.is_receiving = True
    bench.wait(MAX_RECOVERY_SECONDS)
    assert [each.trouble for each in bench.take_health_events()] == [None]
    check_touch(bench)


@USB
def test_restarting_board_keeps_levels(bench):
    press_and_check(bench, "b3")
    bench.pico.restart()
    bench.wait(1.0)
    assert bench.sensor_events == []
    bench.pico.restart()
    bench.release("b3")
    bench.wait(0.5)
    assert bench.take_touches() == [("b3", False)]
    check_touch(bench)
    bench.pico.restart()
    assert lit(bench, 0)
    show(bench, 6, 0.7)
    assert lit(bench, 6)


@USB
def test_many_presses_are_reported_in_order(bench):
    expected = []
    for number in range(200):
        cell = bench.cells[number % 3]
        bench.set(cell, down=number // 3 % 2 == 0)
        expected.append((cell, number // 3 % 2 == 0))
        bench.wait(bench.hold / 3 + 0.001)
    bench.wait(3.0)
    assert bench.take_touches() == expected


@USB
def test_press_between_two_readings_is_reported(bench):
    """The host reads 200 times a second and may be late, but the board detects every press."""
    bench.press("b2")
    bench.sleep(bench.hold + 0.003)
    bench.release("b2")
    bench.sleep(bench.hold + 0.1)
    bench.wait(bench.report_delay + 0.1)
    assert bench.take_touches() == [("b2", True), ("b2", False)]


@USB
def test_game_freezes_until_silent_chips_recover(bench):
    down, bench.pico.down = bench.pico.down, None
    bench.wait(1.0)
    (lost,) = bench.take_health_events()
    assert lost.trouble.arguments["reason"].id == "usb.sensors_unread"
    bench.pico.down = down
    bench.wait(MAX_RECOVERY_SECONDS)
    assert [each.trouble for each in bench.take_health_events()] == [None]
    check_touch(bench)


# --- computer ---


@pytest.mark.slow
@USB
def test_presses_while_host_sleeps_do_not_count(bench):
    show(bench, 9)
    bench.sleep(1.9)
    assert lit(bench, 9)
    bench.sleep(0.3)
    assert lit(bench, 0)
    bench.press("a1")
    bench.sleep(30.0)
    bench.release("a1")
    bench.sleep(28.0)
    bench.due = bench.now()
    bench.wait(2.0)
    bench.take_health_events()
    assert bench.take_touches() == []
    check_touch(bench)
    show(bench, 4, 0.7)
    assert lit(bench, 4)


@pytest.mark.slow
@USB
def test_press_before_host_sleep_does_not_count_later(bench):
    bench.press("a1")
    bench.sleep(bench.hold + 0.02)  # the line was already sent
    bench.release("a1")
    bench.sleep(60.0)
    bench.due = bench.now()
    bench.wait(2.0)
    bench.take_health_events()
    assert bench.take_touches() == []
    check_touch(bench, "a1")


@USB
def test_host_stalled_for_a_second_counts_presses(bench):
    bench.press("a1")
    bench.sleep(0.5)
    bench.release("a1")
    bench.sleep(0.5)
    bench.due = bench.now()
    bench.wait(1.0)
    assert bench.take_touches() == [("a1", True), ("a1", False)]


# --- protocol ---


class ScriptedPort:
    """Serial port that receives the lines that a test sends."""

    def __init__(self):
        self.incoming, self.written = b"", b""

    @property
    def in_waiting(self):
        return len(self.incoming)

    def read(self, size):
        data, self.incoming = self.incoming[:size], self.incoming[size:]
        return data

    def write(self, data):
        self.written += data
        if b"hello" in data:
            attempt = data.split(b"hello ")[1].split(b" ")[0].decode()
            fingerprint = make_board_config(load_profile("usb-direct-4x4")).fingerprint
            self.deliver(f"hello pond 3 2.0 {fingerprint} 17 16 350 4096 {attempt}", "state 5 0 1 0 ok")

    def close(self):
        pass

    def deliver(self, *bodies):
        self.incoming += b"".join(format_line(body.encode()) for body in bodies)


class ScriptedLink:
    """Link that is connected to a `ScriptedPort`, with a clock that the test sets."""

    def __init__(self):
        self.time, self.port = 0.0, ScriptedPort()
        config = make_board_config(load_profile("usb-direct-4x4"))
        wait = lambda seconds: None  # noqa: E731 - time stands still
        self.link = UsbLink(config, lambda: self.time, wait, lambda: ["a port"], lambda device: self.port)
        self.link.connect()

    def next_request(self):
        """Advance the clock by a tenth of a second, and return the host's next request."""
        self.time, self.port.written = self.time + 0.11, b""
        self.link.exchange()
        return self.port.written.rpartition(b" ")[0]

    def changes(self):
        return [change.levels for change in self.link.changes]


def test_press_counts_only_after_later_answer():
    scripted = ScriptedLink()
    assert scripted.next_request() == b"ping 0"
    scripted.port.deliver("press 1 3 100", "state 5 1 101 8 ok")  # the answer belongs to an earlier request
    assert scripted.next_request() == b"ping 1"
    assert scripted.changes() == []
    scripted.port.deliver("state 5 1 140 8 ok")
    scripted.next_request()
    assert scripted.changes() == [{3: 1}]


def test_lost_or_repeated_presses_count_once_in_order():
    scripted = ScriptedLink()
    scripted.next_request()
    scripted.port.deliver("press 2 4 110", "state 5 2 111 18 ok")
    assert scripted.next_request() == b"ping 0"  # so that the board sends the first one
    scripted.port.deliver("press 1 3 100", "press 2 4 110", "state 5 2 150 18 ok")
    assert scripted.next_request() == b"ping 2"
    scripted.port.deliver("press 1 3 100", "press 2 4 110", "state 5 2 190 18 ok")
    scripted.next_request()
    scripted.port.deliver("state 5 2 230 18 ok")
    scripted.next_request()
    assert scripted.changes() == [{3: 1}, {4: 1}]


# --- ports ---


class ConnectedBoards:
    """Several boards in simulated time, and a link that looks for its own board among them."""

    def __init__(self, *configs):
        self.time = 0.0
        self.picos = [Pico(config, lambda: self.time) for config in configs]
        config = make_board_config(load_profile("usb-direct-4x4"))
        self.link = UsbLink(config, lambda: self.time, self.wait, self.ports)

    def ports(self):
        return [port for pico in self.picos for port in pico.ports()]

    def wait(self, seconds):
        self.time += seconds
        for pico in self.picos:
            pico.step()

    def close(self):
        self.link.disconnect()
        for pico in self.picos:
            pico.close()


@pytest.fixture
def connected_boards(monkeypatch):
    created = []

    def make(*configs):
        created.append(ConnectedBoards(*configs))
        in_simulated_time(created[-1].picos, monkeypatch.setattr)
        return created[-1]

    yield make
    for each in created:
        each.close()


def text_of(name):
    return make_board_config(load_profile(name)).text


def test_wrong_configuration_is_reported_with_remedy(connected_boards):
    found = connected_boards(text_of("usb-hall-4x4"))
    with pytest.raises(BoardFault) as fault:
        found.link.connect()
    assert fault.value.message.id == "usb.other_config"
    assert "pond board flash-config usb-direct-4x4" in text(fault.value.message)


def test_missing_configuration_is_reported_with_remedy(connected_boards):
    with pytest.raises(BoardFault) as fault:
        connected_boards(b"").link.connect()
    assert fault.value.message.id == "usb.no_config"


def test_matching_board_is_chosen_among_several(connected_boards):
    found = connected_boards(text_of("usb-hall-4x4"), text_of("usb-direct-4x4"), text_of("usb-matrix-5x5"))
    found.link.connect()
    assert found.link.device == found.picos[1].ports()[0]


def test_different_protocol_version_is_named(connected_boards, monkeypatch):
    monkeypatch.setattr("pond_hw.drivers.usb_config.PROTOCOL", "9")
    with pytest.raises(BoardFault) as fault:
        connected_boards(text_of("usb-direct-4x4")).link.connect()
    assert fault.value.message.id == "usb.other_protocol"


def test_pico_running_another_program_is_reported(connected_boards):
    found = connected_boards(text_of("usb-direct-4x4"))
    found.picos[0].is_receiving = False
    with pytest.raises(OSError, check=says("firmware/pico")):
        found.link.connect()


def test_late_answer_to_old_hello_is_ignored(connected_boards):
    found = connected_boards(text_of("usb-direct-4x4"))
    found.picos[0].delay = 1.5 * ANSWER_SECONDS
    for _ in range(3):
        with pytest.raises(OSError, check=says("respond")):
            found.link.connect()
    found.picos[0].delay = 0.0
    found.wait(2.0)
    found.picos[0].is_receiving = False
    with pytest.raises(OSError, check=says("respond")):
        found.link.connect()
    found.picos[0].is_receiving = True
    found.link.connect()


def test_missing_board_is_reported_before_opening(tmp_path):
    machine = replace(make_laptop(tmp_path), usb_boards=list)
    with pytest.raises(BoardFault) as fault:
        build_board(load_profile("usb-direct-4x4"), lambda: 0.0, machine=machine)
    assert fault.value.message == Message("usb.no_board")
    assert build_board(load_profile("usb-direct-4x4"), lambda: 0.0, machine=machine, awaits_cable=True)


@pytest.mark.parametrize(
    ("number", "expected"), [(13, "usb.not_allowed"), (11, "usb.busy"), (16, "usb.busy"), (5, "usb.lost")]
)
def test_unopenable_port_is_explained(number, expected):
    def refuse(device):
        raise OSError(number, "no")

    config = make_board_config(load_profile("usb-direct-4x4"))
    link = UsbLink(config, lambda: 0.0, lambda seconds: None, lambda: ["/dev/ttyACM0"], refuse)
    with pytest.raises((BoardFault, OSError)) as fault:
        link.connect()
    assert fault.value.message.id == expected
    with pytest.raises(SensorReadError) as lamps_fault:
        link.exchange()  # as the lamps do, which never look for a port
    assert lamps_fault.value.message == fault.value.message
