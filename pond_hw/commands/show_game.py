"""`pond show-game`: all that is known of a game."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.command import Command, CommandGroup
from pond_hw.commands.journal_options import add_game_argument, find_journal
from pond_hw.rules import PondError


def run(options: Namespace) -> None:
    """Show a game."""
    folder = find_journal(options)
    from pond_hw.commands.command_output import print_lines
    from pond_hw.commands.game_text import describe_game
    from pond_hw.commands.kept_games import find_game, read_games
    from pond_hw.journal.game_list import find_row

    games, _ = read_games(folder)
    row = find_row(games, find_game(games, options.game, folder))
    if not row.is_readable:
        raise PondError(f"Game {row.number}, in {row.kept.file}, cannot be read: {row.kept.fault}.")
    print_lines(*describe_game(row))


COMMAND = Command(
    name="show-game",
    group=CommandGroup.GAMES,
    summary="Show a game: its record, how it stands, what was taken back.",
    example="pond show-game last",
    add_arguments=add_game_argument,
    run=run,
)
