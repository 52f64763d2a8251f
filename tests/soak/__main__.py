"""Simulated month of play: `python -m tests.soak --evenings 30 --hours 2`; with `--trace`, only its hash."""

import argparse
import gc
import resource
import sys
import tempfile
from functools import _lru_cache_wrapper
from pathlib import Path
from time import perf_counter

from tests.soak.evenings import Trace, play_evenings

WARM_UP_EVENINGS = 10
"""Evenings until memory use has settled."""

MAX_GROWTH_KIB = 2048
"""Allowed growth in KiB after that: SQLite caches that much of a growing file."""


def main(arguments=None):
    """Run the soak test. Return 1 if memory or open files have grown."""
    options = _parse_arguments(arguments)
    with tempfile.TemporaryDirectory() as folder:
        trace = Trace()
        played = play_evenings(Path(folder), options.seed, options.evenings, options.hours, trace, jumps=options.jumps)
        if options.trace:
            for _ in played:
                pass
            print(trace)
            return 0
        return _run_and_report(played, options, trace, Path(folder))


def _run_and_report(played, options, trace, folder):
    print(f"Python {sys.version.split()[0]}, seed {options.seed}: {options.evenings} evenings of {options.hours:g} h")
    begun, turns, sizes, files = perf_counter(), 0, [], []
    written, before = 0, _bytes_written()
    for evening in played:
        _clear_caches()
        turns += evening.turns
        sizes.append(_memory_in_use())
        files.append(sum(1 for _ in Path("/proc/self/fd").iterdir()))
        written += _bytes_written() - before
        if len(sizes) % 5 == 0:
            seconds = perf_counter() - begun
            print(f"  evening {len(sizes):>3}: {turns:>6} turns, {sizes[-1]} KiB, {files[-1]} files, {seconds:.0f} s")
        before = _bytes_written()
    seconds = perf_counter() - begun
    simulated = options.evenings * options.hours * 3600
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"trace                        {trace}")
    print(f"simulated / real             {simulated / seconds:.0f} times, {seconds:.0f} s in total")
    print(f"turns                        {turns}")
    print(f"bytes written per turn       {written / max(turns, 1):.0f}")
    print(f"the journal at the end       {size} bytes")
    warm = sizes[:WARM_UP_EVENINGS][-1]
    print(f"memory, warmed up to last    {warm} to {sizes[-1]} KiB (peak {_peak_memory()} KiB)")
    print(f"open files, first to last    {files[0]} to {files[-1]}")
    grown = sizes[-1] > warm + options.more or files[-1] > files[0]
    print("memory or open files have grown" if grown else "flat")
    return int(grown)


def _parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--evenings", type=int, default=30)
    parser.add_argument("--hours", type=float, default=2.0, help="of each evening")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--more", type=int, default=MAX_GROWTH_KIB, help="KiB that memory may grow after the first evenings"
    )
    parser.add_argument("--jumps", action="store_true", help="the wall clock jumps by years at every step")
    parser.add_argument("--trace", action="store_true", help="print only the hash of all output")
    return parser.parse_args(arguments)


def _clear_caches():
    """Clear bounded caches, which would hide leaks."""
    for each in gc.get_objects():
        if isinstance(each, _lru_cache_wrapper) and each.__module__.startswith("pond_hw."):
            each.cache_clear()
    gc.collect()


def _bytes_written():
    """Return the bytes written by this process so far."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("wchar")).split()[1])


def _memory_in_use():
    """Return the memory in use, in KiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


def _peak_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    sys.exit(main())
