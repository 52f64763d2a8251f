"""From a netlist back to what the drivers must know: every wire followed from its sensor or lamp to the header.

It is how the table of wires is made, and the proof that netlist and profile say the same.
"""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.fabrication.circuit import GROUND_NET, LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, find_pin
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import AdcChannel, AdcPins, ExpanderPin, MatrixCrossing
from pond_hw.rules import Cell

SensorInput = int | MatrixCrossing | ExpanderPin | AdcChannel
"""Where a sensor is read: a GPIO, a crossing of two, a pin of an expander, a channel of a converter."""

_GPIO = {str(pin): gpio for gpio, pin in pi_header.HEADER_PINS.items()}

SENSOR_TYPES = ("button", "hall", "linear hall")


class SensorRoute(NamedTuple):
    """Where a sensor is read, and the part whose pin it is soldered to.

    Attributes:
        sensor_input: where it is read.
        input_pins: the pins at the reading end: of the header or of a chip.
    """

    sensor_input: SensorInput
    input_pins: tuple[PartPin, ...]


def cell_sensor(netlist: Netlist, cell: Cell) -> CircuitPart:
    """The sensor of a cell."""
    return next(part for part in netlist.parts_of_type(*SENSOR_TYPES) if part.cell == cell)


def sensor_routes(netlist: Netlist) -> dict[Cell, SensorRoute]:
    """For each cell where its sensor is read; cells whose wires lead nowhere are left out."""
    found = {part.cell: _trace_sensor(netlist, part) for part in netlist.parts_of_type(*SENSOR_TYPES) if part.cell}
    return {cell: route for cell, route in found.items() if route}


def _trace_sensor(netlist: Netlist, sensor: CircuitPart) -> SensorRoute | None:
    signals = ("1", "2") if sensor.part_type == "button" else ("3",)
    ends = [PartPin(sensor.ref, pin) for pin in signals]
    read = [_find_reader(netlist, end) for end in ends]
    if sensor.part_type != "button":
        return read[0]
    grounded = [netlist.net_of(end) == GROUND_NET for end in ends]
    for here, other in ((0, 1), (1, 0)):
        if (route := read[here]) is None:
            continue
        if grounded[other]:
            return route
        drive = _find_driver(netlist, ends[other])
        if drive and isinstance(route.sensor_input, int):
            return SensorRoute(MatrixCrossing(_GPIO[drive.pin], route.sensor_input), (drive, *route.input_pins))
    return None


def _find_reader(netlist: Netlist, end: PartPin) -> SensorRoute | None:
    """What reads the net of a sensor's pin."""
    for other in netlist.nets.get(netlist.net_of(end) or "", ()):
        if other.part == "J1" and other.pin in _GPIO:
            return SensorRoute(_GPIO[other.pin], (other,))
        part, name = netlist.parts[other.part], netlist.pin_at(other).name
        if part.part_type == "expander" and name.startswith("GP"):
            return SensorRoute(ExpanderPin(expander_address(netlist, part), name[2], int(name[3])), (other,))
        if part.part_type == "converter" and name.startswith("CH"):
            return SensorRoute(AdcChannel(part.ref[2:], int(name[2:])), (other,))
    return None


def _find_driver(netlist: Netlist, end: PartPin) -> PartPin | None:
    """The header's pin behind the diode that hangs on a sensor's pin, if its band is on that side."""
    for other in netlist.nets.get(netlist.net_of(end) or "", ()):
        if netlist.parts[other.part].part_type == "diode" and netlist.pin_at(other).name == "anode":
            band = netlist.other_pin(other)
            for last in netlist.nets.get(netlist.net_of(band) or "", ()) if band else ():
                if last.part == "J1" and last.pin in _GPIO:
                    return last
    return None


def expander_address(netlist: Netlist, chip: CircuitPart) -> int:
    """The I2C address that an MCP23017 has, by where its address pins lie."""
    high = [netlist.net_of(find_pin(chip, f"A{bit}")) == LOGIC_NET for bit in range(3)]
    return 0x20 + sum(1 << bit for bit in range(3) if high[bit])


def converter_wiring(netlist: Netlist, chip: CircuitPart) -> AdcPins | None:
    """The GPIOs that an MCP3008 is on; None if one of its wires leads nowhere."""
    found = [net_gpio(netlist, netlist.net_of(find_pin(chip, name))) for name in ("CLK", "DIN", "DOUT", "CS")]
    clock, mosi, miso, select = found
    if clock is None or mosi is None or miso is None or select is None:
        return None
    return AdcPins(clock, mosi, miso, select)


def net_gpio(netlist: Netlist, net: str | None) -> int | None:
    """The GPIO that a net comes to."""
    ends = netlist.nets.get(net or "", ())
    return next((_GPIO[end.pin] for end in ends if end.part == "J1" and end.pin in _GPIO), None)


def lamp_chain(netlist: Netlist) -> tuple[int | None, list[CircuitPart]]:
    """The GPIO that the lamps' data leaves by, and the lamps in the order in which it runs through them."""
    shifter = next(iter(netlist.parts_of_type("shifter")), None)
    if shifter is None:
        return None, []
    gpio = net_gpio(netlist, netlist.net_of(find_pin(shifter, "1A")))
    lamps: list[CircuitPart] = []
    net, seen = netlist.net_of(find_pin(shifter, "1Y")), set[str]()
    while net and net not in seen:
        seen.add(net)
        following = None
        for end in netlist.nets[net]:
            part = netlist.parts[end.part]
            if part.part_type == "lamp" and netlist.pin_at(end).name == "DIN" and part not in lamps:
                lamps.append(part)
                following = netlist.net_of(find_pin(part, "DOUT"))
            elif part.part_type == "resistor" and not lamps:
                other = netlist.other_pin(end)
                following = following or (netlist.net_of(other) if other else None)
        net = following
    return gpio, lamps
