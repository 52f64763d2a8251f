"""Latency and load of `pond serve` on the simulated Pi: `python -m tests.kernel.figures BOARD`.

Latency is the time from a closing switch (or a magnet) on the simulated line to the first bytes on spidev that show the
cell in another colour; the same clock in the kernel stamps both. Load is the processor time of all threads of the
service, as the kernel's scheduler counts it.

This is not a Raspberry Pi: the processor is one core of this machine, shared with other programs, and every system call
costs more than on a real kernel. The lamps need another 30 us each. In simulated time computing takes no time, so only
Pond's waits remain.
"""

import argparse
import re
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from pond_hw.rules import get_grid
from tests.building import MissingTool
from tests.kernel.breadboard import DONE, is_simulated_pi, is_time_simulated, read_journal
from tests.kernel.inside.board_on_pi import BoardOnPi, LampFrame
from tests.kernel.inside.installation import Installation
from tests.kernel.inside.lamps import at
from tests.kernel.pi import Stopped, run, set_up

WAITS = re.compile(r"^voluntary_ctxt_switches:\s*(\d+)", re.MULTILINE)

REST = 1.5
"""Seconds between two presses, in which the lamps come to rest."""


def lamp_positions(profile, cell):
    """Return the positions of a cell's lamps in the chain."""
    each = profile.chain.lamps_per_cell
    first = get_grid(profile.size).cells.index(cell) * each
    return profile.chain.cell_positions[first : first + each]


def response_seconds(entries, profile, cell):
    """Return the seconds from the latest command to the first bytes that show the cell in another colour, or None."""
    begun = [entry.at for entry in entries if entry.what == DONE][-1]
    before = None
    for entry in entries:
        if (entry.what, entry.where) != at(profile.chain.data_pin):
            continue
        seen = LampFrame(entry).colours
        shown = [seen[3 * place : 3 * place + 3] for place in lamp_positions(profile, cell)]
        if entry.at < begun:
            before = shown
        elif shown != before:
            return entry.at - begun
    return None


def load(process):
    """Return the processor seconds and wakeups of all threads of a process."""
    tasks = list(Path(f"/proc/{process}/task").iterdir())
    seconds = sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    waits = sum(int(WAITS.search((task / "status").read_text())[1]) for task in tasks)
    return seconds, waits


@contextmanager
def measure_load(process):
    """Yield a dictionary that finally holds the share of a processor used and the wakeups per minute."""
    begun, before, usage = time.monotonic(), load(process), {}
    yield usage
    passed, (seconds, waits) = time.monotonic() - begun, load(process)
    usage |= {"share": (seconds - before[0]) / passed, "wakeups": (waits - before[1]) * 60 / passed}


def press_and_measure(table, cell):
    """Press a cell (or put a piece) and return the seconds until the lamps answer; then empty the board again."""
    bench = table.bench
    bench.wait(REST)  # until the lamps are dark: the next measurement starts from there
    bench.press(cell)
    bench.wait(bench.report_delay + bench.profile.sensing.settle_seconds)
    entries = read_journal()
    bench.release(cell)
    table.client.send(command="new")
    return response_seconds(entries, bench.profile, cell)


def run_in_pi(arguments):
    """Run the command in a simulated Pi that is set up for the board."""
    command = [sys.executable, "-m", "tests.kernel.figures", arguments.board]
    command += ["--presses", str(arguments.presses), "--rest", str(arguments.rest)]
    within = arguments.presses * 5 + arguments.rest + 120
    try:
        return run(command, wired=set_up(arguments.board), virtual=arguments.virtual, within=within)
    except (MissingTool, Stopped) as error:
        print(error, file=sys.stderr)
        return 2


def main():
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernel.figures", description=__doc__.partition("\n")[0])
    parser.add_argument("board", metavar="BOARD", help="the profile that the simulated Pi was wired for")
    parser.add_argument("--presses", type=int, default=200, metavar="N", help="number of presses (200)")
    parser.add_argument("--rest", type=float, default=30.0, metavar="S", help="seconds of rest to measure (30)")
    parser.add_argument(
        "--virtual", action="store_true", help="in simulated time, which shows only what Pond waits for"
    )
    arguments = parser.parse_args()
    if not is_simulated_pi():
        return run_in_pi(arguments)
    table = BoardOnPi(arguments.board)
    with Installation(arguments.board) as installation:
        table.connect()
        time.sleep(5.0)
        with measure_load(installation.main) as at_rest:
            time.sleep(arguments.rest)

        cells = get_grid(table.bench.size).cells
        with measure_load(installation.main) as in_play:
            delays = [press_and_measure(table, cells[count % len(cells)]) for count in range(arguments.presses)]
        table.disconnect()

    late = [1000 * each for each in delays if each is not None]
    print(f"{arguments.board}, {'simulated' if is_time_simulated() else 'real'} time, {len(delays)} presses")
    print(f"  without response        {len(delays) - len(late)}")
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
