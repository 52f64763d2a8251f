"""Tells systemd that the service is ready, what it is doing, and that it is alive.

Without systemd nobody listens, and nothing is said.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress


class SystemdNotifier:
    """Sends notifications to systemd, if it asked for them.

    Args:
        environment: holds NOTIFY_SOCKET, where to tell, and WATCHDOG_USEC, how long silence is borne.

    Attributes:
        watchdog_seconds: from one sign of life to the next, in seconds; 0 if nobody watches.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        socket_name = environment.get("NOTIFY_SOCKET", "")
        self._address = f"\0{socket_name[1:]}" if socket_name.startswith("@") else socket_name
        watchdog_usec, watchdog_pid = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
        is_ours = watchdog_pid in ("", str(os.getpid()))
        self.watchdog_seconds = int(watchdog_usec) / 3e6 if watchdog_usec.isdecimal() and is_ours else 0.0

    def send_lines(self, *lines: str) -> None:
        """Say something, such as `READY=1`. It must never hold up the board, so what is not heard at once is lost."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify_socket:
                notify_socket.setblocking(False)
                notify_socket.sendto("\n".join(lines).encode(), self._address)


class WatchdogHeartbeat:
    """Tells systemd that all goes on, as long as it does: the sensors are read, the lamps are driven.

    Args:
        systemd_notifier: whom to tell.
    """

    def __init__(self, systemd_notifier: SystemdNotifier) -> None:
        self._systemd = systemd_notifier
        self._due = 0.0
        self._told = (0, 0)

    def beat_if_alive(self, now: float, sensor_polls: int, lamp_drives: int) -> None:
        """Send a sign of life if sensors and lamps have been active since the last one.

        Args:
            now: the instant, in seconds.
            sensor_polls: how often the sensors have been read.
            lamp_drives: how often the lamps have been driven.
        """
        if not self._systemd.watchdog_seconds or now < self._due:
            return
        self._due = now + self._systemd.watchdog_seconds
        if sensor_polls > self._told[0] and lamp_drives > self._told[1]:
            self._systemd.send_lines("WATCHDOG=1")
            self._told = (sensor_polls, lamp_drives)
