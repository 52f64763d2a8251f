"""Tests of board locks."""

import errno
import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from pond_hw.drivers import board_lock
from pond_hw.drivers.board_lock import BoardLock, LockHeld, list_devices
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from tests.drivers.error_checks import raises_message
from tests.drivers.pis import PI_5, PI_5_NO_CHIP_0, make_laptop, make_pi
from tests.messages.says import text

UNKNOWN_HOLDER = Message("lock.unknown_holder")


def holder(board, since):
    return Message("lock.holder", board=board, process=os.getpid(), since=since)


def test_second_lock_names_the_holder(folder):
    with BoardLock([folder / "lock"], "direct-4x4"):
        with pytest.raises(LockHeld) as held:
            BoardLock([folder / "lock"], "hall-4x4")
        since = held.value.message.arguments["since"]
        assert held.value.message == holder("direct-4x4", since)
        assert re.fullmatch(r"\d\d\d\d-\d\d-\d\d \d\d:\d\d", since)
    assert not (folder / "lock").exists()


def test_stale_lock_file_is_taken_over(folder):
    (folder / "lock").write_text('[4711, "hall-5x5-with-a-very-long-name", "2001-01-01 00:00"]')
    with BoardLock([folder / "lock"], "mine"):
        assert json.loads((folder / "lock").read_text())[:2] == [os.getpid(), "mine"]


def test_first_writable_path_is_locked_and_all_are_checked(folder):
    places = [folder / "nowhere/lock", folder / "one", folder / "two"]
    with BoardLock(places, "first") as hold:
        assert hold.holder_file == folder / "one"
        with pytest.raises(LockHeld, check=lambda held: held.message.arguments["board"] == "first"):
            BoardLock([folder / "two", folder / "one"], "second")
        assert not (folder / "two").exists()
    with BoardLock(places[2:], "first"), pytest.raises(LockHeld):
        BoardLock(places, "second")


def test_lock_without_writable_path_is_skipped(folder):
    with BoardLock([folder / "nowhere/lock"], "board") as hold:
        assert hold.holder_file is None


def test_device_lock_excludes_users_with_different_folders(folder):
    """Neither user may write the other's file or read the other's folder."""
    device = folder / "gpiochip0"
    device.touch()
    for files in ([folder / "one"], [folder / "nowhere/lock"]):
        with BoardLock(files, "first", device):
            assert (folder / "one").exists() == (files == [folder / "one"])
            with raises_message(LockHeld, UNKNOWN_HOLDER):
                BoardLock([folder / "two"], "second", device)
            assert not (folder / "two").exists()
        assert not (folder / "one").exists()
    with BoardLock([folder / "two"], "second", device):
        pass


def test_device_holder_is_named_if_known(folder):
    device = folder / "gpiochip0"
    device.touch()
    (folder / "one").write_text('[4711, "a dead one", "2001-01-01 00:00"]')
    with BoardLock([folder / "two"], "first", device):
        for files in ([folder / "one", folder / "two"], [folder / "two", folder / "nowhere/lock"]):
            with pytest.raises(LockHeld) as held:
                BoardLock(files, "second", device)
            assert held.value.message == holder("first", held.value.message.arguments["since"])
    assert device.read_bytes() == b""


def test_locked_name_file_does_not_block_device(folder):
    """Any user may lock a file in a shared folder."""
    device = folder / "gpiochip0"
    device.touch()
    with BoardLock([folder / "one"], "squatter"), BoardLock([folder / "one", folder / "two"], "board", device) as hold:
        assert hold.holder_file == folder / "two"


def test_unopenable_device_raises_os_error(folder):
    with pytest.raises(FileNotFoundError):
        BoardLock([folder / "lock"], "board", folder / "gpiochip0")
    assert not (folder / "lock").exists()


def test_device_is_locked_when_disk_is_full(folder, monkeypatch):

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    device = folder / "gpiochip0"
    device.touch()
    monkeypatch.setattr(board_lock.os, "pwrite", full)
    with BoardLock([folder / "lock"], "first", device), raises_message(LockHeld, UNKNOWN_HOLDER):
        BoardLock([folder / "lock"], "second", device)


