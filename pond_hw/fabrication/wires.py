"""The wires of a board, one by one: from pin to pin, with colour, length and thickness.

    rails on the strip board -> row 1 of the sensors -> along the row; row 2 ...
                             -> first strip of lamps -> next strip ...
    sensor ------------------> header or chip, a colour of its own
    line of a matrix --------> along the cells on it

What stands on the strip board is joined by its tracks, and what stands beside a sensor by its legs: no wires.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.circuit import FED, FIVE, GROUND, LOGIC
from pond_hw.fabrication.netlist import End, Netlist, Part
from pond_hw.fabrication.solids.layout import plan
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import Profile, Trellis
from pond_hw.profile.soldered_wires import COLOURS, LINES
from pond_hw.rules import Cell, grid

RAILS = {GROUND: "black", LOGIC: "pink", FIVE: "red", FED: "red"}
"""The colours of what feeds."""

SLACK, LIFT, STEP = 40.0, 100.0, 10.0
"""mm: what a wire is longer than its way, for being soldered and going round corners; what it is longer still if it
goes from the plate down into the case, so that the plate can stand beside it; and what lengths are rounded up to."""

LOOSE = 200.0
"""mm of the wires of a NeoTrellis, which lies where one likes."""

SIGNAL = 26
"""AWG of what carries no current worth speaking of."""

BEARS = {26: 1100, 22: 3500, 20: 5500, 18: 8000, 16: 11_000, 14: 16_000, 12: 20_500}
"""mA that a wire of so many AWG may carry: half of what the Handbook of Electronic Tables and Formulas has for wires
inside an apparatus (2.2, 7, 11, 16, 22, 32, 41 A). The half is our choice."""

OHMS = {26: 0.134, 22: 0.053, 20: 0.0333, 18: 0.0209, 16: 0.0132, 14: 0.0083, 12: 0.0052}
"""Ω of a metre of it, copper at 20 °C, from the definition of AWG."""

ON_BOARD = ("expander", "converter", "shifter", "resistor", "capacitor", "reservoir", "fuse", "rails")
"""Sorts of parts that stand on the strip board; a capacitor of a sensor stands beside it."""


class Wire(NamedTuple):
    """One wire.

    Attributes:
        net: what it is part of.
        one: where it begins: at the header, at the strip board, or nearer to these.
        other: where it ends.
        colour: its colour, in plain words.
        length: in mm, what to cut off.
        gauge: AWG.
    """

    net: str
    one: End
    other: End
    colour: str
    length: float
    gauge: int


class Spot(NamedTuple):
    """A place, in mm from the middle of the board, seen from above: to the right, and away from the key.

    Attributes:
        x, y: where.
        down: whether it is down in the case, and not on the plate.
    """

    x: float
    y: float
    down: bool = False


def gauge_for(current: float) -> int:
    """The thinnest wire for so many mA.

    Raises:
        ValueError: none of those that are known is thick enough.
    """
    for gauge, most in BEARS.items():
        if most >= current:
            return gauge
    raise ValueError(f"no wire for {current:g} mA")


def middle(profile: Profile, cell: Cell) -> Spot:
    """The middle of a cell."""
    x, y = grid(profile.size).place(cell)
    middles = plan(profile).middles
    return Spot(middles[x], middles[y])


def lamp_spot(profile: Profile, cell: Cell, index: int) -> Spot:
    """The middle of a lamp in a cell, `index` in the order of a frame: its rows from the top, from the left."""
    side = math.isqrt(profile.chain.per_cell)
    at = middle(profile, cell)
    across = (index % side - (side - 1) / 2) * profile.body.pitch / side
    return Spot(at.x + across, at.y + plan(profile).strips[side - 1 - index // side])


def spot(profile: Profile, part: Part) -> Spot:
    """Where a part is. What belongs to no cell is in the case: on the strip board, on the Pi, or in a wall."""
    if part.cell is not None:
        return lamp_spot(profile, part.cell, part.index) if part.sort == "lamp" else middle(profile, part.cell)
    laid = plan(profile)
    places = {"pi": laid.header, "key": laid.key_at, "buzzer": laid.buzzer_at, "supply": laid.jack_at}
    return Spot(*places.get(part.sort, laid.board), down=True)


def pieces(profile: Profile, netlist: Netlist) -> list[list[Part]]:
    """The lamps as they lie on pieces of strip, in the order of the chain.

    Two that follow each other are on one piece if they lie side by side in a row; lamps in no cell are on their own.
    """
    found: list[list[Part]] = []
    apart = profile.body.pitch / math.isqrt(profile.chain.per_cell)
    for lamp in netlist.of("lamp"):
        before = found[-1][-1] if found else None
        if before and _beside(profile, before, lamp, apart):
            found[-1].append(lamp)
        else:
            found.append([lamp])
    return found


def _beside(profile: Profile, one: Part, other: Part, apart: float) -> bool:
    if one.cell is None or other.cell is None:
        return one.cell is other.cell
    here, there = spot(profile, one), spot(profile, other)
    return abs(here.y - there.y) < 0.1 and abs(abs(here.x - there.x) - apart) < 0.1


def wires(profile: Profile, netlist: Netlist) -> list[Wire]:
    """All wires, the rails first, then net by net."""
    found: list[Wire] = []
    strips = pieces(profile, netlist)
    for net in (FIVE, FED, GROUND, LOGIC):
        if net in netlist.nets:
            found += _rail(profile, netlist, net, strips)
    for net in netlist.nets:
        if net not in RAILS:
            found += _signal(profile, netlist, net, strips)
    return found


def on_board(netlist: Netlist, end: End) -> bool:
    """Whether a pin is on the strip board."""
    part = netlist.parts[end.part]
    return part.sort in ON_BOARD and part.cell is None


def _long(profile: Profile, netlist: Netlist, one: End, other: End) -> float:
    """How long a wire must be: along the edges, since it runs along the walls."""
    if isinstance(profile.sensing.wiring, Trellis):
        return LOOSE
    here, there = spot(profile, netlist.parts[one.part]), spot(profile, netlist.parts[other.part])
    way = abs(here.x - there.x) + abs(here.y - there.y) + SLACK + LIFT * (here.down != there.down)
    return math.ceil(way / STEP) * STEP


def _rail(profile: Profile, netlist: Netlist, net: str, strips: list[list[Part]]) -> Iterator[Wire]:
    """From the rail on the strip board to everything that hangs on it, in chains."""
    ends = netlist.nets[net]
    feeds = [end for end in ends if end.part in ("J1", "J2")]
    hubs = [end for end in ends if end.part == "B1"] or [end for end in ends if end.part == "F1"] or feeds
    hub = hubs[0]
    thick = gauge_for(_most(netlist)) if netlist.parts.get("F1") and net != LOGIC else SIGNAL
    for end in feeds if hub not in feeds else ():
        heavy = net in (FIVE, GROUND) and end.part == ("J2" if "J2" in netlist.parts else "J1")
        yield _wire(profile, netlist, net, hub, end, RAILS[net], thick if heavy else SIGNAL)
    chains: dict[object, list[End]] = {}
    for end in ends:
        part = netlist.parts[end.part]
        if end in feeds or on_board(netlist, end) or part.sort in ("capacitor", "lamp"):
            continue
        chains.setdefault(part.cell[1] if part.cell else part.ref, []).append(end)
    for turn, chain in enumerate(chains.values()):
        yield from _along(profile, netlist, net, [hubs[turn % len(hubs)], *chain], RAILS[net], SIGNAL)
    if net in (FED, GROUND) and any(netlist.of("lamp")):
        number = "1" if net == FED else "3"
        starts = [min(piece, key=lambda lamp: spot(profile, lamp).x) for piece in strips]
        yield from _along(profile, netlist, net, [hub, *(End(lamp.ref, number) for lamp in starts)], RAILS[net], thick)


def _most(netlist: Netlist) -> float:
    """What can flow in the lamps' feed before the fuse opens, in mA."""
    return 1000 * float(netlist.parts["F1"].value.removesuffix(" A"))


