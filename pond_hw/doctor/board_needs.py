"""What a board asks of its Pi: devices, packages, GPIOs, and the way its lamps are driven."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from pond_hw.drivers.pi_machine import GPIO_MEMORY, HELPER, PIO, PULSES, SPI, Machine, choose
from pond_hw.profile.board_profile import Adc, Analog, Direct, Expanders, Matrix, Profile, Trellis
from pond_hw.profile.pi_header import I2C, SPI0, SPI1


def install(called: str) -> str:
    """The command that sets up all that a board asks for, in the project's folder.

    Args:
        called: the name or the path of its profile.
    """
    return f"sudo firmware/raspberry-pi/install.sh --board {shlex.quote(called)}"


class Device(NamedTuple):
    """A device that a board is opened by, and the group that may."""

    path: str
    group: str


class Wanted(NamedTuple):
    """A Python package that a board is driven by.

    Attributes:
        name: as it is installed.
        module: as it is imported.
        apt: the system's package that holds it, if pip cannot always have it.
        least: the oldest version that will do, as numbers; empty if any will.
    """

    name: str
    module: str
    apt: str = ""
    least: tuple[int, ...] = ()


GPIOZERO = Wanted("gpiozero", "gpiozero", least=(2, 0, 1))
LGPIO = Wanted("lgpio", "lgpio", apt="python3-lgpio", least=(0, 2, 2))
SPIDEV = Wanted("spidev", "spidev")
SMBUS2 = Wanted("smbus2", "smbus2")
WS281X = Wanted("rpi_ws281x", "rpi_ws281x", least=(5,))
NEOPIXEL = Wanted("adafruit-circuitpython-neopixel", "neopixel")
PI5_NEOPIXEL = Wanted("Adafruit-Blinka-Raspberry-Pi5-Neopixel", HELPER)
BLINKA = Wanted("Adafruit-Blinka", "adafruit_blinka")
GPIOD = Wanted("gpiod", "gpiod", least=(2, 2, 2))  # Blinka does not ask for it, and on a Pi cannot be loaded without
MCP23017 = Wanted("adafruit-circuitpython-mcp230xx", "adafruit_mcp230xx")
NEOTRELLIS = Wanted("adafruit-circuitpython-neotrellis", "adafruit_neotrellis")

PACKAGES = (*(GPIOZERO, LGPIO, SPIDEV, SMBUS2, WS281X, NEOPIXEL, PI5_NEOPIXEL, BLINKA, GPIOD, MCP23017, NEOTRELLIS),)
"""All that a board may be driven by."""


def has_pins(profile: Profile) -> bool:
    """Whether something is wired to GPIOs that gpiozero reads or sounds."""
    wired = isinstance(profile.sensing.wiring, Direct | Matrix | Analog)
    return wired or profile.key is not None or profile.buzzer is not None


def by_spi(profile: Profile, machine: Machine) -> bool:
    """Whether the lamps are fed by SPI0."""
    driver = choose(profile, machine).driver
    through_rpi_ws281x = driver == "ws281x" or (driver == "neopixel" and not machine.five)
    return driver == "spi" or (through_rpi_ws281x and profile.chain.pin not in PULSES)


def by_pulses(profile: Profile, machine: Machine) -> str:
    """What makes the pulses of lamps that rpi_ws281x drives as root: `PWM`, `PCM`; empty for other lamps."""
    driver, pin = choose(profile, machine).driver, profile.chain.pin
    if driver == "ws281x" or (driver == "neopixel" and not machine.five):
        return PULSES.get(pin or 0, "")
    return ""


def chips_on(profile: Profile, bus: object) -> list[Adc]:
    """The converters that lie on one of the header's SPI buses."""
    wiring = profile.sensing.wiring
    chips = wiring.chips.values() if isinstance(wiring, Analog) else ()
    return [chip for chip in chips if (SPI0 if bus is SPI0 else SPI1).drives(chip)]


def i2c_bus(profile: Profile) -> int | None:
    """The number of the I2C bus that the sensors are on, if they are."""
    wiring = profile.sensing.wiring
    return wiring.bus if isinstance(wiring, Expanders | Trellis) else None


def devices(profile: Profile, machine: Machine) -> list[Device]:
    """The devices that a board is opened by, without those that only root may open."""
    wanted = [Device(machine.gpio, "gpio")] if has_pins(profile) and not machine.mocked else []
    bus = i2c_bus(profile)
    if bus is not None:
        wanted.append(Device(f"/dev/i2c-{bus}", "i2c"))
    if by_spi(profile, machine):
        wanted.append(Device(SPI, "spi"))
        if choose(profile, machine).driver != "spi":
            wanted.append(Device(GPIO_MEMORY, "gpio"))
    if choose(profile, machine).driver == "neopixel" and machine.five:
        wanted.append(Device(PIO, "gpio"))
    for number, bus_of in enumerate((SPI0, SPI1)):
        selects = sorted(bus_of.selects.index(chip.select) for chip in chips_on(profile, bus_of))
        wanted += [Device(f"/dev/spidev{number}.{select}", "spi") for select in selects]
    return list(dict.fromkeys(wanted))


def packages(profile: Profile, machine: Machine) -> list[Wanted]:
    """The Python packages that a board is driven by."""
    wanted = [GPIOZERO, LGPIO] if has_pins(profile) else []
    wiring, driver = profile.sensing.wiring, choose(profile, machine).driver
    if isinstance(wiring, Expanders):
        wanted += [SMBUS2, GPIOD, MCP23017]
    if isinstance(wiring, Trellis):
        wanted += [SMBUS2, GPIOD, NEOTRELLIS]
    if driver == "spi":
        wanted.append(SPIDEV)
    if driver == "neopixel":
        wanted += [NEOPIXEL, GPIOD, PI5_NEOPIXEL if machine.five else WS281X]
    if driver == "ws281x":
        wanted.append(WS281X)
    return wanted


def uses(profile: Profile) -> dict[int, str]:
    """What a board uses each GPIO for, in words; what the buses of the header are used for is not among it."""
    wiring = profile.sensing.wiring
    used: dict[int, str] = {}
    if isinstance(wiring, Direct):
        used |= {pin: f"cell {cell}" for cell, pin in wiring.pins.items()}
    if isinstance(wiring, Matrix):
        used |= {pin: "the matrix" for crossing in wiring.crossings.values() for pin in crossing}
    if isinstance(wiring, Analog):
        for letter, chip in wiring.chips.items():
            if not (SPI0.drives(chip) or SPI1.drives(chip)):
                used |= dict.fromkeys(chip, f"converter {letter}")
    if profile.key is not None:
        used[profile.key] = "the key"
    if profile.buzzer is not None:
        used[profile.buzzer] = "the buzzer"
    if profile.chain.pin in PULSES:
        used[profile.chain.pin] = "the lamps"
    return used


def bus_pins(profile: Profile, machine: Machine) -> dict[int, str]:
    """The GPIOs of the header's buses that a board uses, and the bus."""
    used: dict[int, str] = {}
    if i2c_bus(profile) == 1:
        used |= dict.fromkeys(I2C, "I2C")
    if by_spi(profile, machine) or chips_on(profile, SPI0):
        used |= dict.fromkeys(SPI0.gpios, "SPI0")
    for chip in chips_on(profile, SPI1):
        used |= dict.fromkeys(chip, "SPI1")
    return used
