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
from pond_hw.drivers.pi_machine import choose_driver, lacks_gpio, lacks_ws281x
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.profile.board_profile import Profile


def check_devices(
    around: HostSystem, profile: Profile, service: InstalledService | None, called: str
) -> Iterator[CheckResult]:
    """Whether the board, so called on a command line, can be opened by whoever runs this, or by the service."""
    machine = around.machine
    wanted = needed_devices(profile, machine)
    there = [each for each in wanted if machine.has_device(each.path)]
    yield from _check_missing(around, [each for each in wanted if each not in there])
    yield from _check_groups(around, called, there, service)
    if pulse_source(profile, machine) or (machine.is_pi5 and choose_driver(profile, machine).driver == "ws281x"):
        yield from _check_root_access(around, profile, service, called)
    yield from _check_holders(around, there, service)


def _check_missing(around: HostSystem, absent: list[NeededDevice]) -> Iterator[CheckResult]:
    """Devices that are not there and that no boot setting gives: those of SPI and I2C are told elsewhere."""
    for each in absent:
        if each.path == around.machine.gpio_device:
            yield fault_result("devices", lacks_gpio(around.machine) or "", "sudo apt full-upgrade")
        elif each.path == "/dev/pio0":
            told = "There is no /dev/pio0: the system or the Pi's own firmware is too old. Then restart the Pi."
            yield fault_result("devices", told, "sudo apt full-upgrade && sudo rpi-eeprom-update -a")
        elif each.group == "gpio":
            yield fault_result("devices", f"There is no {each.path}. Use Raspberry Pi OS.", "sudo apt full-upgrade")


def _check_groups(
    around: HostSystem, called: str, there: list[NeededDevice], service: InstalledService | None
) -> Iterator[CheckResult]:
    denied = [each for each in there if not around.machine.may_use(each.path)]
    if not denied:
        if there:
            yield good_result("devices", f"{', '.join(each.path for each in there)}: may be used.")
        return
    groups = {each.group for each in denied}
    paths = ", ".join(each.path for each in denied)
    grade = warning_result if service and service.is_active else fault_result
    active, member = around.user_groups
    if outside := sorted(groups - active - member):
        names = " and ".join(outside)
        message = f"{paths}: you may not, for you are not in the group {names}. Join, then log out and in again."
        yield grade("groups", message, f"sudo usermod -aG {','.join(outside)} $USER")
    elif waiting := sorted(groups & member - active):
        message = f"{paths}: you are in the group {' and '.join(waiting)}, but not in this login. Log in again."
        yield grade("groups", message, "exec su - $USER")
    else:
        message = f"{paths}: you are in the right group, but the device does not belong to it."
        yield grade("devices", message, install_command(called))


def _check_root_access(
    around: HostSystem, profile: Profile, service: InstalledService | None, called: str
) -> Iterator[CheckResult]:
    machine, pin = around.machine, profile.chain.data_pin
    if machine.is_pi5:
        yield fault_result("lamps", lacks_ws281x(machine, pin) or "")
    elif pulse_source(profile, machine) and machine.euid and not (service and service.is_active):
        told = f"Lamps on GPIO {pin} can be driven only as root."
        yield warning_result("lamps", told, f"sudo pond serve --board {shlex.quote(called)}")


# --- who has them -----------------------------------------------------------------------------------------------------


def _check_holders(
    around: HostSystem, there: list[NeededDevice], service: InstalledService | None
) -> Iterator[CheckResult]:
    served = service.process_id if service else 0
    holders = {process for each in there if (process := _lock_holder(around, each.path))}
    for process in sorted(holders):
        if served == process:
            yield good_result("board", "The service holds the board.")
        else:
            told = f"{_board_served_by(around, process)} is being served already, by process {process}. Join in, or end that one."
            yield warning_result("board", told, "pond play --connect")
    for process, name, path in _list_openers(around, there):
        if process not in (*holders, served, os.getpid()):
            told = f"The program {name} (process {process}) has {path} open. End it before Pond is started."
            yield fault_result("board", told, f"sudo kill {process}")


def _lock_holder(around: HostSystem, device: str) -> int:
    """The process that holds the lock of a device, as the kernel tells; 0 if nobody does."""
    try:
        status = around.file_path(device).stat()
    except OSError:
        return 0
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in around.read_text("/proc/locks").splitlines():
        told = re.fullmatch(r"\d+: FLOCK +\w+ +WRITE +(\d+) +(\S+) .*", line.strip())
        if told and told[2] == place:
            return int(told[1])
    return 0


def _board_served_by(around: HostSystem, process: int) -> str:
    """The board that a process says it serves."""
    for folder in ("/run/lock", "/run/pond", "/tmp"):
        for file in sorted(around.file_path(folder).glob("pond-*.lock")):
            with suppress(OSError, ValueError, TypeError, RecursionError):
                holder, board, _ = json.loads(file.read_text(encoding="utf-8", errors="replace")[:300])
                if holder == process:
                    return replace_unprintable(str(board)[:40], "")
    return "A board"


def _list_openers(around: HostSystem, there: list[NeededDevice]) -> Iterator[tuple[int, str, str]]:
    """Who has one of these devices open, as far as this user may see: process, name, device."""
    paths = {each.path for each in there}
    for folder in sorted(around.file_path("/proc").glob("[0-9]*")):
        with suppress(OSError, ValueError):
            opened = {str(link.readlink()) for link in (folder / "fd").iterdir()}
            for path in sorted(paths & opened):
                yield int(folder.name), around.read_text(f"/proc/{folder.name}/comm").strip()[:20], path
