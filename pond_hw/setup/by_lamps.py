"""Set-up without a screen: whether it is asked for when a service begins, and its run by the lamps alone.

first reading   not just the two corners    ->  the service begins at once
corners held    and not let go of           ->  after five seconds it begins
                and let go of               ->  READY, map, sensors, what was found, and then it begins
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from pond_hw.board import Board
from pond_hw.drivers.scan import SensorScan
from pond_hw.drivers.shutdown import close_with_timeout
from pond_hw.drivers.systemd import SystemdNotifier, WatchdogHeartbeat
from pond_hw.lights.lamp_limits import profile_limiter
from pond_hw.profile.board_profile import Profile
from pond_hw.setup.corner_gesture import CornerGesture
from pond_hw.setup.step_runner import StepRunner

LOG = logging.getLogger("pond")

NOBODY = 300.0
"""Seconds after which set-up is left if nothing at all happens: whoever asked for it has gone, or cannot go on."""


class BusHung(RuntimeError):
    """The bus of the sensors hung, and a thread was left behind: this process can do nothing more with the board."""


def is_setup_asked_for(
    profile: Profile, board: Board, now: Callable[[], float], arrived: threading.Event, told: list[int]
) -> bool:
    """Whether somebody asks for set-up by hand. The board is open meanwhile, and closed again afterwards.

    Args:
        profile: the board's build.
        board: the board.
        now: the clock, in seconds.
        arrived: is set, from any thread, when something has been felt.
        told: the signals that have come to end this process.

    Raises:
        BoardFault: the board cannot be had.
        BusHung: its bus hangs.
    """
    if not isinstance(board.sensors, SensorScan):
        return False  # fingers in memory
    look = CornerGesture(profile, now())
    walk = StepRunner(profile, board, look, now, profile_limiter(profile), arrived.set)
    try:
        while not told and look.asked is None:
            arrived.clear()
            arrived.wait(max(0.0, walk.go_on() - now()))
    finally:
        sound = close_with_timeout(walk.close, board.lamps)
    if not sound:
        raise BusHung("The sensors hang.")
    return bool(look.asked) and not told


def run_setup_by_lamps(wanted: str, now: Callable[[], float], arrived: threading.Event, told: list[int]) -> Profile:
    """Set a board up by its lamps alone; whoever calls this holds its devices.

    Args:
        wanted: the board, as for `load`.
        now: the clock, in seconds.
        arrived: is set, from any thread, when something has been felt.
        told: the signals that have come to end this process.

    Returns:
        The board as it is then.

    Raises:
        PondError: it cannot be opened.
        BusHung: its bus hangs.
    """
    from pond_hw.setup.controller import SetupController  # which brings all steps along, and they are asked for seldom

    systemd = SystemdNotifier()
    heart = WatchdogHeartbeat(systemd)
    lead = SetupController(wanted, now, arrived=arrived.set, held=True)
    try:
        LOG.info("%s: set-up by the lamps alone, since two corners were held", lead.profile.name)
        lead.begin_guided()
        systemd.send_lines("READY=1")  # it may take as long as it takes
        page, since, done = None, now(), set[str]()
        while not told and not lead.wizard.over:
            arrived.clear()
            due = lead.process_events()
            heart.beat_if_alive(now(), *lead.beat_counts)
            if lead.current_page != page:
                page, since = lead.current_page, now()
                systemd.send_lines(f"STATUS={lead.profile.name}: set-up, {page.title}: {page.prompt}")
            for name in lead.wizard.results.keys() - done:
                done.add(name)
                LOG.info("set-up, %s: %s", name, lead.result_note or "nothing was changed")
            if now() >= since + NOBODY:
                LOG.info("set-up is left: nobody has done anything for %.0f seconds", NOBODY)
                break
            arrived.wait(max(0.0, due - now()))
    finally:
        lead.close()
    if lead.bus_hung:
        raise BusHung("The sensors hang.")
    if lead.failure_trace:
        LOG.error("set-up is left, since a step failed: %s", lead.failure_trace)
    return lead.profile
