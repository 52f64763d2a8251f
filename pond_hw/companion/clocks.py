"""Real and simulated clocks with a common interface."""

from __future__ import annotations

import time
from threading import Event as Flag
from typing import Protocol


class Clock(Protocol):
    """Interface of a clock."""

    def now(self) -> float:
        """Return the time since the clock was created, in seconds. Never decreases."""

    def wait(self, until_instant: float, arrival_flag: Flag) -> None:
        """Wait until `until_instant` or until the flag is set, whichever comes first."""


class RealClock:
    """Clock that runs in real time."""

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
        """Jump to `until_instant`, unless the flag is set."""
        if not arrival_flag.is_set():
            self.advance_to(until_instant)

    def advance_to(self, instant: float) -> None:
        """Advance to a time in seconds, unless it is in the past."""
        self._now = max(self._now, instant)
