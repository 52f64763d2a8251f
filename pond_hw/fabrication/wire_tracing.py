"""From a netlist back to what the drivers must know: every wire followed from its sensor or lamp to the header.

It is how the table of wires is made, and the proof that netlist and profile say the same.
"""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.fabrication.circuit import GROUND, LOGIC
from pond_hw.fabrication.netlist import End, Netlist, Part, named
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import Adc, Channel, Crossing, ExpanderPin
from pond_hw.rules import Cell

Place = int | Crossing | ExpanderPin | Channel
"""Where a sensor is read: a GPIO, a crossing of two, a pin of an expander, a channel of a converter."""

_GPIO = {str(pin): gpio for gpio, pin in pi_header.PINS.items()}

SENSORS = ("button", "hall", "linear hall")


class Route(NamedTuple):
    """Where a sensor is read, and the part whose pin it is soldered to.

    Attributes:
        place: where it is read.
        ends: the pins at the reading end: of the header or of a chip.
    """

    place: Place
    ends: tuple[End, ...]


def sensor_of(netlist: Netlist, cell: Cell) -> Part:
    """The sensor of a cell."""
    return next(part for part in netlist.of(*SENSORS) if part.cell == cell)


def routes(netlist: Netlist) -> dict[Cell, Route]:
    """For each cell where its sensor is read; cells whose wires lead nowhere are left out."""
    found = {part.cell: _route(netlist, part) for part in netlist.of(*SENSORS) if part.cell}
    return {cell: route for cell, route in found.items() if route}


def _route(netlist: Netlist, sensor: Part) -> Route | None:
    signals = ("1", "2") if sensor.sort == "button" else ("3",)
    ends = [End(sensor.ref, pin) for pin in signals]
    read = [_read(netlist, end) for end in ends]
    if sensor.sort != "button":
        return read[0]
    grounded = [netlist.net_of(end) == GROUND for end in ends]
    for here, other in ((0, 1), (1, 0)):
        if (route := read[here]) is None:
            continue
        if grounded[other]:
            return route
        drive = _driven(netlist, ends[other])
        if drive and isinstance(route.place, int):
            return Route(Crossing(_GPIO[drive.pin], route.place), (drive, *route.ends))
    return None


def _read(netlist: Netlist, end: End) -> Route | None:
    """What reads the net of a sensor's pin."""
    for other in netlist.nets.get(netlist.net_of(end) or "", ()):
        if other.part == "J1" and other.pin in _GPIO:
            return Route(_GPIO[other.pin], (other,))
        part, name = netlist.parts[other.part], netlist.pin(other).name
        if part.sort == "expander" and name.startswith("GP"):
            return Route(ExpanderPin(address_of(netlist, part), name[2], int(name[3])), (other,))
        if part.sort == "converter" and name.startswith("CH"):
            return Route(Channel(part.ref[2:], int(name[2:])), (other,))
    return None


def _driven(netlist: Netlist, end: End) -> End | None:
    """The header's pin behind the diode that hangs on a sensor's pin, if its band is on that side."""
    for other in netlist.nets.get(netlist.net_of(end) or "", ()):
        if netlist.parts[other.part].sort == "diode" and netlist.pin(other).name == "anode":
            band = netlist.across(other)
            for last in netlist.nets.get(netlist.net_of(band) or "", ()) if band else ():
                if last.part == "J1" and last.pin in _GPIO:
                    return last
    return None


def address_of(netlist: Netlist, chip: Part) -> int:
    """The I2C address that an MCP23017 has, by where its address pins lie."""
    high = [netlist.net_of(named(chip, f"A{bit}")) == LOGIC for bit in range(3)]
    return 0x20 + sum(1 << bit for bit in range(3) if high[bit])


def adc_of(netlist: Netlist, chip: Part) -> Adc | None:
    """The GPIOs that an MCP3008 is on; None if one of its wires leads nowhere."""
    found = [gpio_on(netlist, netlist.net_of(named(chip, name))) for name in ("CLK", "DIN", "DOUT", "CS")]
    clock, mosi, miso, select = found
    if clock is None or mosi is None or miso is None or select is None:
        return None
    return Adc(clock, mosi, miso, select)


def gpio_on(netlist: Netlist, net: str | None) -> int | None:
    """The GPIO that a net comes to."""
    ends = netlist.nets.get(net or "", ())
    return next((_GPIO[end.pin] for end in ends if end.part == "J1" and end.pin in _GPIO), None)


def chain_of(netlist: Netlist) -> tuple[int | None, list[Part]]:
    """The GPIO that the lamps' data leaves by, and the lamps in the order in which it runs through them."""
    shifter = next(iter(netlist.of("shifter")), None)
    if shifter is None:
        return None, []
    gpio = gpio_on(netlist, netlist.net_of(named(shifter, "1A")))
    lamps: list[Part] = []
    net, seen = netlist.net_of(named(shifter, "1Y")), set[str]()
    while net and net not in seen:
        seen.add(net)
        following = None
        for end in netlist.nets[net]:
            part = netlist.parts[end.part]
            if part.sort == "lamp" and netlist.pin(end).name == "DIN" and part not in lamps:
                lamps.append(part)
                following = netlist.net_of(named(part, "DOUT"))
            elif part.sort == "resistor" and not lamps:
                other = netlist.across(end)
                following = following or (netlist.net_of(other) if other else None)
        net = following
    return gpio, lamps
