"""Locks, and files that are replaced whole."""

import os
from pathlib import Path

import pytest

from pond_hw.durable_files import StateFile, copy_owner, is_still_at, read_file, replace_file, sync_to_disk, try_lock


@pytest.fixture
def opened(tmp_path):
    """Opens a file, and closes it again."""
    descriptors = []

    def open_file(name="lock"):
        descriptors.append(os.open(tmp_path / name, os.O_RDWR | os.O_CREAT))
        return descriptors[-1]

    yield open_file
    for descriptor in descriptors:
        os.close(descriptor)


def test_a_lock_has_one_holder_or_several_who_share_it(opened):
    try_lock(opened(), shared=True)
    try_lock(other := opened(), shared=True)
    with pytest.raises(BlockingIOError):
        try_lock(opened())
    os.close(os.dup(other))


def test_an_open_file_is_told_from_one_that_took_its_place(opened, tmp_path):
    descriptor = opened()
    assert is_still_at(descriptor, tmp_path / "lock")
    (tmp_path / "lock").unlink()
    assert not is_still_at(descriptor, tmp_path / "lock")
    opened()
    assert not is_still_at(descriptor, tmp_path / "lock")


def test_a_file_is_replaced_with_its_permissions(tmp_path):
    file = tmp_path / "results"
    file.write_bytes(b"old")
    file.chmod(0o640)
    (tmp_path / ".results.new").write_bytes(b"half of it")  # somebody was killed
    replace_file(file, b"new")
    sync_to_disk(tmp_path)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_a_disk_that_refuses_leaves_the_old_file_alone(tmp_path, monkeypatch):
    file = tmp_path / "results"
    file.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("no")))
    with pytest.raises(OSError, match="no"):
        replace_file(file, b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("results", b"old")]


def test_who_is_not_root_gives_nothing_away(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "chown", lambda *_: (_ for _ in ()).throw(PermissionError))
    copy_owner(tmp_path, tmp_path)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_read(tmp_path, make):
    make(tmp_path / "it")
    with pytest.raises(ValueError, match="is no file"):
        read_file(tmp_path / "it", 100)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, Path.touch])
def test_state_file_that_makes_no_sense_is_put_aside(tmp_path, make):
    make(tmp_path / "it.json")
    state_file = StateFile(tmp_path / "it.json")
    assert state_file.read(lambda content: content) is None
    assert state_file.fault.id == "state_file.put_aside"
    assert state_file.write([1]) is None
    assert StateFile(tmp_path / "it.json").read(lambda content: content) == [1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it.bad", "it.json"]
