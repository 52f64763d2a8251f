"""`pond web`: serve a phone page for a board, and run a Wi-Fi hotspot."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from pond_hw.commands import arguments
from pond_hw.commands.board_queries import ask_board, find_last_state, list_board_sockets
from pond_hw.commands.command_output import log_to_terminal, print_lines
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.optional_packages import format_install_command
from pond_hw.rules import PondError

if TYPE_CHECKING:
    from pond_hw.web.hotspot import Hotspot

DEFAULT_ADDRESS, DEFAULT_PORT = "127.0.0.1", 7663
"""Default address, reachable only from this machine, and default port: "pond" on a telephone keypad."""

SEATS_FILE_NAME = "web-seats.json"
"""Name of the file that stores the seats, in this program's state folder."""

HOTSPOT_ACTIONS = ("on", "off", "show")

ALL_SEATS = "all"

PAGE_OPTIONS = ("spectators", "address", "port", "name")
"""Options that only apply to serving the page."""


def add_arguments(parser: ArgumentParser) -> None:
    help_text = (
        "seats: list the phones that may play; revoke: take a seat away; "
        "hotspot: run a Wi-Fi network for the phones; without one of these: serve the page"
    )
    parser.add_argument("what", metavar="|".join(TASKS), nargs="?", choices=list(TASKS), help=help_text)
    help_text = "revoke: a seat number, or all; hotspot: on, off, or show"
    parser.add_argument("choice", metavar="CHOICE", nargs="?", help=help_text)
    arguments.add_flag(parser, "--spectators", "let everyone who can open the page watch, even without a seat")
    help_text = f"the address to listen on ({DEFAULT_ADDRESS}: only this machine); 0.0.0.0: the whole local network"
    parser.add_argument("--address", metavar="ADDRESS", type=parse_address, default=DEFAULT_ADDRESS, help=help_text)
    help_text = f"the port, 1 to 65535 ({DEFAULT_PORT})"
    parse_port = arguments.range_parser("the port must be 1 to 65535", 1, 65535)
    parser.add_argument("--port", metavar="NUMBER", type=parse_port, default=DEFAULT_PORT, help=help_text)
    help_text = "a name that browsers use for this machine, such as pond.local; repeatable"
    parser.add_argument("--name", metavar="NAME", action="append", default=[], help=help_text)
    help_text = "the socket of the served board (in the runtime folder)"
    parser.add_argument("--socket", metavar="PATH", action=arguments.FileOption, help=help_text)
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> None:
    """Serve the page until this process is stopped, or run one of `TASKS`."""
    arguments.require_unix(f"pond {options.command}")
    try:
        TASKS.get(options.what, _serve_page)(options)
    except ModuleNotFoundError:
        raise PondError(Message("web.needs_packages", command=format_install_command("web"))) from None


def _serve_page(options: Namespace) -> None:
    from pond_hw.journal.folder import program_state_folder
    from pond_hw.web.web_server import serve_page

    log_to_terminal()
    sockets = list_board_sockets(options)
    names, seats_file = frozenset(map(str.lower, options.name)), program_state_folder() / SEATS_FILE_NAME
    serve_page(sockets, options.address, options.port, names, seats_file, spectators=options.spectators)


def _refuse_options(options: Namespace, *refused: str) -> None:
    """Raise an error if one of these options is given."""
    if given := [name for name in refused if getattr(options, name) != options.parser.get_default(name)]:
        raise PondError(Message("web.page_only", option=f"--{given[0]}", what=options.what))


def _list_seats(options: Namespace) -> None:
    language = arguments.read_language(options)
    _refuse_options(options, *PAGE_OPTIONS)
    if options.choice is not None:
        raise PondError(Message("web.seats.no_choice"))
    seats = _ask_seats(options)
    for number, sides in sorted(seats.items()):
        print_lines(Message(f"web.seats.{'both' if len(sides) > 1 else sides[0]}", number=number), language=language)
    if not seats:
        print_lines(Message("web.seats.none"), language=language)


def _revoke_seats(options: Namespace) -> None:
    """Revoke one seat by its number, or all seats."""
    _refuse_options(options, *PAGE_OPTIONS)
    language, choice = arguments.read_language(options), options.choice or ""
    if choice != ALL_SEATS and not (choice.isascii() and choice.isdecimal()):
        raise PondError(Message("web.seats.which"))
    seats_before = _ask_seats(options)
    request: dict[str, Any] = {"command": "revoke"}
    if choice != ALL_SEATS:
        request["seat"] = int(choice[:9])
        if request["seat"] not in seats_before:
            raise PondError(Message("web.seats.no_such", number=choice[:9]))
    revoked = sorted(seats_before.keys() - _ask_seats(options, request).keys())
    print_lines(
        *[Message("web.seats.revoked", number=number) for number in revoked] or [Message("web.seats.none")],
        language=language,
    )


def _ask_seats(options: Namespace, *requests: Mapping[str, Any]) -> dict[int, Sequence[str]]:
    """Send requests to the board. Return the remaining seats as a map from seat number to sides."""
    messages = ask_board(list_board_sockets(options), *requests, {"ask": "state"})
    return {seat["seat"]: seat["sides"] for seat in find_last_state(messages).get("seats", ())}


def _change_hotspot(options: Namespace) -> None:
    _refuse_options(options, *PAGE_OPTIONS, "socket")
    if options.choice not in HOTSPOT_ACTIONS:
        raise PondError(Message("web.hotspot.which"))
    from pond_hw.web import hotspot

    language = arguments.read_language(options)
    if options.choice == "off":
        was_running = hotspot.stop_hotspot()
        print_lines(Message("web.hotspot.stopped" if was_running else "web.hotspot.off"), language=language)
        return
    found = hotspot.find_hotspot()
    if options.choice == "show" and found is None:
        print_lines(Message("web.hotspot.off"), language=language)
        return
    _show_hotspot(found or hotspot.prepare_hotspot(), language)
    if found is None:  # Printed first, because starting the hotspot may end the user's Wi-Fi connection.
        print_lines(Message("web.hotspot.starting"), language=language)
        sys.stdout.flush()
        hotspot.start_hotspot()
        print_lines(Message("web.hotspot.started"), language=language)


def _show_hotspot(hotspot: Hotspot, language: str) -> None:
    from pond_hw.web.hotspot import ADDRESS, NETWORK_NAME
    from pond_hw.web.page_address import list_page_addresses, print_qr_code

    if hotspot.password is None:
        print_lines(Message("web.hotspot.on_secret", network=NETWORK_NAME), language=language)
        return
    print_lines(Message("web.hotspot.join", network=NETWORK_NAME, password=hotspot.password), language=language)
    print_qr_code(hotspot.qr_text)
    print_lines(Message("web.hotspot.open", address=list_page_addresses(ADDRESS, DEFAULT_PORT)[0]), language=language)


TASKS = {"seats": _list_seats, "revoke": _revoke_seats, "hotspot": _change_hotspot}
"""Tasks of the command, besides serving the page."""


def parse_address(text: str) -> str:
    """Parse an IP address, for argparse's `type`."""
    try:
        return str(ip_address(text))
    except ValueError:
        raise ArgumentTypeError(to_english(Message("argument.not_address", text=text[:40]))) from None
