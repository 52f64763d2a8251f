"""WS2812 lamps through Adafruit's NeoPixel library, the only way to use a GPIO other than 10 on a Raspberry Pi 5.

On older models it uses rpi_ws281x, with the same danger: a second try after a failure crashes the program.
"""

from __future__ import annotations

import atexit
import sys
from contextlib import suppress
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.drivers.blinka import first_line, import_adafruit
from pond_hw.drivers.pi_machine import Machine, explain_missing_neopixel
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import LampSettings

NEOPIXEL_PACKAGE = "adafruit-circuitpython-neopixel"

RPI_BACKEND = "adafruit_blinka.microcontroller.bcm283x.neopixel"
"""Module of the library that holds rpi_ws281x for the whole process."""


class NeoPixelWire:
    """Output from a GPIO to the first lamp, through the NeoPixel library. Only one per process is possible."""

    def __init__(self, chain: LampSettings, machine: Machine | None = None) -> None:
        self._pin, self._count = chain.data_pin, chain.lamp_count
        self._machine = machine or Machine()
        self._pixels: Any = None
        self._fatal_error: str | None = None  # reason never to try again

    def open(self) -> None:
        if self._fatal_error:
            raise BoardFault(Message("neopixel.has_failed", text=self._fatal_error))
        if lack := explain_missing_neopixel(self._machine, self._pin, self._count):
            raise BoardFault(lack)
        board, neopixel = import_adafruit("board", NEOPIXEL_PACKAGE), import_adafruit("neopixel", NEOPIXEL_PACKAGE)
        try:
            pin = getattr(board, f"D{self._pin}")
            # RGB: the bytes are already in the order of the chain
            self._pixels = neopixel.NeoPixel(pin, self._count, brightness=1.0, auto_write=False, pixel_order="RGB")
        except (ImportError, NotImplementedError, AttributeError, RuntimeError, ValueError, OSError) as error:
            raise BoardFault(Message("neopixel.refuses", pin=str(self._pin), text=first_line(error))) from error

    def send_bytes(self, chain_bytes: bytes) -> None:
        if not self._pixels:
            raise OSError("the NeoPixel library is not open")
        for lamp_number in range(self._count):
            self._pixels[lamp_number] = tuple(chain_bytes[lamp_number * 3 : lamp_number * 3 + 3])
        try:
            self._pixels.show()
        except (RuntimeError, OSError) as error:
            self._abandon_library(first_line(error))
            raise OSError(self._fatal_error) from error

    def close(self) -> None:
        if self._pixels:
            try:
                self._pixels.deinit()
            except (RuntimeError, OSError) as error:
                self._abandon_library(first_line(error))
            self._pixels = None

    def _abandon_library(self, failure_text: str) -> None:
        """Stop using the library for good. None of its code may run again, not even its cleanup when Python exits."""
        pixels, self._pixels, self._fatal_error = self._pixels, None, failure_text
        with suppress(RuntimeError, OSError):
            pixels.pin.deinit()
        if backend_module := sys.modules.get(RPI_BACKEND):
            atexit.unregister(backend_module.neopixel_cleanup)
