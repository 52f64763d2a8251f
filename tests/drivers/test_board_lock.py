"""One program at a time has a board."""

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
from tests.drivers.pis import PI_5, PI_5_NO_CHIP_0, a_laptop, a_pi
from tests.drivers.refusals import raises_message
from tests.messages.says import text

UNKNOWN_HOLDER = Message("lock.unknown_holder")


def holder(board, since):
    return Message("lock.holder", board=board, process=os.getpid(), since=since)


def test_who_comes_second_is_told_who_was_first(folder):
    with BoardLock([folder / "lock"], "direct-4x4"):
        with pytest.raises(LockHeld) as held:
            BoardLock([folder / "lock"], "hall-4x4")
        since = held.value.message.arguments["since"]
        assert held.value.message == holder("direct-4x4", since)
        assert re.fullmatch(r"\d\d\d\d-\d\d-\d\d \d\d:\d\d", since)
    assert not (folder / "lock").exists()


def test_who_takes_a_lock_that_a_dead_process_left_is_named_instead(folder):
    (folder / "lock").write_text('[4711, "hall-5x5-with-a-very-long-name", "2001-01-01 00:00"]')
    with BoardLock([folder / "lock"], "mine"):
        assert json.loads((folder / "lock").read_text())[:2] == [os.getpid(), "mine"]


def test_the_lock_is_taken_where_one_can_write_and_looked_for_everywhere(folder):
    places = [folder / "nowhere/lock", folder / "one", folder / "two"]
    with BoardLock(places, "first") as hold:
        assert hold.holder_file == folder / "one"
        with pytest.raises(LockHeld, check=lambda held: held.message.arguments["board"] == "first"):
            BoardLock([folder / "two", folder / "one"], "second")  # who prefers another place looks there too
        assert not (folder / "two").exists()
    with BoardLock(places[2:], "first"), pytest.raises(LockHeld):
        BoardLock(places, "second")


def test_where_nothing_can_be_written_one_goes_without(folder):
    with BoardLock([folder / "nowhere/lock"], "board") as hold:
        assert hold.holder_file is None


def test_what_holds_a_device_is_the_device_whoever_can_write_where(folder):
    """Two users: neither may write what the other has written, nor look where the other has."""
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


def test_the_holder_of_a_device_is_named_if_its_name_is_found(folder):
    device = folder / "gpiochip0"
    device.touch()
    (folder / "one").write_text('[4711, "a dead one", "2001-01-01 00:00"]')
    with BoardLock([folder / "two"], "first", device):
        for files in ([folder / "one", folder / "two"], [folder / "two", folder / "nowhere/lock"]):
            with pytest.raises(LockHeld) as held:
                BoardLock(files, "second", device)
            assert held.value.message == holder("first", held.value.message.arguments["since"])
    assert device.read_bytes() == b""


def test_a_name_that_somebody_else_holds_keeps_nobody_from_a_device(folder):
    """Anybody may hold a file in a folder for everybody."""
    device = folder / "gpiochip0"
    device.touch()
    with BoardLock([folder / "one"], "squatter"), BoardLock([folder / "one", folder / "two"], "board", device) as hold:
        assert hold.holder_file == folder / "two"


def test_a_device_that_cannot_be_opened_cannot_be_held(folder):
    with pytest.raises(FileNotFoundError):
        BoardLock([folder / "lock"], "board", folder / "gpiochip0")
    assert not (folder / "lock").exists()


def test_a_name_that_finds_no_room_is_not_left_and_the_device_is_held(folder, monkeypatch):

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    device = folder / "gpiochip0"
    device.touch()
    monkeypatch.setattr(board_lock.os, "pwrite", full)
    with BoardLock([folder / "lock"], "first", device), raises_message(LockHeld, UNKNOWN_HOLDER):
        BoardLock([folder / "lock"], "second", device)


def test_a_device_that_may_only_be_read_is_held_too():
    """A terminal of our own, for it is such a device as the pins are."""
    ours, theirs = os.openpty()
    device = Path(os.ttyname(theirs))
    before = stat.S_IMODE(device.stat().st_mode)
    try:
        device.chmod(0o400)
        with BoardLock([], "first", device), pytest.raises(LockHeld):
            BoardLock([], "second", device)
        with BoardLock([], "second", device):
            pass
    finally:
        device.chmod(before)
        os.close(ours)
        os.close(theirs)


