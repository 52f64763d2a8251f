"""The real firmware behind a pseudo-terminal, in simulated time or in a thread."""

import fcntl
import os
import select
import sys
import termios
import threading
import time
import tty
from contextlib import suppress
from pathlib import Path

FIRMWARE = Path(__file__).parents[2] / "firmware" / "pico"
sys.path.insert(0, str(FIRMWARE))

from pond_board import PondBoard  # noqa: E402 - it lies outside the package


class Pico:
    """A Pico with some sensors, on a cable that can be unplugged.

    Attributes:
        down: numbers of the inputs that are down; None if its sensor chips do not answer.
        lit: current frame.
        delay: delay of its answers in seconds.
        cut_after_sent: number of bytes that it can send before the cable is unplugged; None if unlimited.
        cut_after_received: the same for received bytes.
        is_receiving: True if it receives lines.
        received_count, sent_count: number of received and sent bytes.
        in_flight: number of bytes on their way from the host. Simulated time waits for them, because a pseudo-terminal takes
            real time. None in real time.
    """

    def __init__(self, config_text, now):
        self.config_text, self._now = config_text, now
        self.down, self.lit = set(), b""
        self.delay, self.cut_after_sent, self.cut_after_received, self.is_receiving = 0.0, None, None, True
        self.received_count, self.sent_count, self.in_flight = 0, 0, None
        self.restarts, self.steps, self._waiting = 0, 0, []
        self._master = self._slave = None
        self.plug_in()

    # --- cable

    def ports(self):
        """Return the ports that a host finds."""
        return [os.ttyname(self._slave)] if self._slave is not None else []

    def plug_in(self):
        """Plug the cable in, which starts the board."""
        if self._master is None:
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            self.restart()

    def pull(self):
        """Unplug the cable. The port vanishes, and the Pico loses power."""
        if self._master is not None:
            os.close(self._slave)
            os.close(self._master)
            self._master = self._slave = None
            self.lit, self._waiting = bytes(len(self.lit)), []
            self.in_flight = None if self.in_flight is None else 0

    close = pull

    # --- hardware for pond_board

    def restart(self):
        """Start as after power-on or a watchdog reset."""
        self.restarts += 1
        self._waiting = []
        self.board = PondBoard(self, self.config_text, self.restarts * 1000)
        self._began = self._now()

    def save_config(self, text):
        self.config_text = bytes(text)

    def read_levels(self):
        if self.down is None:
            raise OSError(5)
        return sum(1 << number for number in self.down)

    def light(self, data):
        self.lit = bytes(data)

    def receive(self):
        if self._master is None:
            return b""
        if self.in_flight:
            select.select([self._master], [], [], 1.0)
        with suppress(OSError):  # the port is not open
            data = os.read(self._master, 64 if self.cut_after_received is None else min(64, self.cut_after_received))
            self.received_count += len(data)
            if self.in_flight is not None:
                self.in_flight = max(0, self.in_flight - len(data))
            if self.cut_after_received is not None:
                self.cut_after_received -= len(data)
                if not self.cut_after_received:
                    self.cut_after_received = None
                    self.pull()
                    return b""
            return data if self.is_receiving else b""
        return b""

    def send(self, data):
        data = bytes(data)
        self.sent_count += len(data)
        self._waiting.append((self._now() + self.delay, data))
        return len(data)

    def _deliver(self):
        while self._waiting and self._waiting[0][0] <= self._now():
            _, data = self._waiting.pop(0)
            if self.cut_after_sent is not None:
                data, rest = data[: self.cut_after_sent], data[self.cut_after_sent :]
                self.cut_after_sent -= len(data)
                if rest or not self.cut_after_sent:
                    self._write(data)
                    self.cut_after_sent = None
                    self.pull()
                    return
            self._write(data)

    def _write(self, data):
        if self._master is not None:
            before = self._unread()
            with suppress(OSError):
                os.write(self._master, data)
            give_up_at = time.monotonic() + 1.0
            while self.in_flight is not None and self._unread() < before + len(data) and time.monotonic() < give_up_at:
                time.sleep(0)

    def _unread(self):
        """Number of bytes that the host has not read yet."""
        return int.from_bytes(fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4)), sys.byteorder)

    def send_garbage(self, data):
        """Send garbage to the host."""
        self._write(data)

    # --- time

    def step(self):
        """Run the firmware's loop once."""
        self.steps += 1
        if self._master is not None:
            self.board.step(round((self._now() - self._began) * 1000))
            self._deliver()


def in_simulated_time(picos, patch):
    """Make boards wait for the host's bytes, so that no simulated time passes in the meantime."""
    import serial

    plain = serial.Serial.write

    def write(port, data):
        for pico in picos:
            if port.name in pico.ports() and pico.in_flight is not None:
                pico.in_flight += len(data)
        return plain(port, data)

    for pico in picos:
        pico.in_flight = 0
    patch("serial.Serial.write", write)


class RunningPico:
    """A Pico that runs in a thread until it is closed."""

    def __init__(self, pico):
        self.pico, self._lock, self._end = pico, threading.RLock(), False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._end:
            with self._lock:
                self.pico.step()
                master = self.pico._master
            if master is None:
                time.sleep(0.001)
            else:
                with suppress(OSError, ValueError):
                    select.select([master], [], [], 0.001)

    def __enter__(self):
        return self

    def locked(self):
        """Suspend the board during a `with` block."""
        return self._lock

    def __exit__(self, *_):
        self._end = True
        self._thread.join()
        self.pico.close()