def _signal(profile: Profile, netlist: Netlist, net: str, strips: list[list[Part]]) -> Iterator[Wire]:
    """A wire along all that is on a net, beginning at the header or at the strip board."""
    ends = netlist.nets[net]
    if _legs_only(netlist, net, strips):
        return
    outer = [end for end in ends if end.part == "J1"] + [end for end in ends if on_board(netlist, end)][:1]
    rest = [end for end in ends if end.part != "J1" and not on_board(netlist, end)]
    yield from _along(profile, netlist, net, [*outer, *rest], colour_of(profile, netlist, net), SIGNAL)


def _legs_only(netlist: Netlist, net: str, strips: list[list[Part]]) -> bool:
    """Whether what is joined stands together: on the strip board, in a cell, or on one strip."""
    ends = netlist.nets[net]
    parts = [netlist.parts[end.part] for end in ends]
    if all(part.sort == "lamp" for part in parts):
        return any(all(part in piece for part in parts) for piece in strips)
    if all(on_board(netlist, end) for end in ends):
        return True
    return parts[0].cell is not None and all(part.cell == parts[0].cell for part in parts)


def _along(profile: Profile, netlist: Netlist, net: str, ends: list[End], colour: str, gauge: int) -> Iterator[Wire]:
    for one, other in pairwise(ends):
        yield _wire(profile, netlist, net, one, other, colour, gauge)


