"""Parts list: everything to buy and print, counted from the netlist, the wires and the solids, but without prices.

Columns: quantity, part, value, package, purpose, product, substitutes, and the references used in drawings and tables.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pond_hw.fabrication.cables import Cable
from pond_hw.fabrication.carrier import CARRIED_TYPES, has_carrier
from pond_hw.fabrication.netlist import Netlist
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.solids.board_parts import clip_screws
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.piece import piece_magnets
from pond_hw.fabrication.solids.printed import PrintedPart, find_sliced
from pond_hw.profile.board_profile import AnalogWiring, Profile

SCREW_LENGTHS = (12, 16, 20, 25, 30)
"""Lengths of M3 screws in mm (ISO 888)."""

MIN_GRIP = 4.0
"""Minimum length in mm by which a screw must reach into its insert."""


CONTACT = "SXH-001T-P0.6"
"""JST's number of a crimped contact of the XH series, for AWG 22 to 28."""


class PartsListRow(NamedTuple):
    """Row of the parts list."""

    quantity: int | str
    part: str
    value: str = ""
    package: str = ""
    purpose: str = ""
    product: str = ""
    substitutes: str = ""
    names: str = ""


def format_parts_list(
    profile: Profile,
    netlist: Netlist,
    cables: Sequence[Cable],
    printed: Sequence[PrintedPart],
) -> str:
    list_text = io.StringIO()
    csv_writer = csv.writer(list_text, lineterminator="\n")
    csv_writer.writerow(PartsListRow._fields)
    csv_writer.writerows(_bought_rows(netlist))
    if has_carrier(netlist):
        csv_writer.writerow(_list_part("carrier board", 1, f"carrier/{profile.name}-carrier-gerbers.zip"))
        csv_writer.writerow(_list_part("spare fuse", 1, netlist.parts["F1"].value))
        if profile.controller == "pi":
            csv_writer.writerow(_list_part("ribbon cable", 1))
    csv_writer.writerows(_cable_rows(cables))
    if profile.controller == "pi":
        csv_writer.writerow(_list_part("sd card", 1))
        csv_writer.writerow(_list_part("heat sink", 1))
    if profile.controller == "pico":
        csv_writer.writerow(_list_part("usb cable", 1))
    elif profile.supply.source == "own":
        csv_writer.writerow(_list_part("pi supply", 1, "as the Pi's model requires"))
    else:
        csv_writer.writerow(_list_part("pi and board supply", 1, f"{profile.supply.current_ma / 1000:g} A or more"))
    if profile.supply.source == "own":
        csv_writer.writerow(_list_part("lamp supply", 1, f"{profile.supply.current_ma / 1000:g} A"))
    csv_writer.writerows(list_fasteners(profile))
    for part in printed:
        row = PartsListRow(part.count, f"printed: {part.name}", part.material, f"stl/{part.name}.stl")
        if part.name == "piece" and not profile.sensing.turned_pieces:
            width = math.floor(SolidLayout(profile).piece_width)
            row = row._replace(substitutes=f"draughtsmen of {width} mm, with an enclosed magnet below")
        csv_writer.writerow(row._replace(purpose=describe_printed(part)))
    return list_text.getvalue()


def describe_printed(part: PrintedPart) -> str:
    """Describe the material and printing time of one copy, if known, and anything to do during the print."""
    sliced_part = find_sliced(part.solid)
    remarks = [f"{sliced_part} each, sliced with 20 % infill"] if sliced_part else []
    remarks.append(f"{part.grams:.0f} g each with 100 % infill")
    if part.pause_z is not None:
        remarks.append(f"the printer pauses at {part.pause_z:g} mm for the magnets")
    return "; ".join(remarks)


def list_fasteners(profile: Profile) -> Iterator[PartsListRow]:
    layout = SolidLayout(profile)
    screw_count, stack_height = len(layout.screw_points), layout.top_z - layout.plate_z
    screw_length = next(length for length in SCREW_LENGTHS if length >= stack_height + MIN_GRIP)
    screw = _list_part("countersunk screw", screw_count)
    yield screw._replace(part=f"{screw.part} x {screw_length}")
    yield _list_part("insert", screw_count)
    clips = clip_screws() if layout.is_trellis else []
    yield _list_part("pi screw", len(layout.pi_holes) + len(layout.carrier_holes) + len(clips))
    yield _list_part("foot", 4)
    if layout.has_halls:
        per_piece, (width, height) = len(piece_magnets(layout)), layout.magnet_size
        note = "three in each piece, with the same pole outwards" if per_piece == 3 else "one in each piece"
        if isinstance(profile.sensing.wiring, AnalogWiring):
            note += "; in Dark's pieces the other way round"
        magnet = _list_part("magnet", per_piece * layout.piece_count, note=note)
        yield magnet._replace(part=f"{magnet.part} {width:g} x {height:g} mm, N42")


def _list_part(part_type: str, quantity: int | str, value: str = "", names: str = "", note: str = "") -> PartsListRow:
    """Return the row for a part. `note` replaces an empty purpose."""
    listed = PART_TYPES[part_type]
    purpose = listed.purpose or note
    return PartsListRow(
        quantity, listed.name, value, listed.package, purpose, listed.product, listed.substitutes, names
    )


def _bought_rows(netlist: Netlist) -> Iterator[PartsListRow]:
    """Yield the Pi or the Pico, and all parts that are not on the carrier."""
    refs_by_kind: dict[tuple[str, str], list[str]] = {}
    for part in netlist.parts.values():
        if part.ref == "J1" or part.part_type not in CARRIED_TYPES:
            refs_by_kind.setdefault((part.part_type, part.value), []).append(part.ref)
    for (part_type, value), refs in refs_by_kind.items():
        yield _list_part(part_type, len(refs), value, " ".join(refs))


def _cable_rows(cables: Sequence[Cable]) -> Iterator[PartsListRow]:
    row_cables = [cable for cable in cables if cable.is_row_cable]
    if row_cables:
        wire_count = max(len(cable.wires) for cable in row_cables)  # the last row has no data out
        names = " ".join(cable.connector for cable in row_cables)
        row = _list_part("row cable", len(row_cables), f"{wire_count} wires, {row_cables[0].length:g} mm", names)
        yield row._replace(product=f"JST, for each: 2 housings XHP-{wire_count}, {2 * wire_count} contacts {CONTACT}")
    for cable in cables:
        if cable.connector == "J1":
            yield _list_part("jumper wire", len(cable.wires), f"{cable.length:g} mm")
        elif not cable.is_row_cable:
            wire_count = len(cable.wires)
            row = _list_part("panel cable", 1, f"{wire_count} wires, {cable.length:g} mm", cable.connector)
            yield row._replace(product=f"JST: 1 housing XHP-{wire_count}, {wire_count} contacts {CONTACT}")
