"""Access to the machine for all checks. Tests replace it with a simulated Pi."""

from __future__ import annotations

import os
import platform
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pond_hw.doctor.redact import PrivateNames
from pond_hw.drivers.pi_machine import Machine
from pond_hw.messages.message import Message
from pond_hw.optional_packages import ADD_TO_PACKAGE, PACKAGE_FOLDER

if TYPE_CHECKING:
    from pond_hw.link.invitation import Broker
    from pond_hw.mqtt.stored_link import Login

COMMAND_TIMEOUT = 5.0
"""Seconds after which a command is aborted."""


class InstalledPackage(NamedTuple):
    """Installed Python package. The version is empty if unknown. The origin describes its source, such as apt or pip."""

    version: str
    origin: Message


class FreeSpace(NamedTuple):
    """Free bytes and free files (inodes) in a file system; `free_files` is None if their number is unlimited."""

    free_bytes: int
    free_files: int | None


class UserGroups(NamedTuple):
    """Active groups of this process, and groups that the user will have after the next login."""

    active_groups: frozenset[str]
    member_groups: frozenset[str]


def _run_command(command: Sequence[str]) -> str | None:
    """Return the output of a command; None if the command is missing, fails or times out."""
    environment, discarded = (
        {**os.environ, "LC_ALL": "C", "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": ""},
        subprocess.DEVNULL,
    )
    try:
        return subprocess.check_output(
            command, stderr=discarded, env=environment, text=True, errors="replace", timeout=COMMAND_TIMEOUT
        )
    except (OSError, subprocess.SubprocessError):
        return None


def _measure_free_space(path: Path) -> FreeSpace | None:
    while not path.exists() and path != path.parent:
        path = path.parent
    try:
        status = os.statvfs(path)
    except (OSError, AttributeError):  # Windows
        return None
    return FreeSpace(status.f_bavail * status.f_frsize, status.f_favail if status.f_files else None)


def _find_package(name: str, module: str) -> InstalledPackage | None:
    with suppress(metadata.PackageNotFoundError):
        package = metadata.distribution(name)
        version = ""
        with suppress(FileNotFoundError):  # Newer Python versions raise this if a power cut has destroyed the metadata.
            version = package.metadata.get_all("Version", [""])[0]
        return InstalledPackage(version, _describe_origin(Path(str(package.locate_file("")))))
    with suppress(ImportError, ValueError):  # Packages from apt may lack metadata.
        if spec := find_spec(module):
            return InstalledPackage("", _describe_origin(Path(spec.origin or ".").parent))
    return None


def _describe_origin(folder: Path) -> Message:
    if "dist-packages" in folder.parts:
        return Message("doctor.origin.apt")
    if not folder.is_relative_to(Path(sys.prefix)):
        return Message("doctor.origin.folder", folder=str(folder))
    kind = "pip" if sys.prefix == sys.base_prefix else "virtualenv"
    return Message(f"doctor.origin.{kind}", folder=sys.prefix)


def _read_user_groups() -> UserGroups:
    try:
        import grp
        import pwd
    except ImportError:  # Windows
        return UserGroups(frozenset(), frozenset())
    active, memberships = set[str](), set[str]()
    with suppress(KeyError, OSError):
        user = pwd.getpwuid(os.getuid())
        memberships = {
            group.gr_name for group in grp.getgrall() if user.pw_name in group.gr_mem or group.gr_gid == user.pw_gid
        }
    for group_id in (*os.getgroups(), os.getegid()):
        with suppress(KeyError):
            active.add(grp.getgrgid(group_id).gr_name)
    return UserGroups(frozenset(active), frozenset(memberships))


