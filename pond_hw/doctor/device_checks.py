"""Checks of device files: permissions, programs that have them open, and boards on USB."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress

from pond_hw.board import BoardFault
from pond_hw.doctor.board_needs import NeededDevice, install_command, needed_devices, pulse_source
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.host_system import HostSystem
from pond_hw.doctor.service_checks import InstalledService
from pond_hw.drivers.pi_machine import (
    PIO_DEVICE,
    choose_driver,
    explain_missing_header,
    explain_missing_usb,
    explain_missing_ws281x,
)
from pond_hw.drivers.usb_config import make_board_config
from pond_hw.drivers.usb_hello import ask_board
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.profile import Profile

GROUP_COMMAND = "sudo usermod -aG dialout $USER"


def check_devices(
    host: HostSystem, profile: Profile, service: InstalledService | None, board_path: str
) -> Iterator[CheckResult]:
    """Check that this user or the service can open the board's devices. `board_path` is its name or path."""
    machine, wanted_devices = host.machine, needed_devices(profile, host.machine)
    header_device, missing = machine.gpio_device, explain_missing_header(machine)
    present_devices = [
        device
        for device in wanted_devices
        if machine.has_device(device.path) and not (missing and device.path == header_device)
    ]
    for device in wanted_devices:
        if device in present_devices:
            continue
        if device.path == header_device and missing:
            yield fault_result("devices", missing, fix_command="sudo apt full-upgrade")
        elif device.path == PIO_DEVICE:
            fix_command = "sudo apt full-upgrade && sudo rpi-eeprom-update -a"
            yield fault_result("devices", Message("doctor.device.no_pio", device=PIO_DEVICE), fix_command=fix_command)
        elif device.group == "gpio":  # Missing SPI and I2C devices are reported by boot_checks.
            message = Message("doctor.device.no_gpio_memory", device=device.path)
            yield fault_result("devices", message, fix_command="sudo apt full-upgrade")
    yield from _check_groups(host, board_path, present_devices, service)
    pin, served = profile.chain.data_pin, service and service.is_active
    if (
        machine.is_pi5
        and choose_driver(profile, machine).driver == "ws281x"
        and (missing := explain_missing_ws281x(machine, pin))
    ):
        yield fault_result("lamps", missing)
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
    """Return the id of the process that holds the lock on a device, or 0."""
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
    """Return the board that a process serves, according to its lock file; empty if unknown."""
    for folder in ("/run/lock", "/run/pond", "/tmp"):
        for lock_file in sorted(host.file_path(folder).glob("pond-*.lock")):
            with suppress(OSError, ValueError, TypeError, RecursionError):
                holder_id, board_name, _ = json.loads(lock_file.read_text(encoding="utf-8", errors="replace")[:300])
                if holder_id == process_id:
                    return replace_unprintable(str(board_name)[:40], "")
    return ""


def _list_openers(host: HostSystem, present_devices: list[NeededDevice]) -> Iterator[tuple[int, str, str]]:
    """Yield each process that has one of the devices open, as far as this user can see: its id, its name and the device."""
    device_paths = {needed_device.path for needed_device in present_devices}
    for folder in sorted(host.file_path("/proc").glob("[0-9]*")):
        with suppress(OSError, ValueError):
            opened_paths = {str(opened_file.readlink()) for opened_file in (folder / "fd").iterdir()}
            for device_path in sorted(device_paths & opened_paths):
                yield int(folder.name), host.read_text(f"/proc/{folder.name}/comm").strip()[:20], device_path


def check_usb(host: HostSystem, profile: Profile) -> CheckResult:
    """Check that the USB board is connected and accessible, and that its configuration matches this profile."""
    missing = explain_missing_usb(host.machine)
    if missing:
        return fault_result("usb", missing, fix_command=GROUP_COMMAND if missing.id == "device.group" else "")
    config, faults = make_board_config(profile), list[Message]()
    for device in host.machine.usb_boards():
        try:
            hello = ask_board(device)
        except BoardFault as fault:
            faults.append(fault.message)
            continue
        mismatch = config.describe_mismatch(device, hello.protocol, hello.fingerprint)
        if mismatch is None:
            return good_result("usb", Message("doctor.usb.good", device=device, firmware=hello.firmware))
        faults.append(mismatch)
    if all(fault.id == "usb.busy" for fault in faults):
        return warning_result("usb", *faults)
    is_other = any(fault.id in ("usb.no_config", "usb.other_config") for fault in faults)
    command = f"pond board flash-config {shlex.quote(profile.name)}" if is_other else ""
    return fault_result("usb", *faults, fix_command=command)
