"""What of this machine a board is made of: the device nodes that whoever serves it must open, and so may lock.

Two boards that share one of them exclude each other: a pin, a bus and a lamp have one master.
"""

from __future__ import annotations

from pathlib import Path

from pond_hw.drivers.probe import SPI, Machine, choose
from pond_hw.profile.build import Analog, Direct, Expanders, Matrix, Profile, Trellis


def devices_of(profile: Profile, machine: Machine) -> list[Path]:
    """The nodes of a board's pins, I2C bus and lamps that are there, each once, in an order that is always the same.

    Pins that are mocked have none, and neither has what is simulated.
    """
    wiring, driver = profile.sensing.wiring, choose(profile, machine).driver
    pins = (
        isinstance(wiring, Direct | Matrix | Analog)
        or profile.key is not None
        or profile.buzzer is not None
        or driver in ("ws281x", "neopixel")  # whose own way to a pin excludes nobody
    )
    names = [machine.gpio] if pins and not machine.mocked else []
    if isinstance(wiring, Expanders | Trellis):
        names.append(f"/dev/i2c-{wiring.bus}")
    if driver == "spi":
        names.append(SPI)
    return sorted({(machine.root / name.lstrip("/")).resolve() for name in names if machine.has(name)})
