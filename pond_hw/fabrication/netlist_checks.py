"""What must hold of every netlist, whoever made it: each rule gives a sentence for each thing that is wrong.

Only direct current is looked at. What a driver's program does is known by the kind of the pins it uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from operator import itemgetter

from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, Pin, PinKind
from pond_hw.fabrication.part_catalogue import LOGIC_VOLTS, PART_TYPES, PULL_UP_OHMS, RAIL_MOST

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
    """Everything that is wrong with a netlist, a sentence each; what is wrong with its wires comes on top."""
    return [
        *check_connections(netlist),
        *check_shorts(netlist),
        *check_supplies(netlist),
        *check_drivers(netlist),
        *check_conflicts(netlist),
        *check_switches(netlist),
        *check_pulls(netlist),
        *check_voltages(netlist),
        *check_levels(netlist),
        *check_capacitors(netlist),
        *check_loads(netlist),
        *check_values(netlist),
        *check_fuse(netlist),
    ]


def reachable_nets(netlist: Netlist, net_name: str | None, part_types: tuple[str, ...] = CONDUCTING_TYPES) -> list[str]:
    """The nets that current can get to from one, itself first; it does not go on beyond a supply or ground."""
    found_nets = [net_name] if net_name else []
    for near_net in found_nets:  # which grows meanwhile
        if any(netlist.pins_on(near_net, PinKind.SUPPLY, PinKind.GROUND)):
            continue
        for part_type, net_beyond in netlist.neighbours[near_net]:
            if part_type in part_types and net_beyond not in found_nets:
                found_nets.append(net_beyond)
    return found_nets


def _reachable_pins(
    netlist: Netlist, net_name: str | None, part_types: tuple[str, ...] = CONDUCTING_TYPES
) -> list[tuple[PartPin, Pin]]:
    """All pins on those nets, and where they are."""
    return [
        (part_pin, netlist.pin_at(part_pin))
        for near_net in reachable_nets(netlist, net_name, part_types)
        for part_pin in netlist.nets[near_net]
    ]


def rail_volts(netlist: Netlist, net_name: str | None) -> float | None:
    """The voltage that a net is held at: 0 on the Pi's ground, or what a supply feeds, by way of a fuse too."""
    if any(part_pin.part == "J1" for part_pin in netlist.pins_on(net_name, PinKind.GROUND)):
        return 0.0
    feeds = [pin.volts for _, pin in _reachable_pins(netlist, net_name, ("fuse",)) if pin.pin_kind is PinKind.SUPPLY]
    return max(feeds, default=None)


def check_connections(netlist: Netlist) -> Iterator[str]:
    """Every net joins something, and every pin is on one, but for outputs and inputs that a chip has to spare.

    The header has only the pins that are used, so that none of these is to spare.
    """
    for net_name, part_pins in netlist.nets.items():
        if len(part_pins) == 1:
            yield f"{_format_pin(netlist, part_pins[0])} is soldered to nothing: the net {net_name} has no other end."
    for part in netlist.parts.values():
        for leg_number, pin in part.pins.items():
            part_pin = PartPin(part.ref, leg_number)
            is_spare = pin.pin_kind in STRONG_KINDS or (pin.pin_kind is PinKind.IN and pin.pull_volts is not None)
            if netlist.net_of(part_pin) is None and (part.ref == "J1" or not is_spare):
                yield f"{_format_pin(netlist, part_pin)} is soldered to nothing."


def check_shorts(netlist: Netlist) -> Iterator[str]:
    """No part is shorted: no two of its pins are joined, unless on a rail."""
    for net_name, part_pins in netlist.nets.items():
        is_rail = rail_volts(netlist, net_name) is not None
        first_ends: dict[str, PartPin] = {}
        for part_pin in part_pins:
            first_pin = first_ends.setdefault(part_pin.part, part_pin)
            if first_pin != part_pin and (not is_rail or netlist.other_pin(part_pin)):
                yield f"{_format_pin(netlist, first_pin)} and pin {part_pin.pin} are joined, by the net {net_name}."


