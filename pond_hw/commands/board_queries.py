"""Questions of commands to a served board."""

from __future__ import annotations

import json
import socket
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pond_hw.messages.message import Message
from pond_hw.rules import PondError

MAX_ANSWER_BYTES = 1 << 22


def list_board_sockets(options: Namespace) -> list[Path]:
    """Return the socket path in `--socket`, or else all places where a served board may listen."""
    from pond_hw.drivers.run_files import list_sockets

    return [Path(options.socket)] if options.socket else list_sockets()


def ask_board(socket_paths: Sequence[Path], *requests: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Send requests to the board. Return everything that it sends.

    Raises:
        PondError: no board answers, or the answer is unreadable.
    """
    from pond_hw.server.socket_client import connect_first

    _, connection = connect_first(socket_paths)
    lines = "".join(f"{json.dumps(request)}\n" for request in requests)
    with connection:
        try:
            connection.sendall(lines.encode())
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while (chunk := connection.recv(1 << 16)) and len(answer) < MAX_ANSWER_BYTES:
                answer += chunk
            messages = [json.loads(line) for line in answer.splitlines()]
        except (OSError, ValueError):
            raise PondError(Message("web.seats.no_answer")) from None
    return [message for message in messages if isinstance(message, dict)]


def find_last_state(messages: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the last state in the board's messages.

    Raises:
        PondError: there is none.
    """
    states = [message for message in messages if message.get("type") == "state"]
    if not states:
        raise PondError(Message("web.seats.no_answer"))
    return states[-1]
