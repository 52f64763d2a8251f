"""The site: a page, its files, and what the board says over a WebSocket. Whoever comes in can watch, and nothing else."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Set
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from pond_hw.web.gate import Gate
from pond_hw.web.watched_board import WatchedBoard

LOG = logging.getLogger("pond")

PAGE_FOLDER = Path(__file__).parent / "page"

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}

MAX_WATCHERS, MAX_WATCHERS_OF_ADDRESS = 60, 8
"""So many can watch, together and from one address."""

POLICY_VIOLATION, TRY_AGAIN_LATER = 1008, 1013
"""Why a WebSocket is closed, by the numbers of RFC 6455 and its registry."""

SEND_SECONDS = 10.0
"""Who takes longer to be told something is let go."""


def list_page_files() -> dict[bytes, tuple[bytes, str]]:
    """What each path of the page is answered with: the content and its type."""
    files = {
        f"/page/{path.name}".encode(): (path.read_bytes(), CONTENT_TYPES[path.suffix])
        for path in sorted(PAGE_FOLDER.iterdir())
        if path.suffix in CONTENT_TYPES
    }
    return {b"/": files.pop(b"/page/index.html"), **files}


def make_site(board: WatchedBoard, names: Set[str]) -> ASGIApp:
    """The site that shows a board.

    Args:
        board: the board; it is listened to as long as the site is up.
        names: names of this machine that requests may be for, besides its addresses.
    """
    files, watching_addresses = list_page_files(), list[str]()

    async def send_file(request: Request) -> Response:
        content, content_type = files[request.scope["raw_path"]]
        return Response(content, headers={**SECURITY_HEADERS, "content-type": content_type})

    async def show_board(socket: WebSocket) -> None:
        await socket.accept()
        address = socket.client.host if socket.client else ""
        is_full = len(watching_addresses) >= MAX_WATCHERS
        if is_full or watching_addresses.count(address) >= MAX_WATCHERS_OF_ADDRESS:
            await socket.close(TRY_AGAIN_LATER)
            return
        watching_addresses.append(address)
        try:
            await _show(socket, board)
        finally:
            watching_addresses.remove(address)

    @asynccontextmanager
    async def listen(_: Starlette) -> AsyncIterator[None]:
        listening = asyncio.create_task(board.run())
        yield
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening

    routes = [Route(path.decode(), send_file) for path in files]
    app = Starlette(routes=[*routes, WebSocketRoute("/live", show_board)], lifespan=listen)
    return _put_gate_before(app, Gate({"http": files.keys(), "websocket": {b"/live"}}, names))


async def _show(socket: WebSocket, board: WatchedBoard) -> None:
    """Show the board until they leave, say anything, or are too slow."""

    async def send_news() -> None:
        with board.watch() as watcher:
            async for message in watcher.follow():
                await asyncio.wait_for(socket.send_text(json.dumps(message)), SEND_SECONDS)

    async def hear() -> None:
        if (await socket.receive())["type"] != "websocket.disconnect":
            await socket.close(POLICY_VIOLATION)

    tasks = [asyncio.create_task(send_news()), asyncio.create_task(hear())]
    _, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception) and not isinstance(outcome, WebSocketDisconnect | TimeoutError):
            raise outcome


def _put_gate_before(app: ASGIApp, gate: Gate) -> ASGIApp:
    """The same app, with a gate before it."""

    async def gated_app(scope: Scope, receive: Receive, send: Send) -> None:
        status = None if scope["type"] == "lifespan" else gate.find_refusal(scope)
        if status is None:
            try:
                await app(scope, receive, send)
            except Exception:
                LOG.exception("Something went wrong inside the page.")
                raise
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close"})
        else:
            with suppress(Exception):  # a request that is malformed may have broken the connection by now
                refusal = Response(status_code=status, headers={**SECURITY_HEADERS, "connection": "close"})
                await refusal(scope, receive, send)

    return gated_app
