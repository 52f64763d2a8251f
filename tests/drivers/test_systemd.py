"""What systemd is told, and the watchdog."""

import os
import socket
import sys

import pytest

from pond_hw.board import HealthEvent
from pond_hw.drivers.systemd import SystemdNotifier, WatchdogHeartbeat
from pond_hw.messages.message import Message
from pond_hw.simulator import SimulatedLamps
from tests.messages.says import text
from tests.server.served import Told


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
