"""Elo ratings, compared with results computed by hand, by other programs and by simulation."""

from math import inf, isclose, log10, sqrt
from random import Random

import pytest

from pond_hw.lab import elo as strength
from pond_hw.lab.elo import PairingResult
from tests.conftest import each

approx = pytest.approx


def simulate_pairs(rng, score, draws=0.2, pairs=100):
    """Return the counts of random pairs in which the first player has this expected score."""
    counts = [0] * 5
    for _ in range(pairs):
        points = 0
        for _ in range(2):
            draw_number = rng.random()
            points += 2 * (draw_number < score - draws / 2) + (score - draws / 2 <= draw_number < score + draws / 2)
        counts[points] += 1
    return counts


def test_score_and_elo_round_trip():
    assert strength.score_to_elo(0.5) == 0
    assert strength.score_to_elo(0.75) == approx(400 * log10(3))  # 190.85, as in Elo tables
    assert strength.score_to_elo(10 / 11) == approx(400)
    assert (strength.score_to_elo(0), strength.score_to_elo(1)) == (-inf, inf)
    for difference in (-300, 0, 12.5, 800):
        assert strength.score_to_elo(strength.expected_score(difference)) == approx(difference)


def test_share_interval_follows_wilsons_method():
    assert strength.share_interval(0.5, 10) == approx((0.2366, 0.7634), abs=1e-4)  # textbook values
    assert strength.share_interval(1, 10) == approx((0.7225, 1.0), abs=1e-4)
    assert strength.share_interval(0, 10) == approx((0.0, 0.2775), abs=1e-4)
    assert strength.share_interval(0, 0) == (0, 1)


def test_score_interval_uses_pairs():
    assert strength.mean_score([1, 0, 2, 0, 5]) == (2 * 1 + 5 * 2) / 16
    decided_by_side, decided_by_opening = (
        [0, 0, 100, 0, 0],
        [50, 0, 0, 0, 50],
    )  # the sides decide every game; the opening decides both
    assert strength.mean_score(decided_by_side) == strength.mean_score(decided_by_opening) == 0.5
    narrow, wide = strength.score_interval(decided_by_side), strength.score_interval(decided_by_opening)
    assert wide == approx(strength.share_interval(0.5, 100))  # as good as 100 single games
    assert 0 < narrow.high - narrow.low < 0.02


@each(
    "pairs, elo, half_width",  # from fastchess
    [
        ([1, 10, 78, 48, 13], 72.85, 22.33),
        ([352, 579, 1264, 743, 464], 19.83, 6.77),
    ],
)
def test_elo_agrees_with_fastchess(pairs, elo, half_width):
    assert strength.elo_difference(pairs) == approx(elo, abs=0.006)
    low, high = strength.elo_interval(pairs)
    assert (high - low) / 2 == approx(half_width, rel=0.03)


def test_elo_after_winning_every_game():
    pairs = [0, 0, 0, 0, 50]
    assert strength.elo_difference(pairs) == approx(400 * log10(100.5 / 0.5))
    low, high = strength.elo_interval(pairs)
    assert (low, high) == (approx(strength.score_to_elo(strength.share_interval(1, 50).low)), inf)
    assert 0 < low < strength.elo_difference(pairs)
    assert strength.elo_interval(pairs[::-1]) == approx((-inf, -low))


@each("score", [0.5, 0.62, 0.9, 0.98])
def test_score_intervals_cover_95_percent(score):
    rng = Random(f"intervals of {score}")
    draws = min(0.2, 2 - 2 * score)
    covered = 0
    for _ in range(400):
        low, high = strength.score_interval(simulate_pairs(rng, score, draws, 60))
        covered += low <= score <= high
    assert 0.93 <= covered / 400 <= 0.99


def test_ratings_of_two_players_match_their_elo_difference():
    for pairs in ([5, 10, 20, 30, 15], [0, 0, 0, 0, 9], [9, 0, 0, 0, 0]):
        (first, _), (second, interval) = strength.rate_players(2, [PairingResult(0, 1, pairs)])
        assert first == 0
        assert second == approx(-strength.elo_difference(pairs))
        assert interval.low < second < interval.high
    pairs = [20, 100, 300, 130, 50]  # with many games both intervals are nearly the same
    interval, (low, high) = strength.rate_players(2, [PairingResult(0, 1, pairs)])[1][1], strength.elo_interval(pairs)
    assert (interval.low, interval.high) == approx((-high, -low), abs=1)