def check_supplies(netlist: Netlist) -> Iterator[str]:
    """Every chip has its supply and its ground, and what sets it up lies where it must."""
    for net_name, part_pins in netlist.nets.items():
        net_volts = rail_volts(netlist, net_name)
        for part_pin in part_pins:
            pin, pin_text = netlist.pin_at(part_pin), _format_pin(netlist, part_pin)
            if pin.pin_kind is PinKind.GROUND and net_volts != 0.0:
                yield f"{pin_text} is not joined with the Pi's ground."
            elif pin.pin_kind is PinKind.FED and not net_volts:
                yield f"{pin_text} has no supply."
            elif pin.pin_kind is PinKind.FED and net_volts and net_volts < pin.high_volts:
                yield f"{pin_text} needs {pin.high_volts:g} V and gets {net_volts:g}."
            elif pin.required_rail is not None and net_volts != pin.required_rail:
                yield f"{pin_text} belongs on {f'{pin.required_rail:g} V' if pin.required_rail else 'ground'}."


def check_drivers(netlist: Netlist) -> Iterator[str]:
    """Every net that is read has something that drives it."""
    for net_name in netlist.nets:
        reading_pin = next(netlist.pins_on(net_name, PinKind.IN), None)
        if reading_pin and not any(pin.pin_kind in DRIVING_KINDS for _, pin in _reachable_pins(netlist, net_name)):
            yield f"{_format_pin(netlist, reading_pin)} is read, and nothing drives the net {net_name}."


def check_conflicts(netlist: Netlist) -> Iterator[str]:
    """No two pins drive one net against each other."""
    for net_name in netlist.nets:
        part_pins = list(netlist.pins_on(net_name, *DRIVING_KINDS))
        pin_by_kind = {netlist.pin_at(end).pin_kind: end for end in reversed(part_pins)}
        for pins in combinations(pin_by_kind.values(), 2):  # two of different kinds never go together
            yield f"{' and '.join(_format_pin(netlist, end) for end in pins)} are joined on the net {net_name}."
        for pins in combinations(part_pins, 2):
            if _drive_together(netlist, *pins):
                yield f"{' and '.join(_format_pin(netlist, end) for end in pins)} both drive the net {net_name}."


def _drive_together(netlist: Netlist, first_end: PartPin, second_end: PartPin) -> bool:
    """Whether two drive in one way and at the same time: not two pins of one supply, nor two that take turns."""
    first_pin, second_pin = netlist.pin_at(first_end), netlist.pin_at(second_end)
    if first_pin.pin_kind is not second_pin.pin_kind or first_pin.pin_kind in (PinKind.OPEN, PinKind.GROUND):
        return False
    if first_pin.pin_kind is PinKind.SUPPLY:
        return first_end.part != second_end.part or first_pin.volts != second_pin.volts
    if first_pin.pin_kind is PinKind.PICKED:
        return len({netlist.pin_net(netlist.parts[end.part], "CS") for end in (first_end, second_end)}) == 1
    return True


def check_switches(netlist: Netlist) -> Iterator[str]:
    """Every switch, when it closes, takes an input from its pull-up to ground, or to a line that is pulled low.

    So it joins no two that drive.
    """
    for part in netlist.parts_of_type(*SWITCH_TYPES):
        net_names = netlist.part_nets(part)
        both_ways = (net_names, net_names[::-1])
        if not any(_is_pulled_up(netlist, read) and _can_sink(netlist, low) for read, low in both_ways):
            yield f"Nobody feels {part.ref}: it must join an input that is pulled up with ground or a line of a matrix."


def _is_pulled_up(netlist: Netlist, net: str | None) -> bool:
    """Whether a net is read, and is only pulled up, not driven."""
    pins = [pin for _, pin in _reachable_pins(netlist, net, ("resistor",))]
    is_pulled = any(pin.pull_volts or pin.pin_kind is PinKind.SUPPLY for pin in pins)
    return is_pulled and any(netlist.pins_on(net, PinKind.IN)) and not any(netlist.pins_on(net, *DRIVING_KINDS))


