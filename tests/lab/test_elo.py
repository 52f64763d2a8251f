"""What results say about players: held against numbers worked out by hand, by other programs, and by simulation."""

from math import inf, isclose, log10, sqrt
from random import Random

import pytest

from pond_hw.lab import elo as strength
from pond_hw.lab.elo import PairingResult
from tests.conftest import each

approx = pytest.approx


def played(chance, score, draws=0.2, pairs=100):
    """Pairs between players of whom the first is expected to have this score."""
    found = [0] * 5
    for _ in range(pairs):
        points = 0
        for _ in range(2):
            luck = chance.random()
            points += 2 * (luck < score - draws / 2) + (score - draws / 2 <= luck < score + draws / 2)
        found[points] += 1
    return found


def test_elo_is_a_score_on_another_scale():
    assert strength.score_to_elo(0.5) == 0
    assert strength.score_to_elo(0.75) == approx(400 * log10(3))  # 190.85, as all tables have it
    assert strength.score_to_elo(10 / 11) == approx(400)
    assert (strength.score_to_elo(0), strength.score_to_elo(1)) == (-inf, inf)
    for difference in (-300, 0, 12.5, 800):
        assert strength.score_to_elo(strength.expected_score(difference)) == approx(difference)


def test_a_share_has_the_interval_that_wilson_gave_it():
    assert strength.share_interval(0.5, 10) == approx((0.2366, 0.7634), abs=1e-4)  # from the textbooks
    assert strength.share_interval(1, 10) == approx((0.7225, 1.0), abs=1e-4)
    assert strength.share_interval(0, 10) == approx((0.0, 0.2775), abs=1e-4)
    assert strength.share_interval(0, 0) == (0, 1)


def test_a_score_counts_pairs_and_not_games():
    assert strength.mean_score([1, 0, 2, 0, 5]) == (2 * 1 + 5 * 2) / 16
    split, alike = [0, 0, 100, 0, 0], [50, 0, 0, 0, 50]  # the sides decide every game; the opening decides both
    assert strength.mean_score(split) == strength.mean_score(alike) == 0.5
    narrow, wide = strength.score_interval(split), strength.score_interval(alike)
    assert wide == approx(
        strength.share_interval(0.5, 100)
    )  # a hundred pairs that tell as much as a hundred single games
    assert 0 < narrow.high - narrow.low < 0.02


@each(
    "pairs, elo, half",  # what fastchess told of these matches
    [
        ([1, 10, 78, 48, 13], 72.85, 22.33),
        ([352, 579, 1264, 743, 464], 19.83, 6.77),
    ],
)
def test_elo_and_its_interval_are_what_other_programs_tell(pairs, elo, half):
    assert strength.elo_difference(pairs) == approx(elo, abs=0.006)
    low, high = strength.elo_interval(pairs)
    assert (high - low) / 2 == approx(half, rel=0.03)


def test_who_has_won_every_game_is_taken_to_have_drawn_one_more():
    pairs = [0, 0, 0, 0, 50]
    assert strength.elo_difference(pairs) == approx(400 * log10(100.5 / 0.5))
    low, high = strength.elo_interval(pairs)
    assert (low, high) == (approx(strength.score_to_elo(strength.share_interval(1, 50).low)), inf)
    assert 0 < low < strength.elo_difference(pairs)
    assert strength.elo_interval(pairs[::-1]) == approx((-inf, -low))


@each("score", [0.5, 0.62, 0.9, 0.98])
def test_nineteen_intervals_of_twenty_hold_the_truth(score):
    chance = Random(f"intervals of {score}")
    draws = min(0.2, 2 - 2 * score)
    held = 0
    for _ in range(400):
        low, high = strength.score_interval(played(chance, score, draws, 60))
        held += low <= score <= high
    assert 0.93 <= held / 400 <= 0.99


def test_ratings_of_two_are_their_difference():
    for pairs in ([5, 10, 20, 30, 15], [0, 0, 0, 0, 9], [9, 0, 0, 0, 0]):
        (first, _), (second, interval) = strength.rate_players(2, [PairingResult(0, 1, pairs)])
        assert first == 0
        assert second == approx(-strength.elo_difference(pairs))
        assert interval.low < second < interval.high
    pairs = [20, 100, 300, 130, 50]  # many and even: both intervals are nearly the same
    interval, (low, high) = strength.rate_players(2, [PairingResult(0, 1, pairs)])[1][1], strength.elo_interval(pairs)
    assert (interval.low, interval.high) == approx((-high, -low), abs=1)


