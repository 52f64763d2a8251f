"""The two clocks that a companion may live by; real and simulated time run the same code."""

from __future__ import annotations

import time
from threading import Event as Flag
from typing import Protocol


class Clock(Protocol):
    """What time it is, and how to let it pass."""

    def now(self) -> float:
        """Seconds since the clock was made; it never goes back."""

    def wait(self, until_instant: float, arrival_flag: Flag) -> None:
        """Let time pass until that instant, or until something has arrived."""


class RealClock:
    """The time that people live in, whatever the wall clock says."""

    def __init__(self) -> None:
        self._started_at = time.monotonic()

    def now(self) -> float:
        """Seconds since this clock was made."""
        return time.monotonic() - self._started_at

    def wait(self, until_instant: float, arrival_flag: Flag) -> None:
        """Sleep until that instant, or until something has arrived."""
        arrival_flag.wait(max(0.0, until_instant - self.now()))


class SimulatedClock:
    """Time that passes only when somebody waits for it, and then at once."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Seconds that have been waited for."""
        return self._now

    def wait(self, until_instant: float, arrival_flag: Flag) -> None:
        """Be at that instant, unless something has arrived."""
        if not arrival_flag.is_set():
            self.advance_to(until_instant)

    def advance_to(self, instant: float) -> None:
        """Be at that instant, in seconds, if it has not passed."""
        self._now = max(self._now, instant)
