"""The cable to a Pico: finds its serial port (/dev/ttyACM0, COM3, ...), talks with it, keeps what it reports until asked.

One request is under way at a time: a ping, or a frame, which only the newest one may wait for. The board's answer, its
state, says how many presses there were and what is down. A press counts only when an answer has come after it that
belongs to the same epoch: so a computer that slept never counts what was pressed before.

    board   press 5 ...              state 17 5 ... (to a ping after it)
    host    it has come; asks again  it counts
"""

from __future__ import annotations

import errno
import logging
import os
import threading
import zlib
from binascii import b2a_base64
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pond_hw.board import BoardFault
from pond_hw.drivers.scan import SensorReadError
from pond_hw.drivers.usb_config import BoardConfig
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.optional_packages import describe_missing_package

LOG = logging.getLogger("pond")

PICO_USB_IDS = ((0x2E8A, 0x0005),)
"""Maker and product of a Pico with MicroPython, as its firmware gives them (ports/rp2/mpconfigport.h)."""

PING_SECONDS = 0.1
"""Seconds from one answer to the next request at the latest: a tenth of what the board bears before it goes dark."""

REPEAT_SECONDS = 0.15
"""Seconds after which a request that was not answered is made again."""

ANSWER_SECONDS = 0.4
"""Seconds in which a board must answer; after that it counts as silent."""

MAX_LINE_BYTES = 1024
"""No line from the board is nearly as long."""


class SerialPort(Protocol):
    """The part of `serial.Serial` that is used here; any call may raise OSError."""

    @property
    def in_waiting(self) -> int:
        """Number of bytes that have come."""

    def read(self, size: int) -> bytes:
        """Read at most this many bytes."""

    def write(self, data: bytes) -> Any:
        """Send bytes."""

    def close(self) -> None:
        """Let go of it."""


def list_board_ports(list_ports: Callable[[], Iterable[Any]] | None = None) -> list[str]:
    """Return the serial ports of all Picos, sorted; or those that POND_USB_PORTS names, as far as they exist.

    Raises:
        BoardFault: pyserial is not installed.
    """
    if named := os.environ.get("POND_USB_PORTS"):
        return [device for device in named.split(",") if os.name == "nt" or Path(device).exists()]
    if list_ports is None:
        try:
            from serial.tools.list_ports import comports
        except ImportError as error:
            raise BoardFault(describe_missing_package("serial", "pyserial")) from error
        list_ports = comports
    return sorted(port.device for port in list_ports() if (port.vid, port.pid) in PICO_USB_IDS)


def open_serial_port(device: str) -> SerialPort:
    """Open a serial port for this process alone; reading never waits.

    Raises:
        BoardFault: pyserial is not installed.
        OSError: it cannot be opened.
    """
    try:
        import serial
    except ImportError as error:
        raise BoardFault(describe_missing_package("serial", "pyserial")) from error
    port: SerialPort = serial.Serial(device, timeout=0, write_timeout=0.2, exclusive=True)
    return port


class InputChange(NamedTuple):
    """Inputs and their levels, changed at one instant on the board's clock in ms."""

    levels: dict[int, int]
    board_ms: int


def format_line(body: bytes) -> bytes:
    """A line with its CRC and its end."""
    return b"%s %08x\n" % (body, zlib.crc32(body))


def parse_line(line: bytes) -> list[bytes]:
    """The words of a line from the board; none if it is not as it was sent."""
    body, _, crc = line.rstrip(b"\r").rpartition(b" ")
    return body.split(b" ") if crc == b"%08x" % zlib.crc32(body) else []


