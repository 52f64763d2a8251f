"""`pond link`: play one game on two boards in two homes, and show a board in Home Assistant, over MQTT brokers."""

from __future__ import annotations

import logging
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from time import localtime, monotonic, sleep, strftime
from typing import TYPE_CHECKING, Any

from pond_hw.commands import arguments
from pond_hw.commands.board_queries import ask_board, find_last_state, list_board_sockets
from pond_hw.commands.command_output import log_to_terminal, print_lines
from pond_hw.commands.service_user import become_service_user
from pond_hw.engine.player_name import find_name_fault
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.optional_packages import format_install_command
from pond_hw.rules import STANDARD, PondError

if TYPE_CHECKING:
    from pond_hw.link.invitation import Broker, Invitation
    from pond_hw.link.linked_game import LinkedGame
    from pond_hw.mqtt.home_assistant_link import HomeAssistantSettings
    from pond_hw.mqtt.linked_home import LinkedHome
    from pond_hw.mqtt.stored_link import Login, StoredLink
    from pond_hw.rules import Variant

SERVICE_NAME = "pond-link"
"""Service that plays the stored game, and its user. Root works on its files."""

BEGIN_OPTIONS = ("variant", "side", "name", "user", "password_file", "ca")
"""Options that only apply when a game begins or, except for the first two, when Home Assistant is switched on."""

OFF = "off"

ANSWERS = {"yes": True, "no": False, "1": 0, "2": 1}

LEAVE_SECONDS = 3.0
"""Seconds that the board may take to leave the game."""

_PLACES = {
    "invite": "BROKER",
    "join": "INVITATION",
    "watch": "INVITATION",
    "answer": "yes, no, 1 or 2",
    "home-assistant": "BROKER, or off",
}
"""Word that follows each task, in messages."""


def add_arguments(parser: ArgumentParser) -> None:
    help_text = (
        "invite: begin a game, and print an invitation; join: accept one; watch: watch with one; run: go on with the stored "
        "game; show: show it; answer: answer the other home; leave: forget the game; home-assistant: show the board in Home "
        "Assistant"
    )
    parser.add_argument("what", metavar="|".join(TASKS), choices=list(TASKS), help=help_text)
    help_text = (
        "invite: the broker, such as mqtts://broker.example; join, watch: the invitation; answer: yes or no to a request, "
        "1 or 2 for a version of the game; home-assistant: its broker, or off"
    )
    parser.add_argument("choice", metavar="CHOICE", nargs="?", help=help_text)
    arguments.add_variant_option(parser, "invite: the pond to play", "standard")
    help_text = "invite: your side, light or dark (light)"
    parser.add_argument("--side", choices=("light", "dark"), metavar="SIDE", help=help_text)
    help_text = (
        "invite, join: a name that the other home sees (none); home-assistant: the name of the board there (Pond)"
    )
    parser.add_argument("--name", metavar="NAME", help=help_text)
    parser.add_argument("--user", metavar="USER", help="your user name at the broker")
    help_text = "a file with your password at the broker"
    parser.add_argument("--password-file", metavar="FILE", action=arguments.FileOption, help=help_text)
    help_text = "a file with the certificate that has signed the broker's own (the system's certificates)"
    parser.add_argument("--ca", metavar="FILE", action=arguments.FileOption, help=help_text)
    help_text = "the socket of the served board (in the runtime folder)"
    parser.add_argument("--socket", metavar="PATH", action=arguments.FileOption, help=help_text)
    arguments.add_flag(parser, "--yes", "leave: don't ask for confirmation")
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> None:
    arguments.require_unix(f"pond {options.command}")
    place = _PLACES.get(options.what)
    if bool(place) != bool(options.choice):
        message_name = "link.needs_choice" if place else "link.no_choice"
        raise PondError(Message(message_name, what=options.what, place=place or ""))
    allowed: tuple[str, ...] = BEGIN_OPTIONS if options.what in ("invite", "join", "watch") else ()
    if options.what == "home-assistant" and options.choice != OFF:
        allowed = BEGIN_OPTIONS[2:]
    if given := [name for name in BEGIN_OPTIONS if name not in allowed and getattr(options, name) is not None]:
        raise PondError(Message("link.begin_only", option=f"--{given[0].replace('_', '-')}"))
    try:
        options.login = _read_login(options)  # before root gives up the right to read the files
        become_service_user(SERVICE_NAME)
        TASKS[options.what](options)
    except ModuleNotFoundError:
        raise PondError(Message("link.needs_packages", command=format_install_command("link"))) from None


