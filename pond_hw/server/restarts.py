"""A service that falls over again and again starts safely: with nothing that somebody may have set wrongly.

Every start leaves its time beside the socket, and a service that ends as it should takes it away. The folder is in
memory: it is not worn out, and forgets when the machine starts anew. Times are seconds since then.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from pathlib import Path

QUICK_RESTART_SECONDS = 60.0
"""A service that is started again so soon has fallen over."""

MAX_QUICK_RESTARTS = 3
"""So many times in a row, and the next start is a safe one."""


def _seconds_since_boot() -> float:
    """Seconds since the machine started."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class RestartHistory:
    """The starts of one service.

    Args:
        file: where their times are noted; if that is not possible, nothing is known of them.
        now: seconds since the machine started.

    Attributes:
        needs_safe_start: whether this one is to be a safe one.
    """

    def __init__(self, file: Path, now: Callable[[], float] = _seconds_since_boot) -> None:
        self._history_file = file
        started_at = now()
        start_times = [*self._recent_starts(started_at), started_at]
        self.needs_safe_start = len(start_times) > MAX_QUICK_RESTARTS
        with suppress(OSError):
            file.write_text(json.dumps(start_times[-MAX_QUICK_RESTARTS - 1 :]))

    def _recent_starts(self, until_instant: float) -> list[float]:
        """When the service was started before, each time soon after the last."""
        try:
            told = json.loads(self._history_file.read_text())
        except (OSError, ValueError):
            return []
        recent_starts: list[float] = []
        for start_instant in reversed(told if isinstance(told, list) else []):
            is_instant = isinstance(start_instant, float) and isfinite(start_instant)
            if not is_instant or not 0 <= until_instant - start_instant < QUICK_RESTART_SECONDS:
                break
            recent_starts.insert(0, start_instant)
            until_instant = start_instant
        return recent_starts

    def clear_history(self) -> None:
        """It ended because it was told to, or could not begin for a reason that a person has to mend."""
        with suppress(OSError):
            self._history_file.unlink()
