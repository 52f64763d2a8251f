"""Set-up without a screen, started by a gesture at power-on.

If only a1 and the top right corner are pressed at power-on, both of them blink. Releasing them within five seconds
starts set-up by the lamps alone, followed by a game. Otherwise the board starts a game as usual.

On a board with pieces, the user puts a piece on each of the two corners, then lifts both. Pieces that are not lifted do
not count, because they may be left over from an earlier game.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from pond_hw.board import RGB, Board, HealthEvent, KeyEvent, Sample, TurnKeyEvent
from pond_hw.board_factory import close_with_timeout
from pond_hw.drivers.systemd import SystemdNotifier, WatchdogHeartbeat
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import Cell, get_grid
from pond_hw.setup.lamp_positions import light_cells
from pond_hw.setup.pages import StepPage
from pond_hw.setup.step import Conversation, LitLamps, Prompt, SetupStep, StepEvent, StepResult, StepTick
from pond_hw.setup.step_runner import StepRunner

LOG = logging.getLogger("pond")

SAMPLE_TIMEOUT = 0.6  # seconds to wait for a first sample
RELEASE_TIMEOUT = 5.0  # seconds in which both corners must be released
BLINK = 0.25  # seconds for which the corners stay lit or dark
LIGHT: RGB = (150, 150, 150)

IDLE_TIMEOUT = 300.0
"""Seconds without user input after which set-up ends and a game begins."""


class CornerGesture(SetupStep):
    """Detector for the gesture that starts set-up.

    Attributes:
        profile: the board's profile.
        corners: the two cells to hold.
        since: time of power-on, in seconds; later, the time at which the held corners were detected.
        at: time of the latest event.
        is_requested: True if the user requested set-up; None while undecided.
    """

    title = Message("setup_gesture.title")

    def __init__(self, profile: Profile, instant: float) -> None:
        self.profile, self.since, self.at = profile, instant, instant
        self.corners = frozenset((get_grid(profile.size).cells[0], get_grid(profile.size).cells[-1]))
        self.is_requested: bool | None = None
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Blink the two corners until both are released, if they are the only cells held at the start."""
        first_prompt = Prompt(StepPage(self.title), due=self.since + SAMPLE_TIMEOUT)
        while self._is_undecided(event := (yield first_prompt), SAMPLE_TIMEOUT):
            pass
        are_held = isinstance(event, Sample) and self._down(event) == self.corners
        if are_held:
            self.since, release_message = self.at, Message("setup_gesture.let_go", cells=tuple(sorted(self.corners)))
            asked_page = StepPage(self.title, (), release_message)
            while self._is_undecided(event, RELEASE_TIMEOUT) or (
                isinstance(event, Sample) and set() < self._down(event) <= self.corners
            ):
                event = yield Prompt(asked_page, self._light, self.since + (self._beats + 1) * BLINK)
        self.is_requested = are_held and isinstance(event, Sample) and not self._down(event)
        return StepResult()

    def _is_undecided(self, event: StepEvent, timeout: float) -> bool:
        """Return True if more events are needed for a decision."""
        if isinstance(event, Sample | StepTick):
            self.at = event.instant
        still_waits = isinstance(event, StepTick) and event.instant < self.since + timeout - 1e-6
        is_irrelevant = isinstance(event, KeyEvent | TurnKeyEvent)
        return still_waits or is_irrelevant or (isinstance(event, HealthEvent) and event.trouble is None)

    def _down(self, new_sample: Sample) -> set[Cell]:
        sensor_levels = zip(get_grid(self.profile.size).cells, new_sample.sensed_levels, strict=True)
        return {corner_cell for corner_cell, sensor_level in sensor_levels if sensor_level}

    @property
    def _beats(self) -> int:
        """Number of blink phases (lit or dark) since the held corners were detected."""
        return int((self.at - self.since) / BLINK + 1e-6)

    def _light(self) -> LitLamps:
        """Blink the two corners."""
        return light_cells(self.profile, () if self._beats % 2 else self.corners, LIGHT)


class BusHung(RuntimeError):
    """Raised when the sensor bus hangs. Its thread cannot be stopped, so this process can no longer use the board."""


def is_setup_requested(
    profile: Profile, board: Board, now: Callable[[], float], arrived_event: threading.Event, end_signals: list[int]
) -> bool:
    """Open the board, watch for the gesture, and close the board again. Return True if the user requested set-up.

    Args:
        profile: the board's profile.
        board: the board, not yet opened.
        now: clock, in seconds.
        arrived_event: event that is set, from any thread, when a sensor event arrives.
        end_signals: termination signals received so far.

    Raises:
        BoardFault: if the board cannot be opened.
        BusHung: if the sensor bus hangs.
    """
    corner_gesture = CornerGesture(profile, now())
    step_runner = StepRunner(profile, board, corner_gesture, now, profile_limiter(profile), arrived_event.set)
    try:
        due_time = step_runner.run_once()
        while not end_signals and corner_gesture.is_requested is None:
            arrived_event.wait(max(0.0, due_time - now()))
            arrived_event.clear()
            due_time = step_runner.run_once()
    finally:
        is_closed = close_with_timeout(step_runner.close, board.lamps)
    if not is_closed:
        raise BusHung("The sensors hang.")
    return bool(corner_gesture.is_requested) and not end_signals


def run_setup_by_lamps(
    board_name: str, now: Callable[[], float], arrived_event: threading.Event, end_signals: list[int]
) -> Profile:
    """Set up a board using only its lamps, and return the new profile. The caller must hold the lock on the board's devices.

    Raises:
        PondError: if the board cannot be opened.
        BusHung: if the sensor bus hangs.
    """
    from pond_hw.setup.controller import SetupController  # imports all steps, which are rarely needed

    systemd_notifier = SystemdNotifier()
    watchdog_heartbeat = WatchdogHeartbeat(systemd_notifier)
    controller = SetupController(board_name, now, on_arrival=arrived_event.set, devices_held=True)
    try:
        LOG.info("%s: set-up by the lamps alone, since two corners were held", controller.profile.name)
        controller.begin_guided()
        systemd_notifier.send_lines("READY=1")  # not later, because set-up may take minutes
        page, page_since, logged_steps = None, now(), set[str]()
        while not end_signals and not controller.wizard.over:
            arrived_event.clear()
            due_time = controller.process_events()
            watchdog_heartbeat.beat_if_alive(now(), *controller.activity_counts)
            if controller.current_page != page:
                page, page_since = controller.current_page, now()
                shown = controller.show_page()
                systemd_notifier.send_lines(f"STATUS={controller.profile.name}: set-up, {shown.title}: {shown.prompt}")
            for step_name in controller.wizard.results.keys() - logged_steps:
                logged_steps.add(step_name)
                LOG.info(
                    "set-up, %s: %s", step_name, get_catalogue().text(controller.result_notes) or "nothing has changed"
                )
            if now() >= page_since + IDLE_TIMEOUT:
                LOG.info("set-up ended: no input for %.0f seconds", IDLE_TIMEOUT)
                break
            arrived_event.wait(max(0.0, due_time - now()))
    finally:
        controller.close()
    if controller.bus_hung:
        raise BusHung("The sensors hang.")
    if controller.failure_trace:
        LOG.error("set-up ended: a step failed: %s", controller.failure_trace)
    return controller.profile