# Beginning a game


def _invite(options: Namespace) -> None:
    from pond_hw.link.changes import INVITER, JOINER
    from pond_hw.link.invitation import parse_broker
    from pond_hw.link.linked_game import LinkedGame

    broker, variant = parse_broker(options.choice), options.variant or STANDARD
    light = JOINER if options.side == "dark" else INVITER
    game = LinkedGame.invite(broker, variant, light, options.name or "")
    _check_board_size(options, variant.size, variant.name)
    _begin(options, game)


def _join(options: Namespace) -> None:
    from pond_hw.link.invitation import parse_invitation
    from pond_hw.link.linked_game import LinkedGame
    from pond_hw.link.signatures import LinkError

    invitation = parse_invitation(options.choice)
    if invitation.is_to_watch != (options.what == "watch"):
        raise LinkError(Message("link.only_watch" if invitation.is_to_watch else "link.not_watch"))
    if refused := [f"--{name}" for name in ("variant", "side") if getattr(options, name) is not None]:
        raise PondError(Message("link.inviter_chooses", option=refused[0]))
    _begin(options, LinkedGame.join(invitation, options.name or ""))


def _begin(options: Namespace, game: LinkedGame) -> None:
    """Store a new game, and play it. The same invitation again continues its game."""
    from pond_hw.link.changes import INVITER
    from pond_hw.mqtt.linked_home import LinkedHome
    from pond_hw.mqtt.stored_link import StoredLink

    stored = StoredLink()
    with stored.lock():
        home = stored.load()
        if home and _is_same(home.game.invitation, game.invitation):
            if home.game.home == INVITER:
                raise PondError(Message("link.own_invitation"))
        elif home:
            raise PondError(Message("link.already_stored"))
        else:
            home = LinkedHome(game)
        if options.login:
            stored.write_login(game.invitation.broker, *options.login)
        stored.store(home)
        _play(options, stored, home)


def _is_same(one: Invitation, other: Invitation) -> bool:
    return one.to_watch.secret == other.to_watch.secret


def _check_board_size(options: Namespace, size: int, variant_name: str) -> None:
    """Raise PondError if the served board is too small. Without a served board there is nothing to check."""
    hello: Mapping[str, Any] = {}
    with suppress(PondError, IndexError):
        hello = ask_board(list_board_sockets(options))[0]
    board_size = hello.get("size", size)
    if board_size < size:
        raise PondError(Message("link.small_board", variant=variant_name, size=size, board_size=board_size))


def _read_login(options: Namespace) -> tuple[Login, bytes | None] | None:
    """Return the login in the options and the certificate, or None without one.

    Raises:
        PondError: a file can't be read, or a password has no user.
    """
    from pond_hw.messages.system_errors import explain_system_errors
    from pond_hw.mqtt.mqtt_connection import make_tls_context
    from pond_hw.mqtt.stored_link import Login

    if options.user is None and options.password_file is None and options.ca is None:
        return None
    password = None
    if options.password_file is not None:
        if options.user is None:
            raise PondError(Message("link.password_needs_user"))
        with explain_system_errors("file.cannot_read", file=options.password_file):
            password = Path(options.password_file).read_text(encoding="utf-8").splitlines()[0:1] or [""]
    certificate = None
    if options.ca is not None:
        make_tls_context(options.ca)  # reports an invalid file here
        with explain_system_errors("file.cannot_read", file=options.ca):
            certificate = Path(options.ca).read_bytes()
    return Login(options.user, password[0] if password else None), certificate


# Playing


def _run(options: Namespace) -> None:
    from pond_hw.mqtt.stored_link import StoredLink

    stored = StoredLink()
    with stored.lock():
        _play(options, stored, stored.load())


