"""Lists for an assembly house, as CSV: parts and placement."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tools.pcb.board import Board, PlacedPart
from tools.pcb.board_file import on_sheet

BOM_COLUMNS = ("Comment", "Designator", "Footprint", "Quantity", "Manufacturer", "MPN", "Part")
PLACEMENT_COLUMNS = ("Designator", "Mid X", "Mid Y", "Layer", "Rotation")


class Product(NamedTuple):
    """Product to solder onto a footprint.

    Attributes:
        comment: what is soldered, in a few words.
        manufacturer: its manufacturer; empty if any will do.
        number: the manufacturer's part number; empty if any will do.
        description: size, rating and further parts to buy with it.
    """

    comment: str
    manufacturer: str = ""
    number: str = ""
    description: str = ""


def format_bom(board: Board, choose_product: Callable[[PlacedPart], Product]) -> str:
    """Return the parts list of a board, with one line for identical parts."""
    refs_by_product: dict[tuple[Product, str], list[str]] = {}
    for placed in board.parts:
        refs_by_product.setdefault((choose_product(placed), placed.footprint.name), []).append(placed.part.ref)
    return _format_csv(
        BOM_COLUMNS,
        (
            (
                product.comment,
                ",".join(refs),
                footprint_name,
                len(refs),
                product.manufacturer,
                product.number,
                product.description,
            )
            for (product, footprint_name), refs in refs_by_product.items()
        ),
    )


def format_placement(board: Board) -> str:
    """Return the placement list.

    Positions are the centres of the parts in mm, right and up from the corner of the sheet, as in the Gerber files.
    """
    rows = []
    for placed in sorted(board.parts, key=lambda placed: placed.part.ref):
        x, y = on_sheet(*placed.centred()[2:4])
        layer = "Bottom" if placed.footprint.is_at_bottom else "Top"
        rows.append((placed.part.ref, f"{x:.4f}mm", f"{-y:.4f}mm", layer, placed.rotation))
    return _format_csv(PLACEMENT_COLUMNS, rows)


def _format_csv(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
