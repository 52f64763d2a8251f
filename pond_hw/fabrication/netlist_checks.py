"""What must hold of every netlist, whoever made it: each rule gives a sentence for each thing that is wrong.

Only direct current is looked at. What a driver's program does is known by the kind of the pins it uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from operator import itemgetter

from pond_hw.fabrication.circuit import FUSE_LOAD, fuse_for
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, Pin, PinKind
from pond_hw.fabrication.part_catalogue import LOGIC_VOLTS, PART_TYPES, PULL_UP_OHMS, RAIL_MOST
from pond_hw.fabrication.wire_tracing import converter_wiring, lamp_chain, net_gpio, sensor_routes
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import AnalogWiring, Profile, TrellisWiring, list_wires
from pond_hw.rules import get_grid

SWITCH_TYPES = ("button", "key")
CONDUCTING_TYPES = ("resistor", "fuse", "buzzer", "diode", *SWITCH_TYPES)
"""Parts with two ends that current can flow through, some of them only sometimes."""

STRONG_KINDS = (PinKind.OUT, PinKind.TURN)
DRIVING_KINDS = (*STRONG_KINDS, PinKind.PICKED, PinKind.OPEN, PinKind.SUPPLY, PinKind.GROUND)

VALUE_RANGES = {
    "resistor": ("100 Ω", "100 kΩ"),
    "series": ("100 Ω", "1 kΩ"),
    "capacitor": ("10 nF", "1 µF"),
    "reservoir": ("470 µF", "2200 µF"),
}
"""From and to. Of capacitors what the catalogue says will do. Less than 100 Ω shields nothing, and more than 100 kΩ
pulls nothing. With 1 kΩ in the way of a signal, an input's 15 pF and a short wire, an edge is late by some 50 ns, of
the 300 of a lamp's bit."""

VOLTAGE_MARGIN = 0.3
"""V that a pin bears above its own supply, by all data sheets here."""


def check_netlist(netlist: Netlist) -> list[str]:
    """Everything that is wrong with a netlist, a sentence each."""
    return [sentence for rule in NETLIST_RULES for sentence in rule(netlist)]


def check_profile_match(profile: Profile, netlist: Netlist) -> Iterator[str]:
    """Where the wires do not lead to where the profile, and so the drivers, look for them."""
    for rule in (_match_sensors, _match_converters, _match_lamps, _match_fuse, _match_i2c, _match_controls):
        yield from rule(profile, netlist)


def _match_sensors(profile: Profile, netlist: Netlist) -> Iterator[str]:
    if isinstance(profile.sensing.wiring, TrellisWiring):
        return
    routes = sensor_routes(netlist)
    for cell, wanted in zip(get_grid(profile.size).cells, list_wires(profile.sensing.wiring), strict=False):
        route = routes.get(cell)
        if route is None or route.sensor_input != wanted:
            leads = f"leads to {route.sensor_input}" if route else "leads nowhere"
            yield f"The wire of {cell} {leads}, and is read at {wanted}."


def _match_converters(profile: Profile, netlist: Netlist) -> Iterator[str]:
    if isinstance(profile.sensing.wiring, AnalogWiring):
        for letter, wanted in profile.sensing.wiring.chips.items():
            wired = converter_wiring(netlist, netlist.parts[f"U_{letter}"])
            if wired != wanted:
                yield f"Chip {letter} is wired to {wired}, and is served on {wanted}."


def _match_lamps(profile: Profile, netlist: Netlist) -> Iterator[str]:
    chain = profile.chain
    gpio, lamps = lamp_chain(netlist)
    if gpio != chain.data_pin:
        yield f"The lamps' data comes from GPIO {gpio}, and is sent by {chain.data_pin}."
    order = [lamp.ref for lamp in lamps]
    wanted = [f"D{number}" for number in range(chain.lamp_count)] if chain.data_pin is not None else []
    if order != wanted:
        good = next((number for number, ref in enumerate(wanted) if order[number : number + 1] != [ref]), len(wanted))
        yield f"The chain of lamps is not in its order from lamp {good} on."


