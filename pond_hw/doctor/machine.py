"""Which machine, system, Python and Pond; the packages that drive a board, the supply, and the wall clock."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime

from pond_hw import __version__
from pond_hw.doctor.board_needs import KNOWN_PACKAGES, LGPIO, NeededPackage, needed_packages
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.surroundings import HostSystem
from pond_hw.profile.board_profile import Profile

SUPPORTED_RELEASES = (12, 13)
"""The releases of Debian that Pond was made for."""

MIN_PYTHON = (3, 11)
"""The oldest Python."""

PLACEHOLDER_VERSION = "0.0.0.2"
"""The version of an empty package of the name lgpio."""

LOW_VOLTAGE_BIT, THROTTLED_BITS = 0x1, 0xE
"""Bits of `vcgencmd get_throttled`: the voltage is too low; the processor is slowed, by heat or otherwise."""

SINCE_START_SHIFT = 16
"""So many bits higher stands what has been since the start."""

SUPPLY_ADVICE = "A stronger supply, or a shorter and thicker cable, will help."

FIRST_YEAR = 2024
"""Before it there was no Pond to play."""

SET_CLOCK_COMMAND = "sudo timedatectl set-ntp true"


def check_machine(host: HostSystem) -> Iterator[CheckResult]:
    """What this machine is."""
    text = (
        "This is no Raspberry Pi: nothing of a real board is looked at. `pond play` plays in this terminal, "
        "`pond serve --board simulated-4x4` pretends a board."
    )
    yield good_result("machine", f"This is a {host.machine.model_name}." if host.machine.is_pi else text)
    yield _check_system(host)
    if tuple(map(int, re.findall(r"\d+", host.python_version)[:2])) >= MIN_PYTHON:
        yield good_result("python", f"Python {host.python_version}.")
    else:
        text = f"Python {host.python_version} is too old: Pond needs 3.11 or newer."
        yield fault_result("python", text, "sudo apt install python3")
    python_place = "a virtual environment" if host.in_virtualenv else "the system's Python"
    yield good_result("pond", f"Pond {__version__}, in {python_place}, {host.python_prefix}.")


def _check_system(host: HostSystem) -> CheckResult:
    file_text = host.read_text("/etc/os-release") or host.read_text("/usr/lib/os-release")
    os_release = dict(re.findall(r"^([A-Z_]+)=(.*)$", file_text, re.MULTILINE))
    system_name = _unquote_value(os_release.get("PRETTY_NAME", "")) or "A system that does not tell its name"
    if host.file_path("/etc/rpi-issue").exists():
        system_name = f"Raspberry Pi OS, {system_name}"
    sentence = f"{system_name}, {host.python_bits} bits."
    if not host.machine.is_pi:
        return good_result("system", sentence)
    version = _unquote_value(os_release.get("VERSION_ID", "")).partition(".")[0]
    if _unquote_value(os_release.get("ID", "")) not in ("debian", "raspbian") or not version.isdecimal():
        return warning_result("system", f"{sentence} Pond was made for Raspberry Pi OS, Bookworm or Trixie.")
    if int(version) < min(SUPPORTED_RELEASES):
        text = f"{sentence} That is too old. Write the card anew, with Raspberry Pi OS Trixie, on another computer."
        return fault_result("system", text, "rpi-imager")
    if int(version) > max(SUPPORTED_RELEASES):
        return warning_result("system", f"{sentence} It is newer than this version of Pond.")
    return good_result("system", sentence)


def _unquote_value(value: str) -> str:
    try:
        words = shlex.split(value)
        return (words[0] if value[:1] in "'\"" else "".join(words))[:60]
    except (ValueError, IndexError):
        return ""


def check_packages(host: HostSystem, profile: Profile | None) -> Iterator[CheckResult]:
    """The Python packages that the board needs, one by one, and what else is there, in one line."""
    wanted_packages = needed_packages(profile, host.machine) if profile and host.machine.is_pi else []
    yield from (_check_package(needed_package, host) for needed_package in wanted_packages)
    others = [known for known in KNOWN_PACKAGES if known not in wanted_packages]
    found = [(other.name, package) for other in others if (package := host.find_package(other.name, other.module))]
    if found:
        names = ", ".join(f"{name} {package.version or '(no version)'}" for name, package in found)
        yield good_result("packages", f"Also there, though not needed here: {names}.")


def _check_package(needed: NeededPackage, host: HostSystem) -> CheckResult:
    name, package, min_version = needed.name, host.find_package(needed.name, needed.module), needed.min_version_text
    install_command = f"{host.pip_command} '{name}>={min_version}'" if min_version else f"{host.pip_command} {name}"
    if needed.apt_package:
        install_command = f"sudo apt install {needed.apt_package}"
    if package is None:
        return fault_result("packages", f"The Python package {name} is not installed.", install_command)
    if needed is LGPIO and package.version == PLACEHOLDER_VERSION:
        text = f"lgpio {PLACEHOLDER_VERSION} is an empty package of that name. Take it away, then install the real one."
        uninstall_command = host.pip_command.replace(" install", " uninstall -y lgpio")
        return fault_result("packages", text, f"{uninstall_command} && {install_command}")
    version_numbers = tuple(map(int, re.findall(r"\d+", re.split(r"[^0-9.]", package.version)[0])))
    if package.version and version_numbers < needed.min_version:
        text = f"{name} {package.version} is too old: {min_version} or newer is needed. It came from {package.package_origin}."
        return fault_result("packages", text, install_command)
    return good_result("packages", f"{name} {package.version or '(no version)'}, from {package.package_origin}.")


def check_power(host: HostSystem) -> Iterator[CheckResult]:
    """The supply's voltage and the processor's heat, as the Pi's firmware has noticed them."""
    throttled_match = re.match(r"throttled=(0x[0-9a-fA-F]+)", host.run_command(["vcgencmd", "get_throttled"]) or "")
    if throttled_match is None:
        yield _check_kernel_alarm(host)
        return
    bits_now = int(throttled_match[1], 16)
    bits_before = bits_now >> SINCE_START_SHIFT
    if bits_now & LOW_VOLTAGE_BIT:
        yield fault_result("power", f"The supply's voltage is too low right now. {SUPPLY_ADVICE}")
    elif bits_before & LOW_VOLTAGE_BIT:
        text = f"The supply's voltage has been too low since the Pi was started. {SUPPLY_ADVICE}"
        yield warning_result("power", text)
    else:
        yield good_result("power", "The supply's voltage has been high enough since the Pi was started.")
    if bits_now & THROTTLED_BITS and not bits_now & LOW_VOLTAGE_BIT:
        yield warning_result("power", "The Pi is slowed down right now, most likely by heat. Give it air.")
    elif bits_before & THROTTLED_BITS and not bits_before & LOW_VOLTAGE_BIT:
        text = "The Pi has been slowed down since it was started, most likely by heat. Give it air."
        yield warning_result("power", text)


