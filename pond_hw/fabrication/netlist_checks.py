"""Electrical rules for a netlist from any source. Each rule yields one message per fault.

The rules cover only direct current. The kind of a GPIO pin depends on how the board's drivers use it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import combinations
from operator import itemgetter
from typing import NamedTuple

from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, Pin, PinKind
from pond_hw.fabrication.part_catalogue import LAMP_VOLTS, LOGIC_VOLTS, MAX_RAIL_CURRENT_MA, PART_TYPES, PULL_UP_OHMS
from pond_hw.messages.message import Message
from pond_hw.profile.pico_header import LOGIC_CURRENT_MA

SWITCH_TYPES = ("button", "key", "turn key")
CONDUCTING_TYPES = ("resistor", "fuse", "buzzer", "diode", "cut-off transistor", *SWITCH_TYPES)
"""Parts that conduct between two pins, at least some of the time."""

FEED_TYPES = ("fuse", "cut-off transistor")
"""Parts through which a supply reaches the lamps."""

CC_OHMS = (4590.0, 5610.0)
"""Resistance at each CC pin of a USB-C socket: 5.1 kΩ ± 10 % (USB Type-C specification, Rd)."""

REFERENCE_VOLTS = 2.495
"""Voltage at which a TL431 conducts (Texas Instruments, TL431)."""

CUT_OFF_VOLTS = (5.5, 6.0)
"""Minimum and maximum of the voltage at which the lamps are cut off. USB allows 5.5 V; the level shifter bears 5.5 V, and 7 V
for a moment (TI, SN74AHCT125).
"""

INDICATOR_MA = (0.5, 10.0)
"""Minimum and maximum current of the power lamp in mA; our choice."""

INDICATOR_VOLTS = 2.0
"""Voltage across a green LED."""

STRONG_KINDS = (PinKind.OUT, PinKind.GPIO_OUT)
DRIVING_KINDS = (*STRONG_KINDS, PinKind.TRI_STATE, PinKind.OPEN, PinKind.SUPPLY, PinKind.GROUND)

VALUE_RANGES = {
    "resistor": ("100 Ω", "100 kΩ"),
    "series": ("100 Ω", "1 kΩ"),
    "capacitor": ("10 nF", "1 µF"),
    "reservoir": ("470 µF", "2200 µF"),
    "USB reservoir": ("1 µF", "3.3 µF"),
}
"""Minimum and maximum value by kind of part; those for capacitors are from the catalogue. Less than 100 Ω doesn't protect
a pin, and more than 100 kΩ doesn't pull a net reliably. With 1 kΩ in series, an input's 15 pF and a short wire delay an
edge by about 50 ns; a lamp's bit takes at least 300 ns.
"""

VOLTAGE_MARGIN = 0.3
"""Volts above its supply that a pin tolerates, according to all data sheets used here."""


def check_netlist(netlist: Netlist) -> list[Message]:
    """Return all faults in a netlist that has the parts of the row boards."""
    nets = [_Net(netlist, net_name) for net_name in netlist.nets]
    net_rules = (
        check_shorts,
        check_supplies,
        check_drivers,
        check_conflicts,
        check_pulls,
        check_voltages,
        check_levels,
        check_loads,
    )
    found = [*check_connections(netlist), *(fault for rule in net_rules for net in nets for fault in rule(net))]
    found += [*check_switches(netlist), *check_capacitors(netlist), *check_values(netlist), *check_fuse(netlist)]
    return [*found, *check_socket(netlist), *check_protection(netlist), *check_indicator(netlist)]


class _NetPin(NamedTuple):
    """Pin on a net. `str()` formats it as in messages: `J1.11 (GPIO 17)`, `U_b2.3 (OUT)`."""

    end: PartPin
    pin: Pin

    def __str__(self) -> str:
        return f"{self.end} ({self.pin.name})" if self.pin.name != self.end.pin else str(self.end)


class _Net:
    """Net with its pins."""

    def __init__(self, netlist: Netlist, name: str) -> None:
        self.netlist, self.name = netlist, name
        self.pins = [_NetPin(end, netlist.pin_at(end)) for end in netlist.nets[name]]

    def pins_of(self, *kinds: PinKind) -> list[_NetPin]:
        return [net_pin for net_pin in self.pins if net_pin.pin.pin_kind in kinds]

    def near_pins(self, *part_types: str) -> list[_NetPin]:
        return _near_pins(self.netlist, self.name, part_types)


def reachable_nets(netlist: Netlist, net_name: str | None, part_types: tuple[str, ...] = CONDUCTING_TYPES) -> list[str]:
    """Return a net and all nets that current can reach from it. The search stops at supplies and ground."""
    found_nets = [net_name] if net_name else []
    for near_net in found_nets:  # grows during the loop
        if any(netlist.pins_on(near_net, PinKind.SUPPLY, PinKind.GROUND)):
            continue
        for part_type, net_beyond in netlist.neighbours[near_net]:
            if part_type in part_types and net_beyond not in found_nets:
                found_nets.append(net_beyond)
    return found_nets


def _near_pins(netlist: Netlist, net_name: str | None, part_types: tuple[str, ...]) -> list[_NetPin]:
    ends = [end for near_net in reachable_nets(netlist, net_name, part_types) for end in netlist.nets[near_net]]
    return [_NetPin(end, netlist.pin_at(end)) for end in ends]


def rail_volts(netlist: Netlist, net_name: str | None) -> float | None:
    """Return the voltage of a rail, even behind a fuse or the cut-off: 0 for the Pi's ground, None for any other net."""
    if any(part_pin.part == "J1" for part_pin in netlist.pins_on(net_name, PinKind.GROUND)):
        return 0.0
    feeds = [pin.volts for _, pin in _near_pins(netlist, net_name, FEED_TYPES) if pin.pin_kind is PinKind.SUPPLY]
    return max(feeds, default=None)


