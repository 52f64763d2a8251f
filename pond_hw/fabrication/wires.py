"""The wires of a board, one by one: from pin to pin, with colour, length and thickness.

    rails on the strip board -> row 1 of the sensors -> along the row; row 2 ...
                             -> first strip of lamps -> next strip ...
    sensor ------------------> header or chip, a colour of its own
    line of a matrix --------> along the cells on it

What stands on the strip board is joined by its tracks, and what stands beside a sensor by its legs: no wires.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET, LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin
from pond_hw.fabrication.solids.layout import make_layout
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import Profile, TrellisWiring
from pond_hw.profile.soldered_wires import COLOURS, LINES
from pond_hw.rules import Cell, get_grid

RAIL_COLOURS = {GROUND_NET: "black", LOGIC_NET: "pink", FIVE_VOLT_NET: "red", LAMP_SUPPLY_NET: "red"}
"""The colours of what feeds."""

WIRE_SLACK, CASE_SLACK, LENGTH_STEP = 40.0, 100.0, 10.0
"""mm: what a wire is longer than its way, for being soldered and going round corners; what it is longer still if it
goes from the plate down into the case, so that the plate can stand beside it; and what lengths are rounded up to."""

TRELLIS_LENGTH = 200.0
"""mm of the wires of a NeoTrellis, which lies where one likes."""

SIGNAL_GAUGE = 26
"""AWG of what carries no current worth speaking of."""

MAX_CURRENTS = {26: 1100, 22: 3500, 20: 5500, 18: 8000, 16: 11_000, 14: 16_000, 12: 20_500}
"""mA that a wire of so many AWG may carry: half of what the Handbook of Electronic Tables and Formulas has for wires
inside an apparatus (2.2, 7, 11, 16, 22, 32, 41 A). The half is our choice."""

OHMS_PER_METRE = {26: 0.134, 22: 0.053, 20: 0.0333, 18: 0.0209, 16: 0.0132, 14: 0.0083, 12: 0.0052}
"""Ω of a metre of it, copper at 20 °C, from the definition of AWG."""

STRIP_BOARD_TYPES = ("expander", "converter", "shifter", "resistor", "capacitor", "reservoir", "fuse", "rails")
"""Sorts of parts that stand on the strip board; a capacitor of a sensor stands beside it."""


class CutWire(NamedTuple):
    """One wire.

    Attributes:
        net: what it is part of.
        start_pin: where it begins: at the header, at the strip board, or nearer to these.
        end_pin: where it ends.
        colour: its colour, in plain words.
        length: in mm, what to cut off.
        gauge: AWG.
    """

    net: str
    start_pin: PartPin
    end_pin: PartPin
    colour: str
    length: float
    gauge: int


class BoardPoint(NamedTuple):
    """A place, in mm from the middle of the board, seen from above: to the right, and away from the key.

    Attributes:
        x, y: where.
        in_case: whether it is down in the case, and not on the plate.
    """

    x: float
    y: float
    in_case: bool = False


def gauge_for(current: float) -> int:
    """The thinnest wire for so many mA.

    Raises:
        ValueError: none of those that are known is thick enough.
    """
    for gauge, most in MAX_CURRENTS.items():
        if most >= current:
            return gauge
    raise ValueError(f"no wire for {current:g} mA")


def cell_middle(profile: Profile, cell: Cell) -> BoardPoint:
    """The middle of a cell."""
    x, y = get_grid(profile.size).cell_coordinates(cell)
    middles = make_layout(profile).cell_middles
    return BoardPoint(middles[x], middles[y])


def lamp_point(profile: Profile, cell: Cell, index: int) -> BoardPoint:
    """The middle of a lamp in a cell, `index` in the order of a frame: its rows from the top, from the left."""
    side = math.isqrt(profile.chain.lamps_per_cell)
    at = cell_middle(profile, cell)
    across = (index % side - (side - 1) / 2) * profile.body.pitch_mm / side
    return BoardPoint(at.x + across, at.y + make_layout(profile).strip_offsets[side - 1 - index // side])


def part_point(profile: Profile, part: CircuitPart) -> BoardPoint:
    """Where a part is. What belongs to no cell is in the case: on the strip board, on the Pi, or in a wall."""
    if part.cell is not None:
        return (
            lamp_point(profile, part.cell, part.index) if part.part_type == "lamp" else cell_middle(profile, part.cell)
        )
    laid = make_layout(profile)
    places = {"pi": laid.header_point, "key": laid.key_point, "buzzer": laid.buzzer_point, "supply": laid.jack_point}
    return BoardPoint(*places.get(part.part_type, laid.board_point), in_case=True)


def lamp_strips(profile: Profile, netlist: Netlist) -> list[list[CircuitPart]]:
    """The lamps as they lie on pieces of strip, in the order of the chain.

    Two that follow each other are on one piece if they lie side by side in a row; lamps in no cell are on their own.
    """
    found: list[list[CircuitPart]] = []
    apart = profile.body.pitch_mm / math.isqrt(profile.chain.lamps_per_cell)
    for lamp in netlist.parts_of_type("lamp"):
        before = found[-1][-1] if found else None
        if before and _are_neighbours(profile, before, lamp, apart):
            found[-1].append(lamp)
        else:
            found.append([lamp])
    return found


def _are_neighbours(profile: Profile, one: CircuitPart, other: CircuitPart, apart: float) -> bool:
    if one.cell is None or other.cell is None:
        return one.cell is other.cell
    here, there = part_point(profile, one), part_point(profile, other)
    return abs(here.y - there.y) < 0.1 and abs(abs(here.x - there.x) - apart) < 0.1


def list_wires(profile: Profile, netlist: Netlist) -> list[CutWire]:
    """All wires, the rails first, then net by net."""
    found: list[CutWire] = []
    strips = lamp_strips(profile, netlist)
    for net in (FIVE_VOLT_NET, LAMP_SUPPLY_NET, GROUND_NET, LOGIC_NET):
        if net in netlist.nets:
            found += _rail_wires(profile, netlist, net, strips)
    for net in netlist.nets:
        if net not in RAIL_COLOURS:
            found += _signal_wires(profile, netlist, net, strips)
    return found


def is_on_board(netlist: Netlist, end: PartPin) -> bool:
    """Whether a pin is on the strip board."""
    part = netlist.parts[end.part]
    return part.part_type in STRIP_BOARD_TYPES and part.cell is None


def _wire_length(profile: Profile, netlist: Netlist, one: PartPin, other: PartPin) -> float:
    """How long a wire must be: along the edges, since it runs along the walls."""
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return TRELLIS_LENGTH
    here, there = part_point(profile, netlist.parts[one.part]), part_point(profile, netlist.parts[other.part])
    way = abs(here.x - there.x) + abs(here.y - there.y) + WIRE_SLACK + CASE_SLACK * (here.in_case != there.in_case)
    return math.ceil(way / LENGTH_STEP) * LENGTH_STEP


def _rail_wires(profile: Profile, netlist: Netlist, net: str, strips: list[list[CircuitPart]]) -> Iterator[CutWire]:
    """From the rail on the strip board to everything that hangs on it, in chains."""
    ends = netlist.nets[net]
    feeds = [end for end in ends if end.part in ("J1", "J2")]
    hubs = [end for end in ends if end.part == "B1"] or [end for end in ends if end.part == "F1"] or feeds
    hub = hubs[0]
    thick = gauge_for(_fuse_current(netlist)) if netlist.parts.get("F1") and net != LOGIC_NET else SIGNAL_GAUGE
    for end in feeds if hub not in feeds else ():
        heavy = net in (FIVE_VOLT_NET, GROUND_NET) and end.part == ("J2" if "J2" in netlist.parts else "J1")
        yield _make_wire(profile, netlist, net, hub, end, RAIL_COLOURS[net], thick if heavy else SIGNAL_GAUGE)
    chains: dict[object, list[PartPin]] = {}
    for end in ends:
        part = netlist.parts[end.part]
        if end in feeds or is_on_board(netlist, end) or part.part_type in ("capacitor", "lamp"):
            continue
        chains.setdefault(part.cell[1] if part.cell else part.ref, []).append(end)
    for turn, chain in enumerate(chains.values()):
        yield from _chain_wires(
            profile, netlist, net, [hubs[turn % len(hubs)], *chain], RAIL_COLOURS[net], SIGNAL_GAUGE
        )
    if net in (LAMP_SUPPLY_NET, GROUND_NET) and any(netlist.parts_of_type("lamp")):
        number = "1" if net == LAMP_SUPPLY_NET else "3"
        starts = [min(piece, key=lambda lamp: part_point(profile, lamp).x) for piece in strips]
        yield from _chain_wires(
            profile, netlist, net, [hub, *(PartPin(lamp.ref, number) for lamp in starts)], RAIL_COLOURS[net], thick
        )


def _fuse_current(netlist: Netlist) -> float:
    """What can flow in the lamps' feed before the fuse opens, in mA."""
    return 1000 * float(netlist.parts["F1"].value.removesuffix(" A"))


