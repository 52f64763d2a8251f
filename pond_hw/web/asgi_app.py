"""ASGI app: the page, its files, and a WebSocket for each open page."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Iterator, Set
from contextlib import asynccontextmanager, contextmanager, suppress
from html import escape
from time import monotonic

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.server.rate_limiter import RateLimiter
from pond_hw.web.bounded_connections import STATE_KEY, CountedConnection
from pond_hw.web.host_filter import MISDIRECTED, HostFilter, format_own_host
from pond_hw.web.page_files import PageHtml, accepts_gzip, choose_page_language, list_page_files
from pond_hw.web.page_hub import PageHub
from pond_hw.web.page_requests import parse_page_request
from pond_hw.web.seat_access import SeatAccess
from pond_hw.web.seat_book import SeatBook, find_token, format_cookie
from pond_hw.web.socket_board_link import SocketBoardLink
from pond_hw.web.visitor import Visitor

LOG = logging.getLogger("pond")

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}

PAGE_HEADERS = {
    "content-type": "text/html; charset=utf-8",
    "vary": "accept-encoding",
    "cache-control": "no-store",
}
"""Headers of the page. The page contains data for a single visitor, so it must not be cached."""

CLAIM_HEADER = "x-pond-claim"
"""Header that a page sends to fetch the cookie of its new seat. CORS keeps other sites from sending it."""

POLICY_VIOLATION, TRY_AGAIN_LATER = 1008, 1013
"""WebSocket close codes from RFC 6455 and its registry."""

SEND_TIMEOUT_SECONDS = 10.0
"""Seconds allowed for sending a message to a visitor."""

REQUESTS_PER_SECOND = 5
"""Maximum number of requests per second from one page, with bursts of the same size. Any more are refused."""

MAX_FAULTS = 20
"""Number of invalid or too frequent requests after which a visitor is disconnected."""

REVIEW_POLL_SECONDS = 0.2


class WaitingVisitor(Visitor):
    """A visitor whose flags a task can wait for."""

    changed: asyncio.Event
    dismissed: asyncio.Event

    def __init__(self, address: str, token: str | None, language: str) -> None:
        super().__init__(address, token, language, asyncio.Event)


def make_app(board: SocketBoardLink, seat_book: SeatBook, names: Set[str], *, spectators: bool) -> ASGIApp:
    """Build the app for a board.

    Args:
        board: link to the board; it runs for as long as the app.
        seat_book: the seats.
        names: host names of this machine that requests may use, besides its addresses.
        spectators: True if visitors without a seat may watch.
    """
    files, html = list_page_files(), PageHtml()
    access = SeatAccess(board, seat_book, spectators=spectators)
    hub = PageHub(board, access)

    def identify_visitor(request: HTTPConnection) -> WaitingVisitor:
        """Return the sender of a request. From now on, the connection counts against the sender's seat, if any."""
        cookies = "; ".join(request.headers.getlist("cookie"))
        language = choose_page_language(cookies, request.headers.get("accept-language", ""))
        visitor = WaitingVisitor(request.client.host if request.client else "", find_token(cookies), language)
        _find_connection(request).source = access.find_source(visitor)
        return visitor

    async def send_file(request: Request) -> Response:
        identify_visitor(request)
        status, content, headers = files[request.scope["raw_path"]].choose_answer(request.headers)
        return Response(content, status, SECURITY_HEADERS | headers)

    async def send_page(request: Request) -> Response:
        visitor = identify_visitor(request)
        compress = accepts_gzip(request.headers)
        content = html.format(visitor.language, hub.build_messages(visitor).values(), compress=compress)
        headers = SECURITY_HEADERS | PAGE_HEADERS | {"content-security-policy": html.content_security_policy}
        if compress:
            headers["content-encoding"] = "gzip"
        return Response(content, headers=headers)

    async def send_cookie(request: Request) -> Response:
        token = access.fetch_token(request.headers.get(CLAIM_HEADER, ""), identify_visitor(request).token)
        headers = {"cache-control": "no-store"} | ({"set-cookie": format_cookie(token)} if token else {})
        return Response(None, 204, SECURITY_HEADERS | headers)

    async def serve_websocket(socket: WebSocket) -> None:
        with suppress(WebSocketDisconnect):
            await _finish_sending(socket.accept())
            visitor = identify_visitor(socket)
            # Visitors have their own limits.
            with _excluded_from_limits(_find_connection(socket)), hub.welcome(visitor):
                code = await _serve_visitor(socket, visitor, hub)
            await _finish_sending(socket.close(code))

    @asynccontextmanager
    async def run_background_tasks(_: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(each) for each in (board.run(), _collect_reviews(hub))]
        yield
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    routes = [Route("/", send_page), Route("/seat", send_cookie), *(Route(path.decode(), send_file) for path in files)]
    app = Starlette(routes=[*routes, WebSocketRoute("/live", serve_websocket)], lifespan=run_background_tasks)
    return _add_filter(app, HostFilter({"http": {b"/", b"/seat", *files}, "websocket": {b"/live"}}, names))


