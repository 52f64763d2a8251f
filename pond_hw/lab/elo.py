"""Elo ratings, confidence intervals and a sequential test.

Games come in *pairs* with the same opening and swapped sides. The two games of a pair are correlated, but pairs are
independent. The functions therefore take the numbers of pairs that gave the first player 0, ½, 1, 1½ and 2 points.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import inf, log, log10, sqrt
from typing import NamedTuple

PairCounts = Sequence[float]
"""Numbers of pairs with 0, ½, 1, 1½ and 2 points for the first player."""

Z_95 = 1.959963984540054
"""Half-width of the central 95 % of a normal distribution, in standard deviations."""

ERROR_RATE = 0.05
"""Probability of a wrong decision, whichever hypothesis is true."""

DECISION_BOUND = log((1 - ERROR_RATE) / ERROR_RATE)
"""Log likelihood ratio at which the test accepts `elo1`: 2.94. At minus this value it accepts `elo0`."""

_ELO_PER_NAT = 400 / log(10)
"""Elo per unit of the natural logarithm of the odds."""


class Interval(NamedTuple):
    """95 % confidence interval."""

    low: float
    high: float


def score_to_elo(score: float) -> float:
    """Return the Elo difference for an expected score from 0 to 1. It is infinite at both ends."""
    if score <= 0:
        return -inf
    return inf if score >= 1 else 400 * log10(score / (1 - score))


def expected_score(difference: float) -> float:
    """Return the expected score for an Elo difference."""
    return 1 / (1 + 10 ** (-difference / 400))


def share_interval(mean_share: float, sample_size: float) -> Interval:
    """Return the interval of a share by Wilson's score method, which never leaves the range from 0 to 1.

    `sample_size` is the number of independent observations and may be fractional. A draw counts as a half.
    """
    if not sample_size:
        return Interval(0.0, 1.0)
    scaled_square = Z_95 * Z_95 / sample_size
    middle = (mean_share + scaled_square / 2) / (1 + scaled_square)
    width_square = mean_share * (1 - mean_share) * scaled_square + scaled_square * scaled_square / 4
    half_width = sqrt(width_square) / (1 + scaled_square)
    return Interval(middle - half_width if mean_share > 0 else 0.0, middle + half_width if mean_share < 1 else 1.0)


def mean_score(pair_counts: PairCounts) -> float:
    """Return the first player's score from 0 to 1; a half if there are no games."""
    half_points = sum(points * pair_count for points, pair_count in enumerate(pair_counts))
    return half_points / (4 * sum(pair_counts)) if any(pair_counts) else 0.5


def pair_variance(pair_counts: PairCounts) -> float:
    """Return the variance of a pair's score.

    Half a lost pair and half a won pair are added, because identical results don't prove that the variance is zero.
    """
    padded_counts = (pair_counts[0] + 0.5, *pair_counts[1:4], pair_counts[4] + 0.5)
    mean_points = mean_score(padded_counts)
    square_sum = sum(count * (half_points / 4 - mean_points) ** 2 for half_points, count in enumerate(padded_counts))
    return square_sum / sum(padded_counts)


def score_interval(pair_counts: PairCounts) -> Interval:
    """Return the interval of the first player's score.

    Wilson's method is used with an effective number of independent games, derived from the variance of the pairs. If games
    are decided by the side played, the effective number exceeds the real one, because the sides are swapped in each pair.
    """
    pair_total = sum(pair_counts)
    padded_score = (4 * pair_total * mean_score(pair_counts) + 2) / (4 * pair_total + 4)
    effective_games = pair_total * padded_score * (1 - padded_score) / pair_variance(pair_counts)
    return share_interval(mean_score(pair_counts), effective_games)


def elo_difference(pair_counts: PairCounts) -> float:
    """Return the first player's Elo minus the second player's.

    If all games were won or all were lost, one draw is added to keep the number finite.
    """
    won_points, game_count = _points_and_games(pair_counts)
    return score_to_elo(won_points / game_count)


def elo_interval(pair_counts: PairCounts) -> Interval:
    """Return the interval of the Elo difference. One end is infinite if all games were won or all were lost."""
    return Interval(*map(score_to_elo, score_interval(pair_counts)))


class PairingResult(NamedTuple):
    """Results of the pairs between two players, who are numbered from 0."""

    first_player: int
    second_player: int
    pairs: PairCounts


