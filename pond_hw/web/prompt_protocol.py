"""Connections have to ask for something soon: uvicorn alone waits for ever for the end of a request."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 5.0
"""How long a request may take to come in, from the connection or from the answer before it."""


class PromptProtocol(H11Protocol):
    """HTTP for those who ask promptly. What is under way, or has become a WebSocket, is left alone."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The time begins to run."""
        super().connection_made(transport)
        self._start_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """There is nothing to wait for any more."""
        self._stop_deadline()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """A request that has come in has as long as it needs."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_deadline()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """A WebSocket has pings of its own."""
        self._stop_deadline()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """The time for the next request begins to run."""
        super().on_response_complete()
        self._start_deadline()

    def _start_deadline(self) -> None:
        self._stop_deadline()
        if not self.transport.is_closing():
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _stop_deadline(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None
