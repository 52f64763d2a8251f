"""Web server of the page."""

from __future__ import annotations

import signal
import socket
from collections.abc import Sequence, Set
from ipaddress import ip_address
from pathlib import Path

import uvicorn

from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.web.asgi_app import make_app
from pond_hw.web.bounded_connections import BoundedWebSocket, DeadlineProtocol
from pond_hw.web.host_filter import MAX_HEADER_BYTES
from pond_hw.web.page_address import can_phones_open, list_page_addresses, print_qr_code
from pond_hw.web.page_requests import MAX_MESSAGE_BYTES
from pond_hw.web.seat_book import SeatBook
from pond_hw.web.socket_board_link import SocketBoardLink

SHUTDOWN_TIMEOUT_SECONDS = 2
"""Seconds to wait for open connections at shutdown."""


def serve_page(
    socket_paths: Sequence[Path], address: str, port: int, names: Set[str], seats_file: Path, *, spectators: bool
) -> None:
    """Serve a board's page until a signal arrives. Raises PondError if the address or port cannot be used.

    Args:
        socket_paths: possible socket paths of the board, the likeliest first.
        address: IP address to listen on.
        port: port to listen on.
        names: host names of this machine that requests may use, besides its addresses.
        seats_file: file in which the seats are stored.
        spectators: True if visitors without a seat may watch.
    """
    listening_socket = _listen(address, port)
    settings = uvicorn.Config(
        make_app(SocketBoardLink(socket_paths), SeatBook(seats_file), names, spectators=spectators),
        http=DeadlineProtocol,
        ws=BoundedWebSocket,
        log_config=None,
        log_level="critical",  # ignore malformed requests; the app logs its own failures
        access_log=False,
        server_header=False,
        proxy_headers=False,  # there is no proxy, so forwarding headers are forged
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_max_queue=4,
        ws_per_message_deflate=False,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_SECONDS,
    )
    addresses = list_page_addresses(address, port, names)
    print(*addresses, sep="\n", flush=True)
    if can_phones_open(address):
        print_qr_code(addresses[0])
    for end_signal in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end_signal, lambda *_: None)  # uvicorn shuts down on a signal, and then raises the signal again
    uvicorn.Server(settings).run(sockets=[listening_socket])


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
    listening_socket = socket.socket(family, socket.SOCK_STREAM)
    listening_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening_socket.bind((address, port))
        listening_socket.listen()  # reserves the port before uvicorn starts
    except OSError as error:
        listening_socket.close()
        reason = describe_system_error(error)
        raise PondError(Message("web.no_address", address=address, port=port, reason=reason)) from error
    return listening_socket
