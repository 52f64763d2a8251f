"""Benchmark of restarts after kill -9 and of slow disks: `python -m tests.soak.restart_benchmark --runs 50`.

It uses real processes, real time and the simulated board. Compare only rows of one run.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles

from pond_hw.board import Touch
from pond_hw.companion import Companion, RealClock
from pond_hw.companion.saved_state import SavedState, open_with_resume_prompt
from pond_hw.journal import store
from pond_hw.rules import STANDARD
from pond_hw.session import Session
from pond_hw.simulator import SimulatedBoard


def main(arguments=None):
    """Print both benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.restart_benchmark", description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--games", type=int, default=0, help="finished games that are already in the journal")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        took = [seconds for seconds in measure_restarts(Path(folder), options.runs, options.games) if seconds]
    print_row("from start to first frame, s", took)
    for name, delay in (("fast disk", 0.0), ("disk that takes 2 s", 2.0)):
        with tempfile.TemporaryDirectory() as folder:
            frame_seconds, written = measure_frames(Path(folder), delay)
        print_row(f"time between frames, ms, {name} ({written} turns)", [1000 * each for each in frame_seconds])
    return 0


def print_row(what, values):
    cuts = quantiles(values, n=100)
    print(f"{what:<58} p50 {cuts[49]:.3f}  p99 {cuts[98]:.3f}  longest {max(values):.3f}  of {len(values)}")


def measure_restarts(folder, runs, games):
    """Start, touch a cell, kill -9, and start again. Yield the seconds from each start until the lamps show the game."""
    journal = folder / "journal"
    fill(journal, games)
    notify_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify_socket.bind(str(folder / "notify"))
    notify_socket.settimeout(30)
    command = [sys.executable, "-m", "pond_hw", "serve", "--board", "simulated-4x4"]
    command += ["--socket", str(folder / "pond.sock"), "--journal", str(journal)]
    turns = 0
    for run in range(runs + 1):
        (folder / "pond.sock.starts").unlink(missing_ok=True)  # so that the kills do not count as crashes
        begun = time.perf_counter()
        outside = os.environ | {"NOTIFY_SOCKET": str(folder / "notify")}
        process = subprocess.Popen(command, env=outside, stderr=subprocess.DEVNULL)
        try:
            while b"READY=1" not in notify_socket.recv(4096):
                pass
            took = time.perf_counter() - begun
            with socket.socket(socket.AF_UNIX) as caller, caller.makefile("r") as lines:
                caller.connect(str(folder / "pond.sock"))
                lines.readline()
                assert (json.loads(lines.readline())["phase"] == "resume") == (turns > 0)
                caller.sendall(b'{"command":"resume"}\n')
                while (state := json.loads(lines.readline()))["phase"] == "resume":
                    pass
                action = state["legal"][run % len(state["legal"])] if state["legal"] else None
                caller.sendall(json.dumps({"command": "action", "action": action} if action else NEW).encode() + b"\n")
                state = json.loads(lines.readline())
                turns = turns + 1 if action and not state["outcome"] else 0  # a finished game is not offered
        finally:
            process.kill()
            process.wait()
        yield took if run else None  # the first start had no game to restore
    notify_socket.close()


NEW = {"command": "new"}


def fill(journal, games):
    """Fill a journal with finished games."""
    from tests.soak.evenings import Trace, play_evenings

    journal.mkdir()
    if games:
        for _ in play_evenings(journal, 3, games, 0.25, Trace()):
            pass


def measure_frames(folder, delay):
    """Play for ten seconds with a delay for each write. Return the times between frames, and the number of turns."""
    append, frame_seconds, frames = store.JournalStore.append_games, [], 0

    def append_slowly(self, parts):
        time.sleep(delay)
        append(self, parts)

    clock = RealClock()
    hands = SimulatedBoard(4, 4, clock.now)
    session, journal = open_with_resume_prompt(folder, Session.start_game(STANDARD), clock.now(), board="bench")
    companion = Companion(hands.to_board(), session, clock, saved=SavedState(journal))
    store.JournalStore.append_games = append_slowly
    try:
        before, until, press = clock.now(), clock.now() + 10.0, clock.now() + 0.5
        while (now := clock.now()) < until:
            companion.run_until(min(now + 1 / 30, until))
            if companion.display.shown_count > frames:
                frames, shown = companion.display.shown_count, clock.now()
                frame_seconds.append(shown - before)
                before = shown
            if now >= press:
                press = now + 0.5
                cell = companion.session.position.grid.cells[len(frame_seconds) % 16]
                companion.put(Touch(cell, True, now))
        return frame_seconds, len(companion.session.turns)
    finally:
        store.JournalStore.append_games = append
        companion.close()


if __name__ == "__main__":
    sys.exit(main())
