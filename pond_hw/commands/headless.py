"""`pond headless`: control a simulated board with JSON lines."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands import arguments
from pond_hw.rules import STANDARD

DEFAULT_LAMPS = 1
"""Default number of lamps per cell."""


def add_arguments(parser: ArgumentParser) -> None:
    arguments.add_variant_option(parser, "the first pond to play, which determines the board's size", "standard")
    arguments.add_lamps_option(parser, str(DEFAULT_LAMPS))
    arguments.add_flag(parser, "--frames", "send a frame of the lamps after every state")
    arguments.add_seat_options(parser, "human", "human")
    arguments.add_number(parser, "--seed", "seed for all random choices (0)")
    arguments.add_piece_options(parser)
    arguments.add_black_box_option(parser)
    arguments.add_journal_option(parser, "nowhere")
    arguments.add_language_option(parser, "en")


def run_command(options: Namespace) -> None:
    from pond_hw.engine import HUMAN, make_simulated_player
    from pond_hw.server import headless

    pond, lamp_count = options.variant or STANDARD, arguments.read_lamp_count(options) or DEFAULT_LAMPS
    pieces, folder = arguments.choose_pieces(options, pond), arguments.choose_journal(options, use_default=False)
    seed = options.seed or 0
    light = make_simulated_player(options.light or HUMAN, seed)
    dark = make_simulated_player(options.dark or HUMAN, seed + 1)
    with arguments.open_black_box(options) as box:
        game = headless.HeadlessGame(
            pond,
            lamp_count,
            frames=options.frames,
            pieces=pieces,
            box=box,
            folder=folder,
            players=(light, dark),
            language=options.language or "en",
        )
        headless.run(game)
