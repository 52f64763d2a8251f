"""Socket and lock paths of a board that is being served on this machine.

systemd gives a service a runtime folder of its own ($RUNTIME_DIRECTORY), and a user has another one
($XDG_RUNTIME_DIR). Each must find the other's files, so the installed service's folder is always searched too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

INSTALLED_FOLDER = Path("/run/pond")
"""Runtime folder of the installed service."""

_SOCKET_NAME = "pond.sock"


def default_socket(environment: Mapping[str, str] = os.environ) -> Path:
    runtime_folder = _runtime_folder(environment)
    return (
        runtime_folder / _SOCKET_NAME if runtime_folder else _temporary_folder(environment) / f"pond-{os.getuid()}.sock"
    )


def list_sockets(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the sockets that a running service may use, likeliest first."""
    return list(dict.fromkeys([default_socket(environment), INSTALLED_FOLDER / _SOCKET_NAME]))


def board_lock_files(device_name: str = "board", environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files that may contain the name of a device's holder.

    Boards without a device share one file, which is the lock itself.
    """
    folders = [Path("/run/lock"), INSTALLED_FOLDER, _runtime_folder(environment), _temporary_folder(environment)]
    return list(dict.fromkeys(folder / f"pond-{device_name}.lock" for folder in folders if folder))


def socket_lock_file(socket_path: Path) -> Path:
    return Path(f"{socket_path}.lock")


def starts_file(socket_path: Path) -> Path:
    """Return the file that records the starts of the service with this socket."""
    return Path(f"{socket_path}.starts")


def _runtime_folder(environment: Mapping[str, str]) -> Path | None:
    runtime_folder = environment.get("RUNTIME_DIRECTORY", "").split(":")[0] or environment.get("XDG_RUNTIME_DIR", "")
    return Path(runtime_folder) if runtime_folder else None


def _temporary_folder(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("TMPDIR") or "/tmp")
