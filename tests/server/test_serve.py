"""What watches over a served board: the lock, systemd, the supply, the tunes; and the run of a real process."""

import errno
import json
import os
import re
import select
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from pond_hw import board_factory
from pond_hw.board import BoardFault, HealthEvent
from pond_hw.commands import main
from pond_hw.commands.boards import describe_profile
from pond_hw.drivers import board_lock
from pond_hw.drivers.board_lock import BoardLock, LockHeld, list_devices
from pond_hw.drivers.pi_machine import Machine
from pond_hw.drivers.run_files import board_lock_files, default_socket, list_sockets, socket_lock_file
from pond_hw.drivers.systemd import SystemdNotifier, WatchdogHeartbeat
from pond_hw.journal import folder as journal_folder
from pond_hw.journal.store import JournalStore
from pond_hw.lights import CurrentLimiter
from pond_hw.lights.lamp_limits import dimmed_limiter, profile_limiter
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package
from pond_hw.profile import list_shipped, load_profile
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import PondError, parse_variant
from pond_hw.server import board_run
from pond_hw.server.loop_waker import LoopWaker
from pond_hw.server.service import (
    GAME_OVER_TONES,
    REFUSED_TONES,
    SCORE_TONES,
    TURN_TONES,
    choose_tones,
)
from pond_hw.simulator import SimulatedLamps
from tests.conftest import first_now_rest_long
from tests.drivers.pis import PI_5, PI_5_NO_CHIP_0, a_laptop, a_pi
from tests.drivers.refusals import raises, raises_message
from tests.messages.says import text
from tests.server.served import Served, Told
from tests.session.tables import ButtonTable
from tools.mock_pins import MockPins

# What a profile's lamps may draw


def test_a_profiles_limits_are_the_limiters():
    profile = load_profile("direct-4x4")
    limiter = profile_limiter(profile)
    assert (limiter.budget, limiter.slew, limiter.brightness) == (400, 120, 0.5)


@pytest.mark.parametrize("board", list_shipped())
def test_lamps_that_are_not_drawn_take_from_the_budget_what_they_need_at_rest(board):
    profile = load_profile(board)
    drawn = len(profile.chain.cell_positions) + sum(map(len, profile.chain.strip_positions))
    assert profile_limiter(profile).budget == profile.chain.budget_ma - (profile.chain.lamp_count - drawn)


def test_dimmed_lamps_have_a_quarter_of_light_and_current_and_stay_lit():
    limiter = CurrentLimiter(budget=100, slew=30, brightness=0.8)
    faint = dimmed_limiter(limiter, lamp_count=60)
    assert faint.brightness == pytest.approx(0.2)
    assert faint.budget == 70  # 60 for rest, and a quarter of the other 40
    assert faint.slew == 30
    assert dimmed_limiter(limiter, lamp_count=200).budget == 100


# A supply that sags


@pytest.fixture
def volts(folder):
    """The /sys of a Pi, and the switch of its alarm."""
    for number, name in enumerate(("cpu_thermal", "rpi_volt", "nvme")):
        monitor = folder / f"sys/class/hwmon/hwmon{number}"
        monitor.mkdir(parents=True)
        (monitor / "name").write_text(f"{name}\n")
    alarm = folder / "sys/class/hwmon/hwmon1/in0_lcrit_alarm"
    alarm.write_text("0\n")
    return alarm


def test_when_the_voltage_drops_the_lamps_are_dimmed_within_three_seconds_and_it_is_said(serve, folder, volts):
    served = serve(lamps=1, root=folder)
    bright = served.companion.display.limiter
    served.passes(5)
    assert served.companion.display.limiter is bright
    before = sum(served.companion.frame.data)
    volts.write_text("1\n")
    served.passes(2.1)
    assert served.companion.display.limiter == dimmed_limiter(bright, 16)
    assert served.companion.session.messages == (Message("supply.weak"),)
    served.passes(0.5)
    assert 0 < sum(served.companion.frame.data) < before / 2
    served.hands.touch("b2")
    served.turns()
    assert served.played == ["@b2"]


def test_lamps_with_a_supply_of_their_own_are_not_dimmed_when_that_of_the_pi_sags(serve, folder, volts):
    served = serve(lamps=1, root=folder, own_supply=True)
    bright = served.companion.display.limiter
    volts.write_text("1\n")
    served.passes(5)
    assert served.companion.display.limiter is bright
    assert served.companion.session.messages == (Message("supply.weak_pi"),)


@pytest.mark.slow
def test_the_lamps_are_bright_again_after_half_a_minute_of_calm(serve, folder, volts):
    served = serve(root=folder)
    bright = served.companion.display.limiter
    volts.write_text("1\n")
    served.passes(3)
    volts.write_text("0\n")
    served.passes(20)
    volts.write_text("1\n")
    served.passes(3)
    volts.write_text("0\n")
    served.passes(27)
    assert served.companion.display.limiter != bright
    served.passes(6)
    assert served.companion.display.limiter == bright


@pytest.mark.long
def test_it_is_said_once_an_hour_and_no_more(serve, folder, volts):
    served = serve(root=folder)
    told = []

    def watch(seconds):
        for _ in range(int(seconds / 10)):
            before = served.companion.session.messages
            served.passes(10, step=2)
            if served.companion.session.messages != before == ():
                told.append(served.clock.now())
            served.companion.session = served.companion.session.with_changes(messages=())

    served.companion.session = served.companion.session.with_changes(messages=())
    volts.write_text("1\n")
    watch(300)
    volts.write_text("0\n")
    watch(300)
    volts.write_text("1\n")
    watch(2900)
    assert len(told) == 1
    watch(200)
    assert len(told) == 2


def test_a_machine_that_does_not_measure_its_voltage_is_left_alone(serve, folder, volts):
    for name in folder.glob("sys/class/hwmon/*/name"):
        name.write_text("coretemp\n")
    volts.write_text("1\n")
    served = serve(root=folder)
    bright = served.companion.display.limiter
    served.passes(5)
    assert served.companion.display.limiter is bright


def test_an_alarm_that_cannot_be_read_is_none(serve, folder, volts):
    served = serve(root=folder)
    bright = served.companion.display.limiter
    volts.unlink()
    served.passes(5)
    volts.write_bytes(b"\xff\xfe")
    served.passes(5)
    assert served.companion.display.limiter is bright


# systemd