def _check_kernel_alarm(host: HostSystem) -> CheckResult:
    for folder in sorted(host.file_path("/sys/class/hwmon").glob("hwmon*")):
        place = f"/sys/class/hwmon/{folder.name}"
        if host.read_text(f"{place}/name").strip() == "rpi_volt":
            if host.read_text(f"{place}/in0_lcrit_alarm").strip() == "1":
                return fault_result("power", f"The supply's voltage is too low right now. {SUPPLY_ADVICE}")
            return good_result("power", "The supply's voltage is high enough right now.")
    return good_result("power", "This system does not tell the supply's voltage.")


def check_clock(host: HostSystem) -> CheckResult:
    """Whether the wall clock, which dates the records of games and nothing else, is to be believed."""
    year = datetime.fromtimestamp(host.wall_clock(), UTC).year
    if year < FIRST_YEAR:
        text = f"The clock says that it is {year}: records of games get a wrong date."
        return fault_result("clock", text, SET_CLOCK_COMMAND)
    command_output = (host.run_command(["timedatectl", "show", "-p", "NTPSynchronized", "--value"]) or "").strip()
    has_battery = host.machine.has_device("/dev/rtc0")
    if command_output == "yes" or host.file_path("/run/systemd/timesync/synchronized").exists():
        text = (
            "" if has_battery else " It has no battery: after a start without a network it is wrong until there is one."
        )
        return good_result("clock", f"The clock is set by the network.{text}")
    if has_battery:
        return good_result("clock", "The clock is not set by the network, but it goes on while the machine is off.")
    if host.machine.is_pi:
        text = "The clock is not set by the network and stands still while the Pi is off: dates may be wrong."
        return warning_result("clock", text, SET_CLOCK_COMMAND)
    return good_result("clock", "The clock does not tell who sets it.")
