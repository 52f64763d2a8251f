"""Games of a tournament as game records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pond_hw.engine.external_program import FORFEITS
from pond_hw.lab.engine_game import LIGHT_WON, REPETITION, TOO_LONG
from pond_hw.lab.resumable_results import BatchResult
from pond_hw.lab.tally import GameRow
from pond_hw.lab.tournament import TournamentProgress
from pond_hw.lab.tournament_plan import TournamentMatch
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Action, EndReason, Outcome, PondError, Position, Record, Side, play

MOST_RECORDS = 10_000
"""Games for which there are files; more of them are a burden to a disk, and the ledger has them all."""


def write_records(
    progress_so_far: TournamentProgress, batch_results: Iterable[BatchResult], record_folder: Path
) -> int:
    """Write the games that count, a file each: MATCH-GAME.pond, numbered from 1. A file that is there stays.

    Returns:
        How many were written.

    Raises:
        PondError: the folder cannot be written to.
    """
    written_count = 0
    try:
        record_folder.mkdir(parents=True, exist_ok=True)
        for batch_result in batch_results:
            if not progress_so_far.is_counted(batch_result):
                continue
            match = progress_so_far.matches[batch_result.match_number]
            first_number = 2 * progress_so_far.plan.pair_numbers(match, batch_result.batch_number).start
            for game_number, game_row in enumerate(batch_result.game_rows, first_number):
                game_name = f"{batch_result.match_number + 1}-{game_number + 1:05d}"
                record_file = record_folder / f"{game_name}.pond"
                if not record_file.exists():
                    record_file.write_text(str(to_record(match, game_number, game_row, game_name)), encoding="utf-8")
                    written_count += 1
    except OSError as error:
        file = str(error.filename or record_folder)
        raise PondError(Message("file.cannot_write", file=file, reason=describe_system_error(error))) from None
    return written_count


def to_record(match: TournamentMatch, game_number: int, game_row: GameRow, game_name: str) -> Record:
    """A game that was kept with its actions, replayed through the rules."""
    position, turns = Position.start(match.variant), []
    for action_text in game_row[-1].split():
        turns.append(play(position, Action.from_notation(action_text)))
        position = turns[-1].after
    light_name, dark_name = match.players[:: -1 if game_number % 2 else 1]
    tags = {"Round": game_name, "Light": light_name, "Dark": dark_name}
    declared_outcome = Outcome(None, EndReason.AGREEMENT) if game_row[1] in (REPETITION, TOO_LONG) else None
    if game_row[1] in FORFEITS:
        declared_outcome = Outcome(Side.LIGHT if game_row[0] == LIGHT_WON else Side.DARK, EndReason.RESIGNATION)
        tags["Termination"] = game_row[1]
    return Record(match.variant, tuple(turns), declared_outcome, tags=tags)
