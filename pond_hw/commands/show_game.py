"""`pond show-game`: all that is known of a game."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.command import CommandEntry
from pond_hw.commands.command_output import print_lines
from pond_hw.commands.journal_options import add_game_argument, open_journal
from pond_hw.rules import PondError

COMMAND = CommandEntry("show-game", "Show a game: its record, how it stands, what was taken back.", "last")
add_arguments = add_game_argument


def run_command(options: Namespace) -> None:
    """Show a game."""
    (game,) = open_journal(options).find([options.game])
    from pond_hw.commands.game_text import describe_game

    if not game.is_readable:
        raise PondError(f"Game {game.number}, in {game.stored.file}, cannot be read: {game.stored.fault}.")
    print_lines(*describe_game(game))
