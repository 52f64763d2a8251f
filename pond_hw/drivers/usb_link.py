"""The connection to a Pico: finds its serial port (/dev/ttyACM0, COM3, ...), exchanges lines, queues its reports.

Only one request is in progress at a time: a ping or a frame. Meanwhile, only the newest frame is kept waiting.
The board answers with its state: the number of presses so far, and the inputs that are down. A press counts only
after a later answer of the same epoch, so a computer that slept never counts old presses.

    board   press 5 ...              state 17 5 ... (answers a ping sent after it)
    host    received; asks again     counts
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
"""USB vendor and product IDs of a Pico with MicroPython (ports/rp2/mpconfigport.h)."""

PING_SECONDS = 0.1
"""Maximum seconds between an answer and the next request: a tenth of the time after which the board turns its lamps
off.
"""

REPEAT_SECONDS = 0.15
"""Seconds after which an unanswered request is repeated."""

ANSWER_SECONDS = 0.4
"""Seconds that a board has to answer before it counts as silent."""

MAX_LINE_BYTES = 1024
"""Upper limit for a line; the board's lines are much shorter."""


class SerialPort(Protocol):
    """The methods of `serial.Serial` that are used here. Any call may raise OSError."""

    @property
    def in_waiting(self) -> int:
        """Number of bytes received."""

    def read(self, size: int) -> bytes:
        """Read at most this many bytes."""

    def write(self, data: bytes) -> Any:
        """Send bytes."""

    def close(self) -> None:
        pass


def list_board_ports(list_ports: Callable[[], Iterable[Any]] | None = None) -> list[str]:
    """Return the game's serial port of each Pico, sorted: the last of its ports. The first is MicroPython's prompt.

    If POND_USB_PORTS is set, return the ports that it lists and that exist instead.
    """
    if named := os.environ.get("POND_USB_PORTS"):
        return [device for device in named.split(",") if os.name == "nt" or Path(device).exists()]
    if list_ports is None:
        try:
            from serial.tools.list_ports import comports
        except ImportError as error:
            raise BoardFault(describe_missing_package("serial", "pyserial")) from error
        list_ports = comports
    ports = [port for port in list_ports() if (port.vid, port.pid) in PICO_USB_IDS]
    last_ports = {_split_location(port)[0]: port.device for port in sorted(ports, key=_split_location)}
    return sorted(last_ports.values())


def _split_location(port: Any) -> tuple[str, int, str]:
    """Return where a port's device is plugged in, the number of its USB interface, and its name.

    pyserial reports a location like 1-4:1.2 on Linux and 1-4:x.2 on Windows, where 2 is the interface. On macOS it is 1-4,
    and the names of the ports of one device end in ascending numbers.
    """
    place, _, interface = (port.location or port.serial_number or port.device).partition(":")
    number = interface.rpartition(".")[2]
    return place, int(number) if number.isdecimal() else 0, port.device


def open_serial_port(device: str) -> SerialPort:
    try:
        import serial
    except ImportError as error:
        raise BoardFault(describe_missing_package("serial", "pyserial")) from error
    port: SerialPort = serial.Serial(device, timeout=0, write_timeout=0.2, exclusive=True)
    return port


class InputChange(NamedTuple):
    """Inputs that changed at the same time (in ms on the board's clock), and their levels."""

    levels: dict[int, int]
    board_ms: int


def format_line(body: bytes) -> bytes:
    """Return a line with its CRC and line end."""
    return b"%s %08x\n" % (body, zlib.crc32(body))


def parse_line(line: bytes) -> list[bytes]:
    """Return the words of a line from the board; an empty list if its CRC is wrong."""
    body, _, crc = line.rstrip(b"\r").rpartition(b" ")
    return body.split(b" ") if crc == b"%08x" % zlib.crc32(body) else []


