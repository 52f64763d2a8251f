"""Tests of notifications to systemd, and of the watchdog."""

import os
import socket
import sys

import pytest

from pond_hw.board import HealthEvent
from pond_hw.drivers.systemd import SystemdNotifier, WatchdogHeartbeat
from pond_hw.messages.message import Message
from pond_hw.simulator import SimulatedLamps
from tests.messages.says import text
from tests.server.served import FakeNotifier


def test_message_lines_reach_systemd(notify_socket, folder):
    SystemdNotifier({"NOTIFY_SOCKET": str(folder / "notify")}).send_lines("READY=1", "STATUS=a é")
    assert notify_socket.recv(100).decode() == "READY=1\nSTATUS=a é"


def test_abstract_address_starts_with_at_sign():
    if sys.platform != "linux":
        pytest.skip("only Linux has abstract sockets")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        name = f"pond-test-{os.getpid()}"
        heard.bind(f"\0{name}")
        SystemdNotifier({"NOTIFY_SOCKET": f"@{name}"}).send_lines("READY=1")
        assert heard.recv(100) == b"READY=1"


def test_missing_or_unresponsive_systemd_is_ignored(notify_socket, folder):
    SystemdNotifier({}).send_lines("READY=1")
    SystemdNotifier({"NOTIFY_SOCKET": str(folder / "nobody")}).send_lines("READY=1")
    unread_notifier = SystemdNotifier({"NOTIFY_SOCKET": str(folder / "notify")})
    for _ in range(2000):
        unread_notifier.send_lines("x" * 1000)  # its buffer fills up long before, and the sender must not wait


def test_watchdog_interval_is_a_third_of_its_timeout():
    assert SystemdNotifier({"WATCHDOG_USEC": "3000000"}).watchdog_seconds == 1.0
    assert SystemdNotifier({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(os.getpid())}).watchdog_seconds == 1.0
    assert SystemdNotifier({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}).watchdog_seconds == 0
    assert SystemdNotifier({"WATCHDOG_USEC": "soon"}).watchdog_seconds == 0
    assert SystemdNotifier({}).watchdog_seconds == 0


def test_watchdog_needs_sensor_and_lamp_progress():
    notifier = FakeNotifier(watchdog=1.0)
    heartbeat = WatchdogHeartbeat(notifier)
    sent = []
    for now, sensors, lamps in (
        (0.0, 1, 1),  # the first time
        (0.9, 9, 9),  # not due
        (1.0, 9, 9),  # yes
        (2.0, 9, 20),  # the sensors hang
        (3.0, 30, 20),  # the sensors work again
        (4.0, 40, 20),  # the lamps hang
        (5.0, 40, 20),
        (6.0, 50, 21),
    ):
        before = len(notifier.lines)
        heartbeat.beat_if_alive(now, sensors, lamps)
        sent.append(len(notifier.lines) > before)
    assert sent == [True, False, True, False, True, False, False, True]
    assert set(notifier.lines) == {"WATCHDOG=1"}


def test_no_messages_are_sent_without_watchdog():
    notifier = FakeNotifier()
    WatchdogHeartbeat(notifier).beat_if_alive(1.0, 5, 5)
    assert notifier.lines == []


def test_ready_is_sent_after_first_frame(serve, monkeypatch):
    notifier = FakeNotifier()
    monkeypatch.setattr(SimulatedLamps, "show", lambda *_: notifier.send_lines("a frame"))
    serve(systemd=notifier)
    assert notifier.lines[:2] == ["a frame", "READY=1"]


def test_status_is_sent_at_most_once_a_second(serve):
    notifier = FakeNotifier()
    served = serve(systemd=notifier)
    assert notifier.lines == ["READY=1", "STATUS=a-board: standard, turn 1, light to move."]
    notifier.lines.clear()
    for cell in ("b2", "c3", "d4"):
        served.hands.touch(cell)
        served.advance(0.2)
    assert notifier.lines == []
    served.advance(1)
    assert notifier.lines == ["STATUS=a-board: standard, turn 4, dark to move."]
    trouble = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
    served.companion.put(HealthEvent(trouble, 2.0))
    served.advance(1.1)
    assert notifier.lines[-1] == f"STATUS=a-board: {text(trouble)}"
    served.companion.put(HealthEvent(None, 3.0))
    served.connect().request({"command": "resign"})
    served.advance(1.1)
    outcome = text(Message("outcome.resignation", winner="light", loser="dark"))
    assert notifier.lines[-1] == f"STATUS=a-board: {outcome}"
    served.service.close()
    assert notifier.lines[-1] == "STOPPING=1"


def test_hung_sensors_stop_watchdog_messages(serve, monkeypatch):
    notifier = FakeNotifier(watchdog=1.0)
    served = serve(systemd=notifier)
    served.advance(3)
    assert notifier.lines.count("WATCHDOG=1") >= 3
    notifier.lines.clear()
    monkeypatch.setattr(type(served.hands), "poll_count", 7)
    served.advance(1.5)
    notifier.lines.clear()
    served.advance(10)
    assert "WATCHDOG=1" not in notifier.lines