def _signal_wires(profile: Profile, netlist: Netlist, net: str, strips: list[list[CircuitPart]]) -> Iterator[CutWire]:
    """A wire along all that is on a net, beginning at the header or at the strip board."""
    ends = netlist.nets[net]
    if _needs_no_wire(netlist, net, strips):
        return
    outer = [end for end in ends if end.part == "J1"] + [end for end in ends if is_on_board(netlist, end)][:1]
    rest = [end for end in ends if end.part != "J1" and not is_on_board(netlist, end)]
    yield from _chain_wires(profile, netlist, net, [*outer, *rest], wire_colour(profile, netlist, net), SIGNAL_GAUGE)


def _needs_no_wire(netlist: Netlist, net: str, strips: list[list[CircuitPart]]) -> bool:
    """Whether what is joined stands together: on the strip board, in a cell, or on one strip."""
    ends = netlist.nets[net]
    parts = [netlist.parts[end.part] for end in ends]
    if all(part.part_type == "lamp" for part in parts):
        return any(all(part in piece for part in parts) for piece in strips)
    if all(is_on_board(netlist, end) for end in ends):
        return True
    return parts[0].cell is not None and all(part.cell == parts[0].cell for part in parts)


def _chain_wires(
    profile: Profile, netlist: Netlist, net: str, ends: list[PartPin], colour: str, gauge: int
) -> Iterator[CutWire]:
    for one, other in pairwise(ends):
        yield _make_wire(profile, netlist, net, one, other, colour, gauge)


