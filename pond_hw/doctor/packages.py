"""The Python packages that drive a board: which are there, how old, and where from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pond_hw.doctor.board_needs import KNOWN_PACKAGES, LGPIO, NeededPackage, needed_packages
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result
from pond_hw.doctor.surroundings import HostSystem, InstalledPackage
from pond_hw.profile.board_profile import Profile

PLACEHOLDER_VERSION = "0.0.0.2"
"""The version of an empty package of the name lgpio."""


def check_packages(host: HostSystem, profile: Profile | None) -> Iterator[CheckResult]:
    """Those that the board needs, one by one, and what else is there, in one line."""
    wanted_packages = needed_packages(profile, host.machine) if profile and host.machine.is_pi else []
    yield from (_check_package(needed_package, host) for needed_package in wanted_packages)
    others = [
        (needed_package, host.find_package(needed_package.name, needed_package.module))
        for needed_package in KNOWN_PACKAGES
        if needed_package not in wanted_packages
    ]
    present_names = [
        f"{needed_package.name} {package.version or '(no version)'}" for needed_package, package in others if package
    ]
    if present_names:
        yield good_result("packages", f"Also there, though not needed here: {', '.join(present_names)}.")


def _check_package(needed: NeededPackage, host: HostSystem) -> CheckResult:
    package = host.find_package(needed.name, needed.module)
    if package is None:
        return fault_result(
            "packages", f"The Python package {needed.name} is not installed.", _package_command(needed, host)
        )
    if needed is LGPIO and package.version == PLACEHOLDER_VERSION:
        text = f"lgpio {PLACEHOLDER_VERSION} is an empty package of that name. Take it away, then install the real one."
        uninstall_command = host.pip_command.replace(" install", " uninstall -y lgpio")
        return fault_result("packages", text, f"{uninstall_command} && {_package_command(needed, host)}")
    if package.version and _version_numbers(package) < needed.min_version:
        min_version = ".".join(map(str, needed.min_version))
        text = (
            f"{needed.name} {package.version} is too old: {min_version} or newer is needed. "
            f"It came from {package.package_origin}."
        )
        return fault_result("packages", text, _package_command(needed, host))
    return good_result("packages", f"{needed.name} {package.version or '(no version)'}, from {package.package_origin}.")


def _version_numbers(package: InstalledPackage) -> tuple[int, ...]:
    return tuple(int(number_text) for number_text in re.findall(r"\d+", re.split(r"[^0-9.]", package.version)[0]))


def _package_command(needed: NeededPackage, host: HostSystem) -> str:
    if needed.apt_package:
        return f"sudo apt install {needed.apt_package}"
    min_version = ".".join(map(str, needed.min_version))
    return f"{host.pip_command} '{needed.name}>={min_version}'" if min_version else f"{host.pip_command} {needed.name}"
