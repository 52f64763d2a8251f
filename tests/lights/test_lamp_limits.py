"""The limits of a profile's lamps."""

import pytest

from pond_hw.lights import CurrentLimiter
from pond_hw.lights.lamp_limits import dimmed_limiter, profile_limiter
from pond_hw.profile import list_shipped, load_profile


def test_a_profiles_limits_are_the_limiters():
    profile = load_profile("direct-4x4")
    limiter = profile_limiter(profile)
    assert (limiter.budget, limiter.slew, limiter.brightness) == (400, 120, 0.5)


@pytest.mark.parametrize("board", list_shipped())
def test_lamps_that_are_not_drawn_take_from_the_budget_what_they_need_at_rest(board):
    profile = load_profile(board)
    drawn = len(profile.chain.cell_positions) + sum(map(len, profile.chain.strip_positions))
    assert profile_limiter(profile).budget == profile.chain.budget_ma - (profile.chain.lamp_count - drawn)


def test_dimmed_lamps_have_a_quarter_of_light_and_current_and_stay_lit():
    limiter = CurrentLimiter(budget=100, slew=30, brightness=0.8)
    faint = dimmed_limiter(limiter, lamp_count=60)
    assert faint.brightness == pytest.approx(0.2)
    assert faint.budget == 70  # 60 for rest, and a quarter of the other 40
    assert faint.slew == 30
    assert dimmed_limiter(limiter, lamp_count=200).budget == 100
