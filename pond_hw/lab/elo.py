"""What results say about players: Elo, how sure it is, and when a test has decided.

Games come in *pairs* with the same opening and swapped sides. The two games of a pair hang together, pairs do not; so
what is counted is how many pairs brought the first player 0, ½, 1, 1½ or 2 points: five numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import inf, log, log10, sqrt
from typing import NamedTuple

PairCounts = Sequence[float]
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


def share_interval(mean_share: float, sample_size: float) -> Interval:
    """The interval of a share, by Wilson's score method: it never leaves 0 to 1, and has a width at both ends too.

    Args:
        mean_share: the share that was found, a draw as a half.
        sample_size: among how many that do not hang together; it need not be whole.
    """
    if not sample_size:
        return Interval(0.0, 1.0)
    scaled_square = Z_95 * Z_95 / sample_size
    middle = (mean_share + scaled_square / 2) / (1 + scaled_square)
    width_square = mean_share * (1 - mean_share) * scaled_square + scaled_square * scaled_square / 4
    half_width = sqrt(width_square) / (1 + scaled_square)
    return Interval(middle - half_width if mean_share > 0 else 0.0, middle + half_width if mean_share < 1 else 1.0)


def mean_score(pair_counts: PairCounts) -> float:
    """The score of the first player, from 0 to 1; a half if nothing was played."""
    half_points = sum(points * pair_count for points, pair_count in enumerate(pair_counts))
    return half_points / (4 * sum(pair_counts)) if any(pair_counts) else 0.5


def pair_variance(pair_counts: PairCounts) -> float:
    """The variance of the score of one pair.

    Half a pair lost and half a pair won are counted in: pairs that were all alike do not prove that all will be.
    """
    padded_counts = (pair_counts[0] + 0.5, *pair_counts[1:4], pair_counts[4] + 0.5)
    mean_points = mean_score(padded_counts)
    square_sum = sum(count * (half_points / 4 - mean_points) ** 2 for half_points, count in enumerate(padded_counts))
    return square_sum / sum(padded_counts)


def score_interval(pair_counts: PairCounts) -> Interval:
    """The interval of the first player's score.

    Wilson's, for as many single games as the pairs are worth by their variance: with swapped sides they are worth more
    than their number if it is the sides that decide.
    """
    pair_total = sum(pair_counts)
    padded_score = (4 * pair_total * mean_score(pair_counts) + 2) / (4 * pair_total + 4)
    effective_games = pair_total * padded_score * (1 - padded_score) / pair_variance(pair_counts)
    return share_interval(mean_score(pair_counts), effective_games)


def elo_difference(pair_counts: PairCounts) -> float:
    """The first player's Elo minus the other's.

    Who has won every game, or none, is taken to have drawn one more: so the number is finite, and rather too small.
    """
    won_points, game_count = _points_and_games(pair_counts)
    return score_to_elo(won_points / game_count)


def elo_interval(pair_counts: PairCounts) -> Interval:
    """Where that difference is; infinite to one side for who has won every game, or none."""
    return Interval(*map(score_to_elo, score_interval(pair_counts)))


class PairingResult(NamedTuple):
    """What the pairs between two players came to; the players are numbers from 0."""

    first_player: int
    second_player: int
    pairs: PairCounts


def rate_players(player_count: int, pairing_results: Sequence[PairingResult]) -> list[tuple[float, Interval]]:
    """Elo of all players at once, the first one at 0, with intervals for the difference from the first.

    These are the numbers at which everybody would be expected to have just the points that they have (the most likely
    ones by the model of Bradley and Terry, a draw as half a win). The intervals rest on the variance of the pairs as
    it was seen, not on that of the model.
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
        scale = min(1.0, 1 / longest_step) if longest_step else 1.0  # far from the goal a whole step leads beyond it
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
    """The logarithm of how much more likely these pairs are if the difference is `elo1` than if it is `elo0`.

    How often pairs come out in each of the five ways nobody knows: for both differences the likeliest frequencies are
    taken that have it as their mean (Van den Bergh, as the fishing net of Stockfish has it: generalised, pentanomial).
    """
    padded_counts = [max(pair_count, 1e-3) for pair_count in pair_counts]
    pair_total = sum(padded_counts)
    pair_shares = [pair_count / pair_total for pair_count in padded_counts]
    tilts0, tilts1 = (_tilt_shares(pair_shares, expected_score(difference)) for difference in (elo0, elo1))
    tilted_shares = zip(pair_shares, tilts0, tilts1, strict=True)
    return pair_total * sum(share * log(tilt0 / tilt1) for share, tilt0, tilt1 in tilted_shares)


def _tilt_shares(pair_shares: Sequence[float], goal_score: float) -> list[float]:
    """By what the five shares are to be divided to have this mean; Owen's empirical likelihood."""
    score_offsets = [points / 4 - goal_score for points in range(5)]
    low_end, high_end = -1 / score_offsets[4], -1 / score_offsets[0]
    slope = (low_end + high_end) / 2
    for _ in range(100):  # halving finds where a sum that falls is 0, between two slopes at which it is infinite
        if sum(s * offset / (1 + slope * offset) for s, offset in zip(pair_shares, score_offsets, strict=True)) > 0:
            low_end = slope
        else:
            high_end = slope
        slope = (low_end + high_end) / 2
        if slope in (low_end, high_end):
            break
    return [1 + slope * offset for offset in score_offsets]


def _points_and_games(pair_counts: PairCounts) -> tuple[float, float]:
    """Points and games; one game is drawn more if the points are all or none."""
    game_count = 2 * sum(pair_counts)
    won_points = game_count * mean_score(pair_counts)
    return (won_points, game_count) if 0 < won_points < game_count else (won_points + 0.5, game_count + 1)


class _PairingMatrix:
    """A symmetric matrix of all players but the first, to which each pairing of two adds what it weighs."""

    def __init__(self, player_count: int) -> None:
        self.rows = [[0.0] * (player_count - 1) for _ in range(player_count - 1)]

    def add_pairing(self, first: int, second: int, weight: float) -> None:
        for row, column in product((first, second), repeat=2):
            if row and column:
                self.rows[row - 1][column - 1] += weight if row == column else -weight

    def invert(self) -> list[list[float]]:
        """The inverse, if the matrix is positive definite."""
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
