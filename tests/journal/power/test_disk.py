"""What a disk may hold after the power has gone."""

from random import Random

import pytest

from tests.journal.power.disk import Disk, Unknown
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
        disk.does(call)
    return disk


def crashes(*calls, files=None):
    """All that may be left after these calls."""
    return list(after(*calls, files=files).crashes(Random(1), 10_000))


def contents(*calls, path="a", files=None):
    return {state.get(path) for state in crashes(*calls, files=files)}


KEPT = {"a": A + A}


def test_what_was_synced_is_there_and_nothing_else_may_be():
    assert crashes(write("a", B, 4096), sync("a"), files=KEPT) == [{"a": A + B}]
    assert crashes(files=KEPT) == [{"a": A + A}]


def test_what_was_not_synced_may_be_there_or_not_or_torn_in_sectors_or_zeros_or_garbage():
    left = contents(write("a", B, 4096), files=KEPT)
    assert {A + A, A + B, A + bytes(4096)} <= left
    torn = A + A[:512] + B[512:]
    assert torn in left
    assert A + B[:512] + A[512:] in left
    assert all(state.startswith(A) and len(state) == 8192 for state in left)
    assert any(set(state[4096:]) - set(b"AB\0") for state in left)


def test_what_shares_a_sector_with_a_write_is_lost_with_it():
    left = contents(write("a", b"B" * 10, 100), files={"a": A})
    assert any(set(state[:512]) - set(b"AB") and state[512:] == A[512:] for state in left)  # sectors of 512
    assert any(set(state[4000:]) - set(b"AB") for state in left)  # sectors of 4096
    assert all(state[4096:] == A for state in contents(write("a", b"B", 4095), files={"a": A + A}))


def test_of_two_writes_the_later_may_be_there_alone_and_the_earlier_may_be_the_last():
    left = contents(write("a", B, 0), write("a", B, 4096), files=KEPT)
    assert {A + A, B + A, A + B, B + B} <= left
    left = contents(write("a", B, 0), write("a", b"C" * 4096, 0), files={"a": A})
    assert {A, B, b"C" * 4096} <= left


def test_a_longer_file_may_be_short_or_have_zeros_where_its_end_should_be():
    left = contents(write("a", B, 4096), files={"a": A})
    assert {A, A + B, A + bytes(4096)} <= left


def test_a_new_file_may_have_no_name_or_no_content_until_both_are_synced():
    assert {None, b"", A} <= contents(create("a"), write("a", A))
    assert contents(create("a"), write("a", A), sync("a")) == {None, A}
    assert contents(create("a"), write("a", A), sync("a"), sync(".")) == {A}
    assert {b"", A} <= contents(create("a"), sync("."), write("a", A))
    assert None not in contents(create("a"), sync("."), write("a", A))


def test_a_new_name_is_the_old_file_or_the_new_one():
    calls = (create("new"), write("new", B), sync("new"), rename("new", "a"))
    states = [tuple(sorted(state.items())) for state in crashes(*calls, files={"a": A})]
    assert set(states) == {(("a", A),), (("a", B),), (("a", A), ("new", B))}
    assert crashes(*calls, sync("."), files={"a": A}) == [{"a": B}]


def test_a_file_that_was_deleted_may_be_there_again():
    gone = Call("unlink", "unlink", "a")
    assert contents(gone, files={"a": A}) == {None, A}
    assert contents(gone, sync("."), files={"a": A}) == {None}


def test_a_folder_that_was_made_may_be_gone_with_all_that_was_synced_in_it():
    calls = (Call("mkdir", "mkdir", "d", new=True), create("d/a"), write("d/a", A), sync("d/a"), sync("d"))
    assert contents(*calls, path="d/a") == {None, A}
    assert contents(*calls, sync("."), path="d/a") == {A}


def test_what_a_sync_could_not_write_stays_in_doubt_whatever_is_synced_later():
    calls = (write("a", B), sync("a", error=5), write("a", B, 4096), sync("a"))
    left = contents(*calls, files=KEPT)
    assert {A + B, B + B} <= left
    assert all(state[4096:] == B for state in left)


def test_the_system_shows_everything_whatever_is_sure():
    disk = after(create("a"), write("a", A), write("a", b"B", 5000), rename("a", "b"))
    assert disk.seen() == {"b": A + bytes(904) + b"B"}


def test_a_call_that_nobody_has_thought_of_is_no_good_ground_for_a_proof():
    with pytest.raises(Unknown, match="fallocate a"):
        after(Call("fallocate", "other", "a"), files=KEPT)
