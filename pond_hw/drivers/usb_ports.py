"""The serial ports at which a Pico may be, through pyserial: /dev/ttyACM0, COM3, /dev/cu.usbmodem101."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from pond_hw.board import BoardFault
from pond_hw.optional_packages import describe_missing_package

PICO_USB_IDS = ((0x2E8A, 0x0005),)
"""Maker and product of a Pico with MicroPython, as its firmware gives them (ports/rp2/mpconfigport.h)."""


class SerialPort(Protocol):
    """What is used of `serial.Serial`; any call may raise OSError."""

    @property
    def in_waiting(self) -> int:
        """How many bytes have come."""

    def read(self, size: int) -> bytes:
        """So many of them."""

    def write(self, data: bytes) -> Any:
        """Send."""

    def close(self) -> None:
        """Let go of it."""


def list_board_ports(list_ports: Callable[[], Iterable[Any]] | None = None) -> list[str]:
    """The serial ports at which a Pico is, in their order; or those that POND_USB_PORTS names, as far as they are there.

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
    """Open a port for ourselves alone; reading never waits.

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
