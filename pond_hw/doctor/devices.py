"""The devices of a board, who may open them, and who has them already."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress

from pond_hw.doctor.board_needs import NeededDevice, install_command, needed_devices, pulse_source
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.service import InstalledService
from pond_hw.doctor.surroundings import HostSystem
from pond_hw.drivers.pi_machine import PIO_DEVICE, choose_driver, lacks_gpio, lacks_ws281x
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.profile.board_profile import Profile


def check_devices(
    host: HostSystem, profile: Profile, service: InstalledService | None, board_path: str
) -> Iterator[CheckResult]:
    """Whether the board, so called on a command line, can be opened by whoever runs this, or by the service."""
    machine, wanted_devices = host.machine, needed_devices(profile, host.machine)
    present_devices = [device for device in wanted_devices if machine.has_device(device.path)]
    for device in wanted_devices:
        if device in present_devices:
            continue
        if device.path == machine.gpio_device:
            yield fault_result("devices", lacks_gpio(machine) or "", "sudo apt full-upgrade")
        elif device.path == PIO_DEVICE:
            text = f"There is no {PIO_DEVICE}: the system or the Pi's own firmware is too old. Then restart the Pi."
            yield fault_result("devices", text, "sudo apt full-upgrade && sudo rpi-eeprom-update -a")
        elif device.group == "gpio":  # what is missing of SPI and I2C the boot settings tell
            text = f"There is no {device.path}. Use Raspberry Pi OS."
            yield fault_result("devices", text, "sudo apt full-upgrade")
    yield from _check_groups(host, board_path, present_devices, service)
    pin, served = profile.chain.data_pin, service and service.is_active
    if machine.is_pi5 and choose_driver(profile, machine).driver == "ws281x":
        yield fault_result("lamps", lacks_ws281x(machine, pin) or "")
    elif pulse_source(profile, machine) and machine.euid and not served:
        text = f"Lamps on GPIO {pin} can be driven only as root."
        yield warning_result("lamps", text, f"sudo pond serve --board {shlex.quote(board_path)}")
    yield from _check_holders(host, present_devices, service)


def _check_groups(
    host: HostSystem, board_path: str, present_devices: list[NeededDevice], service: InstalledService | None
) -> Iterator[CheckResult]:
    denied_devices = [device for device in present_devices if not host.machine.may_use(device.path)]
    denied_groups = {device.group for device in denied_devices}
    paths = ", ".join(device.path for device in denied_devices or present_devices)
    grade = warning_result if service and service.is_active else fault_result
    active, member = host.user_groups
    if not denied_devices:
        if present_devices:
            yield good_result("devices", f"{paths}: may be used.")
    elif outside_groups := sorted(denied_groups - active - member):
        names = " and ".join(outside_groups)
        text = f"{paths}: you may not, for you are not in the group {names}. Join, then log out and in again."
        yield grade("groups", text, f"sudo usermod -aG {','.join(outside_groups)} $USER")
    elif waiting_groups := sorted(denied_groups & member - active):
        text = f"{paths}: you are in the group {' and '.join(waiting_groups)}, but not in this login. Log in again."
        yield grade("groups", text, "exec su - $USER")
    else:
        text = f"{paths}: you are in the right group, but the device does not belong to it."
        yield grade("devices", text, install_command(board_path))


# --- who has them -----------------------------------------------------------------------------------------------------


def _check_holders(
    host: HostSystem, present_devices: list[NeededDevice], service: InstalledService | None
) -> Iterator[CheckResult]:
    served = service.process_id if service else 0
    lock_holders = {_lock_holder(host, device.path) for device in present_devices} - {0}
    for process in sorted(lock_holders):
        if served == process:
            yield good_result("board", "The service holds the board.")
        else:
            text = f"{_board_served_by(host, process)} is being served already, by process {process}. Join in, or end that one."
            yield warning_result("board", text, "pond play --connect")
    for process, program_name, path in _list_openers(host, present_devices):
        if process not in (*lock_holders, served, os.getpid()):
            text = f"The program {program_name} (process {process}) has {path} open. End it before Pond is started."
            yield fault_result("board", text, f"sudo kill {process}")


def _lock_holder(host: HostSystem, device: str) -> int:
    """The process that holds the lock of a device, as the kernel tells; 0 if nobody does."""
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
    """The board that a process says it serves."""
    for folder in ("/run/lock", "/run/pond", "/tmp"):
        for lock_file in sorted(host.file_path(folder).glob("pond-*.lock")):
            with suppress(OSError, ValueError, TypeError, RecursionError):
                holder_id, board_name, _ = json.loads(lock_file.read_text(encoding="utf-8", errors="replace")[:300])
                if holder_id == process_id:
                    return replace_unprintable(str(board_name)[:40], "")
    return "A board"


def _list_openers(host: HostSystem, present_devices: list[NeededDevice]) -> Iterator[tuple[int, str, str]]:
    """Who has one of these devices open, as far as this user may see: process, name, device."""
    device_paths = {needed_device.path for needed_device in present_devices}
    for folder in sorted(host.file_path("/proc").glob("[0-9]*")):
        with suppress(OSError, ValueError):
            opened_paths = {str(opened_file.readlink()) for opened_file in (folder / "fd").iterdir()}
            for device_path in sorted(device_paths & opened_paths):
                yield int(folder.name), host.read_text(f"/proc/{folder.name}/comm").strip()[:20], device_path
