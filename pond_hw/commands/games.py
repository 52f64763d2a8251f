"""`pond games`: list the saved games, newest last."""

from __future__ import annotations

import json
import os
import shutil
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from pond_hw.commands import arguments
from pond_hw.commands.command_output import print_lines, print_note
from pond_hw.commands.saved_games import open_journal
from pond_hw.engine.player_name import name_players
from pond_hw.journal import folder as journal_folder
from pond_hw.journal.folder import list_files
from pond_hw.journal.game_list import NumberedGame, game_to_json, select_games
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import align_columns
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import EndReason, Outcome

COLUMNS = ("number", "when", "pond", "light", "dark", "turns", "score", "result", "board")
SHRINKABLE = [COLUMNS.index(column) for column in ("pond", "light", "dark", "board")]

MIN_TABLE_WIDTH = 60
"""Minimum width of the table in columns, even if the window is narrower."""


def add_arguments(parser: ArgumentParser) -> None:
    arguments.add_journal_option(parser)
    arguments.add_variant_option(parser, "only games on this pond")
    parser.add_argument("--player", metavar="NAME", help="only games of this player")
    arguments.add_flag(parser, "--unfinished", "only unfinished games")
    arguments.add_number(parser, "--last", "only the newest N games", arguments.count_parser("games"))
    arguments.add_flag(parser, "--json", "print one JSON object")
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> int:
    """List games. Return 2 if errors made every game unreadable, else 0."""
    saved_games, language = open_journal(options), arguments.read_language(options)
    started_games, folder_path = saved_games.started, saved_games.folder
    selected = select_games(started_games, options.variant, options.player, options.last, unfinished=options.unfinished)
    if options.json:
        print(json.dumps(saved_games.json_heading() | {"games": list(map(game_to_json, selected))}, indent=1))
    elif selected:
        print_lines(*format_table(selected, shutil.get_terminal_size().columns, language))
    elif started_games:
        print_lines(Message("games.none_match", count=len(started_games), folder=str(folder_path)), language=language)
    elif not saved_games.unreadable:
        print_lines(saved_games.none_message, language=language)
    if options.journal is None and not options.json:
        _mention_service(folder_path, language)
    return saved_games.exit_code


def _mention_service(folder_path: Path, language: str) -> None:
    """Print a note if the installed service has its own saved games."""
    service_folder = journal_folder.SERVICE_FOLDER
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
    print_note(get_catalogue(language).text(Message("games.service", command=command)))


def format_table(games: Sequence[NumberedGame], width: int = 80, language: str = "en") -> list[str]:
    """Format games as a table with headings, followed by an explanation of the marks."""
    text, width = get_catalogue(language).text, max(width, MIN_TABLE_WIDTH)
    headings = ("", *(Message(f"games.column.{column}") for column in COLUMNS[1:]))
    rows = [headings, *(_format_cells(game, text) for game in games)]
    lines = align_columns(rows, "rllllrrll", width, SHRINKABLE, language=language)
    if any(game.is_doubtful for game in games):
        lines += ["", f"?  {text(Message('games.doubtful_clock'))}"]
    if any(game.stored.fault and game.is_readable for game in games):
        lines += ["", f"!  {text(Message('games.cut_short'))}"]
    return lines


def _format_cells(game: NumberedGame, text: Callable[[Message], str]) -> tuple[str, ...]:
    light_name, dark_name = map(text, name_players(*game.names))
    start_text = game.start_text[:16] + ("?" if game.is_doubtful else "")
    projection, cells = game.stored.projection, [""] * 5
    if game.is_readable:
        score = "{}-{}".format(*projection.position.scored)
        cells = [projection.variant.name, light_name, dark_name, str(len(projection.turns)), score]
    result = text(_describe_result(projection.outcome) if projection.outcome else _describe_state(game))
    mark = "!" if game.stored.fault and game.is_readable else ""
    return (str(game.number), start_text, *cells, result + mark, replace_unprintable(game.board))


def _describe_state(game: NumberedGame) -> Message:
    return Message(f"games.state.{game.state.replace(' ', '_')}")


def _describe_result(outcome: Outcome) -> Message:
    winner, end_reason = outcome
    if winner is None:
        return Message("games.result.agreed_draw" if end_reason is EndReason.AGREEMENT else "games.result.draw")
    return Message(f"games.result.{end_reason.value}", winner=str(winner), loser=str(winner.other_side))
