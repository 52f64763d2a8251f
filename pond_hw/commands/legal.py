"""`pond legal`: the legal actions of a position."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.command import CommandEntry
from pond_hw.commands.variant_options import add_position_arguments, read_position
from pond_hw.rules import legal_actions

COMMAND = CommandEntry("legal", "Print the legal actions, a line each.", "'.tt./..FE/ft.T/T..T l 1 1 7 8'")
add_arguments = add_position_arguments


def run_command(options: Namespace) -> None:
    """Print them."""
    for action in legal_actions(read_position(options)):
        print(action)
