"""`pond headless`: a simulated board that is driven by JSON lines."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands import black_box_option, board_options
from pond_hw.commands.command import CommandEntry
from pond_hw.commands.journal_options import add_journal_option, choose_journal
from pond_hw.commands.options import add_flag, add_number
from pond_hw.commands.player_options import add_seat_options
from pond_hw.commands.variant_options import add_variant_option
from pond_hw.rules import STANDARD

COMMAND = CommandEntry(
    "headless", "Drive a simulated board by JSON lines (docs/protocol.md).", "--pieces --dark greedy"
)

USUAL_LAMPS = 1
"""Lamps in a cell, if no number is named."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_variant_option(parser, "the pond to play first (standard); the board just fits it")
    board_options.add_lamps_option(parser, str(USUAL_LAMPS))
    add_flag(parser, "--frames", "show the lamps after every state")
    add_seat_options(parser, "human", "human")
    add_number(parser, "--seed", "the chances of faults and programs (0)")
    board_options.add_piece_options(parser)
    black_box_option.add_black_box_option(parser)
    add_journal_option(parser, "nowhere")


def run_command(options: Namespace) -> None:
    """Answer lines."""
    from pond_hw.engine import HUMAN, make_simulated_player
    from pond_hw.server import headless

    pond, lamp_count = options.variant or STANDARD, board_options.read_lamp_count(options) or USUAL_LAMPS
    pieces, folder = board_options.choose_pieces(options, pond), choose_journal(options, usual=False)
    seed = options.seed or 0
    players = (
        make_simulated_player(options.light or HUMAN, seed),
        make_simulated_player(options.dark or HUMAN, seed + 1),
    )
    with black_box_option.open_black_box(options, "headless") as box:
        game = headless.HeadlessGame(
            pond, lamp_count, frames=options.frames, pieces=pieces, box=box, folder=folder, players=players
        )
        headless.run(game)
