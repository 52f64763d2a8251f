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
from pond_hw.fabrication.wires import SIGNAL_GAUGE, CutWire, lamp_strips
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


def _list_part(
    part_type: str, quantity: int | str, value: str = "", names: str = "", note: str = "", package: str = ""
) -> PartsListRow:
    """What the catalogue says of a part; `note` and `package` where it leaves them open."""
    name, its_package, purpose, substitutes, *_ = PART_TYPES[part_type]
    return PartsListRow(quantity, name, value, its_package or package, purpose or note, substitutes, names)


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
        yield _list_part(part_type, len(refs), value, " ".join(refs), resistor_note)
    for package, socket_count in socket_counts.items():
        if package.startswith("DIP"):
            yield _list_part("chip socket", socket_count, package=package)


def _lamp_rows(profile: Profile, netlist: Netlist) -> Iterator[PartsListRow]:
    """Lamps come as strip."""
    if strips := lamp_strips(profile, netlist):
        lamp_count = sum(map(len, strips))
        lamp_distance = profile.body.pitch_mm / math.isqrt(profile.chain.lamps_per_cell)
        strip_shapes = sorted(Counter(map(len, strips)).items(), reverse=True)
        pieces = " and ".join(f"{pieces} pieces of {lamps}" for lamps, pieces in strip_shapes)
        metres_text = f"{math.ceil(lamp_count * lamp_distance / 100) / 10:g} m"
        value = f"{lamp_count} lamps, {1000 / lamp_distance:.0f} a metre, cut into {pieces}"
        lamp_row = _list_part("lamp", metres_text, value, f"D0 to D{lamp_count - 1}")
        yield lamp_row._replace(part=f"{lamp_row.part} strip")


def _wire_rows(cut: Sequence[CutWire]) -> Iterator[PartsListRow]:
    """Wire by thickness and colour, in metres, and the plugs on the header."""
    total_lengths: Counter[tuple[int, str]] = Counter()
    for wire in cut:
        total_lengths[wire.gauge, wire.colour] += int(wire.length)
    for (gauge, colour), total_length in sorted(total_lengths.items()):
        metres_text = f"{math.ceil(total_length * SPARE_FACTOR / 100) / 10:g} m"
        yield _list_part("thick wire" if gauge < SIGNAL_GAUGE else "thin wire", metres_text, f"AWG {gauge}, {colour}")
    plugged_pins = {part_pin for wire in cut for part_pin in (wire.start_pin, wire.end_pin) if part_pin.part == "J1"}
    yield _list_part("header socket", len(plugged_pins), "2.54 mm")


def _supply_row(profile: Profile) -> PartsListRow:
    """What feeds the Pi."""
    if profile.supply.source == "own":
        return _list_part("pi supply", 1, "as its model asks for")
    return _list_part("pi and board supply", 1, f"{profile.supply.current_ma / 1000:g} A or more")
