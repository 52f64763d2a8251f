"""The netlist of a carrier board: what else stands on the strip board, and a connector for each group of wires that leave it.

A row of cells has one, each kind of a matrix's lines, the lamps, the key and the buzzer. With its signals it has the
rails that are needed out there.
"""

from __future__ import annotations

from pond_hw.fabrication.circuit import DATA_NET, FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET, LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, Pin, PinKind
from pond_hw.fabrication.wires import is_on_board
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.soldered_wires import carrier_connectors
from pond_hw.rules import get_grid

RAILS = (LOGIC_NET, LAMP_SUPPLY_NET, FIVE_VOLT_NET, GROUND_NET)

LAMP_GROUP = "lamps"
"""The connector that carries the lamps' current."""


def make_carrier(profile: Profile, netlist: Netlist) -> Netlist:
    """The netlist of the carrier of a board; its nets are called as on the board."""
    parts = {part.ref: part for part in netlist.parts.values() if _is_carried(part)}
    nets = {net_name: [end for end in ends if end.part in parts] for net_name, ends in netlist.nets.items()}
    outside_refs = netlist.parts.keys() - parts.keys() - {"B1"}
    groups: dict[str, list[str]] = {}
    for net_name, ends in netlist.nets.items():
        leaves = net_name not in RAILS and any(end.part in outside_refs for end in ends)
        if leaves and nets[net_name]:
            groups.setdefault(_group_name(profile, net_name), []).append(net_name)
    refs = carrier_connectors(profile)
    for group_name, net_names in sorted(groups.items()):
        wired = {end.part for net_name in net_names for end in netlist.nets[net_name]} & outside_refs
        rails = [rail for rail in RAILS if any(end.part in wired for end in netlist.nets.get(rail, ()))]
        pin_nets = {str(pin): net_name for pin, net_name in enumerate([*net_names, *rails], 1)}
        pins = {pin: Pin(net_name, PinKind.PASSIVE) for pin, net_name in pin_nets.items()}
        connector_type = "terminal" if group_name == LAMP_GROUP else "plug"
        connector = CircuitPart(refs[group_name], connector_type, pins, value=group_name)
        parts[connector.ref] = connector
        for pin, net_name in pin_nets.items():
            nets[net_name].append(PartPin(connector.ref, pin))
    return Netlist(parts, {net_name: tuple(ends) for net_name, ends in nets.items() if ends})


def _is_carried(part: CircuitPart) -> bool:
    return part.part_type in ("pi", "supply") or (is_on_board(part) and part.part_type != "rails")


def _group_name(profile: Profile, net_name: str) -> str:
    kind = net_name.partition(" ")[0]
    if net_name in get_grid(profile.size).cells:
        return f"row {net_name[1:]}"
    return LAMP_GROUP if kind == DATA_NET else kind
