"""Evenings recorded, and everything that may happen to the disk meanwhile: kills, failing calls, loss of power.

An evening is recorded once; what a kill or a loss of power leaves at any of its calls follows from the recording.
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
"""How long the log may grow before it is brought into the database; short, so that an evening sees that often."""


@dataclass
class Figures:
    """What a campaign has come to.

    Attributes:
        counts: how many of what.
        faults: what must not be, in sentences, with where it happened.
    """

    counts: Counter = field(default_factory=Counter)
    faults: list = field(default_factory=list)

    def add(self, other):
        """Take in what another part of the campaign has come to."""
        most = max(self.counts["most files"], other.counts["most files"])
        self.counts.update(other.counts)
        self.counts["most files"] = most
        self.faults += other.faults


class Recording(NamedTuple):
    """What a program did, and what the journal has to hold.

    Attributes:
        calls: every call that changes a file, and every line that was said.
        meant: what was to be kept.
        files: what was there before, by path, all of it durable; or a Disk where it is not.
    """

    calls: list
    expected: ExpectedGames
    files: object = None

    def disk(self):
        """The disk as it was before the first call."""
        return copy.deepcopy(self.files) if isinstance(self.files, Disk) else Disk(self.files)


class Players:
    """The player program, traced, told what to do as often as one likes.

    Args:
        program: the folder that it is run from; by default this clone.
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
        """Have it do one thing in the folder `root`, and give back its calls.

        Raises:
            Died: it ended by itself.
        """
        if not self._traced:
            player = [sys.executable, "-m", "tests.journal.power.player"]
            self._traced = Traced(player, root, _environment(), self._program)
            self._traced.run(until=lambda line: line == "ready\n")
        traced, traced.root = self._traced, os.path.realpath(root)
        traced.send({**what, "folder": f"{traced.root}/{JOURNAL}"})
        orders = []

        def asked(call, number):
            order = before(call, number) if before else None
            orders.append(order)
            return order

        self._begin = len(traced.calls)
        calls = traced.run(asked, until=lambda line: line == "done\n")
        if traced.status is not None:
            complaint = traced.complaint
            self._end()
            if KILL not in orders:
                raise ProgramDied(complaint.strip()[-500:])
        return calls

    @property
    def done(self):
        """How many calls it has made since it was told what to do."""
        return len(self._traced.calls) - self._begin

    def _end(self):
        if self._traced:
            self._traced.__exit__()
        self._traced = None


class ProgramDied(Exception):
    """The program did not survive."""


def _environment():
    """As here, but what is imported comes from the folder that a program is run from."""
    return {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}


def record_evening(players, seed, pages=PAGES[1], before=None):
    """An evening, played on a new disk."""
    root = players.bench.place()
    calls = players.run(root, {"do": "play", "seed": seed, "pages": pages}, before)
    return Recording(calls, expect_games(evening(seed)))


def lines(calls):
    """What was said in these calls."""
    return [call.data.decode().rstrip() for call in calls if call.kind == "said"]


# Kills.


def kill_at_each_call(players, seed, pages=PAGES[1], share=1):
    """What a kill at each call of an evening, or at every so manyth, leaves: copied while the program stands there."""
    figures, root, points = Figures(), players.bench.place(), []

    def before(_, number):
        if number % share == 0:
            points.append((players.done, read_files(root)))

    calls = players.run(root, {"do": "play", "seed": seed, "pages": pages}, before)
    plan, disk, done = expect_games(evening(seed)), Disk(), 0
    for count, files in points:
        for call in calls[done:count]:
            disk.apply(call)
        done = count
        if _without_shm(disk.seen()) != _without_shm(files):
            figures.faults.append(f"evening {seed}, call {count}: the model shows other bytes than the system.")
        verdict = players.bench.judge(files, plan.libraries, bounds(plan, lines(calls[:count])), again=True)
        figures.counts["points"] += 1
        if verdict.fault:
            figures.faults.append(f"evening {seed}, killed at call {count}: {verdict.fault}")
    figures.counts["evenings"] += 1
    figures.counts["calls"] += sum(call.kind != "said" for call in calls)
    return figures


def kill_for_real(players, seed, numbers, pages=PAGES[1]):
    """Kill the program at these of its calls; what it leaves is what was there when it was stopped before that call."""
    figures, plan = Figures(), expect_games(evening(seed))
    for number in numbers:
        root, there = players.bench.place(), {}

        def before(_, count, number=number, root=root, there=there):
            if count == number:
                there.update(read_files(root))
                return KILL
            return None

        calls = players.run(root, {"do": "play", "seed": seed, "pages": pages}, before)
        figures.counts["real kills"] += 1
        if read_files(root) != there:
            figures.faults.append(f"evening {seed}, killed at call {number}: it left other bytes than it had.")
        verdict = judge(root, plan.libraries, bounds(plan, lines(calls)), again=True)
        if verdict.fault:
            figures.faults.append(f"evening {seed}, really killed at call {number}: {verdict.fault}")
    return figures


def _without_shm(files):
    return {path: content for path, content in files.items() if not path.endswith("-shm")}


# Calls that fail.


class Failure(NamedTuple):
    """Which calls fail, and how.

    Attributes:
        error: its name, or "short": only half of it is written.
        first: the number of the first one.
        calls: how many on end.
        only: what their files' names end with; others are not counted.
    """

    error: str
    first: int
    calls: int = 1
    only: str = ""

    def __str__(self):
        often = f" and {self.calls - 1} more" if self.calls > 1 else ""
        return f"{self.error} at call {self.first}{often}{' of ' * bool(self.only)}{self.only}"