def load_stored_variant() -> Variant | None:
    """Return the variant of the stored game; None if only the other home knows it.

    Raises:
        PondError: no game is stored.
    """
    try:
        from pond_hw.mqtt.stored_link import StoredLink
    except ModuleNotFoundError:
        raise PondError(Message("link.needs_packages", command=format_install_command("link"))) from None
    return _load(StoredLink()).game.variant


def _load(stored: StoredLink) -> LinkedHome:
    home = stored.load()
    if home is None:
        raise PondError(Message("link.nothing_stored"))
    return home


def _play(options: Namespace, stored: StoredLink, home: LinkedHome | None) -> None:
    """Play, and serve Home Assistant if it is switched on, until the process is stopped."""
    import asyncio

    from pond_hw.mqtt.home_assistant_link import HomeAssistantSettings
    from pond_hw.mqtt.linked_home import LinkEnded

    log_to_terminal()
    language, settings = arguments.read_language(options), HomeAssistantSettings.load(stored)
    if settings and not settings.is_on:
        settings = None
    if not home and not settings:
        raise PondError(Message("link.nothing_stored"))
    if home and not home.game.log:
        _show_invitation(home.game, language)
    elif home:
        print_lines(Message("link.going_on"), language=language)
    sys.stdout.flush()
    try:
        asyncio.run(_connect_all(options, stored, home, settings, language))
    except LinkEnded as error:
        if home and not home.game.log:
            stored.forget()  # the invitation has been used, or the game never fitted on this board
        if not settings:
            raise
        logging.getLogger("pond").warning("%s", to_english(error.message))
        asyncio.run(_connect_all(options, stored, None, settings, language))


async def _connect_all(
    options: Namespace,
    stored: StoredLink,
    home: LinkedHome | None,
    settings: HomeAssistantSettings | None,
    language: str,
) -> None:
    """Connect the board to the other home and to Home Assistant. If both use the same broker, they share the connection."""
    import asyncio

    from pond_hw.mqtt.home_assistant_link import HomeAssistantLink
    from pond_hw.mqtt.link_process import LinkProcess
    from pond_hw.mqtt.mqtt_connection import MqttConnection
    from pond_hw.server.board_connection import BoardConnection

    sockets = list_board_sockets(options)
    connections: dict[Broker, MqttConnection] = {}
    parts: list[Coroutine[Any, Any, None]] = []
    if settings:
        board, broker = BoardConnection(sockets), settings.broker
        connections[broker] = MqttConnection(broker, stored.read_login(broker), settings.will)
        HomeAssistantLink(settings, board, connections[broker])
        parts.append(board.run())
    if home:
        broker = home.game.invitation.broker
        if broker not in connections:
            connections[broker] = MqttConnection(broker, stored.read_login(broker))
        process = LinkProcess(home, stored.store, BoardConnection(sockets), connections[broker])
        process.on_status = _make_joining_printer(home, language)
        parts.append(process.run())
    await asyncio.gather(*parts, *(connection.run() for connection in connections.values()))


def _make_joining_printer(home: LinkedHome, language: str) -> Callable[[Mapping[str, Any]], None]:
    """Return a function that gets the state of the game, and prints once that the other home has joined."""
    had_joined = home.game.log is not None

    def show_joining(status: Mapping[str, Any]) -> None:
        nonlocal had_joined
        if status["joined"] and not had_joined:
            had_joined = True
            _print_joined(status["cells"], language)

    return show_joining


def _print_joined(cells: list[str], language: str) -> None:
    print_lines(Message("link.joined"), language=language)
    if cells:
        print_lines(Message("link.compare_cells", cells=tuple(cells)), language=language)
    sys.stdout.flush()


def _show_invitation(game: LinkedGame, language: str) -> None:
    from pond_hw.link.changes import INVITER
    from pond_hw.web.page_address import print_qr_code

    if game.home == INVITER:
        text = str(game.invitation)
        print_lines(Message("link.send_invitation"), text, language=language)
        print_qr_code(text)
        print_lines(Message("link.send_watch"), str(game.invitation.to_watch), language=language)
    else:
        print_lines(Message("link.waiting"), language=language)


