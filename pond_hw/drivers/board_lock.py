"""Makes sure that only one process serves a board: it locks the devices, and a file names the holder.

    /dev/gpiochip0                   locked: the header's chip, whatever its number; all who serve a board can open it
    /run/lock/pond-gpiochip0.lock    the holder's name, in the first folder where there is a way to leave it

The kernel lets go of a lock when its holder dies, however that happens, so a file that is left over means nothing.
What has no device, such as a socket, is held by the file alone. Two boards that share a device exclude each other: a pin, a
bus and a lamp have one master.
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
    """Somebody else holds the lock; the message says who, as far as that is known."""


UNKNOWN_HOLDER = Message("lock.unknown_holder")


class BoardLock:
    """A lock, held until `close`.

    Args:
        lock_paths: where the holder's name may lie. It is left in the first of them that can be written; a service and a
            person see different folders as their own. Without a device, these files are the lock, and all are
            looked at.
        board_name: the name of the board that is served.
        device_path: what is locked; it need only be readable, and nothing is read.

    Attributes:
        holder_file: where the holder's name is; None if nothing could be written anywhere.

    Raises:
        LockHeld: somebody else holds the device or, without one, a file.
        OSError: the device cannot be opened.
    """

    def __init__(self, lock_paths: Sequence[Path], board_name: str, device_path: Path | None = None) -> None:
        self.holder_file: Path | None = None
        with ExitStack() as taken:
            if device_path:
                taken.callback(os.close, _lock_device(device_path, lock_paths))
            for lock_path in lock_paths:
                try:
                    if self.holder_file is None and (opened := _lock_file(lock_path)) is not None:
                        self.holder_file, holder_descriptor = lock_path, opened
                        taken.callback(_release_file, lock_path, opened)
                    elif not device_path:
                        _check_unlocked(lock_path)
                except LockHeld:
                    if not device_path:
                        raise
            self._taken = taken.pop_all()
        if self.holder_file:
            locked_since = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
            with suppress(OSError):  # no room for a name; it is held all the same
                os.ftruncate(holder_descriptor, 0)
                os.pwrite(holder_descriptor, json.dumps([os.getpid(), board_name, locked_since]).encode(), 0)

    def close(self) -> None:
        """Let go of it, and leave no file behind. Closing twice is no fault."""
        self.holder_file = None
        self._taken.close()

    def __enter__(self) -> BoardLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def list_devices(profile: Profile, machine: Machine) -> list[Path]:
    """Return the device nodes of a board's pins, I2C bus and lamps that exist, sorted, each once.

    Pins that are mocked have none, and neither has what is simulated.
    """
    driver = choose_driver(profile, machine).driver
    pins = needs_pins(profile) or driver in ("ws281x", "neopixel")  # whose own way to a pin excludes nobody
    if profile.controller == "pico":
        return []  # a port comes and goes with its cable, and pyserial locks it
    names = [machine.gpio_device] if pins and not machine.pins_mocked else []
    if (bus := find_i2c_bus(profile.sensing.wiring)) is not None:
        names.append(f"/dev/i2c-{bus}")
    if driver == "spi":
        names.append(SPI_DEVICE)
    return sorted({(machine.root / name.lstrip("/")).resolve() for name in names if machine.has_device(name)})


def lock_board(profile: Profile) -> ExitStack:
    """Lock the devices of a real board or, if none of them can be opened, a file; of boards on USB there is one.

    Raises:
        BoardFault: it is served already.
    """
    try:
        with ExitStack() as taken:
            if profile.controller == "pico":
                taken.enter_context(BoardLock(board_lock_files("usb"), profile.name))
                return taken.pop_all()
            devices = 0
            for device in list_devices(profile, Machine()):
                with suppress(OSError):  # what cannot be opened cannot be used either, and the driver says so better
                    taken.enter_context(BoardLock(board_lock_files(device.name), profile.name, device))
                    devices += 1
            if not devices:
                taken.enter_context(BoardLock(board_lock_files(), profile.name))
            return taken.pop_all()
    except LockHeld as held:
        raise BoardFault(Message("board.has_server", holder=held.message)) from held


def _lock_device(device_path: Path, lock_paths: Sequence[Path]) -> int:
    """Open a device and lock it."""
    opened = os.open(device_path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        try_lock(opened)
    except BaseException as error:
        os.close(opened)
        if not isinstance(error, BlockingIOError):
            raise
        for lock_path in lock_paths:
            _check_unlocked(lock_path)  # whoever holds a file says who they are
        raise LockHeld(UNKNOWN_HOLDER) from None
    return opened


def _lock_file(lock_path: Path) -> int | None:
    """Open a file and lock it; None if it cannot be written."""
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
        os.close(opened)  # its last holder has just taken the file away: ours would be a lock that nobody else finds


def _release_file(lock_path: Path, opened: int) -> None:
    with suppress(OSError):
        lock_path.unlink()
    os.close(opened)


def _check_unlocked(lock_path: Path) -> None:
    """Raise LockHeld if somebody holds the lock in a file."""
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
    """The board, the process that holds a lock, and since when by the wall clock.

    Anybody may have written the file, so it is cut and made printable.
    """
    try:
        process, *names = json.loads(os.pread(opened, 300, 0))
        board_name, locked_since = (replace_unprintable(str(name)[:40], "") for name in names)
        process_id = int(process)
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return UNKNOWN_HOLDER
    if not process_id:
        return UNKNOWN_HOLDER
    return Message("lock.holder", board=board_name, process=process_id, since=locked_since)
