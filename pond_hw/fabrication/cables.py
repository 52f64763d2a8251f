"""Cables of a board: from the carrier to the row boards, keys and buzzer. A NeoTrellis has wires from the Pi's header.

The cables to the row boards are alike, with a keyed plug at each end. The others end in bare wires, which are soldered to a
key or a buzzer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.fabrication.carrier import group_outside_parts, has_carrier, make_carrier
from pond_hw.fabrication.circuit import FUSE_OPENING_FACTOR
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin
from pond_hw.fabrication.row_board import ROW_PARTS
from pond_hw.fabrication.solids.layout import FlatPoint, SolidLayout
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.row_boards import connector_names

CABLE_SLACK, LENGTH_STEP = 120.0, 50.0
"""In mm: extra length, so that the plate can lie beside the case while you plug in the cables; and the lengths sold."""

TRELLIS_LENGTH = 200.0
"""Length in mm of a NeoTrellis's wires; it has no fixed place."""

MAX_CABLE_CURRENT_MA = 7000.0
"""Current limit in mA, for wiring inside equipment (Handbook of Electronic Tables and Formulas), of AWG 22. That is the
thickest wire that fits the contacts (JST, XH series).
"""

CABLE_OHMS_PER_METRE = 0.053
"""Resistance in Ω/m of copper at 20 °C, from the definition of AWG 22."""

CONTACT_OHMS = 0.02
"""Maximum resistance in Ω of one contact after wear (JST, XH series)."""


class CableWire(NamedTuple):
    """Wire of a cable: its net, the pin where it starts, and the pins that it leads to."""

    net: str
    start_pin: PartPin
    end_pins: tuple[PartPin, ...]


class Cable(NamedTuple):
    """Cable: its destination, such as `row 1`; connector where it starts; length to buy in mm; its wires.

    `links` are further wires, which join the parts at its end to each other: the data from one turn key's lamp to the next.
    """

    name: str
    connector: str
    length: float
    wires: tuple[CableWire, ...]
    links: tuple[CableWire, ...] = ()

    @property
    def is_row_cable(self) -> bool:
        return self.name.startswith("row ")


def list_cables(profile: Profile, netlist: Netlist) -> list[Cable]:
    """Return the cables of a board, those of the row boards first."""
    if not has_carrier(netlist):
        return [Cable("NeoTrellis", "J1", TRELLIS_LENGTH, tuple(_list_header_wires(netlist)))]
    carrier, names = make_carrier(profile, netlist), connector_names(profile)
    layout, groups = SolidLayout(profile), group_outside_parts(netlist)
    row_length = max(_cable_length(layout, part) for part in netlist.parts_of_type(*ROW_PARTS))
    cables = []
    for name, group in groups.items():
        length = row_length if group[0].part_type in ROW_PARTS else _cable_length(layout, group[0])
        cables.append(_make_cable(name, names[name], length, netlist, group, carrier))
    return cables


def _list_header_wires(netlist: Netlist) -> Iterator[CableWire]:
    """Yield a wire to each pin of a board without a carrier. Wires of one net start at different header pins if possible."""
    for net_name, ends in netlist.nets.items():
        starts = [end for end in ends if end.part == "J1"] or [ends[0]]
        for index, end in enumerate(end for end in ends if end not in starts):
            yield CableWire(net_name, starts[min(index, len(starts) - 1)], (end,))


def _make_cable(
    name: str, connector: str, length: float, netlist: Netlist, parts: list[CircuitPart], carrier: Netlist
) -> Cable:
    """Make the cable from a connector to some parts.

    To a row board, each connected pin has a wire. To other parts, each net of the connector that reaches them has one.
    """
    refs, is_row = {part.ref for part in parts}, parts[0].part_type in ROW_PARTS
    nets_outside = [ends for net_name, ends in netlist.nets.items() if net_name not in carrier.nets]
    links = [
        CableWire(netlist.net_of(ends[0]) or "", ends[0], ends[1:]) for ends in nets_outside if ends[0].part in refs
    ]
    wires = []
    for net_name, ends in carrier.nets.items():
        end_pins = tuple(end for end in netlist.nets[net_name] if end.part in refs)
        starts = [end for end in ends if end.part == connector]
        if is_row:
            wires += [CableWire(net_name, start, (PartPin(parts[0].ref, start.pin),)) for start in starts]
        elif starts and end_pins:
            wires.append(CableWire(net_name, starts[0], end_pins))
    return Cable(name, connector, length, tuple(wires), tuple(links))


def _cable_length(layout: SolidLayout, part: CircuitPart) -> float:
    """Return the length in mm of a cable from the carrier to a part, along the walls."""
    (start_x, start_y), (end_x, end_y) = layout.board_point, _part_point(layout, part)
    return math.ceil((abs(start_x - end_x) + abs(start_y - end_y) + CABLE_SLACK) / LENGTH_STEP) * LENGTH_STEP


def _part_point(layout: SolidLayout, part: CircuitPart) -> FlatPoint:
    if part.part_type in ROW_PARTS:
        return -layout.half_size, layout.cell_middles[int(part.ref.removeprefix("ROW")) - 1]
    return {"key": layout.key_point, "buzzer": layout.buzzer_point}.get(part.part_type, layout.turn_key_point)


def fuse_current(netlist: Netlist) -> float:
    """Return the rating of the lamps' fuse in mA."""
    return 1000 * float(netlist.parts["F1"].value.removesuffix(" A"))


def check_cables(netlist: Netlist) -> Iterator[Message]:
    """Report a fuse that opens only at a current that is too high for the cables."""
    if "F1" in netlist.parts and (current := FUSE_OPENING_FACTOR * fuse_current(netlist)) > MAX_CABLE_CURRENT_MA:
        yield Message("netlist.cable.too_thin", current=current, most=MAX_CABLE_CURRENT_MA)
