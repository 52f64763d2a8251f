"""WS2812 lamps through Adafruit's NeoPixel library: on a Raspberry Pi 5 the only way out at another GPIO than 10.

On older models it stands on rpi_ws281x and is as deadly: once it has failed, a second try takes the program down.
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
"""The part of the library that holds rpi_ws281x, for the whole program."""


class NeoPixelWire:
    """The wire from a GPIO to the first lamp, through Adafruit's NeoPixel library. A program may have one.

    Args:
        chain: its GPIO and how many lamps there are.
        machine: where it is.
    """

    def __init__(self, chain: LampSettings, machine: Machine | None = None) -> None:
        self._pin, self._count = chain.data_pin, chain.lamp_count
        self._machine = machine or Machine()
        self._pixels: Any = None
        self._dead: str | None = None  # why it may never be tried again

    def open(self) -> None:
        """Take hold of the GPIO.

        Raises:
            BoardFault: this machine or this user cannot, the library says no, or it has failed before.
        """
        if self._dead:
            raise BoardFault(Message("neopixel.has_failed", text=self._dead))
        if lack := explain_missing_neopixel(self._machine, self._pin, self._count):
            raise BoardFault(lack)
        board, neopixel = import_adafruit("board", NEOPIXEL_PACKAGE), import_adafruit("neopixel", NEOPIXEL_PACKAGE)
        try:
            pin = getattr(board, f"D{self._pin}")
            # RGB: the bytes come in the order of the chain and go out as they come
            self._pixels = neopixel.NeoPixel(pin, self._count, brightness=1.0, auto_write=False, pixel_order="RGB")
        except (ImportError, NotImplementedError, AttributeError, RuntimeError, ValueError, OSError) as error:
            raise BoardFault(Message("neopixel.refuses", pin=str(self._pin), text=first_line(error))) from error

    def send_bytes(self, chain_bytes: bytes) -> None:
        """Let the lamps show these bytes.

        Raises:
            OSError: the library could not send them, or is not open.
        """
        if not self._pixels:
            raise OSError("the NeoPixel library is not open")
        for lamp_number in range(self._count):
            self._pixels[lamp_number] = tuple(chain_bytes[lamp_number * 3 : lamp_number * 3 + 3])
        try:
            self._pixels.show()
        except (RuntimeError, OSError) as error:
            self._abandon_library(first_line(error))
            raise OSError(self._dead) from error

    def close(self) -> None:
        """Let go of the GPIO."""
        if self._pixels:
            try:
                self._pixels.deinit()
            except (RuntimeError, OSError) as error:
                self._abandon_library(first_line(error))
            self._pixels = None

    def _abandon_library(self, failure_text: str) -> None:
        """Drop the library for good: nothing of it may run again, not even what it does when Python ends."""
        pixels, self._pixels, self._dead = self._pixels, None, failure_text
        with suppress(RuntimeError, OSError):
            pixels.pin.deinit()
        if backend_module := sys.modules.get(RPI_BACKEND):
            atexit.unregister(backend_module.neopixel_cleanup)
