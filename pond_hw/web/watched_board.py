"""What a served board says, kept for everybody who watches: one connection to its socket, however many there are."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from pond_hw.rules import PondError, parse_variant

LOG = logging.getLogger("pond")

RETRY_SECONDS = (0.5, 1.0, 2.0, 4.0)
"""How long to wait before the next try when the board does not answer; the last again and again."""

ASK_SECONDS = 20.0
"""After so long without a word the state is asked for: the service lets go who is silent for a minute."""

ANSWER_SECONDS = 10.0
"""A board that has not answered for so long after that is not there."""

LONGEST_LINE_BYTES = 1 << 18
"""No line of the service is nearly as long."""

SHOWN_FIELDS = {
    "hello": {"type", "size", "variant", "version", "names"},
    "state": {
        *("type", "variant", "position", "phase", "selected", "targets", "last", "outcome"),
        *("message", "unsaved", "trouble"),
    },
}
"""What is shown of each kind of line, besides the score that ends the game.

Hints are for those who play. Without the time, a state that says the same as before is no news.
"""

GONE = {"type": "gone"}
"""What is shown while the board does not answer."""


class Watcher:
    """Somebody who watches. Who is slow gets the newest of everything, and misses what was between.

    Args:
        messages: what there is to show at first.
    """

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        self._unsent = {message["type"]: message for message in messages}
        self._news = asyncio.Event()
        self._news.set()

    def add(self, message: Mapping[str, Any]) -> None:
        """There is something new to show."""
        if message["type"] != "state":  # the board is there, or gone: what was said before is no longer so
            self._unsent.clear()
        self._unsent[message["type"]] = message
        self._news.set()

    async def follow(self) -> AsyncIterator[Mapping[str, Any]]:
        """What there is to show, as it comes; never ends."""
        while True:
            await self._news.wait()
            self._news.clear()
            unsent, self._unsent = self._unsent, {}
            for message in unsent.values():
                yield message


class WatchedBoard:
    """A served board, and all who watch it.

    Args:
        socket_paths: where its socket may be, the likeliest first.
    """

    def __init__(self, socket_paths: Sequence[Path]) -> None:
        self._socket_paths = socket_paths
        self._shown: dict[str, Mapping[str, Any]] = {"gone": GONE}
        self._watchers: set[Watcher] = set()

    @contextmanager
    def watch(self) -> Iterator[Watcher]:
        """Watch the board as long as the context lasts."""
        watcher = Watcher(list(self._shown.values()))
        self._watchers.add(watcher)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)

    async def run(self) -> None:
        """Listen to the board, and look for it again whenever it has gone; never ends."""
        tries = 0
        while True:
            for path in self._socket_paths:
                with suppress(OSError, ValueError, asyncio.IncompleteReadError, PondError):
                    reader, writer = await asyncio.open_unix_connection(path, limit=LONGEST_LINE_BYTES)
                    LOG.info("The board answers.")
                    tries = 0
                    with closing(writer):
                        await self._listen(reader, writer)
            if GONE not in self._shown.values():
                LOG.info("The board doesn't answer. Trying again.")
                self._show(GONE)
            await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])
            tries += 1

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Show what the board says, until it is gone."""
        has_asked = False
        while True:
            try:
                line = await asyncio.wait_for(reader.readuntil(), ANSWER_SECONDS if has_asked else ASK_SECONDS)
            except TimeoutError:
                if has_asked:
                    raise
                writer.write(b'{"ask":"state"}\n')
                has_asked = True
                continue
            has_asked = False
            message = json.loads(line)
            fields = SHOWN_FIELDS.get(message.get("type"))
            if fields:
                shown = {key: value for key, value in message.items() if key in fields}
                self._show(shown | {"target": parse_variant(message["variant"]).target})

    def _show(self, message: Mapping[str, Any]) -> None:
        if message["type"] != "state":
            self._shown.clear()
        elif self._shown.get("state") == message:
            return
        self._shown[message["type"]] = message
        for watcher in self._watchers:
            watcher.add(message)
