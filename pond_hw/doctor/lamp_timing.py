"""The lamps' timing: a clock that holds still, and a buffer that takes a frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.doctor.board_needs import drives_by_spi
from pond_hw.doctor.boot_config import BootConfig, passed_filters
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result
from pond_hw.doctor.surroundings import HostSystem
from pond_hw.drivers.lamp_pulses import encode_lamp_bytes
from pond_hw.drivers.pi_machine import MAX_TRANSFER_BYTES, choose_driver
from pond_hw.profile.board_profile import Profile

BUFFER_WORD = "spidev.bufsiz=65536"
CMDLINE_PATHS = ("boot/firmware/cmdline.txt", "boot/cmdline.txt")


class CoreClock(NamedTuple):
    """The core clock of a family, which SPI is made from: its highest and lowest MHz, and the line that holds it."""

    highest_mhz: int
    lowest_mhz: int
    config_line: str


CORE_CLOCKS = {
    "pi02": CoreClock(400, 250, "core_freq=250"),
    "pi0": CoreClock(400, 250, "core_freq=250"),
    "pi3": CoreClock(400, 250, "core_freq=250"),
    "pi4": CoreClock(500, 200, "core_freq_min=500"),
}
"""By the filter of config.txt. Pi 1 and 2 have one core clock, and the SPI of a Pi 5 has a clock of its own."""


def check_lamp_timing(host: HostSystem, config: BootConfig, profile: Profile) -> Iterator[CheckResult]:
    """Whether what SPI sends has the lamps' timing."""
    if not drives_by_spi(profile, host.machine):
        return
    yield _check_core_clock(host, config)
    yield _check_spi_buffer(host, profile)


def _check_core_clock(host: HostSystem, config: BootConfig) -> CheckResult:
    passed = passed_filters(host.machine.model_name)
    family = next((clock for filter_name, clock in CORE_CLOCKS.items() if filter_name in passed), None)
    if family is None:
        return good_result("lamps", "The clock of SPI holds still by itself on this model.")
    highest_mhz = _configured_mhz(config, "core_freq", _configured_mhz(config, "gpu_freq", family.highest_mhz))
    lowest_mhz = _configured_mhz(config, "core_freq_min", family.lowest_mhz)
    mini_uart = config.plain_settings.get("enable_uart") == "1" and family.highest_mhz == 400
    is_moved = config.has_overlay("disable-bt") or config.has_overlay("miniuart-bt")
    if config.plain_settings.get("force_turbo") == "1" or lowest_mhz >= highest_mhz or (mini_uart and not is_moved):
        message = f"The core clock, which times the lamps, holds still: {config.file_path} sees to it."
        return good_result("lamps", message)
    message = (
        f"The core clock goes from {lowest_mhz} to {highest_mhz} MHz and back, and the lamps' timing with it: colours run wild. "
        f"{family.config_line} holds it still. Restart the Pi then."
    )
    return fault_result("lamps", message, config.add_line_command(family.config_line))


def _configured_mhz(config: BootConfig, setting_key: str, default_mhz: int) -> int:
    setting_text = config.plain_settings.get(setting_key, "")
    return int(setting_text) if setting_text.isdecimal() else default_mhz


def _check_spi_buffer(host: HostSystem, profile: Profile) -> CheckResult:
    count, allowed = profile.chain.lamp_count, host.machine.spi_buffer_bytes
    by_spidev = choose_driver(profile, host.machine).driver == "spi"
    length = len(encode_lamp_bytes(bytes(3 * count))) if by_spidev else 12 * count + 24
    message = f"A frame of {count} lamps is {length} bytes of SPI, and {allowed} go at once."
    if length <= allowed:
        return good_result("lamps", message)
    if length > MAX_TRANSFER_BYTES:
        return fault_result("lamps", f"{message} A Pi never sends more than {MAX_TRANSFER_BYTES}. Use fewer lamps.")
    file = next((path for path in CMDLINE_PATHS if host.file_path(path).is_file()), CMDLINE_PATHS[0])
    words = [word for word in host.read_text(file).split() if word.startswith("spidev.bufsiz=")]
    if BUFFER_WORD in words[-1:]:
        message = f"{message} /{file} allows more, but this running Pi does not know it yet."
        return fault_result("lamps", message, "sudo reboot")
    edit = f"s/spidev.bufsiz=[^ ]*/{BUFFER_WORD}/" if words else f"1s/$/ {BUFFER_WORD}/"
    return fault_result("lamps", f"{message} Allow more, then restart the Pi.", f"sudo sed -i '{edit}' /{file}")
