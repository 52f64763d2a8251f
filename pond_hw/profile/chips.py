"""Sensor chips: expanders and converters.

A new chip needs an entry here, a driver in `drivers/` and a part in `fabrication/part_catalogue.toml`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple


class ExpanderPin(NamedTuple):
    """Pin of an expander: I2C address, the data sheet's name for the port, and bit from 0 to 7."""

    address: int
    port: str
    bit: int

    def __str__(self) -> str:
        return f"{self.port}{self.bit} at 0x{self.address:02x}"


class AdcPins(NamedTuple):
    """GPIOs of a converter's SPI connection."""

    clock: int
    mosi: int
    miso: int
    select: int


class AdcChannel(NamedTuple):
    """Input of a converter: the chip's letter in the profile, and the channel. `str()` formats it as in drawings."""

    chip: str
    channel: int

    def __str__(self) -> str:
        return f"{self.chip}{self.channel}"


class Port(NamedTuple):
    """Eight pins of an expander: `A` in a drawing's `20.A0`, `GPA` in the data sheet.

    Package pin `first_package_pin` is bit 0, and the next seven pins are bits 1 to 7.
    """

    drawn: str
    name: str
    first_package_pin: int


@dataclass(frozen=True)
class SensorChip:
    """Chip that reads sensors.

    Attributes:
        name: its `driver` in profiles.
        title: name for people.
        reader: module and class of its driver; the class takes the wiring. It is imported when a board is opened.
        part: entry in `fabrication/part_catalogue.toml`, with pins, voltages and currents.
        scan_rates: minimum, maximum and default readings per second.
        high_pins: pins connected to 3.3 V, the supply pin first.
        low_pins: pins connected to ground.
        library: Python package needed by the driver, and its module; None if it needs none.
    """

    name: str
    title: str
    reader: str
    part: str
    scan_rates: tuple[int, int, int]
    high_pins: tuple[str, ...]
    low_pins: tuple[str, ...]
    library: tuple[str, str] | None


@dataclass(frozen=True)
class Expander(SensorChip):
    """I2C inputs for switches and digital hall sensors, with internal pull-ups.

    Attributes:
        ports: groups of eight pins.
        addresses: I2C addresses, selected by A0, A1 and A2: connecting A0 to 3.3 V adds 1, A1 adds 2, A2 adds 4.
        reserved_bit: bit of each port that no sensor may use.
        reserved_message: id of the message with the reason. By default, the driver uses the bit to detect a dead chip.
        pull_up_ohms: pull-up resistance of a pin.
        overlay: config.txt overlay that hands the chip to the kernel.
        on_pico: True if a Pico's firmware can read it.
    """

    _: KW_ONLY
    ports: tuple[Port, ...]
    addresses: range = range(0x20, 0x28)
    reserved_bit: int = 7
    reserved_message: str = "profile.expander.canary"
    pull_up_ohms: int
    overlay: str
    on_pico: bool = False

    def find_port(self, name: str) -> Port:
        """Return a port by its name in drawings or in the data sheet.

        Raises:
            KeyError: there is no such port.
        """
        for port in self.ports:
            if name in (port.drawn, port.name):
                return port
        raise KeyError(f"{self.title} has no port {name}")

    def find_package_pin(self, pin: ExpanderPin) -> int:
        return self.find_port(pin.port).first_package_pin + pin.bit

    def find_number(self, pin: ExpanderPin) -> int:
        """Return the bit position of a pin in the combined value of all ports. The first port has the lowest bits."""
        return 8 * self.ports.index(self.find_port(pin.port)) + pin.bit

    def draw_pin(self, pin: ExpanderPin) -> str:
        return f"{pin.address:x}.{self.find_port(pin.port).drawn}{pin.bit}"


@dataclass(frozen=True)
class Converter(SensorChip):
    """SPI inputs for linear hall sensors. Counts are 0 to 1023.

    Attributes:
        spi_pins: pins of its SPI connection, in the order of `AdcPins`.
        channel_name: the data sheet's name for an input, without its number.
        first_package_pin: package pin of channel 0; those of the other channels follow.
    """

    _: KW_ONLY
    spi_pins: tuple[str, str, str, str]
    channel_name: str
    channel_count: int
    first_package_pin: int


MCP23017 = Expander(
    "mcp23017",
    "MCP23017",
    reader="pond_hw.drivers.mcp23017:ExpanderReader",
    part="expander",
    scan_rates=(20, 500, 125),
    high_pins=("VDD", "RESET"),
    low_pins=("VSS",),
    library=("adafruit-circuitpython-mcp230xx", "adafruit_mcp230xx"),
    ports=(Port("A", "GPA", 21), Port("B", "GPB", 1)),
    reserved_message="profile.expander.output_only",
    pull_up_ohms=100_000,  # 40 to 115 µA at 5 V
    overlay="mcp23017",
    on_pico=True,
)

PCF8575 = Expander(
    "pcf8575",
    "PCF8575",
    reader="pond_hw.drivers.pcf8575:QuasiBidirectionalReader",
    part="pcf8575",
    scan_rates=(20, 500, 125),
    high_pins=("VCC",),
    low_pins=("GND",),
    library=None,  # its protocol uses only two bytes in each direction
    ports=(Port("P0", "P0", 4), Port("P1", "P1", 13)),
    pull_up_ohms=33_000,  # the chip has a current source of 30 to 300 µA, typically 100 µA
    overlay="pcf857x",
)

MCP3008 = Converter(
    "mcp3008",
    "MCP3008",
    reader="pond_hw.drivers.mcp3008:AnalogReader",
    part="converter",
    scan_rates=(10, 100, 40),  # one conversion per cell
    high_pins=("VDD", "VREF"),
    low_pins=("AGND", "DGND"),
    library=None,  # read by gpiozero
    spi_pins=("CLK", "DIN", "DOUT", "CS"),
    channel_name="CH",
    channel_count=8,
    first_package_pin=1,
)

EXPANDERS = {chip.name: chip for chip in (MCP23017, PCF8575)}
CONVERTERS = {chip.name: chip for chip in (MCP3008,)}
"""Converters by their `driver` in profiles."""

EXPANDER_PARTS = {chip.part: chip for chip in EXPANDERS.values()}
CONVERTER_PARTS = {chip.part: chip for chip in CONVERTERS.values()}
"""Converters by their name in the part catalogue."""
