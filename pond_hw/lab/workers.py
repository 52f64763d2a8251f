"""Workers that play the batches of a tournament: this process, processes beside it, or an existing cluster."""

from __future__ import annotations

import logging
import os
import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from math import inf
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread, local
from time import monotonic
from typing import Any, NamedTuple

from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import Engine
from pond_hw.engine.external_program import ExternalEngine, is_external_name, kill_all_programs
from pond_hw.engine.packed import unpack_action
from pond_hw.lab.engine_game import GameRunner
from pond_hw.lab.tournament_plan import TournamentPlan, check_version
from pond_hw.messages.message import Message
from pond_hw.optional_packages import format_install_command
from pond_hw.rules import PondError

BATCHES_PER_WORKER = 2
"""Batches for each worker: one to play, and one that it finds when that is done."""

BATCHES_PER_CLUSTER_WORKER = 6
"""Batches for each worker of a cluster, to which the way is longer."""

CONNECT_SECONDS = 10
"""Seconds in which a scheduler has to answer."""

RECOUNT_SECONDS = 5.0
"""Seconds between two counts of the workers of a cluster."""


_ADDRESS_PATTERN = re.compile(
    r"(?:(?:tcp|tls|ws|wss)://)?(?:\[[0-9a-fA-F:.]+\]|[0-9A-Za-z._-]+):([0-9]{1,5})", re.ASCII
)

BatchGames = list[list[Any]]


class Workers(NamedTuple):
    """Workers that play batches.

    Attributes:
        submit_batch: has a batch played: the plan, the number of the match, that of the batch; as `play_batch`.
        batch_capacity: number of batches that should be under way at the same time.
    """

    submit_batch: Callable[[TournamentPlan, int, int], Future[BatchGames]]
    batch_capacity: Callable[[], int]


class _EngineCache(local):
    """Engines that play in one thread, and the plan they play for: they keep the memory that they have taken."""

    plan: TournamentPlan | None = None

    def __init__(self) -> None:
        self.engines: dict[str, Engine | ExternalEngine] = {}

    def find_engine(self, plan: TournamentPlan, player_name: str) -> Engine | ExternalEngine:
        if self.plan != plan:
            check_version(plan)
            close_engines()
            self.plan, self.engines = plan, {}
        if player_name not in self.engines and is_external_name(player_name):
            self.engines[player_name] = ExternalEngine(player_name, plan.limit)
        elif player_name not in self.engines:
            # No patience is needed here; what a level does must not depend on how much else the machine has to do.
            self.engines[player_name] = make_engine(player_name, plan.memory, inf)
        return self.engines[player_name]


_engine_cache = _EngineCache()


def close_engines() -> None:
    """End the programs from outside that play in this thread."""
    for engine in _engine_cache.engines.values():
        if isinstance(engine, ExternalEngine):
            engine.close()


