"""Games of a tournament as game records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pond_hw.engine.external_program import FORFEITS
from pond_hw.lab.engine_game import LIGHT_WON, REPETITION, TOO_LONG
from pond_hw.lab.results_file import BatchResult
from pond_hw.lab.tally import GameRow
from pond_hw.lab.tournament import TournamentProgress
from pond_hw.lab.tournament_plan import TournamentMatch
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Action, EndReason, Outcome, PondError, Position, Record, Side, play

MOST_RECORDS = 10_000
"""Games for which there are files; more of them are a burden to a disk, and the ledger has them all."""


def write_records(standing: TournamentProgress, pieces: Iterable[BatchResult], folder: Path) -> int:
    """Write the games that count, a file each: MATCH-GAME.pond, numbered from 1. A file that is there stays.

    Returns:
        How many were written.

    Raises:
        PondError: the folder cannot be written to.
    """
    many = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for piece in pieces:
            if not standing.is_counted(piece):
                continue
            match = standing.matches[piece.match_number]
            first = 2 * standing.plan.pair_numbers(match, piece.batch_number).start
            for number, game in enumerate(piece.game_rows, first):
                name = f"{piece.match_number + 1}-{number + 1:05d}"
                file = folder / f"{name}.pond"
                if not file.exists():
                    file.write_text(str(to_record(match, number, game, name)), encoding="utf-8")
                    many += 1
    except OSError as error:
        raise PondError(f"{error.filename or folder} cannot be written: {describe_system_error(error)}.") from None
    return many


def to_record(match: TournamentMatch, number: int, game: GameRow, name: str) -> Record:
    """A game that was kept with its actions, replayed through the rules."""
    position, turns = Position.start(match.variant), []
    for text in game[-1].split():
        turns.append(play(position, Action.from_notation(text)))
        position = turns[-1].after
    light, dark = match.players[:: -1 if number % 2 else 1]
    tags = {"Round": name, "Light": light, "Dark": dark}
    ended = Outcome(None, EndReason.AGREEMENT) if game[1] in (REPETITION, TOO_LONG) else None
    if game[1] in FORFEITS:
        ended = Outcome(Side.LIGHT if game[0] == LIGHT_WON else Side.DARK, EndReason.RESIGNATION)
        tags["Termination"] = game[1]
    return Record(match.variant, tuple(turns), ended, tags)
