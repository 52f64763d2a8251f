"""The doctor: everything around the board. It looks at files and asks a few commands, and changes nothing.

machine.py      model, system, Python, Pond     service.py        the service and its journal
boot.py         SPI, I2C, against config.txt    boot_config.py    config.txt as the firmware reads it
pins.py         GPIOs that two want             board_needs.py    what a board asks of its Pi
devices.py      devices, groups, who has them   surroundings.py   all that is looked at, so that a faked Pi
packages.py     what drives the board                             can stand in
lamp_timing.py  the lamps' timing               check_results.py  what was found, and its text
power.py        the supply's voltage            redact.py         takes out what is personal
clock.py        the wall clock                  report.py         the text to show when asking for help
storage.py      where games are kept
"""

from __future__ import annotations

import shlex
from typing import NamedTuple

from pond_hw.doctor import boot, clock, devices, lamp_timing, machine, packages, pins, power, service, storage
from pond_hw.doctor.boot_config import load_boot_config
from pond_hw.doctor.check_results import (
    CheckResult,
    count_grades,
    fault_result,
    format_results,
    format_summary,
    good_result,
    results_to_json,
    warning_result,
)
from pond_hw.doctor.redact import redact_text
from pond_hw.doctor.service import find_service
from pond_hw.doctor.surroundings import HostSystem
from pond_hw.profile import Profile, ProfileError, load_profile
from pond_hw.profile.board_profile import SimulatedWiring
from pond_hw.setup.step import FAULT

__all__ = [
    "CheckResult",
    "DoctorResult",
    "HostSystem",
    "count_grades",
    "format_results",
    "format_summary",
    "results_to_json",
    "run_checks",
]


class DoctorResult(NamedTuple):
    """What the doctor found.

    Attributes:
        board_name: the name of the profile; empty if there is none to look at.
        check_results: all of it, in the order in which it was looked at, with nothing personal in it.
    """

    board_name: str
    check_results: tuple[CheckResult, ...]

    @property
    def has_fault(self) -> bool:
        """Whether there is a fault."""
        return any(each.grade == FAULT for each in self.check_results)


def run_checks(board: str | None, around: HostSystem) -> DoctorResult:
    """Look at everything.

    Args:
        board: the name or the path of a profile; None for the one that the service serves.
        around: the machine.

    Raises:
        ProfileError: there is no such profile.
    """
    served = find_service(around)
    called = board or (served.board if served else "")
    profile, found = _load_profile(board, called, around)
    found += machine.check_machine(around)
    if around.machine.is_pi:
        config = load_boot_config(around)
        found += boot.check_boot(around, config, profile)
        if profile and not isinstance(profile.sensing.wiring, SimulatedWiring):
            if config.file_path:
                found += [
                    *pins.check_pins(around, config, profile),
                    *lamp_timing.check_lamp_timing(around, config, profile),
                ]
            found += devices.check_devices(around, profile, served, called)
        found += power.check_power(around)
    found += packages.check_packages(around, profile)
    found += [*clock.check_clock(around), *storage.check_storage(around)]
    found += [*service.check_service(around, served, called, profile), *service.check_complaints(around, served)]
    name = profile.name if profile else ""
    return DoctorResult(
        redact_text(name, around.private_names), tuple(each.redacted_copy(around.private_names) for each in found)
    )


def _load_profile(board: str | None, called: str, around: HostSystem) -> tuple[Profile | None, list[CheckResult]]:
    """The profile to look at, and whether it can be read.

    Args:
        board: the one that was asked for, if one was.
        called: the name or the path of the one that is wanted; empty if there is none.
        around: the machine.
    """
    if not called:
        told = "No board was named, so nothing is looked at that depends on one."
        line = "pond doctor --board direct-4x4"
        return None, [warning_result("profile", told, line) if around.machine.is_pi else good_result("profile", told)]
    try:
        profile = load_profile(called if board or not called.startswith("/") else around.file_path(called))
    except ProfileError as error:
        if board and not error.faults:
            raise
        first, *more = str(error).splitlines()
        told = f"{first} {more[0].strip() if more else ''}".strip()
        return None, [fault_result("profile", told, f"pond boards {shlex.quote(called)}")]
    if not around.machine.is_pi and not isinstance(profile.sensing.wiring, SimulatedWiring):
        told = f"{profile.name} is a board for a Raspberry Pi, and this machine is not one."
        return profile, [warning_result("profile", told, "pond serve --board simulated-4x4")]
    return profile, [good_result("profile", f"{profile.name} can be read: {profile.size}x{profile.size} cells.")]
