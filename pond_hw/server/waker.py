"""What wakes the loop of a service, and what ends it."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import suppress


class LoopWaker(threading.Event):
    """What the companion rings when something has arrived, so that it can be waited for together with sockets."""

    def __init__(self) -> None:
        super().__init__()
        self._read_end, self.write_end = socket.socketpair()
        for socket_end in (self._read_end, self.write_end):
            socket_end.setblocking(False)

    def fileno(self) -> int:
        """What becomes readable."""
        return self._read_end.fileno()

    def set(self) -> None:
        """Ring, from any thread."""
        super().set()
        with suppress(OSError):  # it rings already, or nobody listens any more
            self.write_end.send(b"\0")

    def drain(self) -> None:
        """Take what made it readable; for whoever waits for that, right after it came."""
        with suppress(BlockingIOError):
            while self._read_end.recv(4096):
                pass

    def close(self) -> None:
        """Ring no more."""
        self._read_end.close()
        self.write_end.close()


def catch_end_signals() -> list[int]:
    """The signals that have come to end this process: SIGTERM, Ctrl-C, a terminal that closes. None so far.

    It is no threading.Event: a signal within a signal would wait for its lock without end.
    """
    received_signals: list[int] = []
    for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(signal_number) is not signal.SIG_IGN:
            signal.signal(signal_number, lambda signal_number, _: received_signals.append(signal_number))
    return received_signals
