"""Requirements of a board: devices, packages, GPIOs and the lamp driver."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from pond_hw.drivers import pi_machine
from pond_hw.drivers.pi_machine import PULSE_SOURCES, Machine, choose_driver, needs_pins
from pond_hw.messages.message import Message
from pond_hw.profile import board_profile as wirings
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.chips import CONVERTERS, EXPANDERS, AdcPins
from pond_hw.profile.pi_header import I2C_GPIOS, SPI0, SPI1, SpiBus


def install_command(board_path: str) -> str:
    """Return the command that installs the service and prepares the system for a board."""
    return f"sudo pond-board {shlex.quote(board_path)}"


class NeededDevice(NamedTuple):
    """Device file that a board uses, and the group that may access it."""

    path: str
    group: str


class NeededPackage(NamedTuple):
    """Python package that drives part of a board. An empty `min_version` allows any version.

    Attributes:
        name: name of the package for pip.
        module: name of the module to import.
        apt_package: Debian package to install instead, because pip can't always install the Python package.
    """

    name: str
    module: str
    apt_package: str = ""
    min_version: tuple[int, ...] = ()

    @property
    def min_version_text(self) -> str:
        """Minimum version as text; empty if any version is usable."""
        return ".".join(map(str, self.min_version))


GPIOZERO = NeededPackage("gpiozero", "gpiozero", min_version=(2, 0, 1))
LGPIO = NeededPackage("lgpio", "lgpio", apt_package="python3-lgpio", min_version=(0, 2, 2))
SPIDEV = NeededPackage("spidev", "spidev")
SMBUS2 = NeededPackage("smbus2", "smbus2")
WS281X = NeededPackage("rpi_ws281x", "rpi_ws281x", min_version=(5,))
NEOPIXEL = NeededPackage("adafruit-circuitpython-neopixel", "neopixel")
PI5_NEOPIXEL = NeededPackage("Adafruit-Blinka-Raspberry-Pi5-Neopixel", pi_machine.PI5_NEOPIXEL_HELPER)
BLINKA = NeededPackage("Adafruit-Blinka", "adafruit_blinka")
# Blinka fails on a Pi without gpiod, but does not list it as a dependency.
GPIOD = NeededPackage("gpiod", "gpiod", min_version=(2, 2, 2))
CHIP_PACKAGES = {name: NeededPackage(*chip.library) for name, chip in (EXPANDERS | CONVERTERS).items() if chip.library}
NEOTRELLIS = NeededPackage("adafruit-circuitpython-neotrellis", "adafruit_neotrellis")
PYSERIAL = NeededPackage("pyserial", "serial")

KNOWN_PACKAGES = (
    *(GPIOZERO, LGPIO, SPIDEV, SMBUS2, WS281X, NEOPIXEL, PI5_NEOPIXEL, BLINKA, GPIOD),
    *CHIP_PACKAGES.values(),
    *(NEOTRELLIS, PYSERIAL),
)
"""All packages that a board may need."""


def _uses_rpi_ws281x(profile: Profile, machine: Machine) -> bool:
    """Return True if rpi_ws281x drives the lamps, directly or through Adafruit's library."""
    driver = choose_driver(profile, machine).driver
    return driver == "ws281x" or (driver == "neopixel" and not machine.is_pi5)


def drives_by_spi(profile: Profile, machine: Machine) -> bool:
    """Return True if the lamp data is sent over SPI0."""
    by_ws281x = _uses_rpi_ws281x(profile, machine) and profile.chain.data_pin not in PULSE_SOURCES
    return by_ws281x or choose_driver(profile, machine).driver == "spi"


def pulse_source(profile: Profile, machine: Machine) -> str:
    """Return the peripheral that rpi_ws281x uses, `PWM` or `PCM`, both of which need root; empty for other drivers."""
    return PULSE_SOURCES.get(profile.chain.data_pin or 0, "") if _uses_rpi_ws281x(profile, machine) else ""


def converters_on(profile: Profile, spi_bus: SpiBus) -> list[AdcPins]:
    """Return the A/D converters on one of the header's SPI buses."""
    wiring = profile.sensing.wiring
    adc_chips = wiring.chips.values() if isinstance(wiring, wirings.AnalogWiring) else ()
    return [chip for chip in adc_chips if spi_bus.serves_chip(chip)]


