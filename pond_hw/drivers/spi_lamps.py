"""WS2812 lamps on the data line of SPI, GPIO 10: every Raspberry Pi can do it, and no root is needed.

The SPI clock is never connected; the data line alone draws the pulses that the lamps read, eleven SPI bits of
120 ns for each bit of a colour:

    0   111 00000000   360 ns high, 960 ns low
    1   111111 00000   720 ns high, 600 ns low

It is the shortest pattern inside the datasheets' times of WS2812B, WS2812B-V5 and SK6812 alike
(docs/decisions/0006-eleven-bits-a-lamp-bit.md).
"""

from __future__ import annotations

import errno
import math
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.drivers.pi_machine import SPI_DEVICE, Machine, lacks_spi

SPI_HZ = 8_400_000
"""Hz that are asked for. The kernel divides its clock by an even number and goes no faster than asked: the clocks of
all models, 200, 250, 400 and 500 MHz, come to 8.333 MHz. Asking for exactly that would fall to the next number."""

ZERO_BITS, ONE_BITS = "11100000000", "11111100000"

RESET_BYTES = bytes(math.ceil(300e-6 * SPI_HZ / 8))
"""300 µs low, before the colours, since the line may rest high, and after them, for the lamps to take them on. So
every transfer is long enough for the Pi to make it by DMA: a short one pauses after each byte and spoils a pulse."""


def _encode_byte(byte: int) -> bytes:
    return int("".join(ONE_BITS if byte >> bit & 1 else ZERO_BITS for bit in range(7, -1, -1)), 2).to_bytes(11)


BYTE_PATTERNS = [_encode_byte(byte) for byte in range(256)]


def encode_lamp_bytes(data: bytes) -> bytes:
    """The SPI bytes that draw these bytes on the data line, the reset before and after them included."""
    return RESET_BYTES + b"".join(map(BYTE_PATTERNS.__getitem__, data)) + RESET_BYTES


class SpiWire:
    """The wire from GPIO 10 to the first lamp, through /dev/spidev0.0.

    Args:
        count: lamps in the chain.
        machine: where it is.
    """

    def __init__(self, count: int, machine: Machine | None = None) -> None:
        self._length = len(encode_lamp_bytes(bytes(count * 3)))
        self._count = count
        self._machine = machine or Machine()
        self._spi: Any = None

    def open(self) -> None:
        """Take hold of SPI.

        Raises:
            BoardFault: SPI is switched off, not allowed, in use, or its buffer is too small for so many lamps.
        """
        if lack := lacks_spi(self._machine, self._count, self._length):
            raise BoardFault(lack)
        import spidev

        spi = spidev.SpiDev()
        try:
            spi.open(0, 0)
            spi.mode = 0
            spi.max_speed_hz = SPI_HZ
        except OSError as error:
            spi.close()
            if error.errno == errno.EBUSY:
                raise BoardFault(
                    f"{SPI_DEVICE} is in use by another program. Stop that program and start again."
                ) from error
            raise BoardFault(
                f"{SPI_DEVICE} cannot be opened: {error.strerror}. Is it really the Pi's own SPI?"
            ) from error
        self._spi = spi

    def send_bytes(self, data: bytes) -> None:
        """Draw the bytes on the line, in one transfer.

        Raises:
            OSError: SPI did not take them, or is not open.
        """
        if not self._spi:
            raise OSError("SPI is not open")
        self._spi.writebytes2(
            encode_lamp_bytes(data)
        )  # would cut what is longer than the kernel's buffer, but open refused that

    def close(self) -> None:
        """Let go of SPI."""
        if self._spi:
            spi, self._spi = self._spi, None
            spi.close()
