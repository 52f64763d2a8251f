"""`pond tournament`: many games between programs, and what they come to as a table."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from pond_hw.commands.command import CommandEntry
from pond_hw.commands.number_types import seconds_parser
from pond_hw.commands.options import OUT_HELP, RESULT_HELP, WORKERS_HELP, add_flag, add_list, add_number
from pond_hw.commands.variant_options import variant_option

COMMAND = CommandEntry("tournament", "Have programs play against each other, many games.", "level-1 greedy --games 200")


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    _add_plan_arguments(parser)
    add_number(parser, "--workers", WORKERS_HELP)
    parser.add_argument("--cluster", metavar="ADDRESS", help="play on a Dask cluster: where its scheduler is")
    parser.add_argument("--out", metavar="FILE", help=OUT_HELP)
    parser.add_argument("--resume", metavar="FILE", help="go on with the tournament in FILE")
    parser.add_argument("--show", metavar="FILE", help="tell what the games in FILE come to so far, and play none")
    help_text = "write a game record of every game into this folder; with --out, and up to 10000 games"
    parser.add_argument("--records", metavar="FOLDER", help=help_text)
    add_flag(parser, "--json", RESULT_HELP)


def _add_plan_arguments(parser: ArgumentParser) -> None:
    help_text = (
        "who plays, two or more: random, greedy, level-1 to level-8, or such as search@d6, search@n10000, mcts@0.2s; "
        "'program:python3 mybot.py' is a program of your own (docs/bots.md)"
    )
    parser.add_argument("players", metavar="PLAYER", nargs="*", help=help_text)
    add_list(parser, "--variant", "V", "a pond to play on (standard); may be given several times", type=variant_option)
    add_number(parser, "--games", "games of each two players on each pond (100)")
    help_text = "stop a match as soon as a sequential test knows who is better; --games is then the most (100000)"
    add_flag(parser, "--until-decided", help_text)
    help_text = "with --until-decided: the Elo of the first is X ... (-10)"
    add_number(parser, "--elo0", help_text, parse_elo, metavar="X")
    add_number(parser, "--elo1", "... or X, which of both is asked (10)", parse_elo, metavar="X")
    add_number(parser, "--seed", "where all chances come from (0)")
    add_number(parser, "--opening", "actions by chance at the beginning (4)", metavar="K")
    add_number(parser, "--memory", "memory of each player that looks ahead (32)", metavar="MB")
    help_text = "seconds that a program of your own has for an action (10)"
    add_number(parser, "--move-time", help_text, seconds_parser(), metavar="S")


def parse_elo(number_text: str) -> float:
    """Read a difference in Elo, for argparse's `type`."""
    if not re.fullmatch(r"-?[0-9]{1,4}(\.[0-9]{1,2})?", number_text, re.ASCII):
        raise ArgumentTypeError(f"{number_text[:20]!r} is not a difference in Elo, such as 10 or -7.5.")
    return float(number_text)


def run_command(options: Namespace) -> int:
    """Play a tournament, go on with one, or show one."""
    from pond_hw.commands.tournament_run import play_tournament

    return play_tournament(options)