def fail_calls(players, seed, failure, pages=PAGES[1]):
    """An evening during which some calls fail.

    Returns:
        The figures, and the recording: what the power may do to such an evening can be asked of it; None if there
        are no such calls.
    """
    figures, failed, root, count = Figures(), [], players.bench.place(), -1
    error, first, calls, only = failure

    def before(call, _):
        nonlocal count
        if not call.path.endswith(only):
            return None
        count += 1
        if not first <= count < first + calls or (error == "short" and (call.kind != "write" or len(call.data) < 2)):
            return None
        failed.append(players.done)
        return Short(len(call.data) // 2) if error == "short" else Fail(getattr(errno, error))

    plan, where = expect_games(evening(seed)), f"evening {seed}, {failure}"
    try:
        done = players.run(root, {"do": "play", "seed": seed, "pages": pages}, before)
    except ProgramDied as died:
        figures.faults.append(f"{where}: the program did not survive: {died}")
        return figures, None
    if not failed:
        return figures, None
    figures.counts[f"{error} failed"] += len(failed)
    figures.counts["runs"] += 1
    where += f" ({done[failed[0]].name} {done[failed[0]].path})"
    disk, said, since = Disk(), [], None
    for position, call in enumerate(done):
        disk.apply(call)
        if position in failed:
            since = len(said)
        if call.kind == "said":
            said.append(call.data.decode().rstrip())
            if since is not None and len(said) == since + 1:  # the first that is said after it failed
                told = said[-1].startswith(("trouble", "opened Not"))
                figures.counts["told not saved" if told else "saved all the same"] += 1
                _judge(figures, where, players, disk.seen(), plan, bounds(plan, said))
    steps = [line for line in said if line.startswith(("trouble", "confirmed"))]
    troubled = [number for number, line in enumerate(steps) if line.startswith("trouble")]
    if calls == 1 and len(troubled) > 1:
        figures.faults.append(f"{where}: one failure, and yet {len(troubled)} steps were not saved.")
    last = len(plan.least) - 1
    if not steps or steps[-1] != f"confirmed {last}":
        figures.faults.append(f"{where}: at the end it said {steps[-1:]}, not that all is saved.")
    _judge(figures, where, players, read_files(root), plan, Bounds(plan.least[-1], plan.least[-1]))
    figures.counts["most files"] = max(figures.counts["most files"], len(list((root / JOURNAL).glob("*.db"))))
    return figures, Recording(done, plan)


def _judge(figures, where, players, files, plan, allowed):
    verdict = players.bench.judge(files, plan.libraries, allowed, again=True)
    if verdict.fault:
        figures.faults.append(f"{where}: {verdict.fault}")


# Loss of power.


class Power:
    """Loses the power in recordings, as often as it is asked.

    Args:
        players: whoever opens what is left, when that is to be recorded too.
        seed: of everything that is drawn.
        deep: every so manyth state is opened under our eyes, and the power lost again meanwhile; 0 is never.
        stop: whether to stop at the first fault.
    """

    def __init__(self, players, seed=0, deep=0, stop=False):
        self._players, self._seed, self._deep, self._stop = players, seed, deep, stop
        self.figures, self._known = Figures(), set()

    def lose(self, recording, most, where, depth=1, share=1):
        """Lose the power in a recording just before something is synced or said; judge so many states of each time.

        What may be left at any other time may be left then too: between two syncs what is not sure only grows.

        Args:
            recording: what the program did.
            most: states of each time, at the most.
            where: how the recording is called in a sentence.
            depth: how often the power has gone by then.
            share: at the how manyth of these times.
        """
        disk, said, times, calls = recording.disk(), [], 0, recording.calls
        for number, call in enumerate(calls):
            disk.apply(call)
            if call.kind == "said":
                said.append(call.data.decode())
            if number + 1 < len(calls) and calls[number + 1].kind not in ("sync", "said"):
                continue
            times += 1
            if times % share:
                continue
            rng = Random(f"{self._seed} {where} {number}")
            allowed = bounds(recording.expected, said)
            for files in disk.crashes(rng, most):
                self._one(recording, files, allowed, f"{where}, after call {number}", depth, rng)
                if self._stop and self.figures.faults:
                    return

    def _one(self, recording, files, allowed, where, depth, rng):
        key = _key(files, allowed)
        if key in self._known:
            self.figures.counts["seen before"] += 1
            return
        self._known.add(key)
        self.figures.counts[f"states at depth {depth}"] += 1
        count = self.figures.counts["states"] = self.figures.counts["states"] + 1
        libraries = recording.expected.libraries
        verdict = self._players.bench.judge(files, libraries, allowed, again=count % 8 == 0, seed=rng.random())
        if verdict.fault:
            self.figures.faults.append(f"{where}: {verdict.fault}")
        elif self._deep and depth < 3 and rng.random() * self._deep < (1 if depth == 1 else 0.2):
            again = record_recovery(self._players, files, files, libraries[verdict.index :][:1])
            self.lose(again, 6, where, depth + 1, 1 + rng.randrange(2))

    def kill_and_lose(self, recording, most, where, points, share=1):
        """Kill the program at these calls, open what is there, and lose the power meanwhile; no sync came between."""
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
                self.figures.faults.append(f"{where}, killed after call {number}: {verdict.fault}")
                continue
            may_be = libraries[allowed.least : verdict.index + 1]
            again = record_recovery(self._players, disk.seen(), copy.deepcopy(disk), may_be)
            self.figures.counts["kills before the power goes"] += 1
            self.lose(again, most, f"{where}, killed after call {number}", 2, share)


def record_recovery(players, files, before, libraries):
    """What the program does when it opens what is left and takes a turn, recorded.

    Args:
        players: the program.
        files: what it finds.
        before: the same, as `Recording.files`.
        libraries: what may be found in it, the last of which it does find.
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