@pytest.fixture
def ear(folder):
    """Where systemd would listen."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(folder / "notify"))
        heard.settimeout(20)
        yield heard


def test_what_is_told_arrives(ear, folder):
    SystemdNotifier({"NOTIFY_SOCKET": str(folder / "notify")}).send_lines("READY=1", "STATUS=a é")
    assert ear.recv(100).decode() == "READY=1\nSTATUS=a é"


def test_an_abstract_address_begins_with_an_at_sign():
    if sys.platform != "linux":
        pytest.skip("only Linux has them")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        name = f"pond-test-{os.getpid()}"
        heard.bind(f"\0{name}")
        SystemdNotifier({"NOTIFY_SOCKET": f"@{name}"}).send_lines("READY=1")
        assert heard.recv(100) == b"READY=1"


def test_without_systemd_or_when_it_does_not_listen_nothing_happens(ear, folder):
    SystemdNotifier({}).send_lines("READY=1")
    SystemdNotifier({"NOTIFY_SOCKET": str(folder / "nobody")}).send_lines("READY=1")
    deaf = SystemdNotifier({"NOTIFY_SOCKET": str(folder / "notify")})
    for _ in range(2000):
        deaf.send_lines("x" * 1000)  # its buffer is full long before, and nobody waits


def test_a_sign_of_life_is_due_three_times_in_the_time_that_silence_is_borne():
    assert SystemdNotifier({"WATCHDOG_USEC": "3000000"}).watchdog_seconds == 1.0
    assert SystemdNotifier({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(os.getpid())}).watchdog_seconds == 1.0
    assert SystemdNotifier({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}).watchdog_seconds == 0
    assert SystemdNotifier({"WATCHDOG_USEC": "soon"}).watchdog_seconds == 0
    assert SystemdNotifier({}).watchdog_seconds == 0


def test_the_watchdog_is_fed_only_if_sensors_and_lamps_have_gone_on():
    told = Told(watchdog=1.0)
    heart = WatchdogHeartbeat(told)
    fed = []
    for now, sensors, lamps in (
        (0.0, 1, 1),  # the first time
        (0.9, 9, 9),  # not due
        (1.0, 9, 9),  # yes
        (2.0, 9, 20),  # the sensors hang
        (3.0, 30, 20),  # they go on again
        (4.0, 40, 20),  # the lamps hang
        (5.0, 40, 20),
        (6.0, 50, 21),
    ):
        before = len(told.lines)
        heart.beat_if_alive(now, sensors, lamps)
        fed.append(len(told.lines) > before)
    assert fed == [True, False, True, False, True, False, False, True]
    assert set(told.lines) == {"WATCHDOG=1"}


def test_nobody_who_does_not_watch_is_fed():
    told = Told()
    WatchdogHeartbeat(told).beat_if_alive(1.0, 5, 5)
    assert told.lines == []


def test_systemd_hears_that_it_is_ready_once_the_first_frame_has_been_shown(serve, monkeypatch):
    told = Told()
    monkeypatch.setattr(SimulatedLamps, "show", lambda *_: told.send_lines("a frame"))
    serve(systemd=told)
    assert told.lines[:2] == ["a frame", "READY=1"]


def test_systemd_hears_how_it_goes_but_not_more_than_once_a_second(serve):
    told = Told()
    served = serve(systemd=told)
    assert told.lines == ["READY=1", "STATUS=a-board: standard, turn 1, light to move."]
    told.lines.clear()
    for cell in ("b2", "c3", "d4"):
        served.hands.touch(cell)
        served.passes(0.2)
    assert told.lines == []
    served.passes(1)
    assert told.lines == ["STATUS=a-board: standard, turn 4, dark to move."]
    trouble = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
    served.companion.put(HealthEvent(trouble, 2.0))
    served.passes(1.1)
    assert told.lines[-1] == f"STATUS=a-board: {text(trouble)}"
    served.companion.put(HealthEvent(None, 3.0))
    served.call().says({"command": "resign"})
    served.passes(1.1)
    outcome = text(Message("outcome.resignation", winner="light", loser="dark"))
    assert told.lines[-1] == f"STATUS=a-board: {outcome}"
    served.service.close()
    assert told.lines[-1] == "STOPPING=1"


def test_the_watchdog_of_a_service_starves_when_the_sensors_hang(serve, monkeypatch):
    told = Told(watchdog=1.0)
    served = serve(systemd=told)
    served.passes(3)
    assert told.lines.count("WATCHDOG=1") >= 3
    told.lines.clear()
    monkeypatch.setattr(type(served.hands), "poll_count", 7)
    served.passes(1.5)
    told.lines.clear()
    served.passes(10)
    assert "WATCHDOG=1" not in told.lines


# The lock


UNKNOWN_HOLDER = Message("lock.unknown_holder")


def holder(board, since):
    return Message("lock.holder", board=board, process=os.getpid(), since=since)


def test_who_comes_second_is_told_who_was_first(folder):
    with BoardLock([folder / "lock"], "direct-4x4"):
        with pytest.raises(LockHeld) as held:
            BoardLock([folder / "lock"], "hall-4x4")
        since = held.value.message.arguments["since"]
        assert held.value.message == holder("direct-4x4", since)
        assert re.fullmatch(r"\d\d\d\d-\d\d-\d\d \d\d:\d\d", since)
    assert not (folder / "lock").exists()


def test_who_takes_a_lock_that_a_dead_process_left_is_named_instead(folder):
    (folder / "lock").write_text('[4711, "hall-5x5-with-a-very-long-name", "2001-01-01 00:00"]')
    with BoardLock([folder / "lock"], "mine"):
        assert json.loads((folder / "lock").read_text())[:2] == [os.getpid(), "mine"]


def test_the_lock_is_taken_where_one_can_write_and_looked_for_everywhere(folder):
    places = [folder / "nowhere/lock", folder / "one", folder / "two"]
    with BoardLock(places, "first") as hold:
        assert hold.holder_file == folder / "one"
        with pytest.raises(LockHeld, check=lambda held: held.message.arguments["board"] == "first"):
            BoardLock([folder / "two", folder / "one"], "second")  # who prefers another place looks there too
        assert not (folder / "two").exists()
    with BoardLock(places[2:], "first"), pytest.raises(LockHeld):
        BoardLock(places, "second")


def test_where_nothing_can_be_written_one_goes_without(folder):
    with BoardLock([folder / "nowhere/lock"], "board") as hold:
        assert hold.holder_file is None


def test_what_holds_a_device_is_the_device_whoever_can_write_where(folder):
    """Two users: neither may write what the other has written, nor look where the other has."""
    device = folder / "gpiochip0"
    device.touch()
    for files in ([folder / "one"], [folder / "nowhere/lock"]):
        with BoardLock(files, "first", device):
            assert (folder / "one").exists() == (files == [folder / "one"])
            with raises_message(LockHeld, UNKNOWN_HOLDER):
                BoardLock([folder / "two"], "second", device)
            assert not (folder / "two").exists()
        assert not (folder / "one").exists()
    with BoardLock([folder / "two"], "second", device):
        pass


def test_the_holder_of_a_device_is_named_if_its_name_is_found(folder):
    device = folder / "gpiochip0"
    device.touch()
    (folder / "one").write_text('[4711, "a dead one", "2001-01-01 00:00"]')
    with BoardLock([folder / "two"], "first", device):
        for files in ([folder / "one", folder / "two"], [folder / "two", folder / "nowhere/lock"]):
            with pytest.raises(LockHeld) as held:
                BoardLock(files, "second", device)
            assert held.value.message == holder("first", held.value.message.arguments["since"])
    assert device.read_bytes() == b""


def test_a_name_that_somebody_else_holds_keeps_nobody_from_a_device(folder):
    """Anybody may hold a file in a folder for everybody."""
    device = folder / "gpiochip0"
    device.touch()
    with BoardLock([folder / "one"], "squatter"), BoardLock([folder / "one", folder / "two"], "board", device) as hold:
        assert hold.holder_file == folder / "two"


def test_a_device_that_cannot_be_opened_cannot_be_held(folder):
    with pytest.raises(FileNotFoundError):
        BoardLock([folder / "lock"], "board", folder / "gpiochip0")
    assert not (folder / "lock").exists()


def test_a_name_that_finds_no_room_is_not_left_and_the_device_is_held(folder, monkeypatch):
    from pond_hw.drivers import board_lock

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    device = folder / "gpiochip0"
    device.touch()
    monkeypatch.setattr(board_lock.os, "pwrite", full)
    with BoardLock([folder / "lock"], "first", device), raises_message(LockHeld, UNKNOWN_HOLDER):
        BoardLock([folder / "lock"], "second", device)


def test_a_device_that_may_only_be_read_is_held_too():
    """A terminal of our own, for it is such a device as the pins are."""
    ours, theirs = os.openpty()
    device = Path(os.ttyname(theirs))
    before = stat.S_IMODE(device.stat().st_mode)
    try:
        device.chmod(0o400)
        with BoardLock([], "first", device), pytest.raises(LockHeld):
            BoardLock([], "second", device)
        with BoardLock([], "second", device):
            pass
    finally:
        device.chmod(before)
        os.close(ours)
        os.close(theirs)


DEVICES = {
    "direct-4x4": {"gpiochip0", "spidev0.0"},
    "hall-4x4": {"gpiochip0", "i2c-1", "spidev0.0"},
    "neotrellis-4x4": {"gpiochip0", "i2c-1"},
    "simulated-4x4": set(),
}


@pytest.mark.parametrize("board", DEVICES)
def test_a_board_holds_the_devices_that_it_needs(board, folder):
    told = list_devices(load_profile(board), a_pi(folder))
    assert {device.name for device in told} == DEVICES[board]
    assert all(device.parent == (folder / "dev").resolve() for device in told)
    assert told == list_devices(load_profile(board), a_pi(folder))  # in an order that is always the same


def test_pretended_pins_are_nobodys(folder):
    profile = load_profile("direct-4x4")
    assert [device.name for device in list_devices(profile, a_pi(folder, mocked=True))] == ["spidev0.0"]


def test_what_is_not_there_is_not_held(folder):
    assert list_devices(load_profile("direct-4x4"), a_laptop(folder)) == []


def test_two_names_of_the_pins_are_one_device(folder):
    """On a Raspberry Pi 5, a newer kernel has made gpiochip4 another name of gpiochip0."""
    machine = a_pi(folder, PI_5, devices=["gpiochip0"])
    (folder / "dev/gpiochip4").symlink_to("gpiochip0")
    assert [device.name for device in list_devices(load_profile("direct-4x4"), machine)] == ["gpiochip0"]


def test_lock_is_on_the_chip_with_the_header_label(folder):
    machine = a_pi(folder, PI_5, PI_5_NO_CHIP_0, labels=PI_5_NO_CHIP_0)
    assert [device.name for device in list_devices(load_profile("direct-4x4"), machine)] == ["gpiochip15"]


@pytest.mark.parametrize("part", ["key", "buzzer", "lamps"])
def test_the_pins_are_held_for_whatever_uses_them(folder, part):
    profile = load_profile("neotrellis-4x4")
    chain = replace(load_profile("direct-4x4").chain, driver="ws281x", data_pin=18)
    other = {"key": {"key_pin": 5}, "buzzer": {"buzzer_pin": 12}, "lamps": {"chain": chain}}[part]
    profile = replace(profile, key_pin=None, buzzer_pin=None)
    told = list_devices(replace(profile, **other), a_pi(folder))
    assert [device.name for device in told] == ["gpiochip0", "i2c-1"]


def test_a_lock_that_is_taken_away_under_ones_hands_is_not_taken_for_the_lock(folder, monkeypatch):
    """Between opening the file and locking it, its last holder has removed it: another one lies there now, or none."""
    from pond_hw.drivers import board_lock

    lock, times = board_lock._lock_or_raise, []

    def slowly(opened):
        if not times:
            (folder / "lock").unlink()
        times.append(opened)
        lock(opened)

    monkeypatch.setattr(board_lock, "_lock_or_raise", slowly)
    with BoardLock([folder / "lock"], "board"):
        assert len(times) == 2
        assert (folder / "lock").exists()


@pytest.mark.parametrize(
    "written",
    [b"", b"\xff", b"[1]", b"{}", b'["x","y","z"]', b'[1e999,"y","z"]', b"[" * 300, b'[1,"\\u001b[31mred","x"]'],
    ids=repr,
)
def test_a_lock_that_says_nonsense_holds_all_the_same(folder, written):
    with BoardLock([folder / "lock"], "board"):
        (folder / "lock").write_bytes(written)
        with pytest.raises(LockHeld) as held:
            BoardLock([folder / "lock"], "board")
        assert text(held.value.message).isprintable()
        assert held.value.message.id in ("lock.holder", "lock.unknown_holder")


def test_a_link_is_no_lock(folder):
    (folder / "precious").write_text("text")
    (folder / "lock").symlink_to(folder / "precious")
    with BoardLock([folder / "lock"], "board") as hold:
        assert hold.holder_file is None
    assert (folder / "precious").read_text() == "text"


# Places


def test_the_socket_is_in_the_folder_of_the_service_or_of_the_person():
    both = {"RUNTIME_DIRECTORY": "/run/pond:/run/other", "XDG_RUNTIME_DIR": "/run/user/7"}
    assert default_socket(both) == Path("/run/pond/pond.sock")
    assert default_socket({"XDG_RUNTIME_DIR": "/run/user/7"}) == Path("/run/user/7/pond.sock")
    assert default_socket({}).name == f"pond-{os.getuid()}.sock"
    assert socket_lock_file(default_socket(both)) == Path("/run/pond/pond.sock.lock")


def test_who_connects_looks_where_the_installed_service_is_too():
    assert list_sockets({"XDG_RUNTIME_DIR": "/run/user/7"}) == [
        Path("/run/user/7/pond.sock"),
        Path("/run/pond/pond.sock"),
    ]
    assert list_sockets({"RUNTIME_DIRECTORY": "/run/pond"}) == [Path("/run/pond/pond.sock")]


@pytest.mark.parametrize("device", ["", "gpiochip0"])
def test_a_person_looks_wherever_a_service_may_have_left_its_name(device):
    service = board_lock_files(device, {"RUNTIME_DIRECTORY": "/run/pond"})
    person = board_lock_files(device, {"XDG_RUNTIME_DIR": "/run/user/7"})
    assert set(service) < set(person)


def test_each_device_has_a_file_of_its_own_for_its_holders_name():
    assert set(board_lock_files("i2c-1")).isdisjoint(board_lock_files("gpiochip0"))
    assert board_lock_files("i2c-1")[0] == Path("/run/lock/pond-i2c-1.lock")


# Tunes


def test_a_turn_is_heard_and_a_set_otherwise():
    table = ButtonTable()
    before = table.session
    assert choose_tones(before, table.play("@b2")) == TURN_TONES
    table.play("@d4 @b4 @a1 @b3")
    while not table.session.turns[-1].sets:
        before = table.session
        table.play(str(before.allowed_actions[0]))
    assert choose_tones(before, table.session) == SCORE_TONES
    assert [pitch for pitch, _ in SCORE_TONES] == sorted(pitch for pitch, _ in SCORE_TONES)


def test_a_refusal_is_heard_each_time_and_low():
    table = ButtonTable()
    table.press("b2")
    before, refused = table.session, table.press("b2")
    assert choose_tones(before, refused) == REFUSED_TONES
    assert choose_tones(refused, table.press("b2")) == REFUSED_TONES
    assert choose_tones(before, before) == choose_tones(refused, refused) == ()
    assert max(pitch for pitch, _ in REFUSED_TONES) < min(pitch for pitch, _ in TURN_TONES)


def test_the_end_is_heard_however_it_comes():
    from pond_hw.session import AgreeDraw, NewGame, ResignGame, UndoTurns

    table = ButtonTable("3x3/9/1")
    table.play("@a1")
    before = table.session
    for ending in (ResignGame, AgreeDraw):
        assert choose_tones(before, table.does(ending)) == GAME_OVER_TONES
        ended = table.session
        assert choose_tones(ended, table.does(UndoTurns)) == ()
    while not table.session.outcome:
        before = table.session
        table.play(str(before.allowed_actions[0]))
    assert choose_tones(before, table.session) == GAME_OVER_TONES
    assert len(GAME_OVER_TONES) == 3
    assert choose_tones(table.session, table.does(NewGame, variant=parse_variant("3x3/9/1"))) == ()


def test_what_is_only_seen_is_not_heard():
    from pond_hw.session import RedoTurns, ShowNotice, UndoTurns

    table = ButtonTable()
    table.play("@b2 @b3")
    before = table.session
    assert choose_tones(before, table.press("b2")) == ()  # chosen
    chosen = table.session
    assert choose_tones(chosen, table.does(ShowNotice, messages=(Message("supply.weak"),))) == ()
    assert choose_tones(chosen, table.does(UndoTurns)) == ()
    undone = table.session
    assert choose_tones(undone, table.does(RedoTurns)) == TURN_TONES


def test_a_service_plays_what_is_to_be_heard(serve):
    heard = []
    served = serve(sound=heard.append)
    served.hands.touch("b2")
    served.turns()
    served.hands.touch("b2")
    served.turns()
    served.passes(1)
    assert heard == [TURN_TONES, REFUSED_TONES]


# What wakes the loop


def test_a_bell_can_be_waited_for_and_is_silent_once_it_was_heard():
    with closing(LoopWaker()) as bell:
        poll = select.poll()
        poll.register(bell, select.POLLIN)
        assert not poll.poll(0)
        ringing = threading.Thread(target=bell.set)
        ringing.start()
        assert poll.poll(20_000)
        ringing.join()
        assert bell.is_set()
        for _ in range(20_000):
            bell.set()  # more than fits into any buffer, and nobody waits
        bell.clear()
        assert poll.poll(0)
        bell.drain()
        assert not poll.poll(0)
        assert not bell.is_set()
    bell.set()  # by a thread that has not heard of the end


def test_a_finger_wakes_the_service(serve):
    served = serve()
    served.turns()
    poll = select.poll()
    poll.register(served.bell, select.POLLIN)
    assert not poll.poll(0)
    served.hands.touch("b2")
    assert poll.poll(0)
    served.turns(1)
    assert served.played == ["@b2"]
    assert not poll.poll(0)


# The run


@contextmanager
def running(folder, ear, *command, **environment):
    """A service as a process of its own, from the first frame on; ended in any case."""
    outside = os.environ | {"NOTIFY_SOCKET": str(folder / "notify")} | environment
    process = subprocess.Popen([sys.executable, *command], env=outside, stderr=subprocess.PIPE, text=True)
    try:
        while b"READY=1" not in ear.recv(4096):
            pass
        yield process
    finally:
        process.kill()
        process.communicate()


def pond(*arguments):
    return ("-m", "pond_hw", *map(str, arguments))


MOCKED = """
import atexit, sys, time
from pathlib import Path
from tools.mock_pins import MockPins
from pond_hw.drivers.pi_machine import Machine
from pond_hw.board_factory import build_board
from pond_hw.commands import main as cli
from pond_hw.drivers import board_lock as devices
from pond_hw.server import board_run