def check_connections(netlist: Netlist) -> Iterator[Message]:
    """Check that every net joins at least two pins, and that every pin is connected, except a chip's spare inputs and outputs.

    Header pins are never spare, because the netlist lists only those in use.
    """
    for net_name, part_pins in netlist.nets.items():
        if len(part_pins) == 1:
            lone_pin = _NetPin(part_pins[0], netlist.pin_at(part_pins[0]))
            yield Message("netlist.open.net", pin=str(lone_pin), net=net_name)
    for part in netlist.parts.values():
        for leg_number, pin in part.pins.items():
            part_pin = PartPin(part.ref, leg_number)
            is_spare = pin.pin_kind in STRONG_KINDS or (pin.pin_kind is PinKind.IN and pin.pull_volts is not None)
            if netlist.net_of(part_pin) is None and (part.ref == "J1" or not is_spare):
                yield Message("netlist.open.pin", pin=str(_NetPin(part_pin, pin)))


def check_shorts(net: _Net) -> Iterator[Message]:
    """Check that no part is shorted: only a rail may join two of its pins, and no net may join both ends of a two-pin part."""
    is_rail = rail_volts(net.netlist, net.name) is not None
    first_pins: dict[str, _NetPin] = {}
    for net_pin in net.pins:
        first_pin = first_pins.setdefault(net_pin.end.part, net_pin)
        if first_pin != net_pin and (not is_rail or net.netlist.other_pin(net_pin.end)):
            yield Message("netlist.short", one=str(first_pin), other=str(net_pin), net=net.name)


def check_supplies(net: _Net) -> Iterator[Message]:
    """Check that every chip has a supply and ground, and that its configuration pins are on the right rails."""
    net_volts = rail_volts(net.netlist, net.name)
    for net_pin in net.pins:
        pin, pin_name = net_pin.pin, str(net_pin)
        if pin.pin_kind is PinKind.GROUND and net_volts != 0.0:
            yield Message("netlist.supply.no_ground", pin=pin_name)
        elif pin.pin_kind is PinKind.FED and not net_volts:
            yield Message("netlist.supply.none", pin=pin_name)
        elif pin.pin_kind is PinKind.FED and net_volts and net_volts < pin.high_volts:
            yield Message("netlist.supply.too_low", pin=pin_name, needed=pin.high_volts, volts=net_volts)
        elif pin.required_rail and net_volts != pin.required_rail:
            yield Message("netlist.supply.wrong_rail", pin=pin_name, volts=pin.required_rail)
        elif pin.required_rail == 0.0 and net_volts != 0.0:
            yield Message("netlist.supply.not_on_ground", pin=pin_name)


def check_drivers(net: _Net) -> Iterator[Message]:
    """Check that every net with an input has a driver; a resistor to a rail is not enough."""
    reading_pins = net.pins_of(PinKind.IN)
    if not reading_pins:
        return
    is_driven = any(pin.pin_kind in DRIVING_KINDS for _, pin in net.near_pins(*CONDUCTING_TYPES))
    if not is_driven or _is_only_pulled(net):
        yield Message("netlist.driver.none", pin=str(reading_pins[0]), net=net.name)