def test_ratings_reproduce_the_points():
    results = [
        PairingResult(0, 1, [5, 10, 30, 40, 15]),
        PairingResult(0, 2, [40, 30, 20, 5, 5]),
        PairingResult(1, 2, [60, 20, 10, 9, 1]),
    ]
    elo = [rating for rating, _ in strength.rate_players(3, results)]
    for player in range(3):
        actual_points = expected_points = 0.0
        for one, other, pairs in results:
            share = strength.mean_score(pairs) * 200
            expected = 200 * strength.expected_score(elo[one] - elo[other])
            actual_points += share if player == one else 200 - share if player == other else 0
            expected_points += expected if player == one else 200 - expected if player == other else 0
        assert actual_points == approx(expected_points)


def test_ratings_of_three_players_match_known_odds():
    """A wins three of four against B, B three of four against C, A nine of ten against C: 3 to 1, 3 to 1, 9 to 1."""
    three_to_one, nine_to_one = [0, 0, 50, 0, 50], [0, 0, 20, 0, 80]
    (_, _), (b, _), (c, _) = strength.rate_players(
        3, [PairingResult(0, 1, three_to_one), PairingResult(1, 2, three_to_one), PairingResult(0, 2, nine_to_one)]
    )
    assert b == approx(-400 * log10(3))
    assert c == approx(-400 * log10(9))


def test_rating_intervals_cover_95_percent():
    rng, truth, covered = Random("ratings"), [0, 60, -150, 300], 0
    games = [(one, other) for one in range(4) for other in range(one)]
    for _ in range(100):
        results = [
            PairingResult(a, b, simulate_pairs(rng, strength.expected_score(truth[a] - truth[b]), 0.1))
            for a, b in games
        ]
        rated = strength.rate_players(4, results)
        covered += sum(low <= elo <= high for elo, (_, (low, high)) in zip(truth[1:], rated[1:], strict=True))
    assert 0.92 <= covered / 300 <= 0.98


def test_ratings_stay_finite():
    results = [
        PairingResult(0, 1, [0, 0, 0, 0, 500]),
        PairingResult(0, 2, [0] * 5),
        PairingResult(1, 2, [500, 0, 0, 0, 0]),
    ]
    ratings = strength.rate_players(3, results)
    assert all(-5000 < elo < 5000 and low <= elo <= high for elo, (low, high) in ratings)
    assert ratings[1][0] < -800


@each(
    "pairs, elo0, elo1, expected",  # from Stockfish's fishtest (LLRcalc.LLR_logistic)
    [
        ([10, 20, 30, 25, 15], 0, 5, 0.2694125272029),
        ([352, 579, 1264, 743, 464], 0, 10, 12.3899501083494),
        ([0, 0, 1, 8, 1], 0, 50, 1.3356830187888),
        ([50, 0, 0, 0, 0], -10, 10, -2.8783464855140),
        ([3, 40, 10, 1, 0], -10, 10, -3.1083223889095),
        ([195, 7880, 17968, 8267, 186], 0, 2, 3.8301469118013),
    ],
)
def test_likelihood_agrees_with_fishtest(pairs, elo0, elo1, expected):
    assert strength.log_likelihood_ratio(pairs, elo0, elo1) == approx(expected, abs=1e-9)


def test_likelihood_is_symmetric():
    assert strength.log_likelihood_ratio([0, 0, 50, 0, 0], -10, 10) == approx(0, abs=1e-9)
    pairs = [7, 3, 20, 9, 8]
    assert strength.log_likelihood_ratio(pairs, -10, 10) == approx(-strength.log_likelihood_ratio(pairs[::-1], -10, 10))
    assert isclose(strength.DECISION_BOUND, 2.944439, abs_tol=1e-6)
    assert strength.pair_variance([0, 0, 10**6, 0, 0]) < 1e-6
    assert sqrt(strength.pair_variance([50, 0, 0, 0, 50])) == approx(0.5)


@pytest.mark.long
@pytest.mark.parametrize("better", [False, True])
def test_error_rate_of_the_test_is_kept(better):
    """Whichever side is better, at most about 5 % of the decisions are wrong."""
    rng, wrong = Random(f"test {better}"), 0
    for _ in range(400):
        pairs, counts = [0] * 5, 0.0
        while abs(counts) < strength.DECISION_BOUND:
            new_pairs = simulate_pairs(rng, strength.expected_score(40 if better else -40), 0.2, 1)
            pairs = [n + m for n, m in zip(pairs, new_pairs, strict=True)]
            counts = strength.log_likelihood_ratio(pairs, -40, 40)
        wrong += (counts > 0) != better
    assert wrong / 400 < 0.075
