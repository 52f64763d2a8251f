"""Checks of a game of two homes: its files, packages, clock, broker and service.

No message contains anything from the files: neither the invitation nor the broker or its user.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.host_system import HostSystem
from pond_hw.doctor.machine_checks import SET_CLOCK_COMMAND, is_clock_set
from pond_hw.doctor.service_checks import query_service
from pond_hw.journal.folder import program_state_folder
from pond_hw.messages.message import Message, PondError
from pond_hw.optional_packages import format_install_command

if TYPE_CHECKING:
    from pond_hw.link.invitation import Broker
    from pond_hw.mqtt.linked_home import LinkedHome

LINK_UNIT = "pond-link"
SERVICE_STATE = f"/var/lib/{LINK_UNIT}"
"""State folder of the service that plays a linked game."""

LINK_PACKAGES = {"pynacl": "nacl", "aiomqtt": "aiomqtt", "paho-mqtt": "paho"}
"""Modules of the extra `link`, by their packages."""


def check_link(host: HostSystem) -> Iterator[CheckResult]:
    """Check the linked games of this user and of the service, if there are any."""
    own_state = str(program_state_folder(host.environment))
    if host.file_path(SERVICE_STATE).is_dir() and not host.machine.may_use(SERVICE_STATE):
        yield warning_result("link", Message("doctor.link.only_root"), fix_command="sudo pond doctor")
    else:
        yield from _check_folder(host, SERVICE_STATE)
    if own_state != SERVICE_STATE:
        yield from _check_folder(host, own_state)


def _check_folder(host: HostSystem, state_folder: str) -> Iterator[CheckResult]:
    folder = host.file_path(state_folder) / "link"
    try:
        paths = [path for path in sorted(folder.iterdir()) if path.name in ("game", "settings.json")]
    except OSError:
        return
    if not paths:
        return
    yield from _check_owner(f"{state_folder}/link", [folder, *folder.iterdir()])
    missing = tuple(name for name, module in LINK_PACKAGES.items() if not host.find_package(name, module))
    if missing:
        message = Message("doctor.link.packages", packages=missing)
        yield fault_result("link", message, fix_command=format_install_command("link"))
        return
    from pond_hw.mqtt.stored_link import StoredLink

    stored = StoredLink(folder)
    try:
        home, settings = stored.load(), stored.read_settings()
    except PondError as error:
        yield fault_result("link", Message("doctor.link.damaged"), error.message)
        return
    brokers = _list_brokers(home, settings)
    if not brokers:  # only the login of a game that is over
        return
    yield from _check_clock(host, home)
    for broker in brokers:
        if fault := host.try_broker(broker, stored.read_login(broker)):
            yield fault_result("link", fault)
        else:
            yield good_result("link", Message("doctor.link.good"))
    if state_folder == SERVICE_STATE:
        yield from _check_service(host)


def _check_owner(folder: str, paths: list[Path]) -> Iterator[CheckResult]:
    """Check that only the owner of the folder can read its files, which contain a key and a password."""
    owner, quoted = paths[0].parent.stat().st_uid, shlex.quote(folder)
    if any(path.stat().st_mode & 0o077 for path in paths):
        yield fault_result("link", Message("doctor.link.open"), fix_command=f"sudo chmod -R go= {quoted}")
    if any(path.stat().st_uid != owner for path in paths):
        parent = shlex.quote(str(Path(folder).parent))
        message = Message("doctor.link.owner")
        yield fault_result("link", message, fix_command=f"sudo chown -R --reference={parent} {quoted}")


def _list_brokers(home: LinkedHome | None, settings: Mapping[str, Any]) -> list[Broker]:
    """Return the brokers of the game and of Home Assistant."""
    from pond_hw.link.invitation import parse_broker

    brokers = [home.game.invitation.broker] if home else []
    match settings.get("home_assistant"):
        case {"broker": str(text), "on": True}:
            with suppress(PondError):
                brokers.append(parse_broker(text))
    return list(dict.fromkeys(broker._replace(prefix="") for broker in brokers))


def _check_clock(host: HostSystem, home: LinkedHome | None) -> Iterator[CheckResult]:
    """Check the clock: a wrong one makes certificates invalid, and the other home sees wrong times."""
    if home and max(home.game.last_seen) > host.wall_clock():
        yield fault_result("link", Message("doctor.link.clock_behind"), fix_command=SET_CLOCK_COMMAND)
    elif is_clock_set(host) is False:
        yield warning_result("link", Message("doctor.link.clock_unset"), fix_command=SET_CLOCK_COMMAND)


def _check_service(host: HostSystem) -> Iterator[CheckResult]:
    service = query_service(host, LINK_UNIT)
    if service.active_state == "failed":
        message = Message("doctor.service.failed", unit=LINK_UNIT)
        yield fault_result("link", message, fix_command=f"journalctl -u {LINK_UNIT} -n 20")
    elif not service.is_active:
        message = Message("doctor.link.off")
        yield warning_result("link", message, fix_command=f"sudo systemctl enable --now {LINK_UNIT}")