def _can_sink(netlist: Netlist, net_name: str | None) -> bool:
    """Whether a net is on ground, or can be pulled there, through a diode that lets current out of it too."""
    anodes = [part_pin for part_pin in netlist.ends_on(net_name) if netlist.pin_at(part_pin).name == "anode"]
    near_nets = [net_name, *(netlist.net_of(band) for part_pin in anodes if (band := netlist.other_pin(part_pin)))]
    return any(rail_volts(netlist, near) == 0.0 or any(netlist.pins_on(near, PinKind.OPEN)) for near in near_nets)


def check_pulls(netlist: Netlist) -> Iterator[str]:
    """Every input lies somewhere when nobody drives it, and what is only pulled low is pulled up."""
    for net_name in netlist.nets:
        reading_pins = list(netlist.pins_on(net_name, PinKind.IN, PinKind.OPEN))
        open_count = sum(1 for _ in netlist.pins_on(net_name, PinKind.OPEN))
        if len(reading_pins) == open_count < 2:
            continue  # nobody reads it
        pins = [pin for _, pin in _reachable_pins(netlist, net_name, ("resistor",))]
        pull_volts = [pin.pull_volts for pin in pins if pin.pull_volts is not None]
        pull_volts += [pin.volts for pin in pins if pin.pin_kind in (PinKind.OUT, PinKind.SUPPLY, PinKind.GROUND)]
        if not pull_volts or (open_count and not any(pull_volts)):
            lacking = "pull-up" if open_count else "pull"
            yield f"{_format_pin(netlist, reading_pins[0])} floats: the net {net_name} has no {lacking}."


def check_voltages(netlist: Netlist) -> Iterator[str]:
    """No pin gets more volts than it bears."""
    driving_kinds = (*STRONG_KINDS, PinKind.PICKED, PinKind.SUPPLY)
    for net_name, part_pins in netlist.nets.items():
        volts_and_pins = [
            (pin.volts if pin.pin_kind in driving_kinds else pin.pull_volts or 0.0, part_pin)
            for part_pin, pin in _reachable_pins(netlist, net_name)
        ]
        highest_volts, source_pin = max(volts_and_pins, key=itemgetter(0))
        for part_pin in part_pins:
            pin, pin_text = netlist.pin_at(part_pin), _format_pin(netlist, part_pin)
            bears_any = pin.pin_kind in (PinKind.PASSIVE, PinKind.GROUND)
            if not bears_any and highest_volts > pin.volts + VOLTAGE_MARGIN:
                source_text = _format_pin(netlist, source_pin)
                yield f"{pin_text} bears {pin.volts:g} V and gets {highest_volts:g} from {source_text}."


def check_levels(netlist: Netlist) -> Iterator[str]:
    """Every input is driven high enough to read as high."""
    driving_kinds = (*STRONG_KINDS, PinKind.PICKED)
    for net_name in netlist.nets:
        near_pins = _reachable_pins(netlist, net_name, ("resistor",))
        driven_volts = [pin.volts for _, pin in near_pins if pin.pin_kind in driving_kinds]
        for part_pin in netlist.pins_on(net_name, PinKind.IN) if driven_volts else ():
            pin_text, needed_volts, volts = (
                _format_pin(netlist, part_pin),
                netlist.pin_at(part_pin).high_volts,
                min(driven_volts),
            )
            if volts < needed_volts:
                yield f"{pin_text} reads high from {needed_volts:g} V on and gets {volts:g}: it needs a 74AHCT125 before it."


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


def _is_across(netlist: Netlist, capacitor: CircuitPart, fed_part: CircuitPart) -> bool:
    """Whether a capacitor lies between the supply of what is fed and its ground; a reservoir not the wrong way round."""
    supply_nets, ground_nets = netlist.part_nets(fed_part, PinKind.FED), netlist.part_nets(fed_part, PinKind.GROUND)
    first_net, second_net = netlist.part_nets(capacitor)
    is_turned = second_net in supply_nets and first_net in ground_nets and capacitor.part_type != "reservoir"
    return (first_net in supply_nets and second_net in ground_nets) or is_turned


