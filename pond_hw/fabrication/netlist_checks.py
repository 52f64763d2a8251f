"""What must hold of every netlist, whoever made it: each rule gives a sentence for each thing that is wrong.

Only direct current is looked at. What a driver's program does is known by the kind of the pins it uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations

from pond_hw.fabrication import part_catalogue
from pond_hw.fabrication.circuit import FUSE_LOAD, fuse_for
from pond_hw.fabrication.netlist import End, Kind, Netlist, Part, named
from pond_hw.fabrication.wire_tracing import adc_of, chain_of, gpio_on, routes
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import Analog, Profile, Trellis
from pond_hw.profile.board_profile import wires as wired_to
from pond_hw.rules import grid

SWITCHES = ("button", "key")
CONDUCT = ("resistor", "fuse", "buzzer", "diode", *SWITCHES)
"""Parts with two ends that current can flow through, some of them only sometimes."""

DRIVERS = (Kind.OUT, Kind.TURN, Kind.PICKED, Kind.OPEN, Kind.SUPPLY, Kind.GROUND)
STRONG = (Kind.OUT, Kind.TURN)

VALUES = {
    "resistor": ("100 Ω", "100 kΩ"),
    "series": ("100 Ω", "1 kΩ"),
    "capacitor": ("10 nF", "1 µF"),
    "reservoir": ("470 µF", "2200 µF"),
}
"""From and to. Of capacitors what the catalogue says will do. Less than 100 Ω shields nothing, and more than 100 kΩ
pulls nothing. With 1 kΩ in the way of a signal, an input's 15 pF and a short wire, an edge is late by some 50 ns, of
the 300 of a lamp's bit."""

SLACK = 0.3
"""V that a pin bears above its own supply, by all data sheets here."""


def wrong(netlist: Netlist) -> list[str]:
    """Everything that is wrong with a netlist, a sentence each."""
    return [sentence for rule in RULES for sentence in rule(netlist)]


def differing(profile: Profile, netlist: Netlist) -> Iterator[str]:
    """Where the wires do not lead to where the profile, and so the drivers, look for them."""
    wiring = profile.sensing.wiring
    found = routes(netlist)
    for cell, place in zip(grid(profile.size).cells, wired_to(wiring), strict=False):
        if isinstance(wiring, Trellis):
            break
        route = found.get(cell)
        if route is None or route.place != place:
            leads = f"leads to {route.place}" if route else "leads nowhere"
            yield f"The wire of {cell} {leads}, and is read at {place}."
    if isinstance(wiring, Analog):
        for letter, adc in wiring.chips.items():
            there = adc_of(netlist, netlist.parts[f"U_{letter}"])
            if there != adc:
                yield f"Chip {letter} is wired to {there}, and is served on {adc}."
    gpio, lamps = chain_of(netlist)
    if gpio != profile.chain.pin:
        yield f"The lamps' data comes from GPIO {gpio}, and is sent by {profile.chain.pin}."
    order = [lamp.ref for lamp in lamps]
    should = [f"D{number}" for number in range(profile.chain.count)] if profile.chain.pin is not None else []
    if order != should:
        at = next((number for number, ref in enumerate(should) if order[number : number + 1] != [ref]), len(should))
        yield f"The chain of lamps is not in its order from lamp {at} on."
    for fuse in netlist.of("fuse"):
        if amount(fuse.value) != fuse_for(profile.chain.budget) / 1000:
            yield f"{fuse.ref} is for {fuse.value}, and must be for {fuse_for(profile.chain.budget) / 1000:g} A."
        elif amount(fuse.value) * FUSE_LOAD < profile.chain.budget / 1000:
            most = amount(fuse.value) * FUSE_LOAD * 1000
            yield f"No fuse here carries lamps.budget_ma, {profile.chain.budget:g}, for long: write {most:g} or less."
    yield from _beside(profile, netlist)


