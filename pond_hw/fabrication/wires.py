"""The wires of a board, one by one: from pin to pin, with colour, length and thickness.

    rails on the strip board -> row 1 of the sensors -> along the row; row 2 ...
                             -> first strip of lamps -> next strip ...
    sensor ------------------> header or chip, a colour of its own
    line of a matrix --------> along the cells on it

Parts on the strip board are joined by its tracks, and parts next to a sensor by their legs, without wires.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, FUSE_OPENS, GROUND_NET, LAMP_SUPPLY_NET, LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.messages.message import Message
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import MatrixWiring, Profile, TrellisWiring
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.profile.sensor_wires import COLOURS, cell_colour, line_colours
from pond_hw.rules import Cell, get_grid

RAIL_COLOURS = {FIVE_VOLT_NET: "red", LAMP_SUPPLY_NET: "red", GROUND_NET: "black", LOGIC_NET: "pink"}
"""The colours of what feeds."""

SIGNAL_COLOURS = {
    "SDA": "blue",
    "SCL": "yellow",
    "clock": "yellow",
    "mosi": "green",
    "miso": "blue",
    "data": "green",
    "key": "grey",
    "key light": "orange",
    "key dark": "brown",
}
"""The colours of what else there is but one of, by its net or the first word of that; all others are white."""

LAMP_PINS = {LAMP_SUPPLY_NET: "1", GROUND_NET: "3"}
"""The pin of a lamp that each rail feeds."""

WIRE_SLACK, CASE_SLACK, LENGTH_STEP = 40.0, 100.0, 10.0
"""mm: what a wire is longer than its way, for being soldered and going round corners; what it is longer still if it
goes from the plate down into the case, so that the plate can stand beside it; and what lengths are rounded up to."""

TRELLIS_LENGTH = 200.0
"""mm of the wires of a NeoTrellis, which lies where one likes."""

SIGNAL_GAUGE = 26
"""AWG of what carries no current worth speaking of."""

MAX_CURRENTS = {26: 2200, 22: 7000, 20: 11_000, 18: 16_000, 16: 22_000, 14: 32_000, 12: 41_000, 10: 55_000}
"""mA that a wire of so many AWG may carry inside an apparatus, by the Handbook of Electronic Tables and Formulas."""

OHMS_PER_METRE = {26: 0.134, 22: 0.053, 20: 0.0333, 18: 0.0209, 16: 0.0132, 14: 0.0083, 12: 0.0052, 10: 0.0033}
"""Ω of a metre of it, copper at 20 °C, from the definition of AWG."""

STRIP_BOARD_TYPES = (
    *EXPANDER_PARTS,
    *CONVERTER_PARTS,
    "shifter",
    "resistor",
    "capacitor",
    "reservoir",
    "fuse",
    "rails",
)
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


def gauge_for(wire_current: float) -> int:
    """The thinnest wire for so many mA; there is one for the largest fuse."""
    return next(gauge for gauge, most_current in MAX_CURRENTS.items() if most_current >= wire_current)


def lamp_strips(profile: Profile, netlist: Netlist) -> list[list[CircuitPart]]:
    """The lamps as they lie on pieces of strip, in the order of the chain.

    Two that follow each other are on one piece if they lie side by side in a row; lamps in no cell are on their own,
    and each lamp of a turn key is.
    """
    layout = SolidLayout(profile)
    strips: list[list[CircuitPart]] = []
    for lamp in netlist.parts_of_type("lamp"):
        if strips and _are_neighbours(layout, strips[-1][-1], lamp):
            strips[-1].append(lamp)
        else:
            strips.append([lamp])
    return strips


def _are_neighbours(layout: SolidLayout, one_lamp: CircuitPart, other_lamp: CircuitPart) -> bool:
    if {one_lamp.ref, other_lamp.ref} & layout.key_lamps:
        return False
    if one_lamp.cell is None or other_lamp.cell is None:
        return one_lamp.cell is other_lamp.cell
    (one_x, one_y), (other_x, other_y) = _part_point(layout, one_lamp), _part_point(layout, other_lamp)
    return abs(one_y - other_y) < 0.1 and abs(abs(one_x - other_x) - layout.pitch / layout.lamps_per_side) < 0.1


def _part_point(layout: SolidLayout, part: CircuitPart) -> tuple[float, float]:
    """Where a part is, in mm: x and y from the middle of the board. What belongs to no cell is in the case."""
    if part.ref in layout.key_lamps:
        return layout.turn_key_point
    if part.cell is None:
        case_points = {
            "pi": layout.header_point,
            "pico": layout.header_point,
            "key": layout.key_point,
            "turn key": layout.turn_key_point,
            "buzzer": layout.buzzer_point,
            "supply": layout.jack_point,
        }
        return case_points.get(part.part_type, layout.board_point)
    x, y = (layout.cell_middles[index_along] for index_along in get_grid(layout.size).cell_coordinates(part.cell))
    if part.part_type == "lamp":  # in the order of a frame: rows from the top, each from the left
        row_number, column_number = divmod(part.index, layout.lamps_per_side)
        x += (column_number - (layout.lamps_per_side - 1) / 2) * layout.pitch / layout.lamps_per_side
        y += layout.strip_offsets[layout.lamps_per_side - 1 - row_number]
    return x, y


def list_wires(profile: Profile, netlist: Netlist) -> list[CutWire]:
    """All wires, the rails first, then net by net."""
    wire_lister = _WireLister(profile, netlist)
    wires = [wire for rail in RAIL_COLOURS if rail in netlist.nets for wire in wire_lister.rail_wires(rail)]
    signals = [net_name for net_name in netlist.nets if net_name not in RAIL_COLOURS]
    return wires + [wire for net_name in signals for wire in wire_lister.signal_wires(net_name)]


def is_on_board(part: CircuitPart) -> bool:
    """Whether a part is on the strip board."""
    return part.part_type in STRIP_BOARD_TYPES and part.cell is None


def _find_hubs(part_pins: Iterable[PartPin]) -> list[PartPin]:
    """Where the wires of a rail begin: at the rails on the strip board, else at the fuse, else at what feeds it."""
    for part_refs in (("B1",), ("F1",), ("J1", "J2")):
        if hub_pins := [part_pin for part_pin in part_pins if part_pin.part in part_refs]:
            return hub_pins
    return []


class _WireLister:
    """The wires of each net of a board."""

    def __init__(self, profile: Profile, netlist: Netlist) -> None:
        self.profile, self.netlist = profile, netlist
        self.layout, self.strips = SolidLayout(profile), lamp_strips(profile, netlist)
        self.lamp_gauge = gauge_for(FUSE_OPENS * fuse_current(netlist)) if "F1" in netlist.parts else SIGNAL_GAUGE
        self.lamp_source = "J2" if "J2" in netlist.parts else "J1"

    def rail_wires(self, net_name: str) -> Iterator[CutWire]:
        """From the rail on the strip board to everything that hangs on it, in chains."""
        part_pins = self.netlist.nets[net_name]
        hub_pins = _find_hubs(part_pins)
        for part_pin in part_pins:
            if part_pin.part in ("J1", "J2") and part_pin not in hub_pins:
                is_heavy = net_name in (FIVE_VOLT_NET, GROUND_NET) and part_pin.part == self.lamp_source
                yield self.make_wire(net_name, hub_pins[0], part_pin, self.lamp_gauge if is_heavy else SIGNAL_GAUGE)
        for chain_number, fed_pins in enumerate(self.group_fed(part_pins)):
            yield from self.chain_wires(net_name, [hub_pins[chain_number % len(hub_pins)], *fed_pins])
        if self.strips and net_name in LAMP_PINS:
            first_lamps = [min(strip, key=lambda lamp: _part_point(self.layout, lamp)[0]) for strip in self.strips]
            lamp_pins = [PartPin(lamp.ref, LAMP_PINS[net_name]) for lamp in first_lamps]
            yield from self.chain_wires(net_name, [hub_pins[0], *lamp_pins], self.lamp_gauge)

    def group_fed(self, part_pins: Iterable[PartPin]) -> Iterable[list[PartPin]]:
        """What a rail feeds by wires of its own: what is in cells row by row, all else one by one."""
        pins_by_row: dict[str, list[PartPin]] = {}
        for part_pin in part_pins:
            part = self.netlist.parts[part_pin.part]
            if part.part_type not in ("pi", "pico", "supply", "capacitor", "lamp") and not is_on_board(part):
                pins_by_row.setdefault(part.cell[1] if part.cell else part.ref, []).append(part_pin)
        return pins_by_row.values()

    def signal_wires(self, net_name: str) -> Iterator[CutWire]:
        """A wire along all that is on a net, beginning at the header or at the strip board."""
        part_pins = self.netlist.nets[net_name]
        parts = [self.netlist.parts[part_pin.part] for part_pin in part_pins]
        if self.stand_together(parts):
            return iter(())
        at_header = [part_pin for part_pin in part_pins if part_pin.part == "J1"]
        on_board = [part_pin for part_pin, part in zip(part_pins, parts, strict=True) if is_on_board(part)]
        other_pins = [part_pin for part_pin in part_pins if part_pin not in (*at_header, *on_board)]
        return self.chain_wires(net_name, [*at_header, *on_board[:1], *other_pins])

    def stand_together(self, parts: list[CircuitPart]) -> bool:
        """Whether parts need no wire between them: on the strip board, in a cell, or on one strip."""
        if all(part.part_type == "lamp" for part in parts):
            return any(all(part in strip for part in parts) for strip in self.strips)
        return all(map(is_on_board, parts)) or len({part.cell or part.ref for part in parts}) == 1

    def chain_wires(self, net_name: str, part_pins: list[PartPin], gauge: int = SIGNAL_GAUGE) -> Iterator[CutWire]:
        """Wires from each end to the next."""
        return (self.make_wire(net_name, start_pin, end_pin, gauge) for start_pin, end_pin in pairwise(part_pins))

    def make_wire(self, net_name: str, start_pin: PartPin, end_pin: PartPin, gauge: int) -> CutWire:
        """One wire, as long as it must be along the edges, since it runs along the walls."""
        wire_length = TRELLIS_LENGTH
        if not isinstance(self.profile.sensing.wiring, TrellisWiring):
            end_parts = [self.netlist.parts[part_pin.part] for part_pin in (start_pin, end_pin)]
            (start_x, start_y), (end_x, end_y) = (_part_point(self.layout, part) for part in end_parts)
            leaves_case = (end_parts[0].cell is None) != (end_parts[1].cell is None)
            wire_way = abs(start_x - end_x) + abs(start_y - end_y) + WIRE_SLACK + CASE_SLACK * leaves_case
            wire_length = math.ceil(wire_way / LENGTH_STEP) * LENGTH_STEP
        return CutWire(net_name, start_pin, end_pin, self.wire_colour(net_name), wire_length, gauge)

    def wire_colour(self, net_name: str) -> str:
        """The colour of the wires of a net: a cell's is that of its number, a line's that of its number among its like."""
        if net_name in RAIL_COLOURS:
            return RAIL_COLOURS[net_name]
        if net_name in get_grid(self.profile.size).cells:
            return cell_colour(self.profile, net_name)
        net_kind, sensor_wiring = net_name.partition(" ")[0], self.profile.sensing.wiring
        if isinstance(sensor_wiring, MatrixWiring) and net_kind in ("drive", "sense"):
            return line_colours(sensor_wiring)[net_name]
        if net_kind == "select":
            select_nets = [other_net for other_net in self.netlist.nets if other_net.startswith("select ")]
            return COLOURS[select_nets.index(net_name) % len(COLOURS)]
        return SIGNAL_COLOURS.get(net_name) or SIGNAL_COLOURS.get(net_kind, "white")


def fuse_current(netlist: Netlist) -> float:
    """The rated current of the fuse in the lamps' feed, in mA."""
    return 1000 * float(netlist.parts["F1"].value.removesuffix(" A"))


