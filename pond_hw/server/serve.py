"""The run of a board on a real machine: take hold of it, serve it until told to end, leave it dark."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from pond_hw.blackbox import BlackBox, record_board
from pond_hw.board import BoardFault
from pond_hw.companion import Companion, PlayerPair, RealClock
from pond_hw.companion.saved_games import find_resume_seats, open_with_resume_prompt
from pond_hw.drivers.board_devices import lock_board
from pond_hw.drivers.board_lock import BoardLock, LockHeld
from pond_hw.drivers.open_board import build_board, build_lamps
from pond_hw.drivers.pi_machine import Machine, choose_driver, no_pi_fault
from pond_hw.drivers.run_files import default_socket, socket_lock_file, starts_file
from pond_hw.drivers.shutdown import close_with_timeout, exit_now
from pond_hw.engine import DEFAULT_THINKING, UNNAMED_PLAYERS, PlayerNames, ThinkingLimits
from pond_hw.lights.lamp_limits import profile_limiter
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import Profile, SensorSettings, SimulatedWiring
from pond_hw.profile.calibration_store import calibration_history
from pond_hw.rules import PondError, Variant
from pond_hw.server.restarts import RestartHistory
from pond_hw.server.service import BoardService
from pond_hw.server.socket_server import socket_exists
from pond_hw.server.tunes import ToneSequence
from pond_hw.server.waker import LoopWaker
from pond_hw.session import BoardState, SavingChanged, Session
from pond_hw.session.hand_tasks import HandTasks
from pond_hw.session.occupancy import Occupancy
from pond_hw.session.sensor_health import SensorHealth
from pond_hw.setup.by_lamps import BusHung, is_setup_asked_for, run_setup_by_lamps

LOG = logging.getLogger("pond")

SAFE_START_MESSAGE = (
    "The service has fallen over three times in a row. It plays on with the board as it ships, for people only, and "
    "leaves the journal alone; `journalctl -u pond` tells why."
)


def run(
    profile: Profile,
    pond: Variant,
    players: PlayerPair,
    path: Path | None = None,
    box: BlackBox | None = None,
    folder: Path | None = None,
    *,
    names: PlayerNames = UNNAMED_PLAYERS,
    wanted: str | None = None,
    thinks: ThinkingLimits = DEFAULT_THINKING,
) -> None:
    """Serve a board until this process is told to end.

    Args:
        profile: the board.
        pond: the first game.
        players: who plays light and dark, None for people.
        path: where the socket is to be; None for the usual place.
        box: where all that is felt and shown is noted, if anywhere; it is closed in the end.
        folder: where games are kept, if anywhere.
        names: what the people at light and dark are called there.
        thinks: what levels may take for their thinking that sit down with a game that is resumed.
        wanted: how the board was named for `load`; None if it was not, and then set-up cannot be asked for.

    Raises:
        PondError: it cannot be served; the message says what is wrong and what to do.
    """
    if pond.size > profile.size:
        raise PondError(f"The {pond} pond is {pond.size}x{pond.size}; {profile.name} has {profile.size} rows only.")
    told = _catch_end_signals()  # before anything is held, so that all that is held is let go
    path = path or default_socket()
    socket_exists(path)  # so that no lock is left beside something else
    restarts = RestartHistory(starts_file(path))
    if restarts.needs_safe_start:
        LOG.error("%s", SAFE_START_MESSAGE)
        profile = load_profile(wanted, measured=False) if wanted else profile
        players, folder = (None, None), None
    clock = RealClock()
    own_supply = profile.supply.source == "own"
    hangs = False
    try:
        board = record_board(build_board(profile, clock.now), box, clock.now)
        with ExitStack() as held:
            if box:
                held.enter_context(closing(box))  # here, because a bus that hangs lets nobody come back to the caller
            if not _is_simulated(profile):
                held.enter_context(lock_board(profile))
            held.enter_context(_lock_socket(path, profile))
            bell = held.enter_context(closing(LoopWaker()))
            if wanted:
                try:
                    if is_setup_asked_for(profile, board, clock.now, bell, told):
                        profile = run_setup_by_lamps(wanted, clock.now, bell, told)
                        board = record_board(build_board(profile, clock.now), box, clock.now)
                except BusHung:
                    hangs = True
                    raise
            if told:
                return
            sound = _open_buzzer(profile, held)
            wood = _initial_board_state(profile.sensing) if board.sensors.has_pieces else None
            start = Session.start_game(pond, profile.size, clock.now(), wood)
            built = _calibration_version(wanted) if profile.measured_keys else ""
            session, journal = open_with_resume_prompt(
                folder, start, clock.now(), board=profile.name, built=built, players=players, names=names
            )
            if restarts.needs_safe_start:
                session = session.after(SavingChanged(f"Not saved: {SAFE_START_MESSAGE}", clock.now()))
            resumes = find_resume_seats(journal, thinks)
            limiter = profile_limiter(profile)
            companion = Companion(board, session, clock, players, limiter, bell, journal, names=names, resumes=resumes)
            companion.session = companion.session.after_wakeup(clock.now())  # opening slow chips is not time to feel
            try:
                if profile.calibration_warning:
                    LOG.warning("%s", profile.calibration_warning)
                LOG.info("%s: %s; lamps by %s", profile.name, profile.title, choose_driver(profile, Machine()))
                serves = BoardService(profile.name, companion, bell, path, sound=sound, own_supply=own_supply)
                with closing(serves) as service:
                    _run_loop(service, bell, told)
            finally:
                hangs = not close_with_timeout(companion.leave_board, board.lamps)
                if journal:
                    journal.close()
    finally:
        if isinstance(sys.exception(), PondError | None):
            restarts.clear_history()
        if hangs:
            exit_now(sys.exception())


def _initial_board_state(sensing: SensorSettings) -> BoardState:
    """What a board with pieces feels at first: nothing yet."""
    return BoardState(
        sensors=SensorHealth(known_bad=sensing.bad_cells),
        occupancy=Occupancy(settle_seconds=sensing.settle_seconds),
        tasks=HandTasks(has_faces=sensing.has_faces),
    )


def _calibration_version(wanted: str | None) -> str:
    """The version of a board's own file: how often it was changed, and when last."""
    changes = calibration_history(wanted) if wanted else ()
    return f"{len(changes)} of {changes[-1].at}" if changes else ""