def rate_players(player_count: int, pairing_results: Sequence[PairingResult]) -> list[tuple[float, Interval]]:
    """Return the Elo ratings of all players, with intervals. They are relative to the first player, whose rating is 0.

    These are the maximum likelihood ratings of the Bradley-Terry model, with a draw as half a win. The intervals use the
    observed variance of the pairs instead of the model's.
    """
    ratings = [0.0] * player_count
    results = [(first, second, *_points_and_games(pair_counts)) for first, second, pair_counts in pairing_results]
    inverse_slopes = [[0.0]]
    for _ in range(200):
        slopes, missing_points = _PairingMatrix(player_count), [0.0] * player_count
        for first, second, won_points, game_count in results:
            win_chance = expected_score((ratings[first] - ratings[second]) * _ELO_PER_NAT)
            missing_points[first] += won_points - game_count * win_chance
            missing_points[second] -= won_points - game_count * win_chance
            slopes.add_pairing(first, second, game_count * win_chance * (1 - win_chance))
        inverse_slopes = slopes.invert()
        newton_steps = [_scalar_product(row, missing_points[1:]) for row in inverse_slopes]
        longest_step = max(map(abs, newton_steps))
        scale = min(1.0, 1 / longest_step) if longest_step else 1.0  # A full step may overshoot far from the solution.
        ratings = [0.0, *(rating + step * scale for rating, step in zip(ratings[1:], newton_steps, strict=True))]
        if longest_step < 1e-12:
            break
    variances = _PairingMatrix(player_count)
    for first, second, pair_counts in pairing_results:
        variances.add_pairing(first, second, 4 * sum(pair_counts) * pair_variance(pair_counts))
    rated_players = [(0.0, Interval(0.0, 0.0))]
    for rating, weights in zip(ratings[1:], inverse_slopes, strict=True):
        variance = _scalar_product(weights, [_scalar_product(weights, row) for row in variances.rows])
        player_elo, half_width = rating * _ELO_PER_NAT, Z_95 * sqrt(max(0.0, variance)) * _ELO_PER_NAT
        rated_players.append((player_elo, Interval(player_elo - half_width, player_elo + half_width)))
    return rated_players


def log_likelihood_ratio(pair_counts: PairCounts, elo0: float, elo1: float) -> float:
    """Return the log likelihood ratio of the Elo differences `elo1` and `elo0`.

    The true frequencies of the five results are unknown, so the most likely frequencies with the required mean are used (Van
    den Bergh's generalised pentanomial SPRT, as in Stockfish's Fishtest).
    """
    padded_counts = [max(pair_count, 1e-3) for pair_count in pair_counts]
    pair_total = sum(padded_counts)
    pair_shares = [pair_count / pair_total for pair_count in padded_counts]
    tilts0, tilts1 = (_tilt_shares(pair_shares, expected_score(difference)) for difference in (elo0, elo1))
    tilted_shares = zip(pair_shares, tilts0, tilts1, strict=True)
    return pair_total * sum(share * log(tilt0 / tilt1) for share, tilt0, tilt1 in tilted_shares)


def _tilt_shares(pair_shares: Sequence[float], goal_score: float) -> list[float]:
    """Return the divisors that shift the mean of the five shares to `goal_score` (Owen's empirical likelihood)."""
    score_offsets = [points / 4 - goal_score for points in range(5)]
    low_end, high_end = -1 / score_offsets[4], -1 / score_offsets[0]
    slope = (low_end + high_end) / 2
    for _ in range(100):  # Bisection of a decreasing function between its two poles.
        if sum(s * offset / (1 + slope * offset) for s, offset in zip(pair_shares, score_offsets, strict=True)) > 0:
            low_end = slope
        else:
            high_end = slope
        slope = (low_end + high_end) / 2
        if slope in (low_end, high_end):
            break
    return [1 + slope * offset for offset in score_offsets]


def _points_and_games(pair_counts: PairCounts) -> tuple[float, float]:
    """Return the first player's points and the number of games. Add a draw if all games were won or all were lost."""
    game_count = 2 * sum(pair_counts)
    won_points = game_count * mean_score(pair_counts)
    return (won_points, game_count) if 0 < won_points < game_count else (won_points + 0.5, game_count + 1)


class _PairingMatrix:
    """Symmetric matrix over all players but the first, built from the weights of the pairings."""

    def __init__(self, player_count: int) -> None:
        self.rows = [[0.0] * (player_count - 1) for _ in range(player_count - 1)]

    def add_pairing(self, first: int, second: int, weight: float) -> None:
        for row, column in product((first, second), repeat=2):
            if row and column:
                self.rows[row - 1][column - 1] += weight if row == column else -weight

    def invert(self) -> list[list[float]]:
        """Return the inverse. The matrix must be positive definite."""
        size = len(self.rows)
        rows = [[*row, *(float(index == column) for column in range(size))] for index, row in enumerate(self.rows)]
        for index in range(size):
            pivot = rows[index] = [value / rows[index][index] for value in rows[index]]
            for other_index, row in enumerate(rows):
                if other_index != index:
                    factor = row[index]
                    rows[other_index] = [value - factor * above for value, above in zip(row, pivot, strict=True)]
        return [row[size:] for row in rows]


def _scalar_product(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(value * other for value, other in zip(left, right, strict=True))
