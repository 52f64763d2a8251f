"""Checks of the service: installation, board, state and latest warning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pond_hw.doctor.board_needs import install_command, pulse_source
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.host_system import HostSystem, read_count
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.profile.board_profile import Profile

UNIT_NAMES = ("pond", "pond-root")
"""Names of the systemd units: the default, and the one for lamps that need root."""

SERVICE_CONF = "/etc/pond/pond.conf"
UNIT_FOLDERS = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")

_SYSTEMD_PROPERTIES = "Id,LoadState,UnitFileState,ActiveState,Result,NRestarts,MainPID"


class InstalledService(NamedTuple):
    """Installed service, as described by systemd. Unknown values are empty or 0."""

    unit: str
    board: str
    active_state: str = ""
    unit_file_state: str = ""
    last_result: str = ""
    restart_count: int = 0
    process_id: int = 0

    @property
    def is_active(self) -> bool:
        """True if the service is running or about to run."""
        return self.active_state in ("active", "activating", "reloading")


def find_service(host: HostSystem) -> InstalledService | None:
    """Return the installed service. If there are two, prefer one that is running or enabled.

    The Debian package installs both on every machine, disabled. On a machine that isn't a Pi, disabled services are ignored.
    """
    services = [
        query_service(host, unit)
        for unit in UNIT_NAMES
        if any(host.file_path(f"{folder}/{unit}.service").is_file() for folder in UNIT_FOLDERS)
    ]
    if not host.machine.is_pi:
        services = [each for each in services if each.is_active or each.unit_file_state == "enabled"]
    return max(services, key=lambda each: (each.is_active, each.unit_file_state == "enabled"), default=None)


def locate_profile(board: str | None, board_path: str, host: HostSystem) -> str | Path:
    """Return the profile to load: a name, or a path. If the user named no `board`, paths are those of the service."""
    return board_path if board or not board_path.startswith("/") else host.file_path(board_path)


def query_service(host: HostSystem, unit: str) -> InstalledService:
    """Ask systemd about a unit."""
    command_output = host.run_command(["systemctl", "show", f"{unit}.service", "-p", _SYSTEMD_PROPERTIES]) or ""
    values = dict(re.findall(r"^(\w+)=(.*)$", command_output, re.MULTILINE))
    return InstalledService(
        unit,
        _configured_board(host, unit),
        values.get("ActiveState", ""),
        "masked" if values.get("LoadState") == "masked" else values.get("UnitFileState", ""),
        values.get("Result", ""),
        read_count(values, "NRestarts"),
        read_count(values, "MainPID"),
    )


def _configured_board(host: HostSystem, unit: str) -> str:
    """Return the board set in pond.conf, parsed as systemd does, or else the board set in the unit."""
    board_words = re.findall(r"^[ \t]*POND_BOARD[ \t]*=(.*)$", host.read_text(SERVICE_CONF), re.MULTILINE)
    if not board_words:
        unit_texts = (host.read_text(f"{folder}/{unit}.service") for folder in UNIT_FOLDERS)
        board_words = [board_word for text in unit_texts for board_word in re.findall(r"\bPOND_BOARD=(\S+)", text)][:1]
    return board_words[-1].strip().strip("\"'") if board_words else ""


def check_service(
    host: HostSystem, service: InstalledService | None, board_path: str, profile: Profile | None
) -> Iterator[CheckResult]:
    """Check the service and the board that it serves. `board_path` is the name or path of the expected board."""
    if service is None:
        if host.machine.is_pi:
            fix_command = install_command(board_path or "direct-4x4")
            yield warning_result("service", Message("doctor.service.missing"), fix_command=fix_command)
        else:
            yield good_result("service", Message("doctor.service.for_pi"))
        return
    yield from _check_board_match(host, service, board_path, profile)
    yield _check_state(service)
    if service.unit_file_state == "disabled":
        message = Message("doctor.service.not_enabled", unit=service.unit)
        yield warning_result("service", message, fix_command=install_command(board_path or service.board))
    if service.restart_count:
        message = Message("doctor.service.restarted", unit=service.unit, count=service.restart_count)
        yield warning_result("service", message, fix_command=f"journalctl -u {service.unit} -n 20")
    yield _check_warnings(host, service.unit)


def _check_board_match(
    host: HostSystem, service: InstalledService, board_path: str, profile: Profile | None
) -> Iterator[CheckResult]:
    if Path(service.board).parts[:2] in (("/", "home"), ("/", "root")):
        message = Message("doctor.service.home_folder")
        yield fault_result("service", message, fix_command=install_command(service.board))
    if profile is None:
        return
    wanted_unit = "pond-root" if pulse_source(profile, host.machine) else "pond"
    served = service.board.rpartition("/")[2].removesuffix(".toml")
    if served != profile.name:
        message = Message("doctor.service.no_board", board=profile.name)
        if served:
            message = Message("doctor.service.other_board", served=served, board=profile.name)
        yield warning_result("service", message, fix_command=install_command(board_path))
    elif service.unit != wanted_unit:
        message = Message("doctor.service.wrong_unit", unit=service.unit, board=profile.name, right_unit=wanted_unit)
        yield fault_result("service", message, fix_command=install_command(board_path))


def _check_state(service: InstalledService) -> CheckResult:
    unit = service.unit
    if service.unit_file_state == "masked":
        message = Message("doctor.service.masked", unit=unit)
        return fault_result("service", message, fix_command=f"sudo systemctl unmask {unit}")
    if service.active_state == "failed":
        message = Message("doctor.service.failed", unit=unit)
        if service.last_result:
            message = Message("doctor.service.failed_because", unit=unit, reason=service.last_result)
        fix_command = f"sudo systemctl reset-failed {unit} && sudo systemctl start {unit}"
        return fault_result("service", message, Message("doctor.service.fix_and_start"), fix_command=fix_command)
    if service.is_active and service.board:
        return good_result("service", Message("doctor.service.runs", unit=unit, board=service.board))
    if service.is_active:
        return good_result("service", Message("doctor.service.runs_unnamed", unit=unit))
    if not service.active_state:
        return good_result("service", Message("doctor.service.installed", unit=unit))
    message = Message("doctor.service.stopped", unit=unit)
    return warning_result("service", message, fix_command=f"sudo systemctl start {unit}")


def _check_warnings(host: HostSystem, unit: str) -> CheckResult:
    """Check for warnings in the service's log, and report the latest one."""
    command = ["journalctl", "-u", unit, "-p", "warning", "-n", "5", "-o", "cat", "--no-pager"]
    log_lines = [line.strip() for line in (host.run_command(command) or "").splitlines()]
    warning_lines = [replace_unprintable(line, "") for line in log_lines if line and not line.startswith("-- ")]
    if not warning_lines:
        return good_result("journal", Message("doctor.journal.good"))
    last_warning = warning_lines[-1]
    message = Message(
        "doctor.journal.warning", text=last_warning if len(last_warning) <= 300 else f"{last_warning[:299]}…"
    )
    return warning_result("journal", message, fix_command=f"journalctl -u {unit} -p warning -n 20")
