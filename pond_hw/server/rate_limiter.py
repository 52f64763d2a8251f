"""How much of something there may be in a while. Pure."""

from __future__ import annotations


class RateLimiter:
    """So many at once, and so many a second.

    Args:
        token_rate: how many a second, and how many after a rest.
        now: the instant, in seconds.
    """

    def __init__(self, token_rate: float, now: float) -> None:
        self._token_rate = self._tokens_left = token_rate
        self._updated_at = now

    def take_token(self, now: float, count: int = 1) -> bool:
        """Take one, or so many, if they are there."""
        self._tokens_left = self._tokens_at(now)
        self._updated_at = now
        if self._tokens_left < count:
            return False
        self._tokens_left -= count
        return True

    def token_due(self, now: float) -> float:
        """When there will be one."""
        return now + max(0.0, 1 - self._tokens_at(now)) / self._token_rate

    def _tokens_at(self, now: float) -> float:
        return min(self._token_rate, self._tokens_left + (now - self._updated_at) * self._token_rate)
