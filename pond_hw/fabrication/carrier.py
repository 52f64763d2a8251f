"""Carrier board: a PCB that replaces the strip board, with a connector for each group of wires.

Each row of cells, each kind of matrix line, the lamps, the key and the buzzer have their own connector, which includes
the supply rails needed there. tools/carrier writes the design to NAME/carrier/. A board's build guide covers the carrier
if that folder exists.
"""

from __future__ import annotations

from pathlib import Path

from pond_hw.fabrication.circuit import DATA_NET, FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET, LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, Pin, PinKind, format_netlist
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.wires import is_on_board
from pond_hw.messages.message import Message, PondError
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.profile.sensor_wires import carrier_connectors
from pond_hw.rules import get_grid

RAILS = (LOGIC_NET, LAMP_SUPPLY_NET, FIVE_VOLT_NET, GROUND_NET)

LAMP_GROUP = "lamps"
"""Name of the connector that carries the lamp current."""

NETLIST_FILE = "netlist.txt"
"""File next to a carrier design that lists the parts and nets it was made for."""

LONG_PIN_NAME = 10
"""Net names of at least this length are shortened to their first word beside a pin."""


def can_carry(profile: Profile, netlist: Netlist) -> bool:
    """Return True if a board can use a carrier: it has a strip board, its chips have footprints, and the case has room."""
    if profile.controller != "pi" or "B1" not in netlist.parts:  # a Pico fits the pitch of a strip board
        return False
    sensor_chips = netlist.parts_of_type(*EXPANDER_PARTS, *CONVERTER_PARTS)
    has_footprints = all(PART_TYPES[chip.part_type].package.startswith("DIP-") for chip in sensor_chips)
    return has_footprints and SolidLayout(profile).carrier_corner is not None


def read_carrier(profile: Profile, netlist: Netlist, folder: Path) -> Netlist | None:
    """Return the netlist of the carrier design in a board's folder, or None if there is no design.

    Raises:
        PondError: the design is for a different carrier.
        OSError: the file cannot be read.
    """
    file = folder / "carrier" / NETLIST_FILE
    if not file.is_file():
        return None
    carrier = make_carrier(profile, netlist) if can_carry(profile, netlist) else None
    if not carrier or file.read_bytes() != format_netlist(carrier).encode():
        raise PondError(Message("build.other_carrier", board=profile.name, folder=str(file.parent)))
    return carrier


def count_joints(carrier: Netlist) -> int:
    return sum(map(_count_pins, carrier.parts.values()))


def _count_pins(part: CircuitPart) -> int:
    """Return the number of pins on a part or its socket, whether connected or not."""
    if part.part_type == "pi":
        return 40  # all pins of the header
    package = PART_TYPES[part.part_type].package if part.part_type in PART_TYPES else ""
    return int(package.removeprefix("DIP-")) if package.startswith("DIP-") else len(part.pins)


def printed_pin_name(net_name: str) -> str:
    """Return the text printed beside a connector pin: its net name, or only the first word of a long name."""
    return net_name if len(net_name) < LONG_PIN_NAME else net_name.partition(" ")[0]


def make_carrier(profile: Profile, netlist: Netlist) -> Netlist:
    """Build the netlist of a board's carrier, with the same net names as the board."""
    parts = {part.ref: part for part in netlist.parts.values() if _is_carried(part)}
    nets = {net_name: [end for end in ends if end.part in parts] for net_name, ends in netlist.nets.items()}
    outside_refs = netlist.parts.keys() - parts.keys() - {"B1"}
    groups: dict[str, list[str]] = {}
    for net_name, ends in netlist.nets.items():
        leaves_carrier = net_name not in RAILS and any(end.part in outside_refs for end in ends)
        if leaves_carrier and nets[net_name]:
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
