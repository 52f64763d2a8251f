"""A limit on the log: whatever clients cause, it does not fill the disk."""

from __future__ import annotations

import logging
from collections import Counter
from time import monotonic

from pond_hw.server.rate_limiter import RateLimiter

RECORDS_PER_MINUTE = 10


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
