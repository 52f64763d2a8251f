"""Trace every wire from its sensor or lamp to the header, and compare the netlist with the profile."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET, LOGIC_NET, MAX_FUSE_LOAD, TEST_POINTS, fuse_for
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, find_pin
from pond_hw.fabrication.netlist_checks import parse_amount, rail_volts, reachable_nets
from pond_hw.messages.message import Message
from pond_hw.profile import board_profile, pi_header, pico_header
from pond_hw.profile.board_profile import MatrixCrossing, Profile
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS, AdcChannel, AdcPins, ExpanderPin
from pond_hw.rules import Cell, get_grid

GPIO_BY_PIN = {
    "pi": {str(pin): gpio for gpio, pin in pi_header.HEADER_PINS.items()},
    "pico": {str(pin): gpio for gpio, pin in pico_header.PICO_PINS.items()},
}
"""GPIO by header pin, for all header pins that are GPIOs."""

SENSOR_TYPES = ("button", "hall", "linear hall")

NOWHERE = "-"
"""Placeholder in messages for a wire that leads to no input."""


class SensorRoute(NamedTuple):
    """Input that reads a sensor: a GPIO, a crossing, an expander pin or a converter channel, and the pins it uses."""

    sensor_input: int | MatrixCrossing | ExpanderPin | AdcChannel
    input_pins: tuple[PartPin, ...]


def cell_sensor(netlist: Netlist, cell: Cell) -> CircuitPart:
    return next(part for part in netlist.parts_of_type(*SENSOR_TYPES) if part.cell == cell)


def sensor_routes(netlist: Netlist) -> dict[Cell, SensorRoute]:
    """Return the route of each cell's sensor. Cells whose wires lead nowhere are left out."""
    found = {part.cell: _trace_sensor(netlist, part) for part in netlist.parts_of_type(*SENSOR_TYPES) if part.cell}
    return {cell: route for cell, route in found.items() if route}


def _trace_sensor(netlist: Netlist, sensor: CircuitPart) -> SensorRoute | None:
    if sensor.part_type != "button":
        return _find_reader(netlist, netlist.net_of(PartPin(sensor.ref, "3")))
    net_names = netlist.part_nets(sensor)
    for net_name, other_net in (net_names, net_names[::-1]):
        if (route := _find_reader(netlist, net_name)) is None:
            continue
        if GROUND_NET in (other_net, *_nets_behind_diodes(netlist, other_net)):
            return route
        drive, drive_gpio = _find_driver(netlist, other_net), None
        if drive and isinstance(route.sensor_input, int) and (drive_gpio := find_gpio(netlist, drive)) is not None:
            return SensorRoute(MatrixCrossing(drive_gpio, route.sensor_input), (drive, *route.input_pins))
    return None


def _find_reader(netlist: Netlist, net_name: str | None) -> SensorRoute | None:
    for end in netlist.ends_on(net_name):
        part, pin_name = netlist.parts[end.part], netlist.pin_at(end).name
        if (gpio := find_gpio(netlist, end)) is not None:
            return SensorRoute(gpio, (end,))
        expander, converter = EXPANDER_PARTS.get(part.part_type), CONVERTER_PARTS.get(part.part_type)
        if expander and pin_name[:-1] in {port.name for port in expander.ports}:
            high_bits = [1 << bit for bit in range(3) if netlist.pin_net(part, f"A{bit}") == LOGIC_NET]
            address = expander.addresses[sum(high_bits)]
            return SensorRoute(ExpanderPin(address, pin_name[:-1], int(pin_name[-1])), (end,))
        if converter and pin_name.startswith(converter.channel_name):
            channel = int(pin_name.removeprefix(converter.channel_name))
            return SensorRoute(AdcChannel(part.ref[2:], channel), (end,))
    return None


def _find_driver(netlist: Netlist, net_name: str | None) -> PartPin | None:
    """Return the header pin behind a diode on a net, if the diode's banded end faces away from the net."""
    return next((pin for net in _nets_behind_diodes(netlist, net_name) if (pin := _gpio_end(netlist, net))), None)


def _nets_behind_diodes(netlist: Netlist, net_name: str | None) -> list[str | None]:
    """Return the nets to which current can flow from a net through a diode."""
    anodes = [part_pin for part_pin in netlist.ends_on(net_name) if netlist.pin_at(part_pin).name == "anode"]
    return [netlist.net_of(band_pin) for anode in anodes if (band_pin := netlist.other_pin(anode))]


def _gpio_end(netlist: Netlist, net_name: str | None) -> PartPin | None:
    return next((end for end in netlist.ends_on(net_name) if find_gpio(netlist, end) is not None), None)


def find_gpio(netlist: Netlist, end: PartPin) -> int | None:
    """Return the GPIO of a header pin, or None if the pin is not a GPIO."""
    return GPIO_BY_PIN.get(netlist.parts[end.part].part_type, {}).get(end.pin)


def net_gpio(netlist: Netlist, net_name: str | None) -> int | None:
    part_pin = _gpio_end(netlist, net_name)
    return find_gpio(netlist, part_pin) if part_pin else None


def _gpio_name(gpio: int | None) -> str:
    return NOWHERE if gpio is None else str(gpio)


def lamp_chain(netlist: Netlist) -> tuple[int | None, list[CircuitPart]]:
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


