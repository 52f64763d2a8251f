"""Wakes the loop of a service, and collects the signals that end it."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import suppress


class LoopWaker(threading.Event):
    """An event that can be waited for together with sockets: the companion sets it when something has arrived."""

    def __init__(self) -> None:
        super().__init__()
        self._read_end, self.write_end = socket.socketpair()
        for socket_end in (self._read_end, self.write_end):
            socket_end.setblocking(False)

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable."""
        return self._read_end.fileno()

    def set(self) -> None:
        """Wake the loop, from any thread."""
        super().set()
        with suppress(OSError):  # it is set already, or the loop has ended
            self.write_end.send(b"\0")

    def drain(self) -> None:
        """Read what made it readable."""
        with suppress(BlockingIOError):
            while self._read_end.recv(4096):
                pass

    def close(self) -> None:
        """Close both ends."""
        self._read_end.close()
        self.write_end.close()


def catch_end_signals() -> list[int]:
    """Return a list that fills with the signals that end this process: SIGTERM, Ctrl-C, a closed terminal.

    It is no threading.Event: a signal within a signal would wait for its lock without end.
    """
    received_signals: list[int] = []
    for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(signal_number) is not signal.SIG_IGN:
            signal.signal(signal_number, lambda signal_number, _: received_signals.append(signal_number))
    return received_signals
