"""Write hardware/ORDER.md: what to order for each board, from its parts list and the lists of its circuit boards."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.row_board import ROW_PARTS, row_kind, sensor_type
from pond_hw.profile import load_profile
from tools.row_boards.files import SENSOR_SUFFIXES

OrderRow = tuple[int | str, str, str]
"""Quantity for one board, part, and maker and number, or the files to send."""

HARDWARE = Path(__file__).parents[1] / "hardware"

BOARDS = (
    "direct-4x4",
    "matrix-5x5",
    "owner-4x4",
    "hall-4x4",
    "hall-5x5",
    "usb-direct-4x4",
    "usb-hall-4x4",
    "usb-matrix-5x5",
)

SET_COUNTS = (1, 5)
"""Numbers of boards for which quantities are listed."""

BOARD_NAMES = {PART_TYPES[part_type].name for part_type in (*ROW_PARTS, "carrier board")}
"""Circuit boards, which have a table of their own."""

USB_FORBIDDEN = "22 µF"
"""Large capacitor of a row board, which boards on a USB port leave out."""

HEAD = """# What to order

Quantities for one board and for five, with part numbers of products that fit. There are no prices, because they change. Nothing
on this page has been ordered yet. The `printed` parts are not listed here; `parts.csv` in each board's folder has them.

A manufacturer sells at least five copies of a circuit board. So an order for one board leaves you with spare ones.

The parts are those of assembled circuit boards. If you solder them yourself, order the parts in `bom-by-hand.csv` instead: it is
next to the Gerber files.
"""


def make_page() -> str:
    """Return the page. The folders in hardware/ must be complete."""
    return "\n".join([HEAD, *(line for board in BOARDS for line in _describe_board(board))]) + "\n"


def _describe_board(board: str) -> Iterator[str]:
    profile = load_profile(board, measured=False)
    kind, size = row_kind(profile), profile.size
    row_folder = HARDWARE / "row-boards" / f"{kind}-{size}"
    yield f"## {board}\n"
    yield "### Circuit boards\n"
    yield from _format_table(
        ("board", "send the manufacturer"),
        [
            (size, f"row board `{row_folder.name}`", f"`row-boards/{row_folder.name}/{row_folder.name}-gerbers.zip`"),
            (1, "carrier board", f"`{board}/carrier/{board}-carrier-gerbers.zip`"),
        ],
    )
    row_bom = row_folder / f"bom-assembled{SENSOR_SUFFIXES[kind][sensor_type(profile)]}.csv"
    for title, bom, count in (
        ("### Parts on the row boards\n", row_bom, size),
        ("### Parts on the carrier board\n", HARDWARE / board / "carrier" / "bom-assembled.csv", 1),
    ):
        yield title
        board_rows: Iterable[OrderRow] = (
            (count * int(row["Quantity"]), ": ".join(filter(None, (row["Comment"], row["Part"]))), _name_product(row))
            for row in _read_table(bom)
            if profile.supply.source != "usb" or not row["Comment"].startswith(USB_FORBIDDEN)
        )
        yield from _format_table(("part", "maker and number"), board_rows)
    yield "### Everything else\n"
    other_rows: Iterable[OrderRow] = (
        (row["quantity"], ", ".join(filter(None, (row["part"], row["value"]))), row["product"] or "any")
        for row in _read_table(HARDWARE / board / "parts.csv")
        if not row["part"].startswith("printed") and row["part"] not in BOARD_NAMES
    )
    yield from _format_table(("part", "for example"), other_rows)


def _name_product(row: dict[str, str]) -> str:
    return " ".join(filter(None, (row["Manufacturer"], row["MPN"]))) or "any"


def _read_table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _format_table(columns: tuple[str, str], rows: Iterable[OrderRow]) -> Iterator[str]:
    yield f"| {' | '.join(f'for {_count_word(count)}' for count in SET_COUNTS)} | {' | '.join(columns)} |"
    yield "|---|---|---|---|"
    for quantity, *cells in rows:
        amounts = (_multiply(str(quantity), count) for count in SET_COUNTS)
        yield f"| {' | '.join(amounts)} | {' | '.join(cells)} |"
    yield ""


def _multiply(quantity: str, count: int) -> str:
    """Multiply a quantity, which may be a length such as `0.6 m`."""
    number, _, unit = quantity.partition(" ")
    return f"{math.ceil(10 * float(number) * count) / 10:g} {unit}".rstrip()


def _count_word(count: int) -> str:
    return {1: "one", 5: "five"}[count]


if __name__ == "__main__":
    (HARDWARE / "ORDER.md").write_text(make_page(), encoding="utf-8")