folder = Path(sys.argv[1])

class Wire:
    def open(self): pass
    def send_bytes(self, data): (folder / "lamps").write_bytes(data)
    def close(self): (folder / "lamps are let go").touch()

def pretended(profile, now, **_):
    board = build_board(profile, now, wire=Wire())
    reader = board.sensors._reader
    read = reader.read_levels

    def read_or_hang():
        while (folder / "hang").exists():
            (folder / "hangs").touch()
            time.sleep(0.005)
        (folder / "hangs").unlink(missing_ok=True)
        return read()

    reader.read_levels = read_or_hang
    atexit.register(read_or_hang)  # as libraries do: to tidy up, on the same bus
    return board

board_run.build_board = pretended
def falls(service):
    turn = service.run_cycle
    def turn_or_fall():
        if (folder / "fall").exists():
            raise ValueError("It fell.")
        turn()
    service.run_cycle = turn_or_fall
    return service

Service = board_run.BoardService
board_run.BoardService = lambda *given, **named: falls(Service(*given, **named))
board_run.Machine = devices.Machine = lambda: Machine(folder)
devices.board_lock_files = lambda device="": [folder / f"{device}board.lock"]
with MockPins():
    sys.exit(cli.main(["serve", "--board", "direct-4x4", "--socket", str(folder / "pond.sock")]))
