"""What a profile's lamps may draw, and what is left of it while the supply sags."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.lights import Limiter
from pond_hw.profile.board_profile import Profile

LEFT = 0.25
"""The share of their light and current that is left to dimmed lamps."""


def limiter_of(profile: Profile) -> Limiter:
    """The limiter of a profile's lamps: what the chain's other lamps, which stay dark, need at rest is taken off."""
    chain = profile.chain
    undrawn = chain.count - len(chain.cells) - sum(map(len, chain.strips))
    limiter = Limiter(chain.budget, chain.slew, chain.brightness)
    return replace(limiter, budget=max(0.0, limiter.budget - undrawn * limiter.idle))


def dimmed(limiter: Limiter, lamps: int) -> Limiter:
    """The limiter for so many lamps as long as they are dimmed: what they need at rest they need dimmed as well."""
    at_rest = min(limiter.budget, limiter.idle * lamps)
    budget = at_rest + LEFT * (limiter.budget - at_rest)
    return replace(limiter, brightness=LEFT * limiter.brightness, budget=budget)
