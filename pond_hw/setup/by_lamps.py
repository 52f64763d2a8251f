"""Set-up without a screen: detect the gesture that starts it at power-on, then run it with the lamps alone.

    down at power-on   a1 and the top right corner, and nothing else   both blink
    release both       within five seconds                             READY, map, sensors, results; then play
    otherwise                                                          normal play

On a board with pieces, put a piece on each corner, then lift both. Pieces that are only left standing do not
count: they may be from an earlier game.
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
from pond_hw.setup.lamp_places import light_cells
from pond_hw.setup.pages import StepPage
from pond_hw.setup.step import Conversation, LitLamps, Prompt, SetupStep, StepEvent, StepResult, StepTick
from pond_hw.setup.step_runner import StepRunner

LOG = logging.getLogger("pond")

SAMPLE_TIMEOUT = 0.6  # seconds to wait for a first sample
RELEASE_TIMEOUT = 5.0  # seconds in which both corners must be released
BLINK = 0.25  # seconds lit, then dark for as long
LIGHT: RGB = (150, 150, 150)

IDLE_TIMEOUT = 300.0
"""Seconds without any event after which set-up ends and normal play begins."""


class CornerGesture(SetupStep):
    """Detector of the gesture that starts set-up.

    Attributes:
        profile: the board.
        corners: the two cells to hold.
        since: instant of power-on, in seconds; once the corners are held, instant when that was noticed.
        at: latest instant.
        is_requested: True if set-up was requested; None while undecided.
    """

    title = Message("setup_gesture.title")

    def __init__(self, profile: Profile, instant: float) -> None:
        self.profile, self.since, self.at = profile, instant, instant
        self.corners = frozenset((get_grid(profile.size).cells[0], get_grid(profile.size).cells[-1]))
        self.is_requested: bool | None = None
        super().__init__()

    def conversation(self) -> Conversation[StepResult]:
        """Blink the two corners until both are released, provided that only they are down at first."""
        first_prompt = Prompt(StepPage(self.title), due=self.since + SAMPLE_TIMEOUT)
        while self._is_undecided(event := (yield first_prompt), SAMPLE_TIMEOUT):
            pass
        are_held = isinstance(event, Sample) and self._down(event) == self.corners
        if are_held:
            self.since, let_go = self.at, Message("setup_gesture.let_go", cells=tuple(sorted(self.corners)))
            asked_page = StepPage(self.title, (), let_go)
            while self._is_undecided(event, RELEASE_TIMEOUT) or (
                isinstance(event, Sample) and set() < self._down(event) <= self.corners
            ):
                event = yield Prompt(asked_page, self._light, self.since + (self._beats + 1) * BLINK)
        self.is_requested = are_held and isinstance(event, Sample) and not self._down(event)
        return StepResult()

    def _is_undecided(self, event: StepEvent, timeout: float) -> bool:
        """Return True if the event leaves the decision open."""
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
        """Number of blink phases (lit or dark) since the corners were noticed."""
        return int((self.at - self.since) / BLINK + 1e-6)

    def _light(self) -> LitLamps:
        """Light the two corners, blinking."""
        return light_cells(self.profile, () if self._beats % 2 else self.corners, LIGHT)


class BusHung(RuntimeError):
    """The sensor bus has hung. Its thread cannot be stopped, so this process can no longer use the board."""


def is_setup_requested(
    profile: Profile, board: Board, now: Callable[[], float], arrived_event: threading.Event, end_signals: list[int]
) -> bool:
    """Open the board, watch for the gesture, and close the board again; return True if set-up was requested.

    Args:
        profile: the board.
        board: its devices.
        now: clock, in seconds.
        arrived_event: set, from any thread, when a sensor event has arrived.
        end_signals: termination signals received so far.

    Raises:
        BoardFault: the board cannot be opened.
        BusHung: its bus hangs.
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
        closed_well = close_with_timeout(step_runner.close, board.lamps)
    if not closed_well:
        raise BusHung("The sensors hang.")
    return bool(corner_gesture.is_requested) and not end_signals


def run_setup_by_lamps(
    wanted: str, now: Callable[[], float], arrived: threading.Event, end_signals: list[int]
) -> Profile:
    """Set up a board with its lamps alone and return its new profile. The caller has locked its devices.

    Raises:
        PondError: the board cannot be opened.
        BusHung: its bus hangs.
    """
    from pond_hw.setup.controller import SetupController  # it imports all steps, which are rarely needed

    systemd_notifier = SystemdNotifier()
    watchdog_heartbeat = WatchdogHeartbeat(systemd_notifier)
    controller = SetupController(wanted, now, on_arrival=arrived.set, devices_held=True)
    try:
        LOG.info("%s: set-up by the lamps alone, since two corners were held", controller.profile.name)
        controller.begin_guided()
        systemd_notifier.send_lines("READY=1")  # now: set-up may take minutes
        page, page_since, logged_steps = None, now(), set[str]()
        while not end_signals and not controller.wizard.over:
            arrived.clear()
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
            arrived.wait(max(0.0, due_time - now()))
    finally:
        controller.close()
    if controller.bus_hung:
        raise BusHung("The sensors hang.")
    if controller.failure_trace:
        LOG.error("set-up ended: a step failed: %s", controller.failure_trace)
    return controller.profile
