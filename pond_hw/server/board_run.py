"""Lifetime of a served board on a real machine: open it, serve it until a signal arrives, and switch off its lamps."""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from pond_hw.board import Board, BoardFault
from pond_hw.board_factory import build_board, build_lamps, close_with_timeout
from pond_hw.companion import Companion, RealClock
from pond_hw.companion.saved_state import add_courses, find_resuming_players, open_with_resume_prompt
from pond_hw.drivers.board_lock import BoardLock, LockHeld, lock_board
from pond_hw.drivers.pi_machine import Machine, choose_driver, no_pi_fault
from pond_hw.drivers.run_files import default_socket, socket_lock_file, starts_file
from pond_hw.durable_files import MAX_STATE_BYTES, read_file, replace_file
from pond_hw.engine import UNNAMED_PLAYERS, MakePlayer, PlayerNames, PlayerPair, SeatedPlayers, make_player
from pond_hw.interrupts import catch_end_signals, exit_without_cleanup
from pond_hw.journal import Journal
from pond_hw.journal.writer import seconds_since_boot
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import Profile, SensorSettings, SimulatedWiring
from pond_hw.profile.calibration_store import calibration_history
from pond_hw.rules import PondError, Variant
from pond_hw.server.service import BoardService, ToneSequence
from pond_hw.server.socket_server import LoopWaker, SocketServer, socket_exists
from pond_hw.session import TURN_KEY, BoardState, HandTasks, Occupancy, SavingChanged, SensorHealth, Session, ShowNotice

if TYPE_CHECKING:
    from pond_hw.blackbox import BlackBox

LOG = logging.getLogger("pond")

QUICK_RESTART_SECONDS = 60.0
"""A restart counts as quick if it comes within this many seconds of the previous start."""

MAX_QUICK_RESTARTS = 3
"""Number of quick restarts in a row before a safe start."""


