"""The service, and the devices of a board.

Whether the service is installed, is for this board, runs, and its last warning; who may open the devices, and who has
them open already.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pond_hw.doctor.board_needs import NeededDevice, install_command, needed_devices, pulse_source
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.host_system import HostSystem, read_count
from pond_hw.drivers.pi_machine import PIO_DEVICE, choose_driver, explain_missing_header, explain_missing_ws281x
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.profile.board_profile import Profile

UNIT_NAMES = ("pond", "pond-root")
"""Without `.service`: the usual one, and the one for lamps that only root can drive."""

SERVICE_CONF = "/etc/pond/pond.conf"
UNIT_FOLDERS = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")

_SYSTEMD_PROPERTIES = "Id,LoadState,UnitFileState,ActiveState,Result,NRestarts,MainPID"


class InstalledService(NamedTuple):
    """An installed service, as systemd describes it; what systemd does not say is empty.

    Attributes:
        unit: `pond` or `pond-root`.
        board: the profile that it serves.
        active_state: systemd's ActiveState, such as `active`.
        unit_file_state: systemd's UnitFileState, such as `enabled`, or `masked`.
        last_result: how it ended last, such as `success`.
        restart_count: how often it was started again by itself.
        process_id: its number; 0 if it does not run.
    """

    unit: str
    board: str
    active_state: str = ""
    unit_file_state: str = ""
    last_result: str = ""
    restart_count: int = 0
    process_id: int = 0

    @property
    def is_active(self) -> bool:
        """Whether it runs."""
        return self.active_state in ("active", "activating", "reloading")


def find_service(host: HostSystem) -> InstalledService | None:
    """The service of this machine's board; of two the one that runs or is switched on.

    Debian's package brings both to every machine, switched off. On one that is no Pi such a service is none.
    """
    services = [
        _query_service(host, unit)
        for unit in UNIT_NAMES
        if any(host.file_path(f"{folder}/{unit}.service").is_file() for folder in UNIT_FOLDERS)
    ]
    if not host.machine.is_pi:
        services = [each for each in services if each.is_active or each.unit_file_state == "enabled"]
    return max(services, key=lambda each: (each.is_active, each.unit_file_state == "enabled"), default=None)


def _query_service(host: HostSystem, unit: str) -> InstalledService:
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
    """The board that pond.conf names, read as systemd reads it, or else the unit itself."""
    board_words = re.findall(r"^[ \t]*POND_BOARD[ \t]*=(.*)$", host.read_text(SERVICE_CONF), re.MULTILINE)
    if not board_words:
        texts = (host.read_text(f"{folder}/{unit}.service") for folder in UNIT_FOLDERS)
        board_words = [board_word for text in texts for board_word in re.findall(r"\bPOND_BOARD=(\S+)", text)][:1]
    return board_words[-1].strip().strip("\"'") if board_words else ""


def check_service(
    host: HostSystem, service: InstalledService | None, board_path: str, profile: Profile | None
) -> Iterator[CheckResult]:
    """How the service is, and whether it serves the board with this name or path."""
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
    yield _check_complaints(host, service.unit)


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


def _check_complaints(host: HostSystem, unit: str) -> CheckResult:
    """The last warning of the service."""
    command = ["journalctl", "-u", unit, "-p", "warning", "-n", "5", "-o", "cat", "--no-pager"]
    log_lines = [line.strip() for line in (host.run_command(command) or "").splitlines()]
    complaints = [replace_unprintable(line, "") for line in log_lines if line and not line.startswith("-- ")]
    if not complaints:
        return good_result("journal", Message("doctor.journal.good"))
    last = complaints[-1]
    message = Message("doctor.journal.warning", text=last if len(last) <= 300 else f"{last[:299]}…")
    return warning_result("journal", message, fix_command=f"journalctl -u {unit} -p warning -n 20")


# --- the devices -----------------------------------------------------------------------------------------------------


def check_devices(
    host: HostSystem, profile: Profile, service: InstalledService | None, board_path: str
) -> Iterator[CheckResult]:
    """Whether this user, or the service, can open the board with this name or path."""
    machine, wanted_devices = host.machine, needed_devices(profile, host.machine)
    header_device, lack = machine.gpio_device, explain_missing_header(machine)
    present_devices = [
        device
        for device in wanted_devices
        if machine.has_device(device.path) and not (lack and device.path == header_device)
    ]
    for device in wanted_devices:
        if device in present_devices:
            continue
        if device.path == header_device and lack:
            yield fault_result("devices", lack, fix_command="sudo apt full-upgrade")
        elif device.path == PIO_DEVICE:
            fix_command = "sudo apt full-upgrade && sudo rpi-eeprom-update -a"
            yield fault_result("devices", Message("doctor.device.no_pio", device=PIO_DEVICE), fix_command=fix_command)
        elif device.group == "gpio":  # the boot settings say what SPI and I2C lack
            message = Message("doctor.device.no_gpio_memory", device=device.path)
            yield fault_result("devices", message, fix_command="sudo apt full-upgrade")
    yield from _check_groups(host, board_path, present_devices, service)
    pin, served = profile.chain.data_pin, service and service.is_active
    if (
        machine.is_pi5
        and choose_driver(profile, machine).driver == "ws281x"
        and (lack := explain_missing_ws281x(machine, pin))
    ):
        yield fault_result("lamps", lack)
    elif pin and pulse_source(profile, machine) and machine.euid and not served:
        fix_command = f"sudo pond serve --board {shlex.quote(board_path)}"
        yield warning_result("lamps", Message("doctor.lamps.only_root", gpio=pin), fix_command=fix_command)
    yield from _check_holders(host, present_devices, service)


def _check_groups(
    host: HostSystem, board_path: str, present_devices: list[NeededDevice], service: InstalledService | None
) -> Iterator[CheckResult]:
    denied_devices = [device for device in present_devices if not host.machine.may_use(device.path)]
    denied_groups = {device.group for device in denied_devices}
    devices = tuple(device.path for device in denied_devices or present_devices)
    grade = warning_result if service and service.is_active else fault_result
    active, member = host.user_groups
    if not denied_devices:
        if present_devices:
            yield good_result("devices", Message("doctor.device.good", devices=devices))
    elif groups := tuple(sorted(denied_groups - active - member)):
        message = Message("doctor.groups.outside", devices=devices, groups=groups, count=len(groups))
        yield grade("groups", message, fix_command=f"sudo usermod -aG {','.join(groups)} $USER")
    elif groups := tuple(sorted(denied_groups & member - active)):
        message = Message("doctor.groups.next_login", devices=devices, groups=groups, count=len(groups))
        yield grade("groups", message, fix_command="exec su - $USER")
    else:
        message = Message("doctor.device.wrong_group", devices=devices, count=len(devices))
        yield grade("devices", message, fix_command=install_command(board_path))


def _check_holders(
    host: HostSystem, present_devices: list[NeededDevice], service: InstalledService | None
) -> Iterator[CheckResult]:
    served = service.process_id if service else 0
    lock_holders = {_lock_holder(host, device.path) for device in present_devices} - {0}
    for process in sorted(lock_holders):
        if served == process:
            yield good_result("board", Message("doctor.board.service"))
        else:
            message = Message("doctor.board.taken", process=process)
            if board_name := _board_served_by(host, process):
                message = Message("doctor.board.served", board=board_name, process=process)
            yield warning_result("board", message, fix_command="pond play --connect")
    for process, program_name, path in _list_openers(host, present_devices):
        if process not in (*lock_holders, served, os.getpid()):
            message = Message("doctor.board.opened", program=program_name, process=process, device=path)
            yield fault_result("board", message, fix_command=f"sudo kill {process}")


def _lock_holder(host: HostSystem, device: str) -> int:
    """The process that holds the lock of a device, as the kernel says; 0 if nobody does."""
    try:
        status = host.file_path(device).stat()
    except OSError:
        return 0
    device_key = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for lock_line in host.read_text("/proc/locks").splitlines():
        lock_match = re.fullmatch(r"\d+: FLOCK +\w+ +WRITE +(\d+) +(\S+) .*", lock_line.strip())
        if lock_match and lock_match[2] == device_key:
            return int(lock_match[1])
    return 0


def _board_served_by(host: HostSystem, process_id: int) -> str:
    """The board that a process says it serves; empty if it does not say."""
    for folder in ("/run/lock", "/run/pond", "/tmp"):
        for lock_file in sorted(host.file_path(folder).glob("pond-*.lock")):
            with suppress(OSError, ValueError, TypeError, RecursionError):
                holder_id, board_name, _ = json.loads(lock_file.read_text(encoding="utf-8", errors="replace")[:300])
                if holder_id == process_id:
                    return replace_unprintable(str(board_name)[:40], "")
    return ""


def _list_openers(host: HostSystem, present_devices: list[NeededDevice]) -> Iterator[tuple[int, str, str]]:
    """Who has one of these devices open, as far as this user may see: process, name, device."""
    device_paths = {needed_device.path for needed_device in present_devices}
    for folder in sorted(host.file_path("/proc").glob("[0-9]*")):
        with suppress(OSError, ValueError):
            opened_paths = {str(opened_file.readlink()) for opened_file in (folder / "fd").iterdir()}
            for device_path in sorted(device_paths & opened_paths):
                yield int(folder.name), host.read_text(f"/proc/{folder.name}/comm").strip()[:20], device_path
