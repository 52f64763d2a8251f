"""Connections within bounds: uvicorn alone waits forever for the end of a request, and answers every ping.

These classes build on inner ones of uvicorn. .ci/run tests both ends of the range in pyproject.toml.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from itertools import count
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from pond_hw.server.rate_limiter import RateLimiter
from pond_hw.web.client_limits import Place, find_surplus
from pond_hw.web.host_filter import find_network

REQUEST_SECONDS = 5.0
"""Seconds for a request to come in, from the connection or from the answer before it; and for a handshake."""

ANSWER_SECONDS = 20.0
"""Seconds for an answer to be read."""

MAX_CONNECTIONS, MAX_CONNECTIONS_OF_PLACE = 200, 60
"""Connections together, and those of one network or seat; a phone has six or seven."""

STATE_KEY = "connection"
"""Key in the ASGI state of a request under which its connection is found, to set its place."""

BYTES_PER_SECOND = 16384
"""Limit of what a WebSocket may send, and at once after a pause; a page sends much less."""

MAX_UNREAD_BYTES = 1 << 18
"""Unread bytes at which a client is disconnected."""


_arrivals = count()


class CountedConnection(asyncio.Protocol):
    """A connection that takes up room.

    Attributes:
        place: what it counts for; None once it is not counted.
        arrival: a number that grows from one connection to the next.
    """

    client: tuple[str, int] | None
    transport: asyncio.Transport
    app_state: dict[str, Any]
    place: Place | None = None

    def count_in(self) -> None:
        """Count this connection for the network of its client, until a request shows its seat."""
        self.arrival = next(_arrivals)
        self.place = find_network(self.client[0] if self.client else "")
        self.app_state = {**self.app_state, STATE_KEY: self}


class PromptProtocol(H11Protocol, CountedConnection):
    """HTTP for those who ask promptly and read what they get."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The time begins to run."""
        super().connection_made(transport)
        self._restart_deadline(REQUEST_SECONDS)
        self.count_in()
        _make_room(self.connections)

    def connection_lost(self, exc: Exception | None) -> None:
        """There is nothing to wait for any more."""
        self._stop_deadline()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """A request that has come in has some time to be answered."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._restart_deadline(ANSWER_SECONDS)

    def handle_websocket_upgrade(self, event: Any) -> None:
        """A WebSocket has bounds of its own."""
        self._stop_deadline()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """The time for the next request begins to run."""
        super().on_response_complete()
        self._restart_deadline(REQUEST_SECONDS)

    def _restart_deadline(self, seconds: float) -> None:
        self._stop_deadline()
        if not self.transport.is_closing() or self.transport.get_write_buffer_size():
            self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _stop_deadline(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None


class BoundedWebSocket(WebSocketsSansIOProtocol, CountedConnection):
    """A WebSocket for those who send little and read what they get."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The time for the handshake begins to run."""
        super().connection_made(transport)
        self.count_in()
        self._bytes_limiter = RateLimiter(BYTES_PER_SECOND, self.loop.time())
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._end_handshake)

    def connection_lost(self, exc: Exception | None) -> None:
        """There is nothing to wait for any more."""
        if self._deadline:
            self._deadline.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in what has come, unless it is too much, or too little of what went out was read."""
        may_send = self._bytes_limiter.take_token(self.loop.time(), len(data))
        if may_send and self.transport.get_write_buffer_size() <= MAX_UNREAD_BYTES:
            super().data_received(data)
        else:
            self.transport.abort()

    async def send(self, message: Any) -> None:
        """Send a message, unless the connection is lost: asyncio logs each write to one."""
        if self.transport.is_closing():
            raise ClientDisconnected
        await super().send(message)

    def _end_handshake(self) -> None:
        if not self.handshake_complete:
            self.transport.abort()


def _make_room(connections: Collection[Any]) -> None:
    """Abort a connection if there are too many, the oldest first: a phone that comes has not shown its seat yet."""
    counted = sorted((each for each in connections if each.place is not None), key=lambda each: each.arrival)
    surplus = find_surplus([each.place for each in counted], MAX_CONNECTIONS, MAX_CONNECTIONS_OF_PLACE)
    if surplus is not None:
        counted[surplus].place = None
        counted[surplus].transport.abort()
