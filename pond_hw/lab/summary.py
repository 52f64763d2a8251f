"""What a tournament comes to, as one object for programs; the table is made from it."""

from __future__ import annotations

from itertools import combinations
from math import isfinite

from pond_hw.lab import elo as strength
from pond_hw.lab.elo import Interval, Result
from pond_hw.lab.engine_game import ELIMINATION, LIGHT, REPETITION, SCORE, TOO_LONG
from pond_hw.lab.tally import Tally
from pond_hw.lab.tournament import Standing, Verdict
from pond_hw.lab.tournament_plan import FORM

Object = dict[str, object]


def totals(standing: Standing) -> Object:
    """All that is told of a tournament. It follows from the games that count, and from nothing else."""
    plan = standing.plan
    matches = zip(standing.matches, standing.tallies, standing.verdicts, strict=True)
    told: Object = {"form": FORM, "plan": plan.as_object(), "complete": standing.complete, "games": standing.counted}
    told["reproducible"] = not (plan.by_the_clock or plan.outside)
    told["players"] = _players(standing)
    told["matches"] = [
        {"variant": match.pond.name, "player": match.players[0], "against": match.players[1]}
        | _match(tally, verdict)
        | (_forfeits(tally) if plan.outside else {})
        for match, tally, verdict in matches
    ]
    return told


def _players(standing: Standing) -> list[Object]:
    """The players, by what they have shown on all ponds together."""
    names = standing.plan.players
    sums = {pair: Tally() for pair in combinations(names, 2)}
    for match, tally in zip(standing.matches, standing.tallies, strict=True):
        sums[match.players].add(tally)
    results = [Result(names.index(a), names.index(b), tally.pairs) for (a, b), tally in sums.items()]
    told: list[Object] = []
    for name, (elo, interval) in zip(names, strength.ratings(len(names), results), strict=True):
        won = sum(t.won if name == one else t.lost for (one, other), t in sums.items() if name in (one, other))
        drawn = sum(t.drawn for pair, t in sums.items() if name in pair)
        games = sum(t.games for pair, t in sums.items() if name in pair)
        score = round((won + drawn / 2) / games, 6) if games else None
        told.append({"name": name, "elo": number(elo), **ends(interval), "games": games, "score": score})
    return told


def _match(tally: Tally, verdict: Verdict | None) -> Object:
    games = tally.games
    light = (tally.winners[LIGHT] + tally.drawn / 2) / max(1, games)
    told: Object = {"games": games, "won": tally.won, "drawn": tally.drawn, "lost": tally.lost, "pairs": tally.pairs}
    told["score"] = {"share": _share(strength.mean(tally.pairs), games), **ends(strength.score(tally.pairs), 6)}
    elo = strength.difference(tally.pairs) if games else None
    told["elo"] = {"difference": number(elo), **ends(strength.difference_interval(tally.pairs))}
    told["light"] = {"share": _share(light, games), **ends(strength.share(light, games), 6)}
    told["actions"] = {
        "mean": round(tally.actions / games, 3) if games else None,
        "shortest": tally.shortest if games else None,
        "longest": tally.longest if games else None,
    }
    told |= {"by_score": tally.reasons[SCORE], "eliminations": tally.reasons[ELIMINATION]}
    told |= {"repetitions": tally.reasons[REPETITION], "too_long": tally.reasons[TOO_LONG], "again": tally.again}
    told["test"] = verdict and {
        "better": verdict.better,
        "likelihood": round(verdict.likelihood, 4),
        "games": verdict.games,
    }
    return told


def _forfeits(tally: Tally) -> Object:
    """Games that a program from outside has lost by itself: how many each player has, for each reason."""
    named = zip(("player", "against"), tally.forfeits, strict=True)
    return {"forfeits": {name: {reason: many for reason, many in lost.items() if many} for name, lost in named}}


def _share(share: float, games: int) -> float | None:
    return round(share, 6) if games else None


def ends(interval: Interval, digits: int = 2) -> Object:
    """An interval for JSON."""
    return {"low": number(interval.low, digits), "high": number(interval.high, digits)}


def number(value: float | None, digits: int = 2) -> float | None:
    """A number that JSON can write; None for what is infinite."""
    return None if value is None or not isfinite(value) else round(value, digits) + 0.0
