"""`pond web`: a page for phones that shows a served board."""

from __future__ import annotations

import logging
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from ipaddress import ip_address
from pathlib import Path

from pond_hw.commands import arguments
from pond_hw.installing import format_install_command
from pond_hw.messages.message import Message
from pond_hw.rules import PondError

USUAL_ADDRESS, USUAL_PORT = "127.0.0.1", 7663
"""Only this machine; the port spells "pond" on the keys of a telephone."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    arguments.add_flag(parser, "--spectators", "let everybody who can open the page watch; without it there is no page")
    help_text = f"the address to listen at ({USUAL_ADDRESS}: only this machine); 0.0.0.0: the whole local network"
    parser.add_argument("--address", metavar="ADDRESS", type=_parse_address, default=USUAL_ADDRESS, help=help_text)
    help_text = f"the port, 1 to 65535 ({USUAL_PORT})"
    parse_port = arguments.range_parser("a port is 1 to 65535", 1, 65535)
    parser.add_argument("--port", metavar="NUMBER", type=parse_port, default=USUAL_PORT, help=help_text)
    help_text = "a name of this machine that browsers use, such as pond.local (several times)"
    parser.add_argument("--name", metavar="NAME", action="append", default=[], help=help_text)
    parser.add_argument("--socket", metavar="PATH", help="the socket of the served board (in the runtime folder)")


def run_command(options: Namespace) -> None:
    """Serve the page until this process is told to end.

    Raises:
        PondError: nobody may watch, packages are missing, or the address is taken.
    """
    arguments.require_unix(f"pond {options.command}")
    if not options.spectators:
        raise PondError(Message("web.nobody_may_watch"))
    from pond_hw.drivers.run_files import list_sockets

    try:
        from pond_hw.web.web_server import serve_page
    except ModuleNotFoundError:
        raise PondError(Message("web.needs_packages", command=format_install_command("web"))) from None
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    sockets = [Path(options.socket)] if options.socket else list_sockets()
    serve_page(sockets, options.address, options.port, frozenset(map(str.lower, options.name)))


def _parse_address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise ArgumentTypeError(str(Message("argument.not_address", text=repr(text[:40])))) from None
