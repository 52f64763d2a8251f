"""Simulated month of play: `python -m tests.soak --evenings 30 --hours 2`; with `--trace`, only its hash."""

import argparse
import gc
import resource
import sys
import tempfile
from functools import _lru_cache_wrapper
from pathlib import Path
from time import perf_counter

from tests.soak.evenings import Trace, month

WARM = 10
"""Evenings until memory use has settled."""

MORE = 2048
"""Allowed growth in KiB after that: SQLite caches that much of a growing file."""


def main(arguments=None):
    """Run the soak test. Return 1 if memory or open files have grown."""
    asked = _read(arguments)
    with tempfile.TemporaryDirectory() as folder:
        trace = Trace()
        played = month(Path(folder), asked.seed, asked.evenings, asked.hours, trace, jumps=asked.jumps)
        if asked.trace:
            for _ in played:
                pass
            print(trace)
            return 0
        return _watched(played, asked, trace, Path(folder))


def _watched(played, asked, trace, folder):
    print(f"Python {sys.version.split()[0]}, seed {asked.seed}: {asked.evenings} evenings of {asked.hours:g} h")
    begun, turns, sizes, files = perf_counter(), 0, [], []
    written, before = 0, _written()
    for evening in played:
        _forget()
        turns += evening.turns
        sizes.append(_resident())
        files.append(sum(1 for _ in Path("/proc/self/fd").iterdir()))
        written += _written() - before
        if len(sizes) % 5 == 0:
            seconds = perf_counter() - begun
            print(f"  evening {len(sizes):>3}: {turns:>6} turns, {sizes[-1]} KiB, {files[-1]} files, {seconds:.0f} s")
        before = _written()
    seconds = perf_counter() - begun
    simulated = asked.evenings * asked.hours * 3600
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"trace                        {trace}")
    print(f"simulated / real             {simulated / seconds:.0f} times, {seconds:.0f} s in all")
    print(f"turns                        {turns}")
    print(f"bytes handed to the system   {written / max(turns, 1):.0f} for each turn")
    print(f"the journal at the end       {size} bytes")
    warm = sizes[:WARM][-1]
    print(f"memory, warm to last         {warm} to {sizes[-1]} KiB (most {_most()} KiB)")
    print(f"open files, first to last    {files[0]} to {files[-1]}")
    grown = sizes[-1] > warm + asked.more or files[-1] > files[0]
    print("memory or open files have grown" if grown else "flat")
    return int(grown)


def _read(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--evenings", type=int, default=30)
    parser.add_argument("--hours", type=float, default=2.0, help="of each evening")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--more", type=int, default=MORE, help="KiB that memory may grow by once it is warm")
    parser.add_argument("--jumps", action="store_true", help="the clock on the wall jumps by years at every step")
    parser.add_argument("--trace", action="store_true", help="print only a hash of everything that happened")
    return parser.parse_args(arguments)


def _forget():
    """Clear bounded caches, which would hide leaks."""
    for each in gc.get_objects():
        if isinstance(each, _lru_cache_wrapper) and each.__module__.startswith("pond_hw."):
            each.cache_clear()
    gc.collect()


def _written():
    """Return the bytes written by this process so far."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("wchar")).split()[1])


def _resident():
    """Return the memory in use, in KiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


def _most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    sys.exit(main())
