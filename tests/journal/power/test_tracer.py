"""The tracer sees every call that changes files, and no other calls."""

import errno
import re
import subprocess
import sys

import pytest

from tests.conftest import require
from tests.journal.power.campaign import ROOT
from tests.journal.power.tracer import CALLS, KILL, TRACER_OBSTACLE, Fail, Short, Traced

pytestmark = pytest.mark.skipif(bool(TRACER_OBSTACLE), reason=str(TRACER_OBSTACLE))

WRITES = """
import os, sys
file = os.open("old", os.O_WRONLY | os.O_CREAT)
for word in (b"one", b"two"):
    try:
        os.write(1, b"%d bytes" % os.write(file, word))
    except OSError as error:
        os.write(1, error.strerror.encode())
os.fsync(file)
os.rename("old", "new")
"""


def traced(program, folder, before=None):
    """Return the calls of a small Python program in a folder, as (kind, path, data)."""
    with Traced([sys.executable, "-S", "-c", program], folder, cwd=folder) as it:
        calls = it.run(before)
        return [(call.kind, call.path, call.data) for call in calls], it.status


def test_calls_are_traced_in_order_with_their_data(tmp_path):
    calls, status = traced(WRITES, tmp_path)
    assert status == 0
    assert calls == [
        ("create", "old", b""),
        ("write", "old", b"one"),
        ("said", "", b"3 bytes"),
        ("write", "old", b"two"),
        ("said", "", b"3 bytes"),
        ("sync", "old", b""),
        ("rename", "old", b""),
    ]
    assert (tmp_path / "new").read_bytes() == b"onetwo"


def test_call_can_fail_or_end_early(tmp_path):
    orders = {1: Fail(errno.ENOSPC), 2: Short(1)}
    calls, _ = traced(WRITES, tmp_path, lambda call, number: orders.get(number))
    assert [data for kind, _, data in calls if kind == "said"] == [b"No space left on device", b"1 bytes"]
    assert (tmp_path / "new").read_bytes() == b"t"


def test_kill_happens_before_the_call(tmp_path):
    calls, status = traced(WRITES, tmp_path, lambda call, number: KILL if number == 2 else None)
    assert status == -9
    assert calls[-1] == ("said", "", b"3 bytes")
    assert (tmp_path / "old").read_bytes() == b"one"


@pytest.mark.parametrize(
    "does",
    [
        "os.link('a', 'b')",
        "os.symlink('a', 'b')",
        "os.truncate('a', 1)",
        "os.posix_fallocate(os.open('a', os.O_RDWR), 0, 9)",
        "mmap.mmap(os.open('a', os.O_RDWR), 0)",
        "os.copy_file_range(os.open('a', os.O_RDONLY), os.open('a', os.O_RDWR), 1)",
    ],
)
def test_unmodelled_calls_are_traced(tmp_path, does):
    (tmp_path / "a").write_bytes(b"a")
    calls, _ = traced(f"import mmap, os\n{does}", tmp_path)
    assert [kind for kind, *_ in calls] == ["other"]


@pytest.mark.slow
def test_call_order_matches_strace(tmp_path):
    """For the same evening, strace reports the same calls, files, offsets and sizes."""
    require("strace", "to compare what is seen of a program with what it does")
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    player = [sys.executable, "-m", "tests.journal.power.player"]
    with Traced([*player, tmp_path / "ours/games/pond", 4], tmp_path / "ours", cwd=ROOT) as it:
        calls = it.run()
        assert it.status == 0, it.complaint
    ours = [(call.name, call.path, len(call.data) or call.size, call.offset) for call in calls if call.kind != "said"]
    names = {name for name, *_ in CALLS.values()} - {"mmap"}
    seen = tmp_path / "strace"
    strace = ["strace", "-f", "-y", "-s", "0", "-o", seen, "-e", f"trace={','.join(sorted(names))}"]
    subprocess.run([*strace, *player, tmp_path / "theirs/games/pond", "4"], cwd=ROOT, check=True, capture_output=True)
    theirs = list(by_strace(seen.read_text().splitlines(), f"{tmp_path}/theirs"))
    assert len(ours) > 300
    assert ours == theirs


def by_strace(lines, root):
    """Yield the name, file, size and offset of each call in strace's output, except where an existing file is opened."""
    there = set()
    for line in lines:
        match = re.match(r"\d+ +(\w+)\((.*)\) += (-?\d+)", line)
        if not match or root not in match[2]:
            continue
        name, arguments, done = match[1], match[2], int(match[3]) >= 0
        paths = [path or "." for path in re.findall(rf'{re.escape(root)}/?([^">]*)', arguments)]
        numbers = [int(number) for number in re.findall(r", (\d+)(?=,|$)", arguments)]
        if name.startswith("open"):
            if "O_CREAT" not in arguments or (paths[0] in there and "O_TRUNC" not in arguments):
                continue
            there.add(paths[0])
        elif name.startswith("rename"):
            there.add(paths[1])
        if name.startswith(("rename", "unlink")) and done:
            there.discard(paths[0])
        size = numbers[0] if name in ("write", "pwrite64", "ftruncate") else 0
        yield name, paths[0], size, numbers[1] if name == "pwrite64" else 0
