"""`pond solve`: what a pond of three rows comes to if both sides do their best."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands.command import CommandEntry
from pond_hw.commands.number_types import count_parser
from pond_hw.commands.options import add_list, add_number
from pond_hw.commands.variant_options import variant_option

COMMAND = CommandEntry("solve", "Solve a pond of three rows: who wins, if both sides do their best.", "3x3/6/3")

USUAL_MEGABYTES = 1000
"""What the tables may take, if no number is named."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("variant", metavar="VARIANT", type=variant_option, help="the pond, such as 3x3/6/3")
    help_text = "tell about this position of it too, and each action there; several times"
    add_list(parser, "--position", "POSITION", help_text)
    help_text = f"megabytes that its tables may take ({USUAL_MEGABYTES})"
    add_number(parser, "--memory", help_text, count_parser("megabytes"), metavar="MB", default=USUAL_MEGABYTES)


def run_command(options: Namespace) -> None:
    """Solve a variant."""
    from pond_hw.commands.variant_solution import print_solution

    print_solution(options.variant, options.memory, options.position)
