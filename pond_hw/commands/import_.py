"""`pond import`: game records that become games of the journal."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from pond_hw.commands.command import Command, CommandGroup
from pond_hw.commands.command_output import print_complaint, print_lines
from pond_hw.commands.journal_options import add_journal_option, find_journal
from pond_hw.commands.record_argument import read_record_file
from pond_hw.rules import PondError, Record, RecordError


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    add_journal_option(parser)
    parser.add_argument("records", metavar="FILE.pond", nargs="+", help="a record; - reads standard input")


def run(options: Namespace) -> int:
    """Put records into a journal as games; each by itself, and none twice.

    Returns:
        2 if one of them was refused, else 0.
    """
    folder = find_journal(options)
    from pond_hw.commands.kept_games import read_games
    from pond_hw.journal.game_records import identity, record_of

    games, _ = read_games(folder)
    known = {identity(record_of(game.kept)): f"as game {game.number}" for game in games if game.is_readable}
    new: list[tuple[str, Record]] = []
    refused = False
    for name in options.records:
        try:
            record = _read_game(name)
        except PondError as error:
            print_complaint(str(error))
            refused = True
            continue
        if where := known.get(identity(record)):
            print_lines(f"{name} is there already, {where}.")
            continue
        new.append((name, record))
        known[identity(record)] = f"from {name}"
    if new:
        _add_games(folder, new)
    return 2 if refused else 0


def _read_game(name: str) -> Record:
    """The record in a file, with a game in it that can be kept.

    Raises:
        PondError: there is none; the message says why.
    """
    from pond_hw.journal.game_records import as_kept

    record = read_record_file(name)
    try:
        as_kept(record)
    except RecordError as error:
        raise PondError(f"{name}: {error}") from error
    return record


def _add_games(folder: Path, new: Sequence[tuple[str, Record]]) -> None:
    from pond_hw.commands.kept_games import changing_journal, read_games
    from pond_hw.journal import editing

    with changing_journal(folder):
        uids, warnings = editing.bring_in(folder, [record for _, record in new])
    for warning in warnings:
        print_complaint(warning)
    numbers = {game.kept.uid: game.number for game in read_games(folder)[0]}
    for (name, record), uid in zip(new, uids, strict=True):
        advice = "" if record.outcome else f" It is not finished; `pond resume {numbers[uid]}` has it offered."
        print_lines(f"{name} is game {numbers[uid]} now.{advice}")


COMMAND = Command(
    name="import",
    group=CommandGroup.GAMES,
    summary="Put game records among the games that were played.",
    example="pond import evening.pond",
    add_arguments=add_arguments,
    run=run,
)
