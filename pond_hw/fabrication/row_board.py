"""Netlist of a row board: a printed circuit board with the sensors and lamps of one row of cells.

switch   a push button and a diode in each cell; the diode's band faces the common line
magnet   a hall sensor and its capacitor in each cell; the common line is 3.3 V

A cable joins each row board to the carrier. `expand_rows` replaces the row boards in a netlist by their parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, Pin, PinKind, find_pin
from pond_hw.fabrication.part_catalogue import LAMP_VOLTS, LOGIC_VOLTS, make_part
from pond_hw.profile.board_profile import AnalogWiring, Profile
from pond_hw.profile.row_boards import LAMPS_PER_CELL, chain_positions
from pond_hw.rules import Cell, get_grid

RowKind = Literal["switch", "magnet"]

ROW_PARTS = ("switch row", "magnet row")

PIN_COUNTS = {"button": 4}
"""Number of pins of a part that has more of them than its circuit needs."""

RESERVOIR_TYPE = "row reservoir"
"""Part type of the large capacitor at the connector. It is left out of boards that a computer powers."""

LAMP_DATA_IN = "4"
"""Number of a lamp's pin DIN."""

GROUND_PIN, SUPPLY_PIN, DATA_IN_PIN, DATA_OUT_PIN, COMMON_PIN = "ground", "5 V lamps", "data in", "data out", "common"
FEED_PINS = (GROUND_PIN, SUPPLY_PIN, DATA_IN_PIN, DATA_OUT_PIN, COMMON_PIN)
"""First pins of a row board's connector, the same on both kinds. The cells follow, from the left."""


def row_kind(profile: Profile) -> RowKind:
    return "magnet" if profile.sensing.kind == "hall" else "switch"


def sensor_type(profile: Profile) -> str:
    """Return the catalogue name of the sensor in each cell."""
    if profile.sensing.kind == "button":
        return "button"
    return "linear hall" if isinstance(profile.sensing.wiring, AnalogWiring) else "hall"


def connector_pins(size: int) -> dict[str, Pin]:
    """Return the pins of a row board's connector by number."""
    names = (*FEED_PINS, *(f"cell {column}" for column in range(1, size + 1)))
    return {str(number): Pin(name, PinKind.PASSIVE) for number, name in enumerate(names, 1)}


def make_row_part(row_number: int, kind: RowKind, size: int) -> CircuitPart:
    """Return a row board as a single part of a netlist; row 1 is nearest to the undo key."""
    return CircuitPart(f"ROW{row_number}", f"{kind} row", connector_pins(size))


def make_row_netlist(kind: RowKind, size: int, sensor: str = "") -> Netlist:
    """Return the netlist of a row board. `sensor` is the catalogue name of its sensors, by default the digital one."""
    parts: dict[str, CircuitPart] = {}
    nets: dict[str, list[PartPin]] = {}

    def add_part(ref: str, part_type: str, pin_nets: dict[str, str], **details: object) -> None:
        part = parts[ref] = make_part(ref, part_type, **details)
        for pin_name, net_name in pin_nets.items():
            nets.setdefault(net_name, []).append(find_pin(part, pin_name))

    pins = connector_pins(size)
    feeds = {GROUND_PIN: Pin(GROUND_PIN, PinKind.GROUND), SUPPLY_PIN: Pin(SUPPLY_PIN, PinKind.SUPPLY, LAMP_VOLTS)}
    feeds |= {COMMON_PIN: Pin(COMMON_PIN, PinKind.SUPPLY, LOGIC_VOLTS)} if kind == "magnet" else {}
    pins = {number: feeds.get(pin.name, pin) for number, pin in pins.items()}
    add_part("J1", "row connector", {pin.name: pin.name for pin in pins.values()}, pins=pins)
    lamp_count = LAMPS_PER_CELL * size
    for number in range(1, lamp_count + 1):
        data_in = DATA_IN_PIN if number == 1 else f"data {number}"
        data_out = DATA_OUT_PIN if number == lamp_count else f"data {number + 1}"
        lamp_nets = {"DIN": data_in, "5 V": SUPPLY_PIN, "GND": GROUND_PIN, "DOUT": data_out}
        add_part(f"LED{number}", "lamp", lamp_nets, index=number - 1)
        capacitor_nets = {"1": SUPPLY_PIN, "2": GROUND_PIN}
        add_part(f"C{number}", "capacitor", capacitor_nets, value="100 nF", beside=f"LED{number}")
    for column in range(1, size + 1):
        if kind == "switch":
            add_part(f"SW{column}", "button", {"1": f"cell {column}", "2": f"switch {column}"})
            add_part(f"D{column}", "diode", {"anode": f"switch {column}", "band": COMMON_PIN})
        else:
            sensor_nets = {"VCC": COMMON_PIN, "GND": GROUND_PIN, "OUT": f"cell {column}"}
            add_part(f"U{column}", sensor or "hall", sensor_nets)
            capacitor_nets = {"1": COMMON_PIN, "2": GROUND_PIN}
            capacitor = f"C{lamp_count + column}"
            add_part(capacitor, "capacitor", capacitor_nets, value="100 nF", beside=f"U{column}")
    capacitor = f"C{1 + sum(part.part_type == 'capacitor' for part in parts.values())}"
    add_part(capacitor, RESERVOIR_TYPE, {"+": SUPPLY_PIN, "-": GROUND_PIN}, value="22 µF")
    return Netlist(parts, {net_name: tuple(part_pins) for net_name, part_pins in nets.items()})