def _is_only_pulled(net: _Net) -> bool:
    """Return True if a net is connected only to rails, and only through resistors."""
    signal_nets = []
    for near_net in reachable_nets(net.netlist, net.name, ("resistor",)):
        if any(net.netlist.pins_on(near_net, *STRONG_KINDS, PinKind.TRI_STATE, PinKind.OPEN)):
            return False
        if rail_volts(net.netlist, near_net) is None:
            signal_nets.append(near_net)
    neighbour_types = {part_type for near_net in signal_nets for part_type, _ in net.netlist.neighbours[near_net]}
    return net.name in signal_nets and neighbour_types.isdisjoint({*CONDUCTING_TYPES} - {"resistor"})


def check_conflicts(net: _Net) -> Iterator[Message]:
    driving_pins = net.pins_of(*DRIVING_KINDS)
    pin_by_kind = {net_pin.pin.pin_kind: net_pin for net_pin in reversed(driving_pins)}
    for first, second in combinations(pin_by_kind.values(), 2):  # two different kinds always conflict
        yield Message("netlist.driver.conflict", one=str(first), other=str(second), net=net.name)
    for first, second in combinations(driving_pins, 2):
        if _drive_together(net.netlist, first, second):
            yield Message("netlist.driver.two", one=str(first), other=str(second), net=net.name)


def _drive_together(netlist: Netlist, first: _NetPin, second: _NetPin) -> bool:
    """Return True if two pins of the same kind can drive a net at the same time, unless they belong to one supply."""
    pin_kind = first.pin.pin_kind
    if pin_kind is not second.pin.pin_kind or pin_kind in (PinKind.OPEN, PinKind.GROUND):
        return False
    if pin_kind is PinKind.SUPPLY:
        return first.end.part != second.end.part or first.pin.volts != second.pin.volts
    if pin_kind is PinKind.TRI_STATE:
        return len({netlist.pin_net(netlist.parts[net_pin.end.part], "CS") for net_pin in (first, second)}) == 1
    return True


def check_pulls(net: _Net) -> Iterator[Message]:
    """Check that every input has a defined level when nothing drives it, and that open outputs have a pull-up."""
    reading_pins, open_count = net.pins_of(PinKind.IN, PinKind.OPEN), len(net.pins_of(PinKind.OPEN))
    if len(reading_pins) == open_count < 2:
        return  # nothing reads it
    pins = [pin for _, pin in net.near_pins("resistor")]
    pull_volts = [pin.pull_volts for pin in pins if pin.pull_volts is not None]
    pull_volts += [pin.volts for pin in pins if pin.pin_kind in (PinKind.OUT, PinKind.SUPPLY, PinKind.GROUND)]
    if open_count and not any(pull_volts):
        yield Message("netlist.pull.no_pull_up", pin=str(reading_pins[0]), net=net.name)
    elif not pull_volts:
        yield Message("netlist.pull.none", pin=str(reading_pins[0]), net=net.name)


def check_voltages(net: _Net) -> Iterator[Message]:
    driving_kinds = (*STRONG_KINDS, PinKind.TRI_STATE, PinKind.SUPPLY)
    volts_and_pins = [
        (net_pin.pin.volts if net_pin.pin.pin_kind in driving_kinds else net_pin.pin.pull_volts or 0.0, net_pin)
        for net_pin in net.near_pins(*CONDUCTING_TYPES)
    ]
    highest_volts, source_pin = max(volts_and_pins, key=itemgetter(0), default=(0.0, None))
    for net_pin in net.pins:
        tolerates_any = net_pin.pin.pin_kind in (PinKind.PASSIVE, PinKind.GROUND)
        if not tolerates_any and highest_volts > net_pin.pin.volts + VOLTAGE_MARGIN:
            volts = {"most": net_pin.pin.volts, "volts": highest_volts}
            yield Message("netlist.voltage.too_high", pin=str(net_pin), source=str(source_pin), **volts)


def check_levels(net: _Net) -> Iterator[Message]:
    driving_kinds = (*STRONG_KINDS, PinKind.TRI_STATE)
    volts = min((pin.volts for _, pin in net.near_pins("resistor") if pin.pin_kind in driving_kinds), default=math.inf)
    for net_pin in net.pins_of(PinKind.IN):
        needed = net_pin.pin.high_volts
        if volts < needed:
            yield Message("netlist.voltage.too_low", pin=str(net_pin), needed=needed, volts=volts)


