"""What wakes the loop of a service."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class LoopWaker(threading.Event):
    """What the companion rings when something has arrived, so that it can be waited for together with sockets."""

    def __init__(self) -> None:
        super().__init__()
        self._read_end, self.write_end = socket.socketpair()
        for end in (self._read_end, self.write_end):
            end.setblocking(False)

    def fileno(self) -> int:
        """What becomes readable."""
        return self._read_end.fileno()

    def set(self) -> None:
        """Ring, from any thread."""
        super().set()
        with suppress(OSError):  # it rings already, or nobody listens any more
            self.write_end.send(b"\0")

    def clear(self) -> None:
        """Be silent again."""
        with suppress(BlockingIOError):
            while self._read_end.recv(4096):
                pass
        super().clear()

    def close(self) -> None:
        """Ring no more."""
        self._read_end.close()
        self.write_end.close()
