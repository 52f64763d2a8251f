"""`pond import`: add game records to the journal."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from pond_hw.commands.arguments import add_journal_option
from pond_hw.commands.command_output import print_lines, print_note
from pond_hw.commands.record_argument import read_record_file
from pond_hw.commands.saved_games import SavedGames, open_journal
from pond_hw.journal import editing
from pond_hw.journal.game_records import build_record, facts_and_entries, record_identity
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Record, RecordError


def add_arguments(parser: ArgumentParser) -> None:
    add_journal_option(parser)
    parser.add_argument("records", metavar="FILE.pond", nargs="+", help="a record; - reads standard input")


def run_command(options: Namespace) -> int:
    """Import records. Skip games that are already in the journal. Return 2 if a record was rejected, else 0."""
    saved_games = open_journal(options)
    known_records: dict[object, int | str] = {
        record_identity(build_record(game.stored)): game.number for game in saved_games.games if game.is_readable
    }
    new_records, any_refused = list[tuple[str, Record]](), False
    for file_name in options.records:
        try:
            record = _read_game(file_name)
        except PondError as error:
            print_note(error.message)
            any_refused = True
            continue
        identity = record_identity(record)
        if known := known_records.get(identity):
            kind = "known_game" if isinstance(known, int) else "known_file"
            print_lines(Message(f"import.{kind}", file=file_name, known=known))
        else:
            new_records.append((file_name, record))
            known_records[identity] = file_name
    if new_records:
        _add_games(saved_games, new_records)
    return 2 if any_refused else 0


def _read_game(file_name: str) -> Record:
    """Read a record and check that its game can be saved. Raise PondError if it can't."""
    record = read_record_file(file_name)
    try:
        facts_and_entries(record)
    except RecordError as error:
        raise PondError(Message("file.bad_record", file=file_name, reason=error.message)) from error
    return record


def _add_games(saved_games: SavedGames, new: Sequence[tuple[str, Record]]) -> None:
    with saved_games.changing():
        game_uids, notices = editing.import_records(saved_games.folder, [record for _, record in new])
    for notice in notices:
        print_note(notice)
    numbers = {game.stored.uid: game.number for game in SavedGames(saved_games.folder).games}
    for (file_name, record), uid in zip(new, game_uids, strict=True):
        kind = "finished" if record.outcome else "unfinished"
        print_lines(Message(f"import.{kind}", file=file_name, number=numbers[uid]))