"""
"""`pond serve --board direct-4x4` on gpiozero's mock pins, its lamps a file. Its devices are those in
the folder `dev`. With a file `hang`, its bus hangs; with a file `fall`, its loop falls over."""


@contextmanager
def calling(path):
    """A connection to a board, as a file of lines."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(20)
        caller.connect(str(path))
        with caller.makefile("rw") as lines:
            yield lines


@pytest.mark.slow
def test_a_board_is_served_until_it_is_told_to_end_and_left_dark(folder, ear):
    with running(folder, ear, "-c", MOCKED, str(folder)) as process:
        with calling(folder / "pond.sock") as lines:
            hello, _ = json.loads(lines.readline()), lines.readline()
            lines.write('{"touch":"b2"}\n')
            lines.flush()
            state = json.loads(lines.readline())
        assert (hello["board"], hello["brightness"]) == ("direct-4x4", 0.5)
        assert state["last"]["action"] == "@b2"
        assert any((folder / "lamps").read_bytes())
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=20)
    assert process.returncode == 0
    assert (folder / "lamps").read_bytes() == bytes(48)
    assert sorted(each.name for each in folder.iterdir()) == ["lamps", "lamps are let go", "notify"]
    assert "direct-4x4: Sixteen buttons straight on the header" in log
    assert f"lamps by {text(Message('lamp_driver.spi'))}" in log
    assert "Traceback" not in log


