"""Lists for an assembly house, as CSV: parts and placement."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from pond_hw.fabrication.kicad.block import part_value
from pond_hw.fabrication.netlist import CircuitPart
from pond_hw.fabrication.part_catalogue import PART_TYPES
from tools.carrier.board_file import on_sheet
from tools.carrier.placement import Carrier

BOM_COLUMNS = ("Comment", "Designator", "Footprint", "Quantity", "Part")
PLACEMENT_COLUMNS = ("Designator", "Mid X", "Mid Y", "Layer", "Rotation")


def format_bom(carrier: Carrier) -> str:
    """Return the parts list of a carrier, with one line for identical parts.

    The Comment column is the value in the schematic; the Part column says what to buy.
    """
    refs_by_kind: dict[tuple[str, str, str], list[str]] = {}
    for placed in carrier.parts:
        name = placed.footprint.name
        refs_by_kind.setdefault((part_value(placed.part), name, _describe(placed.part, name)), []).append(
            placed.part.ref
        )
    return _format_csv(
        BOM_COLUMNS,
        (
            (comment, ",".join(refs), name, len(refs), description)
            for (comment, name, description), refs in refs_by_kind.items()
        ),
    )


def format_placement(carrier: Carrier) -> str:
    """Return the placement list.

    Positions are the centres of the parts in mm, right and up from the corner of the sheet, as in the Gerber files.
    """
    rows = []
    for placed in sorted(carrier.parts, key=lambda placed: placed.part.ref):
        x, y = on_sheet(*placed.centred()[2:])
        rows.append((placed.part.ref, f"{x:.4f}mm", f"{-y:.4f}mm", "Top", "0"))
    return _format_csv(PLACEMENT_COLUMNS, rows)


def _describe(part: CircuitPart, footprint_name: str) -> str:
    part_type = PART_TYPES.get(part.part_type)
    match part.part_type:
        case "pi":
            return "box header 2 x 20, 2.54 mm, straight, for a ribbon cable of 40 wires"
        case "fuse":
            return f"holder for fuses of 5 x 20 mm, pins 22.6 mm apart, and a fuse T {part.value} (IEC 60127-2)"
        case "reservoir":
            return f"electrolytic capacitor {part.value}, 10 V or more, 10 mm wide, pins 5 mm apart"
        case "capacitor":
            return f"ceramic capacitor {part.value}, pins 2.54 mm apart"
        case "resistor":
            return f"resistor {part.value}, axial, 1/4 W"
    if part_type and part_type.package.startswith("DIP-"):
        return f"{part_type.name} in {part_type.package}, and a socket {part_type.package}"
    return footprint_name


def _format_csv(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
