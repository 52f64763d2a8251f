"""What a board asks of its Pi: devices, packages, GPIOs, and the way its lamps are driven."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from pond_hw.drivers.pi_machine import (
    GPIO_MEMORY_DEVICE,
    PI5_NEOPIXEL_HELPER,
    PIO_DEVICE,
    PULSE_SOURCES,
    SPI_DEVICE,
    Machine,
    choose_driver,
)
from pond_hw.profile.board_profile import (
    AdcPins,
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    Profile,
    TrellisWiring,
)
from pond_hw.profile.pi_header import I2C_GPIOS, SPI0, SPI1


def install_command(board_path: str) -> str:
    """The command that sets up all that a board asks for, in the project's folder.

    Args:
        board_path: the name or the path of its profile.
    """
    return f"sudo firmware/raspberry-pi/install.sh --board {shlex.quote(board_path)}"


class NeededDevice(NamedTuple):
    """A device that a board is opened by, and the group that may."""

    path: str
    group: str


class NeededPackage(NamedTuple):
    """A Python package that a board is driven by.

    Attributes:
        name: as it is installed.
        module: as it is imported.
        apt_package: the system's package that holds it, if pip cannot always have it.
        min_version: the oldest version that will do, as numbers; empty if any will.
    """

    name: str
    module: str
    apt_package: str = ""
    min_version: tuple[int, ...] = ()


GPIOZERO = NeededPackage("gpiozero", "gpiozero", min_version=(2, 0, 1))
LGPIO = NeededPackage("lgpio", "lgpio", apt_package="python3-lgpio", min_version=(0, 2, 2))
SPIDEV = NeededPackage("spidev", "spidev")
SMBUS2 = NeededPackage("smbus2", "smbus2")
WS281X = NeededPackage("rpi_ws281x", "rpi_ws281x", min_version=(5,))
NEOPIXEL = NeededPackage("adafruit-circuitpython-neopixel", "neopixel")
PI5_NEOPIXEL = NeededPackage("Adafruit-Blinka-Raspberry-Pi5-Neopixel", PI5_NEOPIXEL_HELPER)
BLINKA = NeededPackage("Adafruit-Blinka", "adafruit_blinka")
GPIOD = NeededPackage(
    "gpiod", "gpiod", min_version=(2, 2, 2)
)  # Blinka does not ask for it, and on a Pi cannot be loaded without
MCP23017 = NeededPackage("adafruit-circuitpython-mcp230xx", "adafruit_mcp230xx")
NEOTRELLIS = NeededPackage("adafruit-circuitpython-neotrellis", "adafruit_neotrellis")

KNOWN_PACKAGES = (
    *(GPIOZERO, LGPIO, SPIDEV, SMBUS2, WS281X, NEOPIXEL, PI5_NEOPIXEL, BLINKA, GPIOD, MCP23017, NEOTRELLIS),
)
"""All that a board may be driven by."""


def has_gpio_pins(profile: Profile) -> bool:
    """Whether something is wired to GPIOs that gpiozero reads or sounds."""
    is_wired = isinstance(profile.sensing.wiring, DirectWiring | MatrixWiring | AnalogWiring)
    return is_wired or profile.key_pin is not None or profile.buzzer_pin is not None


def drives_by_spi(profile: Profile, machine: Machine) -> bool:
    """Whether the lamps are fed by SPI0."""
    driver = choose_driver(profile, machine).driver
    through_rpi_ws281x = driver == "ws281x" or (driver == "neopixel" and not machine.is_pi5)
    return driver == "spi" or (through_rpi_ws281x and profile.chain.data_pin not in PULSE_SOURCES)


def pulse_source(profile: Profile, machine: Machine) -> str:
    """What makes the pulses of lamps that rpi_ws281x drives as root: `PWM_GPIOS`, `PCM`; empty for other lamps."""
    driver, gpio_number = choose_driver(profile, machine).driver, profile.chain.data_pin
    if driver == "ws281x" or (driver == "neopixel" and not machine.is_pi5):
        return PULSE_SOURCES.get(gpio_number or 0, "")
    return ""


def converters_on(profile: Profile, spi_bus: object) -> list[AdcPins]:
    """The converters that lie on one of the header's SPI buses."""
    wiring = profile.sensing.wiring
    adc_chips = wiring.chips.values() if isinstance(wiring, AnalogWiring) else ()
    return [chip for chip in adc_chips if (SPI0 if spi_bus is SPI0 else SPI1).serves_chip(chip)]