def _beside(profile: Profile, netlist: Netlist) -> Iterator[str]:
    """The wires that lead to no cell and no lamp: I2C, key and buzzer."""
    for chip in netlist.of("expander", "trellis"):
        for name, gpio in zip(("SDA", "SCL"), pi_header.I2C, strict=True):
            found = gpio_on(netlist, netlist.net_of(named(chip, name)))
            if found != gpio:
                yield f"{name} of {chip.ref} is wired to GPIO {found}, and is served on {gpio}."
    for key in netlist.of("key"):
        if profile.key not in {gpio_on(netlist, netlist.net_of(End(key.ref, number))) for number in key.pins}:
            yield f"{key.ref} is not wired to GPIO {profile.key}, where it is read."
    if profile.buzzer is not None:
        start = netlist.net_of(End("J1", str(pi_header.PINS[profile.buzzer])))
        for through, should in ((("resistor", "buzzer"), True), (("resistor",), False), (("buzzer",), False)):
            ways = near(netlist, start, through) if start else set()
            if any(rail(netlist, net) == 0.0 for net in ways) != should:
                yield f"The buzzer and its resistor do not lie between GPIO {profile.buzzer} and ground."
                break


def near(netlist: Netlist, net: str, through: tuple[str, ...] = CONDUCT) -> set[str]:
    """The nets that current can get to from one, itself among them; it does not go on beyond a supply or ground."""
    found, edge = {net}, [net]
    while edge:
        here = edge.pop()
        if any(netlist.on(here, Kind.SUPPLY, Kind.GROUND)):
            continue
        for sort, beyond in netlist.ways(here):
            if sort in through and beyond not in found:
                found.add(beyond)
                edge.append(beyond)
    return found


def rail(netlist: Netlist, net: str | None) -> float | None:
    """The voltage that a net is held at: 0 on the Pi's ground, or what a supply feeds, by way of a fuse too."""
    if any(end.part == "J1" for end in netlist.on(net, Kind.GROUND)):
        return 0.0
    around = near(netlist, net, ("fuse",)) if net else ()
    return max((netlist.pin(end).volts for each in around for end in netlist.on(each, Kind.SUPPLY)), default=None)


def dangling(netlist: Netlist) -> Iterator[str]:
    """Every net joins something, and every pin is on one, but for outputs and inputs that a chip has to spare.

    The header has only the pins that are used, so that none of these is to spare.
    """
    for net, ends in netlist.nets.items():
        if len(ends) == 1:
            yield f"{_told(netlist, ends[0])} is soldered to nothing: the net {net} has no other end."
    for part in netlist.parts.values():
        for number, pin in part.pins.items():
            end = End(part.ref, number)
            spare = pin.kind in STRONG or (pin.kind is Kind.IN and pin.pull is not None)
            if netlist.net_of(end) is None and (part.ref == "J1" or not spare):
                yield f"{_told(netlist, end)} is soldered to nothing."


def bridged(netlist: Netlist) -> Iterator[str]:
    """No part is shorted: no two of its pins are joined, unless on a rail."""
    for net, ends in netlist.nets.items():
        held = rail(netlist, net) is not None
        seen: dict[str, End] = {}
        for end in ends:
            other = seen.setdefault(end.part, end)
            if other != end and (not held or netlist.across(end)):
                yield f"{_told(netlist, other)} and pin {end.pin} are joined, by the net {net}."


def fed(netlist: Netlist) -> Iterator[str]:
    """Every chip has its supply and its ground, and what sets it up lies where it must."""
    for net, ends in netlist.nets.items():
        volts = rail(netlist, net)
        for end in ends:
            pin = netlist.pin(end)
            if pin.kind is Kind.GROUND and volts != 0.0:
                yield f"{_told(netlist, end)} is not joined with the Pi's ground."
            elif pin.kind is Kind.FED and not volts:
                yield f"{_told(netlist, end)} has no supply."
            elif pin.kind is Kind.FED and volts and volts < pin.high:
                yield f"{_told(netlist, end)} needs {pin.high:g} V and gets {volts:g}."
            elif pin.lies is not None and volts != pin.lies:
                yield f"{_told(netlist, end)} belongs on {f'{pin.lies:g} V' if pin.lies else 'ground'}."


