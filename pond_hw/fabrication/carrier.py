"""Carrier board: a PCB with the chips, the fuse and a connector for each cable.

A cable goes to each row board. The undo key, the turn keys with their lamps, and the buzzer have connectors of their own.
tools/carrier writes the design to NAME/carrier/.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET, LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, Pin, PinKind, format_netlist
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.row_board import ROW_PARTS
from pond_hw.messages.message import Message, PondError
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.profile.row_boards import connector_names

RAILS = (GROUND_NET, LOGIC_NET, LAMP_SUPPLY_NET, FIVE_VOLT_NET)

CARRIED_TYPES = (
    *("pi", "pico", "supply", "supply plug", "shifter", "resistor", "capacitor", "reservoir", "fuse"),
    *("tvs", "cut-off transistor", "pnp transistor", "voltage reference", "power lamp", "test point"),
    *EXPANDER_PARTS,
    *CONVERTER_PARTS,
)
"""Part types on the carrier. For the Pi, that is the connector for its ribbon cable."""

PANEL_GROUPS = {"key": "key", "buzzer": "buzzer", "turn key": "turn keys", "lamp": "turn keys"}
"""Connector for each part type that is neither on the carrier nor a row board."""

NETLIST_FILE = "netlist.txt"
"""File next to a carrier design that lists the parts and nets it was made for."""


def has_carrier(netlist: Netlist) -> bool:
    """Return True if a board has a carrier. A NeoTrellis is connected to the Pi directly."""
    return netlist.has_type(*ROW_PARTS)


def has_design(profile: Profile, netlist: Netlist, folder: Path) -> bool:
    """Return True if a board's folder has the design of its carrier.

    Raises:
        PondError: the design is for a different carrier.
        OSError: the file cannot be read.
    """
    file = folder / "carrier" / NETLIST_FILE
    if not file.is_file():
        return False
    if not has_carrier(netlist) or file.read_bytes() != format_netlist(make_carrier(profile, netlist)).encode():
        raise PondError(Message("build.other_carrier", board=profile.name, folder=str(file.parent)))
    return True


def count_joints(carrier: Netlist) -> int:
    """Return the number of joints of a carrier that is soldered by hand, with a USB-C module at J6 instead of the socket."""
    left_out = [part.ref for part in carrier.parts_of_type("supply", "test point")]
    soldered = (part for part in carrier.parts.values() if part.ref not in left_out and part.beside not in left_out)
    return sum(map(_count_pins, soldered))


def _count_pins(part: CircuitPart) -> int:
    """Return the number of pins on a part or its socket, whether connected or not."""
    if part.part_type in ("pi", "pico"):
        return 40  # all pins of the header, or of the Pico's sockets
    package = PART_TYPES[part.part_type].package if part.part_type in PART_TYPES else ""
    return int(package.removeprefix("DIP-")) if package.startswith("DIP-") else len(part.pins)


def make_carrier(profile: Profile, netlist: Netlist) -> Netlist:
    """Build the netlist of a board's carrier, with the same net names as the board."""
    parts = {part.ref: part for part in netlist.parts.values() if part.part_type in CARRIED_TYPES}
    nets = {net_name: [end for end in ends if end.part in parts] for net_name, ends in netlist.nets.items()}
    for connector, net_names in _list_connectors(profile, netlist):
        parts[connector.ref] = connector
        for pin_number, net_name in zip(connector.pins, net_names, strict=True):
            if net_name:
                nets[net_name].append(PartPin(connector.ref, pin_number))
    return Netlist(parts, {net_name: tuple(ends) for net_name, ends in nets.items() if ends})


def group_outside_parts(netlist: Netlist) -> dict[str, list[CircuitPart]]:
    """Return the parts that are plugged into each connector of the carrier: `{"row 1": [...], "key": [...]}`."""
    groups: dict[str, list[CircuitPart]] = {}
    for part in netlist.parts.values():
        if part.part_type in ROW_PARTS:
            groups[f"row {part.ref.removeprefix('ROW')}"] = [part]
        elif part.part_type not in CARRIED_TYPES:
            groups.setdefault(PANEL_GROUPS[part.part_type], []).append(part)
    return groups


def _list_connectors(profile: Profile, netlist: Netlist) -> Iterator[tuple[CircuitPart, Sequence[str | None]]]:
    """Yield each connector with the nets of its pins. A row's connector has the pins of the row board."""
    names = connector_names(profile)
    for group_name, group in group_outside_parts(netlist).items():
        if group[0].part_type in ROW_PARTS:
            row_nets = [netlist.net_of(PartPin(group[0].ref, number)) for number in group[0].pins]
            yield CircuitPart(names[group_name], "plug", group[0].pins, value=group_name), row_nets
        else:
            outside = {part.ref for part in group}
            used = [name for name, ends in netlist.nets.items() if any(end.part in outside for end in ends)]
            leaving = [name for name in used if any(end.part not in outside for end in netlist.nets[name])]
            net_names = [*(rail for rail in RAILS if rail in leaving), *(name for name in leaving if name not in RAILS)]
            panel_pins = {str(number): Pin(name, PinKind.PASSIVE) for number, name in enumerate(net_names, 1)}
            yield CircuitPart(names[group_name], "plug", panel_pins, value=group_name), net_names
