"""`pond tournament`: many games between programs, and what they come to as a table."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from pond_hw.commands.command import CommandEntry, CommandGroup
from pond_hw.commands.number_types import parse_whole_number, seconds_parser
from pond_hw.commands.variant_options import variant_option

COMMAND = CommandEntry(
    "tournament",
    CommandGroup.MANY_GAMES,
    "Have programs play against each other, many games.",
    "level-1 greedy --games 200",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    _add_plan_arguments(parser)
    help_text = "processes that play (one for each core)"
    parser.add_argument("--workers", metavar="N", type=parse_whole_number, help=help_text)
    parser.add_argument("--cluster", metavar="ADDRESS", help="play on a Dask cluster: where its scheduler is")
    parser.add_argument("--out", metavar="FILE", help="keep all games in FILE; if it was begun, go on with it")
    parser.add_argument("--resume", metavar="FILE", help="go on with the tournament in FILE")
    parser.add_argument("--show", metavar="FILE", help="tell what the games in FILE come to so far, and play none")
    help_text = "write a game record of every game into this folder; with --out, and up to 10000 games"
    parser.add_argument("--records", metavar="FOLDER", help=help_text)
    parser.add_argument("--json", action="store_true", help="what it comes to as one JSON object")


def _add_plan_arguments(parser: ArgumentParser) -> None:
    help_text = (
        "who plays, two or more: random, greedy, level-1 to level-8, or such as search@d6, search@n10000, mcts@0.2s; "
        "'program:python3 mybot.py' is a program of your own (docs/bots.md)"
    )
    parser.add_argument("players", metavar="PLAYER", nargs="*", help=help_text)
    help_text = "a pond to play on (standard); may be given several times"
    parser.add_argument("--variant", metavar="V", type=variant_option, action="append", default=[], help=help_text)
    help_text = "games of each two players on each pond (100)"
    parser.add_argument("--games", metavar="N", type=parse_whole_number, help=help_text)
    help_text = "stop a match as soon as a sequential test knows who is better; --games is then the most (100000)"
    parser.add_argument("--until-decided", action="store_true", help=help_text)
    help_text = "with --until-decided: the Elo of the first is X ... (-10)"
    parser.add_argument("--elo0", metavar="X", type=parse_elo, help=help_text)
    parser.add_argument("--elo1", metavar="X", type=parse_elo, help="... or X, which of both is asked (10)")
    parser.add_argument("--seed", metavar="N", type=parse_whole_number, help="where all chances come from (0)")
    help_text = "actions by chance at the beginning (4)"
    parser.add_argument("--opening", metavar="K", type=parse_whole_number, help=help_text)
    help_text = "memory of each player that looks ahead (32)"
    parser.add_argument("--memory", metavar="MB", type=parse_whole_number, help=help_text)
    help_text = "seconds that a program of your own has for an action (10)"
    parser.add_argument("--move-time", metavar="S", type=seconds_parser(), help=help_text)


def parse_elo(text: str) -> float:
    """Read a difference in Elo, for argparse's `type`."""
    if not re.fullmatch(r"-?[0-9]{1,4}(\.[0-9]{1,2})?", text, re.ASCII):
        raise ArgumentTypeError(f"{text[:20]!r} is not a difference in Elo, such as 10 or -7.5.")
    return float(text)


def run_command(options: Namespace) -> int:
    """Play a tournament, go on with one, or show one."""
    from pond_hw.commands.tournament_run import play_tournament

    return play_tournament(options)
