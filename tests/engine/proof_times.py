"""Measure the processor time of proofs: `python -m tests.engine.proof_times`. Nothing is asserted.

There are three tables, for the compiled and the plain kernel:

- small ponds that are solved completely;
- the positions of tests/reference/tactics.json with one action to find: the depth at which a search like level 12's
  finds that action and keeps it, up to two actions beyond the end of the proof;
- the built-in puzzles: all actions of each puzzle are judged, as when the puzzle was created.
"""

import argparse
import os
import platform
import subprocess
import sys
from statistics import median
from time import process_time

from pond_hw.commands.solve import format_value
from pond_hw.engine import packed
from pond_hw.engine.packed import ExactSolver, pack_action, pack_position, packed_rules, unpack_action
from pond_hw.engine.prover import Prover
from pond_hw.engine.searcher import Searcher, SearchLimits
from pond_hw.puzzles.puzzle import load_puzzles
from pond_hw.puzzles.solving import is_right
from pond_hw.rules import Position, legal_actions, parse_variant
from tests.engine.tactics import read, to_engine_game

PONDS = ("3x3/1/1", "3x3/2/1", "3x3/3/1", "3x3/4/2", "3x3/5/3", "3x3/6/3", "3x3/8/5", "3x3/9/5")
"""Ponds of three rows that can be solved, in order of size."""

LAST_POND = {"compiled": "3x3/6/3", "plain": "3x3/3/1"}
"""Largest pond to solve by default."""


def table(heading, columns, rows):
    """Print a table with a heading and column names. The first column holds names, the others hold numbers."""
    print(f"\n{heading}")
    widths = [max(len(row[place]) for row in (columns, *rows)) for place in range(len(columns))]
    for first, *others in (columns, *rows):
        cells = (f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True))
        print("  ".join((f"  {first:<{widths[0]}}", *cells)))


def per_second(count, seconds):
    return f"{count / seconds:,.0f}" if seconds else "-"


def solve_pond(name):
    """Return a table row with the result of a pond and the time needed to solve it."""
    pond, begun = parse_variant(name), process_time()
    solver = ExactSolver(packed_rules(pond), pond.spawn)
    while solver.explore_layer():
        pass
    found = process_time()
    while solver.solve_layer():
        pass
    ended = process_time()
    value = format_value(solver.position_value(pack_position(Position.start(pond))))
    rate = per_second(solver.positions, ended - begun)
    times = (f"{found - begun:.1f}", f"{ended - found:.1f}", f"{ended - begun:.1f}")
    return (name, f"{solver.positions:,}", *times, rate, value)


def find_tactic(searcher, tactic):
    """Return the depth, nodes and seconds after which the right action stays first, or None if it does not."""
    found = []
    begun = process_time()

    def record_depth(result):
        is_best = str(unpack_action(result.actions[0], tactic.pond)) == tactic.best
        found.append((is_best, result.depth, result.nodes, process_time() - begun))

    searcher.search_game(to_engine_game(tactic), SearchLimits(depth=tactic.plies + 2), on_depth=record_depth)
    kept = None
    for is_best, *reached in found:
        kept = (reached if kept is None else kept) if is_best else None
    return kept


def find_tactics(tactics):
    """Yield each position with the result of `find_tactic`."""
    searchers = {}
    for tactic in tactics:
        if tactic.variant not in searchers:  # as during a game, the memory exists already
            searchers[tactic.variant] = Searcher()
            find_tactic(searchers[tactic.variant], tactic)
        yield tactic, find_tactic(searchers[tactic.variant], tactic)


def list_tactics(results):
    """Yield a row for each position."""
    for tactic, found in results:
        depth, nodes, seconds = found or (0, 0, 0.0)
        figures = (str(depth), f"{nodes:,}", f"{1000 * seconds:.1f}", per_second(nodes, seconds))
        yield (f"{tactic.variant} {tactic.position}", tactic.kind, tactic.best, *(figures if found else ["-"] * 4))