# Home Assistant


def _connect_home_assistant(options: Namespace) -> None:
    from pond_hw.mqtt.stored_link import StoredLink

    stored = StoredLink()
    with stored.lock():
        if options.choice == OFF:
            _disconnect_home_assistant(options, stored)
        else:
            _store_home_assistant(options, stored)
            _play(options, stored, stored.load())


def _store_home_assistant(options: Namespace, stored: StoredLink) -> None:
    from pond_hw.link.invitation import parse_broker
    from pond_hw.mqtt.home_assistant_link import DEFAULT_NAME, HomeAssistantSettings, make_device_id

    broker, login, before = parse_broker(options.choice), options.login, HomeAssistantSettings.load(stored)
    name = options.name or (before.name if before else DEFAULT_NAME)
    if fault := find_name_fault(name):
        raise PondError(fault)
    if before and before.is_on and before.broker != broker:
        _disconnect_home_assistant(options, stored)
    if login:
        stored.write_login(broker, *login)
    HomeAssistantSettings(before.device_id if before else make_device_id(), broker, name).store(stored)
    print_lines(Message("link.home_assistant.on", name=name), language=arguments.read_language(options))


def _disconnect_home_assistant(options: Namespace, stored: StoredLink) -> None:
    """Remove the board from Home Assistant. If its broker can't be reached, this can be tried again."""
    import asyncio

    from pond_hw.mqtt.home_assistant_link import HomeAssistantSettings, remove_device

    log_to_terminal()
    settings, language = HomeAssistantSettings.load(stored), arguments.read_language(options)
    if settings is None:
        raise PondError(Message("link.home_assistant.never_on"))
    settings._replace(is_on=False).store(stored)
    if not asyncio.run(remove_device(settings, stored.read_login(settings.broker))):
        raise PondError(Message("link.home_assistant.still_there", broker=str(settings.broker)))
    print_lines(Message("link.home_assistant.off"), language=language)


# The stored game


def _show(options: Namespace) -> None:
    from pond_hw.mqtt.home_assistant_link import HomeAssistantSettings
    from pond_hw.mqtt.stored_link import StoredLink

    language, stored = arguments.read_language(options), StoredLink()
    settings = HomeAssistantSettings.load(stored)
    if settings and settings.is_on:
        shown = Message("link.home_assistant.show", name=settings.name, broker=str(settings.broker))
        print_lines(shown, language=language)
        if not stored.exists:
            return
    home = _load(stored)
    game = home.game
    print_lines(Message("link.show.broker", broker=str(game.invitation.broker)), language=language)
    if not game.log:
        _show_invitation(game, language)
    else:
        print_lines(*_describe_game(home), language=language)
    board = _read_board_link(options) or {}
    is_running = bool(board.get("running"))
    status = {**home.make_status(), **({"seen": board.get("seen")} if is_running else {})}
    print_lines(*_describe_status(status, board, is_running=is_running), language=language)


def _describe_game(home: LinkedHome) -> list[Message | str]:
    """Return lines about the game: sides, turns and result."""
    game, log = home.game, home.game.log
    assert log
    count, outcome = len(log.game.turns), log.game.outcome
    variant = log.game.variant.name
    if game.home is None:
        lines: list[Message | str] = [Message("link.show.watching", variant=variant, count=count)]
    else:
        side = str(log.find_side(game.home))
        lines = [Message(f"link.show.side.{side}", variant=variant, count=count)]
    if outcome:
        winner = str(outcome.winner) if outcome.winner is not None else "none"
        lines.append(Message(f"link.show.over.{winner}"))
    elif game.home is not None:
        lines.append(Message("link.show.my_turn" if game.is_my_turn else "link.show.other_turn"))
    return lines


