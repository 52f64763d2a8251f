"""Checks of a board's hardware, system and service. They read files and run a few commands, but change nothing.

machine_checks.py  model, system, packages, power supply, clock
boot_checks.py     config.txt: SPI, I2C, GPIO conflicts, lamp timing
device_checks.py   device files: permissions, programs that use them, USB boards
service_checks.py  the service and its log
storage_checks.py  the folder of saved games
link_checks.py     the game of two homes

boot_config.py     parser for config.txt
board_needs.py     devices, packages and GPIOs that a board needs
host_system.py     access to the machine; tests use a simulated Pi
check_results.py   results, and formatting them as text
redact.py          removal of personal data
report.py          report for a user who asks for help
first_board.py     checks for the first builder of a board, and their form
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

from pond_hw.doctor import boot_checks, machine_checks
from pond_hw.doctor.boot_config import load_boot_config
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.device_checks import check_devices, check_usb
from pond_hw.doctor.host_system import HostSystem
from pond_hw.doctor.link_checks import check_link
from pond_hw.doctor.redact import redact_text
from pond_hw.doctor.service_checks import check_service, find_service, locate_profile
from pond_hw.doctor.storage_checks import check_storage
from pond_hw.messages.message import Message
from pond_hw.profile import Profile, ProfileError, SimulatedWiring, load_profile
from pond_hw.setup.findings import FAULT

__all__ = ["DoctorResult", "HostSystem", "run_checks"]


class DoctorResult(NamedTuple):
    """Results of all checks, without personal data. The board's name is empty if its profile could not be loaded."""

    board_name: str
    check_results: tuple[CheckResult, ...]

    @property
    def has_fault(self) -> bool:
        """True if at least one result is a fault."""
        return any(result.grade == FAULT for result in self.check_results)


def run_checks(board: str | None, host: HostSystem) -> DoctorResult:
    """Run all checks, by default for the board that the service uses.

    Raises:
        ProfileError: if the given board does not exist.
    """
    served = find_service(host)
    expected_board = board or (served.board if served else "")
    profile, check_results = _load_profile(board, expected_board, host)
    check_results += machine_checks.check_machine(host)
    if host.machine.is_pi:
        check_results += boot_checks.check_boot(host, load_boot_config(host), profile)
        if profile and not isinstance(profile.sensing.wiring, SimulatedWiring):
            check_results += check_devices(host, profile, served, expected_board)
        check_results += machine_checks.check_power(host)
    if profile and profile.controller == "pico":
        check_results.append(check_usb(host, profile))
    check_results += [
        *machine_checks.check_packages(host, profile),
        machine_checks.check_clock(host),
        *check_storage(host),
    ]
    check_results += check_service(host, served, expected_board, profile)
    check_results += check_link(host)
    redacted_results = tuple(result.redacted_copy(host.private_names) for result in check_results)
    return DoctorResult(redact_text(profile.name if profile else "", host.private_names), redacted_results)


def _load_profile(board: str | None, board_path: str, host: HostSystem) -> tuple[Profile | None, list[CheckResult]]:
    """Load the profile at `board_path`, and return it with the results of this check.

    Raises:
        ProfileError: if the profile does not exist and the user named it as `board`.
    """
    if not board_path:
        message, fix_command = Message("doctor.profile.none"), "pond doctor --board direct-4x4"
        if host.machine.is_pi:
            return None, [warning_result("profile", message, fix_command=fix_command)]
        return None, [good_result("profile", message)]
    try:
        profile = load_profile(locate_profile(board, board_path, host))
    except ProfileError as error:
        if board and not error.faults:
            raise
        messages = [error.message]
        if error.faults:
            faulty = Message("doctor.profile.faulty", file=Path(board_path).name, count=len(error.faults))
            messages = [faulty, error.faults[0].message]
        return None, [fault_result("profile", *messages, fix_command=f"pond boards {shlex.quote(board_path)}")]
    needs_pi = profile.controller == "pi" and not isinstance(profile.sensing.wiring, SimulatedWiring)
    if needs_pi and not host.machine.is_pi:
        message = Message("doctor.profile.for_pi", board=profile.name)
        return profile, [warning_result("profile", message, fix_command="pond serve --board simulated-4x4")]
    if profile.calibration_warning:
        check_command = f"pond boards {shlex.quote(board_path)}"
        return profile, [warning_result("profile", profile.calibration_warning, fix_command=check_command)]
    return profile, [good_result("profile", Message("doctor.profile.good", board=profile.name, size=profile.size))]
