"""Locks that keep two processes from serving the same board.

    /dev/gpiochip0                   locked: the header's chip, whatever its number
    /run/lock/pond-gpiochip0.lock    holder's name, in the first writable folder

The kernel releases a lock when its holder dies, so a leftover file means nothing. A board without a device, such
as one on a socket, is locked by the file alone. Two boards that share a device cannot run at the same time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path

from pond_hw.board import BoardFault
from pond_hw.drivers.pi_machine import SPI_DEVICE, Machine, choose_driver, needs_pins
from pond_hw.drivers.run_files import board_lock_files
from pond_hw.durable_files import is_still_at, try_lock
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.profile.board_profile import Profile, find_i2c_bus


class LockHeld(PondError):
    """Another process holds the lock. The message names the holder, if known."""


UNKNOWN_HOLDER = Message("lock.unknown_holder")


class BoardLock:
    """A lock, held until `close`.

    Args:
        lock_paths: candidate files for the holder's name. The first writable one is used, since a service and a user have
            different runtime folders. Without a device, the files are the lock and all of them are checked.
        board_name: name of the board.
        device_path: device to lock. It need only be readable.

    Raises:
        LockHeld: another process holds the device or, without one, a file.
        OSError: the device cannot be opened.
    """

    def __init__(self, lock_paths: Sequence[Path], board_name: str, device_path: Path | None = None) -> None:
        self.holder_file: Path | None = None
        with ExitStack() as locks:
            if device_path:
                locks.callback(os.close, _lock_device(device_path, lock_paths))
            for lock_path in lock_paths:
                try:
                    if self.holder_file is None and (opened := _lock_file(lock_path)) is not None:
                        self.holder_file, holder_descriptor = lock_path, opened
                        locks.callback(_release_file, lock_path, opened)
                    elif not device_path:
                        _check_unlocked(lock_path)
                except LockHeld:
                    if not device_path:
                        raise
            self._taken = locks.pop_all()
        if self.holder_file:
            locked_since = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
            with suppress(OSError):  # the lock holds even if the disk has no room for the name
                os.ftruncate(holder_descriptor, 0)
                os.pwrite(holder_descriptor, json.dumps([os.getpid(), board_name, locked_since]).encode(), 0)

    def close(self) -> None:
        """Release the lock and delete the file. Closing twice is allowed."""
        self.holder_file = None
        self._taken.close()

    def __enter__(self) -> BoardLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def list_devices(profile: Profile, machine: Machine) -> list[Path]:
    """Return the existing device nodes of a board's pins, I2C bus and lamps, sorted.

    Mock or simulated parts have none.
    """
    driver = choose_driver(profile, machine).driver
    # rpi_ws281x and NeoPixel reach their pin without locking it.
    pins = needs_pins(profile) or driver in ("ws281x", "neopixel")
    if profile.controller == "pico":
        return []  # a port comes and goes with its cable, and pyserial locks it
    names = [machine.gpio_device] if pins and not machine.pins_mocked else []
    if (bus := find_i2c_bus(profile.sensing.wiring)) is not None:
        names.append(f"/dev/i2c-{bus}")
    if driver == "spi":
        names.append(SPI_DEVICE)
    return sorted({(machine.root / name.lstrip("/")).resolve() for name in names if machine.has_device(name)})


def lock_board(profile: Profile) -> ExitStack:
    """Lock the devices of a real board; if none can be opened, lock a file. Raise BoardFault if the board is already served."""
    try:
        with ExitStack() as locks:
            if profile.controller == "pico":
                locks.enter_context(BoardLock(board_lock_files("usb"), profile.name))
                return locks.pop_all()
            devices = 0
            for device in list_devices(profile, Machine()):
                with suppress(OSError):  # the driver reports more clearly why a device cannot be opened
                    locks.enter_context(BoardLock(board_lock_files(device.name), profile.name, device))
                    devices += 1
            if not devices:
                locks.enter_context(BoardLock(board_lock_files(), profile.name))
            return locks.pop_all()
    except LockHeld as held:
        raise BoardFault(Message("board.has_server", holder=held.message)) from held


def _lock_device(device_path: Path, lock_paths: Sequence[Path]) -> int:
    opened = os.open(device_path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        try_lock(opened)
    except BaseException as error:
        os.close(opened)
        if not isinstance(error, BlockingIOError):
            raise
        for lock_path in lock_paths:
            _check_unlocked(lock_path)  # raises LockHeld with the holder's name, if the file contains it
        raise LockHeld(UNKNOWN_HOLDER) from None
    return opened


def _lock_file(lock_path: Path) -> int | None:
    while True:
        try:
            opened = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        except OSError:
            return None
        try:
            _lock_or_raise(opened)
            if is_still_at(opened, lock_path):
                return opened
        except BaseException:
            os.close(opened)
            raise
        os.close(opened)  # the last holder has just deleted it: others would not see a lock on it


def _release_file(lock_path: Path, opened: int) -> None:
    with suppress(OSError):
        lock_path.unlink()
    os.close(opened)


def _check_unlocked(lock_path: Path) -> None:
    """Raise LockHeld if another process holds the lock on a file."""
    try:
        opened = os.open(lock_path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        _lock_or_raise(opened, shared=True)
    finally:
        os.close(opened)


def _lock_or_raise(opened: int, *, shared: bool = False) -> None:
    try:
        try_lock(opened, shared=shared)
    except BlockingIOError:
        raise LockHeld(_read_holder(opened)) from None


def _read_holder(opened: int) -> Message:
    """Return a message with the holder's board, process id and start time. Any user may have written the file."""
    try:
        process, *names = json.loads(os.pread(opened, 300, 0))
        board_name, locked_since = (replace_unprintable(str(name)[:40], "") for name in names)
        process_id = int(process)
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return UNKNOWN_HOLDER
    if not process_id:
        return UNKNOWN_HOLDER
    return Message("lock.holder", board=board_name, process=process_id, since=locked_since)
