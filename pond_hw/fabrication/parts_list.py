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

from pond_hw.fabrication.netlist import CircuitPart, Netlist
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.solids import BoughtPart, PrintedPart
from pond_hw.fabrication.wires import CutWire, lamp_strips
from pond_hw.profile.board_profile import Profile

LIST_COLUMNS = ("quantity", "part", "value", "package", "purpose", "substitutes", "names")

SPARE_FACTOR = 1.2
"""How much more wire to buy than the lengths come to."""


class PartsListRow(NamedTuple):
    """A line of the list."""

    quantity: str
    part: str
    value: str
    package: str
    purpose: str
    substitutes: str
    part_names: str = ""


def format_parts_list(
    profile: Profile,
    netlist: Netlist,
    cut: Sequence[CutWire],
    printed: Sequence[PrintedPart],
    held: Sequence[BoughtPart],
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
    writer.writerow(LIST_COLUMNS)
    writer.writerows((*_bought_rows(profile, netlist), *_wire_rows(cut), *_supply_rows(profile)))
    writer.writerows(PartsListRow(str(each.quantity), each.part_name, "", "", each.purpose, "") for each in held)
    writer.writerows(_printed_rows(printed))
    return text.getvalue()


def _bought_rows(profile: Profile, netlist: Netlist) -> Iterator[PartsListRow]:
    """What is soldered in; lamps come as strip."""
    bought = [part for part in netlist.parts.values() if part.part_type != "lamp"]
    alike: dict[tuple[str, str, str], list[CircuitPart]] = {}
    for part in bought:
        alike.setdefault((part.part_type, part.value, part.note if part.part_type == "resistor" else ""), []).append(
            part
        )
    for (kind, value, note), parts in alike.items():
        sort, count = PART_TYPES[kind], len(parts)
        told = sort.purpose or note
        names = " ".join(each.ref for each in parts)
        yield PartsListRow(str(count), sort.name, value, sort.package, told, sort.substitutes, names)
    chips = [part for part in netlist.parts.values() if PART_TYPES[part.part_type].package.startswith("DIP")]
    for package, count in Counter(PART_TYPES[part.part_type].package for part in chips).items():
        yield PartsListRow(
            str(count), "socket", "", package, "chips can be taken out again, and are not heated", "none"
        )
    if lamps := list(netlist.parts_of_type("lamp")):
        sort, strips = PART_TYPES["lamp"], lamp_strips(profile, netlist)
        apart = profile.body.pitch_mm / math.isqrt(profile.chain.lamps_per_cell)
        shapes = Counter(map(len, strips))
        cut = " and ".join(f"{count} pieces of {lamps}" for lamps, count in sorted(shapes.items(), reverse=True))
        metres = math.ceil(len(lamps) * apart / 100) / 10
        value = f"{len(lamps)} lamps, {1000 / apart:.0f} a metre, cut into {cut}"
        names = f"D0 to D{len(lamps) - 1}"
        yield PartsListRow(
            f"{metres:g} m", f"{sort.name} strip", value, sort.package, sort.purpose, sort.substitutes, names
        )


def _wire_rows(cut: Sequence[CutWire]) -> Iterator[PartsListRow]:
    """Wire by thickness and colour, in metres, and the plugs on the header."""
    metres: Counter[tuple[int, str]] = Counter()
    for wire in cut:
        metres[wire.gauge, wire.colour] += int(wire.length)
    for (gauge, colour), length in sorted(metres.items()):
        much = math.ceil(length * SPARE_FACTOR / 100) / 10
        what = "feeds the lamps" if gauge < 26 else "signals and small currents"
        yield PartsListRow(
            f"{much:g} m", "stranded wire", f"AWG {gauge}, {colour}", "", what, "any colour, noted in the table"
        )
    plugged = {wire_end for wire in cut for wire_end in (wire.start_pin, wire.end_pin) if wire_end.part == "J1"}
    what = "plugs a wire onto the Pi's header"
    yield PartsListRow(str(len(plugged)), "crimped socket", "2.54 mm", "", what, "ready-made jumper wires")


def _supply_rows(profile: Profile) -> Iterator[PartsListRow]:
    """What feeds the Pi."""
    if profile.supply.source == "own":
        yield PartsListRow("1", "power supply of the Pi", "as its model asks for", "", "feeds the Pi alone", "")
    else:
        value = f"{profile.supply.current_ma / 1000:g} A or more"
        told = "feeds the Pi, and the board through its header"
        yield PartsListRow("1", "power supply of the Pi", value, "", told, "one that gives more current")


def _printed_rows(printed: Sequence[PrintedPart]) -> Iterator[PartsListRow]:
    for part in printed:
        purpose = f"{part.grams:.0f} g each if it is printed full"
        yield PartsListRow(str(part.count), f"printed: {part.name}", part.material, f"stl/{part.name}.stl", purpose, "")