def driven(netlist: Netlist) -> Iterator[str]:
    """Every net that is read has something that drives it."""
    for net in netlist.nets:
        for end in netlist.on(net, Kind.IN):
            if not any(True for each in near(netlist, net) for _ in netlist.on(each, *DRIVERS)):
                yield f"{_told(netlist, end)} is read, and nothing drives the net {net}."
            break


def apart(netlist: Netlist) -> Iterator[str]:
    """No two pins drive one net against each other."""
    for net in netlist.nets:
        ends = list(netlist.on(net, *DRIVERS))
        kinds = {netlist.pin(end).kind: end for end in reversed(ends)}
        for one, other in combinations(kinds.values(), 2):  # two of different kinds never go together
            yield f"{_told(netlist, one)} and {_told(netlist, other)} are joined on the net {net}."
        strong = [end for end in ends if netlist.pin(end).kind not in (Kind.OPEN, Kind.GROUND)]
        for one, other in combinations(strong, 2):
            if netlist.pin(one).kind is netlist.pin(other).kind and _alike_clash(netlist, one, other):
                yield f"{_told(netlist, one)} and {_told(netlist, other)} both drive the net {net}."


def _alike_clash(netlist: Netlist, one: End, other: End) -> bool:
    """Whether two that drive in one way do so at the same time: not two pins of one supply, nor two that take turns."""
    kind, parts = netlist.pin(one).kind, [netlist.parts[end.part] for end in (one, other)]
    if kind is Kind.SUPPLY:
        return parts[0] is not parts[1] or netlist.pin(one).volts != netlist.pin(other).volts
    if kind is Kind.PICKED:
        selects = {netlist.net_of(named(part, "CS")) for part in parts}
        return len(selects) == 1
    return True


def felt(netlist: Netlist) -> Iterator[str]:
    """Every switch, when it closes, takes an input from its pull-up to ground, or to a line that is pulled low.

    So it joins no two that drive.
    """
    for part in netlist.of(*SWITCHES):
        nets = [netlist.net_of(End(part.ref, number)) for number in part.pins]
        if not any(_lifted(netlist, one) and _sinks(netlist, other) for one, other in (nets, nets[::-1])):
            yield f"Nobody feels {part.ref}: it must join an input that is pulled up with ground or a line of a matrix."


def _lifted(netlist: Netlist, net: str | None) -> bool:
    """Whether a net is read, and is only pulled up, not driven."""
    ends = [end for each in (near(netlist, net, ("resistor",)) if net else ()) for end in netlist.nets[each]]
    pulls = any(netlist.pin(end).pull or netlist.pin(end).kind is Kind.SUPPLY for end in ends)
    return pulls and any(netlist.on(net, Kind.IN)) and not any(netlist.on(net, *DRIVERS))


def _sinks(netlist: Netlist, net: str | None) -> bool:
    """Whether a net is on ground, or can be pulled there, through a diode that lets current out of it too."""
    anodes = [end for end in netlist.nets.get(net or "", ()) if netlist.pin(end).name == "anode"]
    beyond = [net, *(netlist.net_of(band) for end in anodes if (band := netlist.across(end)))]
    return any(rail(netlist, each) == 0.0 or any(netlist.on(each, Kind.OPEN)) for each in beyond)


