"""Identification and configuration of a Pico while no game uses it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from pond_hw.board import BoardFault
from pond_hw.drivers.usb_config import PROTOCOL, BoardConfig
from pond_hw.drivers.usb_link import SerialPort, describe_unopened, format_line, open_serial_port, parse_line
from pond_hw.messages.message import Message
from pond_hw.rules import PondError

HELLO_SECONDS = 1.0
"""Seconds that a board has to identify itself."""

REFUSAL_SECONDS = 0.5
"""Seconds that a board has to refuse a configuration."""

RESTART_SECONDS = 10.0
"""Seconds that a board has to restart after it received a configuration."""


class BoardHello(NamedTuple):
    """Identification of a board: its port, its protocol and firmware versions, and its configuration fingerprint."""

    device: str
    protocol: str
    firmware: str
    fingerprint: str


def ask_board(device: str, open_port: Callable[[str], SerialPort] = open_serial_port) -> BoardHello:
    """Ask the board at a port to identify itself. Raise BoardFault if it does not answer."""
    try:
        return _ask(device, open_port)
    except OSError as error:
        raise BoardFault(describe_unopened(device, error)) from error


def _ask(device: str, open_port: Callable[[str], SerialPort]) -> BoardHello:
    for words in _exchange_lines(device, b"hello 1", HELLO_SECONDS, open_port):
        match words:
            case [b"hello", b"pond", protocol, firmware, fingerprint, *_]:
                return BoardHello(device, *(word.decode() for word in (protocol, firmware, fingerprint)))
    raise BoardFault(Message("usb.silent", device=device))


def _exchange_lines(
    device: str, body: bytes, seconds: float, open_port: Callable[[str], SerialPort]
) -> Iterator[list[bytes]]:
    """Send a line to a board, and yield the words of each line that arrives within some seconds."""
    port = open_port(device)
    try:
        port.write(format_line(b"") + format_line(body))
        give_up_at, received = time.monotonic() + seconds, b""
        while time.monotonic() < give_up_at:
            received += port.read(max(1, port.in_waiting))
            *lines, received = received.split(b"\n")
            yield from map(parse_line, lines)
            time.sleep(0.005)
    finally:
        with suppress(OSError):  # it may already be gone
            port.close()


def _send_config(device: str, config: BoardConfig, open_port: Callable[[str], SerialPort]) -> None:
    """Send a board its configuration. Raise BoardFault if the board refuses it."""
    try:
        for words in _exchange_lines(device, b"config " + config.text, REFUSAL_SECONDS, open_port):
            match words:
                case [b"refused", *reason]:
                    raise BoardFault(Message("usb.refused", device=device, reason=b" ".join(reason).decode()))
    except OSError:
        pass  # the port is gone, because the board restarts


def flash_config(
    device: str,
    config: BoardConfig,
    find_ports: Callable[[], list[str]],
    open_port: Callable[[str], SerialPort] = open_serial_port,
) -> BoardHello:
    """Send a board its configuration and wait until it has restarted with it. Raise BoardFault if that fails."""
    hello = ask_board(device, open_port)
    if hello.protocol != PROTOCOL:
        raise BoardFault(Message("usb.other_protocol", device=device, found=hello.protocol, known=PROTOCOL))
    _send_config(device, config, open_port)
    give_up_at = time.monotonic() + RESTART_SECONDS
    while time.monotonic() < give_up_at:
        for found_device in find_ports():  # the port may have a new name
            with suppress(BoardFault):
                hello = ask_board(found_device, open_port)
                if hello.fingerprint == config.fingerprint:
                    return hello
        time.sleep(0.2)
    raise BoardFault(Message("usb.not_kept", device=device))


def choose_device(devices: list[str], named_device: str | None = None) -> str:
    if named_device:
        return named_device
    if not devices:
        raise BoardFault(Message("usb.no_board"))
    if len(devices) > 1:
        raise PondError(Message("usb.several", devices=tuple(devices)))
    return devices[0]
