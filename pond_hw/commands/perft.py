"""`pond perft`: count sequences of legal actions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands.arguments import add_flag, add_position_arguments, range_parser, read_position
from pond_hw.rules import legal_actions, play

MAX_DEPTH = 30
"""Maximum depth. A deeper perft would outlast a lifetime, so a larger number must be a typo."""


def add_arguments(parser: ArgumentParser) -> None:
    add_position_arguments(parser, "a position, or a variant for its start position")
    parse_depth = range_parser(f"DEPTH must be 0 to {MAX_DEPTH}", 0, MAX_DEPTH)
    parser.add_argument("depth", metavar="DEPTH", type=parse_depth, help="number of actions")
    add_flag(parser, "--divide", "print a count for each first action, then the total")


def run_command(options: Namespace) -> None:
    from pond_hw.commands.progress_line import ProgressLine
    from pond_hw.engine.packed import count_sequences

    position = read_position(options)
    if not options.divide or not options.depth:
        with ProgressLine() as progress:
            count = count_sequences(position, options.depth, lambda share: progress.show_state("counting", share))
        print(count)
        return
    total_count = 0
    for action in legal_actions(position):
        count = count_sequences(play(position, action).after, options.depth - 1)
        print(action, count, flush=True)
        total_count += count
    print(total_count)
