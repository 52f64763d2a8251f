"""`pond legal`: the legal actions of a position."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.command import Command, CommandGroup
from pond_hw.commands.variant_options import add_position_arguments, read_position
from pond_hw.rules import legal_actions


def run(options: Namespace) -> None:
    """Print them."""
    for action in legal_actions(read_position(options)):
        print(action)


COMMAND = Command(
    name="legal",
    group=CommandGroup.PROGRAMS,
    summary="Print the legal actions, a line each.",
    example="pond legal '.tt./..FE/ft.T/T..T l 1 1 7 8'",
    add_arguments=add_position_arguments,
    run=run,
)
