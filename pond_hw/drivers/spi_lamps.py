"""WS2812 lamps on the SPI data line, GPIO 10. This works on every Raspberry Pi, without root."""

from __future__ import annotations

import errno
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.drivers.lamp_pulses import LampEncoding
from pond_hw.drivers.pi_machine import SPI_DEVICE, Machine, explain_missing_spi
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error


class SpiWire:
    """Output from GPIO 10 to the first lamp, through /dev/spidev0.0."""

    def __init__(self, lamp_count: int, encoding: LampEncoding, machine: Machine | None = None) -> None:
        self._count, self._encoding = lamp_count, encoding
        self._machine = machine or Machine()
        self._spi: Any = None

    def open(self) -> None:
        if lack := explain_missing_spi(self._machine, self._count, self._encoding.frame_bytes(self._count)):
            raise BoardFault(lack)
        import spidev

        spi_device = spidev.SpiDev()
        try:
            spi_device.open(0, 0)
            spi_device.mode = 0
            spi_device.max_speed_hz = self._encoding.spi_hz
        except OSError as error:
            spi_device.close()
            if error.errno == errno.EBUSY:
                raise BoardFault(Message("spi.busy", device=SPI_DEVICE)) from error
            raise BoardFault(Message("spi.unopened", device=SPI_DEVICE, text=describe_system_error(error))) from error
        self._spi = spi_device

    def send_bytes(self, chain_bytes: bytes) -> None:
        if not self._spi:
            raise OSError("SPI is not open")
        # This method would split data that exceeds the kernel's buffer, which `open` rules out.
        self._spi.writebytes2(self._encoding.encode(chain_bytes))

    def close(self) -> None:
        if self._spi:
            spi_device, self._spi = self._spi, None
            spi_device.close()
