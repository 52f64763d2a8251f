"""Test the journal with kills, failing calls and power loss.

python -m tests.journal.power --states 100000 --jobs 2 --seed 1      simulates power loss and checks 100000 states
python -m tests.journal.power --kills 10                             kills the program at every call of 10 evenings
python -m tests.journal.power --games 10                             kills the whole program in 10 games
python -m tests.journal.power --errors 1                             makes every call of an evening fail
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from time import perf_counter

from tests.journal.power.campaign import Results
from tests.journal.power.evenings import fail_evening, kill_evening, kill_game, lose_power
from tests.journal.power.tracer import TRACER_OBSTACLE


def main(arguments=None):
    """Run the campaign. Return 0 if nothing was lost, 1 if something was, 2 if it cannot run here."""
    options = _read(arguments)
    if TRACER_OBSTACLE:
        print(f"This cannot be run here: {TRACER_OBSTACLE}.")
        return 2
    begun, results = perf_counter(), Results()
    for kind, wanted, part in (
        ("kills", options.kills, kill_evening),
        ("games", options.games, kill_game),
        ("errors", options.errors, fail_evening),
        ("states", options.states, partial(lose_power, stop=options.stop)),
    ):
        if wanted:
            results.add(run_evenings(part, kind, wanted, options))
    for what, count in sorted(results.counts.items()):
        print(f"{what:<32} {count:>9}")
    print(f"seed {options.seed}, {perf_counter() - begun:.0f} seconds")
    for fault in results.faults[:20]:
        print(f"FAILED: {fault}")
    if len(results.faults) > 20:
        print(f"FAILED: and {len(results.faults) - 20} more.")
    return int(bool(results.faults))


def run_evenings(part, kind, wanted, options):
    """Run evenings in parallel until the number of evenings or states is reached."""
    results, number, under_way = Results(), 0, set()
    with ProcessPoolExecutor(options.jobs) as pool:
        while True:
            done = results.counts["states"] if kind == "states" else number
            while len(under_way) < options.jobs and done < wanted and not (options.stop and results.faults):
                under_way.add(pool.submit(part, 1000 * options.seed + number))
                number += 1
                done += kind != "states"
            if not under_way:
                return results
            ready = next(as_completed(under_way))
            under_way.remove(ready)
            results.add(ready.result())


def _read(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.journal.power", description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=0, help="number of states after a power cut to check")
    parser.add_argument("--kills", type=int, default=0, help="number of evenings to kill at every call")
    parser.add_argument(
        "--games", type=int, default=0, help="number of games in which to kill the program at every call"
    )
    parser.add_argument("--errors", type=int, default=0, help="number of evenings in which every call fails once")
    parser.add_argument("--stop", action="store_true", help="stop the simulation of power loss at the first fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(arguments)
    if not (options.states or options.kills or options.games or options.errors):
        parser.error("choose at least one of --states, --kills, --games and --errors")
    return options


if __name__ == "__main__":
    sys.exit(main())
