"""Real and simulated clocks for a companion, with the same interface."""

from __future__ import annotations

import time
from threading import Event as Flag
from typing import Protocol


class Clock(Protocol):
    """Source of time for a companion."""

    def now(self) -> float:
        """Return the seconds since the clock was created. Never decreases."""

    def wait(self, until_instant: float, arrival_flag: Flag) -> None:
        """Wait until that instant or until the flag is set."""


class RealClock:
    """Monotonic clock."""

    def __init__(self) -> None:
        self._started_at = time.monotonic()

    def now(self) -> float:
        return time.monotonic() - self._started_at

    def wait(self, until_instant: float, arrival_flag: Flag) -> None:
        arrival_flag.wait(max(0.0, until_instant - self.now()))


class SimulatedClock:
    """Clock that jumps to the end of each wait."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def wait(self, until_instant: float, arrival_flag: Flag) -> None:
        """Jump to that instant, unless the flag is set."""
        if not arrival_flag.is_set():
            self.advance_to(until_instant)

    def advance_to(self, instant: float) -> None:
        """Advance to an instant in seconds, unless it has passed."""
        self._now = max(self._now, instant)