def check_loads(net: _Net) -> Iterator[Message]:
    """Check that no pin sources or sinks more than its maximum current."""
    total_current = sum(net_pin.pin.max_current for net_pin in net.pins_of(PinKind.FED))
    max_rail_current = LOGIC_CURRENT_MA if net.netlist.parts["J1"].part_type == "pico" else MAX_RAIL_CURRENT_MA
    if total_current > max_rail_current and rail_volts(net.netlist, net.name) == LOGIC_VOLTS:
        yield Message("netlist.load.header", current=total_current, most=max_rail_current)
    for net_pin in net.pins_of(PinKind.GPIO_OUT, PinKind.OUT, PinKind.OPEN):
        is_open = net_pin.pin.pin_kind is PinKind.OPEN
        net_volts = 0.0 if is_open else net_pin.pin.volts
        current = sum(_resistor_current(net.netlist, joined_pin.end, net_volts) for joined_pin in net.pins)
        pulled_pins = net.near_pins("button", "diode") if is_open else []
        current += sum(1000 * (pin.pull_volts or 0) / _pull_up_ohms(net.netlist, end) for end, pin in pulled_pins)
        if current > net_pin.pin.max_current:
            yield Message("netlist.load.pin", pin=str(net_pin), current=current, most=net_pin.pin.max_current)


def _resistor_current(netlist: Netlist, part_pin: PartPin, net_volts: float) -> float:
    """Return the current in mA from a net at `net_volts` through a resistor to the rail beyond it."""
    part, other_pin = netlist.parts[part_pin.part], netlist.other_pin(part_pin)
    if part.part_type != "resistor" or other_pin is None:
        return 0.0
    held_volts = [rail_volts(netlist, net_name) for net_name in reachable_nets(netlist, netlist.net_of(other_pin))]
    difference = max((abs(net_volts - rail_level) for rail_level in held_volts if rail_level is not None), default=0.0)
    return 1000 * difference / max(parse_amount(part.value), 0.1)


def _pull_up_ohms(netlist: Netlist, part_pin: PartPin) -> float:
    part_type = netlist.parts[part_pin.part].part_type
    return PULL_UP_OHMS.get("i2c" if part_type == "pi" and part_pin.pin in ("3", "5") else part_type, math.inf)


def check_switches(netlist: Netlist) -> Iterator[Message]:
    """Check that every switch, when closed, connects a pulled-up input to ground or to a line that can be pulled low.

    A switch between two outputs would short them.
    """
    for part in netlist.parts_of_type(*SWITCH_TYPES):
        net_names = netlist.part_nets(part)
        both_ways = (net_names, net_names[::-1])
        if not any(_is_pulled_up(netlist, read) and _can_sink(netlist, low) for read, low in both_ways):
            yield Message("netlist.switch.no_effect", part=part.ref)


def _is_pulled_up(netlist: Netlist, net_name: str | None) -> bool:
    pins = [pin for _, pin in _near_pins(netlist, net_name, ("resistor",))]
    is_pulled = any(pin.pull_volts or pin.pin_kind is PinKind.SUPPLY for pin in pins)
    is_driven = any(netlist.pins_on(net_name, *DRIVING_KINDS))
    return is_pulled and any(netlist.pins_on(net_name, PinKind.IN)) and not is_driven


def _can_sink(netlist: Netlist, net_name: str | None) -> bool:
    """Return True if a net is ground or can be pulled low, directly or through a diode."""
    anodes = [part_pin for part_pin in netlist.ends_on(net_name) if netlist.pin_at(part_pin).name == "anode"]
    near_nets = [net_name, *(netlist.net_of(band) for part_pin in anodes if (band := netlist.other_pin(part_pin)))]
    return any(rail_volts(netlist, near) == 0.0 or any(netlist.pins_on(near, PinKind.OPEN)) for near in near_nets)


def check_capacitors(netlist: Netlist) -> Iterator[Message]:
    """Check that every chip has a capacitor beside it, and that the lamp chain has a reservoir capacitor at its start.

    A lamp in a cell needs a capacitor too. Lamps of turn keys are bought with one.
    """
    for part in netlist.parts.values():
        if PART_TYPES[part.part_type].needs_capacitor or (part.part_type == "lamp" and part.cell):
            beside = [capacitor for capacitor in netlist.parts_of_type("capacitor") if capacitor.beside == part.ref]
            if not any(_is_across(netlist, capacitor, part) for capacitor in beside):
                yield Message("netlist.capacitor.missing", part=part.ref)
    if lamp := next(netlist.parts_of_type("lamp"), None):
        if not netlist.has_type("reservoir"):
            yield Message("netlist.reservoir.missing")
        for part in netlist.parts_of_type("reservoir"):
            if not _is_across(netlist, part, lamp):
                yield Message("netlist.reservoir.wrong_place", part=part.ref)