def darken_board(profile: Profile) -> None:
    """Leave a board's lamps dark, whatever a program that has died left on them.

    Raises:
        PondError: the lamps cannot be had, or the board is being served.
    """
    if profile.chain.driver == "simulated":
        return
    with lock_board(profile):
        lamps = build_lamps(profile, RealClock().now)
        try:
            lamps.open()
        except BoardFault as fault:
            raise no_pi_fault(profile, Machine()) or fault from None
        lamps.close()


def _is_simulated(profile: Profile) -> bool:
    """Whether nothing of a board is made of copper."""
    return isinstance(profile.sensing.wiring, SimulatedWiring) and profile.chain.driver == "simulated"


def _catch_end_signals() -> list[int]:
    """The signals that have come to end this process: SIGTERM, Ctrl-C, a terminal that closes. None so far.

    It is no threading.Event: a signal within a signal would wait for its lock without end.
    """
    told: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: told.append(number))
    return told


def _run_loop(service: BoardService, bell: LoopWaker, told: list[int]) -> None:
    """Go round and round until told to end."""
    signal.set_wakeup_fd(bell.write_end.fileno(), warn_on_full_buffer=False)
    try:
        if not told:
            service.start_serving()
        while not told:
            service.run_cycle()
    except (OSError, PondError) as error:  # which would be taken for something that a person can mend
        raise RuntimeError("The service has fallen over.") from error
    finally:
        signal.set_wakeup_fd(-1)


def _lock_socket(path: Path, profile: Profile) -> BoardLock:
    try:
        return BoardLock([socket_lock_file(path)], profile.name)
    except LockHeld as held:
        raise BoardFault(
            f"At {path} a board is being served already: {held.holder}. "
            "Stop that process first, or name another place with --socket."
        ) from held


def _open_buzzer(profile: Profile, held: ExitStack) -> Callable[[ToneSequence], None] | None:
    if profile.buzzer_pin is None:
        return None
    from pond_hw.drivers.buzzer import PassiveBuzzer

    buzzer = PassiveBuzzer(profile.buzzer_pin)
    buzzer.open()
    held.callback(buzzer.close)
    return buzzer.play_tones
