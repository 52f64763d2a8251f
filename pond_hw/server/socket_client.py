"""Client connection to a served board."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pond_hw.messages.message import Message
from pond_hw.rules import PondError

ANSWER_TIMEOUT_SECONDS = 5.0
"""Seconds to wait for the board's first answer."""


def no_answer_error(socket_path: Path) -> PondError:
    return PondError(Message("remote.no_answer", socket=str(socket_path)))


def connect_first(socket_paths: Sequence[Path]) -> tuple[Path, socket.socket]:
    """Connect to the first socket that answers within `ANSWER_TIMEOUT_SECONDS`.

    Raises PondError if no board answers or permission is denied.
    """
    denied_path: Path | None = None
    for socket_path in socket_paths:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(ANSWER_TIMEOUT_SECONDS)
        try:
            connection.connect(str(socket_path))
        except OSError as error:
            connection.close()
            if isinstance(error, TimeoutError):
                raise no_answer_error(socket_path) from error
            if isinstance(error, PermissionError):
                denied_path = denied_path or socket_path
            continue
        return socket_path, connection
    if denied_path:
        group = _socket_group(denied_path)
        raise PondError(Message("remote.denied", socket=str(denied_path), group=group))
    raise PondError(Message("remote.not_served", socket=str(socket_paths[0])))


def _socket_group(socket_path: Path) -> str:
    """Return the group of a socket, or of the folder that makes the socket inaccessible."""
    for parent_path in (socket_path, *socket_path.parents):
        with suppress(OSError, KeyError):
            return parent_path.group()
    return "pond"
