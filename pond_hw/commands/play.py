"""`pond play`: a game on the lit board in this terminal."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands import arguments
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, PondError

USUAL_PLAYERS = ("human", "level-2")
"""Who plays light and dark, if nobody is named."""

OWN_GAME_OPTIONS = (
    *("variant", "light", "dark", "names", "cells", "seed", "think", "memory", "ponder"),
    *("pieces", "colours", "plain", "fault", "record", "journal", "unsaved"),
)
"""The options of your own game; they mean nothing to those who join another one."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    arguments.add_variant_option(parser, "the pond to play (standard)")
    arguments.add_player_options(parser, *USUAL_PLAYERS)
    arguments.add_lamps_option(parser, "as many as the window has room for; 16 with --record")
    help_text = (
        "play on the board that `pond serve` runs on this machine; PATH: its socket, if it is in an unusual place"
    )
    parser.add_argument("--connect", metavar="PATH", nargs="?", const="", help=help_text)
    arguments.add_piece_options(parser)
    arguments.add_black_box_option(parser)
    arguments.add_saving_options(parser, "your own state folder")
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> None:
    """Play a game, or join in one."""
    if options.connect is None:
        _play_own_game(options)
    else:
        _join_game(options)


def _play_own_game(options: Namespace) -> None:
    from pond_hw import tui

    pond, lamps = options.variant or STANDARD, arguments.read_lamp_count(options)
    players = arguments.choose_players(options, *USUAL_PLAYERS)
    pieces = arguments.choose_pieces(options, pond)
    with arguments.open_black_box(options) as box:
        kept = {"box": box, "folder": arguments.choose_journal(options)}
        names, thinking = arguments.choose_names(options, players), arguments.choose_thinking(options)
        language = arguments.read_language(options)
        tui.play_simulated(pond, players, lamps, language, pieces=pieces, names=names, thinking_limits=thinking, **kept)


def _join_game(options: Namespace) -> None:
    if misplaced := [name for name in OWN_GAME_OPTIONS if getattr(options, name) not in (None, False, [])]:
        raise PondError(Message("argument.own_game_only", option=f"--{misplaced[0]}"))
    arguments.require_unix("--connect")
    from pond_hw import tui
    from pond_hw.drivers.run_files import list_sockets

    sockets = [Path(options.connect)] if options.connect else list_sockets()
    tui.play_connected(sockets, arguments.read_language(options))
