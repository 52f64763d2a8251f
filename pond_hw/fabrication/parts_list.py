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

from pond_hw.fabrication.netlist import Netlist
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.solids.printed import BoughtPart, PrintedPart
from pond_hw.fabrication.wires import CutWire, lamp_strips
from pond_hw.profile.board_profile import Profile

SPARE_FACTOR = 1.2
"""How much more wire to buy than the lengths come to."""


class PartsListRow(NamedTuple):
    """A line of the list."""

    quantity: int | str
    part: str
    value: str = ""
    package: str = ""
    purpose: str = ""
    substitutes: str = ""
    names: str = ""


def format_parts_list(
    profile: Profile,
    netlist: Netlist,
    cut_wires: Sequence[CutWire],
    printed_solids: Sequence[PrintedPart],
    bought_parts: Sequence[BoughtPart],
) -> str:
    """The parts list as CSV.

    Args:
        profile: the board.
        netlist: its parts.
        cut_wires: its wires.
        printed_solids: the printed parts.
        bought_parts: what holds these together, and the magnets.
    """
    list_text = io.StringIO()
    csv_writer = csv.writer(list_text, lineterminator="\n")
    csv_writer.writerow(PartsListRow._fields)
    csv_writer.writerows(
        (*_bought_rows(netlist), *_lamp_rows(profile, netlist), *_wire_rows(cut_wires), _supply_row(profile))
    )
    csv_writer.writerows(PartsListRow(part.quantity, part.part_name, purpose=part.purpose) for part in bought_parts)
    for part in printed_solids:
        purpose = f"{part.grams:.0f} g each if it is printed full"
        csv_writer.writerow(
            PartsListRow(part.count, f"printed: {part.name}", part.material, f"stl/{part.name}.stl", purpose)
        )
    return list_text.getvalue()


def _bought_rows(netlist: Netlist) -> Iterator[PartsListRow]:
    """What is soldered in, and sockets for chips."""
    refs_by_kind: dict[tuple[str, str, str], list[str]] = {}
    socket_counts = Counter[str]()
    for part in netlist.parts.values():
        if part.part_type != "lamp":
            resistor_note = part.note if part.part_type == "resistor" else ""
            refs_by_kind.setdefault((part.part_type, part.value, resistor_note), []).append(part.ref)
            socket_counts[PART_TYPES[part.part_type].package] += 1
    for (part_type, value, resistor_note), refs in refs_by_kind.items():
        kind = PART_TYPES[part_type]
        purpose = kind.purpose or resistor_note
        yield PartsListRow(len(refs), kind.name, value, kind.package, purpose, kind.substitutes, " ".join(refs))
    for package, socket_count in socket_counts.items():
        if package.startswith("DIP"):
            purpose = "chips can be taken out again, and are not heated"
            yield PartsListRow(socket_count, "socket", "", package, purpose, "none")


def _lamp_rows(profile: Profile, netlist: Netlist) -> Iterator[PartsListRow]:
    """Lamps come as strip."""
    if strips := lamp_strips(profile, netlist):
        lamp_count, lamp_entry = sum(map(len, strips)), PART_TYPES["lamp"]
        lamp_distance = profile.body.pitch_mm / math.isqrt(profile.chain.lamps_per_cell)
        strip_shapes = sorted(Counter(map(len, strips)).items(), reverse=True)
        pieces = " and ".join(f"{pieces} pieces of {lamps}" for lamps, pieces in strip_shapes)
        yield PartsListRow(
            f"{math.ceil(lamp_count * lamp_distance / 100) / 10:g} m",
            f"{lamp_entry.name} strip",
            f"{lamp_count} lamps, {1000 / lamp_distance:.0f} a metre, cut into {pieces}",
            lamp_entry.package,
            lamp_entry.purpose,
            lamp_entry.substitutes,
            f"D0 to D{lamp_count - 1}",
        )


def _wire_rows(cut: Sequence[CutWire]) -> Iterator[PartsListRow]:
    """Wire by thickness and colour, in metres, and the plugs on the header."""
    total_lengths: Counter[tuple[int, str]] = Counter()
    for wire in cut:
        total_lengths[wire.gauge, wire.colour] += int(wire.length)
    for (gauge, colour), total_length in sorted(total_lengths.items()):
        metres_text = f"{math.ceil(total_length * SPARE_FACTOR / 100) / 10:g} m"
        purpose = "feeds the lamps" if gauge < 26 else "signals and small currents"
        substitutes = "any colour, noted in the table"
        yield PartsListRow(metres_text, "stranded wire", f"AWG {gauge}, {colour}", "", purpose, substitutes)
    plugged_pins = {part_pin for wire in cut for part_pin in (wire.start_pin, wire.end_pin) if part_pin.part == "J1"}
    purpose = "plugs a wire onto the Pi's header"
    yield PartsListRow(len(plugged_pins), "crimped socket", "2.54 mm", "", purpose, "ready-made jumper wires")


def _supply_row(profile: Profile) -> PartsListRow:
    """What feeds the Pi."""
    if profile.supply.source == "own":
        return PartsListRow(1, "power supply of the Pi", "as its model asks for", "", "feeds the Pi alone")
    value = f"{profile.supply.current_ma / 1000:g} A or more"
    purpose = "feeds the Pi, and the board through its header"
    return PartsListRow(1, "power supply of the Pi", value, "", purpose, "one that gives more current")
