"""The devices of a board, who may open them, and who has them already."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress

from pond_hw.doctor.board_needs import Device, by_pulses, devices, install
from pond_hw.doctor.check_results import Found, fault, good, warning
from pond_hw.doctor.service import Service
from pond_hw.doctor.surroundings import Surroundings
from pond_hw.drivers.pi_machine import choose, lacks_gpio, lacks_ws281x
from pond_hw.messages.terminal_text import printable
from pond_hw.profile.board_profile import Profile


def look(around: Surroundings, profile: Profile, service: Service | None, called: str) -> Iterator[Found]:
    """Whether the board, so called on a command line, can be opened by whoever runs this, or by the service."""
    machine = around.machine
    wanted = devices(profile, machine)
    there = [each for each in wanted if machine.has(each.path)]
    yield from _missing(around, [each for each in wanted if each not in there])
    yield from _groups(around, called, there, service)
    if by_pulses(profile, machine) or (machine.five and choose(profile, machine).driver == "ws281x"):
        yield from _root(around, profile, service, called)
    yield from _held(around, there, service)


def _missing(around: Surroundings, absent: list[Device]) -> Iterator[Found]:
    """Devices that are not there and that no boot setting gives: those of SPI and I2C are told elsewhere."""
    for each in absent:
        if each.path == around.machine.gpio:
            yield fault("devices", lacks_gpio(around.machine) or "", "sudo apt full-upgrade")
        elif each.path == "/dev/pio0":
            told = "There is no /dev/pio0: the system or the Pi's own firmware is too old. Then restart the Pi."
            yield fault("devices", told, "sudo apt full-upgrade && sudo rpi-eeprom-update -a")
        elif each.group == "gpio":
            yield fault("devices", f"There is no {each.path}. Use Raspberry Pi OS.", "sudo apt full-upgrade")


def _groups(around: Surroundings, called: str, there: list[Device], service: Service | None) -> Iterator[Found]:
    denied = [each for each in there if not around.machine.may_use(each.path)]
    if not denied:
        if there:
            yield good("devices", f"{', '.join(each.path for each in there)}: may be used.")
        return
    groups = sorted({each.group for each in denied})
    paths = ", ".join(each.path for each in denied)
    grade = warning if service and service.active else fault
    outside = [group for group in groups if group not in around.groups.now | around.groups.listed]
    waiting = [group for group in groups if group in around.groups.listed - around.groups.now]
    if outside:
        names = " and ".join(outside)
        told = f"{paths}: you may not, for you are not in the group {names}. Join, then log out and in again."
        yield grade("groups", told, f"sudo usermod -aG {','.join(outside)} $USER")
    elif waiting:
        told = f"{paths}: you are in the group {' and '.join(waiting)}, but not in this login. Log in again."
        yield grade("groups", told, "exec su - $USER")
    else:
        told = f"{paths}: you are in the right group, but the device does not belong to it."
        yield grade("devices", told, install(called))


def _root(around: Surroundings, profile: Profile, service: Service | None, called: str) -> Iterator[Found]:
    machine, pin = around.machine, profile.chain.pin
    if machine.five:
        yield fault("lamps", lacks_ws281x(machine, pin) or "")
    elif by_pulses(profile, machine) and machine.euid and not (service and service.active):
        told = f"Lamps on GPIO {pin} can be driven only as root."
        yield warning("lamps", told, f"sudo pond serve --board {shlex.quote(called)}")


# --- who has them -----------------------------------------------------------------------------------------------------


def _held(around: Surroundings, there: list[Device], service: Service | None) -> Iterator[Found]:
    served = service.process if service else 0
    holders = {process for each in there if (process := _locker(around, each.path))}
    for process in sorted(holders):
        if served == process:
            yield good("board", "The service holds the board.")
        else:
            told = f"{_board(around, process)} is being served already, by process {process}. Join in, or end that one."
            yield warning("board", told, "pond play --connect")
    for process, name, path in _openers(around, there):
        if process not in (*holders, served, os.getpid()):
            told = f"The program {name} (process {process}) has {path} open. End it before Pond is started."
            yield fault("board", told, f"sudo kill {process}")


def _locker(around: Surroundings, device: str) -> int:
    """The process that holds the lock of a device, as the kernel tells; 0 if nobody does."""
    try:
        status = around.path(device).stat()
    except OSError:
        return 0
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in around.text("/proc/locks").splitlines():
        told = re.fullmatch(r"\d+: FLOCK +\w+ +WRITE +(\d+) +(\S+) .*", line.strip())
        if told and told[2] == place:
            return int(told[1])
    return 0


def _board(around: Surroundings, process: int) -> str:
    """The board that a process says it serves."""
    for folder in ("/run/lock", "/run/pond", "/tmp"):
        for file in sorted(around.path(folder).glob("pond-*.lock")):
            with suppress(OSError, ValueError, TypeError, RecursionError):
                holder, board, _ = json.loads(file.read_text(encoding="utf-8", errors="replace")[:300])
                if holder == process:
                    return printable(str(board)[:40], "")
    return "A board"


def _openers(around: Surroundings, there: list[Device]) -> Iterator[tuple[int, str, str]]:
    """Who has one of these devices open, as far as this user may see: process, name, device."""
    paths = {each.path for each in there}
    for folder in sorted(around.path("/proc").glob("[0-9]*")):
        with suppress(OSError, ValueError):
            opened = {str(link.readlink()) for link in (folder / "fd").iterdir()}
            for path in sorted(paths & opened):
                yield int(folder.name), around.text(f"/proc/{folder.name}/comm").strip()[:20], path
