"""`pond apply`: play one action in a position and print the turn."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from pond_hw.commands.arguments import add_position_arguments, read_position
from pond_hw.rules import Action, play
from pond_hw.server.protocol import outcome_to_json, turn_to_json


def add_arguments(parser: ArgumentParser) -> None:
    add_position_arguments(parser)
    parser.add_argument("action", metavar="ACTION", help="@b2 places an egg, b2b3 moves a piece")


def run_command(options: Namespace) -> None:
    turn = play(read_position(options), Action.from_notation(options.action))
    outcome = outcome_to_json(turn.outcome)
    print(json.dumps({"position": turn.after.notation_line, **turn_to_json(turn), "outcome": outcome}))
