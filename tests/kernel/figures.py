"""How quick and how light `pond serve` is on the simulated Pi: `python -m tests.kernel.figures BOARD`.

What is measured: from the instant at which a switch closes (or a magnet comes) on the simulated line to the instant at
which the bytes begin to go out at spidev that show that cell in another light; both are stamped by the same clock in
the kernel. And how long all threads of the service were on the processor, as the kernel's scheduler counts it.

What it is not: a Raspberry Pi. The processor is this machine's, one core of it, shared with all that runs beside it,
and every system call costs more than on a real kernel. What the lamps take to draw what was sent comes on top: 30 us
each. In simulated time computing costs nothing, and what remains is what Pond waits for by itself.
"""

import argparse
import re
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from pond_hw.rules import get_grid
from tests.building import Lacking
from tests.kernel.breadboard import DONE, journal, there, virtual
from tests.kernel.inside.board_on_pi import BoardOnPi, LampFrame
from tests.kernel.inside.installation import Installation
from tests.kernel.inside.lamps import at
from tests.kernel.pi import Stopped, run, set_up

WAITS = re.compile(r"^voluntary_ctxt_switches:\s*(\d+)", re.MULTILINE)

REST = 1.5
"""Seconds between two presses, in which the lamps come to rest."""


def places(profile, cell):
    """Where a cell's lamps are in the chain."""
    each = profile.chain.lamps_per_cell
    first = get_grid(profile.size).cells.index(cell) * each
    return profile.chain.cell_positions[first : first + each]


def answered(entries, profile, cell):
    """Seconds from the latest thing done to the first bytes that show the cell in another light; None if none do."""
    begun = [entry.at for entry in entries if entry.what == DONE][-1]
    before = None
    for entry in entries:
        if (entry.what, entry.where) != at(profile.chain.data_pin):
            continue
        seen = LampFrame(entry).colours
        shown = [seen[3 * place : 3 * place + 3] for place in places(profile, cell)]
        if entry.at < begun:
            before = shown
        elif shown != before:
            return entry.at - begun
    return None


def load(process):
    """Seconds that all threads of a process have been on a processor, and how often they have woken up."""
    tasks = list(Path(f"/proc/{process}/task").iterdir())
    seconds = sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    waits = sum(int(WAITS.search((task / "status").read_text())[1]) for task in tasks)
    return seconds, waits


@contextmanager
def watched(process):
    """A dictionary that tells in the end the share of a processor that was used meanwhile, and wakeups in a minute."""
    begun, before, usage = time.monotonic(), load(process), {}
    yield usage
    passed, (seconds, waits) = time.monotonic() - begun, load(process)
    usage |= {"share": (seconds - before[0]) / passed, "wakeups": (waits - before[1]) * 60 / passed}


def pressed(table, cell):
    """A press (or a piece that comes), and how long it took to be answered by light; then the board is empty again."""
    bench = table.bench
    bench.passes(REST)  # while its latest light goes out, with which the next is compared
    bench.press(cell)
    bench.passes(bench.soon + bench.profile.sensing.settle_seconds)
    entries = journal()
    bench.release(cell)
    table.client.send(command="new")
    return answered(entries, bench.profile, cell)


def in_a_pi(asked):
    """Do it in a simulated Pi that is set up for the board."""
    command = [sys.executable, "-m", "tests.kernel.figures", asked.board]
    command += ["--presses", str(asked.presses), "--rest", str(asked.rest)]
    within = asked.presses * 5 + asked.rest + 120
    try:
        return run(command, wired=set_up(asked.board), virtual=asked.virtual, within=within)
    except (Lacking, Stopped) as error:
        print(error, file=sys.stderr)
        return 2


def main():
    """Measure, and print it."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernel.figures", description=__doc__.partition("\n")[0])
    parser.add_argument("board", metavar="BOARD", help="the profile that the simulated Pi was wired for")
    parser.add_argument("--presses", type=int, default=200, metavar="N", help="how many (200)")
    parser.add_argument("--rest", type=float, default=30.0, metavar="S", help="seconds of rest that are watched (30)")
    parser.add_argument("--virtual", action="store_true", help="in simulated time: what Pond waits for by itself")
    asked = parser.parse_args()
    if not there():
        return in_a_pi(asked)
    table = BoardOnPi(asked.board)
    with Installation(asked.board) as installation:
        table.connect()
        time.sleep(5.0)
        with watched(installation.main) as at_rest:
            time.sleep(asked.rest)

        cells = get_grid(table.bench.size).cells
        with watched(installation.main) as in_play:
            delays = [pressed(table, cells[count % len(cells)]) for count in range(asked.presses)]
        table.disconnect()

    late = [1000 * each for each in delays if each is not None]
    print(f"{asked.board}, {'simulated' if virtual() else 'real'} time, {len(delays)} presses")
    print(f"  not answered by light   {len(delays) - len(late)}")
    slow = quantiles(late, n=100, method="inclusive")[98]
    print(f"  edge to lamp bytes      p50 {median(late):.1f} ms, p99 {slow:.1f} ms, at most {max(late):.1f} ms")
    for when, figures in (("at rest", at_rest), ("in play", in_play)):
        print(
            f"  {when}                 {figures['share']:.1%} of a processor, {figures['wakeups']:.0f} wakeups a minute"
        )
    print(__doc__.split("\n\n", 1)[1].strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
