"""`pond show`: draw a position as text."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.arguments import add_position_arguments, read_position

add_arguments = add_position_arguments


def run_command(options: Namespace) -> None:
    print(read_position(options))