def i2c_bus_number(profile: Profile) -> int | None:
    """The number of the I2C bus that the sensors are on, if they are."""
    wiring = profile.sensing.wiring
    return wiring.bus if isinstance(wiring, ExpanderWiring | TrellisWiring) else None


def needed_devices(profile: Profile, machine: Machine) -> list[NeededDevice]:
    """The devices that a board is opened by, without those that only root may open."""
    wanted_devices = (
        [NeededDevice(machine.gpio_device, "gpio")] if has_gpio_pins(profile) and not machine.pins_mocked else []
    )
    bus = i2c_bus_number(profile)
    if bus is not None:
        wanted_devices.append(NeededDevice(f"/dev/i2c-{bus}", "i2c"))
    if drives_by_spi(profile, machine):
        wanted_devices.append(NeededDevice(SPI_DEVICE, "spi"))
        if choose_driver(profile, machine).driver != "spi":
            wanted_devices.append(NeededDevice(GPIO_MEMORY_DEVICE, "gpio"))
    if choose_driver(profile, machine).driver == "neopixel" and machine.is_pi5:
        wanted_devices.append(NeededDevice(PIO_DEVICE, "gpio"))
    for spi_number, bus_of in enumerate((SPI0, SPI1)):
        select_numbers = sorted(bus_of.select_gpios.index(chip.select) for chip in converters_on(profile, bus_of))
        wanted_devices += [
            NeededDevice(f"/dev/spidev{spi_number}.{select_number}", "spi") for select_number in select_numbers
        ]
    return list(dict.fromkeys(wanted_devices))


def needed_packages(profile: Profile, machine: Machine) -> list[NeededPackage]:
    """The Python packages that a board is driven by."""
    wanted_packages = [GPIOZERO, LGPIO] if has_gpio_pins(profile) else []
    wiring, driver = profile.sensing.wiring, choose_driver(profile, machine).driver
    if isinstance(wiring, ExpanderWiring):
        wanted_packages += [SMBUS2, GPIOD, MCP23017]
    if isinstance(wiring, TrellisWiring):
        wanted_packages += [SMBUS2, GPIOD, NEOTRELLIS]
    if driver == "spi":
        wanted_packages.append(SPIDEV)
    if driver == "neopixel":
        wanted_packages += [NEOPIXEL, GPIOD, PI5_NEOPIXEL if machine.is_pi5 else WS281X]
    if driver == "ws281x":
        wanted_packages.append(WS281X)
    return wanted_packages


def gpio_uses(profile: Profile) -> dict[int, str]:
    """What a board uses each GPIO for, in words; what the buses of the header are used for is not among it."""
    wiring = profile.sensing.wiring
    used: dict[int, str] = {}
    if isinstance(wiring, DirectWiring):
        used |= {gpio_number: f"cell {cell}" for cell, gpio_number in wiring.pins.items()}
    if isinstance(wiring, MatrixWiring):
        used |= {
            gpio_number: "the matrix"
            for matrix_crossing in wiring.crossings.values()
            for gpio_number in matrix_crossing
        }
    if isinstance(wiring, AnalogWiring):
        for chip_letter, chip in wiring.chips.items():
            if not (SPI0.serves_chip(chip) or SPI1.serves_chip(chip)):
                used |= dict.fromkeys(chip, f"converter {chip_letter}")
    if profile.key_pin is not None:
        used[profile.key_pin] = "the key"
    if profile.buzzer_pin is not None:
        used[profile.buzzer_pin] = "the buzzer"
    if profile.chain.data_pin in PULSE_SOURCES:
        used[profile.chain.data_pin] = "the lamps"
    return used


def bus_gpios(profile: Profile, machine: Machine) -> dict[int, str]:
    """The GPIOs of the header's buses that a board uses, and the bus."""
    used: dict[int, str] = {}
    if i2c_bus_number(profile) == 1:
        used |= dict.fromkeys(I2C_GPIOS, "I2C")
    if drives_by_spi(profile, machine) or converters_on(profile, SPI0):
        used |= dict.fromkeys(SPI0.all_gpios, "SPI0")
    for chip in converters_on(profile, SPI1):
        used |= dict.fromkeys(chip, "SPI1")
    return used
