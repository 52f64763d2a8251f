"""A whole board on mock pins in simulated time. Touches become edges, and the bytes sent to the lamps are recorded.

Everything in between is real: gpiozero's classes, the scan, the companion, the game, the lights and the pulse encoder.
"""

from random import Random
from threading import Event

from pond_hw.board_factory import build_board
from pond_hw.companion import Companion, SimulatedClock
from pond_hw.drivers.lamp_pulses import PACKED
from pond_hw.session import Session
from pond_hw.setup.controller import PolledBoard
from tests.drivers.ws2812 import RecordedWire

BOUNCE = 0.005  # seconds of switch bounce, each way


class WiredGame:
    """A game on a board described by a profile, with switches to ground."""

    def __init__(self, pins, profile, pond, limiter):
        self.pins, self.profile = pins, profile
        self.clock, self.wire, self.rng = SimulatedClock(), RecordedWire(), Random(11)
        board = build_board(profile, self.clock.now, wire=self.wire)
        session = Session.start_game(pond, profile.size)
        self.companion = Companion(PolledBoard(board.sensors, board.lamps), session, self.clock, limiter=limiter)
        self.companion.step()

    def wait(self, seconds, watch=lambda: None):
        """Let time pass, one sensor scan at a time."""
        end = self.clock.now() + seconds
        while self.clock.now() < end - 1e-9:
            self.clock.wait(min(end, self.clock.now() + self.companion.board.sensors.pause_seconds), Event())
            self.companion.board.sensors.poll(self.clock.now())
            self.companion.step()
            watch()

    def touch(self, cell):
        """Press a bouncing switch briefly, and release it."""
        for closing, rest in ((True, 0.06), (False, 0.06)):
            begun = self.clock.now()
            while self.clock.now() - begun < BOUNCE:
                self._switch(cell, closed=self.rng.random() < 0.5)
                self.wait(0.001)
            self._switch(cell, closed=closing)
            self.wait(rest)

    def _switch(self, cell, *, closed):
        pin = self.pins.pins.pin(self.profile.sensing.wiring.pins[cell])
        (pin.drive_low if closed else pin.drive_high)()

    @property
    def session(self):
        return self.companion.session

    @property
    def bits(self):
        """Bits of the last transfer on the data line."""
        return PACKED.encode(self.wire.sent[-1])
