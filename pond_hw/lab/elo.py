"""What results say about players: Elo, how sure it is, and when a test has decided.

Games come in *pairs* with the same opening and swapped sides. The two games of a pair hang together, pairs do not; so
what is counted is how many pairs brought the first player 0, ½, 1, 1½ or 2 points: five numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log, log10, sqrt
from typing import NamedTuple

PairCounts = Sequence[int]
"""How many pairs brought 0, ½, 1, 1½ and 2 points."""

Z_95 = 1.959963984540054
"""As many standard deviations to both sides hold 95 % of a normal distribution."""

ERROR_RATE = 0.05
"""How often a test may be wrong, whichever of its two answers is right."""

DECISION_BOUND = log((1 - ERROR_RATE) / ERROR_RATE)
"""From here on the test decides for `elo1`, and from minus as much on for `elo0`: 2.94."""

_ELO_PER_NAT = 400 / log(10)
"""Elo in one unit of the natural logarithm of the odds."""


class Interval(NamedTuple):
    """From where to where something is, in 95 of 100 cases."""

    low: float
    high: float


def score_to_elo(score: float) -> float:
    """The Elo difference that goes with an expected score from 0 to 1; infinite at both ends."""
    if score <= 0:
        return -inf
    return inf if score >= 1 else 400 * log10(score / (1 - score))


def expected_score(difference: float) -> float:
    """The score that goes with an Elo difference."""
    return 1 / (1 + 10 ** (-difference / 400))


def share_interval(mean: float, many: float) -> Interval:
    """The interval of a share, by Wilson's score method: it never leaves 0 to 1, and has a width at both ends too.

    Args:
        mean: the share that was found, a draw as a half.
        many: among how many that do not hang together; it need not be whole.
    """
    if not many:
        return Interval(0.0, 1.0)
    square = Z_95 * Z_95 / many
    middle = (mean + square / 2) / (1 + square)
    half = sqrt(mean * (1 - mean) * square + square * square / 4) / (1 + square)
    return Interval(middle - half if mean > 0 else 0.0, middle + half if mean < 1 else 1.0)


def mean_score(pairs: PairCounts) -> float:
    """The score of the first player, from 0 to 1; a half if nothing was played."""
    many = sum(pairs)
    return sum(n * points for points, n in enumerate(pairs)) / (4 * many) if many else 0.5


def pair_variance(pairs: PairCounts) -> float:
    """The variance of the score of one pair.

    Half a pair lost and half a pair won are counted in: pairs that were all alike do not prove that all will be.
    """
    counted = (pairs[0] + 0.5, *pairs[1:4], pairs[4] + 0.5)
    many = sum(counted)
    middle = sum(n * points / 4 for points, n in enumerate(counted)) / many
    return sum(n * (points / 4 - middle) ** 2 for points, n in enumerate(counted)) / many


def score_interval(pairs: PairCounts) -> Interval:
    """The interval of the first player's score.

    Wilson's, for as many single games as the pairs are worth by their variance: with swapped sides they are worth more
    than their number if it is the sides that decide.
    """
    many = sum(pairs)
    middle = (4 * many * mean_score(pairs) + 2) / (4 * many + 4)
    worth = many * middle * (1 - middle) / pair_variance(pairs)
    return share_interval(mean_score(pairs), worth)


def elo_difference(pairs: PairCounts) -> float:
    """The first player's Elo minus the other's.

    Who has won every game, or none, is taken to have drawn one more: so the number is finite, and rather too small.
    """
    points, games = _points_and_games(pairs)
    return score_to_elo(points / games)


def elo_interval(pairs: PairCounts) -> Interval:
    """Where that difference is; infinite to one side for who has won every game, or none."""
    return Interval(*map(score_to_elo, score_interval(pairs)))


class PairingResult(NamedTuple):
    """What the pairs between two players came to; the players are numbers from 0."""

    first_player: int
    second_player: int
    pairs: PairCounts


def rate_players(players: int, results: Sequence[PairingResult]) -> list[tuple[float, Interval]]:
    """Elo of all players at once, the first one at 0, with intervals for the difference from the first.

    These are the numbers at which everybody would be expected to have just the points that they have (the most likely
    ones by the model of Bradley and Terry, a draw as half a win). The intervals rest on the variance of the pairs as
    it was seen, not on that of the model.
    """
    points = [_points_and_games(pairs) for _, _, pairs in results]
    at = [0.0] * players
    slopes = [[0.0]]
    for _ in range(200):
        slopes = [[0.0] * (players - 1) for _ in range(players - 1)]
        lacking = [0.0] * (players - 1)
        for (one, other, _), (have, games) in zip(results, points, strict=True):
            chance = expected_score((at[one] - at[other]) * _ELO_PER_NAT)
            _add_signed(lacking, one, other, have - games * chance)
            _add_outer(slopes, one, other, games * chance * (1 - chance))
        steps = _solve_linear(slopes, lacking)
        longest = max(map(abs, steps))
        shorter = min(1.0, 1 / longest) if longest else 1.0  # far from the goal a whole step leads beyond it
        at = [0.0, *(value + step * shorter for value, step in zip(at[1:], steps, strict=True))]
        if longest < 1e-12:
            break
    varied = [[0.0] * (players - 1) for _ in range(players - 1)]
    for one, other, pairs in results:
        _add_outer(varied, one, other, 4 * sum(pairs) * pair_variance(pairs))
    found = [(0.0, Interval(0.0, 0.0))]
    for player in range(1, players):
        weights = _solve_linear(slopes, [float(each == player - 1) for each in range(players - 1)])
        variance = sum(a * b * varied[i][j] for i, a in enumerate(weights) for j, b in enumerate(weights))
        middle, half = at[player] * _ELO_PER_NAT, Z_95 * sqrt(max(0.0, variance)) * _ELO_PER_NAT
        found.append((middle, Interval(middle - half, middle + half)))
    return found


def log_likelihood_ratio(pairs: PairCounts, elo0: float, elo1: float) -> float:
    """The logarithm of how much more likely these pairs are if the difference is `elo1` than if it is `elo0`.

    How often pairs come out in each of the five ways nobody knows: for both differences the likeliest frequencies are
    taken that have it as their mean (Van den Bergh, as the fishing net of Stockfish has it: generalised, pentanomial).
    """
    counted = [max(n, 1e-3) for n in pairs]
    many = sum(counted)
    shares = [n / many for n in counted]

    def tilted(difference: float) -> list[float]:
        return _tilt_shares(shares, expected_score(difference))

    return many * sum(
        p * log(before / after) for p, before, after in zip(shares, tilted(elo0), tilted(elo1), strict=True)
    )


def _tilt_shares(shares: Sequence[float], goal: float) -> list[float]:
    """By what the five shares are to be divided to have this mean; Owen's empirical likelihood."""
    apart = [points / 4 - goal for points in range(5)]

    def left(slope: float) -> float:
        return sum(p * a / (1 + slope * a) for p, a in zip(shares, apart, strict=True))

    slope = _find_root(left, -1 / apart[4], -1 / apart[0])
    return [1 + slope * a for a in apart]


def _find_root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function is 0, between two places where it is infinite."""
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _points_and_games(pairs: PairCounts) -> tuple[float, float]:
    """Points and games; one game is drawn more if the points are all or none."""
    games = 2 * sum(pairs)
    points = games * mean_score(pairs)
    return (points, games) if 0 < points < games else (points + 0.5, games + 1)


def _add_signed(sums: list[float], one: int, other: int, value: float) -> None:
    for player, sign in ((one, 1), (other, -1)):
        if player:
            sums[player - 1] += sign * value


def _add_outer(sums: list[list[float]], one: int, other: int, value: float) -> None:
    for row, sign in ((one, 1), (other, -1)):
        if row:
            _add_signed(sums[row - 1], one, other, sign * value)


def _solve_linear(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of linear equations with a positive definite matrix."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    many = len(rows)
    for i in range(many):
        for row in rows[i + 1 :]:
            factor = row[i] / rows[i][i]
            for j in range(i, many + 1):
                row[j] -= factor * rows[i][j]
    found = [0.0] * many
    for i in reversed(range(many)):
        found[i] = (rows[i][many] - sum(rows[i][j] * found[j] for j in range(i + 1, many))) / rows[i][i]
    return found
