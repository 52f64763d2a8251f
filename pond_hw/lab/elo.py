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


def share_interval(mean_share: float, sample_size: float) -> Interval:
    """The interval of a share, by Wilson's score method: it never leaves 0 to 1, and has a width at both ends too.

    Args:
        mean_share: the share that was found, a draw as a half.
        sample_size: among how many that do not hang together; it need not be whole.
    """
    if not sample_size:
        return Interval(0.0, 1.0)
    scaled_square = Z_95 * Z_95 / sample_size
    interval_middle = (mean_share + scaled_square / 2) / (1 + scaled_square)
    half_width = sqrt(mean_share * (1 - mean_share) * scaled_square + scaled_square * scaled_square / 4) / (
        1 + scaled_square
    )
    return Interval(
        interval_middle - half_width if mean_share > 0 else 0.0, interval_middle + half_width if mean_share < 1 else 1.0
    )


def mean_score(pair_counts: PairCounts) -> float:
    """The score of the first player, from 0 to 1; a half if nothing was played."""
    pair_total = sum(pair_counts)
    return (
        sum(pair_count * half_points for half_points, pair_count in enumerate(pair_counts)) / (4 * pair_total)
        if pair_total
        else 0.5
    )


def pair_variance(pair_counts: PairCounts) -> float:
    """The variance of the score of one pair.

    Half a pair lost and half a pair won are counted in: pairs that were all alike do not prove that all will be.
    """
    padded_counts = (pair_counts[0] + 0.5, *pair_counts[1:4], pair_counts[4] + 0.5)
    pair_total = sum(padded_counts)
    mean_points = sum(pair_count * half_points / 4 for half_points, pair_count in enumerate(padded_counts)) / pair_total
    return (
        sum(pair_count * (half_points / 4 - mean_points) ** 2 for half_points, pair_count in enumerate(padded_counts))
        / pair_total
    )


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
    point_totals = [_points_and_games(pair_counts) for _, _, pair_counts in pairing_results]
    player_ratings = [0.0] * player_count
    slopes = [[0.0]]
    for _ in range(200):
        slopes = [[0.0] * (player_count - 1) for _ in range(player_count - 1)]
        missing_points = [0.0] * (player_count - 1)
        for (first_player, second_player, _), (won_points, game_count) in zip(
            pairing_results, point_totals, strict=True
        ):
            win_chance = expected_score((player_ratings[first_player] - player_ratings[second_player]) * _ELO_PER_NAT)
            _add_signed(missing_points, first_player, second_player, won_points - game_count * win_chance)
            _add_outer(slopes, first_player, second_player, game_count * win_chance * (1 - win_chance))
        newton_steps = _solve_linear(slopes, missing_points)
        longest_step = max(map(abs, newton_steps))
        step_scale = (
            min(1.0, 1 / longest_step) if longest_step else 1.0
        )  # far from the goal a whole step leads beyond it
        player_ratings = [
            0.0,
            *(
                player_rating + rating_step * step_scale
                for player_rating, rating_step in zip(player_ratings[1:], newton_steps, strict=True)
            ),
        ]
        if longest_step < 1e-12:
            break
    variance_matrix = [[0.0] * (player_count - 1) for _ in range(player_count - 1)]
    for first_player, second_player, pair_counts in pairing_results:
        _add_outer(variance_matrix, first_player, second_player, 4 * sum(pair_counts) * pair_variance(pair_counts))
    rated_players = [(0.0, Interval(0.0, 0.0))]
    for player in range(1, player_count):
        weights = _solve_linear(
            slopes, [float(column_number == player - 1) for column_number in range(player_count - 1)]
        )
        variance = sum(
            first_weight * second_weight * variance_matrix[i][j]
            for i, first_weight in enumerate(weights)
            for j, second_weight in enumerate(weights)
        )
        player_elo, half_width = player_ratings[player] * _ELO_PER_NAT, Z_95 * sqrt(max(0.0, variance)) * _ELO_PER_NAT
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

    def tilted(difference: float) -> list[float]:
        return _tilt_shares(pair_shares, expected_score(difference))

    return pair_total * sum(
        pair_share * log(zero_tilt / one_tilt)
        for pair_share, zero_tilt, one_tilt in zip(pair_shares, tilted(elo0), tilted(elo1), strict=True)
    )


def _tilt_shares(pair_shares: Sequence[float], goal_score: float) -> list[float]:
    """By what the five shares are to be divided to have this mean; Owen's empirical likelihood."""
    score_offsets = [points / 4 - goal_score for points in range(5)]

    def left(slope: float) -> float:
        return sum(
            p * score_offset / (1 + slope * score_offset)
            for p, score_offset in zip(pair_shares, score_offsets, strict=True)
        )

    slope = _find_root(left, -1 / score_offsets[4], -1 / score_offsets[0])
    return [1 + slope * score_offset for score_offset in score_offsets]


def _find_root(falling_function: Callable[[float], float], low_end: float, high_end: float) -> float:
    """Where a falling function is 0, between two places where it is infinite."""
    for _ in range(100):
        middle_point = (low_end + high_end) / 2
        if middle_point in (low_end, high_end):
            break
        if falling_function(middle_point) > 0:
            low_end = middle_point
        else:
            high_end = middle_point
    return (low_end + high_end) / 2


def _points_and_games(pair_counts: PairCounts) -> tuple[float, float]:
    """Points and games; one game is drawn more if the points are all or none."""
    game_count = 2 * sum(pair_counts)
    won_points = game_count * mean_score(pair_counts)
    return (won_points, game_count) if 0 < won_points < game_count else (won_points + 0.5, game_count + 1)


def _add_signed(player_sums: list[float], first_player: int, second_player: int, value: float) -> None:
    for player, sign in ((first_player, 1), (second_player, -1)):
        if player:
            player_sums[player - 1] += sign * value


def _add_outer(matrix_rows: list[list[float]], first_player: int, second_player: int, value: float) -> None:
    for row_player, sign in ((first_player, 1), (second_player, -1)):
        if row_player:
            _add_signed(matrix_rows[row_player - 1], first_player, second_player, sign * value)


def _solve_linear(matrix: Sequence[Sequence[float]], right_side: Sequence[float]) -> list[float]:
    """The solution of linear equations with a positive definite matrix."""
    rows = [[*row, value] for row, value in zip(matrix, right_side, strict=True)]
    equation_count = len(rows)
    for row_index in range(equation_count):
        for row in rows[row_index + 1 :]:
            factor = row[row_index] / rows[row_index][row_index]
            for column_index in range(row_index, equation_count + 1):
                row[column_index] -= factor * rows[row_index][column_index]
    solution_values = [0.0] * equation_count
    for row_index in reversed(range(equation_count)):
        solution_values[row_index] = (
            rows[row_index][equation_count]
            - sum(
                rows[row_index][column_index] * solution_values[column_index]
                for column_index in range(row_index + 1, equation_count)
            )
        ) / rows[row_index][row_index]
    return solution_values
