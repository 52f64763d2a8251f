"""SPI and I2C: what config.txt says, what the running system has, and what the board needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.doctor.board_needs import converters_on, drives_by_spi, i2c_bus_number
from pond_hw.doctor.boot_config import BootConfig
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.surroundings import HostSystem
from pond_hw.drivers.pi_machine import SPI_DEVICE
from pond_hw.profile.board_profile import ExpanderWiring, Profile, TrellisWiring
from pond_hw.profile.pi_header import SPI0, SPI1

FAST_I2C_HZ, SLOW_I2C_HZ = 400_000, 100_000
"""Rates of I2C, in Hz: for MCP23017s, and what every chip can do."""


class HeaderBus(NamedTuple):
    """A bus of the header that a line of config.txt switches on.

    Attributes:
        subject: what it is called in results.
        name: what people call it.
        param: its parameter in config.txt.
        device: where the running system has it.
        enable_command: the command that switches it on.
    """

    subject: str
    name: str
    param: str
    device: str
    enable_command: str


SPI0_BUS = HeaderBus("spi", "SPI", "spi", SPI_DEVICE, "sudo raspi-config nonint do_spi 0")
I2C_BUS = HeaderBus("i2c", "I2C", "i2c_arm", "/dev/i2c-1", "sudo raspi-config nonint do_i2c 0")


def check_boot(host: HostSystem, config: BootConfig, profile: Profile | None) -> Iterator[CheckResult]:
    """What the boot settings give to the board."""
    if not config.file_path:
        text = "There is no config.txt: the boot partition is not mounted, or this is not Raspberry Pi OS."
        yield fault_result("boot", text, "sudo mount /boot/firmware")
        return
    if profile is None:
        for header_bus in (SPI0_BUS, I2C_BUS):
            on_or_off = "on" if config.is_on(header_bus.param) else "off"
            yield good_result(header_bus.subject, f"{header_bus.name} is {on_or_off} in {config.file_path}.")
        return
    if drives_by_spi(profile, host.machine) or converters_on(profile, SPI0):
        yield _check_bus(host, config, SPI0_BUS)
    if converters_on(profile, SPI1):
        yield _check_spi1(host, config, profile)
    bus = i2c_bus_number(profile)
    if bus == 1:
        yield _check_bus(host, config, I2C_BUS)
        yield _check_i2c_rate(host, config, profile)
    elif bus is not None and not host.machine.has_device(f"/dev/i2c-{bus}"):
        text = f"There is no /dev/i2c-{bus}: wire the sensors to bus 1, on GPIO 2 and 3, and let the profile say so."
        yield fault_result("i2c", text)


def _check_bus(host: HostSystem, config: BootConfig, bus: HeaderBus) -> CheckResult:
    """Whether a bus is on, today and after the next start."""
    subject, name, _, device, enable_command = bus
    is_there, is_on = host.machine.has_device(device), config.is_on(bus.param)
    if is_on and is_there:
        return good_result(subject, f"{name} is on, in {config.file_path} and as {device}.")
    if is_on:
        return _missing_driver(host, bus) or _restart_result(subject, f"{name} is on in {config.file_path}")
    if is_there:
        message = (
            f"There is {device}, but {config.file_path} does not switch {name} on: it is gone after the next start."
        )
        return warning_result(subject, message, enable_command)
    message = f"{name} is off in {config.file_path}. Switch it on, then restart the Pi."
    return fault_result(subject, message, enable_command)


def _missing_driver(host: HostSystem, bus: HeaderBus) -> CheckResult | None:
    """What is said if a bus is on, and only the driver of its device is not loaded."""
    message = f"{bus.name} is on, but there is no {bus.device}: its driver is not loaded"
    if bus is SPI0_BUS and host.machine.is_spi_on:
        return fault_result("spi", f"{message}, or an overlay has taken SPI0.", "sudo modprobe spidev")
    has_i2c = host.file_path("/sys/bus/i2c/devices/i2c-1").exists()
    if bus is I2C_BUS and has_i2c and "i2c_dev" not in host.read_text("/proc/modules"):
        return fault_result("i2c", f"{message}.", "sudo modprobe i2c-dev")
    return None


def _restart_result(subject: str, setting_text: str) -> CheckResult:
    return fault_result(subject, f"{setting_text}, but not yet on this running Pi. Restart it.", "sudo reboot")


def _check_spi1(host: HostSystem, config: BootConfig, profile: Profile) -> CheckResult:
    select_numbers = [SPI1.select_gpios.index(chip.select) for chip in converters_on(profile, SPI1)]
    needed = max(select_numbers) + 1
    names = [f"spi1-{count}cs" for count in range(needed, 4)]
    if not any(config.has_overlay(name) for name in names):
        message = f"The converters on SPI1 need {needed} select pins: add dtoverlay={names[0]}, then restart the Pi."
        overlay_lines = [
            overlay.source_line for overlay in config.overlays if re.fullmatch("spi1-[123]cs", overlay.name)
        ]
        wanted = f"dtoverlay={names[0]}"
        command = (
            config.replace_line_command(overlay_lines[-1], wanted) if overlay_lines else config.add_line_command(wanted)
        )
        return fault_result("spi", message, command)
    if not all(host.machine.has_device(f"/dev/spidev1.{select}") for select in select_numbers):
        return _restart_result("spi", f"SPI1 is on in {config.file_path}")
    return good_result("spi", f"SPI1 is on, with {needed} select pins.")


def _check_i2c_rate(host: HostSystem, config: BootConfig, profile: Profile) -> CheckResult:
    configured_rate = config.board_params.get("i2c_arm_baudrate", "")
    rate_hz = int(configured_rate) if configured_rate.isdecimal() else SLOW_I2C_HZ
    wiring = profile.sensing.wiring
    if isinstance(wiring, ExpanderWiring) and rate_hz < FAST_I2C_HZ:
        message = (
            f"I2C runs at {rate_hz} Hz; at {FAST_I2C_HZ} Hz a reading takes a quarter of the time. Restart the Pi then."
        )
        return warning_result("i2c", message, config.add_line_command(f"dtparam=i2c_arm_baudrate={FAST_I2C_HZ}"))
    if isinstance(wiring, TrellisWiring) and rate_hz > SLOW_I2C_HZ and not host.machine.is_pi5:
        message = (
            f"I2C runs at {rate_hz} Hz: a NeoTrellis holds the clock back, and a Pi up to 4 loses bits then. Slow it down, "
            "then restart the Pi."
        )
        return fault_result("i2c", message, config.add_line_command(f"dtparam=i2c_arm_baudrate={SLOW_I2C_HZ}"))
    return good_result("i2c", f"I2C runs at {rate_hz} Hz.")