def test_read_only_device_is_locked():
    """A pseudo-terminal stands in for the GPIO device."""
    controller, terminal = os.openpty()
    device = Path(os.ttyname(terminal))
    before = stat.S_IMODE(device.stat().st_mode)
    try:
        device.chmod(0o400)
        with BoardLock([], "first", device), pytest.raises(LockHeld):
            BoardLock([], "second", device)
        with BoardLock([], "second", device):
            pass
    finally:
        device.chmod(before)
        os.close(controller)
        os.close(terminal)


DEVICES = {
    "direct-4x4": {"gpiochip0", "spidev0.0"},
    "hall-4x4": {"gpiochip0", "i2c-1", "spidev0.0"},
    "neotrellis-4x4": {"gpiochip0", "i2c-1"},
    "simulated-4x4": set(),
}


@pytest.mark.parametrize("board", DEVICES)
def test_each_board_lists_its_devices(board, folder):
    devices = list_devices(load_profile(board), make_pi(folder))
    assert {device.name for device in devices} == DEVICES[board]
    assert all(device.parent == (folder / "dev").resolve() for device in devices)
    assert devices == list_devices(load_profile(board), make_pi(folder))


def test_mock_pins_have_no_devices(folder):
    profile = load_profile("direct-4x4")
    assert [device.name for device in list_devices(profile, make_pi(folder, mocked=True))] == ["spidev0.0"]


def test_missing_devices_are_not_listed(folder):
    assert list_devices(load_profile("direct-4x4"), make_laptop(folder)) == []


def test_linked_gpio_chip_is_the_same_device(folder):
    """Newer kernels make gpiochip4 a link to gpiochip0 on a Raspberry Pi 5."""
    machine = make_pi(folder, PI_5, devices=["gpiochip0"])
    (folder / "dev/gpiochip4").symlink_to("gpiochip0")
    assert [device.name for device in list_devices(load_profile("direct-4x4"), machine)] == ["gpiochip0"]


def test_header_chip_is_the_device_to_lock(folder):
    machine = make_pi(folder, PI_5, PI_5_NO_CHIP_0, labels=PI_5_NO_CHIP_0)
    assert [device.name for device in list_devices(load_profile("direct-4x4"), machine)] == ["gpiochip15"]


@pytest.mark.parametrize("part", ["key", "buzzer", "lamps"])
def test_header_chip_is_locked_for_any_use_of_pins(folder, part):
    profile = load_profile("neotrellis-4x4")
    chain = replace(load_profile("direct-4x4").chain, driver="ws281x", data_pin=18)
    other = {"key": {"undo_key_pin": 5}, "buzzer": {"buzzer_pin": 12}, "lamps": {"chain": chain}}[part]
    profile = replace(profile, undo_key_pin=None, buzzer_pin=None)
    devices = list_devices(replace(profile, **other), make_pi(folder))
    assert [device.name for device in devices] == ["gpiochip0", "i2c-1"]


def test_lock_on_unlinked_file_is_retried(folder, monkeypatch):
    """The last holder removes the file between opening and locking."""

    lock, times = board_lock._lock_or_raise, []

    def remove_file_then_lock(opened):
        if not times:
            (folder / "lock").unlink()
        times.append(opened)
        lock(opened)

    monkeypatch.setattr(board_lock, "_lock_or_raise", remove_file_then_lock)
    with BoardLock([folder / "lock"], "board"):
        assert len(times) == 2
        assert (folder / "lock").exists()


@pytest.mark.parametrize(
    "written",
    [b"", b"\xff", b"[1]", b"{}", b'["x","y","z"]', b'[1e999,"y","z"]', b"[" * 300, b'[1,"\\u001b[31mred","x"]'],
    ids=repr,
)
def test_lock_file_with_garbage_still_locks(folder, written):
    with BoardLock([folder / "lock"], "board"):
        (folder / "lock").write_bytes(written)
        with pytest.raises(LockHeld) as held:
            BoardLock([folder / "lock"], "board")
        assert text(held.value.message).isprintable()
        assert held.value.message.id in ("lock.holder", "lock.unknown_holder")


def test_symlink_is_not_followed(folder):
    (folder / "precious").write_text("text")
    (folder / "lock").symlink_to(folder / "precious")
    with BoardLock([folder / "lock"], "board") as hold:
        assert hold.holder_file is None
    assert (folder / "precious").read_text() == "text"
