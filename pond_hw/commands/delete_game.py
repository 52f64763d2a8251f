"""`pond delete-game`: delete games permanently."""

from __future__ import annotations

import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

from pond_hw.commands.arguments import add_flag
from pond_hw.commands.command_output import print_lines, print_note
from pond_hw.commands.command_parser import load_command
from pond_hw.commands.games import format_table
from pond_hw.commands.saved_games import SavedGames, add_game_argument, open_journal
from pond_hw.journal import editing
from pond_hw.journal.folder import is_locked, read_all_games
from pond_hw.journal.game_list import NumberedGame
from pond_hw.journal.other_games import OtherGame, project_game
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.rules import PondError


def add_arguments(parser: ArgumentParser) -> None:
    add_game_argument(parser, "+")
    add_flag(parser, "--cards", "delete card games, by the numbers that `pond cards games` lists")
    add_flag(parser, "--yes", "don't ask for confirmation")


def run_command(options: Namespace) -> int:
    """Delete games after a confirmation. Return 2 if part of a game could not be deleted, else 0."""
    saved_games = open_journal(options, card_games=options.cards)
    selected_games, stored_games = saved_games.find(options.games), [game.stored for game in saved_games.games]
    card_command: Any = load_command("cards") if options.cards else None
    card_games = card_command.read_games(_project_card_games(selected_games)) if card_command else ()
    unfinished_cards = {card_game.uid for card_game in card_games if not card_game.is_over}
    for game in selected_games:
        is_in_progress = game.stored.uid in unfinished_cards and is_locked(saved_games.folder)
        if is_in_progress or editing.may_be_in_progress(saved_games.folder, stored_games, game.stored.uid):
            raise PondError(Message("delete.may_be_played", number=game.number))
    if card_command:
        lines = card_command.format_table([card_game for card_game in card_games if card_game.entries])
    else:
        lines = _list_games(selected_games)
    if not options.yes and not _confirm(lines, len(selected_games)):
        print_lines(Message("delete.nothing"))
        return 0
    return _delete(saved_games, selected_games)


def _project_card_games(selected_games: Sequence[NumberedGame]) -> list[tuple[int, OtherGame]]:
    return [(game.number, project_game(game.stored)) for game in sorted(selected_games, key=lambda game: game.number)]


def _list_games(selected_games: Sequence[NumberedGame]) -> Sequence[str]:
    """Format a table of the selected games. Omit games that have not started."""
    shown_games = sorted((game for game in selected_games if not game.is_empty), key=lambda game: game.number)
    return format_table(shown_games, shutil.get_terminal_size().columns)


def _confirm(lines: Sequence[str], count: int) -> bool:
    """Show the games and ask for confirmation. Raise PondError if standard input is not a terminal."""
    if not sys.stdin.isatty():
        raise PondError(Message("delete.cannot_ask"))
    print_lines(*lines)
    try:
        return input(f"{to_english(Message('delete.ask', count=count))} [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        print_lines("")
        return False


def _delete(saved_games: SavedGames, selected_games: Sequence[NumberedGame]) -> int:
    """Delete games. Print the result, and the command that lists the remaining games."""
    game_uids = {game.stored.uid for game in selected_games}
    with saved_games.changing():
        failed_files = editing.delete_from_journal(saved_games.folder, game_uids)
    remaining_uids = {stored_game.uid for stored_game in read_all_games(saved_games.folder)[0]} & game_uids
    deleted_numbers = [game.number for game in selected_games if game.stored.uid not in remaining_uids]
    for game_number in deleted_numbers:
        print_lines(Message("delete.done", number=game_number))
    if deleted_numbers and min(deleted_numbers) + len(deleted_numbers) <= len(saved_games.games):
        print_lines(Message("delete.renumbered", command=saved_games.list_command))
    for file_name, reason in failed_files:
        print_note(Message("delete.remains", file=file_name, reason=reason))
    return 2 if remaining_uids or failed_files else 0
