"""The Pi's I2C bus through smbus2, with the interface that Adafruit's drivers expect.

Blinka's own bus is not used: it imports `board`, which claims pins and may ask questions at the terminal.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.drivers.pi_machine import Machine, explain_missing_i2c
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.optional_packages import describe_missing_package

DEVICE_PATH = "/dev/i2c-{}"

I2C_TIMEOUT_IOCTL = 0x0702
"""The ioctl that sets the kernel's timeout for a transfer, in units of 10 ms (linux/i2c-dev.h)."""

TRANSFER_TIMEOUT = 5
"""Timeout in units of 10 ms. A chip that takes longer never answers, and a line stuck low must not block readings."""

TRANSFER_TRIES = 3
"""Attempts at a transfer that no chip acknowledges. Every write is safe to repeat."""


class I2cBus:
    """An I2C bus of the Pi, with the methods that Adafruit's drivers need. They raise SensorReadError if a chip does not answer.

    There is no lock: the kernel serializes transfers, and no driver here needs two in a row without interruption.
    """

    def __init__(self, number: int) -> None:
        from fcntl import ioctl

        try:
            from smbus2 import SMBus, i2c_msg
        except ImportError as error:
            raise BoardFault(describe_missing_package("smbus2", "smbus2")) from error
        self._number, self._message = number, i2c_msg
        try:
            self._bus = SMBus(DEVICE_PATH.format(number))
        except OSError as error:
            unusable = Message("i2c.unusable", bus=number, text=describe_system_error(error))
            raise BoardFault(explain_missing_i2c(Machine(), number) or unusable) from error
        ioctl(self._bus.fd or 0, I2C_TIMEOUT_IOCTL, TRANSFER_TIMEOUT)

    def try_lock(self) -> bool:
        return True

    def unlock(self) -> None:
        pass

    def readfrom_into(self, address: int, buffer: bytearray, *, start: int = 0, end: int | None = None) -> None:
        self._transfer_into(buffer, start, end, address)

    def writeto(self, address: int, buffer: bytes, *, start: int = 0, end: int | None = None) -> None:
        """Send part of the buffer to a chip.

        Adafruit's drivers probe for a chip with an empty write. Not every Pi's bus supports that, so one byte is read
        instead.
        """
        written_bytes, message = bytes(buffer[start:end]), self._message
        self._transfer(address, message.write(address, written_bytes) if written_bytes else message.read(address, 1))

    def writeto_then_readfrom(
        self,
        address: int,
        out_buffer: bytes,
        in_buffer: bytearray,
        *,
        out_start: int = 0,
        out_end: int | None = None,
        in_start: int = 0,
        in_end: int | None = None,
    ) -> None:
        written = self._message.write(address, bytes(out_buffer[out_start:out_end]))
        self._transfer_into(in_buffer, in_start, in_end, address, written)

    def close(self) -> None:
        self._bus.close()

    def _transfer_into(self, buffer: bytearray, start: int, end: int | None, address: int, *messages: Any) -> None:
        buffer_range = range(len(buffer))[start:end]
        message = self._message.read(address, len(buffer_range))
        self._transfer(address, *messages, message)
        buffer[buffer_range.start : buffer_range.stop] = bytes(message)

    def _transfer(self, address: int, *messages: Any) -> None:
        for is_last in (False,) * (TRANSFER_TRIES - 1) + (True,):
            try:
                self._bus.i2c_rdwr(*messages)
            except OSError as error:
                if error.errno == errno.ETIMEDOUT:
                    raise SensorReadError(Message("i2c.hangs", bus=self._number)) from error
                if is_last:
                    text = describe_system_error(error)
                    message = Message("i2c.no_answer", address=f"0x{address:02x}", bus=self._number, text=text)
                    raise SensorReadError(message) from error
            else:
                return


@contextmanager
def unwrap_bus_errors() -> Iterator[None]:
    """Raise the bus's own OSError, which Adafruit's drivers convert to a ValueError when they probe for a chip."""
    try:
        yield
    except ValueError as error:
        if isinstance(error.__context__, OSError):
            raise error.__context__ from None
        raise
