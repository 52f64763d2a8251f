"""Factory for boards with real or simulated sensors and lamps, and a safe way to close boards that may hang.

It is a layer above `drivers` and `simulator`, which do not import each other.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from pond_hw.board import Board, Lamps
from pond_hw.drivers import build_devices
from pond_hw.drivers.pi_machine import Machine, find_machine_fault
from pond_hw.profile.board_profile import Profile, SimulatedWiring
from pond_hw.simulator import SimulatedBoard, SimulatedLamps

if TYPE_CHECKING:
    from pond_hw.drivers.lamp_chain import LampWire
    from pond_hw.simulator.board_with_pieces import SimulatedTable

LOG = logging.getLogger("pond")

CLOSING_SECONDS = 1.0
"""Seconds to wait for a board to close. A board with a hung bus never does."""


def build_board(
    profile: Profile,
    now: Callable[[], float],
    *,
    machine: Machine | None = None,
    wire: LampWire | None = None,
    awaits_cable: bool = False,
) -> Board:
    """Build the board that a profile describes, without opening it.

    Args:
        profile: the board's profile.
        now: clock, in seconds.
        machine: machine that drives the board; by default, this computer.
        wire: transport for the lamp data; by default, the one in the profile. If it is given, the machine is not checked
            for missing devices.
        awaits_cable: True if a USB board may be plugged in later.

    Raises:
        BoardFault: if the machine lacks a device.
    """
    machine = machine or Machine()
    if wire is None and (fault := find_machine_fault(profile, machine, awaits_cable=awaits_cable)):
        raise fault
    simulated = _build_simulated(profile, now)
    if simulated and profile.chain.driver == "simulated":
        return simulated.to_board()
    if profile.controller == "pico":
        return _build_usb(profile, now, machine)
    trellis_board = build_devices.build_trellis(profile)
    sensors = simulated or build_devices.build_scan(
        profile, now, trellis_board or build_devices.build_reader(profile), build_devices.build_keys(profile)
    )
    return Board(sensors, _build_lamps(profile, now, machine, wire or trellis_board))


def build_lamps(profile: Profile, now: Callable[[], float], *, machine: Machine | None = None) -> Lamps:
    """Build only the lamps of a profile, without opening them or checking the sensors."""
    if profile.controller == "pico":
        return _build_usb(profile, now, machine or Machine()).lamps
    return _build_lamps(profile, now, machine or Machine(), build_devices.build_trellis(profile))


def close_with_timeout(close_board: Callable[[], None], lamps: Lamps) -> bool:
    """Close a board. Return False if it was abandoned because its bus hangs.

    Args:
        close_board: function that closes the board; it never returns if the bus hangs.
        lamps: lamps of the board, which are turned off separately if the sensors hang.
    """
    closing_thread = threading.Thread(target=close_board, name="pond ending", daemon=True)
    closing_thread.start()
    closing_thread.join(CLOSING_SECONDS)
    if not closing_thread.is_alive():
        return True
    LOG.warning("the sensors hang: the board is closed without them")
    dark_thread = threading.Thread(target=lamps.close, name="pond lamps ending", daemon=True)
    dark_thread.start()
    dark_thread.join(CLOSING_SECONDS / 4)
    return False


def _build_usb(profile: Profile, now: Callable[[], float], machine: Machine) -> Board:
    from pond_hw.drivers.lamp_chain import ChainLamps
    from pond_hw.drivers.usb_board import build_usb_board

    usb_board = build_usb_board(profile, now, machine.usb_boards)
    lamps = ChainLamps(profile.size, profile.chain, usb_board.wire, now)
    return Board(build_devices.build_usb_scan(profile, now, usb_board), lamps)


def _build_simulated(profile: Profile, now: Callable[[], float]) -> SimulatedBoard | SimulatedTable | None:
    """Build a simulated board; None if the sensors are real."""
    if not isinstance(profile.sensing.wiring, SimulatedWiring):
        return None
    strip_lamps = len(profile.chain.strip_positions[0])
    if profile.sensing.kind == "button":
        return SimulatedBoard(profile.size, profile.chain.lamps_per_cell, now, strip_lamps)
    from pond_hw.simulator.board_with_pieces import SimulatedTable

    hold_seconds = profile.sensing.debounce_seconds
    return SimulatedTable(profile.size, profile.chain.lamps_per_cell, now, strip=strip_lamps, hold=hold_seconds)


def _build_lamps(profile: Profile, now: Callable[[], float], machine: Machine, wire: LampWire | None) -> Lamps:
    lamp_settings = profile.chain
    if lamp_settings.driver == "simulated" and not wire:
        strip_lamps, key_lamps = len(lamp_settings.strip_positions[0]), len(lamp_settings.key_positions)
        return SimulatedLamps(profile.size, lamp_settings.lamps_per_cell, strip_lamps, key_lamps)
    from pond_hw.drivers.lamp_chain import ChainLamps

    return ChainLamps(profile.size, lamp_settings, wire or build_devices.build_wire(profile, machine), now)
