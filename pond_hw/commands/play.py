"""`pond play`: play on the lit board in this terminal."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from pond_hw.commands import arguments
from pond_hw.commands.command_output import print_lines
from pond_hw.commands.web import DEFAULT_ADDRESS, DEFAULT_PORT, parse_address
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.rules import STANDARD, PondError

if TYPE_CHECKING:
    from pond_hw.commands.child_programs import ChildProgram, ChildPrograms
    from pond_hw.rules import Variant
    from pond_hw.session import Exercise

POLL_SECONDS = 0.5

DEFAULT_PLAYERS = ("human", "level-2")
"""Default players of light and dark."""

BOARDS = {3: "simulated-4x4", 4: "simulated-4x4", 5: "simulated-5x5"}
"""Simulated board for a game with a phone page, by number of rows in the variant."""

SERVED_OPTIONS = ("seed", "think", "memory", "record", "journal")
"""Options with values to pass on to `pond serve`."""

SCREEN_BOARD_OPTIONS = ("cells", "pieces", "colours", "turned", "fault", "lesson")
"""Options that only work on a board shown in this terminal."""

SERVING_OPTIONS = ("web", "board", "link")
"""Options that need a served board."""

LINKED_GAME_OPTIONS = ("light", "dark", "names", "seed", "think", "memory")
"""Options that can't be combined with `--link`, because both players are people."""

OWN_GAME_OPTIONS = (
    *("variant", "light", "dark", "names", "cells", "seed", "think", "memory", "ponder"),
    *("pieces", "colours", "turned", "fault", "record", "journal", "unsaved", "lesson"),
)
"""Options that can't be combined with `--connect`."""


def add_arguments(parser: ArgumentParser) -> None:
    arguments.add_variant_option(parser, "the pond to play", "standard")
    arguments.add_player_options(parser, *DEFAULT_PLAYERS)
    arguments.add_lamps_option(parser, "as many as fit in the window; 16 with --record")
    help_text = "play on the board that `pond serve` runs on this machine; PATH is its socket, if it is not the default"
    parser.add_argument("--connect", metavar="PATH", nargs="?", const="", help=help_text)
    help_text = "play on a board connected to this machine, for example by USB: a name that `pond boards` lists, or your own .toml"
    parser.add_argument("--board", metavar="PROFILE", help=help_text)
    help_text = (
        f"also serve the phone page at this address ({DEFAULT_ADDRESS}: only this machine; 0.0.0.0: the local network)"
    )
    parser.add_argument(
        "--web", metavar="ADDRESS", nargs="?", type=parse_address, const=DEFAULT_ADDRESS, help=help_text
    )
    help_text = (
        "play one game in two homes: the broker to invite at, or an invitation (see `pond link`); without a value, go on with "
        "the stored game"
    )
    parser.add_argument("--link", metavar="BROKER|INVITATION", nargs="?", const="", help=help_text)
    help_text = (
        "start with a lesson: a name that `pond lessons` lists, or your own .toml; without a name, the next lesson"
    )
    parser.add_argument("--lesson", metavar="NAME", nargs="?", const="", help=help_text)
    arguments.add_piece_options(parser)
    arguments.add_black_box_option(parser)
    arguments.add_saving_options(parser, "your state folder")
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> None:
    if options.connect is not None:
        _join_game(options)
    elif any(getattr(options, name) is not None for name in SERVING_OPTIONS):
        _play_on_served_board(options)
    else:
        _play_own_game(options)


def _play_own_game(options: Namespace) -> None:
    from pond_hw import tui
    from pond_hw.engine import SeatedPlayers

    lamps, folder = arguments.read_lamp_count(options), arguments.choose_journal(options)
    lesson = choose_lesson(options.lesson, folder)
    variant = _choose_variant(options.variant, lesson)
    players = arguments.choose_players(options, *DEFAULT_PLAYERS)
    pieces = arguments.choose_pieces(options, variant)
    with arguments.open_black_box(options) as box:
        seated = SeatedPlayers(players, arguments.choose_names(options, players))
        make_player, language = arguments.choose_player_maker(options), arguments.read_language(options)
        table = tui.TableOptions(lamps, pieces=pieces, box=box, folder=folder, make_player=make_player)
        tui.play_simulated(variant, seated, table, language, lesson=lesson)


def _choose_variant(variant: Variant | None, lesson: str | Exercise | None) -> Variant:
    """Return the chosen variant. By default it is the standard one, or a larger one that a lesson from a file needs."""
    from pond_hw.session import Session

    if lesson is None or isinstance(lesson, str):
        return variant or STANDARD
    if variant:
        Session.start_game(lesson.variant, variant.size)  # Raises an error if the lesson does not fit.
        return variant
    return lesson.variant if lesson.variant.size > STANDARD.size else STANDARD


def choose_lesson(name: str | None, folder: Path | None) -> str | Exercise | None:
    """Return the lesson to start with: its name, an empty string for the next lesson, an exercise from a file, or None."""
    from pond_hw.exercises import load_lesson, load_lessons

    if name is None or not name:
        return name
    if name.endswith(".toml"):
        return load_lesson(Path(name))
    lessons = load_lessons(folder).course
    if lessons.find_exercise(name) is None:
        known = tuple(lesson.name for lesson in lessons.exercises)
        raise PondError(Message("exercise.unknown_lesson", name=name, names=known))
    return name