def _make_wire(
    profile: Profile, netlist: Netlist, net: str, one: PartPin, other: PartPin, colour: str, gauge: int
) -> CutWire:
    return CutWire(net, one, other, colour, _wire_length(profile, netlist, one, other), gauge)


def wire_colour(profile: Profile, netlist: Netlist, net: str) -> str:
    """The colour of the wires of a net: a cell's is that of its number, a line's that of its number among its like."""
    cells = get_grid(profile.size).cells
    if net in cells:
        return COLOURS[cells.index(net) % len(COLOURS)]
    head = net.partition(" ")[0]
    alike = [each for each in netlist.nets if each.partition(" ")[0] == head]
    if head == "drive":
        return LINES[alike.index(net) % len(LINES)]
    if head == "sense":
        return LINES[-1 - alike.index(net) % len(LINES)]
    if head == "select":
        return COLOURS[alike.index(net) % len(COLOURS)]
    known = {"SDA": "blue", "SCL": "yellow", "clock": "yellow", "mosi": "green", "miso": "blue", "data": "green"}
    return known.get(head, "grey" if head == "key" else "white")


def check_wires(netlist: Netlist, cut: list[CutWire]) -> Iterator[str]:
    """No wire carries more than it bears: those of the lamps' feed, until the fuse opens."""
    for wire in cut:
        flows = _fuse_current(netlist) if _feeds_lamps(netlist, wire) else 0.0
        if flows > MAX_CURRENTS[wire.gauge]:
            yield (
                f"The {wire.colour} wire from {wire.start_pin} to {wire.end_pin} is AWG {wire.gauge}, which bears "
                f"{MAX_CURRENTS[wire.gauge]} mA, and {flows:g} may flow: take AWG {gauge_for(flows)}."
            )


def _feeds_lamps(netlist: Netlist, wire: CutWire) -> bool:
    """Whether the lamps' current flows in a wire."""
    sorts = {netlist.parts[wire.start_pin.part].part_type, netlist.parts[wire.end_pin.part].part_type}
    return wire.net in (FIVE_VOLT_NET, LAMP_SUPPLY_NET) or (wire.net == GROUND_NET and bool(sorts & {"lamp", "supply"}))


def format_header_pin(end: PartPin) -> str:
    """A pin of the header for people: `GPIO 17 (header pin 11)`."""
    gpio = next((gpio for gpio, pin in pi_header.HEADER_PINS.items() if str(pin) == end.pin), None)
    return f"GPIO {gpio} (header pin {end.pin})" if gpio is not None else f"header pin {end.pin}"
