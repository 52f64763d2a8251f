"""A checked profile becomes a board. Of all drivers, only those that it names are imported.

profile.sensing  ->  Scan(reader, key)    or fingers in memory, if its wiring is Pretended
profile.chain    ->  ChainLamps(wire)     or lamps in memory, if its driver is simulated
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from pond_hw.board import Board, BoardFault, Lamps
from pond_hw.drivers.pi_machine import Machine, choose_driver, find_machine_fault
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
from pond_hw.simulator import SimulatedBoard, SimulatedLamps

if TYPE_CHECKING:
    from pond_hw.drivers.lamp_chain import LampWire
    from pond_hw.drivers.neotrellis import TrellisBoard
    from pond_hw.drivers.scan import SensorReader, SensorScan
    from pond_hw.simulator.table import SimulatedTable


def build_board(
    profile: Profile,
    now: Callable[[], float],
    *,
    machine: Machine | None = None,
    wire: LampWire | None = None,
    reader: SensorReader | None = None,
) -> Board:
    """The board that a profile describes. Nothing of it is open yet.

    Args:
        profile: the board's build.
        now: the clock, in seconds.
        machine: where it is; by default this one.
        wire: what carries the lamps' bytes, instead of what the profile names. Whoever has one has made up the rest
            of the machine too, so it is not asked what it lacks.
        reader: what reads the cells' sensors, instead of what the profile names; then the key is not read.

    Raises:
        BoardFault: the machine lacks something.
    """
    machine = machine or Machine()
    if wire is None and (lack := find_machine_fault(profile, machine)):
        raise lack
    if reader:
        return Board(_build_scan(profile, now, reader), _build_lamps(profile, now, machine, wire))
    hands = _build_simulated(profile, now)
    if hands and profile.chain.driver == "simulated":
        return hands.to_board()
    trellis = _build_trellis(profile)
    sensors = hands or _build_scan(profile, now, trellis or _build_reader(profile), profile.key_pin)
    return Board(sensors, _build_lamps(profile, now, machine, wire or trellis))


def build_lamps(profile: Profile, now: Callable[[], float], *, machine: Machine | None = None) -> Lamps:
    """The lamps of a profile alone, not open yet; the sensors may lack what they like."""
    return _build_lamps(profile, now, machine or Machine(), _build_trellis(profile))


def _build_simulated(profile: Profile, now: Callable[[], float]) -> SimulatedBoard | SimulatedTable | None:
    """The fingers, or the table with pieces, in memory, if the sensors are nothing else."""
    if not isinstance(profile.sensing.wiring, SimulatedWiring):
        return None
    form = profile.size, profile.chain.lamps_per_cell, now
    strip = len(profile.chain.strip_positions[0])
    if profile.sensing.kind == "button":
        return SimulatedBoard(*form, strip)
    from pond_hw.simulator.table import SimulatedTable

    return SimulatedTable(*form, strip=strip, hold=profile.sensing.debounce_seconds)


def _build_scan(profile: Profile, now: Callable[[], float], reader: SensorReader, pin: int | None = None) -> SensorScan:
    from pond_hw.drivers.scan import SensorScan

    sensing, key = profile.sensing, None
    if pin is not None:
        from pond_hw.drivers.gpio import GpioSwitch

        key = GpioSwitch(pin)
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


def _build_reader(profile: Profile) -> SensorReader:
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


def _build_trellis(profile: Profile) -> TrellisBoard | None:
    """The NeoTrellis, which is sensors and lamps in one; None if the profile has none."""
    wiring = profile.sensing.wiring
    if not isinstance(wiring, TrellisWiring):
        return None
    from pond_hw.drivers.neotrellis import TrellisBoard

    return TrellisBoard(wiring, profile.chain)


def _build_lamps(profile: Profile, now: Callable[[], float], machine: Machine, wire: LampWire | None) -> Lamps:
    chain = profile.chain
    if chain.driver == "simulated" and not wire:
        return SimulatedLamps(profile.size, chain.lamps_per_cell, len(chain.strip_positions[0]))
    from pond_hw.drivers.lamp_chain import ChainLamps

    return ChainLamps(profile.size, chain, wire or _build_wire(profile, machine), now)


def _build_wire(profile: Profile, machine: Machine) -> LampWire:
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
