"""What a profile's lamps may draw, and what is left of it while the supply sags."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.lights import CurrentLimiter
from pond_hw.profile.board_profile import Profile

DIMMED_SHARE = 0.25
"""The share of their light and current that is left to dimmed lamps."""


def profile_limiter(profile: Profile) -> CurrentLimiter:
    """The limiter of a profile's lamps: what the chain's other lamps, which stay dark, need at rest is taken off."""
    chain = profile.chain
    undrawn_lamps = chain.lamp_count - len(chain.cell_positions) - sum(map(len, chain.strip_positions))
    limiter = CurrentLimiter(chain.budget_ma, chain.slew_ma, chain.brightness)
    return replace(limiter, budget=max(0.0, limiter.budget - undrawn_lamps * limiter.idle))


def dimmed_limiter(limiter: CurrentLimiter, lamp_count: int) -> CurrentLimiter:
    """The limiter for so many lamps as long as they are dimmed: what they need at rest they need dimmed as well."""
    at_rest = min(limiter.budget, limiter.idle * lamp_count)
    budget = at_rest + DIMMED_SHARE * (limiter.budget - at_rest)
    return replace(limiter, brightness=DIMMED_SHARE * limiter.brightness, budget=budget)
