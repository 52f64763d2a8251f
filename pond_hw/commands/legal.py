"""`pond legal`: list the legal actions of a position."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.arguments import add_position_arguments, read_position
from pond_hw.rules import legal_actions

add_arguments = add_position_arguments


def run_command(options: Namespace) -> None:
    for action in legal_actions(read_position(options)):
        print(action)