def _match_fuse(profile: Profile, netlist: Netlist) -> Iterator[str]:
    budget = profile.chain.budget_ma
    for fuse in netlist.parts_of_type("fuse"):
        amperes = parse_amount(fuse.value)
        if amperes != fuse_for(budget) / 1000:
            yield f"{fuse.ref} is for {fuse.value}, and must be for {fuse_for(budget) / 1000:g} A."
        elif amperes * FUSE_LOAD < budget / 1000:
            most = amperes * FUSE_LOAD * 1000
            yield f"No fuse here carries lamps.budget_ma, {budget:g}, for long: write {most:g} or less."


def _match_i2c(_: Profile, netlist: Netlist) -> Iterator[str]:
    for chip in netlist.parts_of_type("expander", "trellis"):
        for pin_name, wanted in zip(("SDA", "SCL"), pi_header.I2C_GPIOS, strict=True):
            wired = net_gpio(netlist, netlist.pin_net(chip, pin_name))
            if wired != wanted:
                yield f"{pin_name} of {chip.ref} is wired to GPIO {wired}, and is served on {wanted}."


def _match_controls(profile: Profile, netlist: Netlist) -> Iterator[str]:
    for key in netlist.parts_of_type("key"):
        if profile.key_pin not in {net_gpio(netlist, net) for net in netlist.part_nets(key)}:
            yield f"{key.ref} is not wired to GPIO {profile.key_pin}, where it is read."
    if profile.buzzer_pin is not None:
        start = netlist.net_of(PartPin("J1", str(pi_header.HEADER_PINS[profile.buzzer_pin])))
        ways = ((("resistor", "buzzer"), True), (("resistor",), False), (("buzzer",), False))
        if any(_reaches_ground(netlist, start, through) != wanted for through, wanted in ways):
            yield f"The buzzer and its resistor do not lie between GPIO {profile.buzzer_pin} and ground."


def _reaches_ground(netlist: Netlist, net: str | None, through: tuple[str, ...]) -> bool:
    return any(rail_volts(netlist, near) == 0.0 for near in reachable_nets(netlist, net, through))


def reachable_nets(netlist: Netlist, net: str | None, through: tuple[str, ...] = CONDUCTING_TYPES) -> list[str]:
    """The nets that current can get to from one, itself first; it does not go on beyond a supply or ground."""
    found = [net] if net else []
    for near in found:  # which grows meanwhile
        if any(netlist.pins_on(near, PinKind.SUPPLY, PinKind.GROUND)):
            continue
        for part_type, beyond in netlist.neighbour_nets(near):
            if part_type in through and beyond not in found:
                found.append(beyond)
    return found


def _reachable_pins(
    netlist: Netlist, net: str | None, through: tuple[str, ...] = CONDUCTING_TYPES
) -> list[tuple[PartPin, Pin]]:
    """All pins on those nets, and where they are."""
    return [(end, netlist.pin_at(end)) for near in reachable_nets(netlist, net, through) for end in netlist.nets[near]]


def rail_volts(netlist: Netlist, net: str | None) -> float | None:
    """The voltage that a net is held at: 0 on the Pi's ground, or what a supply feeds, by way of a fuse too."""
    if any(end.part == "J1" for end in netlist.pins_on(net, PinKind.GROUND)):
        return 0.0
    feeds = [pin.volts for _, pin in _reachable_pins(netlist, net, ("fuse",)) if pin.pin_kind is PinKind.SUPPLY]
    return max(feeds, default=None)


def check_connections(netlist: Netlist) -> Iterator[str]:
    """Every net joins something, and every pin is on one, but for outputs and inputs that a chip has to spare.

    The header has only the pins that are used, so that none of these is to spare.
    """
    for net, ends in netlist.nets.items():
        if len(ends) == 1:
            yield f"{_format_pin(netlist, ends[0])} is soldered to nothing: the net {net} has no other end."
    for part in netlist.parts.values():
        for leg, pin in part.pins.items():
            end = PartPin(part.ref, leg)
            spare = pin.pin_kind in STRONG_KINDS or (pin.pin_kind is PinKind.IN and pin.pull_volts is not None)
            if netlist.net_of(end) is None and (part.ref == "J1" or not spare):
                yield f"{_format_pin(netlist, end)} is soldered to nothing."


def check_shorts(netlist: Netlist) -> Iterator[str]:
    """No part is shorted: no two of its pins are joined, unless on a rail."""
    for net, ends in netlist.nets.items():
        is_rail = rail_volts(netlist, net) is not None
        first_ends: dict[str, PartPin] = {}
        for end in ends:
            first = first_ends.setdefault(end.part, end)
            if first != end and (not is_rail or netlist.other_pin(end)):
                yield f"{_format_pin(netlist, first)} and pin {end.pin} are joined, by the net {net}."


