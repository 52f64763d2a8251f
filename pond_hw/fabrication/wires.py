"""List a board's wires with their pins, colour, length and gauge.

    rails on the strip board -> row 1 of the sensors -> along the row; row 2 ...
                             -> first strip of lamps -> next strip ...
    sensor ------------------> header or chip, with its own colour
    line of a matrix --------> along its cells

Parts on the strip board are joined by its tracks, and parts next to a sensor by their leads, so they need no wires.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, FUSE_OPENING_FACTOR, GROUND_NET, LAMP_SUPPLY_NET, LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.messages.message import Message
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import MatrixWiring, Profile, TrellisWiring
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.profile.sensor_wires import WIRE_COLOURS, cell_colour, line_colours
from pond_hw.rules import Cell, get_grid

RAIL_COLOURS = {FIVE_VOLT_NET: "red", LAMP_SUPPLY_NET: "red", GROUND_NET: "black", LOGIC_NET: "pink"}

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
"""Colours of signal nets, by net name or its first word; all others are white."""

LAMP_PINS = {LAMP_SUPPLY_NET: "1", GROUND_NET: "3"}

WIRE_SLACK, CASE_SLACK, LENGTH_STEP = 40.0, 100.0, 10.0
"""In mm: extra length for soldering and corners; extra length for wires from the plate into the case, so that the plate can
lie beside it; and the step to which lengths are rounded up.
"""

TRELLIS_LENGTH = 200.0
"""Length in mm of a NeoTrellis's wires; it has no fixed place."""

SIGNAL_GAUGE = 26
"""AWG of signal wires, whose current is negligible."""

MAX_CURRENTS = {26: 2200, 22: 7000, 20: 11_000, 18: 16_000, 16: 22_000, 14: 32_000, 12: 41_000, 10: 55_000}
"""Current limit in mA by AWG, for wiring inside equipment (Handbook of Electronic Tables and Formulas)."""

OHMS_PER_METRE = {26: 0.134, 22: 0.053, 20: 0.0333, 18: 0.0209, 16: 0.0132, 14: 0.0083, 12: 0.0052, 10: 0.0033}
"""Resistance in Ω/m of copper at 20 °C, from the definition of AWG."""

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
"""Part types on the strip board; a sensor's capacitor is beside the sensor instead."""


class CutWire(NamedTuple):
    """One wire: `length` in mm to cut, `gauge` in AWG. It starts at the end nearer to the header or strip board."""

    net: str
    start_pin: PartPin
    end_pin: PartPin
    colour: str
    length: float
    gauge: int


def gauge_for(wire_current: float) -> int:
    """Return the AWG of the thinnest wire for a current in mA. The table covers even the largest fuse."""
    return next(gauge for gauge, max_current in MAX_CURRENTS.items() if max_current >= wire_current)


def lamp_strips(profile: Profile, netlist: Netlist) -> list[list[CircuitPart]]:
    """Return the lamps grouped by piece of strip, in the order of the chain.

    Consecutive lamps share a piece if they are neighbours in a row. Lamps outside the cells are on pieces of their own, and
    so is each lamp of a turn key.
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
    """Return a part's x and y in mm from the middle of the board. Parts outside the cells are in the case."""
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
    if part.part_type == "lamp":  # in frame order: rows from the top, each from the left
        row_number, column_number = divmod(part.index, layout.lamps_per_side)
        x += (column_number - (layout.lamps_per_side - 1) / 2) * layout.pitch / layout.lamps_per_side
        y += layout.strip_offsets[layout.lamps_per_side - 1 - row_number]
    return x, y


def list_wires(profile: Profile, netlist: Netlist) -> list[CutWire]:
    wire_lister = _WireLister(profile, netlist)
    wires = [wire for rail in RAIL_COLOURS if rail in netlist.nets for wire in wire_lister.rail_wires(rail)]
    signals = [net_name for net_name in netlist.nets if net_name not in RAIL_COLOURS]
    return wires + [wire for net_name in signals for wire in wire_lister.signal_wires(net_name)]


def is_on_board(part: CircuitPart) -> bool:
    return part.part_type in STRIP_BOARD_TYPES and part.cell is None


def _find_hubs(part_pins: Iterable[PartPin]) -> list[PartPin]:
    """Return the starting points of a rail's wires: the rails on the strip board, else the fuse, else the supply pins."""
    for part_refs in (("B1",), ("F1",), ("J1", "J2")):
        if hub_pins := [part_pin for part_pin in part_pins if part_pin.part in part_refs]:
            return hub_pins
    return []


