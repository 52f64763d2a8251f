"""Recorded evenings of play, and what can happen to the disk: kills, failing calls, power loss.

Each evening is recorded once. The recording shows what a kill or power loss at any call leaves on the disk.
"""

import copy
import errno
import os
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import NamedTuple

from pond_hw.journal import GameProjection
from tests.journal.power.check import JOURNAL, Bench, Bounds, bounds, judge, read_files
from tests.journal.power.disk import Disk
from tests.journal.power.player import ExpectedGames, evening, expect_games, resumed_sessions
from tests.journal.power.tracer import KILL, Fail, Short, Traced
from tests.journal.projections import project_session

ROOT = Path(__file__).parents[3]
SHM = "/dev/shm"
ERRORS = ("ENOSPC", "EIO", "EROFS", "EDQUOT", "EINTR")
PAGES = (12, 40, 256)
"""Log lengths at which SQLite makes a checkpoint. With short ones, checkpoints are frequent."""


@dataclass
class Results:
    """Results of a campaign.

    Attributes:
        counts: number of states, kills and so on.
        faults: descriptions of the faults found.
    """

    counts: Counter = field(default_factory=Counter)
    faults: list = field(default_factory=list)

    def add(self, other):
        """Add the results of another part of the campaign."""
        most = max(self.counts["most files"], other.counts["most files"])
        self.counts.update(other.counts)
        self.counts["most files"] = most
        self.faults += other.faults


class Recording(NamedTuple):
    """Recorded calls of a program, and what the journal must contain.

    Attributes:
        calls: calls that change a file, and lines of output.
        expected: games that must be saved.
        files: durable files before the first call, by path; or a Disk if they are not all durable.
    """

    calls: list
    expected: ExpectedGames
    files: object = None

    def disk(self):
        """Return the disk as it was before the first call."""
        return copy.deepcopy(self.files) if isinstance(self.files, Disk) else Disk(self.files)


class Players:
    """The traced player program, which can be run many times.

    Args:
        program: folder to run it from; by default this clone.
    """

    def __init__(self, program=ROOT):
        self._program, self._traced = program, None
        self._stack = ExitStack()
        memory = SHM if os.access(SHM, os.W_OK) else None
        self.root = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="pond-power-", dir=memory)))
        (self.root / "bench").mkdir()
        self.bench = Bench(self.root / "bench")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end()
        self._stack.close()

    def run(self, root, what, before=None):
        """Run one command in the folder `root`. Return its calls.

        Raises:
            ProgramDied: if the program ended unexpectedly.
        """
        if not self._traced:
            player = [sys.executable, "-m", "tests.journal.power.player"]
            self._traced = Traced(player, root, _environment(), self._program)
            self._traced.run(until=lambda line: line == "ready\n")
        traced, traced.root = self._traced, os.path.realpath(root)
        traced.send({**what, "folder": f"{traced.root}/{JOURNAL}"})
        orders = []

        def options(call, number):
            order = before(call, number) if before else None
            orders.append(order)
            return order

        self._begin = len(traced.calls)
        calls = traced.run(options, until=lambda line: line == "done\n")
        if traced.status is not None:
            complaint = traced.complaint
            self._end()
            if KILL not in orders:
                raise ProgramDied(complaint.strip()[-500:])
        return calls

    @property
    def call_count(self):
        """Number of calls since the last command."""
        return len(self._traced.calls) - self._begin

    def _end(self):
        if self._traced:
            self._traced.__exit__()
        self._traced = None


class ProgramDied(Exception):
    """Error for a program that ended unexpectedly."""


def _environment():
    """Return the environment for a program that imports from its own folder."""
    return {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}


def record_evening(players, seed, pages=PAGES[1], before=None):
    """Record an evening on a new disk."""
    root = players.bench.place()
    calls = players.run(root, {"do": "play", "seed": seed, "pages": pages}, before)
    return Recording(calls, expect_games(evening(seed)))


def output_lines(calls):
    """Return the output lines in these calls."""
    return [call.data.decode().rstrip() for call in calls if call.kind == "said"]


# Kills.


def kill_at_each_call(players, seed, pages=PAGES[1], every=1):
    """Check the files that a kill at each call, or at each `every`th call, would leave."""
    results, root, points = Results(), players.bench.place(), []

    def before(_, number):
        if number % every == 0:
            points.append((players.call_count, read_files(root)))

    calls = players.run(root, {"do": "play", "seed": seed, "pages": pages}, before)
    plan, disk, done = expect_games(evening(seed)), Disk(), 0
    for count, files in points:
        for call in calls[done:count]:
            disk.apply(call)
        done = count
        if _without_shm(disk.seen()) != _without_shm(files):
            results.faults.append(f"evening {seed}, call {count}: the model and the system have different bytes.")
        verdict = players.bench.judge(files, plan.libraries, bounds(plan, output_lines(calls[:count])), again=True)
        results.counts["points"] += 1
        if verdict.fault:
            results.faults.append(f"evening {seed}, killed at call {count}: {verdict.fault}")
    results.counts["evenings"] += 1
    results.counts["calls"] += sum(call.kind != "said" for call in calls)
    return results


