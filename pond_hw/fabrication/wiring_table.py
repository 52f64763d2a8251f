"""The table of wires: for each cell where its sensor is soldered to, and which lamps are its own.

cell  sensor  soldered to                colour  length  lamps
b3    SW_b3   GPIO 17 (header pin 11)    purple  150 mm  6
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin
from pond_hw.fabrication.wire_tracing import SensorRoute, cell_sensor, lamp_chain, sensor_routes
from pond_hw.fabrication.wires import format_header_pin, list_wires, wire_colour
from pond_hw.profile.board_profile import AdcChannel, ExpanderPin, MatrixCrossing, Profile
from pond_hw.rules import Cell, get_grid


class WiringRow(NamedTuple):
    """What a cell is wired to.

    Attributes:
        cell: it.
        sensor: the name of its button or hall sensor, and of the pin whose wire it is.
        solder_points: where its wires go, in words, each with its colour and, if it is a wire of this cell alone, its length
            in mm.
        lamp_numbers: the numbers of its lamps in the chain, 0 first, in the order of a frame.
    """

    cell: Cell
    sensor: CircuitPart
    solder_points: tuple[tuple[str, str, float | None], ...]
    lamp_numbers: tuple[int, ...]

    @property
    def solder_text(self) -> str:
        """Where its sensor goes, in one breath: `MCP23017 at 0x21, pin GPB2, purple wire`."""
        return ", ".join(f"{where}, {colour} wire" for where, colour, _ in self.solder_points)


def wiring_table(profile: Profile, netlist: Netlist) -> dict[Cell, WiringRow]:
    """The rows of all cells whose sensors are wired one by one, in the order of the cells."""
    long = {wire.net: wire.length for wire in list_wires(profile, netlist)}
    lit: dict[Cell, list[tuple[int, int]]] = {}
    for number, lamp in enumerate(lamp_chain(netlist)[1]):
        if lamp.cell:
            lit.setdefault(lamp.cell, []).append((lamp.index, number))
    found = sensor_routes(netlist)
    return {
        cell: WiringRow(
            cell,
            cell_sensor(netlist, cell),
            tuple(_solder_points(profile, netlist, cell, found[cell], long)),
            tuple(number for _, number in sorted(lit.get(cell, []))),
        )
        for cell in get_grid(profile.size).cells
        if cell in found
    }


def _solder_points(
    profile: Profile, netlist: Netlist, cell: Cell, route: SensorRoute, long: dict[str, float]
) -> Iterator[tuple[str, str, float | None]]:
    for end, what in zip(route.input_pins, _format_input(netlist, route), strict=True):
        net = netlist.net_of(end) or ""
        yield what, wire_colour(profile, netlist, net), long.get(net) if net == cell else None


def _format_input(netlist: Netlist, route: SensorRoute) -> tuple[str, ...]:
    match route.sensor_input:
        case MatrixCrossing():
            drive, sense = route.input_pins
            return f"driven line {format_header_pin(drive)}", f"sense line {format_header_pin(sense)}"
        case ExpanderPin(address, port, bit):
            return (f"MCP23017 at 0x{address:02x}, pin GP{port}{bit}{_format_leg(netlist, route.input_pins[0])}",)
        case AdcChannel(chip, channel):
            return (f"MCP3008 {chip}, channel {channel}{_format_leg(netlist, route.input_pins[0])}",)
        case _:
            return (format_header_pin(route.input_pins[0]),)


def _format_leg(netlist: Netlist, end: PartPin) -> str:
    return f" (leg {end.pin})" if netlist.parts[end.part].part_type in ("expander", "converter") else ""
