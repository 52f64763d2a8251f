"""Workers that play the batches of a tournament: this process, child processes, or a Dask cluster."""

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
"""Number of batches per worker: one in progress and one waiting."""

BATCHES_PER_CLUSTER_WORKER = 6
"""Number of batches per worker in a cluster, which has a higher latency."""

CONNECT_SECONDS = 10
"""Timeout for connecting to a scheduler."""

RECOUNT_SECONDS = 5.0
"""Seconds between two counts of a cluster's workers."""


_ADDRESS_PATTERN = re.compile(
    r"(?:(?:tcp|tls|ws|wss)://)?(?:\[[0-9a-fA-F:.]+\]|[0-9A-Za-z._-]+):([0-9]{1,5})", re.ASCII
)

BatchGames = list[list[Any]]


class Workers(NamedTuple):
    """Workers that play batches.

    Attributes:
        submit_batch: function that takes the same arguments as `play_batch`.
        batch_capacity: function that returns how many batches to keep in progress.
    """

    submit_batch: Callable[[TournamentPlan, int, int], Future[BatchGames]]
    batch_capacity: Callable[[], int]


class _EngineCache(local):
    """Engines of one thread for the current plan. Reusing an engine avoids allocating its memory again."""

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
            # No time limit, because a level must not play worse on a busy machine.
            self.engines[player_name] = make_engine(player_name, plan.memory, inf)
        return self.engines[player_name]


_engine_cache = _EngineCache()


def close_engines() -> None:
    """End the external programs started by this thread."""
    for engine in _engine_cache.engines.values():
        if isinstance(engine, ExternalEngine):
            engine.close()


def play_batch(plan: TournamentPlan, match_number: int, batch_number: int) -> list[list[Any]]:
    """Play a batch. Return its games pair by pair, as rows of `tally.GAME_COLUMNS`.

    Raise PondError if the plan was made by another version of Pond, or a player is not available.
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
        opening_rng = plan.seeded_random(match, "opening", opening_number)
        opening = game_runner.random_opening(plan.opening, opening_rng, first_turn)
        light, dark = engines[:: -1 if game_number % 2 else 1]
        game_result = game_runner.play_game(light, dark, opening, plan.seeded_random(match, "game", game_number))
        game_row = [*game_result[:5], int(game_result.had_repetition)]
        if plan.records:
            game_row.append(" ".join(str(unpack_action(action, match.variant)) for action in game_result.actions))
        game_rows.append(game_row)
    return game_rows


def count_cores() -> int:
    """Return the number of CPU cores available to this process."""
    with suppress(AttributeError):  # This is not available on every system.
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def local_workers(worker_count: int) -> Iterator[Workers]:
    """Open child processes as workers. If only one worker is wanted, play in this process instead.

    Each child watches a pipe to this process and exits when this process exits for any reason.
    """
    if worker_count == 1:
        try:
            yield Workers(_play_immediately, lambda: 1)
        finally:
            close_engines()
        return
    context = get_context("spawn")
    worker_end, parent_end = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(worker_count, context, _start_worker, (worker_end,))

    def play(plan: TournamentPlan, match_number: int, batch_number: int) -> Future[BatchGames]:
        with _interrupts_blocked():  # `submit` may start a worker process.
            return executor.submit(play_batch, plan, match_number, batch_number)

    try:
        yield Workers(play, lambda: BATCHES_PER_WORKER * worker_count)
    finally:
        parent_end.close()  # This ends the workers at once.
        executor.shutdown(cancel_futures=True)
        worker_end.close()


@contextmanager
def cluster_workers(address: str) -> Iterator[Workers]:
    """Open the workers of a Dask cluster. Pond must be installed on all of them.

    Raise PondError if Dask is not installed here, or the scheduler does not answer.
    """
    import asyncio  # Not at the top, because every worker process imports this module.

    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise PondError(Message("cluster.needs_dask", command=format_install_command("cluster"))) from None
    for logger_name in (
        "distributed",
        "distributed.client",
        "tornado.application",
    ):  # Pond prints the relevant errors itself.
        logging.getLogger(logger_name).setLevel(logging.CRITICAL)
    address_match = _ADDRESS_PATTERN.fullmatch(address)
    if not address_match or int(address_match[1]) > 65535:  # Dask would print a long traceback.
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

    def batch_capacity() -> int:
        nonlocal count_instant, capacity
        if client.status == "closed":
            raise PondError(gone_message)
        if monotonic() - count_instant >= RECOUNT_SECONDS:
            capacity = BATCHES_PER_CLUSTER_WORKER * max(1, sum(client.nthreads().values()))
            count_instant = monotonic()
        return capacity

    try:
        yield Workers(play, batch_capacity)
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
    """Block Ctrl-C within a `with` statement. Processes started there never receive it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


def _start_worker(connection: Connection) -> None:
    """Set up a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # In a new thread, because the current thread may be starting an external program, which must not be interrupted.
    signal.signal(signal.SIGTERM, lambda *_: Thread(target=_exit_worker).start())
    Thread(target=_exit_with_parent, args=(connection,), daemon=True).start()


def _exit_with_parent(connection: Connection) -> None:
    """Exit when the parent process closes its end of the pipe or dies."""
    with suppress(EOFError, OSError):
        connection.recv()
    _exit_worker()


def _exit_worker() -> None:
    """Kill the external programs started by this process, and exit at once."""
    kill_all_programs()
    os._exit(0)
