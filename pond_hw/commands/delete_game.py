"""`pond delete-game`: delete games for good."""

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
from pond_hw.messages.message import Message
from pond_hw.rules import PondError


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_game_argument(parser, "+")
    add_flag(parser, "--yes", "don't ask")


def run_command(options: Namespace) -> int:
    """Delete games, once somebody at the terminal has agreed.

    Returns:
        2 if something of a game is still there, else 0.
    """
    kept_games = open_journal(options)
    selected_games, stored_games = kept_games.find(options.games), [game.stored for game in kept_games.games]
    for game in selected_games:
        if editing.may_be_played(kept_games.folder, stored_games, game.stored.uid):
            raise PondError(Message("delete.may_be_played", number=game.number))
    if not options.yes and not _confirm(selected_games):
        print_lines(Message("delete.nothing"))
        return 0
    return _delete(kept_games, selected_games)


def _confirm(selected_games: Sequence[NumberedGame]) -> bool:
    """Show the games, and ask.

    Raises:
        PondError: nobody can be asked.
    """
    if not sys.stdin.isatty():
        raise PondError(Message("delete.cannot_ask"))
    shown_games = sorted((game for game in selected_games if not game.is_empty), key=lambda game: game.number)
    print_lines(*format_table(shown_games, shutil.get_terminal_size().columns))
    try:
        return input(f"{Message('delete.ask', count=len(selected_games))} [y/N] ").strip().casefold() in ("y", "yes")
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
        print_lines(Message("delete.done", number=game_number))
    if deleted_numbers and min(deleted_numbers) + len(deleted_numbers) <= len(kept_games.games):
        print_lines(Message("delete.renumbered"))
    for file_name, reason in journal_removal.remaining_in:
        print_complaint(Message("delete.remains", file=file_name, reason=reason))
    return 2 if remaining_uids or journal_removal.remaining_in else 0
