"""What must hold of every netlist, whoever made it: each rule gives a sentence for each thing that is wrong.

Only direct current is looked at. What a driver's program does is known by the kind of the pins it uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations

from pond_hw.fabrication import part_catalogue
from pond_hw.fabrication.circuit import FUSE_LOAD, fuse_for
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, PinKind, find_pin
from pond_hw.fabrication.wire_tracing import converter_wiring, lamp_chain, net_gpio, sensor_routes
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import AnalogWiring, Profile, TrellisWiring
from pond_hw.profile.board_profile import list_wires as wired_to
from pond_hw.rules import get_grid

SWITCH_TYPES = ("button", "key")
CONDUCTING_TYPES = ("resistor", "fuse", "buzzer", "diode", *SWITCH_TYPES)
"""Parts with two ends that current can flow through, some of them only sometimes."""

DRIVING_KINDS = (PinKind.OUT, PinKind.TURN, PinKind.PICKED, PinKind.OPEN, PinKind.SUPPLY, PinKind.GROUND)
STRONG_KINDS = (PinKind.OUT, PinKind.TURN)

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
    wiring = profile.sensing.wiring
    found = sensor_routes(netlist)
    for cell, place in zip(get_grid(profile.size).cells, wired_to(wiring), strict=False):
        if isinstance(wiring, TrellisWiring):
            break
        route = found.get(cell)
        if route is None or route.sensor_input != place:
            leads = f"leads to {route.sensor_input}" if route else "leads nowhere"
            yield f"The wire of {cell} {leads}, and is read at {place}."
    if isinstance(wiring, AnalogWiring):
        for letter, adc in wiring.chips.items():
            there = converter_wiring(netlist, netlist.parts[f"U_{letter}"])
            if there != adc:
                yield f"Chip {letter} is wired to {there}, and is served on {adc}."
    gpio, lamps = lamp_chain(netlist)
    if gpio != profile.chain.data_pin:
        yield f"The lamps' data comes from GPIO {gpio}, and is sent by {profile.chain.data_pin}."
    order = [lamp.ref for lamp in lamps]
    should = [f"D{number}" for number in range(profile.chain.lamp_count)] if profile.chain.data_pin is not None else []
    if order != should:
        at = next((number for number, ref in enumerate(should) if order[number : number + 1] != [ref]), len(should))
        yield f"The chain of lamps is not in its order from lamp {at} on."
    for fuse in netlist.parts_of_type("fuse"):
        if parse_amount(fuse.value) != fuse_for(profile.chain.budget_ma) / 1000:
            yield f"{fuse.ref} is for {fuse.value}, and must be for {fuse_for(profile.chain.budget_ma) / 1000:g} A."
        elif parse_amount(fuse.value) * FUSE_LOAD < profile.chain.budget_ma / 1000:
            most = parse_amount(fuse.value) * FUSE_LOAD * 1000
            yield f"No fuse here carries lamps.budget_ma, {profile.chain.budget_ma:g}, for long: write {most:g} or less."
    yield from _check_other_wires(profile, netlist)


def _check_other_wires(profile: Profile, netlist: Netlist) -> Iterator[str]:
    """The wires that lead to no cell and no lamp: I2C, key and buzzer."""
    for chip in netlist.parts_of_type("expander", "trellis"):
        for name, gpio in zip(("SDA", "SCL"), pi_header.I2C_GPIOS, strict=True):
            found = net_gpio(netlist, netlist.net_of(find_pin(chip, name)))
            if found != gpio:
                yield f"{name} of {chip.ref} is wired to GPIO {found}, and is served on {gpio}."
    for key in netlist.parts_of_type("key"):
        if profile.key_pin not in {net_gpio(netlist, netlist.net_of(PartPin(key.ref, number))) for number in key.pins}:
            yield f"{key.ref} is not wired to GPIO {profile.key_pin}, where it is read."
    if profile.buzzer_pin is not None:
        start = netlist.net_of(PartPin("J1", str(pi_header.HEADER_PINS[profile.buzzer_pin])))
        for through, should in ((("resistor", "buzzer"), True), (("resistor",), False), (("buzzer",), False)):
            ways = reachable_nets(netlist, start, through) if start else set()
            if any(rail_volts(netlist, net) == 0.0 for net in ways) != should:
                yield f"The buzzer and its resistor do not lie between GPIO {profile.buzzer_pin} and ground."
                break


def reachable_nets(netlist: Netlist, net: str, through: tuple[str, ...] = CONDUCTING_TYPES) -> set[str]:
    """The nets that current can get to from one, itself among them; it does not go on beyond a supply or ground."""
    found, edge = {net}, [net]
    while edge:
        here = edge.pop()
        if any(netlist.pins_on(here, PinKind.SUPPLY, PinKind.GROUND)):
            continue
        for sort, beyond in netlist.neighbour_nets(here):
            if sort in through and beyond not in found:
                found.add(beyond)
                edge.append(beyond)
    return found


def rail_volts(netlist: Netlist, net: str | None) -> float | None:
    """The voltage that a net is held at: 0 on the Pi's ground, or what a supply feeds, by way of a fuse too."""
    if any(end.part == "J1" for end in netlist.pins_on(net, PinKind.GROUND)):
        return 0.0
    around = reachable_nets(netlist, net, ("fuse",)) if net else ()
    return max(
        (netlist.pin_at(end).volts for each in around for end in netlist.pins_on(each, PinKind.SUPPLY)), default=None
    )


