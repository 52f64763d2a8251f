"""Rate limits for lines, requests and log records."""

from __future__ import annotations

import logging
from collections import Counter
from time import monotonic

RECORDS_PER_MINUTE = 10


class RateLimiter:
    """A token bucket. It gains `token_rate` tokens per second and holds at most that many."""

    def __init__(self, token_rate: float, now: float) -> None:
        self._token_rate = self._tokens_left = token_rate
        self._updated_at = now

    def take_token(self, now: float, count: int = 1) -> bool:
        """Take tokens if there are enough. Return True if they were taken."""
        self._tokens_left = self._tokens_at(now)
        self._updated_at = now
        if self._tokens_left < count:
            return False
        self._tokens_left -= count
        return True

    def token_due(self, now: float) -> float:
        """Return the time at which the next token becomes available."""
        return now + max(0.0, 1 - self._tokens_at(now)) / self._token_rate

    def _tokens_at(self, now: float) -> float:
        return min(self._token_rate, self._tokens_left + (now - self._updated_at) * self._token_rate)


class LogLimit(logging.Filter):
    """A log filter that lets through a few records per minute for each logger and level."""

    def __init__(self) -> None:
        super().__init__()
        self._limiters: dict[tuple[str, int], RateLimiter] = {}
        self._left_out = Counter[tuple[str, int]]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if a record may be logged. The next one to be logged says how many were suppressed."""
        kind, minutes = (record.name, record.levelno), monotonic() / 60
        limiter = self._limiters.setdefault(kind, RateLimiter(RECORDS_PER_MINUTE, minutes))
        if not limiter.take_token(minutes):
            self._left_out[kind] += 1
            return False
        if count := self._left_out.pop(kind, 0):
            record.msg, record.args = f"{record.getMessage()} ({count} such messages before it were left out.)", ()
        return True