def check_profile_match(profile: Profile, netlist: Netlist) -> Iterator[Message]:
    for match_rule in (_match_sensors, _match_lamps, _match_controls, _match_labels):
        yield from match_rule(profile, netlist)


def _match_sensors(profile: Profile, netlist: Netlist) -> Iterator[Message]:
    wiring, routes = profile.sensing.wiring, sensor_routes(netlist)
    wanted_inputs = () if isinstance(wiring, board_profile.TrellisWiring) else board_profile.list_wires(wiring)
    for cell, wanted_input in zip(get_grid(profile.size).cells, wanted_inputs, strict=False):
        route = routes.get(cell)
        if route is None or route.sensor_input != wanted_input:
            found = str(route.sensor_input) if route else NOWHERE
            yield Message("netlist.match.sensor", cell=cell, found=found, wanted=str(wanted_input))
    if isinstance(wiring, board_profile.AnalogWiring):
        yield from _match_converters(wiring, netlist)
    for chip in netlist.parts_of_type(*EXPANDER_PARTS, "trellis"):
        bus_gpios = pico_header.I2C_GPIOS if profile.controller == "pico" else pi_header.I2C_GPIOS
        for pin_name, wanted_gpio in zip(("SDA", "SCL"), bus_gpios, strict=True):
            wired_gpio = net_gpio(netlist, netlist.pin_net(chip, pin_name))
            if wired_gpio != wanted_gpio:
                pins = {"pin": pin_name, "chip": chip.ref, "found": _gpio_name(wired_gpio)}
                yield Message("netlist.match.i2c", **pins, wanted=wanted_gpio)


def _match_converters(wiring: board_profile.AnalogWiring, netlist: Netlist) -> Iterator[Message]:
    for chip_letter, wanted_pins in wiring.chips.items():
        chip = netlist.parts[f"U_{chip_letter}"]
        wired_pins = AdcPins._make(
            net_gpio(netlist, netlist.pin_net(chip, pin_name)) for pin_name in wiring.chip.spi_pins
        )
        if wired_pins != wanted_pins:
            wired_names, wanted_names = (tuple(map(_gpio_name, pins)) for pins in (wired_pins, wanted_pins))
            yield Message("netlist.match.chip", chip=chip_letter, found=wired_names, wanted=wanted_names)


def _match_lamps(profile: Profile, netlist: Netlist) -> Iterator[Message]:
    chain, lamp_budget = profile.chain, profile.chain.budget_ma
    gpio_number, lamps = lamp_chain(netlist)
    if gpio_number != chain.data_pin:
        yield Message("netlist.match.data", found=_gpio_name(gpio_number), wanted=_gpio_name(chain.data_pin))
    lamp_refs = [lamp.ref for lamp in lamps]
    wanted_refs = [f"D{number}" for number in range(chain.lamp_count)] if chain.data_pin is not None else []
    if lamp_refs != wanted_refs:
        pairs = enumerate(zip_longest(lamp_refs, wanted_refs))
        good_count = next(number for number, (wired, wanted) in pairs if wired != wanted)
        yield Message("netlist.match.chain", lamp=good_count)
    for fuse in netlist.parts_of_type("fuse"):
        amperes = parse_amount(fuse.value)
        if amperes != fuse_for(lamp_budget) / 1000:
            yield Message("netlist.match.fuse", part=fuse.ref, found=fuse.value, wanted=fuse_for(lamp_budget) / 1000)
        elif amperes * MAX_FUSE_LOAD < lamp_budget / 1000:
            max_current = amperes * MAX_FUSE_LOAD * 1000
            yield Message("netlist.match.no_such_fuse", budget=lamp_budget, most=max_current)


def _match_controls(profile: Profile, netlist: Netlist) -> Iterator[Message]:
    for key in netlist.parts_of_type("key", "turn key"):
        key_pin = profile.key_pins.get(key.ref.removeprefix("SW_"))
        if key_pin not in {net_gpio(netlist, net_name) for net_name in netlist.part_nets(key)}:
            yield Message("netlist.match.key", part=key.ref, gpio=_gpio_name(key_pin))
    if profile.buzzer_pin is not None:
        buzzer_net = netlist.net_of(PartPin("J1", str(pi_header.HEADER_PINS[profile.buzzer_pin])))
        for part_types, is_wanted in ((("resistor", "buzzer"), True), (("resistor",), False), (("buzzer",), False)):
            near_nets = reachable_nets(netlist, buzzer_net, part_types)
            if any(rail_volts(netlist, near_net) == 0.0 for near_net in near_nets) != is_wanted:
                yield Message("netlist.match.buzzer", gpio=profile.buzzer_pin)
                break


def _match_labels(_: Profile, netlist: Netlist) -> Iterator[Message]:
    """Check that test points, and the connector for a USB-C module, are on the nets printed beside them."""
    labels = {PartPin(part.ref, "1"): TEST_POINTS[part.ref] for part in netlist.parts_of_type("test point")}
    for plug in netlist.parts_of_type("supply plug"):
        labels |= {find_pin(plug, "+"): FIVE_VOLT_NET, find_pin(plug, "-"): GROUND_NET}
    for part_pin, wanted_net in labels.items():
        net_name = netlist.net_of(part_pin)
        if net_name != wanted_net:
            yield Message("netlist.match.label", pin=str(part_pin), found=net_name or NOWHERE, wanted=wanted_net)