def i2c_bus_number(profile: Profile) -> int | None:
    """Return the number of the Pi's I2C bus that the sensors are on, or None."""
    return None if profile.controller == "pico" else wirings.find_i2c_bus(profile.sensing.wiring)


def needed_devices(profile: Profile, machine: Machine) -> list[NeededDevice]:
    """Return the device files that a board uses, except those that only root can open."""
    devices: list[NeededDevice] = []
    driver, bus = choose_driver(profile, machine).driver, i2c_bus_number(profile)
    if needs_pins(profile) and not machine.pins_mocked:
        devices.append(NeededDevice(machine.gpio_device, "gpio"))
    if bus is not None:
        devices.append(NeededDevice(f"/dev/i2c-{bus}", "i2c"))
    if drives_by_spi(profile, machine):
        devices.append(NeededDevice(pi_machine.SPI_DEVICE, "spi"))
        if driver != "spi":
            devices.append(NeededDevice(pi_machine.GPIO_MEMORY_DEVICE, "gpio"))
    if driver == "neopixel" and machine.is_pi5:
        devices.append(NeededDevice(pi_machine.PIO_DEVICE, "gpio"))
    for spi_number, spi_bus in enumerate((SPI0, SPI1)):
        select_numbers = sorted(spi_bus.select_gpios.index(chip.select) for chip in converters_on(profile, spi_bus))
        devices += [NeededDevice(f"/dev/spidev{spi_number}.{number}", "spi") for number in select_numbers]
    return list(dict.fromkeys(devices))


def needed_packages(profile: Profile, machine: Machine) -> list[NeededPackage]:
    packages_by_driver = {
        "spi": [SPIDEV],
        "neopixel": [NEOPIXEL, GPIOD, PI5_NEOPIXEL if machine.is_pi5 else WS281X],
        "ws281x": [WS281X],
    }
    if profile.controller == "pico":
        return [PYSERIAL]
    wanted_packages = [GPIOZERO, LGPIO, GPIOD] if needs_pins(profile) else []
    if isinstance(profile.sensing.wiring, wirings.ExpanderWiring):
        wanted_packages.append(SMBUS2)
        if package := CHIP_PACKAGES.get(profile.sensing.wiring.chip.name):
            wanted_packages += [GPIOD, package]
    if isinstance(profile.sensing.wiring, wirings.TrellisWiring):
        wanted_packages += [SMBUS2, GPIOD, NEOTRELLIS]
    wanted_packages += packages_by_driver.get(choose_driver(profile, machine).driver, [])
    return list(dict.fromkeys(wanted_packages))


def gpio_uses(profile: Profile) -> dict[int, Message]:
    """Return the purpose of each GPIO that a board uses, except for GPIOs on the header's buses."""
    used: dict[int, Message] = {}
    if profile.controller == "pico":
        return used
    match profile.sensing.wiring:
        case wirings.DirectWiring() as wiring:
            used = {gpio: Message("doctor.gpio.cell", gpio=gpio, cell=cell) for cell, gpio in wiring.pins.items()}
        case wirings.MatrixWiring() as wiring:
            gpios = (gpio for crossing in wiring.crossings.values() for gpio in crossing)
            used = {gpio: Message("doctor.gpio.matrix", gpio=gpio) for gpio in gpios}
        case wirings.AnalogWiring() as wiring:
            for letter, chip in wiring.chips.items():
                if not (SPI0.serves_chip(chip) or SPI1.serves_chip(chip)):
                    used |= {gpio: Message("doctor.gpio.converter", gpio=gpio, converter=letter) for gpio in chip}
    lamp_pin = profile.chain.data_pin if profile.chain.data_pin in PULSE_SOURCES else None
    parts = {**profile.key_pins, "buzzer": profile.buzzer_pin, "lamps": lamp_pin}
    return used | {gpio: Message(f"doctor.gpio.{part}", gpio=gpio) for part, gpio in parts.items() if gpio is not None}


def bus_gpios(profile: Profile, machine: Machine) -> dict[int, str]:
    """Return the bus name for each GPIO that a board uses for one of the header's buses."""
    used = dict.fromkeys(I2C_GPIOS, "I2C") if i2c_bus_number(profile) is not None else {}
    if drives_by_spi(profile, machine) or converters_on(profile, SPI0):
        used |= dict.fromkeys(SPI0.all_gpios, "SPI0")
    for chip in converters_on(profile, SPI1):
        used |= dict.fromkeys(chip, "SPI1")
    return used
