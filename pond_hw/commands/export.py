"""`pond export`: write game records to standard output, a file or a folder."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

from pond_hw.commands.arguments import add_flag
from pond_hw.commands.command_output import print_lines, write_new_file
from pond_hw.commands.saved_games import SavedGames, add_game_argument, make_record, open_journal, warn_of_damage
from pond_hw.journal.game_list import NumberedGame
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError


def add_arguments(parser: ArgumentParser) -> None:
    add_game_argument(parser, "*")
    help_text = "a new file, or a folder for several games (standard output)"
    parser.add_argument("-o", metavar="FILE|FOLDER", dest="to", help=help_text)
    add_flag(parser, "--all", "export every game")


def run_command(options: Namespace) -> None:
    saved_games = open_journal(options)
    selected_games = _select_games(saved_games, options)
    if options.to == "":
        raise PondError(Message("export.needs_place"))
    records = {game.number: str(make_record(game)) for game in selected_games}
    _write_records(records, options.to, has_multiple_games=options.all or len(records) > 1)
    for game in saved_games.games if options.all else selected_games:
        warn_of_damage(game)


def _select_games(saved_games: SavedGames, options: Namespace) -> list[NumberedGame]:
    if options.all and options.games:
        raise PondError(Message("export.all_or_some"))
    if options.all:
        return [game for game in saved_games.started if game.is_readable]
    if options.games:
        return saved_games.find(options.games)
    raise PondError(Message("export.which"))


def _write_records(records: Mapping[int, str], to: str | None, *, has_multiple_games: bool) -> None:
    """Write records to standard output, a file or a folder. `records` maps game numbers to records."""
    if to is None or to == "-":
        if has_multiple_games:
            raise PondError(Message("export.needs_folder"))
        sys.stdout.flush()
        sys.stdout.buffer.write("".join(records.values()).encode())
    elif has_multiple_games or to.endswith("/") or Path(to).is_dir():
        _write_files({Path(to) / f"game-{game_number}.pond": text for game_number, text in records.items()}, Path(to))
    else:
        _write_files({Path(to): text for text in records.values()})


def _write_files(file_texts: Mapping[Path, str], target_folder: Path | None = None) -> None:
    """Write new files, but skip any that already exist with the same text. Write none if one exists with other text."""
    try:
        if target_folder:
            target_folder.mkdir(exist_ok=True)
        unchanged_paths = _find_unchanged(file_texts)
        written_paths = [path for path in file_texts if path not in unchanged_paths]
        for path in written_paths:
            write_new_file(path, file_texts[path])
    except PondError:
        raise
    except FileExistsError as error:
        raise PondError(Message("file.exists", file=str(error.filename))) from None
    except (OSError, ValueError) as error:
        place_name = getattr(error, "filename", None) or target_folder or next(iter(file_texts))
        raise PondError(
            Message("file.cannot_write", file=str(place_name), reason=describe_system_error(error))
        ) from None
    print_lines(_describe_result(written_paths, unchanged_paths, target_folder))


def _find_unchanged(file_texts: Mapping[Path, str]) -> list[Path]:
    """Return the files that already exist with the same text. Raise PondError if one has different text."""
    existing_paths = [path for path in file_texts if path.exists()]
    if other_names := [str(path) for path in existing_paths if path.read_bytes() != file_texts[path].encode()]:
        raise PondError(Message("export.files_exist", file=other_names[0], count=len(other_names)))
    return existing_paths


def _describe_result(written: Sequence[Path], unchanged_paths: Sequence[Path], folder: Path | None) -> Message:
    if folder and written:
        kind = "rest_written" if unchanged_paths else "written"
        return Message(f"export.{kind}", count=len(written), folder=str(folder))
    if folder:
        return Message("export.all_there", count=len(unchanged_paths), folder=str(folder))
    return Message("file.written" if written else "export.same_game", file=str([*written, *unchanged_paths][0]))