def check_connections(netlist: Netlist) -> Iterator[str]:
    """Every net joins something, and every pin is on one, but for outputs and inputs that a chip has to spare.

    The header has only the pins that are used, so that none of these is to spare.
    """
    for net, ends in netlist.nets.items():
        if len(ends) == 1:
            yield f"{_format_pin(netlist, ends[0])} is soldered to nothing: the net {net} has no other end."
    for part in netlist.parts.values():
        for number, pin in part.pins.items():
            end = PartPin(part.ref, number)
            spare = pin.pin_kind in STRONG_KINDS or (pin.pin_kind is PinKind.IN and pin.pull_volts is not None)
            if netlist.net_of(end) is None and (part.ref == "J1" or not spare):
                yield f"{_format_pin(netlist, end)} is soldered to nothing."


def check_shorts(netlist: Netlist) -> Iterator[str]:
    """No part is shorted: no two of its pins are joined, unless on a rail."""
    for net, ends in netlist.nets.items():
        held = rail_volts(netlist, net) is not None
        seen: dict[str, PartPin] = {}
        for end in ends:
            other = seen.setdefault(end.part, end)
            if other != end and (not held or netlist.other_pin(end)):
                yield f"{_format_pin(netlist, other)} and pin {end.pin} are joined, by the net {net}."


def check_supplies(netlist: Netlist) -> Iterator[str]:
    """Every chip has its supply and its ground, and what sets it up lies where it must."""
    for net, ends in netlist.nets.items():
        volts = rail_volts(netlist, net)
        for end in ends:
            pin = netlist.pin_at(end)
            if pin.pin_kind is PinKind.GROUND and volts != 0.0:
                yield f"{_format_pin(netlist, end)} is not joined with the Pi's ground."
            elif pin.pin_kind is PinKind.FED and not volts:
                yield f"{_format_pin(netlist, end)} has no supply."
            elif pin.pin_kind is PinKind.FED and volts and volts < pin.high_volts:
                yield f"{_format_pin(netlist, end)} needs {pin.high_volts:g} V and gets {volts:g}."
            elif pin.required_rail is not None and volts != pin.required_rail:
                yield f"{_format_pin(netlist, end)} belongs on {f'{pin.required_rail:g} V' if pin.required_rail else 'ground'}."


def check_drivers(netlist: Netlist) -> Iterator[str]:
    """Every net that is read has something that drives it."""
    for net in netlist.nets:
        for end in netlist.pins_on(net, PinKind.IN):
            if not any(True for each in reachable_nets(netlist, net) for _ in netlist.pins_on(each, *DRIVING_KINDS)):
                yield f"{_format_pin(netlist, end)} is read, and nothing drives the net {net}."
            break


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
    kind, parts = netlist.pin_at(one).pin_kind, [netlist.parts[end.part] for end in (one, other)]
    if kind is PinKind.SUPPLY:
        return parts[0] is not parts[1] or netlist.pin_at(one).volts != netlist.pin_at(other).volts
    if kind is PinKind.PICKED:
        selects = {netlist.net_of(find_pin(part, "CS")) for part in parts}
        return len(selects) == 1
    return True


def check_switches(netlist: Netlist) -> Iterator[str]:
    """Every switch, when it closes, takes an input from its pull-up to ground, or to a line that is pulled low.

    So it joins no two that drive.
    """
    for part in netlist.parts_of_type(*SWITCH_TYPES):
        nets = [netlist.net_of(PartPin(part.ref, number)) for number in part.pins]
        if not any(_is_pulled_up(netlist, one) and _can_sink(netlist, other) for one, other in (nets, nets[::-1])):
            yield f"Nobody feels {part.ref}: it must join an input that is pulled up with ground or a line of a matrix."


def _is_pulled_up(netlist: Netlist, net: str | None) -> bool:
    """Whether a net is read, and is only pulled up, not driven."""
    ends = [end for each in (reachable_nets(netlist, net, ("resistor",)) if net else ()) for end in netlist.nets[each]]
    pulls = any(netlist.pin_at(end).pull_volts or netlist.pin_at(end).pin_kind is PinKind.SUPPLY for end in ends)
    return pulls and any(netlist.pins_on(net, PinKind.IN)) and not any(netlist.pins_on(net, *DRIVING_KINDS))


