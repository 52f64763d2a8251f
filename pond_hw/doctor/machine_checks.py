"""Checks of the machine, the system, Python packages, the power supply and the clock."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime

from pond_hw import __version__
from pond_hw.doctor.board_needs import KNOWN_PACKAGES, LGPIO, NeededPackage, needed_packages
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.host_system import HostSystem, InstalledPackage
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile

SUPPORTED_RELEASES = (12, 13)
"""Supported releases of Debian."""

MIN_PYTHON = (3, 11)

PLACEHOLDER_VERSION = "0.0.0.2"
"""Version of the empty lgpio package on PyPI."""

LOW_VOLTAGE_BIT, THROTTLED_BITS = 0x1, 0xE
"""Bits of `vcgencmd get_throttled` that report undervoltage, and throttling due to heat or other reasons."""

SINCE_START_SHIFT = 16
"""Shift to the bits that report the same events since boot."""

FIRST_YEAR = 2024
"""Earliest plausible year of the clock."""

SET_CLOCK_COMMAND = "sudo timedatectl set-ntp true"


def check_machine(host: HostSystem) -> Iterator[CheckResult]:
    """Check the Pi model, the system, Python and Pond."""
    if host.machine.is_pi:
        yield good_result("machine", Message("doctor.machine.pi", model=host.machine.model_name))
    else:
        yield good_result("machine", Message("doctor.machine.other"))
    yield _check_system(host)
    if tuple(map(int, re.findall(r"\d+", host.python_version)[:2])) >= MIN_PYTHON:
        yield good_result("python", Message("doctor.python.good", version=host.python_version))
    else:
        oldest = ".".join(map(str, MIN_PYTHON))
        message = Message("doctor.python.too_old", version=host.python_version, oldest=oldest)
        yield fault_result("python", message, fix_command="sudo apt install python3")
    environment_kind, folder = "virtualenv" if host.in_virtualenv else "system", str(host.python_prefix)
    yield good_result("pond", Message(f"doctor.pond.{environment_kind}", version=__version__, folder=folder))


def _check_system(host: HostSystem) -> CheckResult:
    file_text = host.read_text("/etc/os-release") or host.read_text("/usr/lib/os-release")
    os_release = dict(re.findall(r"^([A-Z_]+)=(.*)$", file_text, re.MULTILINE))
    is_pi_os = host.file_path("/etc/rpi-issue").exists()
    names = filter(None, ("Raspberry Pi OS" if is_pi_os else "", _unquote_value(os_release.get("PRETTY_NAME", ""))))
    found = Message("doctor.system.found", name=", ".join(names) or host.platform_name, bits=host.python_bits)
    if not host.machine.is_pi:
        return good_result("system", found)
    version = _unquote_value(os_release.get("VERSION_ID", "")).partition(".")[0]
    if _unquote_value(os_release.get("ID", "")) not in ("debian", "raspbian") or not version.isdecimal():
        return warning_result("system", found, Message("doctor.system.untested"))
    if int(version) < min(SUPPORTED_RELEASES):
        return fault_result("system", found, Message("doctor.system.too_old"), fix_command="rpi-imager")
    if int(version) > max(SUPPORTED_RELEASES):
        return warning_result("system", found, Message("doctor.system.newer"))
    return good_result("system", found)


def _unquote_value(value: str) -> str:
    try:
        words = shlex.split(value)
        return (words[0] if value[:1] in "'\"" else "".join(words))[:60]
    except (ValueError, IndexError):
        return ""


def check_packages(host: HostSystem, profile: Profile | None) -> Iterator[CheckResult]:
    """Check each Python package that the board needs, and list other relevant packages in a single result."""
    is_wanted = profile and (host.machine.is_pi or profile.controller == "pico")
    wanted_packages = needed_packages(profile, host.machine) if profile and is_wanted else []
    yield from (_check_package(needed_package, host) for needed_package in wanted_packages)
    others = [known for known in KNOWN_PACKAGES if known not in wanted_packages]
    found = [(other.name, package) for other in others if (package := host.find_package(other.name, other.module))]
    if found:
        names = tuple(f"{name} {package.version}".rstrip() for name, package in found)
        yield good_result("packages", Message("doctor.package.others", names=names))


def _check_package(needed: NeededPackage, host: HostSystem) -> CheckResult:
    name, package, min_version = needed.name, host.find_package(needed.name, needed.module), needed.min_version_text
    install_command = f"{host.pip_command} '{name}>={min_version}'" if min_version else f"{host.pip_command} {name}"
    if needed.apt_package:
        install_command = f"sudo apt install {needed.apt_package}"
    match package:
        case None:
            message = Message("doctor.package.missing", package=name)
            return fault_result("packages", message, fix_command=install_command)
        case InstalledPackage("", origin):
            return good_result("packages", Message("doctor.package.unversioned", package=name), origin)
        case InstalledPackage(version, origin):
            if needed is LGPIO and version == PLACEHOLDER_VERSION:
                message = Message("doctor.package.placeholder", package=name, version=version)
                return fault_result(
                    "packages", message, fix_command=f"{host.uninstall_command(name)} && {install_command}"
                )
            version_numbers = tuple(map(int, re.findall(r"\d+", re.split(r"[^0-9.]", version)[0])))
            if version_numbers < needed.min_version:
                message = Message("doctor.package.too_old", package=name, version=version, oldest=min_version)
                return fault_result("packages", message, origin, fix_command=install_command)
            return good_result("packages", Message("doctor.package.good", package=name, version=version), origin)


def check_power(host: HostSystem) -> Iterator[CheckResult]:
    """Check for undervoltage and throttling, as reported by the Pi's firmware."""
    throttled_match = re.match(r"throttled=(0x[0-9a-fA-F]+)", host.run_command(["vcgencmd", "get_throttled"]) or "")
    if throttled_match is None:
        yield _check_kernel_alarm(host)
        return
    bits_now = int(throttled_match[1], 16)
    bits_before = bits_now >> SINCE_START_SHIFT
    if bits_now & LOW_VOLTAGE_BIT:
        yield _low_voltage_fault()
    elif bits_before & LOW_VOLTAGE_BIT:
        yield warning_result("power", Message("doctor.power.was_low"), Message("doctor.power.stronger_supply"))
    else:
        yield good_result("power", Message("doctor.power.good"))
    if bits_now & THROTTLED_BITS and not bits_now & LOW_VOLTAGE_BIT:
        yield warning_result("power", Message("doctor.power.slow_now"))
    elif bits_before & THROTTLED_BITS and not bits_before & LOW_VOLTAGE_BIT:
        yield warning_result("power", Message("doctor.power.was_slow"))


