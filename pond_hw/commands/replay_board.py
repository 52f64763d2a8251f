"""`pond replay-board`: what `--record` has kept of a board, in a terminal or as lines."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands.command import CommandEntry, CommandGroup
from pond_hw.commands.number_types import decimal_parser

COMMAND = CommandEntry(
    "replay-board", CommandGroup.BOARDS, "Show again what `--record` has kept of a board.", "evening.box --speed 4"
)

HIGHEST_SPEED = 1000
"""How many times as fast as it was a board may be shown again, at the most."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("box", metavar="FILE", help="what was recorded")
    help_text = "how many times as fast as it was (1)"
    parser.add_argument("--speed", metavar="X", type=decimal_parser(0.01, HIGHEST_SPEED), default=1.0, help=help_text)
    parser.add_argument("--text", action="store_true", help="print it all, a line for each thing that happened")


def run_command(options: Namespace) -> None:
    """Show a black box again."""
    from pond_hw.blackbox import read_box

    box = read_box(Path(options.box))
    if options.text:
        from pond_hw.blackbox.text import format_notes

        for line in format_notes(box.notes):
            print(line)
    else:
        from pond_hw.tui.blackbox_app import play_recording

        play_recording(box, options.speed)
    if box.damage:
        print(f"pond: {box.damage}", file=sys.stderr)
