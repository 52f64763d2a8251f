"""Where a served board is found on this machine: its socket and its lock.

systemd gives a service a folder of its own ($RUNTIME_DIRECTORY) and a person another ($XDG_RUNTIME_DIR). What one
keeps there the other must find, so everybody looks in the folder of the installed service too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

INSTALLED_FOLDER = Path("/run/pond")
"""The folder of the installed service."""

_SOCKET_NAME = "pond.sock"


def default_socket(environment: Mapping[str, str] = os.environ) -> Path:
    """Where a service that is started now has its socket, unless it is told otherwise."""
    runtime_folder = _runtime_folder(environment)
    return (
        runtime_folder / _SOCKET_NAME if runtime_folder else _temporary_folder(environment) / f"pond-{os.getuid()}.sock"
    )


def list_sockets(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where a service may have its socket: the likeliest first."""
    return list(dict.fromkeys([default_socket(environment), INSTALLED_FOLDER / _SOCKET_NAME]))


def board_lock_files(device_name: str = "board", environment: Mapping[str, str] = os.environ) -> list[Path]:
    """The files in which the holder of a device may have left their name.

    Args:
        device_name: its name, such as `gpiochip0`. Boards without any share one file, which then is the lock itself.
        environment: holds RUNTIME_DIRECTORY, XDG_RUNTIME_DIR and TMPDIR.
    """
    folders = [Path("/run/lock"), INSTALLED_FOLDER, _runtime_folder(environment), _temporary_folder(environment)]
    return list(dict.fromkeys(folder / f"pond-{device_name}.lock" for folder in folders if folder))


def socket_lock_file(socket_path: Path) -> Path:
    """Where the lock of a socket lies."""
    return Path(f"{socket_path}.lock")


def starts_file(socket_path: Path) -> Path:
    """Where the starts of the service at this socket are noted."""
    return Path(f"{socket_path}.starts")


def _runtime_folder(environment: Mapping[str, str]) -> Path | None:
    runtime_folder = environment.get("RUNTIME_DIRECTORY", "").split(":")[0] or environment.get("XDG_RUNTIME_DIR", "")
    return Path(runtime_folder) if runtime_folder else None


def _temporary_folder(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("TMPDIR") or "/tmp")