def check_loads(netlist: Netlist) -> Iterator[str]:
    """No pin gives or takes more current than it may."""
    for net_name in netlist.nets:
        current_taken = sum(netlist.pin_at(part_pin).max_current for part_pin in netlist.pins_on(net_name, PinKind.FED))
        if rail_volts(netlist, net_name) == LOGIC_VOLTS and current_taken > RAIL_MOST:
            yield f"The header's 3.3 V would have to give {current_taken:g} mA; boards may take {RAIL_MOST:g}."
    for net_name, part_pins in netlist.nets.items():
        for part_pin in netlist.pins_on(net_name, PinKind.TURN, PinKind.OUT, PinKind.OPEN):
            pin = netlist.pin_at(part_pin)
            is_open = pin.pin_kind is PinKind.OPEN
            net_volts = 0.0 if is_open else pin.volts
            current = sum(_resistor_current(netlist, joined_pin, net_volts) for joined_pin in part_pins)
            pulled_pins = _reachable_pins(netlist, net_name, ("button", "diode")) if is_open else []
            current += sum(1000 * (pulled.pull_volts or 0) / _pull_up_ohms(end) for end, pulled in pulled_pins)
            if current > pin.max_current:
                pin_text = _format_pin(netlist, part_pin)
                yield f"{pin_text} would have to carry {current:.1f} mA; it may {pin.max_current:g}."


def check_values(netlist: Netlist) -> Iterator[str]:
    """Resistors and capacitors have values that do what they are for."""
    for part in netlist.parts_of_type("resistor", "capacitor", "reservoir"):
        in_series = all(rail_volts(netlist, net_name) is None for net_name in netlist.part_nets(part))
        least_value, most = VALUE_RANGES["series" if part.part_type == "resistor" and in_series else part.part_type]
        if not parse_amount(least_value) <= parse_amount(part.value) <= parse_amount(most):
            yield f"{part.ref} has {part.value or 'no value'}; it must have from {least_value} to {most}."


def _resistor_current(netlist: Netlist, part_pin: PartPin, net_volts: float) -> float:
    """How much flows, in mA, from a net at so many volts through a resistor to the rail that is beyond it, or to it."""
    part, other_pin = netlist.parts[part_pin.part], netlist.other_pin(part_pin)
    if part.part_type != "resistor" or other_pin is None:
        return 0.0
    held_volts = [rail_volts(netlist, net_name) for net_name in reachable_nets(netlist, netlist.net_of(other_pin))]
    difference = max((abs(net_volts - rail_level) for rail_level in held_volts if rail_level is not None), default=0.0)
    return 1000 * difference / max(parse_amount(part.value), 0.1)


def _pull_up_ohms(part_pin: PartPin) -> int:
    """The pull-up inside a pin."""
    on_pi = "i2c" if part_pin.pin in ("3", "5") else "pi"
    return PULL_UP_OHMS[on_pi if part_pin.part == "J1" else "mcp23017"]


def parse_amount(value_text: str) -> float:
    """A value in ohm, farad or ampere; 0 if it cannot be read."""
    match = re.fullmatch(r"([0-9.]+) ([pnµmk]?)[ΩFA]", value_text)
    unit_factors = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "": 1.0}
    return float(match[1]) * unit_factors[match[2]] if match else 0.0


def check_fuse(netlist: Netlist) -> Iterator[str]:
    """What feeds the lamps goes through a fuse."""
    if netlist.has_type("lamp") and not netlist.has_type("fuse"):
        yield "Nothing opens when the lamps' supply is shorted: there is no fuse."
    feeds = {netlist.pin_net(lamp, "5 V"): lamp for lamp in netlist.parts_of_type("lamp")}
    for feed, lamp in feeds.items():
        for part_pin in netlist.pins_on(feed, PinKind.SUPPLY):
            yield f"{_format_pin(netlist, part_pin)} feeds {lamp.ref} past the fuse."


def _format_pin(netlist: Netlist, part_pin: PartPin) -> str:
    """A pin for people: `Pin 11 of the header (GPIO 17)`, `Pin 3 of U_b2 (OUT)`."""
    part_name = "the header" if part_pin.part == "J1" else part_pin.part
    pin_name = netlist.pin_at(part_pin).name
    return f"Pin {part_pin.pin} of {part_name}" + (f" ({pin_name})" if pin_name != part_pin.pin else "")