class UsbLink:
    """Thread-safe connection to a Pico.

    Args:
        config: required configuration of the board.
        now: clock, in seconds.
        wait: sleeps for some seconds.
        find_ports: finds the possible ports.
        open_port: opens a port.

    Attributes:
        levels: level of each input, after all changes that the scan has taken.
        changes: confirmed changes that the scan has not taken yet.
        is_healthy: True if the board can read its own sensors.
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
        self._greeted = False  # True once the board has identified itself
        self._attempt = 0  # number of the greeting, echoed by the board, so that late answers can be ignored
        self._refused: BoardFault | None = None
        self._connection_error = Message("usb.no_board")  # reason for the latest failed connection
        self._buffer = b""
        self._frame: bytes | None = None
        self._frame_sent = False  # True if the current request sends a frame
        self._asked_at: float | None = None  # instant of the last attempt at the current request
        self._waiting_since: float | None = None  # instant of the first attempt at it
        self._confirms = 0  # number of unconfirmed changes that the current request will confirm
        self._answered_at = 0.0
        self._epoch, self._seen = b"", 0
        self._is_behind = False  # True if the board has reported more presses than arrived
        self._unconfirmed: list[InputChange] = []
        self.levels: dict[int, int] = {}
        self._received_levels: dict[int, int] = {}  # levels including changes that the scan has not taken yet
        self.changes: deque[InputChange] = deque()
        self.is_healthy = True

    @property
    def device(self) -> str:
        """Current or latest port of the board."""
        return self._device

    def connect(self) -> None:
        """Find and identify the board, unless it is connected already.

        Raises:
            BoardFault: its configuration or protocol differs, or pyserial is missing.
            SensorReadError: it is missing, or does not answer.
        """
        with self._lock:
            if self._port and self._greeted and not self._is_silent():
                return
            fault: BoardFault | SensorReadError = SensorReadError(Message("usb.no_board"))
            devices = self._find_ports()
            if not devices:
                self.disconnect()
            for device in devices:
                try:
                    self._greet(device)
                except (BoardFault, SensorReadError) as error:
                    fault = error if not isinstance(fault, BoardFault) else fault
                else:
                    return
            self._connection_error = fault.message
            raise fault

    def _greet(self, device: str) -> None:
        if self._port is None or self._device != device:
            self.disconnect()
            try:
                self._port, self._device = self._open_port(device), device
            except OSError as error:
                message = describe_unopened(device, error)
                raise (BoardFault if message.id == "usb.not_allowed" else SensorReadError)(message) from error
        self._greeted, self._refused, self._epoch = False, None, b""
        self._attempt += 1
        self._asked_at = self._waiting_since = None
        try:
            # The empty line ends any unfinished line on the port.
            self._port.write(format_line(b"") + format_line(b"hello %d" % self._attempt))
            is_there = self._await_hello()
        except OSError as error:
            self.disconnect()
            raise SensorReadError(Message("usb.lost", device=device, text=describe_system_error(error))) from error
        if not is_there:
            refused, self._refused = self._refused, None
            self.disconnect()
            raise refused or SensorReadError(Message("usb.silent", device=device))

    def _await_hello(self) -> bool:
        """Return True if the right board identifies itself and reports its state in time."""
        begun_at = self._now()
        while not (self._greeted and self._epoch):
            self._process_lines()
            if self._refused or self._now() - begun_at > ANSWER_SECONDS:
                return False
            self._wait(0.002)
        return True

    def exchange(self) -> None:
        """Process what has arrived and send the next request if it is due, without waiting.

        Raises:
            SensorReadError: the board is not connected or does not answer.
        """
        with self._lock:
            if not self._port or not self._greeted:
                raise SensorReadError(self._connection_error)
            try:
                self._process_lines()
                self._send_request()
            except OSError as error:
                self._connection_error = Message("usb.lost", device=self._device, text=describe_system_error(error))
                self.disconnect()
                raise SensorReadError(self._connection_error) from error
            if self._refused:
                self._connection_error = self._refused.message
                self.disconnect()
                raise SensorReadError(self._connection_error)
            if self._is_silent():
                raise SensorReadError(Message("usb.silent", device=self._device))

    def show_frame(self, chain_bytes: bytes) -> None:
        """Send a frame as soon as the board has answered. It replaces a frame that is still waiting."""
        with self._lock:
            self._frame = chain_bytes
            self.exchange()

    def finish_frames(self) -> None:
        begun_at = self._now()
        with self._lock, suppress(OSError):
            while (self._frame is not None or self._frame_sent) and self._now() - begun_at < ANSWER_SECONDS:
                self.exchange()
                self._wait(0.002)

    def disconnect(self) -> None:
        """Close the port and discard unconfirmed changes."""
        with self._lock:
            if self._port:
                with suppress(Exception):  # a port that is gone may raise any error
                    self._port.close()
            self._port, self._greeted, self._epoch, self._buffer = None, False, b"", b""
            self._frame, self._frame_sent = None, False
            self._asked_at = self._waiting_since = None
            self._unconfirmed.clear()
            self.changes.clear()

    def _is_silent(self) -> bool:
        return self._waiting_since is not None and self._now() - self._waiting_since > ANSWER_SECONDS

    def _send_request(self) -> None:
        """Send the next request, if one is due."""
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

    def _process_lines(self) -> None:
        assert self._port
        self._buffer += self._port.read(max(1, self._port.in_waiting))
        *lines, self._buffer = self._buffer.split(b"\n")
        self._buffer = self._buffer[-MAX_LINE_BYTES:]
        for line in lines:
            words = parse_line(line)
            with suppress(ValueError):  # a line from other firmware
                match words:
                    case [b"hello", b"pond", protocol, _, fingerprint, *_, attempt]:
                        self._handle_hello(protocol.decode(), fingerprint.decode(), int(attempt))
                    case [b"state", epoch, number, _, mask, health]:
                        self._handle_state(epoch, int(number), int(mask, 16), health == b"ok")
                    case [b"press" | b"release" as verb, number, input_number, board_ms]:
                        self._handle_press(int(number), int(input_number), int(verb == b"press"), int(board_ms))

    def _handle_hello(self, protocol: str, fingerprint: str, attempt: int) -> None:
        if attempt not in (0, self._attempt):
            return  # a late answer to an earlier greeting
        if mismatch := self.config.describe_mismatch(self._device, protocol, fingerprint):
            self._refused = BoardFault(mismatch)
        elif attempt:
            self._greeted = True

    def _handle_press(self, number: int, input_number: int, level: int, board_ms: int) -> None:
        if number != self._seen + 1:
            return  # a duplicate, or an earlier one is missing: the board will send it again
        self._seen = number
        last = self._unconfirmed[-1] if self._unconfirmed else None
        if last and last.board_ms == board_ms and len(self._unconfirmed) > self._confirms:
            last.levels[input_number] = level
        else:
            self._unconfirmed.append(InputChange({input_number: level}, board_ms))

    def _handle_state(self, epoch: bytes, number: int, mask: int, is_healthy: bool) -> None:
        confirmed, self._confirms = self._unconfirmed[: self._confirms], 0
        self._answered_at, self._asked_at, self._waiting_since, self._frame_sent = self._now(), None, None, False
        self.is_healthy, self._is_behind = is_healthy, epoch == self._epoch and number > self._seen
        if epoch != self._epoch:  # presses may be missing, so only the current levels are known
            levels = {number: mask >> number & 1 for number in range(len(self.config.cell_inputs) + 1)}
            if not self._epoch:
                self.levels, self._received_levels = dict(levels), dict(levels)
            elif changed := {
                each: level for each, level in levels.items() if self._received_levels.get(each, 0) != level
            }:
                self.changes.append(InputChange(changed, 0))
                self._received_levels |= changed
            self._epoch, self._seen = epoch, number
            self._unconfirmed.clear()
            return
        for change in confirmed:
            self._received_levels |= change.levels
        self.changes.extend(confirmed)
        del self._unconfirmed[: len(confirmed)]


def describe_unopened(device: str, error: OSError) -> Message:
    if error.errno in (errno.EACCES, errno.EPERM):
        return Message("usb.not_allowed", device=device)
    if error.errno in (errno.EAGAIN, errno.EBUSY):
        return Message("usb.busy", device=device)
    return Message("usb.lost", device=device, text=describe_system_error(error))