def _describe_status(status: Mapping[str, Any], board: Mapping[str, Any], *, is_running: bool) -> list[Message | str]:
    from pond_hw.server.parse_requests import parse_change
    from pond_hw.session import describe_request

    lines: list[Message | str] = []
    if status["cells"]:
        lines.append(Message("link.compare_cells", cells=tuple(status["cells"])))
    lines += [describe_request(parse_change(change)) for change in status["requests"]]
    lines += [Message("link.show.how_to_answer")] if status["requests"] else []
    if question := status["question"]:
        first, second = question["versions"]
        message_name = "link.show.question" if question["mine"] else "link.show.other_chooses"
        lines.append(Message(message_name, first=first, second=second))
    if status["seen"]:
        lines.append(Message("link.show.seen", time=strftime("%Y-%m-%d %H:%M", localtime(status["seen"]))))
    if not is_running:
        lines.append(Message("link.show.not_running"))
    elif not board.get("online"):
        lines.append(Message("link.show.offline"))
    return lines


def _answer(options: Namespace) -> None:
    """Answer through the board, as a person there would."""
    language, answer = arguments.read_language(options), ANSWERS.get(options.choice)
    if answer is None:
        raise PondError(Message("link.needs_choice", what="answer", place=_PLACES["answer"]))
    sockets = list_board_sockets(options)
    link = find_last_state(ask_board(sockets, {"ask": "state"})).get("link") or {}
    if not link.get("running"):
        raise PondError(Message("link.show.not_running"))
    request: dict[str, Any]
    if options.choice in ("1", "2"):
        request = {"command": "answer", "version": answer}
        if not (link.get("question") or {}).get("mine"):
            raise PondError(Message("link.no_question"))
    else:
        if not link.get("requests"):
            raise PondError(Message("link.no_request"))
        request = {"command": "answer", "request": link["requests"][0], "accept": answer}
    messages = ask_board(sockets, request, {"ask": "state"})
    if errors := [message for message in messages if message.get("type") == "error"]:
        raise PondError(Message("link.board_refuses", reason=str(errors[0].get("message"))))
    print_lines(Message("link.answered"), language=language)


def _leave(options: Namespace) -> None:
    """Forget the stored game, and let the board leave it."""
    from pond_hw.mqtt.stored_link import StoredLink

    language, stored = arguments.read_language(options), StoredLink()
    with stored.lock():
        board = _read_board_link(options)
        if not stored.exists and not _may_leave(board):
            raise PondError(Message("link.nothing_stored"))
        if stored.exists:
            if not options.yes and not _confirm_leaving():
                print_lines(Message("link.leave.kept"), language=language)
                return
            stored.forget()
            print_lines(Message("link.leave.done"), language=language)
    if board is None:
        print_lines(Message("link.leave.no_board"), language=language)
    elif _may_leave(board):
        is_left = _leave_on_board(options)
        print_lines(Message("link.leave.board" if is_left else "link.leave.board_stays"), language=language)


def _read_board_link(options: Namespace) -> Mapping[str, Any] | None:
    """Return the state of the link on the board, empty without one. None if no board answers."""
    with suppress(PondError):
        return find_last_state(ask_board(list_board_sockets(options), {"ask": "state"})).get("link") or {}
    return None


def _may_leave(link: Mapping[str, Any] | None) -> bool:
    """Return True if the board is in a linked game whose link has ended."""
    return bool(link and link.get("game") and not link.get("running"))


def _leave_on_board(options: Namespace) -> bool:
    """Begin a new game of two people. Return False if the board stays in the linked game, for example because of a fault."""
    with suppress(PondError):
        ask_board(list_board_sockets(options), {"command": "new", "players": {"light": None, "dark": None}})
    until = monotonic() + LEAVE_SECONDS
    while _may_leave(_read_board_link(options)):
        if monotonic() > until:
            return False
        sleep(0.1)
    return True


def _confirm_leaving() -> bool:
    if not sys.stdin.isatty():
        raise PondError(Message("link.leave.cannot_ask"))
    try:
        return input(f"{to_english(Message('link.leave.ask'))} [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        print_lines("")
        return False


TASKS = {
    "invite": _invite,
    "join": _join,
    "watch": _join,
    "run": _run,
    "show": _show,
    "answer": _answer,
    "leave": _leave,
    "home-assistant": _connect_home_assistant,
}
"""Tasks of the command."""
