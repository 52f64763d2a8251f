"""Construction of the drivers named in a profile. No other driver is imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from pond_hw.board import BoardFault, KeyEvent, SensorEvent, TurnKeyEvent
from pond_hw.drivers.pi_machine import Machine, choose_driver, choose_encoding
from pond_hw.messages.message import Message
from pond_hw.profile import board_profile
from pond_hw.profile.board_profile import AnalogWiring, Profile, TrellisWiring
from pond_hw.rules import DARK, LIGHT, get_grid

if TYPE_CHECKING:
    from pond_hw.drivers.lamp_chain import LampWire
    from pond_hw.drivers.neotrellis import TrellisBoard
    from pond_hw.drivers.scan import SensorReader, SensorScan
    from pond_hw.drivers.usb_board import UsbBoard

USB_SCAN_RATE = 200.0
"""Rate in Hz at which the host processes the data from the cable. The Pico itself scans a thousand times a second."""


KEY_EVENTS: dict[str, Callable[[bool, float], SensorEvent]] = {
    "key": KeyEvent,
    "key_light": partial(TurnKeyEvent, LIGHT),
    "key_dark": partial(TurnKeyEvent, DARK),
    "key_common": partial(TurnKeyEvent, None),
}
"""Constructors of the keys' events, by key name as in `Profile.key_pins`."""


def build_scan(
    profile: Profile, now: Callable[[], float], sensor_reader: SensorReader, key_readers: Mapping[str, SensorReader]
) -> SensorScan:
    """Build the scan of a board's sensors. `key_readers` are named as in `Profile.key_pins`."""
    from pond_hw.drivers.scan import SensorScan

    sensing = profile.sensing
    keys = [(reader, KEY_EVENTS[name]) for name, reader in key_readers.items()]
    holds = [sensing.debounce_by_cell.get(cell, sensing.debounce_seconds) for cell in get_grid(profile.size).cells]
    light = sensing.wiring.light if isinstance(sensing.wiring, AnalogWiring) else 0
    has_pieces = sensing.kind == "hall"
    return SensorScan(
        profile.size, sensor_reader, holds, sensing.scan_rate, now, keys=keys, pieces=has_pieces, light=light
    )


def build_usb_scan(profile: Profile, now: Callable[[], float], usb_board: UsbBoard) -> SensorScan:
    from pond_hw.drivers.scan import SensorScan

    has_pieces = profile.sensing.kind == "hall"
    keys = [(reader, KEY_EVENTS[name]) for name, reader in usb_board.keys.items()]
    return SensorScan(profile.size, usb_board, 0.0, USB_SCAN_RATE, now, keys=keys, pieces=has_pieces)


def build_keys(profile: Profile) -> dict[str, SensorReader]:
    from pond_hw.drivers.gpio import GpioSwitch

    return {name: GpioSwitch(pin, name) for name, pin in profile.key_pins.items()}


def build_reader(profile: Profile) -> SensorReader:
    """Build the reader of a profile's sensors. Raise ValueError if they are simulated or belong to a NeoTrellis."""
    sensor_wiring = profile.sensing.wiring
    match sensor_wiring:
        case board_profile.DirectWiring():
            from pond_hw.drivers.gpio import DirectReader

            return DirectReader(sensor_wiring)
        case board_profile.MatrixWiring():
            from pond_hw.drivers.button_matrix import MatrixReader

            return MatrixReader(sensor_wiring)
        case board_profile.ExpanderWiring(chip=chip) | AnalogWiring(chip=chip):
            sensor_reader: SensorReader = resolve_name(chip.reader)(sensor_wiring)
            return sensor_reader
    raise ValueError(f"{profile.name} has no separate sensors.")


def build_trellis(profile: Profile) -> TrellisBoard | None:
    sensor_wiring = profile.sensing.wiring
    if not isinstance(sensor_wiring, TrellisWiring):
        return None
    from pond_hw.drivers.neotrellis import TrellisBoard

    return TrellisBoard(sensor_wiring, profile.chain)


def build_wire(profile: Profile, machine: Machine) -> LampWire:
    lamp_settings = profile.chain
    match driver_name := choose_driver(profile, machine).driver:
        case "spi":
            from pond_hw.drivers.spi_lamps import SpiWire

            return SpiWire(lamp_settings.lamp_count, choose_encoding(profile, machine).encoding, machine)
        case "ws281x":
            from pond_hw.drivers.ws281x import Ws281xWire

            return Ws281xWire(lamp_settings, machine)
        case "neopixel":
            from pond_hw.drivers.neopixel import NeoPixelWire

            return NeoPixelWire(lamp_settings, machine)
    raise BoardFault(Message("lamps.no_driver", name=driver_name))
