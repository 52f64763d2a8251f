"""The service: whether it is there, serves this board, runs, and what it has complained of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pond_hw.doctor.board_needs import by_pulses, install
from pond_hw.doctor.check_results import Found, fault, good, warning
from pond_hw.doctor.surroundings import Surroundings
from pond_hw.messages.terminal_text import printable
from pond_hw.profile.board_profile import Profile

UNITS = ("pond", "pond-root")
"""Without `.service`: the usual one, and the one for lamps that only root can drive."""

CONF = "/etc/pond/pond.conf"
FOLDERS = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")

_ASKED = "Id,LoadState,UnitFileState,ActiveState,Result,NRestarts,MainPID"


class Service(NamedTuple):
    """An installed service, as systemd tells it; what it does not tell is empty.

    Attributes:
        unit: `pond` or `pond-root`.
        board: the profile that it serves.
        state: systemd's ActiveState, such as `active`.
        enabled: systemd's UnitFileState, such as `enabled`, or `masked`.
        result: how it ended last, such as `success`.
        restarts: how often it was started again by itself.
        process: its number; 0 if it does not run.
    """

    unit: str
    board: str
    state: str = ""
    enabled: str = ""
    result: str = ""
    restarts: int = 0
    process: int = 0

    @property
    def active(self) -> bool:
        """Whether it runs."""
        return self.state in ("active", "activating", "reloading")


def service_of(around: Surroundings) -> Service | None:
    """The service that is installed on this machine; of two the one that runs or is switched on."""
    found = []
    for unit in UNITS:
        if any(around.path(f"{folder}/{unit}.service").is_file() for folder in FOLDERS):
            told = _told(around, unit)
            found.append(
                Service(
                    unit,
                    _board(around, unit),
                    told.get("ActiveState", ""),
                    "masked" if told.get("LoadState") == "masked" else told.get("UnitFileState", ""),
                    told.get("Result", ""),
                    _number(told.get("NRestarts", "")),
                    _number(told.get("MainPID", "")),
                )
            )
    return max(found, key=lambda each: (each.active, each.enabled == "enabled", each.unit == "pond"), default=None)


def _told(around: Surroundings, unit: str) -> dict[str, str]:
    text = around.run(["systemctl", "show", f"{unit}.service", "-p", _ASKED]) or ""
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _board(around: Surroundings, unit: str) -> str:
    """The board that pond.conf names, read as systemd reads it, or else the unit itself."""
    told = re.findall(r"^[ \t]*POND_BOARD[ \t]*=(.*)$", around.text(CONF), re.MULTILINE)
    if not told:
        texts = (around.text(f"{folder}/{unit}.service") for folder in FOLDERS)
        told = [found for text in texts for found in re.findall(r"\bPOND_BOARD=(\S+)", text)][:1]
    return told[-1].strip().strip("\"'") if told else ""


def look(around: Surroundings, service: Service | None, called: str, profile: Profile | None) -> Iterator[Found]:
    """How the service is, and whether it serves the board that is so called on a command line."""
    if service is None:
        if around.machine.pi:
            told = "No service is installed: the board is lit only while somebody runs `pond serve`."
            yield warning("service", told, install(called or "direct-4x4"))
        else:
            yield good("service", "No service is installed; it is for a Raspberry Pi.")
        return
    yield from _fits(around, service, called, profile)
    yield _state(service)
    if service.enabled == "disabled":
        told = f"{service.unit} does not start with the machine."
        yield warning("service", told, f"sudo systemctl enable {service.unit}")
    if service.restarts:
        times = "once" if service.restarts == 1 else f"{service.restarts} times"
        told = f"{service.unit} has fallen over {times} and was started again."
        yield warning("service", told, f"journalctl -u {service.unit} -n 20")


def _fits(around: Surroundings, service: Service, called: str, profile: Profile | None) -> Iterator[Found]:
    if Path(service.board).parts[:2] in (("/", "home"), ("/", "root")):
        told = "The service may not read what lies in a home folder, and its board does. Install it from there."
        yield fault("service", told, install(service.board))
    if profile is None:
        return
    wanted = "pond-root" if by_pulses(profile, around.machine) else "pond"
    served = service.board.rpartition("/")[2].removesuffix(".toml")
    if served != profile.name:
        told = f"The service serves {served or 'a board that it does not name'}, not {profile.name}."
        yield warning("service", told, install(called))
    elif service.unit != wanted:
        told = f"{service.unit}.service cannot drive the lamps of {profile.name}: {wanted}.service is for them."
        yield fault("service", told, install(called))


def _state(service: Service) -> Found:
    unit = service.unit
    if service.enabled == "masked":
        return fault("service", f"{unit} is masked: it cannot be started.", f"sudo systemctl unmask {unit}")
    if service.state == "failed":
        why = f" ({service.result})" if service.result else ""
        told = f"{unit} has failed{why}. Mend what it complained of, then start it."
        return fault("service", told, f"sudo systemctl reset-failed {unit} && sudo systemctl start {unit}")
    if service.active:
        return good("service", f"{unit} runs, and serves {service.board or 'a board that it does not name'}.")
    if not service.state:
        return good("service", f"{unit} is installed; systemd does not tell more.")
    return warning("service", f"{unit} is installed but does not run.", f"sudo systemctl start {unit}")


def complaints(around: Surroundings, service: Service | None, count: int = 5) -> list[str]:
    """The last warnings and errors of the service, the oldest first."""
    unit = service.unit if service else UNITS[0]
    told = around.run(["journalctl", "-u", unit, "-p", "warning", "-n", str(count), "-o", "cat", "--no-pager"]) or ""
    lines = [line.strip() for line in told.splitlines()]
    return [line for line in lines if line and not line.startswith("-- ")]


def look_back(around: Surroundings, service: Service | None) -> Iterator[Found]:
    """What the service has complained of."""
    if service is None:
        return
    lines = complaints(around, service)
    if lines:
        told = f"The service complained last: {_short(lines[-1])}"
        yield warning("journal", told, f"journalctl -u {service.unit} -p warning -n 20")
    else:
        yield good("journal", "The service has complained of nothing, as far as the journal tells.")


def _short(line: str, most: int = 300) -> str:
    tame = printable(line, "")
    return tame if len(tame) <= most else f"{tame[: most - 1]}…"