def kill_processes(players, seed, numbers, pages=PAGES[1]):
    """Kill the program at these calls. Compare the files with those just before each call."""
    results, plan = Results(), expect_games(evening(seed))
    for number in numbers:
        root, there = players.bench.place(), {}

        def before(_, count, number=number, root=root, there=there):
            if count == number:
                there.update(read_files(root))
                return KILL
            return None

        calls = players.run(root, {"do": "play", "seed": seed, "pages": pages}, before)
        results.counts["real kills"] += 1
        if read_files(root) != there:
            results.faults.append(
                f"evening {seed}, killed at call {number}: it left bytes that differ from those before the kill."
            )
        verdict = judge(root, plan.libraries, bounds(plan, output_lines(calls)), again=True)
        if verdict.fault:
            results.faults.append(f"evening {seed}, really killed at call {number}: {verdict.fault}")
    return results


def _without_shm(files):
    return {path: content for path, content in files.items() if not path.endswith("-shm")}


# Calls that fail.


class Failure(NamedTuple):
    """Description of the calls that fail.

    Attributes:
        error: name of the error, or "short" to write only half of the data.
        first: number of the first call that fails.
        calls: number of consecutive calls that fail.
        only: end of the names of the files to count; calls on other files are not counted.
    """

    error: str
    first: int
    calls: int = 1
    only: str = ""

    def __str__(self):
        often = f" and {self.calls - 1} more" if self.calls > 1 else ""
        return f"{self.error} at call {self.first}{often}{' of ' * bool(self.only)}{self.only}"


