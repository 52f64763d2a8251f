"""All inputs of an MCP3008 in one call of the kernel's SPI driver, as linux/spi/spidev.h describes it.

lgpio and spidev make a call for each input, and deselect the converter only after it. The kernel takes several transfers in
one message and deselects in between, which is when a converter begins anew.
"""

from __future__ import annotations

import fcntl
import os
import struct
from array import array
from collections.abc import Sequence

SPEED_HZ = 500_000
"""Bits a second, as gpiozero has it."""

CONVERSION_BYTES = 3
"""Sent and received for one input: figure 6-1 of the MCP3008's data sheet."""

TRANSFER = struct.Struct("=QQIIHBBBBBB")
"""struct spi_ioc_transfer: where to send from, where to receive to, bytes, speed, delay, bits of a word, whether to deselect
after it, and four fields that are 0."""


class KernelConverter:
    """The inputs of a converter behind a device of the kernel's.

    Args:
        device_path: such as /dev/spidev1.0.
        channels: which inputs to read, 0 to 7.

    Raises:
        OSError: the device cannot be opened.
    """

    def __init__(self, device_path: str, channels: Sequence[int]) -> None:
        sent_bytes = [byte for channel in channels for byte in (1, (8 + channel) << 4, 0)]
        self._sent, self._received = array("B", sent_bytes), array("B", bytes(len(sent_bytes)))
        sent_at, received_at = self._sent.buffer_info()[0], self._received.buffer_info()[0]
        last = len(sent_bytes) - CONVERSION_BYTES
        self._message = b"".join(
            TRANSFER.pack(
                sent_at + start, received_at + start, CONVERSION_BYTES, SPEED_HZ, 0, 8, start != last, 0, 0, 0, 0
            )
            for start in range(0, len(sent_bytes), CONVERSION_BYTES)
        )
        self._request = 1 << 30 | len(self._message) << 16 | ord("k") << 8  # SPI_IOC_MESSAGE
        self._device: int | None = os.open(device_path, os.O_RDWR | os.O_CLOEXEC)

    def read_counts(self) -> list[int]:
        """What each input reads, 0 to 1023 counts.

        Raises:
            OSError: the bus does not answer, or the device is closed.
        """
        if self._device is None:
            raise OSError("the converter is closed")
        fcntl.ioctl(self._device, self._request, self._message)
        received = self._received
        return [
            (received[start + 1] & 3) << 8 | received[start + 2] for start in range(0, len(received), CONVERSION_BYTES)
        ]

    def close(self) -> None:
        """Let go of the device. Closing twice is no fault."""
        if self._device is not None:
            os.close(self._device)
            self._device = None