def _wire(profile: Profile, netlist: Netlist, net: str, one: End, other: End, colour: str, gauge: int) -> Wire:
    return Wire(net, one, other, colour, _long(profile, netlist, one, other), gauge)


def colour_of(profile: Profile, netlist: Netlist, net: str) -> str:
    """The colour of the wires of a net: a cell's is that of its number, a line's that of its number among its like."""
    cells = grid(profile.size).cells
    if net in cells:
        return COLOURS[cells.index(net) % len(COLOURS)]
    head = net.partition(" ")[0]
    alike = [each for each in netlist.nets if each.partition(" ")[0] == head]
    if head == "drive":
        return LINES[alike.index(net) % len(LINES)]
    if head == "sense":
        return LINES[-1 - alike.index(net) % len(LINES)]
    if head == "select":
        return COLOURS[alike.index(net) % len(COLOURS)]
    known = {"SDA": "blue", "SCL": "yellow", "clock": "yellow", "mosi": "green", "miso": "blue", "data": "green"}
    return known.get(head, "grey" if head == "key" else "white")


def thin(netlist: Netlist, cut: list[Wire]) -> Iterator[str]:
    """No wire carries more than it bears: those of the lamps' feed, until the fuse opens."""
    for wire in cut:
        flows = _most(netlist) if _feeds(netlist, wire) else 0.0
        if flows > BEARS[wire.gauge]:
            yield (
                f"The {wire.colour} wire from {wire.one} to {wire.other} is AWG {wire.gauge}, which bears "
                f"{BEARS[wire.gauge]} mA, and {flows:g} may flow: take AWG {gauge_for(flows)}."
            )


def _feeds(netlist: Netlist, wire: Wire) -> bool:
    """Whether the lamps' current flows in a wire."""
    sorts = {netlist.parts[wire.one.part].sort, netlist.parts[wire.other.part].sort}
    return wire.net in (FIVE, FED) or (wire.net == GROUND and bool(sorts & {"lamp", "supply"}))


def header(end: End) -> str:
    """A pin of the header for people: `GPIO 17 (header pin 11)`."""
    gpio = next((gpio for gpio, pin in pi_header.PINS.items() if str(pin) == end.pin), None)
    return f"GPIO {gpio} (header pin {end.pin})" if gpio is not None else f"header pin {end.pin}"