@dataclass
class BoardRun:
    """Serves a board until a signal ends the process.

    Attributes:
        variant: variant of the first game.
        players: computer players for light and dark; None for a person.
        socket_path: path of the socket; None for the default path.
        black_box: recording of the board, closed at the end.
        folder: journal folder; None to save nothing.
        names: names of the people playing light and dark.
        board_name: name of the board for `load_profile`; None if unknown, which disables set-up at the board.
        make_player: factory of the players of resumed and later games.
        bus_hangs: True if a hanging bus kept the board from closing.
    """

    profile: Profile
    variant: Variant
    players: PlayerPair
    socket_path: Path | None = None
    black_box: BlackBox | None = None
    folder: Path | None = None
    names: PlayerNames = UNNAMED_PLAYERS
    board_name: str | None = None
    make_player: MakePlayer = make_player
    clock: RealClock = field(default_factory=RealClock)
    bus_hangs: bool = False

    def run(self) -> None:
        """Serve the board. Raises PondError if it cannot be served."""
        variant, profile = self.variant, self.profile
        if variant.size > profile.size:
            sizes = {"size": variant.size, "board": profile.size}
            raise PondError(Message("variant.does_not_fit", variant=variant.name, **sizes))
        self.end_signals = catch_end_signals()  # before opening anything, so that everything is closed
        self.path = self.socket_path or default_socket()
        socket_exists(self.path)  # before a lock file is created beside it
        self.restarts = RestartHistory(starts_file(self.path))
        if self.restarts.needs_safe_start:
            LOG.error(
                "failed %d times in a row: starting without computer players, journal and calibration",
                MAX_QUICK_RESTARTS,
            )
            self.profile = load_profile(self.board_name, measured=False) if self.board_name else profile
            self.players, self.folder = (None, None), None
        try:
            self._hold_and_serve()
        finally:
            if isinstance(sys.exception(), PondError | None):
                self.restarts.clear_history()
            if self.bus_hangs:
                exit_without_cleanup(sys.exception())

    def _hold_and_serve(self) -> None:
        """Lock the board, run set-up if someone at the board requests it, and serve the board."""
        board = self._build_board()
        with ExitStack() as exit_stack:
            if self.black_box:  # not in the caller, which never gets control back if a bus hangs
                exit_stack.enter_context(closing(self.black_box))
            chain, wiring = self.profile.chain, self.profile.sensing.wiring
            if chain.driver != "simulated" or not isinstance(wiring, SimulatedWiring):
                exit_stack.enter_context(lock_board(self.profile))
            exit_stack.enter_context(_lock_socket(self.path, self.profile))
            waker = exit_stack.enter_context(closing(LoopWaker()))
            if self.board_name:
                board = self._run_setup_if_requested(self.board_name, board, waker)
            if not self.end_signals:
                self._serve_board(board, waker, _open_buzzer(self.profile, exit_stack))

    def _build_board(self) -> Board:
        board = build_board(self.profile, self.clock.now, awaits_cable=True)
        if self.black_box:
            from pond_hw.blackbox import record_board

            board = record_board(board, self.black_box, self.clock.now)
        return board

    def _run_setup_if_requested(self, board_name: str, board: Board, waker: LoopWaker) -> Board:
        """Run set-up if someone at the board requests it. Return the board to serve."""
        if isinstance(self.profile.sensing.wiring, SimulatedWiring):
            return board  # a simulated key cannot be held down
        from pond_hw.setup.by_lamps import BusHung, is_setup_requested, run_setup_by_lamps

        try:
            if not is_setup_requested(self.profile, board, self.clock.now, waker, self.end_signals):
                return board
            self.profile = run_setup_by_lamps(board_name, self.clock.now, waker, self.end_signals)
            return self._build_board()
        except BusHung:
            self.bus_hangs = True
            raise

    def _serve_board(self, board: Board, waker: LoopWaker, play_tones: Callable[[ToneSequence], None] | None) -> None:
        profile = self.profile
        companion, journal = self._make_companion(board, waker)
        try:
            if profile.calibration_warning:
                LOG.warning("%s", to_english(profile.calibration_warning))
            own_supply = profile.supply.source == "own"
            socket_server = SocketServer(self.path, profile.size, companion.put, self.clock.now, waker)
            LOG.info("the socket is %s", self.path)
            service = BoardService(
                profile.name,
                companion,
                socket_server,
                sound=play_tones,
                own_supply=own_supply,
                make_player=self.make_player,
                games_folder=self.folder,
                wanted_board=self.board_name or profile.name,
            )
            with closing(service):
                _run_loop(service, waker, self.end_signals, profile)
        finally:
            self.bus_hangs = not close_with_timeout(companion.leave_board, board.lamps)
            if journal:
                journal.close()

    def _make_companion(self, board: Board, waker: LoopWaker) -> tuple[Companion, Journal | None]:
        profile, now, seated = self.profile, self.clock.now, SeatedPlayers(self.players, self.names)
        board_state = _initial_board_state(profile.sensing) if board.sensors.has_pieces else None
        session = Session.start_game(self.variant, profile.size, now(), board_state)
        if profile.turn_key_pins and board_state:
            session = session.with_value(TURN_KEY, None, True)
        changes = calibration_history(self.board_name) if profile.measured_keys and self.board_name else ()
        version = f"{len(changes)} of {changes[-1].at}" if changes else ""
        session, journal = open_with_resume_prompt(
            self.folder, session, now(), board=profile.name, calibration=version, seated=seated
        )
        if profile.calibration_warning:
            unmeasured = Message("board.unmeasured", board=self.board_name or profile.name)
            session = session.after(ShowNotice((unmeasured, *session.messages), now()))
        if self.restarts.needs_safe_start:
            session = session.after(SavingChanged(Message("saving.safe_start"), now()))
        session, saved = add_courses(session, self.folder, now(), day=date.today())  # noqa: DTZ011 - that of the people here
        for notice in (*(journal.file_notices if journal else ()), *saved.faults):
            LOG.warning("%s", to_english(notice))
        saved.journal, saved.resuming_players = journal, find_resuming_players(journal, self.make_player)
        limiter = profile_limiter(profile)
        companion = Companion(board, session, self.clock, seated, saved=saved, limiter=limiter, arrived=waker)
        companion.session = companion.session.after_wakeup(now())  # opening slow chips has taken time
        return companion, journal


