"""The main loop, which connects the board, the session, the players and the screens."""

from pond_hw.companion.clocks import Clock, RealClock, SimulatedClock
from pond_hw.companion.error_barrier import describe_failure
from pond_hw.companion.loop import Companion

__all__ = ["Clock", "Companion", "RealClock", "SimulatedClock", "describe_failure"]