def play_batch(plan: TournamentPlan, match_number: int, batch_number: int) -> list[list[Any]]:
    """Play a batch, and return its games pair by pair, as they are written down; see `tally.GAME_COLUMNS`.

    Args:
        plan: what is played.
        match_number: of the match.
        batch_number: its number in the match.

    Raises:
        PondError: this is not the program that the plan was made for.
    """
    match = plan.all_matches[match_number]
    try:
        engines = [_engine_cache.find_engine(plan, player_name) for player_name in match.players]
    except PondError as error:
        raise PondError(Message("lab.worker_cannot_play", reason=error.message)) from None
    game_runner, game_rows = GameRunner(match.variant), list[list[Any]]()
    pair_numbers = plan.pair_numbers(match, batch_number)
    for game_number in range(2 * pair_numbers.start, 2 * pair_numbers.stop):
        opening_number, first_turn = (game_number, game_number) if plan.is_study else (game_number // 2, None)
        opening_chance = plan.seeded_random(match, "opening", opening_number)
        opening = game_runner.random_opening(plan.opening, opening_chance, first_turn)
        light, dark = engines[:: -1 if game_number % 2 else 1]
        game_result = game_runner.play_game(light, dark, opening, plan.seeded_random(match, "game", game_number))
        game_row = [*game_result[:5], int(game_result.had_repetition)]
        if plan.records:
            game_row.append(" ".join(str(unpack_action(action, match.variant)) for action in game_result.actions))
        game_rows.append(game_row)
    return game_rows


def count_cores() -> int:
    """Return the number of processes that can run here at the same time."""
    with suppress(AttributeError):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def local_workers(worker_count: int) -> Iterator[Workers]:
    """Open processes of our own; a single worker is this process itself.

    They end when we do, however that happens: each of them watches one end of a pipe, the other one is here.
    """
    if worker_count == 1:
        try:
            yield Workers(_play_immediately, lambda: 1)
        finally:
            close_engines()
        return
    context = get_context("spawn")
    their_end, our_end = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(worker_count, context, _start_worker, (their_end,))

    def play(plan: TournamentPlan, match_number: int, batch_number: int) -> Future[BatchGames]:
        with _interrupts_blocked():  # a worker may be started now
            return executor.submit(play_batch, plan, match_number, batch_number)

    try:
        yield Workers(play, lambda: BATCHES_PER_WORKER * worker_count)
    finally:
        our_end.close()  # whatever they are at, nobody waits for it
        executor.shutdown(cancel_futures=True)
        their_end.close()


@contextmanager
def cluster_workers(address: str) -> Iterator[Workers]:
    """Open the workers of a Dask cluster, which has Pond installed everywhere.

    Raises:
        PondError: Dask is not installed here, or no scheduler answers.
    """
    import asyncio  # not at the top: every process that plays loads this module

    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise PondError(Message("cluster.needs_dask", command=format_install_command("cluster"))) from None
    for logger_name in ("distributed", "distributed.client", "tornado.application"):  # what matters of it is said here
        logging.getLogger(logger_name).setLevel(logging.CRITICAL)
    address_match = _ADDRESS_PATTERN.fullmatch(address)
    if not address_match or int(address_match[1]) > 65535:  # Dask would say so too, but with much noise
        raise PondError(Message("cluster.wrong_address", address=address[:60]))
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        error_lines = str(error).splitlines() or [type(error).__name__]
        raise PondError(Message("cluster.no_answer", address=address, reason=error_lines[0][:200])) from None
    executor = client.get_executor(pure=False)
    gone_message = Message("cluster.gone", address=address)
    count_instant, capacity = -RECOUNT_SECONDS, BATCHES_PER_CLUSTER_WORKER

    def play(plan: TournamentPlan, match_number: int, batch_number: int) -> Future[BatchGames]:
        batch_future: Future[BatchGames] = executor.submit(play_batch, plan, match_number, batch_number)
        return batch_future

    def count_capacity() -> int:
        nonlocal count_instant, capacity
        if client.status == "closed":
            raise PondError(gone_message)
        if monotonic() - count_instant >= RECOUNT_SECONDS:
            capacity = BATCHES_PER_CLUSTER_WORKER * max(1, sum(client.nthreads().values()))
            count_instant = monotonic()
        return capacity

    try:
        yield Workers(play, count_capacity)
    except KilledWorker as error:
        raise PondError(Message("cluster.workers_died", reason=str(error))) from None
    except (CancelledError, asyncio.CancelledError, OSError):
        raise PondError(gone_message) from None
    finally:
        client.close()


def _play_immediately(plan: TournamentPlan, match_number: int, batch_number: int) -> Future[BatchGames]:
    batch_future: Future[BatchGames] = Future()
    batch_future.set_result(play_batch(plan, match_number, batch_number))
    return batch_future


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Delay Ctrl-C; a process that is started meanwhile never receives it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(theirs: Connection) -> None:
    """Set a worker process up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Not in this thread: it may be starting a program, which nobody else may end before that is done.
    signal.signal(signal.SIGTERM, lambda *_: Thread(target=_exit_worker).start())
    Thread(target=_exit_with_parent, args=(theirs,), daemon=True).start()


def _exit_with_parent(theirs: Connection) -> None:
    """End this process as soon as the one that started it closes its end of the pipe, or is gone."""
    with suppress(EOFError, OSError):
        theirs.recv()
    _exit_worker()


def _exit_worker() -> None:
    """End this process at once, and the programs from outside that it has started."""
    kill_all_programs()
    os._exit(0)
