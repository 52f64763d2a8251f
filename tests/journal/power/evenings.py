"""What a campaign does with one evening, in a process of its own."""

import os
import tempfile
from random import Random
from time import process_time

from tests.journal.power.campaign import (
    ERRORS,
    PAGES,
    SHM,
    Died,
    Failure,
    Figures,
    Players,
    Power,
    failing,
    kills,
    real_kills,
    recorded,
)
from tests.journal.power.whole import kills_of_all

FOR_EACH_TIME = 40
"""States of each time at which the power goes, at the most."""


def kill_evening(seed):
    """A kill at each call of an evening, and a few real ones."""
    begun = process_time()
    with Players() as players:
        figures = kills(players, seed, PAGES[seed % len(PAGES)])
        calls = figures.counts["calls"]
        numbers = Random(seed).sample(range(calls), 5)
        figures.add(real_kills(players, seed, numbers, PAGES[seed % len(PAGES)]))
    return _timed(figures, begun)


def fail_evening(seed):
    """Each call of an evening fails in each way; and now and then some calls on end."""
    figures, chance, begun = Figures(), Random(seed), process_time()
    with Players() as players:
        calls = sum(call.kind != "said" for call in recorded(players, seed).calls)
        for error in (*ERRORS, "short"):
            for number in range(calls):
                figures.add(failing(players, seed, Failure(error, number))[0])
        for _ in range(calls):
            on_end = chance.choice([2, 3, 5, 20, 60, 200])
            only = chance.choice(["", "", ".db", ".db-wal", ".new", "-shm", "pond"])
            failure = Failure(chance.choice(ERRORS), chance.randrange(calls if not only else 20), on_end, only)
            figures.add(failing(players, seed, failure, chance.choice(PAGES))[0])
    figures.counts["calls of an evening"] += calls
    return _timed(figures, begun)


def lose_power(seed, stop=False):
    """Loss of power in an evening, in two with failures and after kills; if asked, only until something is lost."""
    begun = process_time()
    with Players() as players:
        power = Power(players, seed, deep=100, stop=stop)
        try:
            for part in (_lose_in_evening, _lose_after_kills, _lose_after_failures):
                if not (stop and power.figures.faults):
                    part(power, players, seed, PAGES[seed % len(PAGES)])
        except Died as died:
            power.figures.faults.append(f"evening {seed}: the program did not survive: {died}")
    return _timed(power.figures, begun)


def _lose_in_evening(power, players, seed, pages):
    power.lose(recorded(players, seed, pages), FOR_EACH_TIME, f"evening {seed}")
    power.figures.counts["evenings recorded"] += 1


def _lose_after_kills(power, players, seed, pages):
    recording = recorded(players, seed, pages)
    points = set(Random(seed).sample(range(len(recording.calls)), 8))
    power.kill_and_lose(recording, 8, f"evening {seed}", points)


def _lose_after_failures(power, players, seed, pages):
    chance = Random(seed)
    for _ in range(2):
        often, only = chance.choice([1, 1, 3, 10]), chance.choice(["", ".db-wal", "games/pond"])
        first = chance.randrange(12 if only == "games/pond" else 300)
        failure = Failure(chance.choice(ERRORS), first, often, only)
        figures, recording = failing(players, seed, failure, pages)
        power.figures.add(figures)
        if recording:
            power.lose(recording, 12, f"evening {seed} with {failure}")
            power.figures.counts["evenings recorded"] += 1


def _timed(figures, begun):
    figures.counts["seconds of the processor"] += round(process_time() - begun)
    return figures


def kill_game(seed):
    """Kill the whole program at every call of a game."""
    with tempfile.TemporaryDirectory(dir=SHM if os.access(SHM, os.W_OK) else None) as folder:
        return kills_of_all(seed, folder)