def check_supplies(netlist: Netlist) -> Iterator[str]:
    """Every chip has its supply and its ground, and what sets it up lies where it must."""
    for net, ends in netlist.nets.items():
        volts = rail_volts(netlist, net)
        for end in ends:
            pin, name = netlist.pin_at(end), _format_pin(netlist, end)
            if pin.pin_kind is PinKind.GROUND and volts != 0.0:
                yield f"{name} is not joined with the Pi's ground."
            elif pin.pin_kind is PinKind.FED and not volts:
                yield f"{name} has no supply."
            elif pin.pin_kind is PinKind.FED and volts and volts < pin.high_volts:
                yield f"{name} needs {pin.high_volts:g} V and gets {volts:g}."
            elif pin.required_rail is not None and volts != pin.required_rail:
                yield f"{name} belongs on {f'{pin.required_rail:g} V' if pin.required_rail else 'ground'}."


def check_drivers(netlist: Netlist) -> Iterator[str]:
    """Every net that is read has something that drives it."""
    for net in netlist.nets:
        reader = next(netlist.pins_on(net, PinKind.IN), None)
        if reader and not any(pin.pin_kind in DRIVING_KINDS for _, pin in _reachable_pins(netlist, net)):
            yield f"{_format_pin(netlist, reader)} is read, and nothing drives the net {net}."


def check_conflicts(netlist: Netlist) -> Iterator[str]:
    """No two pins drive one net against each other."""
    for net in netlist.nets:
        ends = list(netlist.pins_on(net, *DRIVING_KINDS))
        kinds = {netlist.pin_at(end).pin_kind: end for end in reversed(ends)}
        for one, other in combinations(kinds.values(), 2):  # two of different kinds never go together
            yield f"{_format_pin(netlist, one)} and {_format_pin(netlist, other)} are joined on the net {net}."
        strong = [end for end in ends if netlist.pin_at(end).pin_kind not in (PinKind.OPEN, PinKind.GROUND)]
        for one, other in combinations(strong, 2):
            if netlist.pin_at(one).pin_kind is netlist.pin_at(other).pin_kind and _drive_together(netlist, one, other):
                yield f"{_format_pin(netlist, one)} and {_format_pin(netlist, other)} both drive the net {net}."


def _drive_together(netlist: Netlist, one: PartPin, other: PartPin) -> bool:
    """Whether two that drive in one way do so at the same time: not two pins of one supply, nor two that take turns."""
    kind = netlist.pin_at(one).pin_kind
    if kind is PinKind.SUPPLY:
        return one.part != other.part or netlist.pin_at(one).volts != netlist.pin_at(other).volts
    if kind is PinKind.PICKED:
        return len({netlist.pin_net(netlist.parts[end.part], "CS") for end in (one, other)}) == 1
    return True


def check_switches(netlist: Netlist) -> Iterator[str]:
    """Every switch, when it closes, takes an input from its pull-up to ground, or to a line that is pulled low.

    So it joins no two that drive.
    """
    for part in netlist.parts_of_type(*SWITCH_TYPES):
        nets = netlist.part_nets(part)
        if not any(_is_pulled_up(netlist, one) and _can_sink(netlist, other) for one, other in (nets, nets[::-1])):
            yield f"Nobody feels {part.ref}: it must join an input that is pulled up with ground or a line of a matrix."


def _is_pulled_up(netlist: Netlist, net: str | None) -> bool:
    """Whether a net is read, and is only pulled up, not driven."""
    pins = [pin for _, pin in _reachable_pins(netlist, net, ("resistor",))]
    pulls = any(pin.pull_volts or pin.pin_kind is PinKind.SUPPLY for pin in pins)
    return pulls and any(netlist.pins_on(net, PinKind.IN)) and not any(netlist.pins_on(net, *DRIVING_KINDS))