def _find_connection(request: HTTPConnection) -> CountedConnection:
    connection = request.scope["state"][STATE_KEY]
    assert isinstance(connection, CountedConnection)
    return connection


@contextmanager
def _excluded_from_limits(connection: CountedConnection) -> Iterator[None]:
    """Exclude a connection from the limits while the context is active."""
    source, connection.source = connection.source, None
    try:
        yield
    finally:
        connection.source = source


async def _collect_reviews(hub: PageHub) -> None:
    """Collect the results of reviews while one is running."""
    has_started = asyncio.Event()
    hub.on_review = has_started.set
    while True:
        await has_started.wait()
        has_started.clear()
        while hub.collect_reviews():
            await asyncio.sleep(REVIEW_POLL_SECONDS)


async def _serve_visitor(socket: WebSocket, visitor: WaitingVisitor, hub: PageHub) -> int:
    """Send changes to a visitor and handle requests until the visitor is dismissed or reaches `MAX_FAULTS`.

    Return the close code. Raises WebSocketDisconnect if the visitor has left or is too slow.
    """

    async def send_changes() -> None:
        while not visitor.dismissed.is_set():
            await visitor.changed.wait()
            visitor.changed.clear()
            for text in hub.list_changes(visitor):
                await _finish_sending(socket.send_text(text))

    async def handle_requests() -> None:
        limiter, faults = RateLimiter(REQUESTS_PER_SECOND, monotonic()), 0
        while faults < MAX_FAULTS:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect
            try:
                request = parse_page_request(message.get("text") or "")
            except ValueError:
                faults += 1
                visitor.refuse(Message("remote.not_understood"))
                continue
            if limiter.take_token(monotonic()):
                hub.handle_request(visitor, request)
            else:
                faults += 1
                visitor.refuse(Message("remote.too_fast"))

    tasks = [asyncio.create_task(each) for each in (send_changes(), handle_requests(), visitor.dismissed.wait())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
    return TRY_AGAIN_LATER if visitor.dismissed.is_set() else POLICY_VIOLATION


async def _finish_sending(sending: Awaitable[None]) -> None:
    """Wait until a WebSocket message has been sent. Raises WebSocketDisconnect if the connection is closed or too slow."""
    try:
        # wait_for swallows a cancellation that coincides with the result.
        async with asyncio.timeout(SEND_TIMEOUT_SECONDS):
            await sending
    except (OSError, RuntimeError) as error:  # uvicorn and Starlette raise RuntimeError after a local close
        raise WebSocketDisconnect from error


def _format_address_page(request: HTTPConnection) -> str:
    """Return a page with the right address, for a browser that used a wrong name. It contains nothing from the request."""
    language = choose_page_language(request.headers.get("cookie", ""), request.headers.get("accept-language", ""))
    text = get_catalogue(language).text((Message("web.other_name"),))
    address = f"http://{format_own_host(*request.scope['server'])}/"
    return (
        f'<!doctype html><html lang="{language}"><meta name="viewport" content="width=device-width"><title>Pond</title>'
        f'<p>{escape(text)}<p><a href="{address}">{address}</a>\n'
    )


def _add_filter(app: ASGIApp, host_filter: HostFilter) -> ASGIApp:
    async def filtered_app(scope: Scope, receive: Receive, send: Send) -> None:
        status = None if scope["type"] == "lifespan" else host_filter.find_refusal(scope)
        if status is None:
            try:
                await app(scope, receive, send)
            except Exception:
                LOG.exception("Something went wrong inside the page.")
                raise
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close"})
        else:
            with suppress(Exception):  # a malformed request may already have closed the connection
                content = _format_address_page(HTTPConnection(scope)) if status == MISDIRECTED else None
                headers = SECURITY_HEADERS | {"connection": "close"}
                await Response(content, status, headers, "text/html")(scope, receive, send)

    return filtered_app