def _can_sink(netlist: Netlist, net: str | None) -> bool:
    """Whether a net is on ground, or can be pulled there, through a diode that lets current out of it too."""
    anodes = [end for end in netlist.nets.get(net or "", ()) if netlist.pin_at(end).name == "anode"]
    beyond = [net, *(netlist.net_of(band) for end in anodes if (band := netlist.other_pin(end)))]
    return any(rail_volts(netlist, each) == 0.0 or any(netlist.pins_on(each, PinKind.OPEN)) for each in beyond)


def check_pulls(netlist: Netlist) -> Iterator[str]:
    """Every input lies somewhere when nobody drives it, and what is only pulled low is pulled up."""
    for net in netlist.nets:
        readers = list(netlist.pins_on(net, PinKind.IN, PinKind.OPEN))
        opened = sum(1 for _ in netlist.pins_on(net, PinKind.OPEN))
        if len(readers) == opened < 2:
            continue  # nobody reads it
        ends = [end for each in reachable_nets(netlist, net, ("resistor",)) for end in netlist.nets[each]]
        pulls = [pin.pull_volts for end in ends if (pin := netlist.pin_at(end)).pull_volts is not None]
        pulls += [
            pin.volts
            for end in ends
            if (pin := netlist.pin_at(end)).pin_kind in (PinKind.OUT, PinKind.SUPPLY, PinKind.GROUND)
        ]
        if not pulls or (opened and not any(pulls)):
            yield f"{_format_pin(netlist, readers[0])} floats: the net {net} has no {'pull-up' if opened else 'pull'}."


def check_voltages(netlist: Netlist) -> Iterator[str]:
    """No pin gets more volts than it bears."""
    for net, ends in netlist.nets.items():
        highest, source = 0.0, None
        for each in reachable_nets(netlist, net):
            for end in netlist.nets[each]:
                pin = netlist.pin_at(end)
                volts = (
                    pin.volts
                    if pin.pin_kind in (*STRONG_KINDS, PinKind.PICKED, PinKind.SUPPLY)
                    else pin.pull_volts or 0.0
                )
                if volts > highest:
                    highest, source = volts, end
        for end in ends:
            pin = netlist.pin_at(end)
            bears = pin.volts if pin.pin_kind not in (PinKind.PASSIVE, PinKind.GROUND) else highest
            if source and highest > bears + VOLTAGE_MARGIN:
                yield f"{_format_pin(netlist, end)} bears {bears:g} V and gets {highest:g} from {_format_pin(netlist, source)}."


def check_levels(netlist: Netlist) -> Iterator[str]:
    """Every input is driven high enough to read as high."""
    for net in netlist.nets:
        around = [end for each in reachable_nets(netlist, net, ("resistor",)) for end in netlist.nets[each]]
        levels = [
            netlist.pin_at(end).volts
            for end in around
            if netlist.pin_at(end).pin_kind in (*STRONG_KINDS, PinKind.PICKED)
        ]
        for end in netlist.pins_on(net, PinKind.IN):
            if levels and min(levels) < netlist.pin_at(end).high_volts:
                yield (
                    f"{_format_pin(netlist, end)} reads high from {netlist.pin_at(end).high_volts:g} V on "
                    f"and gets {min(levels):g}: "
                    "it needs a 74AHCT125 before it."
                )


def check_capacitors(netlist: Netlist) -> Iterator[str]:
    """Every chip has a capacitor beside it, and the chain of lamps a large one at its beginning."""
    for part in netlist.parts.values():
        if not part_catalogue.PART_TYPES[part.part_type].needs_capacitor:
            continue
        rails, grounds = _part_nets(netlist, part, PinKind.FED), _part_nets(netlist, part, PinKind.GROUND)
        beside = [each for each in netlist.parts_of_type("capacitor") if each.beside == part.ref]
        if not any(_is_across(netlist, each, rails, grounds) for each in beside):
            yield f"{part.ref} has no capacitor from its supply to ground beside it."
    lamps, reservoirs = list(netlist.parts_of_type("lamp")), list(netlist.parts_of_type("reservoir"))
    if lamps and not reservoirs:
        yield "The chain of lamps has no large capacitor at its beginning."
    for part in reservoirs if lamps else ():
        if not _is_across(
            netlist, part, _part_nets(netlist, lamps[0], PinKind.FED), _part_nets(netlist, lamps[0], PinKind.GROUND)
        ):
            yield f"{part.ref} must have its + on the lamps' supply and its - on ground."


