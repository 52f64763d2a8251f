"""The run of a board on a real machine: take hold of it, serve it until told to end, leave it dark."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from pond_hw.blackbox import BlackBox, recorded
from pond_hw.board import BoardFault
from pond_hw.companion import Companion, RealClock
from pond_hw.companion.saved_games import seats_of_offer, take_up
from pond_hw.drivers.board_devices import hold_board
from pond_hw.drivers.board_lock import Held, Hold
from pond_hw.drivers.open_board import lamps_of, wired
from pond_hw.drivers.pi_machine import Machine, choose, no_pi
from pond_hw.drivers.run_files import own_socket, socket_lock, starts_beside
from pond_hw.drivers.shutdown import leave_at_once, let_go
from pond_hw.engine import AS_USUAL, NAMELESS, Names, Player, Thinks
from pond_hw.lights.lamp_limits import limiter_of
from pond_hw.profile import load
from pond_hw.profile.board_profile import Pretended, Profile, Sensing
from pond_hw.profile.calibration_store import history
from pond_hw.rules import PondError, Variant
from pond_hw.server.restarts import Restarts
from pond_hw.server.service import Service
from pond_hw.server.socket_server import only_a_socket
from pond_hw.server.tunes import Tones
from pond_hw.server.waker import Bell
from pond_hw.session import Saving, Session, Wood
from pond_hw.setup.by_lamps import Hangs, asked_for, led_by_lamps

LOG = logging.getLogger("pond")

SAFE = (
    "The service has fallen over three times in a row. It plays on with the board as it ships, for people only, and "
    "leaves the journal alone; `journalctl -u pond` tells why."
)

Players = tuple[Player | None, Player | None]


def run(
    profile: Profile,
    pond: Variant,
    players: Players,
    path: Path | None = None,
    box: BlackBox | None = None,
    folder: Path | None = None,
    *,
    names: Names = NAMELESS,
    wanted: str | None = None,
    thinks: Thinks = AS_USUAL,
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
    told = _told_to_end()  # before anything is held, so that all that is held is let go
    path = path or own_socket()
    only_a_socket(path)  # so that no lock is left beside something else
    restarts = Restarts(starts_beside(path))
    if restarts.safe:
        LOG.error("%s", SAFE)
        profile = load(wanted, measured=False) if wanted else profile
        players, folder = (None, None), None
    clock = RealClock()
    own_supply = profile.supply.source == "own"
    hangs = False
    try:
        board = recorded(wired(profile, clock.now), box, clock.now)
        with ExitStack() as held:
            if box:
                held.enter_context(closing(box))  # here, because a bus that hangs lets nobody come back to the caller
            if not _pretended(profile):
                held.enter_context(hold_board(profile))
            held.enter_context(_hold_socket(path, profile))
            bell = held.enter_context(closing(Bell()))
            if wanted:
                try:
                    if asked_for(profile, board, clock.now, bell, told):
                        profile = led_by_lamps(wanted, clock.now, bell, told)
                        board = recorded(wired(profile, clock.now), box, clock.now)
                except Hangs:
                    hangs = True
                    raise
            if told:
                return
            sound = _buzzer(profile, held)
            wood = _wood(profile.sensing) if board.sensors.pieces else None
            start = Session.start(pond, profile.size, clock.now(), wood)
            built = _built(wanted) if profile.measured else ""
            session, journal = take_up(
                folder, start, clock.now(), board=profile.name, built=built, players=players, names=names
            )
            if restarts.safe:
                session = session.after(Saving(f"Not saved: {SAFE}", clock.now()))
            resumes = seats_of_offer(journal, thinks)
            limiter = limiter_of(profile)
            companion = Companion(board, session, clock, players, limiter, bell, journal, names=names, resumes=resumes)
            companion.session = companion.session.wakened(clock.now())  # opening slow chips is not time to feel
            try:
                if profile.aside:
                    LOG.warning("%s", profile.aside)
                LOG.info("%s: %s; lamps by %s", profile.name, profile.title, choose(profile, Machine()))
                serves = Service(profile.name, companion, bell, path, sound=sound, own_supply=own_supply)
                with closing(serves) as service:
                    _go_round(service, bell, told)
            finally:
                hangs = not let_go(companion.leave_board, board.lamps)
                if journal:
                    journal.close()
    finally:
        if isinstance(sys.exception(), PondError | None):
            restarts.ended()
        if hangs:
            leave_at_once(sys.exception())


def _wood(sensing: Sensing) -> Wood:
    """What a board with pieces feels at first: nothing yet."""
    return Wood(settle=sensing.settle, faces=sensing.faces, bad=sensing.bad)


def _built(wanted: str | None) -> str:
    """The version of a board's own file: how often it was changed, and when last."""
    changes = history(wanted) if wanted else ()
    return f"{len(changes)} of {changes[-1].at}" if changes else ""


def dark(profile: Profile) -> None:
    """Leave a board's lamps dark, whatever a program that has died left on them.

    Raises:
        PondError: the lamps cannot be had, or the board is being served.
    """
    if profile.chain.driver == "simulated":
        return
    with hold_board(profile):
        lamps = lamps_of(profile, RealClock().now)
        try:
            lamps.open()
        except BoardFault as fault:
            raise no_pi(profile, Machine()) or fault from None
        lamps.close()


def _pretended(profile: Profile) -> bool:
    """Whether nothing of a board is made of copper."""
    return isinstance(profile.sensing.wiring, Pretended) and profile.chain.driver == "simulated"


def _told_to_end() -> list[int]:
    """The signals that have come to end this process: SIGTERM, Ctrl-C, a terminal that closes. None so far.

    It is no threading.Event: a signal within a signal would wait for its lock without end.
    """
    told: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: told.append(number))
    return told


def _go_round(service: Service, bell: Bell, told: list[int]) -> None:
    """Go round and round until told to end."""
    signal.set_wakeup_fd(bell.rope.fileno(), warn_on_full_buffer=False)
    try:
        if not told:
            service.begin()
        while not told:
            service.turn()
    except (OSError, PondError) as error:  # which would be taken for something that a person can mend
        raise RuntimeError("The service has fallen over.") from error
    finally:
        signal.set_wakeup_fd(-1)


def _hold_socket(path: Path, profile: Profile) -> Hold:
    try:
        return Hold([socket_lock(path)], profile.name)
    except Held as held:
        raise BoardFault(
            f"At {path} a board is being served already: {held.holder}. "
            "Stop that process first, or name another place with --socket."
        ) from held


def _buzzer(profile: Profile, held: ExitStack) -> Callable[[Tones], None] | None:
    if profile.buzzer is None:
        return None
    from pond_hw.drivers.buzzer import Buzzer

    buzzer = Buzzer(profile.buzzer)
    buzzer.open()
    held.callback(buzzer.close)
    return buzzer.play
