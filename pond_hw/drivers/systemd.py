"""What systemd wants to hear of a service: that it is ready, what it is doing, and that it has not stopped.

Without systemd nobody listens, and nothing is said.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress


class SystemdNotifier:
    """Whoever started this process, if it wants to be told.

    Args:
        environment: holds NOTIFY_SOCKET, where to tell, and WATCHDOG_USEC, how long silence is borne.

    Attributes:
        watchdog_seconds: from one sign of life to the next, in seconds; 0 if nobody watches.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        told = environment.get("NOTIFY_SOCKET", "")
        self._address = f"\0{told[1:]}" if told.startswith("@") else told
        borne, meant = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
        ours = meant in ("", str(os.getpid()))
        self.watchdog_seconds = int(borne) / 3e6 if borne.isdecimal() and ours else 0.0

    def send_lines(self, *lines: str) -> None:
        """Say something, such as `READY=1`. It must never hold up the board, so what is not heard at once is lost."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
                ear.setblocking(False)
                ear.sendto("\n".join(lines).encode(), self._address)


class WatchdogHeartbeat:
    """Tells systemd that all goes on, as long as it does: the sensors are read, the lamps are driven.

    Args:
        systemd: whom to tell.
    """

    def __init__(self, systemd: SystemdNotifier) -> None:
        self._systemd = systemd
        self._due = 0.0
        self._told = (0, 0)

    def beat_if_alive(self, now: float, sensors: int, lamps: int) -> None:
        """The loop went round once more.

        Args:
            now: the instant, in seconds.
            sensors: how often the sensors have been read.
            lamps: how often the lamps have been driven.
        """
        if not self._systemd.watchdog_seconds or now < self._due:
            return
        self._due = now + self._systemd.watchdog_seconds
        if sensors > self._told[0] and lamps > self._told[1]:
            self._systemd.send_lines("WATCHDOG=1")
            self._told = (sensors, lamps)