@pytest.mark.slow
def test_it_ends_in_the_dark_while_its_sensors_hang(folder, ear):
    with running(folder, ear, "-c", MOCKED, str(folder), WATCHDOG_USEC="150000") as process:
        assert b"WATCHDOG=1" in _next(ear, b"WATCHDOG")
        _hang(folder)
        _until_silent(ear)  # systemd would end it now
        with calling(folder / "pond.sock") as lines:
            assert '"live":true' in lines.readline()  # the loop goes on
        (folder / "hang").unlink()
        assert b"WATCHDOG=1" in _next(ear, b"WATCHDOG")
        _hang(folder)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "the sensors hang and are left behind" in log
    assert (folder / "lamps").read_bytes() == bytes(48)
    assert not (folder / "pond.sock").exists()
    assert not (folder / "board.lock").exists()


@pytest.mark.slow
def test_a_loop_that_falls_over_while_the_bus_hangs_ends_with_its_reason_and_is_started_again(folder, ear):
    with running(folder, ear, "-c", MOCKED, str(folder)) as process:
        _hang(folder)
        (folder / "fall").touch()
        _, log = process.communicate(timeout=20)
    assert process.returncode == 1
    assert log.count("ValueError: It fell.") == 1
    assert "the sensors hang and are left behind" in log
    assert (folder / "lamps").read_bytes() == bytes(48)
    assert not (folder / "pond.sock").exists()
    assert not (folder / "board.lock").exists()


HELD = MOCKED.replace(
    "with MockPins():\n",
    """
from pond_hw.setup import controller
from pond_hw.profile import load_profile
def held(profile, now, **_):
    board = pretended(profile, now)
    reader = board.sensors._reader
    opened = reader.open

    def open_held():
        opened()  # the pull-ups raise all pins
        if not (folder / "let go").exists():
            for cell in sys.argv[2].split():
                pins.press_switch(wiring, cell)

    reader.open = open_held
    return board

board_run.build_board = controller.build_board = held
with MockPins() as pins:
    import threading
    wiring = load_profile("direct-4x4").sensing.wiring
    def let_go():
        while not (folder / "let go").exists():
            time.sleep(0.005)
        for cell in sys.argv[2].split():
            pins.release_switch(wiring, cell)
    threading.Thread(target=let_go, daemon=True).start()
""",
)
"""The same, while fingers hold some cells down until there is a file `let go`."""


def _heard(ear):
    """What systemd is told until the board is ready, and a little more."""
    heard = ""
    while "STATUS=" not in heard:
        heard += ear.recv(4096).decode() + "\n"
    return heard


@contextmanager
def held_down(folder, ear, cells):
    outside = os.environ | {"NOTIFY_SOCKET": str(folder / "notify"), "POND_BOARDS": str(folder / "own")}
    outside["WATCHDOG_USEC"] = "150000"
    command = [sys.executable, "-c", HELD, str(folder), cells]
    process = subprocess.Popen(command, env=outside, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_two_corners_held_at_the_start_and_let_go_begin_set_up_and_sigterm_leaves_all_as_it_was(folder, ear):
    with held_down(folder, ear, "a1 d4") as process:
        lit = folder / "lamps"
        while not (lit.exists() and any(lit.read_bytes())):
            time.sleep(0.005)
        (folder / "let go").touch()
        told = ear.recv(4096)
        while b"STATUS" not in told:
            assert told in (b"READY=1", b"WATCHDOG=1")
            told = ear.recv(4096)
        assert told.startswith(b"STATUS=direct-4x4: set-up, ")
        for _ in range(3):
            assert b"WATCHDOG=1" in _next(ear, b"WATCHDOG")
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "set-up by the lamps alone" in log
    assert "Traceback" not in log
    assert lit.read_bytes() == bytes(48)
    assert not (folder / "own").exists()
    assert not (folder / "pond.sock").exists()


@pytest.mark.slow
@pytest.mark.parametrize("cells", first_now_rest_long(["a1 d4 b2", "a1", ""]))
def test_anything_else_that_is_held_at_the_start_is_an_ordinary_start(folder, ear, cells):
    with held_down(folder, ear, cells):
        told = _heard(ear)
    assert "STATUS=direct-4x4: standard, turn 1, light to move." in told
    assert not (folder / "own").exists()


@pytest.mark.long
def test_who_ends_it_while_the_corners_are_still_held_is_obeyed(folder, ear):
    with held_down(folder, ear, "a1 d4") as process:
        while not (folder / "lamps").exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=20)
    assert (process.returncode, "Traceback" in log) == (0, False)
    assert (folder / "lamps").read_bytes() == bytes(48)
    assert not (folder / "pond.sock").exists()


