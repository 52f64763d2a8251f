"""Makes a board from a checked profile: real devices, simulated ones, or some of each. Closes one whose bus may hang.

profile.sensing  ->  SensorScan(reader, keys)    or a simulated board, if its wiring is simulated
profile.chain    ->  ChainLamps(wire)           or lamps in memory, if its driver is simulated
a Pico on USB    ->  both of one UsbBoard
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
"""Seconds that a board has to let go of its devices; one whose bus hangs never does."""


def build_board(
    profile: Profile,
    now: Callable[[], float],
    *,
    machine: Machine | None = None,
    wire: LampWire | None = None,
    awaits_cable: bool = False,
) -> Board:
    """The board that a profile describes. Nothing of it is open yet.

    Args:
        profile: the board's build.
        now: the clock, in seconds.
        machine: where it is; by default this one.
        wire: what carries the lamps' bytes, instead of what the profile names. Whoever has one has made up the rest
            of the machine too, so it is not asked what it lacks.
        awaits_cable: True if a board on USB may be plugged in later.

    Raises:
        BoardFault: the machine lacks something.
    """
    machine = machine or Machine()
    if wire is None and (lack := find_machine_fault(profile, machine, awaits_cable=awaits_cable)):
        raise lack
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
    """The lamps of a profile alone, not open yet; the sensors may lack what they like."""
    if profile.controller == "pico":
        return _build_usb(profile, now, machine or Machine()).lamps
    return _build_lamps(profile, now, machine or Machine(), build_devices.build_trellis(profile))


def close_with_timeout(close_board: Callable[[], None], lamps: Lamps) -> bool:
    """Stop sensing and leave the lamps dark; return False if a hanging bus was left behind.

    Args:
        close_board: closes the board; it never returns if the bus hangs.
        lamps: the lamps of the board, which can be switched off even if the sensors hang.
    """
    ending_thread = threading.Thread(target=close_board, name="pond ending", daemon=True)
    ending_thread.start()
    ending_thread.join(CLOSING_SECONDS)
    if not ending_thread.is_alive():
        return True
    LOG.warning("the sensors hang and are left behind")
    dark_thread = threading.Thread(target=lamps.close, name="pond lamps ending", daemon=True)
    dark_thread.start()
    dark_thread.join(CLOSING_SECONDS / 4)
    return False


def _build_usb(profile: Profile, now: Callable[[], float], machine: Machine) -> Board:
    """The two ends of a cable with a Pico on it."""
    from pond_hw.drivers.lamp_chain import ChainLamps
    from pond_hw.drivers.usb_board import build_usb_board

    usb_board = build_usb_board(profile, now, machine.usb_boards)
    lamps = ChainLamps(profile.size, profile.chain, usb_board.wire, now)
    return Board(build_devices.build_usb_scan(profile, now, usb_board), lamps)


def _build_simulated(profile: Profile, now: Callable[[], float]) -> SimulatedBoard | SimulatedTable | None:
    """The buttons, or the table with pieces, in memory; None if the sensors are real."""
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
