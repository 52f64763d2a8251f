"""Measure latency and load of `pond serve` on the simulated Pi: `python -m tests.kernel.figures BOARD`.

Latency is the time from the closing of a switch (or the placing of a magnet) to the first bytes on spidev that show the
cell in another colour. Both times come from the same clock in the kernel. Load is the processor time of all threads of
the service, as counted by the kernel's scheduler.

This is not a Raspberry Pi: the processor is one core of this machine, shared with other programs, and every system call
costs more than on a real kernel. The lamps need another 30 us each. In simulated time, computing takes no time, so only
the time that Pond waits is measured.
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
from tests.kernel.inside.lamps import lamp_output
from tests.kernel.pi import Stopped, run, set_up

WAITS = re.compile(r"^voluntary_ctxt_switches:\s*(\d+)", re.MULTILINE)

REST_SECONDS = 1.5
"""Seconds between two presses, enough for all animations to end."""


def lamp_positions(profile, cell):
    """Return the positions of a cell's lamps in the chain."""
    each = profile.chain.lamps_per_cell
    first = get_grid(profile.size).cells.index(cell) * each
    return profile.chain.cell_positions[first : first + each]


def response_seconds(entries, profile, cell):
    """Return the seconds from the latest command until the first bytes show the cell in another colour, or None."""
    started_at = [entry.at for entry in entries if entry.what == DONE][-1]
    before = None
    for entry in entries:
        if (entry.what, entry.where) != lamp_output(profile.chain.data_pin):
            continue
        colours = LampFrame(entry).colours
        cell_colours = [colours[3 * place : 3 * place + 3] for place in lamp_positions(profile, cell)]
        if entry.at < started_at:
            before = cell_colours
        elif cell_colours != before:
            return entry.at - started_at
    return None


def read_load(process):
    """Return the processor time in seconds and the number of wakeups of all threads of a process."""
    tasks = list(Path(f"/proc/{process}/task").iterdir())
    seconds = sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    waits = sum(int(WAITS.search((task / "status").read_text())[1]) for task in tasks)
    return seconds, waits


@contextmanager
def measure_load(process):
    """Measure a process during a `with` block.

    Yield a dictionary, which is filled at the end: `share` of a processor used, and `wakeups` per minute.
    """
    started_at, before, usage = time.monotonic(), read_load(process), {}
    yield usage
    elapsed, (seconds, waits) = time.monotonic() - started_at, read_load(process)
    usage |= {"share": (seconds - before[0]) / elapsed, "wakeups": (waits - before[1]) * 60 / elapsed}


def press_and_measure(table, cell):
    """Press a cell or place a piece, and return the seconds until the lamps respond. Then clear the board."""
    bench = table.bench
    bench.wait(REST_SECONDS)  # until the lamps are dark: the next measurement starts from there
    bench.press(cell)
    bench.wait(bench.report_delay + bench.profile.sensing.settle_seconds)
    entries = read_journal()
    bench.release(cell)
    table.client.send(command="new")
    return response_seconds(entries, bench.profile, cell)


def run_in_pi(arguments):
    """Run this command on a simulated Pi that is set up for the board."""
    command = [sys.executable, "-m", "tests.kernel.figures", arguments.board]
    command += ["--presses", str(arguments.presses), "--rest", str(arguments.rest)]
    timeout = arguments.presses * 5 + arguments.rest + 120
    try:
        return run(command, settings=set_up(arguments.board), virtual=arguments.virtual, timeout=timeout)
    except (MissingTool, Stopped) as error:
        print(error, file=sys.stderr)
        return 2


def main():
    """Measure the latency and the load, and print them."""
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

    milliseconds = [1000 * each for each in delays if each is not None]
    print(f"{arguments.board}, {'simulated' if is_time_simulated() else 'real'} time, {len(delays)} presses")
    print(f"  without response        {len(delays) - len(milliseconds)}")
    p99 = quantiles(milliseconds, n=100, method="inclusive")[98]
    print(
        f"  edge to lamp bytes      p50 {median(milliseconds):.1f} ms, p99 {p99:.1f} ms, at most {max(milliseconds):.1f} ms"
    )
    for label, figures in (("at rest", at_rest), ("in play", in_play)):
        print(
            f"  {label}                 {figures['share']:.1%} of a processor, {figures['wakeups']:.0f} wakeups a minute"
        )
    print(__doc__.split("\n\n", 1)[1].strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
