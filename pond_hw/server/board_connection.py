"""Connection of an asyncio program to a served board."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from pond_hw.rules import PondError

LOG = logging.getLogger("pond")

RETRY_SECONDS = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each attempt to reconnect. The last value repeats."""

IDLE_QUERY_SECONDS = 20.0
"""Seconds of silence before requesting the state. The service may disconnect clients after a minute of silence."""

ANSWER_TIMEOUT_SECONDS = 10.0
"""Seconds to wait for that answer before reconnecting."""

MAX_BOARD_LINE_BYTES = 1 << 18
"""Maximum length of a line, far above that of any real line."""

_CONNECTION_ERRORS = (
    *(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError),
    *(AttributeError, KeyError, TypeError, ValueError, PondError),
)
"""Errors raised when the connection is closed or the board sends something invalid."""


class BoardConnection:
    """Connection to a board at the first of several socket paths that responds. It reconnects when needed.

    Attributes:
        on_connect: called after connecting.
        on_line: called with each message. It raises an error if the message is invalid; then the connection is closed.
        on_lose: called after the board has been disconnected, and after each failed attempt to connect.
    """

    def __init__(self, socket_paths: Sequence[Path]) -> None:
        self._socket_paths = socket_paths
        self._writer: asyncio.StreamWriter | None = None
        self.on_connect: Callable[[], None] = lambda: None
        self.on_line: Callable[[Mapping[str, Any]], None] = lambda _: None
        self.on_lose: Callable[[], None] = lambda: None

    def send(self, request: Mapping[str, Any]) -> bool:
        """Send a request. Return False if the board is disconnected."""
        if self._writer is None or self._writer.is_closing():
            return False
        self._writer.write(json.dumps(request).encode() + b"\n")
        return True

    async def run(self) -> None:
        """Receive messages forever, and reconnect when needed."""
        tries = 0
        while True:
            for path in self._socket_paths:
                is_connected = False
                with suppress(*_CONNECTION_ERRORS):
                    reader, self._writer = await asyncio.open_unix_connection(path, limit=MAX_BOARD_LINE_BYTES)
                    LOG.info("The board is responding.")
                    tries, is_connected = 0, True
                    with closing(self._writer):
                        self.on_connect()
                        await self._listen(reader)
                self._writer = None
                if is_connected:
                    LOG.info("The board isn't responding. Trying again.")
                self.on_lose()
            await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])
            tries += 1

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        has_asked = False
        while True:
            try:
                line = await asyncio.wait_for(
                    reader.readuntil(), ANSWER_TIMEOUT_SECONDS if has_asked else IDLE_QUERY_SECONDS
                )
            except TimeoutError:
                if has_asked:
                    raise
                self.send({"ask": "state"})
                has_asked = True
                continue
            has_asked = False
            self.on_line(json.loads(line))
