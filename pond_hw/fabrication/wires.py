"""The wires of a board, one by one: from pin to pin, with colour, length and thickness.

    rails on the strip board -> row 1 of the sensors -> along the row; row 2 ...
                             -> first strip of lamps -> next strip ...
    sensor ------------------> header or chip, a colour of its own
    line of a matrix --------> along the cells on it

What stands on the strip board is joined by its tracks, and what stands beside a sensor by its legs: no wires.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET, LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.wire_tracing import GPIO_BY_PIN
from pond_hw.profile.board_profile import MatrixWiring, Profile, TrellisWiring
from pond_hw.profile.soldered_wires import COLOURS, cell_colour, line_colours
from pond_hw.rules import Cell, get_grid

RAIL_COLOURS = {GROUND_NET: "black", LOGIC_NET: "pink", FIVE_VOLT_NET: "red", LAMP_SUPPLY_NET: "red"}
"""The colours of what feeds."""

SIGNAL_COLOURS = {
    "SDA": "blue",
    "SCL": "yellow",
    "clock": "yellow",
    "mosi": "green",
    "miso": "blue",
    "data": "green",
    "key": "grey",
}
"""The colours of what else there is but one of, by the first word of its net; all others are white."""

LAMP_PINS = {LAMP_SUPPLY_NET: "1", GROUND_NET: "3"}
"""The pin of a lamp that each rail feeds."""

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


def gauge_for(current: float) -> int:
    """The thinnest wire for so many mA.

    Raises:
        ValueError: none of those that are known is thick enough.
    """
    for gauge, most in MAX_CURRENTS.items():
        if most >= current:
            return gauge
    raise ValueError(f"no wire for {current:g} mA")


def lamp_strips(profile: Profile, netlist: Netlist) -> list[list[CircuitPart]]:
    """The lamps as they lie on pieces of strip, in the order of the chain.

    Two that follow each other are on one piece if they lie side by side in a row; lamps in no cell are on their own.
    """
    layout = SolidLayout(profile)
    lamp_distance = layout.pitch / layout.lamps_per_side
    strips: list[list[CircuitPart]] = []
    for lamp in netlist.parts_of_type("lamp"):
        if strips and _are_neighbours(layout, strips[-1][-1], lamp, lamp_distance):
            strips[-1].append(lamp)
        else:
            strips.append([lamp])
    return strips


def _are_neighbours(layout: SolidLayout, one: CircuitPart, other: CircuitPart, distance: float) -> bool:
    if one.cell is None or other.cell is None:
        return one.cell is other.cell
    (one_x, one_y), (other_x, other_y) = _part_point(layout, one), _part_point(layout, other)
    return abs(one_y - other_y) < 0.1 and abs(abs(one_x - other_x) - distance) < 0.1


def _part_point(layout: SolidLayout, part: CircuitPart) -> tuple[float, float]:
    """Where a part is, in mm: x and y from the middle of the board. What belongs to no cell is in the case."""
    if part.cell is None:
        points = {
            "pi": layout.header_point,
            "key": layout.key_point,
            "buzzer": layout.buzzer_point,
            "supply": layout.jack_point,
        }
        return points.get(part.part_type, layout.board_point)
    x, y = (layout.cell_middles[number] for number in get_grid(layout.size).cell_coordinates(part.cell))
    if part.part_type == "lamp":  # in the order of a frame: rows from the top, each from the left
        row, column = divmod(part.index, layout.lamps_per_side)
        x += (column - (layout.lamps_per_side - 1) / 2) * layout.pitch / layout.lamps_per_side
        y += layout.strip_offsets[layout.lamps_per_side - 1 - row]
    return x, y


def list_wires(profile: Profile, netlist: Netlist) -> list[CutWire]:
    """All wires, the rails first, then net by net."""
    lister = _WireLister(profile, netlist)
    rails = [net for net in (FIVE_VOLT_NET, LAMP_SUPPLY_NET, GROUND_NET, LOGIC_NET) if net in netlist.nets]
    signals = [net for net in netlist.nets if net not in RAIL_COLOURS]
    return [
        *(wire for net in rails for wire in lister.rail_wires(net)),
        *(wire for net in signals for wire in lister.signal_wires(net)),
    ]


def is_on_board(netlist: Netlist, end: PartPin) -> bool:
    """Whether a pin is on the strip board."""
    part = netlist.parts[end.part]
    return part.part_type in STRIP_BOARD_TYPES and part.cell is None


def _find_hubs(ends: Iterable[PartPin]) -> list[PartPin]:
    """Where the wires of a rail begin: at the rails on the strip board, else at the fuse, else at what feeds it."""
    for refs in (("B1",), ("F1",), ("J1", "J2")):
        if hubs := [end for end in ends if end.part in refs]:
            return hubs
    return []


class _WireLister:
    """The wires of each net of a board."""

    def __init__(self, profile: Profile, netlist: Netlist) -> None:
        self.profile, self.netlist = profile, netlist
        self.layout, self.strips = SolidLayout(profile), lamp_strips(profile, netlist)
        self.lamp_gauge = gauge_for(_fuse_current(netlist)) if "F1" in netlist.parts else SIGNAL_GAUGE
        self.lamp_source = "J2" if "J2" in netlist.parts else "J1"

    def rail_wires(self, net: str) -> Iterator[CutWire]:
        """From the rail on the strip board to everything that hangs on it, in chains."""
        ends = self.netlist.nets[net]
        hubs = _find_hubs(ends)
        for end in ends:
            if end.part in ("J1", "J2") and end not in hubs:
                is_heavy = net in (FIVE_VOLT_NET, GROUND_NET) and end.part == self.lamp_source
                yield self.make_wire(net, hubs[0], end, self.lamp_gauge if is_heavy else SIGNAL_GAUGE)
        for number, chain in enumerate(self.group_fed(ends)):
            yield from self.chain_wires(net, [hubs[number % len(hubs)], *chain])
        if self.strips and net in LAMP_PINS:
            first_lamps = [min(strip, key=lambda lamp: _part_point(self.layout, lamp)[0]) for strip in self.strips]
            fed = [PartPin(lamp.ref, LAMP_PINS[net]) for lamp in first_lamps]
            yield from self.chain_wires(net, [hubs[0], *fed], self.lamp_gauge)

    def group_fed(self, ends: Iterable[PartPin]) -> Iterable[list[PartPin]]:
        """What a rail feeds by wires of its own: what is in cells row by row, all else one by one."""
        chains: dict[str, list[PartPin]] = {}
        for end in ends:
            part = self.netlist.parts[end.part]
            if part.part_type not in ("pi", "supply", "capacitor", "lamp") and not is_on_board(self.netlist, end):
                chains.setdefault(part.cell[1] if part.cell else part.ref, []).append(end)
        return chains.values()

    def signal_wires(self, net: str) -> Iterator[CutWire]:
        """A wire along all that is on a net, beginning at the header or at the strip board."""
        if self.needs_no_wire(net):
            return
        ends = self.netlist.nets[net]
        at_header = [end for end in ends if end.part == "J1"]
        on_board = [end for end in ends if is_on_board(self.netlist, end)]
        others = [end for end in ends if end not in (*at_header, *on_board)]
        yield from self.chain_wires(net, [*at_header, *on_board[:1], *others])

    def needs_no_wire(self, net: str) -> bool:
        """Whether what is joined stands together: on the strip board, in a cell, or on one strip."""
        ends = self.netlist.nets[net]
        parts = [self.netlist.parts[end.part] for end in ends]
        if all(part.part_type == "lamp" for part in parts):
            return any(all(part in strip for part in parts) for strip in self.strips)
        if all(is_on_board(self.netlist, end) for end in ends):
            return True
        return parts[0].cell is not None and all(part.cell == parts[0].cell for part in parts)

    def chain_wires(self, net: str, ends: list[PartPin], gauge: int = SIGNAL_GAUGE) -> Iterator[CutWire]:
        """Wires from each end to the next."""
        return (self.make_wire(net, start, end, gauge) for start, end in pairwise(ends))

    def make_wire(self, net: str, start: PartPin, end: PartPin, gauge: int) -> CutWire:
        """One wire, as long as it must be along the edges, since it runs along the walls."""
        length = TRELLIS_LENGTH
        if not isinstance(self.profile.sensing.wiring, TrellisWiring):
            ends = [self.netlist.parts[pin.part] for pin in (start, end)]
            (start_x, start_y), (end_x, end_y) = (_part_point(self.layout, part) for part in ends)
            leaves_case = (ends[0].cell is None) != (ends[1].cell is None)
            way = abs(start_x - end_x) + abs(start_y - end_y) + WIRE_SLACK + CASE_SLACK * leaves_case
            length = math.ceil(way / LENGTH_STEP) * LENGTH_STEP
        return CutWire(net, start, end, self.wire_colour(net), length, gauge)

    def wire_colour(self, net: str) -> str:
        """The colour of the wires of a net: a cell's is that of its number, a line's that of its number among its like."""
        if net in RAIL_COLOURS:
            return RAIL_COLOURS[net]
        if net in get_grid(self.profile.size).cells:
            return cell_colour(self.profile, net)
        kind, wiring = net.partition(" ")[0], self.profile.sensing.wiring
        if isinstance(wiring, MatrixWiring) and kind in ("drive", "sense"):
            return line_colours(wiring)[net]
        if kind == "select":
            selects = [other for other in self.netlist.nets if other.startswith("select ")]
            return COLOURS[selects.index(net) % len(COLOURS)]
        return SIGNAL_COLOURS.get(kind, "white")


def _fuse_current(netlist: Netlist) -> float:
    """What can flow in the lamps' feed before the fuse opens, in mA."""
    return 1000 * float(netlist.parts["F1"].value.removesuffix(" A"))


def board_joints(netlist: Netlist) -> dict[str, list[PartPin]]:
    """What is joined on the strip board, by its tracks, net by net."""
    found = {net: [end for end in ends if is_on_board(netlist, end)] for net, ends in netlist.nets.items()}
    return {net: ends for net, ends in found.items() if len(ends) > 1}


def leg_joints(netlist: Netlist, cell: Cell) -> list[list[PartPin]]:
    """What is joined in a cell by the legs of its parts."""
    beside = {part.ref for part in netlist.parts.values() if part.cell == cell and part.part_type != "lamp"}
    found = [[end for end in ends if end.part in beside] for ends in netlist.nets.values()]
    return [ends for ends in found if len(ends) > 1]


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
    pin = f"header pin {end.pin}"
    return f"GPIO {GPIO_BY_PIN[end.pin]} ({pin})" if end.pin in GPIO_BY_PIN else pin
