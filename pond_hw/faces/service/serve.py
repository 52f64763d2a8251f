"""The run of a board on a real machine: take hold of it, serve it until told to end, leave it dark."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from pond_hw.board import BoardFault
from pond_hw.companion import Companion, RealClock
from pond_hw.drivers.probe import Machine, choose
from pond_hw.drivers.wired import lamps_of, wired
from pond_hw.faces.service.bell import Bell
from pond_hw.faces.service.door import only_a_socket
from pond_hw.faces.service.instance import Held, Hold
from pond_hw.faces.service.limits import limiter_of
from pond_hw.faces.service.places import board_locks, own_socket, socket_lock
from pond_hw.faces.service.service import Service
from pond_hw.faces.service.tunes import Tones
from pond_hw.players import Player
from pond_hw.profile.build import Pretended, Profile
from pond_hw.rules import PondError, Variant
from pond_hw.session import Session

LOG = logging.getLogger("pond")

Players = tuple[Player | None, Player | None]

CLOSING = 1.0
"""Seconds that a board has to let go of its devices; one whose bus hangs never does."""


def run(profile: Profile, pond: Variant, players: Players, path: Path | None = None) -> None:
    """Serve a board until this process is told to end.

    Args:
        profile: the board.
        pond: the first game.
        players: who plays light and dark, None for people.
        path: where the socket is to be; None for the usual place.

    Raises:
        PondError: it cannot be served; the message says what is wrong and what to do.
    """
    if pond.size > profile.size:
        raise PondError(f"The {pond} pond is {pond.size}x{pond.size}; {profile.name} has {profile.size} rows only.")
    path = path or own_socket()
    only_a_socket(path)  # so that no lock is left beside something else
    clock = RealClock()
    board = wired(profile, clock.now)
    hangs = False
    with ExitStack() as held:
        if not _pretended(profile):
            held.enter_context(_hold_board(profile))
        held.enter_context(_hold_socket(path, profile))
        bell = held.enter_context(closing(Bell()))
        sound = _buzzer(profile, held)
        session = Session.start(pond, profile.size, clock.now())
        companion = Companion(board, session, clock, players, limiter_of(profile), bell)
        try:
            LOG.info("%s: %s; lamps by %s", profile.name, profile.title, choose(profile, Machine()))
            with closing(Service(profile.name, companion, bell, path, sound=sound)) as service:
                _until_told_to_end(service, bell)
        finally:
            hangs = not _closed(companion)
    if hangs:
        logging.shutdown()
        os._exit(0)  # Python itself would wait for what libraries do at the end, on the same bus


def dark(profile: Profile) -> None:
    """Leave a board's lamps dark, whatever a program that has died left on them.

    Raises:
        PondError: the lamps cannot be had, or the board is being served.
    """
    if profile.chain.driver == "simulated":
        return
    with _hold_board(profile):
        lamps = lamps_of(profile, RealClock().now)
        lamps.open()
        lamps.close()


def _pretended(profile: Profile) -> bool:
    """Whether nothing of a board is made of copper."""
    return isinstance(profile.sensing.wiring, Pretended) and profile.chain.driver == "simulated"


def _hold_board(profile: Profile) -> Hold:
    """The lock of this machine's real board.

    Raises:
        BoardFault: it is served already.
    """
    try:
        return Hold(board_locks(), profile.name)
    except Held as held:
        raise BoardFault(
            f"This machine's board is being served already: {held.holder}. "
            "Play on it with `pond play --connect`, or stop that process first."
        ) from held


def _closed(companion: Companion) -> bool:
    """Stop sensing and leave the lamps dark. Whether all of it was let go: a bus that hangs is not waited for."""
    ending = threading.Thread(target=companion.close, name="pond ending", daemon=True)
    ending.start()
    ending.join(CLOSING)
    if not ending.is_alive():
        return True
    LOG.warning("the sensors hang and are left behind")
    lamps = threading.Thread(target=companion.board.lamps.close, name="pond lamps ending", daemon=True)
    lamps.start()
    lamps.join(CLOSING / 4)
    return False


def _until_told_to_end(service: Service, bell: Bell) -> None:
    """Go round and round; SIGTERM, Ctrl-C and a terminal that closes end it."""
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: told.set())
    signal.set_wakeup_fd(bell.rope.fileno(), warn_on_full_buffer=False)
    try:
        service.begin()
        while not told.is_set():
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
