"""Possible contents of a disk after power loss."""

from random import Random

import pytest

from tests.journal.power.disk import Disk, UnmodelledCall
from tests.journal.power.tracer import Call

A, B = b"A" * 4096, b"B" * 4096


def create(path):
    return Call("openat", "create", path, new=True)


def write(path, data, offset=0):
    return Call("pwrite64", "write", path, offset, data)


def sync(path, error=0):
    return Call("fsync", "sync", path, error=error)


def rename(path, to):
    return Call("rename", "rename", path, to=to)


def after(*calls, files=None):
    disk = Disk(files)
    for call in calls:
        disk.apply(call)
    return disk


def crashes(*calls, files=None):
    """List everything that may be left after these calls and a power loss."""
    return list(after(*calls, files=files).crashes(Random(1), 10_000))


def contents(*calls, path="a", files=None):
    return {state.get(path) for state in crashes(*calls, files=files)}


KEPT = {"a": A + A}


def test_synced_writes_survive():
    assert crashes(write("a", B, 4096), sync("a"), files=KEPT) == [{"a": A + B}]
    assert crashes(files=KEPT) == [{"a": A + A}]


def test_unsynced_write_may_be_lost_torn_or_garbage():
    left = contents(write("a", B, 4096), files=KEPT)
    assert {A + A, A + B, A + bytes(4096)} <= left
    torn = A + A[:512] + B[512:]
    assert torn in left
    assert A + B[:512] + A[512:] in left
    assert all(state.startswith(A) and len(state) == 8192 for state in left)
    assert any(set(state[4096:]) - set(b"AB\0") for state in left)


def test_torn_sector_loses_its_old_content_too():
    left = contents(write("a", b"B" * 10, 100), files={"a": A})
    assert any(set(state[:512]) - set(b"AB") and state[512:] == A[512:] for state in left)  # sectors of 512
    assert any(set(state[4000:]) - set(b"AB") for state in left)  # sectors of 4096
    assert all(state[4096:] == A for state in contents(write("a", b"B", 4095), files={"a": A + A}))


def test_unsynced_writes_may_be_reordered():
    left = contents(write("a", B, 0), write("a", B, 4096), files=KEPT)
    assert {A + A, B + A, A + B, B + B} <= left
    left = contents(write("a", B, 0), write("a", b"C" * 4096, 0), files={"a": A})
    assert {A, B, b"C" * 4096} <= left


def test_extended_file_may_be_short_or_zero():
    left = contents(write("a", B, 4096), files={"a": A})
    assert {A, A + B, A + bytes(4096)} <= left


def test_new_file_needs_its_folder_synced():
    assert {None, b"", A} <= contents(create("a"), write("a", A))
    assert contents(create("a"), write("a", A), sync("a")) == {None, A}
    assert contents(create("a"), write("a", A), sync("a"), sync(".")) == {A}
    assert {b"", A} <= contents(create("a"), sync("."), write("a", A))
    assert None not in contents(create("a"), sync("."), write("a", A))


def test_rename_is_atomic():
    calls = (create("new"), write("new", B), sync("new"), rename("new", "a"))
    states = [tuple(sorted(state.items())) for state in crashes(*calls, files={"a": A})]
    assert set(states) == {(("a", A),), (("a", B),), (("a", A), ("new", B))}
    assert crashes(*calls, sync("."), files={"a": A}) == [{"a": B}]


def test_unsynced_deletion_may_be_undone():
    gone = Call("unlink", "unlink", "a")
    assert contents(gone, files={"a": A}) == {None, A}
    assert contents(gone, sync("."), files={"a": A}) == {None}


def test_unsynced_folder_may_vanish_with_its_files():
    calls = (Call("mkdir", "mkdir", "d", new=True), create("d/a"), write("d/a", A), sync("d/a"), sync("d"))
    assert contents(*calls, path="d/a") == {None, A}
    assert contents(*calls, sync("."), path="d/a") == {A}


def test_failed_sync_leaves_data_uncertain():
    calls = (write("a", B), sync("a", error=5), write("a", B, 4096), sync("a"))
    left = contents(*calls, files=KEPT)
    assert {A + B, B + B} <= left
    assert all(state[4096:] == B for state in left)


def test_running_system_sees_unsynced_writes():
    disk = after(create("a"), write("a", A), write("a", b"B", 5000), rename("a", "b"))
    assert disk.seen() == {"b": A + bytes(904) + b"B"}


def test_unmodelled_call_raises():
    with pytest.raises(UnmodelledCall, match="fallocate a"):
        after(Call("fallocate", "other", "a"), files=KEPT)