def sum_up_tactics(results):
    """Yield a row for each kind of position, and a row for all kinds together."""
    for name in (*dict.fromkeys(tactic.kind for tactic, _ in results), "all"):
        selected = [result for tactic, result in results if name in (tactic.kind, "all")]
        found = [result for result in selected if result]
        depths, nodes, seconds = zip(*found, strict=True)
        times = (f"{1000 * median(seconds):.1f}", f"{1000 * max(seconds):.1f}")
        counts = (f"{median(depths):g}", str(max(depths)), f"{median(nodes):,.0f}", f"{max(nodes):,}")
        yield (name, f"{len(found)} of {len(selected)}", *counts, *times, per_second(sum(nodes), sum(seconds)))


def judge_puzzles():
    """Yield a row for each size of puzzle, and a row for all sizes together."""
    results = []
    for puzzle in load_puzzles():
        prover, position, begun = (
            Prover(puzzle.variant, table_size=1 << 16),
            pack_position(puzzle.position),
            process_time(),
        )
        for action in legal_actions(puzzle.position):
            is_right(prover, puzzle.kind, position, pack_action(action, puzzle.variant), puzzle.actions)
        results.append((f"{puzzle.variant.size} rows", prover.nodes, process_time() - begun))
    for name in (*sorted({rows for rows, *_ in results}), "all"):
        nodes, seconds = zip(*(result for rows, *result in results if name in (rows, "all")), strict=True)
        counts = (str(len(nodes)), f"{median(nodes):,.0f}", f"{max(nodes):,}")
        times = (f"{1000 * median(seconds):.1f}", f"{1000 * max(seconds):.1f}", f"{sum(seconds):.1f}")
        yield (name, *counts, *times, per_second(sum(nodes), sum(seconds)))


def show_tables(kernel, last_pond, *, each):
    """Show all three tables for this process's kernel. If `each` is True, the second table lists every position."""
    print(f"\n{kernel} kernel, Python {platform.python_version()} on {platform.machine()}", flush=True)
    columns = ("pond", "positions", "finding them, s", "solving, s", "together, s", "positions/s", "who moves first")
    ponds = PONDS[: PONDS.index(last_pond or LAST_POND[kernel]) + 1]
    table("ponds of three rows, solved", columns, list(map(solve_pond, ponds)))
    columns = ("", "found", "depth", "most", "positions", "most", "ms", "longest", "positions/s")
    results = list(find_tactics(read()))
    if each:
        names = ("", "kind", "best", "depth", "positions", "ms", "positions/s")
        table("positions with one action to find, each", names, list(list_tactics(results)))
    table("positions with one action to find (medians, and the most)", columns, list(sum_up_tactics(results)))
    columns = ("", "puzzles", "positions", "most", "ms", "longest", "together, s", "positions/s")
    table("puzzles, every action judged (medians, and the most)", columns, list(judge_puzzles()))
    sys.stdout.flush()


def main():
    """Show the tables of both kernels, or of the requested kernel only."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel", choices=LAST_POND, help="only this one; both if none is named")
    parser.add_argument("--each", action="store_true", help="show each of the positions with one action to find, too")
    parser.add_argument("--last", metavar="POND", choices=PONDS, help="solve the ponds up to this one")
    arguments = parser.parse_args()
    here = "compiled" if packed.is_compiled() else "plain"
    if arguments.kernel in (None, "compiled") and here == "plain":
        print("The compiled kernel is not here; `make fast` makes it.")
    if arguments.kernel in (None, here):
        show_tables(here, arguments.last, each=arguments.each)
    if here == "compiled" and arguments.kernel != "compiled":
        further = [*(["--last", arguments.last] if arguments.last else []), *(["--each"] if arguments.each else [])]
        command = [sys.executable, "-m", __spec__.name, "--kernel", "plain", *further]
        subprocess.run(command, env=os.environ | {"POND_KERNEL": "plain"}, check=True)


if __name__ == "__main__":
    main()