def _join_game(options: Namespace) -> None:
    if refused_options := [
        name for name in (*SERVING_OPTIONS, *OWN_GAME_OPTIONS) if getattr(options, name) not in (None, False, [])
    ]:
        raise PondError(Message("argument.own_game_only", option=f"--{refused_options[0]}"))
    arguments.require_unix("--connect")
    from pond_hw import tui
    from pond_hw.drivers.run_files import list_sockets

    sockets = [Path(options.connect)] if options.connect else list_sockets()
    tui.play_connected(sockets, arguments.read_language(options))


def _play_on_served_board(options: Namespace) -> None:
    """Start `pond serve` and, with `--web` or `--link`, `pond web` and `pond link` as child processes, and play on that board.

    Without `--board`, the board is simulated.
    """
    option_name = next(f"--{name}" for name in ("board", "link", "web") if getattr(options, name) is not None)
    if refused_options := [name for name in SCREEN_BOARD_OPTIONS if getattr(options, name) not in (None, False, [])]:
        message_name = "screen_board_only" if options.board is None else "no_real_board"
        raise PondError(Message(f"argument.{message_name}", option=f"--{refused_options[0]}"))
    arguments.require_unix(option_name)
    link_arguments = _link_arguments(options)
    if options.board is not None:
        from pond_hw.drivers.pi_machine import Machine, find_machine_fault

        profile = load_profile(options.board)  # Reports an invalid profile here, with the full message.
        if fault := find_machine_fault(profile, Machine()):
            raise fault  # The service would wait for a board on USB instead of failing.
    from pond_hw import tui
    from pond_hw.commands.child_programs import open_child_programs
    from pond_hw.server.socket_server import socket_exists
    from pond_hw.tui.terminal import require_terminal

    require_terminal()
    with open_child_programs() as programs:
        socket_path = programs.folder / "pond.sock"
        board = programs.start("serve", f"--socket={socket_path}", *_board_arguments(options))
        board.wait_until(lambda: socket_exists(socket_path))
        language, page, link = arguments.read_language(options), None, None
        if link_arguments:
            link = programs.start("link", *link_arguments, f"--socket={socket_path}", f"--language={language}")
            link.wait_until(link.read_output)
            _show_link(link.read_output(), language)
        if options.web is not None:
            page = _start_page(programs, options.web, socket_path)
            _show_page(page.read_output(), options.web, language)
        if not page and not link:
            tui.play_connected([socket_path], language)
            return
        print_lines(Message("play.begin"), language=language)
        sys.stdout.flush()
        if _read_line():
            tui.play_connected([socket_path], language)


def _link_arguments(options: Namespace) -> list[str]:
    """Return the arguments of `pond link`; none without `--link`. Set the variant of the simulated board.

    Raises:
        PondError: an option does not fit, or no game is stored.
    """
    if options.link is None:
        return []
    if refused := [name for name in LINKED_GAME_OPTIONS if getattr(options, name) is not None]:
        raise PondError(Message("argument.two_people_only", option=f"--{refused[0]}"))
    options.light = options.dark = "human"
    if options.link.startswith(("pond-join:", "pond-watch:")):
        return ["join" if options.link.startswith("pond-join:") else "watch", options.link]
    if options.link:
        return ["invite", options.link, f"--variant={options.variant or STANDARD}"]
    from pond_hw.commands.link import load_stored_variant

    options.variant = load_stored_variant() or options.variant
    return ["run"]


def _show_link(lines: list[str], language: str) -> None:
    """Print the output of `pond link`, with the invitation as a QR code."""
    from pond_hw.web.page_address import print_qr_code

    print_lines(*lines, language=language)
    if invitations := [line for line in lines if line.startswith("pond-join:")]:
        print_qr_code(invitations[0])


def _read_line() -> str:
    """Read a line from the terminal. A Ctrl-C just before the read would be lost without the time limit of `select`."""
    import select

    while not select.select([sys.stdin], [], [], POLL_SECONDS)[0]:
        pass
    return sys.stdin.readline()


def _start_page(programs: ChildPrograms, address: str, socket_path: Path) -> ChildProgram:
    """Serve the page on the default port, or on the next free one."""
    from pond_hw.web.page_address import find_free_port

    port = find_free_port(address, DEFAULT_PORT)
    while True:
        address_options = (f"--address={address}", f"--port={port}", f"--socket={socket_path}")
        page = programs.start("web", "--spectators", *address_options)
        try:
            page.wait_until(page.read_output)
        except PondError:
            taken_port, port = port, find_free_port(address, port)
            if port == taken_port:
                raise
        else:
            return page


def _board_arguments(options: Namespace) -> list[str]:
    """Return arguments that make `pond serve` play the same game."""
    variant = options.variant or STANDARD
    given = {"board": BOARDS[variant.size], "variant": str(variant)}
    if options.board is not None:
        given = {"board": options.board} | ({"variant": str(variant)} if options.variant else {})
    given |= {
        side: getattr(options, side) or default
        for side, default in zip(("light", "dark"), DEFAULT_PLAYERS, strict=True)
    }
    if options.names:
        given["names"] = ",".join(name or "" for name in options.names)
    given |= {name: str(getattr(options, name)) for name in SERVED_OPTIONS if getattr(options, name) is not None}
    flags = [f"--{name}" for name in ("ponder", "unsaved") if getattr(options, name)]
    return [f"--{name}={value}" for name, value in given.items()] + flags


def _show_page(addresses: list[str], listen_address: str, language: str) -> None:
    """Print the address of the page. The screen is drawn later."""
    from pond_hw.web.page_address import can_phones_open, print_qr_code

    print_lines(Message("play.page"), *addresses, language=language)
    if can_phones_open(listen_address):
        print_qr_code(addresses[0])
    else:
        print_lines(Message("play.page_here_only"), language=language)
