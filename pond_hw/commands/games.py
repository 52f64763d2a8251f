"""`pond games`: the games that were played, the newest last."""

from __future__ import annotations

import json
import os
import shutil
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands.arguments import (
    JSON_HELP,
    add_flag,
    add_journal_option,
    add_number,
    add_variant_option,
    count_parser,
)
from pond_hw.commands.command_output import print_complaint, print_lines
from pond_hw.commands.kept_games import open_journal
from pond_hw.messages.plurals import count_noun


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_journal_option(parser)
    add_variant_option(parser, "only games on this pond")
    parser.add_argument("--player", metavar="NAME", help="only games of this player")
    add_flag(parser, "--unfinished", "only games that are not over")
    add_number(parser, "--last", "only so many, the newest ones", count_parser("games"))
    add_flag(parser, "--json", JSON_HELP)


def run_command(options: Namespace) -> int:
    """List games.

    Returns:
        2 if nothing could be read, else 0.
    """
    kept_games = open_journal(options)
    from pond_hw.commands.game_table import format_game, format_table
    from pond_hw.journal.game_list import select_games

    begun_games, folder_path = kept_games.begun, kept_games.folder
    selected = select_games(begun_games, options.variant, options.player, options.last, unfinished=options.unfinished)
    if options.json:
        print(json.dumps(kept_games.json_heading() | {"games": list(map(format_game, selected))}, indent=1))
    elif selected:
        print_lines(*format_table(selected, shutil.get_terminal_size().columns))
    elif begun_games:
        print_lines(f"None of the {count_noun(len(begun_games), 'game')} in {folder_path} is such a one.")
    elif not kept_games.unreadable:
        print_lines(f"There is no game in {folder_path}.")
    if options.journal is None and not options.json:
        _mention_service(folder_path)
    return kept_games.exit_code


def _mention_service(folder_path: Path) -> None:
    """Say that the installed service keeps games of its own, if it does."""
    from pond_hw.journal import location
    from pond_hw.journal.folder import list_files

    service_folder = location.SERVICE_FOLDER
    if not service_folder.is_dir() or (folder_path.exists() and folder_path.samefile(service_folder)):
        return
    try:
        journal_files = list_files(service_folder)
        if not journal_files:
            return
        may_read = all(os.access(path, os.R_OK) for path in journal_files)
    except OSError:
        may_read = False
    command = f"{'' if may_read else 'sudo -u pond '}pond games --journal {service_folder}"
    print_complaint(f"The service on this machine keeps its own games: {command}")
