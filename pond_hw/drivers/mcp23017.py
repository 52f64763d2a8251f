"""Switches or digital hall sensors on MCP23017s, through Adafruit's driver.

A chip without power or a bus connection can read as anything, most often all ones or all zeros. Bit 7 of each
port, which must not be an input on this chip anyway, is therefore an output with a known level, a canary:

    bit     7   6 5 4 3 2 1 0
    GPA     1   . . . . . . .      driven high
    GPB     0   . . . . . . .      driven low

A chip that was reset has lost its outputs and pull-ups but may still read plausibly. Only its registers show
this.

A chip that the kernel drives, as after dtoverlay=mcp23017, is read through gpiod. One request claims all its
lines, so that one transfer reads them and neither the kernel nor another program changes them. The kernel's
driver sets no pull-ups and writes a register only when it changes, so never after a brown-out. This module
restores the registers over the bus.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.drivers.blinka import BLINKA_PACKAGES, import_adafruit
from pond_hw.drivers.debounce import SensorLevel
from pond_hw.drivers.i2c_bus import I2cBus, unwrap_bus_errors
from pond_hw.drivers.input_bank import CONSUMER, load_gpiod
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.optional_packages import describe_missing_package
from pond_hw.profile.board_profile import ExpanderWiring
from pond_hw.profile.chips import MCP23017, ExpanderPin

CANARY_PINS = 0x8080
"""Pins that must not be inputs: GPB7 and GPA7."""

CANARY_LEVELS = 0x0080

CANARY_LINES = {7: 1, 15: 0}

INPUT_PINS = 0xFFFF & ~CANARY_PINS
"""All other pins, used or not: inputs with the chip's own pull-ups."""


I2C_DEVICES = Path("/sys/bus/i2c/devices")


def find_chip_number(bus_number: int, address: int) -> int | None:
    """Return the number of /dev/gpiochipN if the kernel drives the chip at this I2C address, otherwise None."""
    for chip_folder in (I2C_DEVICES / f"{bus_number}-{address:04x}").glob("gpiochip*"):
        return int(chip_folder.name.removeprefix("gpiochip"))
    return None


class ExpanderLines:
    """All lines of one chip that the kernel drives, read in one transfer. Lines without an output level are inputs."""

    def __init__(self, chip_number: int, output_levels: dict[int, int]) -> None:
        try:
            gpiod = load_gpiod()
        except ImportError as error:
            raise BoardFault(describe_missing_package("gpiod", BLINKA_PACKAGES["gpiod"])) from error
        line = gpiod.line
        self._number, self._active = chip_number, line.Value.ACTIVE
        line_settings = {number: gpiod.LineSettings(direction=line.Direction.INPUT) for number in range(16)}
        for number, level in output_levels.items():
            output_value = line.Value.ACTIVE if level else line.Value.INACTIVE
            line_settings[number] = gpiod.LineSettings(direction=line.Direction.OUTPUT, output_value=output_value)
        try:
            chip_path = f"/dev/gpiochip{chip_number}"
            self._request = gpiod.request_lines(chip_path, consumer=CONSUMER, config=line_settings)
        except (OSError, ValueError) as error:
            message = Message("expander.taken", chip=chip_number, text=describe_system_error(error))
            raise BoardFault(message) from error

    @property
    def gpio(self) -> int:
        """Levels of the 16 pins as bits, named as in Adafruit's driver."""
        try:
            line_values = self._request.get_values()
        except (OSError, ValueError) as error:
            message = Message("expander.unreached", chip=self._number, text=describe_system_error(error))
            raise SensorReadError(message) from error
        return sum(1 << number for number, value in enumerate(line_values) if value is self._active)

    def close(self) -> None:
        self._request.release()


class ExpanderReader:
    """Switches to ground on one or more MCP23017s. By default the reader opens and closes the I2C bus of its wiring."""

    raw_values = edge_fd = None

    def __init__(self, wiring: ExpanderWiring, i2c_bus: I2cBus | None = None) -> None:
        self._wiring = wiring
        self._shared_bus = i2c_bus
        self._bus: I2cBus | None = None
        self._chips: dict[int, Any] = {}
        self._lines: dict[int, ExpanderLines] = {}
        self._bits = tuple((expander_pin.address, _pin_mask(expander_pin)) for expander_pin in wiring.pins.values())

    def open(self) -> None:
        chip_class = import_adafruit("adafruit_mcp230xx.mcp23017", "adafruit-circuitpython-mcp230xx").MCP23017
        if self._bus is None:
            self._bus = self._shared_bus or I2cBus(self._wiring.bus)
        for address in sorted({expander_pin.address for expander_pin in self._wiring.pins.values()}):
            chip_number = find_chip_number(self._wiring.bus, address)
            if chip_number is not None and address not in self._lines:
                self._lines[address] = ExpanderLines(chip_number, CANARY_LINES)
            with unwrap_bus_errors():
                chip = chip_class(self._bus, address, reset=False)
                _configure_chip(chip)
            if not _is_chip_configured(chip):
                raise SensorReadError(Message("expander.forgetful", address=f"0x{address:02x}"))
            self._chips[address] = chip

    def read_levels(self) -> tuple[SensorLevel, ...]:
        port_words = {address: self._read_port(address, chip) for address, chip in self._chips.items()}
        for address, port_word in port_words.items():
            if port_word & CANARY_PINS != CANARY_LEVELS:
                arguments = {"chip": MCP23017.title, "address": f"0x{address:02x}", "value": f"0x{port_word:04x}"}
                raise SensorReadError(Message("expander.impossible", **arguments))
        return tuple([0 if port_words[address] & pin_mask else 1 for address, pin_mask in self._bits])

    def is_configured(self) -> bool:
        return all(_is_chip_configured(chip) for chip in self._chips.values())

    def close(self) -> None:
        """Release the bus. The chips keep their settings: they drive only two unconnected pins."""
        self._chips = {}
        while self._lines:
            self._lines.popitem()[1].close()
        if self._bus is not None and self._shared_bus is None:
            self._bus.close()
        self._bus = None

    def _read_port(self, address: int, chip: Any) -> int:
        """Return all levels of a chip. If the kernel cannot reach it, access the bus for a more precise error."""
        if not (kernel_lines := self._lines.get(address)):
            return int(chip.gpio)
        try:
            return kernel_lines.gpio
        except SensorReadError:
            _is_chip_configured(chip)
            raise


def _pin_mask(expander_pin: ExpanderPin) -> int:
    return 1 << MCP23017.find_number(expander_pin)


def _configure_chip(chip: Any) -> None:
    """Configure a chip, with the canaries' levels first so that they are never driven wrongly."""
    chip.interrupt_enable = 0
    chip.io_control = 0
    chip.gpio = CANARY_LEVELS
    chip.iodir = INPUT_PINS
    chip.gppu = INPUT_PINS
    chip.ipol = 0


def _is_chip_configured(chip: Any) -> bool:
    return bool(chip.iodir == INPUT_PINS and chip.gppu == INPUT_PINS and chip.ipol == 0)
