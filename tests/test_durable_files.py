"""Tests of locks and crash-safe files."""

import os
from pathlib import Path

import pytest

from pond_hw.durable_files import StateFile, copy_owner, is_still_at, read_file, replace_file, sync_to_disk, try_lock


@pytest.fixture
def open_lock(tmp_path):
    """Function that opens a file and closes it after the test."""
    descriptors = []

    def open_file(name="lock"):
        descriptors.append(os.open(tmp_path / name, os.O_RDWR | os.O_CREAT))
        return descriptors[-1]

    yield open_file
    for descriptor in descriptors:
        os.close(descriptor)


def test_locks_are_exclusive_or_shared(open_lock):
    try_lock(open_lock(), shared=True)
    try_lock(other := open_lock(), shared=True)
    with pytest.raises(BlockingIOError):
        try_lock(open_lock())
    os.close(os.dup(other))


def test_replaced_file_is_recognised(open_lock, tmp_path):
    descriptor = open_lock()
    assert is_still_at(descriptor, tmp_path / "lock")
    (tmp_path / "lock").unlink()
    assert not is_still_at(descriptor, tmp_path / "lock")
    open_lock()
    assert not is_still_at(descriptor, tmp_path / "lock")


def test_replace_file_keeps_permissions(tmp_path):
    file = tmp_path / "results"
    file.write_bytes(b"old")
    file.chmod(0o640)
    (tmp_path / ".results.new").write_bytes(b"half of it")  # left by a killed process
    replace_file(file, b"new")
    sync_to_disk(tmp_path)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_failed_replace_keeps_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "results"
    file.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("no")))
    with pytest.raises(OSError, match="no"):
        replace_file(file, b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("results", b"old")]


def test_copy_owner_without_root(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "chown", lambda *_: (_ for _ in ()).throw(PermissionError))
    copy_owner(tmp_path, tmp_path)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_only_regular_files_are_read(tmp_path, make):
    make(tmp_path / "it")
    with pytest.raises(ValueError, match="is not a regular file"):
        read_file(tmp_path / "it", 100)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, Path.touch])
def test_damaged_state_file_is_renamed(tmp_path, make):
    make(tmp_path / "it.json")
    state_file = StateFile(tmp_path / "it.json")
    assert state_file.read(lambda content: content) is None
    assert state_file.fault.id == "state_file.put_aside"
    assert state_file.write({"it": [1]}) is None
    assert StateFile(tmp_path / "it.json").read(lambda content: content["it"]) == [1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it.bad", "it.json"]
