"""`pond study`: is a pond fair? One player against itself, many games, told in words, tables and pictures."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands.command import CommandEntry
from pond_hw.commands.number_types import count_parser
from pond_hw.commands.options import OUT_HELP, RESULT_HELP, WORKERS_HELP, add_flag, add_number
from pond_hw.commands.variant_options import variant_option

COMMAND = CommandEntry("study", "Find out whether ponds are fair; one player meets itself.", "mini standard")


USUAL_OPENING = 2
"""Actions by chance at the beginning: one of each side, so that neither has the better of it."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    help_text = "a pond; several are compared"
    parser.add_argument("variants", metavar="VARIANT", type=variant_option, nargs="+", help=help_text)
    add_number(parser, "--games", "games on each pond (200)", default=200)
    add_number(parser, "--seed", "where all chances come from (0)", default=0)
    add_number(parser, "--nodes", "positions the player looks at each time (20000)", count_parser("positions"))
    help_text = "another player: random, greedy, level-1 to level-8, or such as search@d6, mcts@n1000"
    parser.add_argument("--player", metavar="PLAYER", help=help_text)
    help_text = "actions by chance at the beginning (2): the first egg on each cell in turn, then any"
    add_number(parser, "--opening", help_text, metavar="K", default=USUAL_OPENING)
    help_text = "positions to look at for the values of the first eggs (2000000; plain kernel: 50000)"
    add_number(parser, "--look", help_text)
    add_number(parser, "--workers", WORKERS_HELP)
    parser.add_argument("--out", metavar="FILE", help=OUT_HELP)
    parser.add_argument("--plots", metavar="FOLDER", help="draw pictures (PNG) into this folder")
    add_flag(parser, "--json", RESULT_HELP)


def run_command(options: Namespace) -> int:
    """Study variants, or go on with it."""
    from pond_hw.commands.study_run import run_study

    return run_study(options)
