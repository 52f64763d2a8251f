"""The doctor: everything around the board. It looks at files and asks a few commands, and changes nothing.

machine.py    model, system, Python, Pond        board.py         what a board asks of its Pi
boot.py       SPI, I2C, against config.txt       config.py        config.txt as the firmware reads it
pins.py       GPIOs that two want                surroundings.py  all that is looked at, so that a faked Pi
devices.py    devices, groups, who has them                       can stand in
packages.py   what drives the board              found.py         what was found, and how it is told
lamps.py      the lamps' timing
power.py      the supply's voltage
clock.py      the wall clock
storage.py    where games are kept
service.py    the service and its journal
"""

from __future__ import annotations

import shlex
from typing import NamedTuple

from pond_hw.doctor import boot, clock, devices, lamp_timing, machine, packages, pins, power, service, storage
from pond_hw.doctor.boot_config import config_of
from pond_hw.doctor.check_results import Found, as_json, count, fault, good, printed, summary, warning
from pond_hw.doctor.redact import redacted
from pond_hw.doctor.service import service_of
from pond_hw.doctor.surroundings import Surroundings
from pond_hw.profile import Pretended, Profile, ProfileError, load
from pond_hw.setup.step import FAULT

__all__ = ["Examined", "Found", "Surroundings", "as_json", "count", "examine", "printed", "summary"]


class Examined(NamedTuple):
    """What the doctor found.

    Attributes:
        board: the name of the profile; empty if there is none to look at.
        found: all of it, in the order in which it was looked at, with nothing personal in it.
    """

    board: str
    found: tuple[Found, ...]

    @property
    def ill(self) -> bool:
        """Whether there is a fault."""
        return any(each.grade == FAULT for each in self.found)


def examine(board: str | None, around: Surroundings) -> Examined:
    """Look at everything.

    Args:
        board: the name or the path of a profile; None for the one that the service serves.
        around: the machine.

    Raises:
        ProfileError: there is no such profile.
    """
    served = service_of(around)
    called = board or (served.board if served else "")
    profile, found = _profile(board, called, around)
    found += machine.look(around)
    if around.machine.pi:
        config = config_of(around)
        found += boot.look(around, config, profile)
        if profile and not isinstance(profile.sensing.wiring, Pretended):
            if config.place:
                found += [*pins.look(around, config, profile), *lamp_timing.look(around, config, profile)]
            found += devices.look(around, profile, served, called)
        found += power.look(around)
    found += packages.look(around, profile)
    found += [*clock.look(around), *storage.look(around)]
    found += [*service.look(around, served, called, profile), *service.look_back(around, served)]
    name = profile.name if profile else ""
    return Examined(redacted(name, around.names), tuple(each.redacted(around.names) for each in found))


def _profile(board: str | None, called: str, around: Surroundings) -> tuple[Profile | None, list[Found]]:
    """The profile to look at, and whether it can be read.

    Args:
        board: the one that was asked for, if one was.
        called: the name or the path of the one that is wanted; empty if there is none.
        around: the machine.
    """
    if not called:
        told = "No board was named, so nothing is looked at that depends on one."
        line = "pond doctor --board direct-4x4"
        return None, [warning("profile", told, line) if around.machine.pi else good("profile", told)]
    try:
        profile = load(called if board or not called.startswith("/") else around.path(called))
    except ProfileError as error:
        if board and not error.faults:
            raise
        first, *more = str(error).splitlines()
        told = f"{first} {more[0].strip() if more else ''}".strip()
        return None, [fault("profile", told, f"pond boards {shlex.quote(called)}")]
    if not around.machine.pi and not isinstance(profile.sensing.wiring, Pretended):
        told = f"{profile.name} is a board for a Raspberry Pi, and this machine is not one."
        return profile, [warning("profile", told, "pond serve --board simulated-4x4")]
    return profile, [good("profile", f"{profile.name} can be read: {profile.size}x{profile.size} cells.")]
