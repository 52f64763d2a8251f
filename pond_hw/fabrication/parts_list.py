"""The parts list: what to buy and what to print, counted from the netlist, the wires and the solids. No prices.

Columns: quantity, part, value, package, purpose, substitutes, and the names that drawings and tables have for them.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pond_hw.fabrication.netlist import Netlist, Part
from pond_hw.fabrication.part_catalogue import SORTS
from pond_hw.fabrication.solids import Bought, Printed
from pond_hw.fabrication.wires import Wire, pieces
from pond_hw.profile.board_profile import Profile

COLUMNS = ("quantity", "part", "value", "package", "purpose", "substitutes", "names")

SPARE = 1.2
"""How much more wire to buy than the lengths come to."""


class Item(NamedTuple):
    """A line of the list."""

    quantity: str
    part: str
    value: str
    package: str
    purpose: str
    substitutes: str
    names: str = ""


def bill(
    profile: Profile, netlist: Netlist, cut: Sequence[Wire], printed: Sequence[Printed], held: Sequence[Bought]
) -> str:
    """The parts list as CSV.

    Args:
        profile: the board.
        netlist: its parts.
        cut: its wires.
        printed: the printed parts.
        held: what holds these together, and the magnets.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((*_bought(profile, netlist), *_wired(cut), *_around(profile)))
    writer.writerows(Item(str(each.quantity), each.what, "", "", each.where, "") for each in held)
    writer.writerows(_printed(printed))
    return text.getvalue()


def _bought(profile: Profile, netlist: Netlist) -> Iterator[Item]:
    """What is soldered in; lamps come as strip."""
    bought = [part for part in netlist.parts.values() if part.sort != "lamp"]
    alike: dict[tuple[str, str, str], list[Part]] = {}
    for part in bought:
        alike.setdefault((part.sort, part.value, part.note if part.sort == "resistor" else ""), []).append(part)
    for (kind, value, note), parts in alike.items():
        sort, count = SORTS[kind], len(parts)
        told = sort.purpose or note
        names = " ".join(each.ref for each in parts)
        yield Item(str(count), sort.name, value, sort.package, told, sort.substitutes, names)
    chips = [part for part in netlist.parts.values() if SORTS[part.sort].package.startswith("DIP")]
    for package, count in Counter(SORTS[part.sort].package for part in chips).items():
        yield Item(str(count), "socket", "", package, "chips can be taken out again, and are not heated", "none")
    if lamps := list(netlist.of("lamp")):
        sort, strips = SORTS["lamp"], pieces(profile, netlist)
        apart = profile.body.pitch / math.isqrt(profile.chain.per_cell)
        shapes = Counter(map(len, strips))
        cut = " and ".join(f"{count} pieces of {lamps}" for lamps, count in sorted(shapes.items(), reverse=True))
        metres = math.ceil(len(lamps) * apart / 100) / 10
        value = f"{len(lamps)} lamps, {1000 / apart:.0f} a metre, cut into {cut}"
        names = f"D0 to D{len(lamps) - 1}"
        yield Item(f"{metres:g} m", f"{sort.name} strip", value, sort.package, sort.purpose, sort.substitutes, names)


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
    """What feeds the Pi."""
    if profile.supply.source == "own":
        yield Item("1", "power supply of the Pi", "as its model asks for", "", "feeds the Pi alone", "")
    else:
        value = f"{profile.supply.current / 1000:g} A or more"
        told = "feeds the Pi, and the board through its header"
        yield Item("1", "power supply of the Pi", value, "", told, "one that gives more current")


def _printed(printed: Sequence[Printed]) -> Iterator[Item]:
    for part in printed:
        purpose = f"{part.grams:.0f} g each if it is printed full"
        yield Item(str(part.count), f"printed: {part.name}", part.material, f"stl/{part.name}.stl", purpose, "")
