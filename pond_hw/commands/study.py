"""`pond study`: is a pond fair? One player against itself, many games, told in words, tables and pictures."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands.command import CommandEntry, CommandGroup
from pond_hw.commands.number_types import count_parser, parse_whole_number
from pond_hw.commands.variant_options import variant_option

COMMAND = CommandEntry(
    "study", CommandGroup.MANY_GAMES, "Find out whether ponds are fair; one player meets itself.", "mini standard"
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    help_text = "a pond; several are compared"
    parser.add_argument("variants", metavar="VARIANT", type=variant_option, nargs="+", help=help_text)
    parser.add_argument("--games", metavar="N", type=parse_whole_number, help="games on each pond (200)")
    help_text = "where all chances come from (0)"
    parser.add_argument("--seed", metavar="N", type=parse_whole_number, default=0, help=help_text)
    help_text = "positions the player looks at each time (20000)"
    parser.add_argument("--nodes", metavar="N", type=count_parser("positions"), help=help_text)
    help_text = "another player: random, greedy, level-1 to level-8, or such as search@d6, mcts@n1000"
    parser.add_argument("--player", metavar="PLAYER", help=help_text)
    help_text = "actions by chance at the beginning (2): the first egg on each cell in turn, then any"
    parser.add_argument("--opening", metavar="K", type=parse_whole_number, help=help_text)
    help_text = "positions to look at for the values of the first eggs (2000000; plain kernel: 50000)"
    parser.add_argument("--look", metavar="N", type=parse_whole_number, help=help_text)
    help_text = "processes that play (one for each core)"
    parser.add_argument("--workers", metavar="N", type=parse_whole_number, help=help_text)
    parser.add_argument("--out", metavar="FILE", help="keep all games in FILE; if it was begun, go on with it")
    parser.add_argument("--plots", metavar="FOLDER", help="draw pictures (PNG) into this folder")
    parser.add_argument("--json", action="store_true", help="what it comes to as one JSON object")


def run_command(options: Namespace) -> int:
    """Study variants, or go on with it."""
    from pond_hw.commands.study_run import run_study

    return run_study(options)
