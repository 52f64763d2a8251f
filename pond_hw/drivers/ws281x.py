"""WS2812 lamps through rpi_ws281x: GPIO 12 and 18 by PWM, 21 by PCM (both as root), 10 by SPI; not on a Pi 5.

The library can crash the process. It must not be started on an unknown machine, called after a failed start, or
left to clean up after a failed start when Python exits.
"""

from __future__ import annotations

import atexit
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.drivers.pi_machine import Machine, explain_missing_ws281x
from pond_hw.messages.message import Message
from pond_hw.optional_packages import format_pip_command
from pond_hw.profile.board_profile import LampSettings

DMA_CHANNEL = 10
"""DMA channel. Channel 5, which the library once recommended, corrupts the file system of some models."""


class Ws281xWire:
    """Output from a GPIO to the first lamp, through rpi_ws281x."""

    def __init__(self, chain: LampSettings, machine: Machine | None = None) -> None:
        self._pin, self._count = chain.data_pin, chain.lamp_count
        self._machine = machine or Machine()
        self._strip: Any = None
        self._library: Any = None

    def open(self) -> None:
        if lack := explain_missing_ws281x(self._machine, self._pin, self._count):
            raise BoardFault(lack)
        try:
            import rpi_ws281x
        except ImportError as error:
            command = format_pip_command("--force-reinstall", "rpi_ws281x")
            raise BoardFault(Message("ws281x.unloadable", text=str(error), command=command)) from error

        chain_order = rpi_ws281x.ws.WS2811_STRIP_RGB  # the bytes are already in the order of the chain
        pixel_strip = rpi_ws281x.PixelStrip(self._count, self._pin, dma=DMA_CHANNEL, strip_type=chain_order)
        try:
            pixel_strip.begin()
        except RuntimeError as error:
            atexit.unregister(pixel_strip._cleanup)
            rpi_ws281x.ws.delete_ws2811_t(pixel_strip._leds)
            raise BoardFault(Message("ws281x.refuses", pin=str(self._pin), text=str(error))) from error
        self._strip, self._library = pixel_strip, rpi_ws281x.ws

    def send_bytes(self, chain_bytes: bytes) -> None:
        if not self._strip:
            raise OSError("rpi_ws281x is not open")
        for lamp_number in range(self._count):
            self._strip[lamp_number] = int.from_bytes(chain_bytes[lamp_number * 3 : lamp_number * 3 + 3])
        self._library.ws2811_wait(self._strip._leds)  # otherwise it draws over a frame that is still being sent
        try:
            self._strip.show()
        except RuntimeError as error:
            raise OSError(str(error)) from error

    def close(self) -> None:
        if self._strip:
            pixel_strip, self._strip = self._strip, None
            pixel_strip._cleanup()
