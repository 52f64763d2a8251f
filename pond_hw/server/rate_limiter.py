"""Limits on how often something may happen: lines, requests, records of the log."""

from __future__ import annotations

import logging
from collections import Counter
from time import monotonic

RECORDS_PER_MINUTE = 10


class RateLimiter:
    """A limit of tokens a second, with as many at once after a rest.

    Args:
        token_rate: tokens a second, and after a rest.
        now: the instant, in seconds.
    """

    def __init__(self, token_rate: float, now: float) -> None:
        self._token_rate = self._tokens_left = token_rate
        self._updated_at = now

    def take_token(self, now: float, count: int = 1) -> bool:
        """Take tokens if there are enough; return False if not."""
        self._tokens_left = self._tokens_at(now)
        self._updated_at = now
        if self._tokens_left < count:
            return False
        self._tokens_left -= count
        return True

    def token_due(self, now: float) -> float:
        """Return the instant of the next token."""
        return now + max(0.0, 1 - self._tokens_at(now)) / self._token_rate

    def _tokens_at(self, now: float) -> float:
        return min(self._token_rate, self._tokens_left + (now - self._updated_at) * self._token_rate)


class LogLimit(logging.Filter):
    """A filter that lets a few records a minute through, of each logger and level."""

    def __init__(self) -> None:
        super().__init__()
        self._limiters: dict[tuple[str, int], RateLimiter] = {}
        self._left_out = Counter[tuple[str, int]]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if a record may be logged. The next one that may tells how many were left out before it."""
        kind, minutes = (record.name, record.levelno), monotonic() / 60
        limiter = self._limiters.setdefault(kind, RateLimiter(RECORDS_PER_MINUTE, minutes))
        if not limiter.take_token(minutes):
            self._left_out[kind] += 1
            return False
        if count := self._left_out.pop(kind, 0):
            record.msg, record.args = f"{record.getMessage()} ({count} such messages before it were left out.)", ()
        return True
