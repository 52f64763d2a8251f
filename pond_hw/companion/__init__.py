"""The one loop, where board, session, players and screens meet."""

from pond_hw.companion.clocks import Clock, RealClock, SimulatedClock
from pond_hw.companion.failures import FAILURE_SHOWN_SECONDS, LONGEST_PAUSE_SECONDS, format_failure
from pond_hw.companion.loop import PACE_SECONDS, SLOW_WRITE_MESSAGE, SLOW_WRITE_SECONDS, Companion
from pond_hw.companion.seats import PlayerPair

__all__ = [
    "FAILURE_SHOWN_SECONDS",
    "LONGEST_PAUSE_SECONDS",
    "PACE_SECONDS",
    "SLOW_WRITE_MESSAGE",
    "SLOW_WRITE_SECONDS",
    "Clock",
    "Companion",
    "PlayerPair",
    "RealClock",
    "SimulatedClock",
    "format_failure",
]
