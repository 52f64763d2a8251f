"""Run a tournament: play the games, show the progress, and write JSON results and game records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from itertools import combinations
from math import isfinite
from operator import add
from pathlib import Path
from typing import NamedTuple

from pond_hw.engine.external_program import FORFEITS
from pond_hw.lab import elo as strength
from pond_hw.lab.elo import Interval, PairingResult
from pond_hw.lab.engine_game import ELIMINATION, LIGHT_WON, REPETITION, SCORE, TOO_LONG
from pond_hw.lab.resumable_results import BatchResult, ResultsFile
from pond_hw.lab.tally import GameRow, GameTally
from pond_hw.lab.tournament_plan import FORMAT_VERSION, TournamentMatch, TournamentPlan, all_batches
from pond_hw.lab.workers import BatchGames, Workers
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Action, EndReason, Outcome, PondError, Position, Record, Side, play

JsonObject = dict[str, object]

MAX_RECORDS = 10_000
"""Maximum number of games that are written as record files. The results file has all games."""

PROGRESS_SECONDS = 0.5
"""Maximum number of seconds between two progress reports."""


class TestVerdict(NamedTuple):
    """Decision of the sequential test for a match, with the log likelihood ratio and the number of games."""

    accepts_elo1: bool
    likelihood: float
    games: int


class TournamentProgress:
    """Progress of a tournament.

    A test evaluates the batches of a match in order and ignores all batches after its decision. The decision therefore does
    not depend on the number of workers.

    Attributes:
        matches: matches of the plan.
        tallies: counts of each match.
        verdicts: decision of the test for each match, or None.
        played: number of games played, including games that don't count.
    """

    def __init__(self, plan: TournamentPlan) -> None:
        self.plan = plan
        self.matches: list[TournamentMatch] = plan.all_matches
        self.tallies = [GameTally() for _ in self.matches]
        self.verdicts: list[TestVerdict | None] = [None] * len(self.matches)
        self.played = 0
        self._added_batches: set[tuple[int, int]] = set()
        self._next = [0] * len(self.matches)
        self._waiting: dict[tuple[int, int], BatchResult] = {}

    def add_batch(self, batch_result: BatchResult) -> None:
        """Count a batch. Ignore a batch that has already been counted."""
        if batch_result[:2] in self._added_batches:
            return
        self._added_batches.add(batch_result[:2])
        self.played += len(batch_result.game_rows)
        match_number, _, game_rows = batch_result
        tally = self.tallies[match_number]
        if not self.plan.test:
            tally.add_games(game_rows)
            return
        self._waiting[batch_result[:2]] = batch_result
        while not self.verdicts[match_number] and (
            next_batch := self._waiting.pop((match_number, self._next[match_number]), None)
        ):
            tally.add_games(next_batch.game_rows)
            self._next[match_number] += 1
            likelihood_ratio = strength.log_likelihood_ratio(tally.pair_counts, *self.plan.test)
            if abs(likelihood_ratio) >= strength.DECISION_BOUND:
                self.verdicts[match_number] = TestVerdict(likelihood_ratio > 0, likelihood_ratio, tally.game_count)

    def missing_batches(self) -> Iterator[tuple[int, int]]:
        """Yield the batches that still have to be played, in order. Skip matches that are decided in the meantime."""
        for match_number, batch_number in all_batches(self.plan):
            if not self.verdicts[match_number] and (match_number, batch_number) not in self._added_batches:
                yield match_number, batch_number

    def is_counted(self, batch_result: BatchResult) -> bool:
        match_number, batch_number, _ = batch_result
        return not self.verdicts[match_number] or batch_number < self._next[match_number]

    @property
    def counted_games(self) -> int:
        return sum(tally.game_count for tally in self.tallies)

    @property
    def total_games(self) -> int:
        """Maximum number of games that will count in the end."""
        match_states = zip(self.tallies, self.verdicts, strict=True)
        return sum(tally.game_count if verdict else self.plan.games for tally, verdict in match_states)

    @property
    def is_complete(self) -> bool:
        return next(self.missing_batches(), None) is None


def run_tournament(
    progress: TournamentProgress,
    batch_workers: Workers,
    results_file: ResultsFile | None,
    on_progress: Callable[[TournamentProgress], None],
) -> None:
    """Play the missing batches, and save them if there is a file. Raise PondError if the games can't continue.

    `on_progress` is called after each batch, and at least every `PROGRESS_SECONDS`.
    """
    pending: dict[Future[BatchGames], tuple[int, int]] = {}
    missing_batches = progress.missing_batches()
    while True:
        while len(pending) < batch_workers.batch_capacity() and (next_batch := next(missing_batches, None)):
            pending[batch_workers.submit_batch(progress.plan, *next_batch)] = next_batch
        if all(progress.verdicts[match_number] for match_number, _ in pending.values()):
            return  # No batch is left, or none that would count.
        done_futures, _ = wait(pending, PROGRESS_SECONDS, FIRST_COMPLETED)
        for future in done_futures:
            batch_result = BatchResult(*pending.pop(future), _batch_games(future))
            if results_file:
                results_file.write_batch(batch_result)
            progress.add_batch(batch_result)
        on_progress(progress)


def _batch_games(future: Future[BatchGames]) -> BatchGames:
    try:
        return future.result()
    except BrokenExecutor:
        raise PondError(Message("lab.process_died")) from None
    except (ImportError, AttributeError, RuntimeError) as error:  # The cluster can't unpickle the task.
        load_error = error.__cause__ if isinstance(error, RuntimeError) else error
        if not isinstance(load_error, (ImportError, AttributeError, TypeError)):
            raise
        raise PondError(Message("cluster.other_version", reason=str(load_error))) from None


def summarize_tournament(progress: TournamentProgress) -> JsonObject:
    plan = progress.plan
    matches = zip(progress.matches, progress.tallies, progress.verdicts, strict=True)
    return {
        "form": FORMAT_VERSION,
        "plan": plan.to_json(),
        "complete": progress.is_complete,
        "games": progress.counted_games,
        "reproducible": not (plan.timed_players or plan.external_players),
        "players": _summarize_players(progress),
        "matches": [
            {"variant": match.variant.name, "player": match.players[0], "against": match.players[1]}
            | _summarize_match(tally, verdict)
            | (_count_forfeits(tally) if plan.external_players else {})
            for match, tally, verdict in matches
        ],
    }


def _summarize_players(progress: TournamentProgress) -> list[JsonObject]:
    """Return the results of each player on all variants."""
    names = progress.plan.players
    pair_counts = {pair: [0] * 5 for pair in combinations(names, 2)}
    for match, tally in zip(progress.matches, progress.tallies, strict=True):
        pair_counts[match.players] = list(map(add, pair_counts[match.players], tally.pair_counts))
    results = [PairingResult(names.index(a), names.index(b), counts) for (a, b), counts in pair_counts.items()]
    players: list[JsonObject] = []
    for name, (elo, interval) in zip(names, strength.rate_players(len(names), results), strict=True):
        # Reverse the counts if the player is the second of the pair.
        own_counts = [counts[:: 1 if name == pair[0] else -1] for pair, counts in pair_counts.items() if name in pair]
        all_counts = [sum(column) for column in zip(*own_counts, strict=True)]
        games = 2 * sum(all_counts)
        score = round(strength.mean_score(all_counts), 6) if games else None
        rating = {"name": name, "elo": to_json_number(elo), **interval_to_json(interval)}
        players.append({**rating, "games": games, "score": score})
    return players


def _summarize_match(tally: GameTally, verdict: TestVerdict | None) -> JsonObject:
    games = tally.game_count
    light = (tally.winners[LIGHT_WON] + tally.games_drawn / 2) / max(1, games)
    elo = strength.elo_difference(tally.pair_counts) if games else None
    return {
        "games": games,
        "won": tally.games_won,
        "drawn": tally.games_drawn,
        "lost": tally.games_lost,
        "pairs": tally.pair_counts,
        "score": share_to_json(
            strength.mean_score(tally.pair_counts), strength.score_interval(tally.pair_counts), games
        ),
        "elo": {"difference": to_json_number(elo), **interval_to_json(strength.elo_interval(tally.pair_counts))},
        "light": share_to_json(light, strength.share_interval(light, games), games),
        "actions": {
            "mean": round(tally.total_actions / games, 3) if games else None,
            "shortest": tally.shortest if games else None,
            "longest": tally.longest if games else None,
        },
        "by_score": tally.reasons[SCORE],
        "eliminations": tally.reasons[ELIMINATION],
        "repetitions": tally.reasons[REPETITION],
        "too_long": tally.reasons[TOO_LONG],
        "again": tally.repeated_games,
        "test": verdict
        and {"better": verdict.accepts_elo1, "likelihood": round(verdict.likelihood, 4), "games": verdict.games},
    }


def _count_forfeits(tally: GameTally) -> JsonObject:
    """Return the forfeits of external programs, by player and reason."""
    named = zip(("player", "against"), tally.forfeits, strict=True)
    return {
        "forfeits": {
            name: {reason: reason_counts[reason] for reason in FORFEITS if reason_counts[reason]}
            for name, reason_counts in named
        }
    }


def share_to_json(share: float, interval: Interval, game_count: int) -> JsonObject:
    """Convert a share of the games and its interval to JSON. The share is None if there are no games."""
    return {"share": round(share, 6) if game_count else None, **interval_to_json(interval, 6)}


def interval_to_json(interval: Interval, digits: int = 2) -> JsonObject:
    return {"low": to_json_number(interval.low, digits), "high": to_json_number(interval.high, digits)}


def to_json_number(value: float | None, digits: int = 2) -> float | None:
    """Round a number for JSON. Return None if it is infinite."""
    return None if value is None or not isfinite(value) else round(value, digits) + 0.0


def write_records(progress: TournamentProgress, batch_results: Iterable[BatchResult], record_folder: Path) -> int:
    """Write each counted game to a file MATCH-GAME.pond, numbered from 1. Return the number of new files.

    Existing files are kept. Raise PondError if the folder can't be written to.
    """
    written_count = 0
    try:
        record_folder.mkdir(parents=True, exist_ok=True)
        for batch_result in batch_results:
            if not progress.is_counted(batch_result):
                continue
            match = progress.matches[batch_result.match_number]
            first_number = 2 * progress.plan.pair_numbers(match, batch_result.batch_number).start
            for game_number, game_row in enumerate(batch_result.game_rows, first_number):
                game_name = f"{batch_result.match_number + 1}-{game_number + 1:05d}"
                record_file = record_folder / f"{game_name}.pond"
                if not record_file.exists():
                    record_file.write_text(
                        str(_build_record(match, game_number, game_row, game_name)), encoding="utf-8"
                    )
                    written_count += 1
    except OSError as error:
        file = str(error.filename or record_folder)
        raise PondError(Message("file.cannot_write", file=file, reason=describe_system_error(error))) from None
    return written_count


def _build_record(match: TournamentMatch, game_number: int, game_row: GameRow, game_name: str) -> Record:
    """Build the record of a game from a row that includes the actions."""
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
