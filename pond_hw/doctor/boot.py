"""SPI and I2C: what config.txt says, what the running system has, and what the board needs."""

from __future__ import annotations

from collections.abc import Iterator

from pond_hw.doctor.board_needs import converters_on, drives_by_spi, i2c_bus_number
from pond_hw.doctor.boot_config import BootConfig
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.surroundings import HostSystem
from pond_hw.drivers.pi_machine import SPI_DEVICE
from pond_hw.profile.board_profile import ExpanderWiring, Profile, TrellisWiring
from pond_hw.profile.pi_header import SPI0, SPI1

RESTART_COMMAND = "sudo reboot"
FAST_I2C_HZ, SLOW_I2C_HZ = 400_000, 100_000
"""Rates of I2C, in Hz: for MCP23017s, and what every chip can do."""


def check_boot(around: HostSystem, config: BootConfig, profile: Profile | None) -> Iterator[CheckResult]:
    """What the boot settings give to the board."""
    if not config.file_path:
        told = "There is no config.txt: the boot partition is not mounted, or this is not Raspberry Pi OS."
        yield fault_result("boot", told, "sudo mount /boot/firmware")
        return
    if profile is None:
        yield good_result("spi", f"SPI is {'on' if config.is_on('spi') else 'off'} in {config.file_path}.")
        yield good_result("i2c", f"I2C is {'on' if config.is_on('i2c_arm') else 'off'} in {config.file_path}.")
        return
    if drives_by_spi(profile, around.machine) or converters_on(profile, SPI0):
        yield _check_spi0(around, config)
    if converters_on(profile, SPI1):
        yield _check_spi1(around, config, profile)
    bus = i2c_bus_number(profile)
    if bus == 1:
        yield _check_i2c(around, config)
        yield from _check_i2c_rate(around, config, profile)
    elif bus is not None and not around.machine.has_device(f"/dev/i2c-{bus}"):
        told = f"There is no /dev/i2c-{bus}: wire the sensors to bus 1, on GPIO 2 and 3, and let the profile say so."
        yield fault_result("i2c", told)


def _check_spi0(around: HostSystem, config: BootConfig) -> CheckResult:
    there = around.machine.has_device(SPI_DEVICE)
    if config.is_on("spi"):
        if there:
            return good_result("spi", f"SPI is on, in {config.file_path} and as {SPI_DEVICE}.")
        if around.machine.is_spi_on:
            told = f"SPI is on, but there is no {SPI_DEVICE}: its driver is not loaded, or an overlay has taken SPI0."
            return fault_result("spi", told, "sudo modprobe spidev")
        return fault_result(
            "spi", f"SPI is on in {config.file_path}, but not yet on this running Pi. Restart it.", RESTART_COMMAND
        )
    mend = "sudo raspi-config nonint do_spi 0"
    if there:
        told = f"There is {SPI_DEVICE}, but {config.file_path} does not switch SPI on: it is gone after the next start."
        return warning_result("spi", told, mend)
    return fault_result("spi", f"SPI is off in {config.file_path}. Switch it on, then restart the Pi.", mend)


def _check_spi1(around: HostSystem, config: BootConfig, profile: Profile) -> CheckResult:
    chips = converters_on(profile, SPI1)
    selects = [SPI1.select_gpios.index(chip.select) for chip in chips]
    needed = max(selects) + 1
    names = [f"spi1-{count}cs" for count in range(needed, 4)]
    lines = [each.source_line for each in config.overlays if each.name in ("spi1-1cs", "spi1-2cs", "spi1-3cs")]
    if not any(config.has_overlay(name) for name in names):
        told = f"The converters on SPI1 need {needed} select pins: add dtoverlay={names[0]}, then restart the Pi."
        mend = (
            config.replace_line_command(lines[-1], f"dtoverlay={names[0]}")
            if lines
            else config.add_line_command(f"dtoverlay={names[0]}")
        )
        return fault_result("spi", told, mend)
    if not all(around.machine.has_device(f"/dev/spidev1.{select}") for select in selects):
        return fault_result(
            "spi", f"SPI1 is on in {config.file_path}, but not yet on this running Pi. Restart it.", RESTART_COMMAND
        )
    return good_result("spi", f"SPI1 is on, with {needed} select pins.")


def _check_i2c(around: HostSystem, config: BootConfig) -> CheckResult:
    there = around.machine.has_device("/dev/i2c-1")
    mend = "sudo raspi-config nonint do_i2c 0"
    if config.is_on("i2c_arm"):
        if there:
            return good_result("i2c", f"I2C is on, in {config.file_path} and as /dev/i2c-1.")
        if (
            "i2c_dev" not in around.read_text("/proc/modules")
            and around.file_path("/sys/bus/i2c/devices/i2c-1").exists()
        ):
            told = "I2C is on, but there is no /dev/i2c-1: its driver is not loaded."
            return fault_result("i2c", told, "sudo modprobe i2c-dev")
        return fault_result(
            "i2c", f"I2C is on in {config.file_path}, but not yet on this running Pi. Restart it.", RESTART_COMMAND
        )
    if there:
        told = f"There is /dev/i2c-1, but {config.file_path} does not switch I2C on: it is gone after the next start."
        return warning_result("i2c", told, mend)
    return fault_result("i2c", f"I2C is off in {config.file_path}. Switch it on, then restart the Pi.", mend)


def _check_i2c_rate(around: HostSystem, config: BootConfig, profile: Profile) -> Iterator[CheckResult]:
    told = config.board_params.get("i2c_arm_baudrate", str(SLOW_I2C_HZ))
    rate = int(told) if told.isdecimal() else SLOW_I2C_HZ
    wiring = profile.sensing.wiring
    if isinstance(wiring, ExpanderWiring) and rate < FAST_I2C_HZ:
        sentence = (
            f"I2C runs at {rate} Hz; at {FAST_I2C_HZ} Hz a reading takes a quarter of the time. Restart the Pi then."
        )
        yield warning_result("i2c", sentence, config.add_line_command(f"dtparam=i2c_arm_baudrate={FAST_I2C_HZ}"))
    elif isinstance(wiring, TrellisWiring) and rate > SLOW_I2C_HZ and not around.machine.is_pi5:
        sentence = f"I2C runs at {rate} Hz: a NeoTrellis holds the clock back, and a Pi up to 4 loses bits then."
        yield fault_result(
            "i2c",
            f"{sentence} Slow it down, then restart the Pi.",
            config.add_line_command(f"dtparam=i2c_arm_baudrate={SLOW_I2C_HZ}"),
        )
    else:
        yield good_result("i2c", f"I2C runs at {rate} Hz.")
