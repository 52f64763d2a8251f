"""Who plays the pieces of a tournament: this process, processes beside it, or an existing cluster."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple

from pond_hw.engine.external_program import end_all
from pond_hw.installing import how_to_install
from pond_hw.lab.batch import leave, play_piece
from pond_hw.lab.tournament_plan import Plan
from pond_hw.rules import PondError

AHEAD = 2
"""Pieces for each worker: one to play, and one that it finds when that is done."""

FAR_AHEAD = 6
"""As many for each worker of a cluster, to which the way is longer."""

PATIENCE = 10
"""Seconds in which a scheduler has to answer."""

ANSWERS = 30
"""Seconds in which it has to hand over a result that is there."""

LOOK_AGAIN = 5.0
"""Seconds after which it is looked how many workers a cluster has now."""


_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:\[[0-9a-fA-F:.]+\]|[0-9A-Za-z._-]+):([0-9]{1,5})", re.ASCII)

Games = list[list[Any]]


class Hands(NamedTuple):
    """Whoever plays.

    Attributes:
        play: has a piece played: the plan, the number of the match, that of the piece; as `piece.play_piece`.
        room: how many pieces are to be under way at the same time.
    """

    play: Callable[[Plan, int, int], Future[Games]]
    room: Callable[[], int]


def cores() -> int:
    """How many processes can run here at the same time."""
    with suppress(AttributeError):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def beside(workers: int) -> Iterator[Hands]:
    """Processes of our own; a single worker is this process itself.

    They end when we do, however that happens: each of them watches one end of a pipe, the other one is here.
    """
    if workers == 1:
        try:
            yield Hands(_at_once, lambda: 1)
        finally:
            leave()
        return
    context = get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, context, _begin, (theirs,))

    def play(plan: Plan, match: int, piece: int) -> Future[Games]:
        with _deaf():  # a worker may be started now
            return executor.submit(play_piece, plan, match, piece)

    try:
        yield Hands(play, lambda: AHEAD * workers)
    finally:
        ours.close()  # whatever they are at, nobody waits for it
        executor.shutdown(cancel_futures=True)
        theirs.close()


@contextmanager
def cluster(address: str) -> Iterator[Hands]:
    """The workers of a Dask cluster, which has Pond installed everywhere.

    Raises:
        PondError: Dask is not installed here, or no scheduler answers.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise PondError(
            f"--cluster needs Dask, which is not installed here. Install it with: {how_to_install('cluster')}"
        ) from None
    for name in ("distributed", "distributed.client", "tornado.application"):  # what matters of it is said here
        logging.getLogger(name).setLevel(logging.CRITICAL)
    found = _ADDRESS.fullmatch(address)
    if not found or int(found[1]) > 65535:  # Dask would say so too, but with much noise
        raise PondError(f"{address[:60]!r} is no address of a scheduler, such as tcp://192.168.1.10:8786")
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        told = str(error).splitlines() or [type(error).__name__]
        raise PondError(f"No Dask scheduler answers at {address!r}: {told[0][:200]}") from None
    looked, room = -LOOK_AGAIN, FAR_AHEAD

    def current() -> int:
        nonlocal looked, room
        if client.status == "closed":
            raise PondError(gone)
        if monotonic() - looked >= LOOK_AGAIN:
            room = FAR_AHEAD * max(1, sum(client.nthreads().values()))
            looked = monotonic()
        return room

    gone = f"The scheduler at {address} has gone away."
    wanted = set()  # what nobody holds, the scheduler forgets
    left = False

    def play(plan: Plan, match: int, piece: int) -> Future[Games]:
        played: Future[Games] = Future()

        def done(there: Any) -> None:
            if left:  # nobody waits any more, and whoever asks a client that has closed waits for ever
                return
            try:
                played.set_result(there.result(timeout=ANSWERS))
            except KilledWorker as error:
                played.set_exception(PondError(f"Workers of the cluster die of this; too little memory? {error}"))
            except (CancelledError, asyncio.CancelledError, OSError):
                played.set_exception(PondError(gone))
            except Exception as error:  # noqa: BLE001 - whoever asks for the result is told
                played.set_exception(error)
            finally:
                wanted.discard(there)

        there = client.submit(play_piece, plan, match, piece, pure=False)
        wanted.add(there)
        there.add_done_callback(done)
        return played

    try:
        yield Hands(play, current)
    finally:
        left = True
        wanted.clear()
        client.close()


def _at_once(plan: Plan, match: int, piece: int) -> Future[Games]:
    future: Future[Games] = Future()
    future.set_result(play_piece(plan, match, piece))
    return future


@contextmanager
def _deaf() -> Iterator[None]:
    """Ctrl-C is heard a moment later; a process that is started meanwhile never hears it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(theirs: Connection) -> None:
    """What a worker does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: _leave())
    Thread(target=_leave_with, args=(theirs,), daemon=True).start()


def _leave_with(theirs: Connection) -> None:
    """End this process as soon as the one that started it closes its end of the pipe, or is gone."""
    with suppress(EOFError, OSError):
        theirs.recv()
    _leave()


def _leave() -> None:
    """End this process at once, and the programs from outside that it has started."""
    end_all()
    os._exit(0)
