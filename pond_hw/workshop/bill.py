"""The parts list: what to buy and what to print, counted from the netlist, the wires and the solids. No prices.

Columns: quantity, part, value, package, purpose, substitutes.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pond_hw.profile.build import Profile
from pond_hw.rules import VARIANTS
from pond_hw.workshop.catalogue import SORTS
from pond_hw.workshop.netlist import Netlist
from pond_hw.workshop.wires import Wire, pieces

COLUMNS = ("quantity", "part", "value", "package", "purpose", "substitutes")

SPARE = 1.2
"""How much more wire to buy than the lengths come to."""

MAGNETS = 3
"""Magnets in a piece: one behind each of the sides that it can lie on."""


class Item(NamedTuple):
    """A line of the list."""

    quantity: str
    part: str
    value: str
    package: str
    purpose: str
    substitutes: str


def bill(profile: Profile, netlist: Netlist, cut: Sequence[Wire], printed: Sequence[tuple[str, int, str]]) -> str:
    """The parts list as CSV.

    Args:
        profile: the board.
        netlist: its parts.
        cut: its wires.
        printed: the printed parts: the name of each, how many, of what.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((*_bought(profile, netlist), *_wired(cut), *_around(profile), *_printed(printed)))
    return text.getvalue()


def _bought(profile: Profile, netlist: Netlist) -> Iterator[Item]:
    """What is soldered in; lamps come as strip."""
    bought = [part for part in netlist.parts.values() if part.sort != "lamp"]
    counted = Counter((part.sort, part.value, part.note if part.sort == "resistor" else "") for part in bought)
    for (kind, value, note), count in counted.items():
        sort = SORTS[kind]
        told = sort.purpose or note
        yield Item(str(count), sort.name, value, sort.package, told, sort.substitutes)
    chips = [part for part in netlist.parts.values() if SORTS[part.sort].package.startswith("DIP")]
    for package, count in Counter(SORTS[part.sort].package for part in chips).items():
        yield Item(str(count), "socket", "", package, "chips can be taken out again, and are not heated", "none")
    if lamps := list(netlist.of("lamp")):
        sort, strips = SORTS["lamp"], pieces(profile, netlist)
        apart = profile.body.pitch / math.isqrt(profile.chain.per_cell)
        shapes = Counter(map(len, strips))
        cut = " and ".join(f"{count} × {lamps} lamps" for lamps, count in sorted(shapes.items(), reverse=True))
        value = f"in pieces of {cut}, {apart:.1f} mm from lamp to lamp"
        yield Item(str(len(lamps)), f"{sort.name} lamp", value, sort.package, sort.purpose, sort.substitutes)


def _wired(cut: Sequence[Wire]) -> Iterator[Item]:
    """Wire by thickness and colour, in metres, and the plugs on the header."""
    metres: Counter[tuple[int, str]] = Counter()
    for wire in cut:
        metres[wire.gauge, wire.colour] += int(wire.length)
    for (gauge, colour), length in sorted(metres.items()):
        much = math.ceil(length * SPARE / 100) / 10
        what = "feeds the lamps" if gauge < 26 else "signals and small currents"
        yield Item(f"{much:g} m", "stranded wire", f"AWG {gauge}, {colour}", "", what, "any colour, noted in the table")
    plugged = {wire_end for wire in cut for wire_end in (wire.one, wire.other) if wire_end.part == "J1"}
    what = "plugs a wire onto the Pi's header"
    yield Item(str(len(plugged)), "crimped socket", "2.54 mm", "", what, "ready-made jumper wires")


def _around(profile: Profile) -> Iterator[Item]:
    """Magnets, and the Pi's own supply."""
    if profile.sensing.kind == "hall":
        pairs = max(pond.spawn for pond in VARIANTS.values() if pond.size == profile.size) * 2
        wide, high = profile.body.magnet
        yield Item(
            str(pairs * MAGNETS),
            "disc magnet, neodymium N42",
            f"{wide:g} × {high:g} mm",
            "axially magnetised",
            f"{MAGNETS} in each of {pairs} pieces",
            "N45, N52; not weaker",
        )
    if profile.supply.source == "own":
        yield Item("1", "power supply of the Pi", "as its model asks for", "", "feeds the Pi alone", "")
    else:
        amperes = profile.supply.current / 1000
        told = "feeds the Pi, and the board through its header"
        yield Item("1", "power supply of the Pi", f"{amperes:g} A or more", "", told, "one that gives more current")
    yield Item("8", "screw", "M3 × 12", "", "hold the layers of the case together", "M3 × 10 to 16")
    yield Item("4", "screw", "M2.5 × 6", "", "hold the Pi", "")


def _printed(printed: Sequence[tuple[str, int, str]]) -> Iterator[Item]:
    for name, count, material in printed:
        yield Item(str(count), f"printed: {name}", material, f"stl/{name}.stl", "see assembly.md", "")