def _is_across(netlist: Netlist, capacitor: CircuitPart, fed_part: CircuitPart) -> bool:
    """Return True if a capacitor connects a part's supply and ground; a reservoir must also have the right polarity."""
    supply_nets, ground_nets = netlist.part_nets(fed_part, PinKind.FED), netlist.part_nets(fed_part, PinKind.GROUND)
    first_net, second_net = netlist.part_nets(capacitor)
    is_turned = second_net in supply_nets and first_net in ground_nets and capacitor.part_type != "reservoir"
    return (first_net in supply_nets and second_net in ground_nets) or is_turned


def check_values(netlist: Netlist) -> Iterator[Message]:
    for part in netlist.parts_of_type("resistor", "capacitor", "reservoir"):
        in_series = all(rail_volts(netlist, net_name) is None for net_name in netlist.part_nets(part))
        value_kind = "series" if part.part_type == "resistor" and in_series else part.part_type
        if value_kind == "reservoir" and netlist.parts["J1"].part_type == "pico" and not netlist.has_type("supply"):
            value_kind = "USB reservoir"
        min_value, max_value = VALUE_RANGES[value_kind]
        if not part.value:
            yield Message("netlist.value.missing", part=part.ref, least=min_value, most=max_value)
        elif not parse_amount(min_value) <= parse_amount(part.value) <= parse_amount(max_value):
            yield Message("netlist.value.wrong", part=part.ref, value=part.value, least=min_value, most=max_value)


def parse_amount(value_text: str) -> float:
    """Parse a value in ohms, farads or amperes; return 0 if it is invalid."""
    match = re.fullmatch(r"([0-9.]+) ([pnµmk]?)[ΩFA]", value_text)
    unit_factors = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "": 1.0}
    return float(match[1]) * unit_factors[match[2]] if match else 0.0


def check_fuse(netlist: Netlist) -> Iterator[Message]:
    if netlist.has_type("lamp") and not netlist.has_type("fuse"):
        yield Message("netlist.fuse.missing")
    feeds = {netlist.pin_net(lamp, "5 V"): lamp for lamp in netlist.parts_of_type("lamp")}
    for feed, lamp in feeds.items():
        for part_pin in netlist.pins_on(feed, PinKind.SUPPLY):
            yield Message("netlist.fuse.bypassed", pin=str(_NetPin(part_pin, netlist.pin_at(part_pin))), lamp=lamp.ref)


def check_socket(netlist: Netlist) -> Iterator[Message]:
    """Check that each CC pin of a USB-C socket has a resistor of its own to ground: otherwise it gets no voltage."""
    for socket in netlist.parts_of_type("supply"):
        for pin_name in ("CC1", "CC2"):
            net_name = netlist.pin_net(socket, pin_name)
            ohms = [
                parse_amount(netlist.parts[end.part].value)
                for end in netlist.ends_on(net_name)
                if netlist.parts[end.part].part_type == "resistor" and _leads_to(netlist, end, 0.0)
            ]
            is_shared = net_name is not None and netlist.part_nets(socket).count(net_name) > 1
            if is_shared or len(ohms) != 1 or not CC_OHMS[0] <= ohms[0] <= CC_OHMS[1]:
                yield Message("netlist.socket.no_resistor", pin=pin_name, socket=socket.ref)


def _leads_to(netlist: Netlist, end: PartPin, volts: float) -> bool:
    """Return True if the other end of a two-pin part is on a rail with this voltage."""
    other_pin = netlist.other_pin(end)
    return other_pin is not None and rail_volts(netlist, netlist.net_of(other_pin)) == volts