class _WireLister:
    """Lists the wires of each net."""

    def __init__(self, profile: Profile, netlist: Netlist) -> None:
        self.profile, self.netlist = profile, netlist
        self.layout, self.strips = SolidLayout(profile), lamp_strips(profile, netlist)
        self.lamp_gauge = (
            gauge_for(FUSE_OPENING_FACTOR * fuse_current(netlist)) if "F1" in netlist.parts else SIGNAL_GAUGE
        )
        self.lamp_source = "J2" if "J2" in netlist.parts else "J1"

    def rail_wires(self, net_name: str) -> Iterator[CutWire]:
        """Yield chains of wires from the rail on the strip board to all its loads."""
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
        """Group the loads of a rail: parts in cells by row, and every other part on its own."""
        pins_by_row: dict[str, list[PartPin]] = {}
        for part_pin in part_pins:
            part = self.netlist.parts[part_pin.part]
            if part.part_type not in ("pi", "pico", "supply", "capacitor", "lamp") and not is_on_board(part):
                pins_by_row.setdefault(part.cell[1] if part.cell else part.ref, []).append(part_pin)
        return pins_by_row.values()

    def signal_wires(self, net_name: str) -> Iterator[CutWire]:
        """Chain all pins of a net, beginning at the header or the strip board."""
        part_pins = self.netlist.nets[net_name]
        parts = [self.netlist.parts[part_pin.part] for part_pin in part_pins]
        if self.needs_no_wire(parts):
            return iter(())
        at_header = [part_pin for part_pin in part_pins if part_pin.part == "J1"]
        on_board = [part_pin for part_pin, part in zip(part_pins, parts, strict=True) if is_on_board(part)]
        other_pins = [part_pin for part_pin in part_pins if part_pin not in (*at_header, *on_board)]
        return self.chain_wires(net_name, [*at_header, *on_board[:1], *other_pins])

    def needs_no_wire(self, parts: list[CircuitPart]) -> bool:
        """Return True if these parts need no wire between them: all are on the strip board, in one cell, or on one strip."""
        if all(part.part_type == "lamp" for part in parts):
            return any(all(part in strip for part in parts) for strip in self.strips)
        return all(map(is_on_board, parts)) or len({part.cell or part.ref for part in parts}) == 1

    def chain_wires(self, net_name: str, part_pins: list[PartPin], gauge: int = SIGNAL_GAUGE) -> Iterator[CutWire]:
        return (self.make_wire(net_name, start_pin, end_pin, gauge) for start_pin, end_pin in pairwise(part_pins))

    def make_wire(self, net_name: str, start_pin: PartPin, end_pin: PartPin, gauge: int) -> CutWire:
        """Make a wire whose length is measured along the walls."""
        wire_length = TRELLIS_LENGTH
        if not isinstance(self.profile.sensing.wiring, TrellisWiring):
            end_parts = [self.netlist.parts[part_pin.part] for part_pin in (start_pin, end_pin)]
            (start_x, start_y), (end_x, end_y) = (_part_point(self.layout, part) for part in end_parts)
            leaves_case = (end_parts[0].cell is None) != (end_parts[1].cell is None)
            path_length = abs(start_x - end_x) + abs(start_y - end_y) + WIRE_SLACK + CASE_SLACK * leaves_case
            wire_length = math.ceil(path_length / LENGTH_STEP) * LENGTH_STEP
        return CutWire(net_name, start_pin, end_pin, self.wire_colour(net_name), wire_length, gauge)

    def wire_colour(self, net_name: str) -> str:
        """Return the colour of a net's wires. Cells and matrix lines are coloured by number."""
        if net_name in RAIL_COLOURS:
            return RAIL_COLOURS[net_name]
        if net_name in get_grid(self.profile.size).cells:
            return cell_colour(self.profile, net_name)
        net_kind, sensor_wiring = net_name.partition(" ")[0], self.profile.sensing.wiring
        if isinstance(sensor_wiring, MatrixWiring) and net_kind in ("drive", "sense"):
            return line_colours(sensor_wiring)[net_name]
        if net_kind == "select":
            select_nets = [other_net for other_net in self.netlist.nets if other_net.startswith("select ")]
            return WIRE_COLOURS[select_nets.index(net_name) % len(WIRE_COLOURS)]
        return SIGNAL_COLOURS.get(net_name) or SIGNAL_COLOURS.get(net_kind, "white")


def fuse_current(netlist: Netlist) -> float:
    return 1000 * float(netlist.parts["F1"].value.removesuffix(" A"))


def board_joints(netlist: Netlist) -> dict[str, list[PartPin]]:
    return _list_joints(netlist, {part.ref for part in netlist.parts.values() if is_on_board(part)})


def leg_joints(netlist: Netlist, cell: Cell) -> list[list[PartPin]]:
    cell_parts = {part.ref for part in netlist.parts.values() if part.cell == cell and part.part_type != "lamp"}
    return list(_list_joints(netlist, cell_parts).values())


def _list_joints(netlist: Netlist, part_refs: set[str]) -> dict[str, list[PartPin]]:
    """Return, for each net that joins two or more pins of these parts, those pins."""
    joined = {net_name: [end for end in ends if end.part in part_refs] for net_name, ends in netlist.nets.items()}
    return {net_name: part_pins for net_name, part_pins in joined.items() if len(part_pins) > 1}


def check_wires(netlist: Netlist, cut_wires: list[CutWire]) -> Iterator[Message]:
    """Report wires that are too thin for their current. The lamp feed must carry the current at which the fuse opens.

    A NeoTrellis has no fuse, so its wires must carry the maximum current that the header supplies.
    """
    has_fuse = "F1" in netlist.parts
    lamp_current = FUSE_OPENING_FACTOR * fuse_current(netlist) if has_fuse else pi_header.HEADER_CURRENT_MA
    for wire in cut_wires:
        end_types = {netlist.parts[end.part].part_type for end in (wire.start_pin, wire.end_pin)}
        is_return = wire.net == GROUND_NET and not end_types.isdisjoint(("lamp", "supply"))
        current = lamp_current if is_return or wire.net in (FIVE_VOLT_NET, LAMP_SUPPLY_NET) else 0.0
        if current > MAX_CURRENTS[wire.gauge]:
            ends = {"start": str(wire.start_pin), "end": str(wire.end_pin)}
            sizes = {"gauge": wire.gauge, "most": MAX_CURRENTS[wire.gauge], "wanted": gauge_for(current)}
            yield Message("netlist.wire.too_thin", colour=wire.colour, current=current, **ends, **sizes)