def _can_sink(netlist: Netlist, net: str | None) -> bool:
    """Whether a net is on ground, or can be pulled there, through a diode that lets current out of it too."""
    anodes = [end for end in netlist.ends_on(net) if netlist.pin_at(end).name == "anode"]
    beyond = [net, *(netlist.net_of(band) for end in anodes if (band := netlist.other_pin(end)))]
    return any(rail_volts(netlist, near) == 0.0 or any(netlist.pins_on(near, PinKind.OPEN)) for near in beyond)


def check_pulls(netlist: Netlist) -> Iterator[str]:
    """Every input lies somewhere when nobody drives it, and what is only pulled low is pulled up."""
    for net in netlist.nets:
        readers = list(netlist.pins_on(net, PinKind.IN, PinKind.OPEN))
        opened = sum(1 for _ in netlist.pins_on(net, PinKind.OPEN))
        if len(readers) == opened < 2:
            continue  # nobody reads it
        pins = [pin for _, pin in _reachable_pins(netlist, net, ("resistor",))]
        pulls = [pin.pull_volts for pin in pins if pin.pull_volts is not None]
        pulls += [pin.volts for pin in pins if pin.pin_kind in (PinKind.OUT, PinKind.SUPPLY, PinKind.GROUND)]
        if not pulls or (opened and not any(pulls)):
            yield f"{_format_pin(netlist, readers[0])} floats: the net {net} has no {'pull-up' if opened else 'pull'}."


def check_voltages(netlist: Netlist) -> Iterator[str]:
    """No pin gets more volts than it bears."""
    drives = (*STRONG_KINDS, PinKind.PICKED, PinKind.SUPPLY)
    for net, ends in netlist.nets.items():
        sources = [
            (pin.volts if pin.pin_kind in drives else pin.pull_volts or 0.0, end)
            for end, pin in _reachable_pins(netlist, net)
        ]
        highest, source = max(sources, key=itemgetter(0), default=(0.0, None))
        for end in ends:
            pin = netlist.pin_at(end)
            bears = pin.volts if pin.pin_kind not in (PinKind.PASSIVE, PinKind.GROUND) else highest
            if source and highest > bears + VOLTAGE_MARGIN:
                yield f"{_format_pin(netlist, end)} bears {bears:g} V and gets {highest:g} from {_format_pin(netlist, source)}."


def check_levels(netlist: Netlist) -> Iterator[str]:
    """Every input is driven high enough to read as high."""
    drives = (*STRONG_KINDS, PinKind.PICKED)
    for net in netlist.nets:
        levels = [pin.volts for _, pin in _reachable_pins(netlist, net, ("resistor",)) if pin.pin_kind in drives]
        for end in netlist.pins_on(net, PinKind.IN):
            needed = netlist.pin_at(end).high_volts
            if levels and min(levels) < needed:
                yield (
                    f"{_format_pin(netlist, end)} reads high from {needed:g} V on and gets {min(levels):g}: "
                    "it needs a 74AHCT125 before it."
                )


def check_capacitors(netlist: Netlist) -> Iterator[str]:
    """Every chip has a capacitor beside it, and the chain of lamps a large one at its beginning."""
    for part in netlist.parts.values():
        if PART_TYPES[part.part_type].needs_capacitor:
            beside = [capacitor for capacitor in netlist.parts_of_type("capacitor") if capacitor.beside == part.ref]
            if not any(_is_across(netlist, capacitor, part) for capacitor in beside):
                yield f"{part.ref} has no capacitor from its supply to ground beside it."
    if lamp := next(netlist.parts_of_type("lamp"), None):
        if not netlist.has_type("reservoir"):
            yield "The chain of lamps has no large capacitor at its beginning."
        for part in netlist.parts_of_type("reservoir"):
            if not _is_across(netlist, part, lamp):
                yield f"{part.ref} must have its + on the lamps' supply and its - on ground."


def _is_across(netlist: Netlist, capacitor: CircuitPart, fed: CircuitPart) -> bool:
    """Whether a capacitor lies between the supply of what is fed and its ground; a reservoir not the wrong way round."""
    rails, grounds = netlist.part_nets(fed, PinKind.FED), netlist.part_nets(fed, PinKind.GROUND)
    first, second = netlist.part_nets(capacitor)
    turned = second in rails and first in grounds and capacitor.part_type != "reservoir"
    return (first in rails and second in grounds) or turned