def board_joints(netlist: Netlist) -> dict[str, list[PartPin]]:
    """What is joined on the strip board, by its tracks, net by net."""
    return _list_joints(netlist, {part.ref for part in netlist.parts.values() if is_on_board(part)})


def leg_joints(netlist: Netlist, cell: Cell) -> list[list[PartPin]]:
    """What is joined in a cell by the legs of its parts."""
    cell_parts = {part.ref for part in netlist.parts.values() if part.cell == cell and part.part_type != "lamp"}
    return list(_list_joints(netlist, cell_parts).values())


def _list_joints(netlist: Netlist, part_refs: set[str]) -> dict[str, list[PartPin]]:
    """Where pins of these parts are joined with each other, by their nets."""
    joined = {net_name: [end for end in ends if end.part in part_refs] for net_name, ends in netlist.nets.items()}
    return {net_name: part_pins for net_name, part_pins in joined.items() if len(part_pins) > 1}


def check_wires(netlist: Netlist, cut_wires: list[CutWire]) -> Iterator[Message]:
    """No wire carries more than it may: those that the lamps' current flows in, at what the fuse needs to open.

    A NeoTrellis has no fuse: there it is all that lamps may take from the header.
    """
    has_fuse = "F1" in netlist.parts
    lamp_current = FUSE_OPENS * fuse_current(netlist) if has_fuse else pi_header.HEADER_CURRENT_MA
    for wire in cut_wires:
        end_types = {netlist.parts[end.part].part_type for end in (wire.start_pin, wire.end_pin)}
        is_return = wire.net == GROUND_NET and not end_types.isdisjoint(("lamp", "supply"))
        current = lamp_current if is_return or wire.net in (FIVE_VOLT_NET, LAMP_SUPPLY_NET) else 0.0
        if current > MAX_CURRENTS[wire.gauge]:
            ends = {"start": str(wire.start_pin), "end": str(wire.end_pin)}
            sizes = {"gauge": wire.gauge, "most": MAX_CURRENTS[wire.gauge], "wanted": gauge_for(current)}
            yield Message("netlist.wire.too_thin", colour=wire.colour, current=current, **ends, **sizes)
