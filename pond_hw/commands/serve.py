"""`pond serve`: run a board until the process is stopped."""

from __future__ import annotations

import logging
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands import arguments
from pond_hw.rules import parse_variant

DEFAULT_PLAYERS = ("human", "human")
"""Default players of light and dark."""

FIRST_VARIANTS = {3: "3x3/9/5", 4: "standard", 5: "big"}
"""Default variant by number of rows on the board."""


def add_arguments(parser: ArgumentParser) -> None:
    arguments.add_board_option(parser)
    arguments.add_variant_option(parser, "the first pond to play", "standard; five rows: big")
    arguments.add_player_options(parser, *DEFAULT_PLAYERS)
    help_text = "the socket for other programs (in the runtime folder)"
    parser.add_argument("--socket", metavar="PATH", action=arguments.FileOption, help=help_text)
    arguments.add_black_box_option(parser)
    arguments.add_saving_options(parser, "the service's state folder, or your own")
    arguments.add_flag(parser, "--verbose", "log more to standard error")


def run_command(options: Namespace) -> None:
    arguments.require_unix(f"pond {options.command}")
    from pond_hw.profile import load_profile
    from pond_hw.server import board_run

    logging.basicConfig(format="%(message)s", level=logging.DEBUG if options.verbose else logging.INFO)
    logging.raiseExceptions = False  # A failing log must not stop a game.
    profile = load_profile(options.board)
    pond = options.variant or parse_variant(FIRST_VARIANTS[profile.size])
    path = None if options.socket is None else Path(options.socket)
    players = arguments.choose_players(options, *DEFAULT_PLAYERS)
    with arguments.open_black_box(options, profile.name, logging.getLogger("pond").warning) as box:
        people_names = arguments.choose_names(options, players)
        folder = arguments.choose_journal(options)
        make_player = arguments.choose_player_maker(options)
        board_run.BoardRun(profile, pond, players, path, box, folder, people_names, options.board, make_player).run()
