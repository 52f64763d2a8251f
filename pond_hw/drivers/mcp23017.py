"""Switches or digital hall sensors on MCP23017s, through Adafruit's driver.

A chip that has lost its supply, or its bus, can read as anything, all ones and all zeros above all. So each port's
bit 7, which must not be an input of this chip anyway, is an output that always reads the same: a canary.

    bit     7   6 5 4 3 2 1 0
    GPA     1   . . . . . . .      driven high
    GPB     0   . . . . . . .      driven low

A chip that was reset has forgotten which pins are outputs and where its pull-ups are, and may still read plausibly:
that shows only when it is asked.

A chip that the kernel drives itself, as after dtoverlay=mcp23017, is read through the kernel and gpiod. Its lines are
claimed, all in one request, so that one transfer reads them all, and the kernel leaves their directions alone and no
other program takes them. That is all that its driver can do for us: it switches no pull-up on, and writes a setting
only when it changes one, which after a dip of the supply is never. So whoever reads here keeps the settings right over
the bus, beside it.
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
"""The pins that must not be inputs: GPB7 and GPA7."""

CANARY_LEVELS = 0x0080
"""What the canaries read as: GPA7 high, GPB7 low."""

CANARY_LINES = {7: 1, 15: 0}
"""The same, by line."""

INPUT_PINS = 0xFFFF & ~CANARY_PINS
"""All other pins, used or not, are inputs with the chip's own pull-ups."""


I2C_DEVICES = Path("/sys/bus/i2c/devices")


def find_chip_number(bus_number: int, address: int) -> int | None:
    """The 2 of /dev/gpiochip2, if the kernel drives the chip at an address of an I2C bus."""
    for chip_folder in (I2C_DEVICES / f"{bus_number}-{address:04x}").glob("gpiochip*"):
        return int(chip_folder.name.removeprefix("gpiochip"))
    return None


class ExpanderLines:
    """All lines of one chip, read at one go: the kernel asks the chip once.

    Args:
        chip_number: the 2 of /dev/gpiochip2.
        output_levels: the lines that are driven, with their levels; all others are inputs.

    Raises:
        BoardFault: they cannot be had.
    """

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
        """The levels of its 16 pins as bits, named as in Adafruit's driver.

        Raises:
            SensorReadError: the chip did not answer.
        """
        try:
            line_values = self._request.get_values()
        except (OSError, ValueError) as error:
            message = Message("expander.unreached", chip=self._number, text=describe_system_error(error))
            raise SensorReadError(message) from error
        return sum(1 << number for number, value in enumerate(line_values) if value is self._active)

    def close(self) -> None:
        """Let go of the lines. Closing twice is no fault."""
        self._request.release()


class ExpanderReader:
    """Switches to ground on one or more MCP23017s.

    Args:
        wiring: which cell is on which pin.
        i2c_bus: the I2C bus; by default the one that the wiring names, opened and closed with this.
    """

    raw_values = edge_file = None

    def __init__(self, wiring: ExpanderWiring, i2c_bus: I2cBus | None = None) -> None:
        self._wiring = wiring
        self._given = i2c_bus
        self._bus: I2cBus | None = None
        self._chips: dict[int, Any] = {}
        self._lines: dict[int, ExpanderLines] = {}
        self._bits = tuple((expander_pin.address, _pin_mask(expander_pin)) for expander_pin in wiring.pins.values())

    def open(self) -> None:
        """Reach every chip and set it up.

        Raises:
            BoardFault: there is no bus, or no library; or another program has a chip that the kernel drives.
            SensorReadError: a chip is not reached.
        """
        chip_class = import_adafruit("adafruit_mcp230xx.mcp23017", "adafruit-circuitpython-mcp230xx").MCP23017
        if self._bus is None:
            self._bus = self._given or I2cBus(self._wiring.bus)
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
        """1 for each pin that is at ground.

        Raises:
            OSError: a chip was not reached.
            SensorReadError: what it said cannot be.
        """
        port_words = {address: self._read_port(address, chip) for address, chip in self._chips.items()}
        for address, port_word in port_words.items():
            if port_word & CANARY_PINS != CANARY_LEVELS:
                facts = {"chip": MCP23017.title, "address": f"0x{address:02x}", "value": f"0x{port_word:04x}"}
                raise SensorReadError(Message("expander.impossible", **facts))
        return tuple([0 if port_words[address] & pin_mask else 1 for address, pin_mask in self._bits])

    def is_configured(self) -> bool:
        """Whether every chip still knows its inputs and its pull-ups."""
        return all(_is_chip_configured(chip) for chip in self._chips.values())

    def close(self) -> None:
        """Let go of the bus. The chips stay as they are: they drive nothing but two pins that lead nowhere."""
        self._chips = {}
        while self._lines:
            self._lines.popitem()[1].close()
        if self._bus is not None and self._given is None:
            self._bus.close()
        self._bus = None

    def _read_port(self, address: int, chip: Any) -> int:
        """Read all levels of a chip. If the kernel does not reach it, ask the bus why."""
        if not (kernel_lines := self._lines.get(address)):
            return int(chip.gpio)
        try:
            return kernel_lines.gpio
        except SensorReadError:
            _is_chip_configured(chip)
            raise


def _pin_mask(expander_pin: ExpanderPin) -> int:
    """A pin in the word that holds both ports, port A in the lower half."""
    return 1 << MCP23017.find_number(expander_pin)


def _configure_chip(chip: Any) -> None:
    """The canaries' levels come first, so that they are right from the moment they are driven."""
    chip.interrupt_enable = 0
    chip.io_control = 0
    chip.gpio = CANARY_LEVELS
    chip.iodir = INPUT_PINS
    chip.gppu = INPUT_PINS
    chip.ipol = 0


def _is_chip_configured(chip: Any) -> bool:
    return bool(chip.iodir == INPUT_PINS and chip.gppu == INPUT_PINS and chip.ipol == 0)