def check_protection(netlist: Netlist) -> Iterator[Message]:
    """Check the parts between a USB-C socket's fuse and the lamps: the diode to ground and the cut-off."""
    lamp = next(netlist.parts_of_type("lamp"), None)
    if lamp is None or not netlist.has_type("supply"):
        return
    lamp_net, supply_nets = (
        netlist.pin_net(lamp, "5 V"),
        {netlist.net_of(end) for part in netlist.parts_of_type("supply") for end in _supply_pins(part)},
    )
    fused_nets = set(reachable_nets(netlist, lamp_net, FEED_TYPES)) - {lamp_net, *supply_nets}
    diodes = list(netlist.parts_of_type("tvs"))
    if not diodes:
        yield Message("netlist.protection.no_diode")
    for diode in diodes:
        anode_net, band_net = (netlist.pin_net(diode, name) for name in ("anode", "band"))
        if rail_volts(netlist, anode_net) != 0.0 or band_net not in fused_nets:
            yield Message("netlist.protection.wrong_diode", part=diode.ref)
    cut_offs = list(netlist.parts_of_type("cut-off transistor"))
    if not cut_offs:
        yield Message("netlist.protection.no_cut_off")
    for transistor in cut_offs:
        if not _cuts_off(netlist, transistor, lamp_net):
            yield Message("netlist.protection.wrong_cut_off", part=transistor.ref)
    volts = _cut_off_volts(netlist)
    if cut_offs and not CUT_OFF_VOLTS[0] <= volts <= CUT_OFF_VOLTS[1]:
        yield Message("netlist.protection.wrong_volts", volts=volts, least=CUT_OFF_VOLTS[0], most=CUT_OFF_VOLTS[1])


def _supply_pins(part: CircuitPart) -> Iterator[PartPin]:
    return (PartPin(part.ref, number) for number, pin in part.pins.items() if pin.pin_kind is PinKind.SUPPLY)


def _cuts_off(netlist: Netlist, transistor: CircuitPart, lamp_net: str | None) -> bool:
    """Return True if a cut-off transistor is the right way round, is turned on by a resistor, and off by a PNP transistor."""
    source_net, drain_net, gate_net = (netlist.pin_net(transistor, name) for name in ("source", "drain", "gate"))
    pulls_down = any(
        netlist.parts[end.part].part_type == "resistor" and _leads_to(netlist, end, 0.0)
        for end in netlist.ends_on(gate_net)
    )
    is_opened = any(
        netlist.pin_net(opener, "collector") == gate_net
        and netlist.pin_net(opener, "emitter") == source_net
        and _is_pulled_by_reference(netlist, netlist.pin_net(opener, "base"))
        for opener in netlist.parts_of_type("pnp transistor")
    )
    return drain_net == lamp_net and source_net != lamp_net and pulls_down and is_opened


def _is_pulled_by_reference(netlist: Netlist, base_net: str | None) -> bool:
    beyond = [
        net_beyond for part_type, net_beyond in netlist.neighbours.get(base_net or "", ()) if part_type == "resistor"
    ]
    return any(
        netlist.pin_net(reference, "cathode") in beyond
        and rail_volts(netlist, netlist.pin_net(reference, "anode")) == 0.0
        for reference in netlist.parts_of_type("voltage reference")
    )


def _cut_off_volts(netlist: Netlist) -> float:
    """Return the voltage at which the divider at the reference reaches its threshold; 0 without a divider."""
    for reference in netlist.parts_of_type("voltage reference"):
        above, below = 0.0, 0.0
        for end in netlist.ends_on(netlist.pin_net(reference, "reference")):
            ohms = parse_amount(netlist.parts[end.part].value)
            if ohms and _leads_to(netlist, end, 0.0):
                below += ohms
            elif ohms:
                above += ohms
        if above and below:
            return REFERENCE_VOLTS * (1 + above / below)
    return 0.0


def check_indicator(netlist: Netlist) -> Iterator[Message]:
    """Check that the power lamp is behind the fuse and the cut-off, the right way round, with a resistor."""
    lamp = next(netlist.parts_of_type("lamp"), None)
    for indicator in netlist.parts_of_type("power lamp"):
        anode_net, band_net = (netlist.pin_net(indicator, name) for name in ("anode", "band"))
        feeds = [
            1000 * (LAMP_VOLTS - INDICATOR_VOLTS) / max(parse_amount(netlist.parts[end.part].value), 0.1)
            for end in netlist.ends_on(anode_net)
            if netlist.parts[end.part].part_type == "resistor"
            and lamp is not None
            and (other_pin := netlist.other_pin(end)) is not None
            and netlist.net_of(other_pin) == netlist.pin_net(lamp, "5 V")
        ]
        is_lit = len(feeds) == 1 and INDICATOR_MA[0] <= feeds[0] <= INDICATOR_MA[1]
        if not is_lit or rail_volts(netlist, band_net) != 0.0:
            yield Message("netlist.indicator", part=indicator.ref)