class UsbLink:
    """A Pico at the other end of a cable. Its methods may be called from any thread.

    Args:
        config: what the board must carry.
        now: the clock, in seconds.
        wait: sleeps for some seconds.
        find_ports: the ports at which it may be.
        open_port: opens one of them.

    Attributes:
        levels: of each input, after all changes that were taken.
        changes: of inputs, that count and were not taken yet.
        is_healthy: whether the board's own sensors answer.
    """

    def __init__(
        self,
        config: BoardConfig,
        now: Callable[[], float],
        wait: Callable[[float], None],
        find_ports: Callable[[], list[str]] = list_board_ports,
        open_port: Callable[[str], SerialPort] = open_serial_port,
    ) -> None:
        self.config, self._now, self._wait = config, now, wait
        self._find_ports, self._open_port = find_ports, open_port
        self._lock = threading.RLock()
        self._port: SerialPort | None = None
        self._device = ""
        self._greeted = False  # whether the board has said that it is the one
        self._attempt = 0  # to greet it; the number comes back, so that a late answer is not taken for another one
        self._refused: BoardFault | None = None
        self._unreached = Message("usb.no_board")  # why there is no port, as last found out
        self._buffer = b""
        self._frame: bytes | None = None
        self._frame_sent = False  # whether the request under way is a frame
        self._asked_at: float | None = None  # when the request under way was made last
        self._waiting_since: float | None = None  # when it was made first
        self._confirms = 0  # how many of the unconfirmed changes came before it
        self._answered_at = 0.0
        self._epoch, self._seen = b"", 0
        self._is_behind = False  # whether the board has told more presses than have come
        self._unconfirmed: list[InputChange] = []
        self.levels: dict[int, int] = {}
        self._told: dict[int, int] = {}  # levels after all changes, those that wait too
        self.changes: deque[InputChange] = deque()
        self.is_healthy = True

    @property
    def device(self) -> str:
        """The port at which the board is, or was last."""
        return self._device

    def connect(self) -> None:
        """Find the board and hear that it is the one, unless that is done.

        Raises:
            BoardFault: it carries another configuration or speaks another protocol; or pyserial is missing.
            SensorReadError: it is not there, or does not answer.
        """
        with self._lock:
            if self._port and self._greeted and not self._is_silent():
                return
            fault: BoardFault | SensorReadError = SensorReadError(Message("usb.no_board"))
            devices = self._find_ports()
            if not devices:
                self.drop()
            for device in devices:
                try:
                    self._greet(device)
                except (BoardFault, SensorReadError) as error:
                    fault = error if not isinstance(fault, BoardFault) else fault
                else:
                    return
            self._unreached = fault.message
            raise fault

    def _greet(self, device: str) -> None:
        if self._port is None or self._device != device:
            self.drop()
            try:
                self._port, self._device = self._open_port(device), device
            except OSError as error:
                message = describe_unopened(device, error)
                raise (BoardFault if message.id == "usb.not_allowed" else SensorReadError)(message) from error
        self._greeted, self._refused, self._epoch = False, None, b""
        self._attempt += 1
        self._asked_at = self._waiting_since = None
        try:
            # Whatever half line was left there ends here.
            self._port.write(format_line(b"") + format_line(b"hello %d" % self._attempt))
            is_there = self._await_hello()
        except OSError as error:
            self.drop()
            raise SensorReadError(Message("usb.lost", device=device, text=describe_system_error(error))) from error
        if not is_there:
            refused, self._refused = self._refused, None
            self.drop()
            raise refused or SensorReadError(Message("usb.silent", device=device))

    def _await_hello(self) -> bool:
        """Whether the board says that it is the one, and what is down on it, in good time."""
        begun_at = self._now()
        while not (self._greeted and self._epoch):
            self._take_lines()
            if self._refused or self._now() - begun_at > ANSWER_SECONDS:
                return False
            self._wait(0.002)
        return True

    def exchange(self) -> None:
        """Take what has come, and ask for more if it is time; never waits.

        Raises:
            OSError: the board is not connected, or does not answer.
        """
        with self._lock:
            if not self._port or not self._greeted:
                raise SensorReadError(self._unreached)
            try:
                self._take_lines()
                self._ask()
            except OSError as error:
                self._unreached = Message("usb.lost", device=self._device, text=describe_system_error(error))
                self.drop()
                raise SensorReadError(self._unreached) from error
            if self._refused:
                self._unreached = self._refused.message
                self.drop()
                raise SensorReadError(self._unreached)
            if self._is_silent():
                raise SensorReadError(Message("usb.silent", device=self._device))

    def show_frame(self, chain_bytes: bytes) -> None:
        """Let the lamps show this as soon as the board has answered; a frame that still waits is left out.

        Raises:
            OSError: the board is not connected, or does not answer.
        """
        with self._lock:
            self._frame = chain_bytes
            self.exchange()

    def finish_frames(self) -> None:
        """Wait until the board has shown the latest frame, but not for long."""
        begun_at = self._now()
        with self._lock, suppress(OSError):
            while (self._frame is not None or self._frame_sent) and self._now() - begun_at < ANSWER_SECONDS:
                self.exchange()
                self._wait(0.002)

    def drop(self) -> None:
        """Let go of the port; what was not confirmed is forgotten."""
        with self._lock:
            if self._port:
                with suppress(Exception):  # whatever a port that is gone may raise
                    self._port.close()
            self._port, self._greeted, self._epoch, self._buffer = None, False, b"", b""
            self._frame, self._frame_sent = None, False
            self._asked_at = self._waiting_since = None
            self._unconfirmed.clear()
            self.changes.clear()

    def _is_silent(self) -> bool:
        return self._waiting_since is not None and self._now() - self._waiting_since > ANSWER_SECONDS

    def _ask(self) -> None:
        """Make the next request if there is one to make."""
        instant = self._now()
        if self._asked_at is not None and instant - self._asked_at < REPEAT_SECONDS:
            return
        is_due = bool(self._unconfirmed) or self._is_behind or instant - self._answered_at >= PING_SECONDS
        if self._frame is None and not is_due and self._asked_at is None:
            return
        assert self._port
        request = b"ping %d" % self._seen
        self._frame_sent = self._frame is not None
        if self._frame is not None:
            request = b"frame %d %s" % (self._seen, b2a_base64(self._frame, newline=False))
            self._frame = None
        self._asked_at, self._confirms = instant, len(self._unconfirmed)
        if self._waiting_since is None:
            self._waiting_since = instant
        self._port.write(format_line(request))

    def _take_lines(self) -> None:
        assert self._port
        self._buffer += self._port.read(max(1, self._port.in_waiting))
        *lines, self._buffer = self._buffer.split(b"\n")
        self._buffer = self._buffer[-MAX_LINE_BYTES:]
        for line in lines:
            words = parse_line(line)
            with suppress(ValueError):  # a line of some other firmware
                match words:
                    case [b"hello", b"pond", protocol, _, fingerprint, *_, attempt]:
                        self._take_hello(protocol.decode(), fingerprint.decode(), int(attempt))
                    case [b"state", epoch, number, _, mask, health]:
                        self._take_state(epoch, int(number), int(mask, 16), health == b"ok")
                    case [b"press" | b"release" as verb, number, input_number, board_ms]:
                        self._take_press(int(number), int(input_number), int(verb == b"press"), int(board_ms))

    def _take_hello(self, protocol: str, fingerprint: str, attempt: int) -> None:
        if attempt not in (0, self._attempt):
            return  # the late answer to an earlier one
        if mismatch := self.config.describe_mismatch(self._device, protocol, fingerprint):
            self._refused = BoardFault(mismatch)
        elif attempt:
            self._greeted = True

    def _take_press(self, number: int, input_number: int, level: int, board_ms: int) -> None:
        if number != self._seen + 1:
            return  # it came before, or one before it did not: the board sends it again
        self._seen = number
        last = self._unconfirmed[-1] if self._unconfirmed else None
        if last and last.board_ms == board_ms and len(self._unconfirmed) > self._confirms:
            last.levels[input_number] = level
        else:
            self._unconfirmed.append(InputChange({input_number: level}, board_ms))

    def _take_state(self, epoch: bytes, number: int, mask: int, is_healthy: bool) -> None:
        confirmed, self._confirms = self._unconfirmed[: self._confirms], 0
        self._answered_at, self._asked_at, self._waiting_since, self._frame_sent = self._now(), None, None, False
        self.is_healthy, self._is_behind = is_healthy, epoch == self._epoch and number > self._seen
        if epoch != self._epoch:  # presses may be missing: only what is down now is known
            levels = {number: mask >> number & 1 for number in range(len(self.config.cell_inputs) + 1)}
            if not self._epoch:
                self.levels, self._told = dict(levels), dict(levels)
            elif changed := {each: level for each, level in levels.items() if self._told.get(each, 0) != level}:
                self.changes.append(InputChange(changed, 0))
                self._told |= changed
            self._epoch, self._seen = epoch, number
            self._unconfirmed.clear()
            return
        for change in confirmed:
            self._told |= change.levels
        self.changes.extend(confirmed)
        del self._unconfirmed[: len(confirmed)]


def describe_unopened(device: str, error: OSError) -> Message:
    """Why a port cannot be opened."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return Message("usb.not_allowed", device=device)
    if error.errno in (errno.EAGAIN, errno.EBUSY):
        return Message("usb.busy", device=device)
    return Message("usb.lost", device=device, text=describe_system_error(error))
