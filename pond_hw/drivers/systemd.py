"""Notifications to systemd: ready, status, watchdog. Without systemd, nothing is sent."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress


class SystemdNotifier:
    """Sender of notifications to systemd, if it requested them.

    Attributes:
        watchdog_seconds: seconds between watchdog messages; 0 without a watchdog.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        socket_name = environment.get("NOTIFY_SOCKET", "")
        self._address = f"\0{socket_name[1:]}" if socket_name.startswith("@") else socket_name
        watchdog_usec, watchdog_pid = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
        is_ours = watchdog_pid in ("", str(os.getpid()))
        self.watchdog_seconds = int(watchdog_usec) / 3e6 if watchdog_usec.isdecimal() and is_ours else 0.0

    def send_lines(self, *lines: str) -> None:
        """Send lines such as `READY=1`. A message that would block is dropped: it must never delay the board."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify_socket:
                notify_socket.setblocking(False)
                notify_socket.sendto("\n".join(lines).encode(), self._address)


class WatchdogHeartbeat:
    """Watchdog messages to systemd, sent while sensors are read and lamps are driven."""

    def __init__(self, systemd_notifier: SystemdNotifier) -> None:
        self._systemd = systemd_notifier
        self._due = 0.0
        self._last_counts = (0, 0)

    def beat_if_alive(self, now: float, sensor_polls: int, lamp_drives: int) -> None:
        """Send a watchdog message if the counts of sensor readings and frames have grown since the last one."""
        if not self._systemd.watchdog_seconds or now < self._due:
            return
        self._due = now + self._systemd.watchdog_seconds
        if sensor_polls > self._last_counts[0] and lamp_drives > self._last_counts[1]:
            self._systemd.send_lines("WATCHDOG=1")
            self._last_counts = (sensor_polls, lamp_drives)