def check_loads(netlist: Netlist) -> Iterator[str]:
    """No pin gives or takes more current than it may."""
    for net in netlist.nets:
        takes = sum(netlist.pin_at(end).max_current for end in netlist.pins_on(net, PinKind.FED))
        if rail_volts(netlist, net) == LOGIC_VOLTS and takes > RAIL_MOST:
            yield f"The header's 3.3 V would have to give {takes:g} mA; boards may take {RAIL_MOST:g}."
    for net, ends in netlist.nets.items():
        for end in netlist.pins_on(net, PinKind.TURN, PinKind.OUT, PinKind.OPEN):
            pin = netlist.pin_at(end)
            opens = pin.pin_kind is PinKind.OPEN
            flows = sum(_resistor_current(netlist, joined, 0.0 if opens else pin.volts) for joined in ends)
            if opens:
                pulls = _reachable_pins(netlist, net, ("button", "diode"))
                flows += sum(_pull_up_current(pulled, puller) for pulled, puller in pulls)
            if flows > pin.max_current:
                yield f"{_format_pin(netlist, end)} would have to carry {flows:.1f} mA; it may {pin.max_current:g}."


def check_values(netlist: Netlist) -> Iterator[str]:
    """Resistors and capacitors have values that do what they are for."""
    for part in netlist.parts_of_type("resistor", "capacitor", "reservoir"):
        in_series = all(rail_volts(netlist, net) is None for net in netlist.part_nets(part))
        least, most = VALUE_RANGES["series" if part.part_type == "resistor" and in_series else part.part_type]
        if not parse_amount(least) <= parse_amount(part.value) <= parse_amount(most):
            yield f"{part.ref} has {part.value or 'no value'}; it must have from {least} to {most}."


def _resistor_current(netlist: Netlist, end: PartPin, volts: float) -> float:
    """How much flows, in mA, from a net at so many volts through a resistor to the rail that is beyond it, or to it."""
    part, other = netlist.parts[end.part], netlist.other_pin(end)
    if part.part_type != "resistor" or other is None:
        return 0.0
    rails = [rail_volts(netlist, net) for net in reachable_nets(netlist, netlist.net_of(other))]
    difference = max((abs(volts - rail) for rail in rails if rail is not None), default=0.0)
    return 1000 * difference / max(parse_amount(part.value), 0.1)


def _pull_up_current(end: PartPin, pin: Pin) -> float:
    """How much, in mA, a pin's pull-up gives when its net lies on ground."""
    fixed = end.part == "J1" and end.pin in ("3", "5")
    kind = "i2c" if fixed else "pi" if end.part == "J1" else "mcp23017"
    return 1000 * (pin.pull_volts or 0.0) / PULL_UP_OHMS[kind]


def parse_amount(value: str) -> float:
    """A value in ohm, farad or ampere; 0 if it cannot be read."""
    match = re.fullmatch(r"([0-9.]+) ([pnµmk]?)[ΩFA]", value)
    times = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "": 1.0}
    return float(match[1]) * times[match[2]] if match else 0.0


def check_fuse(netlist: Netlist) -> Iterator[str]:
    """What feeds the lamps goes through a fuse."""
    if netlist.has_type("lamp") and not netlist.has_type("fuse"):
        yield "Nothing opens when the lamps' supply is shorted: there is no fuse."
    feeds = {netlist.pin_net(lamp, "5 V"): lamp for lamp in netlist.parts_of_type("lamp")}
    for feed, lamp in feeds.items():
        for end in netlist.pins_on(feed, PinKind.SUPPLY):
            yield f"{_format_pin(netlist, end)} feeds {lamp.ref} past the fuse."


NETLIST_RULES: tuple[Callable[[Netlist], Iterator[str]], ...] = (
    check_connections,
    check_shorts,
    check_supplies,
    check_drivers,
    check_conflicts,
    check_switches,
    check_pulls,
    check_voltages,
    check_levels,
    check_capacitors,
    check_loads,
    check_values,
    check_fuse,
)
"""All rules; `check_wires` of the wires comes on top."""


def _format_pin(netlist: Netlist, end: PartPin) -> str:
    """A pin for people: `Pin 11 of the header (GPIO 17)`, `Pin 3 of U_b2 (OUT)`."""
    whose = "the header" if end.part == "J1" else end.part
    name = netlist.pin_at(end).name
    return f"Pin {end.pin} of {whose}" + (f" ({name})" if name != end.pin else "")
