"""A checked profile becomes a board. Of all drivers, only those that it names are imported.

profile.sensing  ->  Scan(reader, key)    or fingers in memory, if its wiring is Pretended
profile.chain    ->  ChainLamps(wire)     or lamps in memory, if its driver is simulated
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from pond_hw.board import Board, BoardFault, Lamps
from pond_hw.drivers.pi_machine import Machine, choose, missing
from pond_hw.profile.board_profile import Analog, Direct, Expanders, Matrix, Pretended, Profile, Trellis
from pond_hw.rules import grid
from pond_hw.simulator import SimulatedBoard, SimulatedLamps

if TYPE_CHECKING:
    from pond_hw.drivers.lamp_chain import Wire
    from pond_hw.drivers.neotrellis import TrellisBoard
    from pond_hw.drivers.scan import Reader, Scan
    from pond_hw.simulator.table import SimulatedTable


def wired(
    profile: Profile,
    now: Callable[[], float],
    *,
    machine: Machine | None = None,
    wire: Wire | None = None,
    reader: Reader | None = None,
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
    if wire is None and (lack := missing(profile, machine)):
        raise lack
    if reader:
        return Board(_scan(profile, now, reader), _lamps(profile, now, machine, wire))
    hands = _hands(profile, now)
    if hands and profile.chain.driver == "simulated":
        return hands.board()
    trellis = _trellis(profile)
    sensors = hands or _scan(profile, now, trellis or _reader(profile), profile.key)
    return Board(sensors, _lamps(profile, now, machine, wire or trellis))


def lamps_of(profile: Profile, now: Callable[[], float], *, machine: Machine | None = None) -> Lamps:
    """The lamps of a profile alone, not open yet; the sensors may lack what they like."""
    return _lamps(profile, now, machine or Machine(), _trellis(profile))


def _hands(profile: Profile, now: Callable[[], float]) -> SimulatedBoard | SimulatedTable | None:
    """The fingers, or the table with pieces, in memory, if the sensors are nothing else."""
    if not isinstance(profile.sensing.wiring, Pretended):
        return None
    form = profile.size, profile.chain.per_cell, now
    strip = len(profile.chain.strips[0])
    if profile.sensing.kind == "button":
        return SimulatedBoard(*form, strip)
    from pond_hw.simulator.table import SimulatedTable

    return SimulatedTable(*form, strip=strip, hold=profile.sensing.debounce)


def _scan(profile: Profile, now: Callable[[], float], reader: Reader, pin: int | None = None) -> Scan:
    from pond_hw.drivers.scan import Scan

    sensing, key = profile.sensing, None
    if pin is not None:
        from pond_hw.drivers.gpio import GpioSwitch

        key = GpioSwitch(pin)
    return Scan(
        profile.size,
        reader,
        [sensing.holds.get(cell, sensing.debounce) for cell in grid(profile.size).cells],
        sensing.scans,
        now,
        key=key,
        pieces=sensing.kind == "hall",
        light=sensing.wiring.light if isinstance(sensing.wiring, Analog) else 0,
    )


def _reader(profile: Profile) -> Reader:
    wiring = profile.sensing.wiring
    match wiring:
        case Direct():
            from pond_hw.drivers.gpio import DirectReader

            return DirectReader(wiring)
        case Matrix():
            from pond_hw.drivers.button_matrix import MatrixReader

            return MatrixReader(wiring)
        case Expanders():
            from pond_hw.drivers.mcp23017 import ExpanderReader

            return ExpanderReader(wiring)
        case Analog():
            from pond_hw.drivers.mcp3008 import AnalogReader

            return AnalogReader(wiring)
        case Trellis() | Pretended():
            raise ValueError(f"{profile.name} has no sensors to be read by themselves.")
    assert_never(wiring)


def _trellis(profile: Profile) -> TrellisBoard | None:
    """The NeoTrellis, which is sensors and lamps in one; None if the profile has none."""
    wiring = profile.sensing.wiring
    if not isinstance(wiring, Trellis):
        return None
    from pond_hw.drivers.neotrellis import TrellisBoard

    return TrellisBoard(wiring, profile.chain)


def _lamps(profile: Profile, now: Callable[[], float], machine: Machine, wire: Wire | None) -> Lamps:
    chain = profile.chain
    if chain.driver == "simulated" and not wire:
        return SimulatedLamps(profile.size, chain.per_cell, len(chain.strips[0]))
    from pond_hw.drivers.lamp_chain import ChainLamps

    return ChainLamps(profile.size, chain, wire or _wire(profile, machine), now)


def _wire(profile: Profile, machine: Machine) -> Wire:
    chain = profile.chain
    match driver := choose(profile, machine).driver:
        case "spi":
            from pond_hw.drivers.spi_lamps import SpiWire

            return SpiWire(chain.count, machine)
        case "ws281x":
            from pond_hw.drivers.ws281x import Ws281xWire

            return Ws281xWire(chain, machine)
        case "neopixel":
            from pond_hw.drivers.neopixel import NeoPixelWire

            return NeoPixelWire(chain, machine)
    raise BoardFault(f"There is no driver {driver!r} for lamps.")
