"""Who has a seat by the page for phones, and taking seats away: asked of the board, over its socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pond_hw.messages.message import Message
from pond_hw.rules import PondError
from pond_hw.server.connecting import connect_first

MAX_ANSWER_BYTES = 1 << 22

ALL = "all"
"""What stands for every seat."""


def list_seats(socket_paths: Sequence[Path]) -> dict[int, Sequence[str]]:
    """The sides of each seat, by its number.

    Raises:
        PondError: no board answers.
    """
    return _talk(socket_paths, {"ask": "state"})


def revoke_seat(socket_paths: Sequence[Path], wanted: str | None) -> list[int]:
    """Take a seat away, by its number, or `all` of them; the numbers of those that are gone.

    Raises:
        PondError: that is no seat, or no board answers.
    """
    if wanted != ALL and not (wanted and wanted.isascii() and wanted.isdecimal()):
        raise PondError(Message("web.seats.which"))
    before = list_seats(socket_paths)
    if wanted == ALL:
        request: dict[str, Any] = {"command": "revoke"}
    elif (number := int(wanted[:9])) in before:
        request = {"command": "revoke", "seat": number}
    else:
        raise PondError(Message("web.seats.no_such", number=wanted[:9]))
    after = _talk(socket_paths, request, {"ask": "state"})
    return sorted(before.keys() - after.keys())


def _talk(socket_paths: Sequence[Path], *requests: Mapping[str, Any]) -> dict[int, Sequence[str]]:
    """Say something to the board; the seats as it tells them in the end."""
    _, connection = connect_first(socket_paths)
    with connection:
        said = "".join(f"{json.dumps(request)}\n" for request in requests)
        try:
            connection.sendall(said.encode())
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while (chunk := connection.recv(1 << 16)) and len(answer) < MAX_ANSWER_BYTES:
                answer += chunk
            messages = [json.loads(line) for line in answer.splitlines()]
        except (OSError, ValueError):
            raise PondError(Message("web.seats.no_answer")) from None
    states = [message for message in messages if message.get("type") == "state"]
    if not states:
        raise PondError(Message("web.seats.no_answer"))
    return {seat["seat"]: seat["sides"] for seat in states[-1].get("seats", ())}