def collect_private_names(root: Path = Path("/")) -> PrivateNames:
    """Collect user names, host names, serial numbers and home folders."""
    users: set[str] = set()
    homes = {str(Path.home())} if "HOME" in os.environ else set()
    with suppress(ImportError, KeyError, OSError):
        import pwd

        people = [each for each in pwd.getpwall() if 1000 <= each.pw_uid < 60000 or each.pw_uid == os.getuid()]
        for person in people:
            full_name = person.pw_gecos.split(",")[0].strip()
            users |= {person.pw_name, full_name, *(part for part in full_name.split() if len(part) > 2)}
            homes.add(person.pw_dir)
    users |= {os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
    host = socket.gethostname()
    serials = set()
    for path_text in ("proc/device-tree/serial-number", "etc/machine-id", "var/lib/dbus/machine-id"):
        with suppress(OSError):
            serial_text = (root / path_text).read_text(encoding="ascii", errors="replace").strip("\0\n ")
            serials |= {serial_text, serial_text.lstrip("0"), serial_text[-8:]}
    return PrivateNames(
        tuple(sorted(filter(None, users))),
        (host, platform.node()),
        tuple(sorted(each for each in serials if len(each) > 5)),
        tuple(sorted(home for home in homes if home not in ("/", "/nonexistent", ""))),
    )


def _try_broker(broker: Broker, login: Login) -> Message | None:
    from pond_hw.mqtt.broker_trial import try_broker

    return try_broker(broker, login)


@dataclass(frozen=True)
class HostSystem:
    """The machine as seen by the checks.

    Attributes:
        run_command: returns the output of a command; None if it is missing, fails or times out.
        free_space: returns the free space in the file system that contains a folder; None if unknown.
        wall_clock: returns the current time in seconds since 1970.
        find_package: returns an installed Python package, given its name and the name of its module.
        try_broker: connects to the broker of a linked game, and returns what is wrong, or None.
        platform_name: name and version of the system according to Python, such as `Windows-11`.
        python_bits: 32 or 64, depending on the build of Python.
    """

    machine: Machine = field(default_factory=Machine)
    run_command: Callable[[Sequence[str]], str | None] = _run_command
    free_space: Callable[[Path], FreeSpace | None] = _measure_free_space
    wall_clock: Callable[[], float] = time.time
    find_package: Callable[[str, str], InstalledPackage | None] = _find_package
    try_broker: Callable[[Broker, Login], Message | None] = _try_broker
    user_groups: UserGroups = field(default_factory=_read_user_groups)
    private_names: PrivateNames = field(default_factory=collect_private_names)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    python_version: str = field(default_factory=platform.python_version)
    platform_name: str = field(default_factory=lambda: platform.platform(terse=True))
    python_bits: int = struct.calcsize("P") * 8
    python_prefix: Path = field(default_factory=lambda: Path(sys.prefix))
    in_virtualenv: bool = field(default_factory=lambda: sys.prefix != sys.base_prefix)

    def file_path(self, path_text: str) -> Path:
        """Return the path of a file on this machine, such as `/etc/pond/pond.conf`."""
        return self.machine.root / path_text.lstrip("/")

    def read_text(self, path_text: str) -> str:
        """Return the text of a file; empty if it can't be read."""
        try:
            return self.file_path(path_text).read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):
            return ""

    @property
    def pip_command(self) -> str:
        """Command that installs a package for this Python."""
        if self._is_packaged:
            return ADD_TO_PACKAGE
        return f"{self.python_prefix / 'bin' / 'python'} -m pip install"

    def uninstall_command(self, name: str) -> str:
        """Return the command that removes a package installed with `pip_command`."""
        if self._is_packaged:
            return f"sudo rm -r {ADD_TO_PACKAGE.split()[-1]}/{name}*"
        return f"{self.python_prefix / 'bin' / 'python'} -m pip uninstall -y {name}"

    @property
    def _is_packaged(self) -> bool:
        return self.python_prefix == self.file_path(PACKAGE_FOLDER)


def read_count(settings: Mapping[str, str], setting_key: str, default: int = 0) -> int:
    """Return a setting as a whole number, or the default if it isn't one."""
    setting_text = settings.get(setting_key, "")
    return int(setting_text) if setting_text.isdecimal() else default
