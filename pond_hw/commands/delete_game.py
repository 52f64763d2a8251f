"""`pond delete-game`: games that are deleted for good."""

from __future__ import annotations

import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pond_hw.commands.command import Command, CommandGroup
from pond_hw.commands.command_output import print_complaint, print_lines
from pond_hw.commands.journal_options import add_game_argument, find_journal
from pond_hw.rules import PondError

if TYPE_CHECKING:
    from pond_hw.journal.game_list import NumberedGame


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_game_argument(parser, "+")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(options: Namespace) -> int:
    """Delete games, once somebody at the terminal has agreed.

    Returns:
        2 if something of a game is still there, else 0.
    """
    folder = find_journal(options)
    from pond_hw.commands.kept_games import find_games, read_games
    from pond_hw.journal import editing

    games, _ = read_games(folder)
    selected = find_games(games, options.games, folder)
    for number, kept in selected:
        if editing.may_be_played(folder, [game.kept for game in games], kept.uid):
            raise PondError(f"Game {number} stays: the program that writes there may be playing it. Stop that first.")
    if not options.yes and not _confirm(games, selected):
        print_lines("Nothing was deleted.")
        return 0
    return _delete(folder, selected, len(games))


def _confirm(games: Sequence[NumberedGame], selected: Sequence[NumberedGame]) -> bool:
    """Show the games, and ask.

    Raises:
        PondError: nobody can be asked.
    """
    from pond_hw.commands.game_table import format_table
    from pond_hw.journal.game_list import list_rows

    if not sys.stdin.isatty():
        raise PondError("Nobody can be asked here whether that is meant: say --yes.")
    numbers = {game.number for game in selected}
    rows = [row for row in list_rows(games) if row.number in numbers]
    print_lines(*format_table(rows, shutil.get_terminal_size().columns))
    what = "it" if len(selected) == 1 else f"these {len(selected)} games"
    try:
        return input(f"Delete {what} for good? [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        print_lines("")
        return False


def _delete(folder: Path, selected: Sequence[NumberedGame], total: int) -> int:
    """Delete games of so many in all, and say what came of it."""
    from pond_hw.commands.kept_games import changing_journal
    from pond_hw.journal import editing
    from pond_hw.journal.folder import all_kept

    uids = {kept.uid for _, kept in selected}
    with changing_journal(folder):
        removal = editing.delete(folder, uids)
    remaining = {kept.uid for kept in all_kept(folder)[0]} & uids
    deleted = [number for number, kept in selected if kept.uid not in remaining]
    for number in deleted:
        print_lines(f"Game {number} is deleted.")
    if deleted and min(deleted) + len(deleted) <= total:
        print_lines("The games behind have other numbers now: `pond games` tells them.")
    for name, why in removal.stays:
        advice = "what stood there still does. Delete that file to be rid of it."
        print_complaint(f"{name} cannot be written ({why}); {advice}")
    return 2 if remaining or removal.stays else 0


COMMAND = Command(
    name="delete-game",
    group=CommandGroup.GAMES,
    summary="Delete games for good. It asks first.",
    example="pond delete-game 3",
    add_arguments=add_arguments,
    run=run,
)