DEVICES = {
    "direct-4x4": {"gpiochip0", "spidev0.0"},
    "hall-4x4": {"gpiochip0", "i2c-1", "spidev0.0"},
    "neotrellis-4x4": {"gpiochip0", "i2c-1"},
    "simulated-4x4": set(),
}


@pytest.mark.parametrize("board", DEVICES)
def test_a_board_holds_the_devices_that_it_needs(board, folder):
    told = list_devices(load_profile(board), a_pi(folder))
    assert {device.name for device in told} == DEVICES[board]
    assert all(device.parent == (folder / "dev").resolve() for device in told)
    assert told == list_devices(load_profile(board), a_pi(folder))  # in an order that is always the same


def test_pretended_pins_are_nobodys(folder):
    profile = load_profile("direct-4x4")
    assert [device.name for device in list_devices(profile, a_pi(folder, mocked=True))] == ["spidev0.0"]


def test_what_is_not_there_is_not_held(folder):
    assert list_devices(load_profile("direct-4x4"), a_laptop(folder)) == []


def test_two_names_of_the_pins_are_one_device(folder):
    """On a Raspberry Pi 5, a newer kernel has made gpiochip4 another name of gpiochip0."""
    machine = a_pi(folder, PI_5, devices=["gpiochip0"])
    (folder / "dev/gpiochip4").symlink_to("gpiochip0")
    assert [device.name for device in list_devices(load_profile("direct-4x4"), machine)] == ["gpiochip0"]


def test_lock_is_on_the_chip_with_the_header_label(folder):
    machine = a_pi(folder, PI_5, PI_5_NO_CHIP_0, labels=PI_5_NO_CHIP_0)
    assert [device.name for device in list_devices(load_profile("direct-4x4"), machine)] == ["gpiochip15"]


@pytest.mark.parametrize("part", ["key", "buzzer", "lamps"])
def test_the_pins_are_held_for_whatever_uses_them(folder, part):
    profile = load_profile("neotrellis-4x4")
    chain = replace(load_profile("direct-4x4").chain, driver="ws281x", data_pin=18)
    other = {"key": {"undo_key_pin": 5}, "buzzer": {"buzzer_pin": 12}, "lamps": {"chain": chain}}[part]
    profile = replace(profile, undo_key_pin=None, buzzer_pin=None)
    told = list_devices(replace(profile, **other), a_pi(folder))
    assert [device.name for device in told] == ["gpiochip0", "i2c-1"]


def test_a_lock_that_is_taken_away_under_ones_hands_is_not_taken_for_the_lock(folder, monkeypatch):
    """Between opening the file and locking it, its last holder has removed it: another one lies there now, or none."""

    lock, times = board_lock._lock_or_raise, []

    def slowly(opened):
        if not times:
            (folder / "lock").unlink()
        times.append(opened)
        lock(opened)

    monkeypatch.setattr(board_lock, "_lock_or_raise", slowly)
    with BoardLock([folder / "lock"], "board"):
        assert len(times) == 2
        assert (folder / "lock").exists()


@pytest.mark.parametrize(
    "written",
    [b"", b"\xff", b"[1]", b"{}", b'["x","y","z"]', b'[1e999,"y","z"]', b"[" * 300, b'[1,"\\u001b[31mred","x"]'],
    ids=repr,
)
def test_a_lock_that_says_nonsense_holds_all_the_same(folder, written):
    with BoardLock([folder / "lock"], "board"):
        (folder / "lock").write_bytes(written)
        with pytest.raises(LockHeld) as held:
            BoardLock([folder / "lock"], "board")
        assert text(held.value.message).isprintable()
        assert held.value.message.id in ("lock.holder", "lock.unknown_holder")


def test_a_link_is_no_lock(folder):
    (folder / "precious").write_text("text")
    (folder / "lock").symlink_to(folder / "precious")
    with BoardLock([folder / "lock"], "board") as hold:
        assert hold.holder_file is None
    assert (folder / "precious").read_text() == "text"