def fail_calls(players, seed, failure, pages=PAGES[1]):
    """Play an evening with failing calls.

    Returns:
        The results and, for simulated power loss, the recording; the recording is None if no call failed.
    """
    results, failed, root, count = Results(), [], players.bench.place(), -1
    error, first, calls, only = failure

    def before(call, _):
        nonlocal count
        if not call.path.endswith(only):
            return None
        count += 1
        if not first <= count < first + calls or (error == "short" and (call.kind != "write" or len(call.data) < 2)):
            return None
        failed.append(players.call_count)
        return Short(len(call.data) // 2) if error == "short" else Fail(getattr(errno, error))

    plan, where = expect_games(evening(seed)), f"evening {seed}, {failure}"
    try:
        done = players.run(root, {"do": "play", "seed": seed, "pages": pages}, before)
    except ProgramDied as died:
        results.faults.append(f"{where}: the program did not survive: {died}")
        return results, None
    if not failed:
        return results, None
    results.counts[f"{error} failed"] += len(failed)
    results.counts["runs"] += 1
    where += f" ({done[failed[0]].name} {done[failed[0]].path})"
    disk, said, since = Disk(), [], None
    for position, call in enumerate(done):
        disk.apply(call)
        if position in failed:
            since = len(said)
        if call.kind == "said":
            said.append(call.data.decode().rstrip())
            if since is not None and len(said) == since + 1:  # the first line after the failure
                is_reported = said[-1].startswith(("trouble", "opened Not"))
                results.counts["reported unsaved" if is_reported else "saved all the same"] += 1
                _judge(results, where, players, disk.seen(), plan, bounds(plan, said))
    steps = [line for line in said if line.startswith(("trouble", "confirmed"))]
    troubled = [number for number, line in enumerate(steps) if line.startswith("trouble")]
    if calls == 1 and len(troubled) > 1:
        results.faults.append(f"{where}: {len(troubled)} steps were not saved after a single failure.")
    last = len(plan.least) - 1
    if not steps or steps[-1] != f"confirmed {last}":
        results.faults.append(f"{where}: the last report is {steps[-1:]}, but not everything is saved.")
    _judge(results, where, players, read_files(root), plan, Bounds(plan.least[-1], plan.least[-1]))
    results.counts["most files"] = max(results.counts["most files"], len(list((root / JOURNAL).glob("*.db"))))
    return results, Recording(done, plan)


def _judge(results, where, players, files, plan, allowed):
    verdict = players.bench.judge(files, plan.libraries, allowed, again=True)
    if verdict.fault:
        results.faults.append(f"{where}: {verdict.fault}")


# Loss of power.


class PowerLossSimulator:
    """Simulator of power loss in recordings.

    Args:
        players: programs that open the files left behind and are recorded again.
        seed: determines all random choices.
        deep: reopen one in this many states and lose power again during the recovery; 0 for never.
        stop: True to stop at the first fault.
    """

    def __init__(self, players, seed=0, deep=0, stop=False):
        self._players, self._seed, self._deep, self._stop = players, seed, deep, stop
        self.results, self._known = Results(), set()

    def simulate_losses(self, recording, most, where, depth=1, every=1):
        """Simulate power loss before each sync and output line, and check the possible states.

        Other moments need no test, because between two syncs the set of possible states only grows.

        Args:
            recording: calls of the program.
            most: maximum number of states to check at each moment.
            where: name of the recording in messages.
            depth: number of power losses so far.
            every: test only every nth moment.
        """
        disk, said, times, calls = recording.disk(), [], 0, recording.calls
        for number, call in enumerate(calls):
            disk.apply(call)
            if call.kind == "said":
                said.append(call.data.decode())
            if number + 1 < len(calls) and calls[number + 1].kind not in ("sync", "said"):
                continue
            times += 1
            if times % every:
                continue
            rng = Random(f"{self._seed} {where} {number}")
            allowed = bounds(recording.expected, said)
            for files in disk.crashes(rng, most):
                self._one(recording, files, allowed, f"{where}, after call {number}", depth, rng)
                if self._stop and self.results.faults:
                    return

    def _one(self, recording, files, allowed, where, depth, rng):
        key = _key(files, allowed)
        if key in self._known:
            self.results.counts["seen before"] += 1
            return
        self._known.add(key)
        self.results.counts[f"states at depth {depth}"] += 1
        count = self.results.counts["states"] = self.results.counts["states"] + 1
        libraries = recording.expected.libraries
        verdict = self._players.bench.judge(files, libraries, allowed, again=count % 8 == 0, seed=rng.random())
        if verdict.fault:
            self.results.faults.append(f"{where}: {verdict.fault}")
        elif self._deep and depth < 3 and rng.random() * self._deep < (1 if depth == 1 else 0.2):
            again = record_recovery(self._players, files, files, libraries[verdict.index :][:1])
            self.simulate_losses(again, 6, where, depth + 1, 1 + rng.randrange(2))

    def simulate_losses_after_kills(self, recording, most, where, points, every=1):
        """Kill the program at these calls, reopen the files, and lose power during recovery, without a sync in between."""
        disk, said = recording.disk(), []
        for number, call in enumerate(recording.calls):
            disk.apply(call)
            if call.kind == "said":
                said.append(call.data.decode())
            if number not in points:
                continue
            allowed, libraries = bounds(recording.expected, said), recording.expected.libraries
            verdict = self._players.bench.judge(disk.seen(), libraries, allowed)
            if verdict.fault:
                self.results.faults.append(f"{where}, killed after call {number}: {verdict.fault}")
                continue
            may_be = libraries[allowed.least : verdict.index + 1]
            again = record_recovery(self._players, disk.seen(), copy.deepcopy(disk), may_be)
            self.results.counts["kills before the power goes"] += 1
            self.simulate_losses(again, most, f"{where}, killed after call {number}", 2, every)


def record_recovery(players, files, before, libraries):
    """Record the program while it opens these files and plays a turn.

    Args:
        players: the program.
        files: files to open.
        before: the same files, as in `Recording.files`.
        libraries: possible contents, of which the last is the actual one.
    """
    place = players.bench.place()
    _write_files(place, files)
    calls = players.run(place, {"do": "go_on", "seed": len(libraries)})
    found = libraries[-1]
    goes_on = [number for number, projection in enumerate(found) if projection.can_continue]
    if not goes_on:
        after = project_session(resumed_sessions(None)[1])
        plan = (*libraries, (*found, after))
        return Recording(calls, ExpectedGames(plan, (0, len(plan) - 1)), before)
    which = goes_on[-1]
    after = project_session(resumed_sessions(_Found(found[which]))[1])
    plan = (*libraries, (*found[:which], after, *found[which + 1 :]))
    return Recording(calls, ExpectedGames(plan, (0, len(plan) - 2, len(plan) - 1)), before)


class _Found(NamedTuple):
    projection: GameProjection


def _write_files(place, files):
    for path, content in files.items():
        (place / path).mkdir() if content is None else (place / path).write_bytes(content)


def _key(files, allowed):
    digest = blake2b(repr(allowed).encode(), digest_size=12)
    for path, content in sorted(files.items()):
        if not path.endswith(("-shm", "/lock")):
            digest.update(f"{path} {-1 if content is None else len(content)}\0".encode())
            digest.update(content or b"")
    return digest.digest()
