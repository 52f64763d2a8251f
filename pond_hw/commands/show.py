"""`pond show`: a position as a drawing."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.command import CommandEntry
from pond_hw.commands.variant_options import add_position_arguments, read_position

COMMAND = CommandEntry("show", "Draw a position.", "'.tt./..FE/ft.T/T..T l 1 1 7 8'")
add_arguments = add_position_arguments


def run_command(options: Namespace) -> None:
    """Draw it."""
    print(read_position(options))