def _next(ear, what):
    while what not in (heard := ear.recv(4096)):
        pass
    return heard


def _hang(folder):
    """From now on whoever reads the sensors gets no answer."""
    (folder / "hang").touch()
    while not (folder / "hangs").exists():
        time.sleep(0.005)


def _until_silent(ear):
    """Until no sign of life has come for six times as long as one may take."""
    ear.settimeout(0.3)
    with suppress(TimeoutError):
        while True:
            ear.recv(4096)
    ear.settimeout(20)


@pytest.mark.slow
def test_who_wants_to_serve_the_board_too_is_told_who_does(folder, ear, monkeypatch, capsys):
    from pond_hw.server import board_run

    monkeypatch.setattr(board_lock, "Machine", lambda: Machine(folder))
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    monkeypatch.setattr(board_run, "build_board", lambda profile, now, **_: None)  # nothing comes near it
    with running(folder, ear, "-c", MOCKED, str(folder)) as process:
        for arguments in (
            ("serve", "--board", "hall-4x4", "--socket", str(folder / "other.sock")),
            ("dark", "--board", "direct-4x4"),
        ):
            assert main.main(arguments) == 2
            holder = Message("lock.holder", board="direct-4x4", process=process.pid, since="<when>")
            said = re.escape(f"pond: {text(Message('board.has_server', holder=holder))}\n")
            assert re.fullmatch(said.replace("<when>", ".{16}"), capsys.readouterr().err)
        assert process.poll() is None
        with calling(folder / "pond.sock") as lines:
            assert '"direct-4x4"' in lines.readline()
    assert (folder / "board.lock").exists()  # it was killed
    with BoardLock([folder / "board.lock"], "next") as hold:
        assert hold.holder_file


@pytest.mark.slow
@pytest.mark.parametrize("board", first_now_rest_long(["direct-4x4", "hall-4x4"]))
def test_another_user_cannot_serve_the_board_too(folder, ear, monkeypatch, capsys, board):
    """Both may open the board's devices. Nothing else that one of them writes or holds the other need see."""
    from pond_hw.server import board_run

    done = []
    (folder / "other").mkdir()
    a_pi(folder)
    monkeypatch.setattr(board_lock, "Machine", lambda: Machine(folder))
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / "other" / f"{device}board.lock"])
    monkeypatch.setattr(board_run, "build_board", lambda profile, now, **_: done.append("served"))
    monkeypatch.setattr(board_run, "build_lamps", lambda profile, now: closing(done.append("lamps")))
    with running(folder, ear, "-c", MOCKED, str(folder)):
        assert (folder / "gpiochip0board.lock").exists()
        serving = ("serve", "--board", board, "--socket", str(folder / "other.sock"))
        for arguments in (serving, ("dark", "--board", board)):
            assert main.main(arguments) == 2
            message = Message("board.has_server", holder=Message("lock.unknown_holder"))
            assert capsys.readouterr().err == f"pond: {text(message)}\n"
        assert done == ["served"]  # made, and never opened
        assert list((folder / "other").iterdir()) == []


def test_what_may_not_be_opened_is_left_to_the_driver_and_the_rest_is_held(folder, monkeypatch):
    machine = a_pi(folder, devices=["spidev0.0"])
    monkeypatch.setattr(board_lock, "Machine", lambda: machine)
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(folder / "dev/gpiochip0"))  # which even root cannot open
        with board_lock.lock_board(load_profile("direct-4x4")):
            assert [file.name for file in folder.glob("*.lock")] == ["spidev0.0board.lock"]
        (folder / "dev/spidev0.0").unlink()
        with board_lock.lock_board(load_profile("direct-4x4")):
            assert [file.name for file in folder.glob("*.lock")] == ["board.lock"]


def test_who_cannot_hold_all_of_a_board_holds_nothing_of_it(folder, monkeypatch):
    machine = a_pi(folder)
    monkeypatch.setattr(board_lock, "Machine", lambda: machine)
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    pins = folder / "dev/gpiochip0"
    held = raises(BoardFault, "board.has_server", holder=Message("lock.unknown_holder"))
    with BoardLock([], "another", folder / "dev/spidev0.0"), held:
        board_lock.lock_board(load_profile("direct-4x4"))
    with BoardLock([folder / "gpiochip0board.lock"], "next", pins) as hold:
        assert hold.holder_file


