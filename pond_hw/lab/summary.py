"""What a tournament comes to, as one object for programs; the table is made from it."""

from __future__ import annotations

from itertools import combinations
from math import isfinite
from operator import add

from pond_hw.engine.external_program import FORFEITS
from pond_hw.lab import elo as strength
from pond_hw.lab.elo import Interval, PairingResult
from pond_hw.lab.engine_game import ELIMINATION, LIGHT_WON, REPETITION, SCORE, TOO_LONG
from pond_hw.lab.tally import GameTally
from pond_hw.lab.tournament import TestVerdict, TournamentProgress
from pond_hw.lab.tournament_plan import FORMAT_VERSION

JsonObject = dict[str, object]


def summarize_tournament(standing: TournamentProgress) -> JsonObject:
    """All that is told of a tournament. It follows from the games that count, and from nothing else."""
    plan = standing.plan
    matches = zip(standing.matches, standing.tallies, standing.verdicts, strict=True)
    return {
        "form": FORMAT_VERSION,
        "plan": plan.to_json(),
        "complete": standing.is_complete,
        "games": standing.counted_games,
        "reproducible": not (plan.clocked_players or plan.external_players),
        "players": _summarize_players(standing),
        "matches": [
            {"variant": match.variant.name, "player": match.players[0], "against": match.players[1]}
            | _summarize_match(tally, verdict)
            | (_count_forfeits(tally) if plan.external_players else {})
            for match, tally, verdict in matches
        ],
    }


def _summarize_players(standing: TournamentProgress) -> list[JsonObject]:
    """The players, by what they have shown on all ponds together."""
    names = standing.plan.players
    pair_counts = {pair: [0] * 5 for pair in combinations(names, 2)}
    for match, tally in zip(standing.matches, standing.tallies, strict=True):
        pair_counts[match.players] = list(map(add, pair_counts[match.players], tally.pair_counts))
    results = [PairingResult(names.index(a), names.index(b), counts) for (a, b), counts in pair_counts.items()]
    players: list[JsonObject] = []
    for name, (elo, interval) in zip(names, strength.rate_players(len(names), results), strict=True):
        # of a pair in which it was the second player the points are those that are left
        own_counts = [counts[:: 1 if name == pair[0] else -1] for pair, counts in pair_counts.items() if name in pair]
        all_counts = [sum(column) for column in zip(*own_counts, strict=True)]
        games = 2 * sum(all_counts)
        score = round(strength.mean_score(all_counts), 6) if games else None
        told = {"name": name, "elo": to_json_number(elo), **interval_to_json(interval)}
        players.append({**told, "games": games, "score": score})
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
    """Games that a program from outside has lost by itself: how many each player has, for each reason."""
    named = zip(("player", "against"), tally.forfeits, strict=True)
    return {"forfeits": {name: {reason: lost[reason] for reason in FORFEITS if lost[reason]} for name, lost in named}}


def share_to_json(share: float, interval: Interval, game_count: int) -> JsonObject:
    """A share of so many games and its interval, for JSON; None for a share of no games."""
    return {"share": round(share, 6) if game_count else None, **interval_to_json(interval, 6)}


def interval_to_json(interval: Interval, digits: int = 2) -> JsonObject:
    """An interval for JSON."""
    return {"low": to_json_number(interval.low, digits), "high": to_json_number(interval.high, digits)}


def to_json_number(value: float | None, digits: int = 2) -> float | None:
    """A number that JSON can write; None for what is infinite."""
    return None if value is None or not isfinite(value) else round(value, digits) + 0.0