def _low_voltage_fault() -> CheckResult:
    return fault_result("power", Message("doctor.power.low_now"), Message("doctor.power.stronger_supply"))


def _check_kernel_alarm(host: HostSystem) -> CheckResult:
    for folder in sorted(host.file_path("/sys/class/hwmon").glob("hwmon*")):
        sensor_path = f"/sys/class/hwmon/{folder.name}"
        if host.read_text(f"{sensor_path}/name").strip() == "rpi_volt":
            if host.read_text(f"{sensor_path}/in0_lcrit_alarm").strip() == "1":
                return _low_voltage_fault()
            return good_result("power", Message("doctor.power.good_now"))
    return good_result("power", Message("doctor.power.unknown"))


def is_clock_set(host: HostSystem) -> bool | None:
    """Return True if the network sets the clock, and None if the system doesn't report it."""
    command_output = (host.run_command(["timedatectl", "show", "-p", "NTPSynchronized", "--value"]) or "").strip()
    if command_output == "yes" or host.file_path("/run/systemd/timesync/synchronized").exists():
        return True
    return False if command_output == "no" else None


def check_clock(host: HostSystem) -> CheckResult:
    """Check the clock, which dates games."""
    year = datetime.fromtimestamp(host.wall_clock(), UTC).year
    if year < FIRST_YEAR:
        return fault_result("clock", Message("doctor.clock.wrong_year", year=year), fix_command=SET_CLOCK_COMMAND)
    has_battery = host.machine.has_device("/dev/rtc0")
    if is_clock_set(host):
        no_battery = () if has_battery else (Message("doctor.clock.no_battery"),)
        return good_result("clock", Message("doctor.clock.network"), *no_battery)
    if has_battery:
        return good_result("clock", Message("doctor.clock.battery"))
    if host.machine.is_pi:
        return warning_result("clock", Message("doctor.clock.stands_still"), fix_command=SET_CLOCK_COMMAND)
    return good_result("clock", Message("doctor.clock.unknown"))
