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


def check_packages(around: HostSystem, profile: Profile | None) -> Iterator[CheckResult]:
    """Those that the board needs, one by one, and what else is there, in one line."""
    wanted = needed_packages(profile, around.machine) if profile and around.machine.is_pi else []
    yield from (_check_package(each, around) for each in wanted)
    others = [(each, around.find_package(each.name, each.module)) for each in KNOWN_PACKAGES if each not in wanted]
    there = [f"{each.name} {package.version or '(no version)'}" for each, package in others if package]
    if there:
        yield good_result("packages", f"Also there, though not needed here: {', '.join(there)}.")


def _check_package(wanted: NeededPackage, around: HostSystem) -> CheckResult:
    package = around.find_package(wanted.name, wanted.module)
    if package is None:
        return fault_result(
            "packages", f"The Python package {wanted.name} is not installed.", _package_command(wanted, around)
        )
    if wanted is LGPIO and package.version == PLACEHOLDER_VERSION:
        told = f"lgpio {PLACEHOLDER_VERSION} is an empty package of that name. Take it away, then install the real one."
        line = around.pip_command.replace(" install", " uninstall -y lgpio")
        return fault_result("packages", told, f"{line} && {_package_command(wanted, around)}")
    if package.version and _version_numbers(package) < wanted.min_version:
        least = ".".join(map(str, wanted.min_version))
        told = f"{wanted.name} {package.version} is too old: {least} or newer is needed. It came from {package.package_origin}."
        return fault_result("packages", told, _package_command(wanted, around))
    return good_result("packages", f"{wanted.name} {package.version or '(no version)'}, from {package.package_origin}.")


def _version_numbers(package: InstalledPackage) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[^0-9.]", package.version)[0]))


def _package_command(wanted: NeededPackage, around: HostSystem) -> str:
    if wanted.apt_package:
        return f"sudo apt install {wanted.apt_package}"
    least = ".".join(map(str, wanted.min_version))
    return f"{around.pip_command} '{wanted.name}>={least}'" if least else f"{around.pip_command} {wanted.name}"
