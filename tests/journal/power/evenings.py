"""Parts of a campaign, each of which runs one evening in its own process."""

import os
import tempfile
from random import Random
from time import process_time

from tests.journal.power.campaign import (
    ERRORS,
    PAGES,
    SHM,
    Failure,
    Players,
    PowerLossSimulator,
    ProgramDied,
    Results,
    fail_calls,
    kill_at_each_call,
    kill_processes,
    record_evening,
)
from tests.journal.power.whole_program import kill_whole_program

MAX_STATES = 40
"""Maximum number of states to check for each moment of power loss."""


def kill_evening(seed):
    """Simulate a kill at each call of an evening, and kill a real process at a few."""
    begun = process_time()
    with Players() as players:
        results = kill_at_each_call(players, seed, PAGES[seed % len(PAGES)])
        calls = results.counts["calls"]
        numbers = Random(seed).sample(range(calls), 5)
        results.add(kill_processes(players, seed, numbers, PAGES[seed % len(PAGES)]))
    return _timed(results, begun)


def fail_evening(seed):
    """Make each call of an evening fail in each possible way, and also some consecutive calls."""
    results, rng, begun = Results(), Random(seed), process_time()
    with Players() as players:
        calls = sum(call.kind != "said" for call in record_evening(players, seed).calls)
        for error in (*ERRORS, "short"):
            for number in range(calls):
                results.add(fail_calls(players, seed, Failure(error, number))[0])
        for _ in range(calls):
            on_end = rng.choice([2, 3, 5, 20, 60, 200])
            only = rng.choice(["", "", ".db", ".db-wal", ".new", "-shm", "pond"])
            failure = Failure(rng.choice(ERRORS), rng.randrange(calls if not only else 20), on_end, only)
            results.add(fail_calls(players, seed, failure, rng.choice(PAGES))[0])
    results.counts["calls of an evening"] += calls
    return _timed(results, begun)


def lose_power(seed, stop=False):
    """Simulate power loss in an evening, after kills, and in two evenings with failures. With `stop`, stop at the first fault."""
    begun = process_time()
    with Players() as players:
        power = PowerLossSimulator(players, seed, deep=100, stop=stop)
        try:
            for part in (_lose_in_evening, _lose_after_kills, _lose_after_failures):
                if not (stop and power.results.faults):
                    part(power, players, seed, PAGES[seed % len(PAGES)])
        except ProgramDied as died:
            power.results.faults.append(f"evening {seed}: the program did not survive: {died}")
    return _timed(power.results, begun)


def _lose_in_evening(power, players, seed, pages):
    power.simulate_losses(record_evening(players, seed, pages), MAX_STATES, f"evening {seed}")
    power.results.counts["evenings recorded"] += 1


def _lose_after_kills(power, players, seed, pages):
    recording = record_evening(players, seed, pages)
    points = set(Random(seed).sample(range(len(recording.calls)), 8))
    power.simulate_losses_after_kills(recording, 8, f"evening {seed}", points)


def _lose_after_failures(power, players, seed, pages):
    rng = Random(seed)
    for _ in range(2):
        often, only = rng.choice([1, 1, 3, 10]), rng.choice(["", ".db-wal", "games/pond"])
        first = rng.randrange(12 if only == "games/pond" else 300)
        failure = Failure(rng.choice(ERRORS), first, often, only)
        results, recording = fail_calls(players, seed, failure, pages)
        power.results.add(results)
        if recording:
            power.simulate_losses(recording, 12, f"evening {seed} with {failure}")
            power.results.counts["evenings recorded"] += 1


def _timed(results, begun):
    results.counts["seconds of the processor"] += round(process_time() - begun)
    return results


def kill_game(seed):
    with tempfile.TemporaryDirectory(dir=SHM if os.access(SHM, os.W_OK) else None) as folder:
        return kill_whole_program(seed, folder)