def _initial_board_state(sensor_settings: SensorSettings) -> BoardState:
    return BoardState(
        sensors=SensorHealth(known_bad=sensor_settings.bad_cells),
        occupancy=Occupancy(settle_seconds=sensor_settings.settle_seconds),
        tasks=HandTasks(asks_to_flip=sensor_settings.turned_pieces),
    )


def darken_board(profile: Profile) -> None:
    """Switch off lamps left on by a crashed program. Raises PondError if they are unreachable or the board is busy."""
    if profile.chain.driver == "simulated":
        return
    with lock_board(profile):
        lamps = build_lamps(profile, RealClock().now)
        try:
            lamps.open()
        except BoardFault as fault:
            raise no_pi_fault(profile, Machine()) or fault from None
        lamps.close()


def _run_loop(service: BoardService, waker: LoopWaker, end_signals: list[int], profile: Profile) -> None:
    signal.set_wakeup_fd(waker.write_end.fileno(), warn_on_full_buffer=False)
    try:
        if not end_signals:
            service.start_serving()
            # After the first frame, because this loads the message catalogue.
            driver = choose_driver(profile, Machine()).message
            LOG.info("%s: %s; lamps by %s", profile.name, profile.title, to_english(driver))
        while not end_signals:
            service.run_cycle()
    except (OSError, PondError) as error:  # callers would report these as faults that the user can fix
        raise RuntimeError("the service has failed") from error
    finally:
        signal.set_wakeup_fd(-1)


def _lock_socket(socket_path: Path, profile: Profile) -> BoardLock:
    try:
        return BoardLock([socket_lock_file(socket_path)], profile.name)
    except LockHeld as held:
        raise BoardFault(Message("socket.has_server", path=str(socket_path), holder=held.message)) from held


def _open_buzzer(profile: Profile, exit_stack: ExitStack) -> Callable[[ToneSequence], None] | None:
    if profile.buzzer_pin is None:
        return None
    from pond_hw.drivers.buzzer import PassiveBuzzer

    buzzer = PassiveBuzzer(profile.buzzer_pin)
    buzzer.open()
    exit_stack.callback(buzzer.close)
    return buzzer.play_tones


class RestartHistory:
    """Recent start times of a service, used to stop a crash loop. After several quick restarts, the next start is a safe start.

    The start times, in seconds since boot, are stored in a file next to the socket. That folder is in memory, so a reboot
    deletes the file; so does a clean exit. If the file is unusable, the history is empty.

    Attributes:
        needs_safe_start: True if this start must leave out settings that may cause the crash.
    """

    def __init__(self, file: Path, now: Callable[[], float] = seconds_since_boot) -> None:
        self._history_file = file
        started_at = now()
        start_times = [*self._recent_starts(started_at), started_at]
        self.needs_safe_start = len(start_times) > MAX_QUICK_RESTARTS
        with suppress(OSError):
            replace_file(file, json.dumps(start_times[-MAX_QUICK_RESTARTS - 1 :]).encode())

    def _recent_starts(self, until_instant: float) -> list[float]:
        """List the start times in the current series of quick restarts."""
        try:
            stored = json.loads(read_file(self._history_file, MAX_STATE_BYTES))
        except (OSError, ValueError, RecursionError):
            return []
        recent_starts: list[float] = []
        for start_instant in reversed(stored if isinstance(stored, list) else []):
            is_instant = isinstance(start_instant, float) and isfinite(start_instant)
            if not is_instant or not 0 <= until_instant - start_instant < QUICK_RESTART_SECONDS:
                break
            recent_starts.insert(0, start_instant)
            until_instant = start_instant
        return recent_starts

    def clear_history(self) -> None:
        """Delete the history after a clean exit, or after a fault that only the user can fix."""
        with suppress(OSError):
            self._history_file.unlink()
