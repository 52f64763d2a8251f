"""The table of wires: for each cell where its sensor is soldered to, and which lamps are its own.

cell  sensor  soldered to                colour  length  lamps
b3    SW_b3   GPIO 17 (header pin 11)    purple  150 mm  6
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.fabrication.netlist import End, Netlist, Part
from pond_hw.fabrication.wire_tracing import Route, chain_of, routes, sensor_of
from pond_hw.fabrication.wires import colour_of, header, wires
from pond_hw.profile.board_profile import Channel, Crossing, ExpanderPin, Profile
from pond_hw.rules import Cell, grid


class Row(NamedTuple):
    """What a cell is wired to.

    Attributes:
        cell: it.
        sensor: the name of its button or hall sensor, and of the pin whose wire it is.
        places: where its wires go, in words, each with its colour and, if it is a wire of this cell alone, its length
            in mm.
        lamps: the numbers of its lamps in the chain, 0 first, in the order of a frame.
    """

    cell: Cell
    sensor: Part
    places: tuple[tuple[str, str, float | None], ...]
    lamps: tuple[int, ...]

    @property
    def told(self) -> str:
        """Where its sensor goes, in one breath: `MCP23017 at 0x21, pin GPB2, purple wire`."""
        return ", ".join(f"{where}, {colour} wire" for where, colour, _ in self.places)


def table(profile: Profile, netlist: Netlist) -> dict[Cell, Row]:
    """The rows of all cells whose sensors are wired one by one, in the order of the cells."""
    long = {wire.net: wire.length for wire in wires(profile, netlist)}
    lit: dict[Cell, list[tuple[int, int]]] = {}
    for number, lamp in enumerate(chain_of(netlist)[1]):
        if lamp.cell:
            lit.setdefault(lamp.cell, []).append((lamp.index, number))
    found = routes(netlist)
    return {
        cell: Row(
            cell,
            sensor_of(netlist, cell),
            tuple(_places(profile, netlist, cell, found[cell], long)),
            tuple(number for _, number in sorted(lit.get(cell, []))),
        )
        for cell in grid(profile.size).cells
        if cell in found
    }


def _places(
    profile: Profile, netlist: Netlist, cell: Cell, route: Route, long: dict[str, float]
) -> Iterator[tuple[str, str, float | None]]:
    for end, what in zip(route.ends, _what(netlist, route), strict=True):
        net = netlist.net_of(end) or ""
        yield what, colour_of(profile, netlist, net), long.get(net) if net == cell else None


def _what(netlist: Netlist, route: Route) -> tuple[str, ...]:
    match route.place:
        case Crossing():
            drive, sense = route.ends
            return f"driven line {header(drive)}", f"sense line {header(sense)}"
        case ExpanderPin(address, port, bit):
            return (f"MCP23017 at 0x{address:02x}, pin GP{port}{bit}{_leg(netlist, route.ends[0])}",)
        case Channel(chip, channel):
            return (f"MCP3008 {chip}, channel {channel}{_leg(netlist, route.ends[0])}",)
        case _:
            return (header(route.ends[0]),)


def _leg(netlist: Netlist, end: End) -> str:
    return f" (leg {end.pin})" if netlist.parts[end.part].sort in ("expander", "converter") else ""
