"""Parts of a campaign that each run one evening in their own process."""

import os
import tempfile
from random import Random
from time import process_time

from tests.journal.power.campaign import (
    ERRORS,
    PAGES,
    SHM,
    Failure,
    Figures,
    Players,
    Power,
    ProgramDied,
    fail_calls,
    kill_at_each_call,
    kill_for_real,
    record_evening,
)
from tests.journal.power.whole import kill_whole_program

FOR_EACH_TIME = 40
"""Maximum number of states for each moment of power loss."""


def kill_evening(seed):
    """Simulate a kill at each call of an evening, and really kill at a few."""
    begun = process_time()
    with Players() as players:
        figures = kill_at_each_call(players, seed, PAGES[seed % len(PAGES)])
        calls = figures.counts["calls"]
        numbers = Random(seed).sample(range(calls), 5)
        figures.add(kill_for_real(players, seed, numbers, PAGES[seed % len(PAGES)]))
    return _timed(figures, begun)


def fail_evening(seed):
    """Make each call of an evening fail in each way, and some consecutive calls too."""
    figures, rng, begun = Figures(), Random(seed), process_time()
    with Players() as players:
        calls = sum(call.kind != "said" for call in record_evening(players, seed).calls)
        for error in (*ERRORS, "short"):
            for number in range(calls):
                figures.add(fail_calls(players, seed, Failure(error, number))[0])
        for _ in range(calls):
            on_end = rng.choice([2, 3, 5, 20, 60, 200])
            only = rng.choice(["", "", ".db", ".db-wal", ".new", "-shm", "pond"])
            failure = Failure(rng.choice(ERRORS), rng.randrange(calls if not only else 20), on_end, only)
            figures.add(fail_calls(players, seed, failure, rng.choice(PAGES))[0])
    figures.counts["calls of an evening"] += calls
    return _timed(figures, begun)


def lose_power(seed, stop=False):
    """Simulate power loss in an evening, after kills, and in two evenings with failures. With `stop`, end at the first fault."""
    begun = process_time()
    with Players() as players:
        power = Power(players, seed, deep=100, stop=stop)
        try:
            for part in (_lose_in_evening, _lose_after_kills, _lose_after_failures):
                if not (stop and power.figures.faults):
                    part(power, players, seed, PAGES[seed % len(PAGES)])
        except ProgramDied as died:
            power.figures.faults.append(f"evening {seed}: the program did not survive: {died}")
    return _timed(power.figures, begun)


def _lose_in_evening(power, players, seed, pages):
    power.lose(record_evening(players, seed, pages), FOR_EACH_TIME, f"evening {seed}")
    power.figures.counts["evenings recorded"] += 1


def _lose_after_kills(power, players, seed, pages):
    recording = record_evening(players, seed, pages)
    points = set(Random(seed).sample(range(len(recording.calls)), 8))
    power.kill_and_lose(recording, 8, f"evening {seed}", points)


def _lose_after_failures(power, players, seed, pages):
    rng = Random(seed)
    for _ in range(2):
        often, only = rng.choice([1, 1, 3, 10]), rng.choice(["", ".db-wal", "games/pond"])
        first = rng.randrange(12 if only == "games/pond" else 300)
        failure = Failure(rng.choice(ERRORS), first, often, only)
        figures, recording = fail_calls(players, seed, failure, pages)
        power.figures.add(figures)
        if recording:
            power.lose(recording, 12, f"evening {seed} with {failure}")
            power.figures.counts["evenings recorded"] += 1


def _timed(figures, begun):
    figures.counts["seconds of the processor"] += round(process_time() - begun)
    return figures


def kill_game(seed):
    with tempfile.TemporaryDirectory(dir=SHM if os.access(SHM, os.W_OK) else None) as folder:
        return kill_whole_program(seed, folder)
