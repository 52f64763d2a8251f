"""Connections with time and size limits. By itself, uvicorn waits forever for the end of a request and answers every ping.

These classes extend internals of uvicorn. .ci/run tests them with the oldest and newest version that pyproject.toml
allows.
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
from pond_hw.web.client_limits import Source, find_surplus
from pond_hw.web.host_filter import find_network

REQUEST_TIMEOUT_SECONDS = 5.0
"""Seconds allowed for a request to arrive after the connection or the previous response, and for a handshake."""

RESPONSE_TIMEOUT_SECONDS = 20.0
"""Seconds allowed for a client to read a response."""

MAX_CONNECTIONS, MAX_CONNECTIONS_PER_SOURCE = 200, 60
"""Maximum number of connections in total, and from one network or seat. A phone uses six or seven."""

STATE_KEY = "connection"
"""Key under which a request's ASGI state holds its connection."""

BYTES_PER_SECOND = 16384
"""Maximum number of bytes per second received on a WebSocket, with bursts of the same size. A page sends far less."""

MAX_UNREAD_BYTES = 1 << 18
"""Number of unread bytes at which a client is disconnected."""


_arrivals = count()


class CountedConnection(asyncio.Protocol):
    """A connection that counts towards the limits.

    Attributes:
        source: seat or network that it counts against; None once it no longer counts.
        arrival: serial number; later connections have higher numbers.
    """

    client: tuple[str, int] | None
    transport: asyncio.Transport
    app_state: dict[str, Any]
    source: Source | None = None

    def start_counting(self) -> None:
        """Count this connection against the client's network until a request shows that the client has a seat."""
        self.arrival = next(_arrivals)
        self.source = find_network(self.client[0] if self.client else "")
        self.app_state = {**self.app_state, STATE_KEY: self}


class DeadlineProtocol(H11Protocol, CountedConnection):
    """HTTP with deadlines for sending requests and for reading responses."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._restart_deadline(REQUEST_TIMEOUT_SECONDS)
        self.start_counting()
        _make_room(self.connections)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_deadline()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._restart_deadline(RESPONSE_TIMEOUT_SECONDS)

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._stop_deadline()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._restart_deadline(REQUEST_TIMEOUT_SECONDS)

    def _restart_deadline(self, seconds: float) -> None:
        self._stop_deadline()
        if not self.transport.is_closing() or self.transport.get_write_buffer_size():
            self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _stop_deadline(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None


class BoundedWebSocket(WebSocketsSansIOProtocol, CountedConnection):
    """A WebSocket with limits on incoming data and on data that the client has not read."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.start_counting()
        self._bytes_limiter = RateLimiter(BYTES_PER_SECOND, self.loop.time())
        self._deadline = self.loop.call_later(REQUEST_TIMEOUT_SECONDS, self._end_handshake)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline:
            self._deadline.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Accept data, or abort the connection if it exceeds a limit."""
        may_send = self._bytes_limiter.take_token(self.loop.time(), len(data))
        if may_send and self.transport.get_write_buffer_size() <= MAX_UNREAD_BYTES:
            super().data_received(data)
        else:
            self.transport.abort()

    async def send(self, message: Any) -> None:
        """Send a message unless the connection is lost, because asyncio logs every write to a lost connection."""
        if self.transport.is_closing():
            raise ClientDisconnected
        await super().send(message)

    def _end_handshake(self) -> None:
        if not self.handshake_complete:
            self.transport.abort()


def _make_room(connections: Collection[Any]) -> None:
    """Abort the oldest connection if there are too many. The newest may be a phone that has not shown its seat yet."""
    counted = sorted((each for each in connections if each.source is not None), key=lambda each: each.arrival)
    surplus = find_surplus([each.source for each in counted], MAX_CONNECTIONS, MAX_CONNECTIONS_PER_SOURCE)
    if surplus is not None:
        counted[surplus].source = None
        counted[surplus].transport.abort()
