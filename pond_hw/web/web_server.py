"""The web server: takes hold of an address, says where the page is, and serves it until it is told to end."""

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
from pond_hw.web.board_link import BoardLink
from pond_hw.web.bounded_connections import BoundedWebSocket, PromptProtocol
from pond_hw.web.host_filter import MAX_HEADER_BYTES
from pond_hw.web.page_address import can_phones_open, list_page_addresses, print_qr_code
from pond_hw.web.page_requests import MAX_MESSAGE_BYTES
from pond_hw.web.seat_book import SeatBook

END_SECONDS = 2
"""Seconds that connections may take to end when the server does."""


def serve_page(
    socket_paths: Sequence[Path], address: str, port: int, names: Set[str], seats_file: Path, *, spectators: bool
) -> None:
    """Serve the page of a board until this process is told to end.

    Args:
        socket_paths: where the socket of the board may be, the likeliest first.
        address: the IP address to listen at.
        port: the port.
        names: names of this machine that requests may be for, besides its addresses.
        seats_file: where the seats are kept.
        spectators: whether those without a seat may watch.

    Raises:
        PondError: the address cannot be listened at.
    """
    listening_socket = _listen(address, port)
    settings = uvicorn.Config(
        make_app(BoardLink(socket_paths), SeatBook(seats_file), names, spectators=spectators),
        http=PromptProtocol,
        ws=BoundedWebSocket,
        log_config=None,
        log_level="critical",  # what strangers send is no news; what goes wrong in the site, the site itself says
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nobody stands before it, so no header says who somebody is
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_max_queue=4,
        ws_per_message_deflate=False,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_graceful_shutdown=END_SECONDS,
    )
    addresses = list_page_addresses(address, port, names)
    print(*addresses, sep="\n", flush=True)
    if can_phones_open(address):
        print_qr_code(addresses[0])
    for end_signal in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end_signal, lambda *_: None)  # uvicorn ends at one, and then raises it once more
    uvicorn.Server(settings).run(sockets=[listening_socket])


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
    listening_socket = socket.socket(family, socket.SOCK_STREAM)
    listening_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening_socket.bind((address, port))
        listening_socket.listen()  # or else another program could still take the same port
    except OSError as error:
        listening_socket.close()
        reason = describe_system_error(error)
        raise PondError(Message("web.no_address", address=address, port=port, reason=reason)) from error
    return listening_socket