def _is_across(netlist: Netlist, part: CircuitPart, one: set[str | None], other: set[str | None]) -> bool:
    first, second = (netlist.net_of(PartPin(part.ref, number)) for number in ("1", "2"))
    return (first in one and second in other) or (second in one and first in other and part.part_type != "reservoir")


def _part_nets(netlist: Netlist, part: CircuitPart, kind: PinKind) -> set[str | None]:
    return {netlist.net_of(PartPin(part.ref, number)) for number, pin in part.pins.items() if pin.pin_kind is kind}


def check_loads(netlist: Netlist) -> Iterator[str]:
    """No pin gives or takes more current than it may."""
    for net in netlist.nets:
        takes = sum(netlist.pin_at(end).max_current for end in netlist.pins_on(net, PinKind.FED))
        if rail_volts(netlist, net) == part_catalogue.LOGIC_VOLTS and takes > part_catalogue.RAIL_MOST:
            yield f"The header's 3.3 V would have to give {takes:g} mA; boards may take {part_catalogue.RAIL_MOST:g}."
    for net in netlist.nets:
        for end in netlist.pins_on(net, PinKind.TURN, PinKind.OUT, PinKind.OPEN):
            opens = netlist.pin_at(end).pin_kind is PinKind.OPEN
            flows = sum(
                _resistor_current(netlist, each, 0.0 if opens else netlist.pin_at(end).volts)
                for each in netlist.nets[net]
            )
            if opens:
                flows += sum(
                    _pull_up_current(netlist, each) for each in reachable_nets(netlist, net, ("button", "diode"))
                )
            if flows > netlist.pin_at(end).max_current:
                yield f"{_format_pin(netlist, end)} would have to carry {flows:.1f} mA; it may {netlist.pin_at(end).max_current:g}."


def check_values(netlist: Netlist) -> Iterator[str]:
    """Resistors and capacitors have values that do what they are for."""
    for part in netlist.parts_of_type("resistor", "capacitor", "reservoir"):
        nets = [netlist.net_of(PartPin(part.ref, number)) for number in part.pins]
        series = part.part_type == "resistor" and all(rail_volts(netlist, net) is None for net in nets)
        least, most = VALUE_RANGES["series" if series else part.part_type]
        if not parse_amount(least) <= parse_amount(part.value) <= parse_amount(most):
            yield f"{part.ref} has {part.value or 'no value'}; it must have from {least} to {most}."


def _resistor_current(netlist: Netlist, end: PartPin, volts: float) -> float:
    """How much flows, in mA, from a net at so many volts through a resistor to the rail that is beyond it, or to it."""
    part, other = netlist.parts[end.part], netlist.other_pin(end)
    if part.part_type != "resistor" or other is None:
        return 0.0
    ways = reachable_nets(netlist, beyond) if (beyond := netlist.net_of(other)) else ()
    rails = [held for net in ways if (held := rail_volts(netlist, net)) is not None]
    return 1000 * max((abs(volts - held) for held in rails), default=0.0) / max(parse_amount(part.value), 0.1)


def _pull_up_current(netlist: Netlist, net: str) -> float:
    """How much, in mA, the pull-ups of a net give when it lies on ground."""
    flows = 0.0
    for end in netlist.nets[net]:
        pin = netlist.pin_at(end)
        if pin.pull_volts:
            fixed = end.part == "J1" and end.pin in ("3", "5")
            kind = "i2c" if fixed else "pi" if end.part == "J1" else "mcp23017"
            flows += 1000 * pin.pull_volts / part_catalogue.PULL_UP_OHMS[kind]
    return flows


def parse_amount(value: str) -> float:
    """A value in ohm, farad or ampere; 0 if it cannot be read."""
    match = re.fullmatch(r"([0-9.]+) ([pnµmk]?)[ΩFA]", value)
    times = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "": 1.0}
    return float(match[1]) * times[match[2]] if match else 0.0


def check_fuse(netlist: Netlist) -> Iterator[str]:
    """What feeds the lamps goes through a fuse."""
    if any(netlist.parts_of_type("lamp")) and not any(netlist.parts_of_type("fuse")):
        yield "Nothing opens when the lamps' supply is shorted: there is no fuse."
    feeds = {netlist.net_of(find_pin(lamp, "5 V")): lamp for lamp in netlist.parts_of_type("lamp")}
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
"""All rules; `thin` of the wires comes on top."""


def _format_pin(netlist: Netlist, end: PartPin) -> str:
    """A pin for people: `pin 11 of the header (GPIO 17)`, `pin 3 of U_b2 (OUT)`."""
    whose = "the header" if end.part == "J1" else end.part
    name = netlist.pin_at(end).name
    return f"Pin {end.pin} of {whose}" + (f" ({name})" if name != end.pin else "")
