"""`pond play`: a game on the lit board in this terminal."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands import black_box_option, board_options, journal_options, player_options
from pond_hw.commands.command import CommandEntry
from pond_hw.commands.platform_check import require_unix
from pond_hw.commands.variant_options import add_variant_option
from pond_hw.rules import STANDARD, PondError

COMMAND = CommandEntry("play", "Play on the lit board in this terminal.", "--dark level-4", prints=False)

USUAL_PLAYERS = ("human", "level-2")
"""Who plays light and dark, if nobody is named."""

OWN_GAME_OPTIONS = (
    *("variant", "light", "dark", "names", "cells", "seed", "think", "memory", "ponder"),
    *("pieces", "colours", "plain", "fault", "record", "journal", "unsaved"),
)
"""What a game of one's own takes; who joins another one has no say in it."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_variant_option(parser, "the pond to play (standard)")
    player_options.add_player_options(parser, *USUAL_PLAYERS)
    board_options.add_lamps_option(parser, "as many as the window has room for; 16 with --record")
    help_text = "play on the board that `pond serve` serves on this machine"
    help_text += "; PATH: its socket, if it is in no usual place"
    parser.add_argument("--connect", metavar="PATH", nargs="?", const="", help=help_text)
    board_options.add_piece_options(parser)
    black_box_option.add_black_box_option(parser)
    journal_options.add_saving_options(parser, "your own state folder")


def run_command(options: Namespace) -> None:
    """Play a game, or join in one."""
    if options.connect is None:
        _play_own_game(options)
    else:
        _join_game(options)


def _play_own_game(options: Namespace) -> None:
    from pond_hw import tui

    pond, lamps = options.variant or STANDARD, board_options.read_lamp_count(options)
    players = player_options.choose_players(options, *USUAL_PLAYERS)
    pieces = board_options.choose_pieces(options, pond)
    with black_box_option.open_black_box(options, "play") as box:
        kept = {"box": box, "folder": journal_options.choose_journal(options, usual=True)}
        names, thinking = player_options.choose_names(options, players), player_options.choose_thinking(options)
        tui.play_simulated(pond, players, lamps, pieces=pieces, names=names, thinking_limits=thinking, **kept)


def _join_game(options: Namespace) -> None:
    if misplaced := [name for name in OWN_GAME_OPTIONS if getattr(options, name) not in (None, False, [])]:
        raise PondError(f"--connect joins in where others play already; --{misplaced[0]} goes with a game of your own.")
    require_unix("--connect")
    from pond_hw import tui
    from pond_hw.drivers.run_files import list_sockets

    tui.play_connected([Path(options.connect)] if options.connect else list_sockets())
