"""Connection to a served board, shared by all open pages."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from pond_hw.rules import PondError, Record, parse_record
from pond_hw.web.page_view import JsonMessage, build_hello, build_state, list_turns

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

_GAME_FIELDS = ("variant", "position", "phase", "outcome", "last")
"""State fields that show, when they change, that the record may have changed too."""


class BoardLink:
    """Connection to a served board, with the latest messages from it.

    Attributes:
        hello: description of the board for the page; None while disconnected.
        state: latest state; None while disconnected.
        game_record: record of the game; None until received.
        turns: turns of the game, in the form that the page gets.
        on_change: called when any of these changes.
        on_connect: called after connecting.
        on_line: called with every other message.
    """

    def __init__(self, socket_paths: Sequence[Path]) -> None:
        self._socket_paths = socket_paths
        self._writer: asyncio.StreamWriter | None = None
        self._texts: dict[tuple[str, bool], str] = {}
        self._record: Mapping[str, Any] = {}
        self.hello: JsonMessage | None = None
        self.state: Mapping[str, Any] | None = None
        self.game_record: Record | None = None
        self.turns: list[JsonMessage] = []
        self.on_change: Callable[[], None] = lambda: None
        self.on_connect: Callable[[], None] = lambda: None
        self.on_line: Callable[[Mapping[str, Any]], None] = lambda _: None

    def send(self, request: Mapping[str, Any]) -> bool:
        """Send a request to the board. Return False if it is disconnected."""
        if self._writer is None or self._writer.is_closing():
            return False
        self._writer.write(json.dumps(request).encode() + b"\n")
        return True

    def format_state(self, language: str, *, plays: bool) -> str:
        """Return the state as JSON, cached for all visitors who get the same text; see `build_state`."""
        assert self.state is not None
        if (language, plays) not in self._texts:
            self._texts[language, plays] = json.dumps(build_state(self.state, self._record, language, plays=plays))
        return self._texts[language, plays]

    async def run(self) -> None:
        """Receive messages forever, and reconnect when needed."""
        tries = 0
        while True:
            for path in self._socket_paths:
                with suppress(*_CONNECTION_ERRORS):
                    reader, self._writer = await asyncio.open_unix_connection(path, limit=MAX_BOARD_LINE_BYTES)
                    LOG.info("The board is responding.")
                    tries = 0
                    with closing(self._writer):
                        self.on_connect()
                        await self._listen(reader)
                self._lose_board()
            await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])
            tries += 1

    def _lose_board(self) -> None:
        self._writer = None
        if self.hello or self.state:
            LOG.info("The board isn't responding. Trying again.")
            self.hello = self.state = self.game_record = None
            self._change()

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
            self._handle_line(json.loads(line))

    def _handle_line(self, message: Mapping[str, Any]) -> None:
        match message["type"]:
            case "hello":
                self.hello = build_hello(message)
            case "state":
                build_state(message, self._record, "en", plays=True)  # raises an error if the line is invalid
                before, self.state = self.state, message
                if before is None or any(before[field] != message[field] for field in _GAME_FIELDS):
                    self.send({"ask": "record"})
            case "record":
                self._record, self.game_record = message, parse_record(message["record"])
                self.turns = list_turns(self.game_record)
                if self.hello:  # resuming a game may change the players
                    self.hello |= {field: message[field] for field in ("players", "names") if field in message}
            case _:
                self.on_line(message)
        self._change()

    def _change(self) -> None:
        self._texts.clear()
        self.on_change()
