"""What must hold of every netlist, whoever made it: each rule gives a sentence for each thing that is wrong.

Only direct current is looked at. What a driver's program does is known by the kind of the pins it uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pond_hw.profile.build import Analog, Profile, Trellis
from pond_hw.profile.build import wires as wired_to
from pond_hw.rules import grid
from pond_hw.workshop import catalogue
from pond_hw.workshop.circuit import FED, FUSE_LOAD, LOGIC
from pond_hw.workshop.netlist import End, Kind, Netlist, Part, named
from pond_hw.workshop.traced import adc_of, chain_of, routes

SWITCHES = ("button", "key")
CONDUCT = ("resistor", "fuse", "buzzer", "diode", *SWITCHES)
"""Parts with two ends that current can flow through, some of them only sometimes."""

DRIVERS = (Kind.OUT, Kind.TURN, Kind.PICKED, Kind.OPEN, Kind.SUPPLY, Kind.GROUND)
STRONG = (Kind.OUT, Kind.TURN)

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


def near(netlist: Netlist, net: str, through: tuple[str, ...] = CONDUCT) -> set[str]:
    """The nets that current can get to from one, itself among them; it does not go on beyond a supply or ground."""
    found, edge = {net}, [net]
    while edge:
        here = edge.pop()
        if any(netlist.on(here, Kind.SUPPLY, Kind.GROUND)):
            continue
        for end in netlist.nets[here]:
            other = netlist.across(end) if netlist.parts[end.part].sort in through else None
            beyond = netlist.net_of(other) if other else None
            if beyond and beyond not in found:
                found.add(beyond)
                edge.append(beyond)
    return found


def dangling(netlist: Netlist) -> Iterator[str]:
    """Every net joins something."""
    for net, ends in netlist.nets.items():
        if len(ends) == 1:
            yield f"{_told(netlist, ends[0])} is soldered to nothing: the net {net} has no other end."
    for part in netlist.parts.values():
        for number, pin in part.pins.items():
            end = End(part.ref, number)
            if netlist.net_of(end) is None and pin.pull is None and pin.kind in (Kind.IN, Kind.FED, Kind.PASSIVE):
                yield f"{_told(netlist, end)} is soldered to nothing."
            if netlist.net_of(end) is None and pin.kind is Kind.GROUND and part.ref != "J1":
                yield f"{_told(netlist, end)} is not on ground."


def driven(netlist: Netlist) -> Iterator[str]:
    """Every net that is read has something that drives it, and every chip has a supply."""
    for net in netlist.nets:
        readers = list(netlist.on(net, Kind.IN))
        others = near(netlist, net)
        if readers and not any(True for each in others for _ in netlist.on(each, *DRIVERS)):
            yield f"{_told(netlist, readers[0])} is read, and nothing drives the net {net}."
        fed = list(netlist.on(net, Kind.FED))
        if fed and not any(True for each in near(netlist, net, ("fuse",)) for _ in netlist.on(each, Kind.SUPPLY)):
            yield f"{_told(netlist, fed[0])} has no supply."
        for end in netlist.on(net, Kind.GROUND):
            if not any(netlist.on(net, Kind.GROUND)) or all(other.part != "J1" for other in netlist.nets[net]):
                yield f"{_told(netlist, end)} is not joined with the Pi's ground."


def apart(netlist: Netlist) -> Iterator[str]:
    """No two pins drive one net against each other, not even while a button is pressed."""
    for net in netlist.nets:
        yield from _against(netlist, net, list(netlist.on(net, *DRIVERS)), "are joined")
        for switch in _switches(netlist, net):
            other = netlist.across(switch)
            beyond = netlist.net_of(other) if other else None
            if beyond and beyond > net and _clash(netlist, net, beyond):
                yield f"{switch.part}, when it is pressed, joins {net} and {beyond}, and both are driven."


def _clash(netlist: Netlist, one: str, other: str) -> bool:
    """Whether two nets must not touch: one is driven high, or fed, and the other too, or lies on ground."""
    strong = [any(netlist.on(net, *STRONG, Kind.SUPPLY)) for net in (one, other)]
    ground = [any(netlist.on(net, Kind.GROUND)) for net in (one, other)]
    return all(strong) or (any(strong) and any(ground))


def _switches(netlist: Netlist, net: str) -> Iterator[End]:
    return (end for end in netlist.nets[net] if netlist.parts[end.part].sort in SWITCHES)


def _against(netlist: Netlist, net: str, ends: list[End], how: str) -> Iterator[str]:
    kinds = {end: netlist.pin(end).kind for end in ends}
    grounds = [end for end in ends if kinds[end] is Kind.GROUND]
    supplies = [end for end in ends if kinds[end] is Kind.SUPPLY]
    strong = [end for end in ends if kinds[end] in STRONG]
    picked = [end for end in ends if kinds[end] is Kind.PICKED]
    opened = [end for end in ends if kinds[end] is Kind.OPEN]
    if grounds and supplies:
        yield f"{_told(netlist, supplies[0])} and {_told(netlist, grounds[0])} {how}: a short."
    if len({(end.part, netlist.pin(end).volts) for end in supplies}) > 1:
        yield f"Two supplies {how} on the net {net}: {_told(netlist, supplies[0])} and {_told(netlist, supplies[-1])}."
    held = (supplies or grounds)[:1]
    for end in (*strong, *picked, *opened) if held else ():
        yield f"{_told(netlist, end)} and {_told(netlist, held[0])} {how}."
    if not held and len(strong) > 1:
        yield f"Two outputs {how} on the net {net}: {_told(netlist, strong[0])} and {_told(netlist, strong[1])}."
    elif not held and strong and (picked or opened):
        other = (*picked, *opened)[0]
        yield f"Two outputs {how} on the net {net}: {_told(netlist, strong[0])} and {_told(netlist, other)}."
    selects = [netlist.net_of(named(netlist.parts[end.part], "CS")) for end in picked]
    if len(set(selects)) < len(selects):
        yield f"Two chips answer on the net {net} and are selected by one wire, {selects[0]}."


def pulled(netlist: Netlist) -> Iterator[str]:
    """Every input lies somewhere when nobody drives it."""
    for net, ends in netlist.nets.items():
        around = near(netlist, net, ("resistor",))
        held = any(netlist.pin(end).pull is not None for end in ends) or any(
            True for each in around for _ in netlist.on(each, Kind.OUT, Kind.SUPPLY, Kind.GROUND)
        )
        for end in netlist.on(net, Kind.IN):
            if not held:
                yield f"{_told(netlist, end)} floats: the net {net} has no pull-up and no pull-down."


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
        if not catalogue.SORTS[part.sort].decoupled:
            continue
        rails, grounds = _nets(netlist, part, Kind.FED), _nets(netlist, part, Kind.GROUND)
        beside = [each for each in netlist.of("capacitor") if each.beside == part.ref]
        if not any(_spans(netlist, each, rails, grounds) for each in beside):
            yield f"{part.ref} has no capacitor from its supply to ground beside it."
    lamps = list(netlist.of("lamp"))
    ground = _nets(netlist, lamps[0], Kind.GROUND) if lamps else set()
    if lamps and not any(_spans(netlist, each, {FED}, ground) for each in netlist.of("reservoir")):
        yield "The chain of lamps has no large capacitor at its beginning."


def _spans(netlist: Netlist, part: Part, one: set[str | None], other: set[str | None]) -> bool:
    first, second = (netlist.net_of(End(part.ref, number)) for number in ("1", "2"))
    return (first in one and second in other) or (second in one and first in other and part.sort != "reservoir")


def _nets(netlist: Netlist, part: Part, kind: Kind) -> set[str | None]:
    return {netlist.net_of(End(part.ref, number)) for number, pin in part.pins.items() if pin.kind is kind}


def loaded(netlist: Netlist) -> Iterator[str]:
    """No pin gives or takes more current than it may."""
    takes = sum(netlist.pin(end).most for end in netlist.on(LOGIC, Kind.FED))
    if takes > catalogue.RAIL_MOST:
        yield f"The header's 3.3 V would have to give {takes:g} mA; boards may take {catalogue.RAIL_MOST:g}."
    for net in netlist.nets:
        for end in netlist.on(net, Kind.TURN, Kind.OUT, Kind.OPEN):
            flows = sum(_through(netlist, other, netlist.pin(end).volts) for other in netlist.nets[net])
            if netlist.pin(end).kind is Kind.OPEN:
                flows = sum(_pull_ups(netlist, each) for each in near(netlist, net, ("button", "diode")))
            if flows > netlist.pin(end).most:
                yield f"{_told(netlist, end)} would have to carry {flows:.1f} mA; it may {netlist.pin(end).most:g}."
    for part in netlist.of("resistor"):
        value = _ohms(part)
        if value < 100 and part.ref != "R2":
            yield f"{part.ref} has {value:g} Ω: what it shields would see a short. Take 330."


def _through(netlist: Netlist, end: End, volts: float) -> float:
    """How much flows, in mA, from a driven net through a resistor that ends on ground, or on what leads there."""
    part = netlist.parts[end.part]
    if part.sort != "resistor":
        return 0.0
    other = netlist.across(end)
    beyond = netlist.net_of(other) if other else None
    ends_low = beyond and any(True for each in near(netlist, beyond) for _ in netlist.on(each, Kind.GROUND))
    return 1000 * volts / _ohms(part) if ends_low else 0.0


def _pull_ups(netlist: Netlist, net: str) -> float:
    """How much, in mA, the pull-ups of a net give when it lies on ground."""
    flows = 0.0
    for end in netlist.nets[net]:
        pin = netlist.pin(end)
        if pin.pull:
            fixed = end.part == "J1" and end.pin in ("3", "5")
            kind = "i2c" if fixed else "pi" if end.part == "J1" else "mcp23017"
            flows += 1000 * pin.pull / catalogue.PULL_UP_OHMS[kind]
    return flows


def _ohms(part: Part) -> float:
    match = re.fullmatch(r"([0-9.]+) (k?)Ω", part.value)
    return float(match[1]) * (1000 if match[2] else 1) if match else 0.0


def fused(netlist: Netlist) -> Iterator[str]:
    """What feeds the lamps goes through a fuse."""
    if any(netlist.of("lamp")) and not any(True for _ in netlist.of("fuse")):
        yield "Nothing opens when the lamps' supply is shorted: there is no fuse."
    for end in netlist.on(FED, Kind.SUPPLY):
        yield f"{_told(netlist, end)} feeds the lamps past the fuse."


RULES: tuple[Callable[[Netlist], Iterator[str]], ...] = (
    dangling,
    driven,
    apart,
    pulled,
    borne,
    understood,
    steadied,
    loaded,
    fused,
)
"""All rules; `thin` of the wires comes on top."""


def carries(fuse: Part, current: float) -> bool:
    """Whether a fuse carries so many mA all the time."""
    return float(fuse.value.removesuffix(" A")) * 1000 * FUSE_LOAD >= current


def _told(netlist: Netlist, end: End) -> str:
    """A pin for people: `pin 11 of the header (GPIO 17)`, `pin 3 of U_b2 (OUT)`."""
    whose = "the header" if end.part == "J1" else end.part
    name = netlist.pin(end).name
    return f"Pin {end.pin} of {whose}" + (f" ({name})" if name != end.pin else "")
