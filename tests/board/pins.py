"""Simulated hardware on gpiozero's mock pins: switches, a matrix, and MCP3008s with magnets over their sensors."""

from typing import ClassVar

from gpiozero.pins.local import LocalPiHardwareSPIShared
from gpiozero.pins.mock import MockFactory, MockPin, MockSPIDevice

REST = 512


class WiredFactory(MockFactory):
    """Factory of mock pins that always follow the simulated hardware, even after they are opened again.

    Attributes:
        grounded: GPIOs whose switch to ground is closed.
    """

    def __init__(self):
        self.grounded = set()
        super().__init__(pin_class=WiredPin)

    def pulled_low(self, number):
        """Return True if this GPIO is pulled to ground from outside."""
        return number in self.grounded


class WiredPin(MockPin):
    """Pin that is low while it is pulled low from outside, whatever its own pull-up."""

    def _get_state(self):
        if self.function == "input" and self.factory.pulled_low(int(self.info.name.removeprefix("GPIO"))):
            return False
        return super()._get_state()


class MatrixFactory(WiredFactory):
    """Factory of pins, some of which are the lines of a switch matrix.

    Through a diode, current flows only from a sense line to a driven one; without diodes it flows both ways.

    Attributes:
        closed: crossings whose switch is closed.
        diodes: True if there are diodes.
        shorted: number of readings during which a line driven high was connected to one driven low.
    """

    def __init__(self, crossings, *, diodes=True):
        super().__init__()
        self.closed, self.diodes, self.shorted = set(), diodes, 0
        self.senses = {crossing.sense for crossing in crossings}

    def pulled_low(self, number):
        """Return True if current can flow from this line to ground."""
        return super().pulled_low(number) or (number in self.senses and self._reaches_ground(number))

    def _reaches_ground(self, sense):
        senses = {sense}
        while True:
            drives = {crossing.drive for crossing in self.closed if crossing.sense in senses}
            back = set() if self.diodes else {crossing.sense for crossing in self.closed if crossing.drive in drives}
            if back <= senses:
                break
            senses |= back
        levels = {pin._state for pin in map(self.pin, drives) if pin.function == "output"}
        self.shorted += not self.diodes and len(levels) > 1
        return False in levels


class Converter:
    """MCP3008 with eight inputs, and its protocol.

    Attributes:
        counts: value of each input in counts.
        stuck: level at which its MISO line is stuck, 0 or 1; or None.
    """

    def __init__(self):
        self.counts = [REST] * 8
        self.stuck = None

    def answer(self, channel):
        return self.counts[channel] if self.stuck is None else 0x3FF * self.stuck


class ConverterOnPins(MockSPIDevice):
    """Converter that is bit-banged."""

    def __init__(self, chip, converter, factory):
        super().__init__(chip.clock, chip.mosi, chip.miso, chip.select, pin_factory=factory)
        self.converter = converter

    def on_bit(self):
        """Shift the answer out after the start bit and four more bits: two meaningless bits, then ten bits of the count."""
        if 1 in self.rx_buf:
            request = self.rx_buf[self.rx_buf.index(1) :]
            if len(request) == 5:
                self.tx_buf = [0, 0]
                self.tx_word(self.converter.answer(request[2] << 2 | request[3] << 1 | request[4]), 10)


class SpiFactory(WiredFactory):
    """Factory of pins with converters. gpiozero's own class represents the kernel's SPI.

    Args:
        hardware: False to bit-bang all converters.
    """

    def __init__(self, *, hardware):
        super().__init__()
        self._hardware = hardware

    def _get_spi_class(self, shared, hardware):
        if hardware and self._hardware:
            return LocalPiHardwareSPIShared
        return super()._get_spi_class(shared, hardware)


class SpiDev:
    """Replacement for the class in the module spidev. Subclasses provide simulated converters.

    Attributes:
        converters: converters by bus and device.
    """

    converters: ClassVar = {}
    bits_per_word = 8

    def open(self, bus, device):
        if (bus, device) not in self.converters:
            raise FileNotFoundError(2, "No such file or directory")
        self.converter = self.converters[bus, device]

    def xfer2(self, words):
        """Do one conversion: 24 bits each way."""
        start, request, _ = words
        assert start == 1
        assert request & 0x8F == 0x80, "single-ended, and nothing else"
        count = self.converter.answer(request >> 4 & 7)
        return [0xFF, 0xF8 | count >> 8, count & 0xFF]  # meaningless bits need not be zero

    def close(self):
        """Do nothing."""