def count_row_joints(kind: RowKind, size: int) -> int:
    """Return the number of joints of a row board on which all parts are through-hole parts."""
    return sum(PIN_COUNTS.get(part.part_type, len(part.pins)) for part in make_row_netlist(kind, size).parts.values())


def expand_rows(profile: Profile, netlist: Netlist) -> Netlist:
    """Return a board's netlist with the row boards replaced by their parts.

    Sensors are named after their cells, and lamps after their position in the chain: `SW_a1`, `U_a1`, `D0`. The large
    capacitors are left out.
    """
    rows = list(netlist.parts_of_type(*ROW_PARTS))
    parts = {ref: part for ref, part in netlist.parts.items() if part not in rows}
    nets = {name: [end for end in ends if end.part in parts] for name, ends in netlist.nets.items()}
    for row in rows:
        inner_row = make_row_netlist(row_kind(profile), profile.size, sensor_type(profile))
        new_parts, new_names = _rename_parts(inner_row, profile.size, int(row.ref.removeprefix("ROW")))
        parts |= new_parts
        for net_name, ends in _rename_nets(inner_row, netlist, row, new_names):
            nets.setdefault(net_name, []).extend(ends)
    return Netlist(parts, {net_name: tuple(ends) for net_name, ends in nets.items() if ends})


def _rename_parts(inner_row: Netlist, size: int, row_number: int) -> tuple[dict[str, CircuitPart], dict[str, str]]:
    """Return the parts of a row with their names on the whole board, and the new names by the old ones."""
    lamp_count = LAMPS_PER_CELL * size
    cells = get_grid(size).cells[(row_number - 1) * size : row_number * size]
    first_lamp, positions = lamp_count * (size - row_number), chain_positions(size)
    new_names, places = dict[str, str](), dict[str, tuple[Cell, int]]()
    for ref, part in inner_row.parts.items():
        if part.part_type == "lamp":
            chain_index = first_lamp + part.index
            frame_index = positions.index(chain_index)
            new_names[ref] = f"D{chain_index}"
            places[ref] = get_grid(size).cells[frame_index // LAMPS_PER_CELL], frame_index % LAMPS_PER_CELL
        elif part.part_type == "capacitor":
            places[ref] = places[part.beside]
            new_names[ref] = f"C_{new_names[part.beside].removeprefix('U_')}"
        elif part.part_type not in ("row connector", RESERVOIR_TYPE):
            letters, column = ref.rstrip("12345"), int(ref[-1])
            places[ref] = cells[column - 1], 0
            new_names[ref] = f"{letters}_{cells[column - 1]}"
    new_parts = {}
    for ref, new_ref in new_names.items():
        cell, index = places[ref]
        beside = new_names.get(inner_row.parts[ref].beside, "")
        new_parts[new_ref] = replace(inner_row.parts[ref], ref=new_ref, cell=cell, index=index, beside=beside)
    return new_parts, new_names


def _rename_nets(
    inner_row: Netlist, netlist: Netlist, row: CircuitPart, new_names: Mapping[str, str]
) -> Iterator[tuple[str, list[PartPin]]]:
    """Yield the nets of a row with their names on the whole board, and the parts' new names."""
    outer_nets = {pin.name: netlist.net_of(PartPin(row.ref, number)) for number, pin in row.pins.items()}
    for net_name, ends in inner_row.nets.items():
        joined = [PartPin(new_names[end.part], end.pin) for end in ends if end.part in new_names]
        outer_net = outer_nets.get(net_name)
        if net_name not in outer_nets:
            lamp = next((end.part for end in joined if end.pin == LAMP_DATA_IN), "")
            outer_net = f"data {lamp.removeprefix('D')}" if lamp else f"{joined[0].part.rpartition('_')[2]} diode"
        if outer_net:
            yield outer_net, joined
