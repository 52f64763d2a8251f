"""All that the doctor looks at, in one place, so that a faked tree of files can stand in for a Pi."""

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
from typing import NamedTuple

from pond_hw.doctor.redact import Names
from pond_hw.drivers.pi_machine import Machine

PATIENCE = 5.0
"""Seconds that a command gets to answer."""

INSTALLED = "opt/pond"
"""Where the installer puts the program."""


class Package(NamedTuple):
    """A Python package that is there: its version (empty if it does not say) and where it came from, in words."""

    version: str
    place: str


class Room(NamedTuple):
    """What is left on a file system: bytes, and files; None if it has no bound of its own."""

    bytes: int
    files: int | None


class Groups(NamedTuple):
    """The groups of whoever runs this: those that this process has, and those that it would have after a new login."""

    now: frozenset[str]
    listed: frozenset[str]


def _run(command: Sequence[str]) -> str | None:
    """What a command prints; None if it is not there, fails or does not answer."""
    environment = {**os.environ, "LC_ALL": "C", "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": ""}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def _room(path: Path) -> Room | None:
    while not path.exists() and path != path.parent:
        path = path.parent
    try:
        told = os.statvfs(path)
    except (OSError, AttributeError):  # Windows has none
        return None
    return Room(told.f_bavail * told.f_frsize, told.f_favail if told.f_files else None)


def _package(name: str, module: str) -> Package | None:
    try:
        found = metadata.distribution(name)
        return Package(found.version, _origin(Path(str(found.locate_file("")))))
    except metadata.PackageNotFoundError:
        pass
    with suppress(ImportError, ValueError):  # apt's packages need not say who they are
        spec = find_spec(module)
        if spec is not None:
            return Package("", _origin(Path(spec.origin or ".").parent))
    return None


def _origin(folder: Path) -> str:
    if "dist-packages" in folder.parts:
        return "the system's packages (apt)"
    if folder.is_relative_to(Path(sys.prefix)):
        return f"the virtual environment {sys.prefix}" if sys.prefix != sys.base_prefix else f"pip, in {sys.prefix}"
    return str(folder)


def _groups() -> Groups:
    try:
        import grp
        import pwd
    except ImportError:  # Windows
        return Groups(frozenset(), frozenset())
    now, listed = set(), set()
    with suppress(KeyError, OSError):
        user = pwd.getpwuid(os.getuid())
        listed = {each.gr_name for each in grp.getgrall() if user.pw_name in each.gr_mem or each.gr_gid == user.pw_gid}
    for number in (*os.getgroups(), os.getegid()):
        with suppress(KeyError):
            now.add(grp.getgrgid(number).gr_name)
    return Groups(frozenset(now), frozenset(listed))


def known_names(root: Path = Path("/")) -> Names:
    """What this machine knows of its people and itself."""
    users: set[str] = set()
    homes = {str(Path.home())} if "HOME" in os.environ else set()
    with suppress(ImportError, KeyError, OSError):
        import pwd

        people = [each for each in pwd.getpwall() if 1000 <= each.pw_uid < 60000 or each.pw_uid == os.getuid()]
        for person in people:
            called = person.pw_gecos.split(",")[0].strip()
            users |= {person.pw_name, called, *(part for part in called.split() if len(part) > 2)}
            homes.add(person.pw_dir)
    users |= {os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
    host = socket.gethostname()
    serials = set()
    for place in ("proc/device-tree/serial-number", "etc/machine-id", "var/lib/dbus/machine-id"):
        with suppress(OSError):
            told = (root / place).read_text(encoding="ascii", errors="replace").strip("\0\n ")
            serials |= {told, told.lstrip("0"), told[-8:]}
    return Names(
        tuple(sorted(filter(None, users))),
        (host, platform.node()),
        tuple(sorted(each for each in serials if len(each) > 5)),
        tuple(sorted(home for home in homes if home not in ("/", "/nonexistent", ""))),
    )


@dataclass(frozen=True)
class Surroundings:
    """A machine, and what is asked of it beside its files.

    Attributes:
        machine: its files, and who may use them.
        run: what a command prints; None if it is not there, fails or does not answer.
        room: what is left on the file system of a folder; None if it does not tell.
        now: the wall clock, in seconds since 1970.
        package: a Python package that is installed, by its name and the name of its module.
        groups: the groups of whoever runs this.
        names: what is to be told to nobody.
        environment: variables such as STATE_DIRECTORY.
        python: the version of Python, such as `3.13.5`.
        bits: 32 or 64, as Python was built.
        prefix: where this Python keeps its packages.
        own: whether that is a virtual environment.
    """

    machine: Machine = field(default_factory=Machine)
    run: Callable[[Sequence[str]], str | None] = _run
    room: Callable[[Path], Room | None] = _room
    now: Callable[[], float] = time.time
    package: Callable[[str, str], Package | None] = _package
    groups: Groups = field(default_factory=_groups)
    names: Names = field(default_factory=known_names)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    python: str = field(default_factory=platform.python_version)
    bits: int = struct.calcsize("P") * 8
    prefix: Path = field(default_factory=lambda: Path(sys.prefix))
    own: bool = field(default_factory=lambda: sys.prefix != sys.base_prefix)

    def path(self, place: str) -> Path:
        """A place on the machine, such as `/etc/pond/pond.conf`."""
        return self.machine.root / place.lstrip("/")

    def text(self, place: str) -> str:
        """What a file says; empty if it cannot be read."""
        try:
            return self.path(place).read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):
            return ""

    @property
    def pip(self) -> str:
        """How this Python installs a package."""
        if self.prefix == self.path(INSTALLED):
            return f"sudo /{INSTALLED}/bin/pip install"
        return f"{self.prefix / 'bin' / 'python'} -m pip install"
