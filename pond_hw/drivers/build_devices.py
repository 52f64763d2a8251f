"""The drivers that a profile names. Of all drivers, only those are imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from pond_hw.board import BoardFault
from pond_hw.drivers.pi_machine import Machine, choose_driver
from pond_hw.profile.board_profile import (
    AnalogWiring,
    DirectWiring,
    ExpanderWiring,
    MatrixWiring,
    Profile,
    SimulatedWiring,
    TrellisWiring,
)
from pond_hw.rules import get_grid

if TYPE_CHECKING:
    from pond_hw.drivers.lamp_chain import ChainLamps, LampWire
    from pond_hw.drivers.neotrellis import TrellisBoard
    from pond_hw.drivers.scan import SensorReader, SensorScan


def build_scan(
    profile: Profile, now: Callable[[], float], reader: SensorReader, key_pin: int | None = None
) -> SensorScan:
    """The scan of a board's sensors.

    Args:
        profile: the board's build.
        now: the clock, in seconds.
        reader: what reads the cells' sensors.
        key_pin: the GPIO of the key beside the cells, if that is read too.
    """
    from pond_hw.drivers.scan import SensorScan

    sensing, key = profile.sensing, None
    if key_pin is not None:
        from pond_hw.drivers.gpio import GpioSwitch

        key = GpioSwitch(key_pin)
    return SensorScan(
        profile.size,
        reader,
        [sensing.debounce_by_cell.get(cell, sensing.debounce_seconds) for cell in get_grid(profile.size).cells],
        sensing.scan_rate,
        now,
        key=key,
        pieces=sensing.kind == "hall",
        light=sensing.wiring.light if isinstance(sensing.wiring, AnalogWiring) else 0,
    )


def build_reader(profile: Profile) -> SensorReader:
    """The driver that reads a profile's sensors.

    Raises:
        ValueError: they are simulated, or belong to a NeoTrellis.
    """
    wiring = profile.sensing.wiring
    match wiring:
        case DirectWiring():
            from pond_hw.drivers.gpio import DirectReader

            return DirectReader(wiring)
        case MatrixWiring():
            from pond_hw.drivers.button_matrix import MatrixReader

            return MatrixReader(wiring)
        case ExpanderWiring():
            from pond_hw.drivers.mcp23017 import ExpanderReader

            return ExpanderReader(wiring)
        case AnalogWiring():
            from pond_hw.drivers.mcp3008 import AnalogReader

            return AnalogReader(wiring)
        case TrellisWiring() | SimulatedWiring():
            raise ValueError(f"{profile.name} has no sensors to be read by themselves.")
    assert_never(wiring)


def build_trellis(profile: Profile) -> TrellisBoard | None:
    """The NeoTrellis, which is sensors and lamps in one; None if the profile has none."""
    wiring = profile.sensing.wiring
    if not isinstance(wiring, TrellisWiring):
        return None
    from pond_hw.drivers.neotrellis import TrellisBoard

    return TrellisBoard(wiring, profile.chain)


def build_chain(profile: Profile, now: Callable[[], float], wire: LampWire) -> ChainLamps:
    """The lamps of a profile, on this wire."""
    from pond_hw.drivers.lamp_chain import ChainLamps

    return ChainLamps(profile.size, profile.chain, wire, now)


def build_wire(profile: Profile, machine: Machine) -> LampWire:
    """The driver of a profile's lamps.

    Raises:
        BoardFault: there is no such driver.
    """
    chain = profile.chain
    match driver := choose_driver(profile, machine).driver:
        case "spi":
            from pond_hw.drivers.spi_lamps import SpiWire

            return SpiWire(chain.lamp_count, machine)
        case "ws281x":
            from pond_hw.drivers.ws281x import Ws281xWire

            return Ws281xWire(chain, machine)
        case "neopixel":
            from pond_hw.drivers.neopixel import NeoPixelWire

            return NeoPixelWire(chain, machine)
    raise BoardFault(f"There is no driver {driver!r} for lamps.")
