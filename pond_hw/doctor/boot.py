"""SPI and I2C: what config.txt says, what the running system has, and what the board needs."""

from __future__ import annotations

from collections.abc import Iterator

from pond_hw.doctor.board_needs import by_spi, chips_on, i2c_bus
from pond_hw.doctor.boot_config import Config
from pond_hw.doctor.check_results import Found, fault, good, warning
from pond_hw.doctor.surroundings import Surroundings
from pond_hw.drivers.pi_machine import SPI
from pond_hw.profile.board_profile import Expanders, Profile, Trellis
from pond_hw.profile.pi_header import SPI0, SPI1

RESTART = "sudo reboot"
FAST, SLOW = 400_000, 100_000
"""Rates of I2C, in Hz: for MCP23017s, and what every chip can do."""


def look(around: Surroundings, config: Config, profile: Profile | None) -> Iterator[Found]:
    """What the boot settings give to the board."""
    if not config.place:
        told = "There is no config.txt: the boot partition is not mounted, or this is not Raspberry Pi OS."
        yield fault("boot", told, "sudo mount /boot/firmware")
        return
    if profile is None:
        yield good("spi", f"SPI is {'on' if config.on('spi') else 'off'} in {config.place}.")
        yield good("i2c", f"I2C is {'on' if config.on('i2c_arm') else 'off'} in {config.place}.")
        return
    if by_spi(profile, around.machine) or chips_on(profile, SPI0):
        yield _spi(around, config)
    if chips_on(profile, SPI1):
        yield _spi1(around, config, profile)
    bus = i2c_bus(profile)
    if bus == 1:
        yield _i2c(around, config)
        yield from _rate(around, config, profile)
    elif bus is not None and not around.machine.has(f"/dev/i2c-{bus}"):
        told = f"There is no /dev/i2c-{bus}: wire the sensors to bus 1, on GPIO 2 and 3, and let the profile say so."
        yield fault("i2c", told)


def _spi(around: Surroundings, config: Config) -> Found:
    there = around.machine.has(SPI)
    if config.on("spi"):
        if there:
            return good("spi", f"SPI is on, in {config.place} and as {SPI}.")
        if around.machine.spi_on:
            told = f"SPI is on, but there is no {SPI}: its driver is not loaded, or an overlay has taken SPI0."
            return fault("spi", told, "sudo modprobe spidev")
        return fault("spi", f"SPI is on in {config.place}, but not yet on this running Pi. Restart it.", RESTART)
    mend = "sudo raspi-config nonint do_spi 0"
    if there:
        told = f"There is {SPI}, but {config.place} does not switch SPI on: it is gone after the next start."
        return warning("spi", told, mend)
    return fault("spi", f"SPI is off in {config.place}. Switch it on, then restart the Pi.", mend)


def _spi1(around: Surroundings, config: Config, profile: Profile) -> Found:
    chips = chips_on(profile, SPI1)
    selects = [SPI1.selects.index(chip.select) for chip in chips]
    needed = max(selects) + 1
    names = [f"spi1-{count}cs" for count in range(needed, 4)]
    lines = [each.line for each in config.overlays if each.name in ("spi1-1cs", "spi1-2cs", "spi1-3cs")]
    if not any(config.has(name) for name in names):
        told = f"The converters on SPI1 need {needed} select pins: add dtoverlay={names[0]}, then restart the Pi."
        mend = config.changing(lines[-1], f"dtoverlay={names[0]}") if lines else config.adding(f"dtoverlay={names[0]}")
        return fault("spi", told, mend)
    if not all(around.machine.has(f"/dev/spidev1.{select}") for select in selects):
        return fault("spi", f"SPI1 is on in {config.place}, but not yet on this running Pi. Restart it.", RESTART)
    return good("spi", f"SPI1 is on, with {needed} select pins.")


def _i2c(around: Surroundings, config: Config) -> Found:
    there = around.machine.has("/dev/i2c-1")
    mend = "sudo raspi-config nonint do_i2c 0"
    if config.on("i2c_arm"):
        if there:
            return good("i2c", f"I2C is on, in {config.place} and as /dev/i2c-1.")
        if "i2c_dev" not in around.text("/proc/modules") and around.path("/sys/bus/i2c/devices/i2c-1").exists():
            told = "I2C is on, but there is no /dev/i2c-1: its driver is not loaded."
            return fault("i2c", told, "sudo modprobe i2c-dev")
        return fault("i2c", f"I2C is on in {config.place}, but not yet on this running Pi. Restart it.", RESTART)
    if there:
        told = f"There is /dev/i2c-1, but {config.place} does not switch I2C on: it is gone after the next start."
        return warning("i2c", told, mend)
    return fault("i2c", f"I2C is off in {config.place}. Switch it on, then restart the Pi.", mend)


def _rate(around: Surroundings, config: Config, profile: Profile) -> Iterator[Found]:
    told = config.params.get("i2c_arm_baudrate", str(SLOW))
    rate = int(told) if told.isdecimal() else SLOW
    wiring = profile.sensing.wiring
    if isinstance(wiring, Expanders) and rate < FAST:
        sentence = f"I2C runs at {rate} Hz; at {FAST} Hz a reading takes a quarter of the time. Restart the Pi then."
        yield warning("i2c", sentence, config.adding(f"dtparam=i2c_arm_baudrate={FAST}"))
    elif isinstance(wiring, Trellis) and rate > SLOW and not around.machine.five:
        sentence = f"I2C runs at {rate} Hz: a NeoTrellis holds the clock back, and a Pi up to 4 loses bits then."
        yield fault(
            "i2c", f"{sentence} Slow it down, then restart the Pi.", config.adding(f"dtparam=i2c_arm_baudrate={SLOW}")
        )
    else:
        yield good("i2c", f"I2C runs at {rate} Hz.")