def pulled(netlist: Netlist) -> Iterator[str]:
    """Every input lies somewhere when nobody drives it, and what is only pulled low is pulled up."""
    for net in netlist.nets:
        readers = list(netlist.on(net, Kind.IN, Kind.OPEN))
        opened = sum(1 for _ in netlist.on(net, Kind.OPEN))
        if len(readers) == opened < 2:
            continue  # nobody reads it
        ends = [end for each in near(netlist, net, ("resistor",)) for end in netlist.nets[each]]
        pulls = [pin.pull for end in ends if (pin := netlist.pin(end)).pull is not None]
        pulls += [pin.volts for end in ends if (pin := netlist.pin(end)).kind in (Kind.OUT, Kind.SUPPLY, Kind.GROUND)]
        if not pulls or (opened and not any(pulls)):
            yield f"{_told(netlist, readers[0])} floats: the net {net} has no {'pull-up' if opened else 'pull'}."


def borne(netlist: Netlist) -> Iterator[str]:
    """No pin gets more volts than it bears."""
    for net, ends in netlist.nets.items():
        highest, source = 0.0, None
        for each in near(netlist, net):
            for end in netlist.nets[each]:
                pin = netlist.pin(end)
                volts = pin.volts if pin.kind in (*STRONG, Kind.PICKED, Kind.SUPPLY) else pin.pull or 0.0
                if volts > highest:
                    highest, source = volts, end
        for end in ends:
            pin = netlist.pin(end)
            bears = pin.volts if pin.kind not in (Kind.PASSIVE, Kind.GROUND) else highest
            if source and highest > bears + SLACK:
                yield f"{_told(netlist, end)} bears {bears:g} V and gets {highest:g} from {_told(netlist, source)}."


def understood(netlist: Netlist) -> Iterator[str]:
    """Every input is driven high enough to read as high."""
    for net in netlist.nets:
        around = [end for each in near(netlist, net, ("resistor",)) for end in netlist.nets[each]]
        levels = [netlist.pin(end).volts for end in around if netlist.pin(end).kind in (*STRONG, Kind.PICKED)]
        for end in netlist.on(net, Kind.IN):
            if levels and min(levels) < netlist.pin(end).high:
                yield (
                    f"{_told(netlist, end)} reads high from {netlist.pin(end).high:g} V on and gets {min(levels):g}: "
                    "it needs a 74AHCT125 before it."
                )


def steadied(netlist: Netlist) -> Iterator[str]:
    """Every chip has a capacitor beside it, and the chain of lamps a large one at its beginning."""
    for part in netlist.parts.values():
        if not part_catalogue.SORTS[part.sort].decoupled:
            continue
        rails, grounds = _nets(netlist, part, Kind.FED), _nets(netlist, part, Kind.GROUND)
        beside = [each for each in netlist.of("capacitor") if each.beside == part.ref]
        if not any(_spans(netlist, each, rails, grounds) for each in beside):
            yield f"{part.ref} has no capacitor from its supply to ground beside it."
    lamps, reservoirs = list(netlist.of("lamp")), list(netlist.of("reservoir"))
    if lamps and not reservoirs:
        yield "The chain of lamps has no large capacitor at its beginning."
    for part in reservoirs if lamps else ():
        if not _spans(netlist, part, _nets(netlist, lamps[0], Kind.FED), _nets(netlist, lamps[0], Kind.GROUND)):
            yield f"{part.ref} must have its + on the lamps' supply and its - on ground."


def _spans(netlist: Netlist, part: Part, one: set[str | None], other: set[str | None]) -> bool:
    first, second = (netlist.net_of(End(part.ref, number)) for number in ("1", "2"))
    return (first in one and second in other) or (second in one and first in other and part.sort != "reservoir")


def _nets(netlist: Netlist, part: Part, kind: Kind) -> set[str | None]:
    return {netlist.net_of(End(part.ref, number)) for number, pin in part.pins.items() if pin.kind is kind}


