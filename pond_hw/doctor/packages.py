"""The Python packages that drive a board: which are there, how old, and where from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pond_hw.doctor.board_needs import LGPIO, PACKAGES, Wanted, packages
from pond_hw.doctor.check_results import Found, fault, good
from pond_hw.doctor.surroundings import Package, Surroundings
from pond_hw.profile.board_profile import Profile

PLACEHOLDER = "0.0.0.2"
"""The version of an empty package of the name lgpio."""


def look(around: Surroundings, profile: Profile | None) -> Iterator[Found]:
    """Those that the board needs, one by one, and what else is there, in one line."""
    wanted = packages(profile, around.machine) if profile and around.machine.pi else []
    yield from (_needed(each, around) for each in wanted)
    others = [(each, around.package(each.name, each.module)) for each in PACKAGES if each not in wanted]
    there = [f"{each.name} {package.version or '(no version)'}" for each, package in others if package]
    if there:
        yield good("packages", f"Also there, though not needed here: {', '.join(there)}.")


def _needed(wanted: Wanted, around: Surroundings) -> Found:
    package = around.package(wanted.name, wanted.module)
    if package is None:
        return fault("packages", f"The Python package {wanted.name} is not installed.", _install(wanted, around))
    if wanted is LGPIO and package.version == PLACEHOLDER:
        told = f"lgpio {PLACEHOLDER} is an empty package of that name. Take it away, then install the real one."
        line = around.pip.replace(" install", " uninstall -y lgpio")
        return fault("packages", told, f"{line} && {_install(wanted, around)}")
    if package.version and _numbers(package) < wanted.least:
        least = ".".join(map(str, wanted.least))
        told = f"{wanted.name} {package.version} is too old: {least} or newer is needed. It came from {package.place}."
        return fault("packages", told, _install(wanted, around))
    return good("packages", f"{wanted.name} {package.version or '(no version)'}, from {package.place}.")


def _numbers(package: Package) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[^0-9.]", package.version)[0]))


def _install(wanted: Wanted, around: Surroundings) -> str:
    if wanted.apt:
        return f"sudo apt install {wanted.apt}"
    least = ".".join(map(str, wanted.least))
    return f"{around.pip} '{wanted.name}>={least}'" if least else f"{around.pip} {wanted.name}"