def test_with_these_ratings_everybody_would_be_expected_to_have_the_points_that_he_has():
    results = [
        PairingResult(0, 1, [5, 10, 30, 40, 15]),
        PairingResult(0, 2, [40, 30, 20, 5, 5]),
        PairingResult(1, 2, [60, 20, 10, 9, 1]),
    ]
    elo = [rating for rating, _ in strength.rate_players(3, results)]
    for player in range(3):
        have = wanted = 0.0
        for one, other, pairs in results:
            share = strength.mean_score(pairs) * 200
            expected = 200 * strength.expected_score(elo[one] - elo[other])
            have += share if player == one else 200 - share if player == other else 0
            wanted += expected if player == one else 200 - expected if player == other else 0
        assert have == approx(wanted)


def test_ratings_of_three_by_hand():
    """A wins three of four against B, B three of four against C, A nine of ten against C: 3 to 1, 3 to 1, 9 to 1."""
    thrice, nine = [0, 0, 50, 0, 50], [0, 0, 20, 0, 80]
    (_, _), (b, _), (c, _) = strength.rate_players(
        3, [PairingResult(0, 1, thrice), PairingResult(1, 2, thrice), PairingResult(0, 2, nine)]
    )
    assert b == approx(-400 * log10(3))
    assert c == approx(-400 * log10(9))


def test_ratings_that_are_simulated_lie_within_their_intervals():
    chance, truth, held = Random("ratings"), [0, 60, -150, 300], 0
    games = [(one, other) for one in range(4) for other in range(one)]
    for _ in range(100):
        results = [
            PairingResult(a, b, played(chance, strength.expected_score(truth[a] - truth[b]), 0.1)) for a, b in games
        ]
        rated = strength.rate_players(4, results)
        held += sum(low <= elo <= high for elo, (_, (low, high)) in zip(truth[1:], rated[1:], strict=True))
    assert 0.92 <= held / 300 <= 0.98


def test_ratings_hold_out_where_one_never_wins_and_where_nobody_has_played():
    results = [
        PairingResult(0, 1, [0, 0, 0, 0, 500]),
        PairingResult(0, 2, [0] * 5),
        PairingResult(1, 2, [500, 0, 0, 0, 0]),
    ]
    ratings = strength.rate_players(3, results)
    assert all(-5000 < elo < 5000 and low <= elo <= high for elo, (low, high) in ratings)
    assert ratings[1][0] < -800


@each(
    "pairs, elo0, elo1, told",  # what Stockfish's fishtest tells of these (LLRcalc.LLR_logistic)
    [
        ([10, 20, 30, 25, 15], 0, 5, 0.2694125272029),
        ([352, 579, 1264, 743, 464], 0, 10, 12.3899501083494),
        ([0, 0, 1, 8, 1], 0, 50, 1.3356830187888),
        ([50, 0, 0, 0, 0], -10, 10, -2.8783464855140),
        ([3, 40, 10, 1, 0], -10, 10, -3.1083223889095),
        ([195, 7880, 17968, 8267, 186], 0, 2, 3.8301469118013),
    ],
)
def test_the_likelihood_is_what_fishtest_tells(pairs, elo0, elo1, told):
    assert strength.log_likelihood_ratio(pairs, elo0, elo1) == approx(told, abs=1e-9)


def test_the_likelihood_has_no_favourite():
    assert strength.log_likelihood_ratio([0, 0, 50, 0, 0], -10, 10) == approx(0, abs=1e-9)
    pairs = [7, 3, 20, 9, 8]
    assert strength.log_likelihood_ratio(pairs, -10, 10) == approx(-strength.log_likelihood_ratio(pairs[::-1], -10, 10))
    assert isclose(strength.DECISION_BOUND, 2.944439, abs_tol=1e-6)
    assert strength.pair_variance([0, 0, 10**6, 0, 0]) < 1e-6
    assert sqrt(strength.pair_variance([50, 0, 0, 0, 50])) == approx(0.5)


@pytest.mark.long
@pytest.mark.parametrize("better", [False, True])
def test_the_test_is_seldom_wrong(better):
    """Whichever of its answers is right: wrong in one of twenty at the most, but for chance."""
    chance, wrong = Random(f"test {better}"), 0
    for _ in range(400):
        pairs, found = [0] * 5, 0.0
        while abs(found) < strength.DECISION_BOUND:
            more = played(chance, strength.expected_score(40 if better else -40), 0.2, 1)
            pairs = [n + m for n, m in zip(pairs, more, strict=True)]
            found = strength.log_likelihood_ratio(pairs, -40, 40)
        wrong += (found > 0) != better
    assert wrong / 400 < 0.075