@pytest.mark.slow
def test_a_socket_serves_one_board_and_what_a_killed_service_left_is_taken_over(folder, ear):
    path = folder / "pond.sock"
    with running(folder, ear, *pond("serve", "--board", "simulated-4x4", "--socket", path)) as process:
        second = subprocess.run(
            [sys.executable, *pond("serve", "--board", "simulated-5x5", "--socket", path)],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        assert second.returncode == 2
        holder = Message("lock.holder", board="simulated-4x4", process=process.pid, since="<when>")
        before, _, after = text(Message("socket.has_server", path=str(path), holder=holder)).partition("<when>")
        assert second.stderr.startswith(f"pond: {before}")
        assert second.stderr.endswith(f"{after}\n")
        assert second.stderr.count("\n") == 1
        with calling(path) as lines:
            assert '"simulated-4x4"' in lines.readline()
        process.kill()
        process.wait()
    assert path.exists()
    with running(folder, ear, *pond("serve", "--board", "simulated-5x5", "--socket", path)) as process:
        with calling(path) as lines:
            assert '"simulated-5x5"' in lines.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert not path.exists()


@pytest.mark.parametrize("fault", [OSError(5, "Input/output error"), PondError("Impossible.")], ids=repr)
def test_a_loop_that_falls_over_is_no_fault_of_a_persons_and_is_started_again(monkeypatch, fault):
    """Exit code 2 would keep systemd from starting it again."""
    from pond_hw.server import board_run

    class Falling:
        start_serving = staticmethod(lambda: None)

        @staticmethod
        def run_cycle():
            raise fault

    with closing(LoopWaker()) as bell, pytest.raises(RuntimeError, match="has failed"):
        board_run._run_loop(Falling, bell, [], load_profile("simulated-4x4"))
    assert signal.set_wakeup_fd(-1) == -1


TWICE = """
import signal, sys
from contextlib import closing
from pond_hw.profile import load_profile
from pond_hw.server import board_run
from pond_hw.server.loop_waker import LoopWaker

def again(frame, event, argument):
    # at each line that the first signal runs from here on, there is another one
    global left
    if event == "line" and left:
        left -= 1
        signal.raise_signal(signal.SIGHUP)
    return again

left = 30
with closing(LoopWaker()) as bell:
    class Traced:
        start_serving = staticmethod(lambda: None)

        @staticmethod
        def run_cycle():
            sys.settrace(again)
            signal.raise_signal(signal.SIGTERM)
            sys.settrace(None)
    board_run._run_loop(Traced, bell, board_run.catch_end_signals(), load_profile("simulated-4x4"))
"""


EARLY = """
import signal, sys
from pathlib import Path
from pond_hw.server import board_run
from pond_hw.profile import load_profile
from pond_hw.rules import parse_variant

build_board = board_run.build_board
def told_meanwhile(*arguments, **options):
    signal.raise_signal(signal.SIGTERM)
    return build_board(*arguments, **options)

board_run.build_board = told_meanwhile
board_run.BoardRun(load_profile("simulated-4x4"), parse_variant("standard"), (None, None), Path(sys.argv[1])).run()
print("let go")
"""


@pytest.mark.long
def test_who_ends_it_while_it_starts_is_obeyed_as_soon_as_it_can_let_go(folder):
    command = [sys.executable, "-c", EARLY, str(folder / "pond.sock")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (0, "let go\n")
    assert not (folder / "pond.sock").exists()


@pytest.mark.slow
def test_a_signal_within_a_signal_ends_it_too():
    """A terminal that closes tells its programs once, and its shell may once more."""
    assert subprocess.run([sys.executable, "-c", TWICE], timeout=20, check=False).returncode == 0


@pytest.mark.parametrize(("source", "own"), [("pi", False), ("own", True)])
def test_a_profile_says_whether_its_lamps_have_a_supply_of_their_own(folder, monkeypatch, source, own):
    from pond_hw.server import board_run

    told = []
    monkeypatch.setattr(board_run, "_run_loop", lambda service, *_: told.append(service._supply_monitor._own_supply))
    profile = load_profile("simulated-4x4")
    profile = replace(profile, supply=replace(profile.supply, source=source))
    board_run.BoardRun(profile, parse_variant("standard"), (None, None), folder / "pond.sock").run()
    assert told == [own]


def test_sensors_that_are_known_to_be_bad_are_masked_from_the_beginning():
    from pond_hw.server import board_run

    sensing = load_profile("hall-4x4").sensing
    assert board_run._initial_board_state(sensing).sensors.masked_cells == frozenset()
    assert board_run._initial_board_state(replace(sensing, bad_cells=frozenset({"b3", "c1"}))).sensors.masked_cells == {
        "b3",
        "c1",
    }


def test_why_what_was_measured_does_not_count_is_in_the_log(folder, monkeypatch, caplog):
    from pond_hw.server import board_run

    monkeypatch.setattr(board_run, "_run_loop", lambda *_: None)
    profile = load_profile("simulated-4x4")
    for aside, warned in (("", []), ("It is left aside.", ["It is left aside."])):
        caplog.clear()
        with caplog.at_level("WARNING", "pond"):
            board_run.BoardRun(
                replace(profile, calibration_warning=aside),
                parse_variant("standard"),
                (None, None),
                folder / "pond.sock",
            ).run()
        assert [record.message for record in caplog.records] == warned


def put(data):
    return lambda path: path.write_bytes(data)


SPOILED = {
    "empty": put(b""),
    "zeros": put(bytes(4096)),
    "noise": put(bytes(range(256)) * 20),
    "nested": put(b"[" * 100_000),
    "folder": lambda path: (path.mkdir(), (path / "in it").touch()),
    "pipe": os.mkfifo,
}
"""Ways to damage a file."""

READ_AT_START = (
    *("boards/simulated-4x4.measured.toml", "boards/simulated-4x4.setup.json", "s.starts", "s.lock"),
    *("games/players.json", "games/exercises.json", "games/lessons/1-mine.toml"),
    *("games/journal-1.db", "games/journal-2.bad", "games/journal-3.db-wal", "games/cards/journal-1.db"),
)
"""Files that a served board reads or opens at its start."""


@pytest.mark.slow
@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_no_spoilt_file_keeps_a_board_from_starting(folder, ear, spoil):
    for name in READ_AT_START:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        spoil(folder / name)
    command = pond("serve", "--board", "simulated-4x4", "--socket", folder / "s", "--journal", folder / "games")
    with running(folder, ear, *command, POND_BOARDS=str(folder / "boards")) as process:
        with closing(socket.socket(socket.AF_UNIX)) as client, client.makefile("rwb") as lines:
            client.settimeout(10)
            client.connect(str(folder / "s"))
            heard = [json.loads(lines.readline()) for _ in range(2)]
            assert [each["type"] for each in heard] == ["hello", "state"]
            assert "board.unmeasured" in [message["id"] for message in heard[1]["said"]]
            lines.write(b'{"touch":"a1"}\n')
            lines.flush()
            while json.loads(lines.readline())["turn"] != 1:
                pass
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=10)
    assert process.returncode == 0
    for name in ("simulated-4x4.measured.toml", "players.json", "exercises.json", "1-mine.toml"):
        assert name in log
    assert "Traceback" not in log
    assert [len(game.projection.turns) for game in journal_folder.read_all_games(folder / "games")[0]] == [1]


@pytest.mark.parametrize("begins", ["before the start", "later"])
def test_state_folder_that_is_not_writable_is_logged_once_and_when_it_heals(tmp_path, monkeypatch, caplog, begins):
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY

    def refuse(*_):
        raise error

    caplog.set_level("WARNING", "pond")
    if begins == "before the start":
        monkeypatch.setattr(journal_folder, "acquire_lock", refuse)
    served = Served(tmp_path, games=tmp_path / "games")
    monkeypatch.setattr(JournalStore, "append_games", refuse)
    served.hands.touch("a1")
    served.passes(9.0, 0.5)
    monkeypatch.undo()
    served.passes(9.0, 0.5)
    served.close()
    unsaved = text(Message("saving.read_only"))
    assert [record.message for record in caplog.records] == [unsaved, "all is saved again"]


# What is missing is told


NO_PI = Message("machine.no_pi", profile="direct-4x4", instead=Message("machine.instead"))
LACKS = {
    "laptop": (None, NO_PI),
    "no gpio": ({"devices": ["spidev0.0"]}, Message("gpio.no_device", device="/dev/gpiochip0")),
    "gpio denied": ({"denied": ["gpiochip0"]}, Message("device.group", device="/dev/gpiochip0", group="gpio")),
    "spi off": ({"devices": ["gpiochip0"], "spi": "disabled"}, Message("spi.off", device="/dev/spidev0.0")),
    "no package": ({}, describe_missing_package("spidev", "spidev")),
    "no spidev": ({"devices": ["gpiochip0"]}, Message("spi.no_device", device="/dev/spidev0.0")),
    "spi denied": ({"denied": ["spidev0.0"]}, Message("device.group", device="/dev/spidev0.0", group="spi")),
}


@pytest.mark.parametrize("lack", LACKS)
def test_what_a_machine_lacks_is_one_line_and_exit_code_2(folder, monkeypatch, capsys, lack):
    monkeypatch.setitem(sys.modules, "spidev", None if lack == "no package" else ModuleType("spidev"))
    made, message = LACKS[lack]
    machine = a_laptop(folder) if made is None else a_pi(folder, **made)
    monkeypatch.setattr("pond_hw.board_factory.Machine", lambda: machine)
    assert main.main(["serve", "--board", "direct-4x4", "--socket", str(folder / "pond.sock")]) == 2
    assert capsys.readouterr() == ("", f"pond: {text(message)}\n")
    assert not (folder / "pond.sock").exists()


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize("command", ["serve", "dark"])
def test_on_a_laptop_each_command_says_what_works_there(folder, monkeypatch, capsys, command, installed):
    monkeypatch.setitem(sys.modules, "spidev", ModuleType("spidev") if installed else None)
    for module in (board_factory, board_run, board_lock):
        monkeypatch.setattr(module, "Machine", lambda: a_laptop(folder))
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    assert main.main([command, "--board", "direct-4x4"]) == 2
    assert capsys.readouterr().err == f"pond: {text(NO_PI)}\n"


def test_a_busy_line_is_one_sentence_and_the_lamps_are_left_dark(folder, monkeypatch, capsys):
    def taken(*_, **__):
        raise OSError("GPIO busy")

    profile = (BOARDS_FOLDER / "direct-4x4.toml").read_text()
    for line, instead in (('driver = "auto".*', 'driver = "simulated"'), ("pin = 10.*", "")):
        profile = re.sub(rf"(?m)^{line}$", instead, profile)
    (folder / "mine.toml").write_text(profile)
    machine = a_pi(folder)
    monkeypatch.setattr("pond_hw.board_factory.Machine", lambda: machine)
    monkeypatch.setattr(board_lock, "Machine", lambda: machine)
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    with MockPins():
        monkeypatch.setattr("gpiozero.InputDevice", taken)
        code = main.main(["serve", "--board", str(folder / "mine.toml"), "--socket", str(folder / "pond.sock")])
    told = capsys.readouterr().err
    assert code == 2
    assert told == f"pond: {text(Message('pin.busy', user='a1', pins=('12',), count=1))}\n"
    assert not list(folder.glob("*.lock"))
    assert not (folder / "pond.sock").exists()


def why_not(board):
    """Why a board cannot be loaded."""
    with pytest.raises(PondError) as refused:
        load_profile(board)
    return text(refused.value.message)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serve", "--board", "nowhere"], why_not("nowhere")),
        (
            ["serve", "--board", "simulated-4x4", "--variant", "big"],
            text(Message("variant.does_not_fit", variant="big", size=5, board=4)),
        ),
        (
            ["serve", "--board", "simulated-4x4", "--socket", "/no/such/folder/s"],
            text(Message("socket.unusable", path="/no/such/folder/s", text="No such file or directory")),
        ),
        (
            ["serve", "--board", "simulated-4x4", "--socket", "/"],
            text(Message("socket.other_file", path="/")),
        ),
        (["serve"], "--board"),
        (["dark", "--board", "nowhere"], why_not("nowhere")),
        (["boards", "nowhere"], why_not("nowhere")),
        (["boards", "/no/such/board.toml"], why_not("/no/such/board.toml")),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_what_a_person_can_mend_is_one_sentence_and_exit_code_2(capsys, arguments, words):
    try:
        code = main.main(arguments)
    except SystemExit as stop:
        code = stop.code
    out, told = capsys.readouterr()
    assert (code, out) == (2, "")
    assert words in told
    assert "Traceback" not in told


def test_lamps_in_memory_need_not_be_put_out(capsys):
    assert main.main(["dark", "--board", "simulated-4x4"]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_lamps_of_a_board_are_put_out_whatever_its_sensors_lack(folder, monkeypatch):
    from pond_hw.server import board_run

    done = []

    class Lamps:
        def open(self):
            done.append("open")

        def close(self):
            done.append("close")

    monkeypatch.setattr(board_lock, "Machine", lambda: a_laptop(folder))
    monkeypatch.setattr(board_lock, "board_lock_files", lambda device="": [folder / f"{device}board.lock"])
    monkeypatch.setattr(board_run, "build_lamps", lambda profile, now: Lamps())
    monkeypatch.setenv("POND_BOARDS", str(folder))
    (folder / "hall-4x4.measured.toml").write_text("broken", encoding="utf-8")  # nor what was measured on them
    assert main.main(["dark", "--board", "hall-4x4"]) == 0
    assert done == ["open", "close"]  # opening them darkens them, and so does closing
    assert main.main(["boards", "hall-4x4"]) == 0


# What boards there are


def test_the_boards_are_listed_a_line_each(capsys):
    assert main.main(["boards"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(list_shipped())
    assert "direct-4x4      Sixteen buttons straight on the header, a lamp under each" in lines


@pytest.mark.parametrize("board", list_shipped())
def test_a_board_is_told_in_a_few_lines(board, folder):
    lines = describe_profile(board, a_pi(folder))
    assert lines[0] == f"{board}: {load_profile(board).title}"
    assert 5 <= len(lines) <= 8
    assert lines[-1].startswith("here ")
