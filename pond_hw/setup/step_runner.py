"""Runs a set-up step on a board. The caller decides when it runs.

board.sensors   ->  samples, keys, health  ->  step  ->  lit lamps  ->  limiter  ->  board.lamps
terminal, JSON  ->  replies                ->
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from queue import SimpleQueue
from typing import TYPE_CHECKING

from pond_hw.board import Board, BoardFault, Frame, HealthEvent, KeyEvent, TurnKeyEvent
from pond_hw.drivers.scan import SensorScan
from pond_hw.lights import FRAME_SECONDS, CurrentLimiter
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.setup.lamp_positions import lamp_levels
from pond_hw.setup.step import LitLamps, SetupStep, StepEvent, StepTick

if TYPE_CHECKING:
    from pond_hw.setup.wizard import SetupWizard  # not imported at run time, because it imports all steps


class StepRunner:
    """Runs a step, or the wizard with all steps.

    Args:
        profile: the board's profile.
        board: the board. It is opened here and closed by `close`.
        step: the step or the wizard.
        clock_now: clock, in seconds.
        current_limiter: current limiter for the lamps.
        on_arrival: callback for new events; called from any thread.

    Attributes:
        step: the step or the wizard.
        frame: last frame that was sent to the lamps.
        frames: number of frames sent, including failed ones.
        lamp_trouble: reason why frames cannot be sent to the lamps, or None.

    Raises:
        BoardFault: if the board cannot be opened.
    """

    def __init__(
        self,
        profile: Profile,
        board: Board,
        step: SetupStep | SetupWizard,
        clock_now: Callable[[], float],
        current_limiter: CurrentLimiter,
        on_arrival: Callable[[], None] = lambda: None,
    ) -> None:
        self.step = step
        self.frame = Frame.dark_frame_of(board.lamps)
        self.frames = 0
        self.lamp_trouble: Message | None = None
        self._profile, self._board, self._now, self._limiter = profile, board, clock_now, current_limiter
        self._arrived = on_arrival
        self._inbox: SimpleQueue[StepEvent] = SimpleQueue()
        self._next_frame = clock_now()
        self._steady: LitLamps | None = None  # lit lamps that the last frame shows; None while they fade
        if isinstance(board.sensors, SensorScan):
            board.sensors.sample_watchers.append(self.put)
            board.sensors.always_fast = True
        board.open(lambda event: self.put(event) if isinstance(event, KeyEvent | TurnKeyEvent | HealthEvent) else None)

    def put(self, event: StepEvent) -> None:
        """Queue an event. May be called from any thread at any time."""
        self._inbox.put(event)
        self._arrived()

    def run_once(self) -> float:
        """Process all queued events and update the lamps.

        Returns:
            Time at which to call this again if no event arrives before then, in seconds.
        """
        for _ in range(self._inbox.qsize()):  # if a step raises an exception, later events stay queued
            self.step.after(self._inbox.get_nowait())
        clock_now, due_time = self._now(), -inf
        while due_time < self.step.due <= clock_now:
            due_time = self.step.due
            self.step.after(StepTick(clock_now))
        if clock_now >= self._next_frame:
            self._show(clock_now)
        return min(self._next_frame, self.step.due)

    def close(self) -> None:
        """Close the board and restore the default scan rate of the sensors."""
        self._board.close()
        sensor_scan = self._board.sensors
        if isinstance(sensor_scan, SensorScan):
            sensor_scan.always_fast = False
            if self.put in sensor_scan.sample_watchers:
                sensor_scan.sample_watchers.remove(self.put)

    def _show(self, clock_now: float) -> None:
        lit = self.step.lit_lamps
        if lit != self._steady:
            new_frame = self._limiter.limit_frame(lamp_levels(self._profile, lit), self.frame)
            self._steady = lit if new_frame == self.frame else None
            self.frame = new_frame
        self._next_frame = clock_now + FRAME_SECONDS
        self.frames += 1
        try:
            self._board.lamps.show(self.frame)
            self.lamp_trouble = None
        except BoardFault as fault:
            self.lamp_trouble = fault.message
