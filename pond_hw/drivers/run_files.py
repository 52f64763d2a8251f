"""Where a served board is found on this machine: its socket and its lock.

systemd gives a service a folder of its own ($RUNTIME_DIRECTORY) and a person another ($XDG_RUNTIME_DIR). What one
keeps there the other must find, so everybody looks in the folder of the installed service too.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

INSTALLED = Path("/run/pond")
"""The folder of the installed service."""

_SOCKET = "pond.sock"


def own_socket(environment: Mapping[str, str] = os.environ) -> Path:
    """Where a service that is started now has its socket, unless it is told otherwise."""
    given = _given(environment)
    return given / _SOCKET if given else Path(tempfile.gettempdir()) / f"pond-{os.getuid()}.sock"


def sockets(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where a service may have its socket: the likeliest first."""
    return list(dict.fromkeys([own_socket(environment), INSTALLED / _SOCKET]))


def board_locks(device: str = "board", environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where whoever holds a device of this machine may have left their name.

    Args:
        device: its name, such as `gpiochip0`. Boards without any share one file, which then is the lock itself.
        environment: holds RUNTIME_DIRECTORY and XDG_RUNTIME_DIR.
    """
    folders = [Path("/run/lock"), INSTALLED, _given(environment), Path(tempfile.gettempdir())]
    return list(dict.fromkeys(folder / f"pond-{device}.lock" for folder in folders if folder))


def socket_lock(socket: Path) -> Path:
    """Where the lock of a socket lies."""
    return Path(f"{socket}.lock")


def starts_beside(socket: Path) -> Path:
    """Where the starts of the service at this socket are noted."""
    return Path(f"{socket}.starts")


def _given(environment: Mapping[str, str]) -> Path | None:
    given = environment.get("RUNTIME_DIRECTORY", "").split(":")[0] or environment.get("XDG_RUNTIME_DIR", "")
    return Path(given) if given else None