def loaded(netlist: Netlist) -> Iterator[str]:
    """No pin gives or takes more current than it may."""
    for net in netlist.nets:
        takes = sum(netlist.pin(end).most for end in netlist.on(net, Kind.FED))
        if rail(netlist, net) == part_catalogue.LOGIC and takes > part_catalogue.RAIL_MOST:
            yield f"The header's 3.3 V would have to give {takes:g} mA; boards may take {part_catalogue.RAIL_MOST:g}."
    for net in netlist.nets:
        for end in netlist.on(net, Kind.TURN, Kind.OUT, Kind.OPEN):
            opens = netlist.pin(end).kind is Kind.OPEN
            flows = sum(_through(netlist, each, 0.0 if opens else netlist.pin(end).volts) for each in netlist.nets[net])
            if opens:
                flows += sum(_pull_ups(netlist, each) for each in near(netlist, net, ("button", "diode")))
            if flows > netlist.pin(end).most:
                yield f"{_told(netlist, end)} would have to carry {flows:.1f} mA; it may {netlist.pin(end).most:g}."


def valued(netlist: Netlist) -> Iterator[str]:
    """Resistors and capacitors have values that do what they are for."""
    for part in netlist.of("resistor", "capacitor", "reservoir"):
        nets = [netlist.net_of(End(part.ref, number)) for number in part.pins]
        series = part.sort == "resistor" and all(rail(netlist, net) is None for net in nets)
        least, most = VALUES["series" if series else part.sort]
        if not amount(least) <= amount(part.value) <= amount(most):
            yield f"{part.ref} has {part.value or 'no value'}; it must have from {least} to {most}."


def _through(netlist: Netlist, end: End, volts: float) -> float:
    """How much flows, in mA, from a net at so many volts through a resistor to the rail that is beyond it, or to it."""
    part, other = netlist.parts[end.part], netlist.across(end)
    if part.sort != "resistor" or other is None:
        return 0.0
    ways = near(netlist, beyond) if (beyond := netlist.net_of(other)) else ()
    rails = [held for net in ways if (held := rail(netlist, net)) is not None]
    return 1000 * max((abs(volts - held) for held in rails), default=0.0) / max(amount(part.value), 0.1)


def _pull_ups(netlist: Netlist, net: str) -> float:
    """How much, in mA, the pull-ups of a net give when it lies on ground."""
    flows = 0.0
    for end in netlist.nets[net]:
        pin = netlist.pin(end)
        if pin.pull:
            fixed = end.part == "J1" and end.pin in ("3", "5")
            kind = "i2c" if fixed else "pi" if end.part == "J1" else "mcp23017"
            flows += 1000 * pin.pull / part_catalogue.PULL_UP_OHMS[kind]
    return flows


def amount(value: str) -> float:
    """A value in ohm, farad or ampere; 0 if it cannot be read."""
    match = re.fullmatch(r"([0-9.]+) ([pnµmk]?)[ΩFA]", value)
    times = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "": 1.0}
    return float(match[1]) * times[match[2]] if match else 0.0


def fused(netlist: Netlist) -> Iterator[str]:
    """What feeds the lamps goes through a fuse."""
    if any(netlist.of("lamp")) and not any(netlist.of("fuse")):
        yield "Nothing opens when the lamps' supply is shorted: there is no fuse."
    feeds = {netlist.net_of(named(lamp, "5 V")): lamp for lamp in netlist.of("lamp")}
    for feed, lamp in feeds.items():
        for end in netlist.on(feed, Kind.SUPPLY):
            yield f"{_told(netlist, end)} feeds {lamp.ref} past the fuse."


RULES: tuple[Callable[[Netlist], Iterator[str]], ...] = (
    dangling,
    bridged,
    fed,
    driven,
    apart,
    felt,
    pulled,
    borne,
    understood,
    steadied,
    loaded,
    valued,
    fused,
)
"""All rules; `thin` of the wires comes on top."""


def _told(netlist: Netlist, end: End) -> str:
    """A pin for people: `pin 11 of the header (GPIO 17)`, `pin 3 of U_b2 (OUT)`."""
    whose = "the header" if end.part == "J1" else end.part
    name = netlist.pin(end).name
    return f"Pin {end.pin} of {whose}" + (f" ({name})" if name != end.pin else "")
