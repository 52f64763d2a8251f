"""`pond delete-game`: games that are deleted for good."""

from __future__ import annotations

import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from pond_hw.commands.arguments import add_flag
from pond_hw.commands.command_output import print_complaint, print_lines
from pond_hw.commands.games import format_table
from pond_hw.commands.kept_games import KeptGames, add_game_argument, open_journal
from pond_hw.journal import editing
from pond_hw.journal.folder import read_all_games
from pond_hw.journal.game_list import NumberedGame
from pond_hw.rules import PondError


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_game_argument(parser, "+")
    add_flag(parser, "--yes", "do not ask")


def run_command(options: Namespace) -> int:
    """Delete games, once somebody at the terminal has agreed.

    Returns:
        2 if something of a game is still there, else 0.
    """
    kept_games = open_journal(options)
    selected_games, stored_games = kept_games.find(options.games), [game.stored for game in kept_games.games]
    for game in selected_games:
        if editing.may_be_played(kept_games.folder, stored_games, game.stored.uid):
            reason_text = "the program that writes there may be playing it. Stop that first."
            raise PondError(f"Game {game.number} stays: {reason_text}")
    if not options.yes and not _confirm(selected_games):
        print_lines("Nothing was deleted.")
        return 0
    return _delete(kept_games, selected_games)


def _confirm(selected_games: Sequence[NumberedGame]) -> bool:
    """Show the games, and ask.

    Raises:
        PondError: nobody can be asked.
    """
    if not sys.stdin.isatty():
        raise PondError("Nobody can be asked here whether that is meant: say --yes.")
    shown_games = sorted((game for game in selected_games if not game.is_empty), key=lambda game: game.number)
    print_lines(*format_table(shown_games, shutil.get_terminal_size().columns))
    object_text = "it" if len(selected_games) == 1 else f"these {len(selected_games)} games"
    try:
        return input(f"Delete {object_text} for good? [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        print_lines("")
        return False


def _delete(kept_games: KeptGames, selected_games: Sequence[NumberedGame]) -> int:
    """Delete games, and say what came of it."""
    game_uids = {game.stored.uid for game in selected_games}
    with kept_games.changing():
        journal_removal = editing.delete_from_journal(kept_games.folder, game_uids)
    remaining_uids = {stored_game.uid for stored_game in read_all_games(kept_games.folder)[0]} & game_uids
    deleted_numbers = [game.number for game in selected_games if game.stored.uid not in remaining_uids]
    for game_number in deleted_numbers:
        print_lines(f"Game {game_number} is deleted.")
    if deleted_numbers and min(deleted_numbers) + len(deleted_numbers) <= len(kept_games.games):
        print_lines("The games behind have other numbers now: `pond games` tells them.")
    for file_name, fault_text in journal_removal.remaining_in:
        advice_text = "what stood there still does. Delete that file to be rid of it."
        print_complaint(f"{file_name} cannot be written ({fault_text}); {advice_text}")
    return 2 if remaining_uids or journal_removal.remaining_in else 0
