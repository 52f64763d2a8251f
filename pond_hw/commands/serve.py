"""`pond serve`: a board that is served until somebody ends it."""

from __future__ import annotations

import logging
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands import black_box_option, journal_options, player_options
from pond_hw.commands.board_options import add_board_option
from pond_hw.commands.command import CommandEntry
from pond_hw.commands.options import add_flag
from pond_hw.commands.platform_check import require_unix
from pond_hw.commands.variant_options import add_variant_option
from pond_hw.rules import parse_variant

COMMAND = CommandEntry(
    "serve",
    "Serve a board until told to end: a real one, or one that is simulated.",
    "--board simulated-4x4",
    prints=False,
)

USUAL_PLAYERS = ("human", "human")
"""Who plays light and dark, if nobody is named."""

FIRST_VARIANTS = {3: "3x3/9/5", 4: "standard", 5: "big"}
"""What is played first on a board of so many rows, if nothing is named."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_board_option(parser)
    add_variant_option(parser, "the first pond to play (standard; five rows: big)")
    player_options.add_player_options(parser, *USUAL_PLAYERS)
    parser.add_argument("--socket", metavar="PATH", help="where others may join in (in the runtime folder)")
    black_box_option.add_black_box_option(parser)
    journal_options.add_saving_options(parser, "the service's state folder, or your own")
    add_flag(parser, "--verbose", "tell more on standard error")


def run_command(options: Namespace) -> None:
    """Serve a board."""
    require_unix("")
    from pond_hw.profile import load_profile
    from pond_hw.server import serve

    logging.basicConfig(format="%(message)s", level=logging.DEBUG if options.verbose else logging.INFO)
    logging.raiseExceptions = False  # a log that cannot be written stops no game
    profile = load_profile(options.board)
    pond = options.variant or parse_variant(FIRST_VARIANTS[profile.size])
    path = None if options.socket is None else Path(options.socket)
    players = player_options.choose_players(options, *USUAL_PLAYERS)
    with black_box_option.open_black_box(options, "serve", profile.name, logging.getLogger("pond").warning) as box:
        people_names = player_options.choose_names(options, players)
        folder = journal_options.choose_journal(options, usual=True)
        thinks = player_options.choose_thinking(options)
        serve.BoardRun(profile, pond, players, path, box, folder, people_names, options.board, thinks).run()
