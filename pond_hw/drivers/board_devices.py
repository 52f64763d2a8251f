"""The devices of this machine that a board uses, and their locks.

Two boards that share one of them exclude each other: a pin, a bus and a lamp have one master.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path

from pond_hw.board import BoardFault
from pond_hw.drivers.board_lock import BoardLock, LockHeld
from pond_hw.drivers.pi_machine import SPI_DEVICE, Machine, choose_driver, needs_pins
from pond_hw.drivers.run_files import board_lock_files
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import ExpanderWiring, Profile, TrellisWiring


def list_devices(profile: Profile, machine: Machine) -> list[Path]:
    """The device nodes of a board's pins, I2C bus and lamps that exist, sorted, each once.

    Pins that are mocked have none, and neither has what is simulated.
    """
    wiring, driver = profile.sensing.wiring, choose_driver(profile, machine).driver
    pins = needs_pins(profile) or driver in ("ws281x", "neopixel")  # whose own way to a pin excludes nobody
    if profile.controller == "pico":
        return []  # a port comes and goes with its cable, and pyserial locks it
    names = [machine.gpio_device] if pins and not machine.pins_mocked else []
    if isinstance(wiring, ExpanderWiring | TrellisWiring):
        names.append(f"/dev/i2c-{wiring.bus}")
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
