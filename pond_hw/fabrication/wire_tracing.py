"""From a netlist back to what the drivers must know: every wire followed from its sensor or lamp to the header.

It is the proof that netlist and profile say the same.
"""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.fabrication.circuit import GROUND_NET, LOGIC_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import AdcChannel, AdcPins, ExpanderPin, MatrixCrossing
from pond_hw.rules import Cell

SensorInput = int | MatrixCrossing | ExpanderPin | AdcChannel
"""Where a sensor is read: a GPIO, a crossing of two, a pin of an expander, a channel of a converter."""

GPIO_BY_PIN = {str(pin): gpio for gpio, pin in pi_header.HEADER_PINS.items()}
"""The GPIO on each pin of the header that has one."""

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
    if sensor.part_type != "button":
        return _find_reader(netlist, netlist.net_of(PartPin(sensor.ref, "3")))
    net_names = netlist.part_nets(sensor)
    for net_name, other_net in (net_names, net_names[::-1]):
        if (route := _find_reader(netlist, net_name)) is None:
            continue
        if other_net == GROUND_NET:
            return route
        drive = _find_driver(netlist, other_net)
        if drive and isinstance(route.sensor_input, int):
            return SensorRoute(MatrixCrossing(GPIO_BY_PIN[drive.pin], route.sensor_input), (drive, *route.input_pins))
    return None


def _find_reader(netlist: Netlist, net_name: str | None) -> SensorRoute | None:
    """What reads the net of a sensor's pin."""
    for end in netlist.ends_on(net_name):
        part, pin_name = netlist.parts[end.part], netlist.pin_at(end).name
        if end.part == "J1" and end.pin in GPIO_BY_PIN:
            return SensorRoute(GPIO_BY_PIN[end.pin], (end,))
        if part.part_type == "expander" and pin_name.startswith("GP"):
            return SensorRoute(ExpanderPin(_expander_address(netlist, part), pin_name[2], int(pin_name[3])), (end,))
        if part.part_type == "converter" and pin_name.startswith("CH"):
            return SensorRoute(AdcChannel(part.ref[2:], int(pin_name[2:])), (end,))
    return None


def _find_driver(netlist: Netlist, net_name: str | None) -> PartPin | None:
    """The header's pin behind the diode that hangs on the net of a sensor's pin, if its band is on that side."""
    anode_pins = [part_pin for part_pin in netlist.ends_on(net_name) if netlist.pin_at(part_pin).name == "anode"]
    bands = [band_pin for anode_pin in anode_pins if (band_pin := netlist.other_pin(anode_pin))]
    return next((part_pin for band_pin in bands for part_pin in _gpio_ends(netlist, netlist.net_of(band_pin))), None)


def _expander_address(netlist: Netlist, chip: CircuitPart) -> int:
    """The I2C address that an MCP23017 has, by where its address pins lie."""
    return 0x20 + sum(1 << bit for bit in range(3) if netlist.pin_net(chip, f"A{bit}") == LOGIC_NET)


def converter_wiring(netlist: Netlist, chip: CircuitPart) -> AdcPins | None:
    """The GPIOs that an MCP3008 is on; None if one of its wires leads nowhere."""
    pin_gpios = [net_gpio(netlist, netlist.pin_net(chip, pin_name)) for pin_name in ("CLK", "DIN", "DOUT", "CS")]
    found_gpios = [gpio_number for gpio_number in pin_gpios if gpio_number is not None]
    return AdcPins(*found_gpios) if len(found_gpios) == len(pin_gpios) else None


def _gpio_ends(netlist: Netlist, net_name: str | None) -> list[PartPin]:
    return [part_pin for part_pin in netlist.ends_on(net_name) if part_pin.part == "J1" and part_pin.pin in GPIO_BY_PIN]


def net_gpio(netlist: Netlist, net_name: str | None) -> int | None:
    """The GPIO that a net comes to."""
    return next((GPIO_BY_PIN[part_pin.pin] for part_pin in _gpio_ends(netlist, net_name)), None)


def lamp_chain(netlist: Netlist) -> tuple[int | None, list[CircuitPart]]:
    """The GPIO that the lamps' data leaves by, and the lamps in the order in which it runs through them."""
    shifter = next(netlist.parts_of_type("shifter"), None)
    if shifter is None:
        return None, []
    lamps: list[CircuitPart] = []
    net_name, seen_nets = netlist.pin_net(shifter, "1Y"), set[str | None]()
    while net_name and net_name not in seen_nets:
        seen_nets.add(net_name)
        next_net = None
        for part_pin in netlist.ends_on(net_name):
            part = netlist.parts[part_pin.part]
            if part.part_type == "lamp" and netlist.pin_at(part_pin).name == "DIN" and part not in lamps:
                lamps.append(part)
                next_net = netlist.pin_net(part, "DOUT")
            elif part.part_type == "resistor" and not lamps and (far_pin := netlist.other_pin(part_pin)):
                next_net = next_net or netlist.net_of(far_pin)
        net_name = next_net
    return net_gpio(netlist, netlist.pin_net(shifter, "1A")), lamps
