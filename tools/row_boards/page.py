"""Page about the row boards: hardware/row-boards/README.md. Its tables are computed from the boards."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from pond_hw.fabrication.netlist import Netlist
from pond_hw.fabrication.row_board import (
    COMMON_PIN,
    DATA_IN_PIN,
    DATA_OUT_PIN,
    GROUND_PIN,
    SUPPLY_PIN,
    RowKind,
    connector_pins,
    make_row_netlist,
)
from pond_hw.fabrication.solids.sizes import ROW_DEPTH
from pond_hw.profile.row_boards import ROW_SIZES
from tools.row_boards.layout import place_row
from tools.row_boards.sizes import board_length

PIN_PURPOSES = {
    GROUND_PIN: "ground of the lamps and sensors",
    SUPPLY_PIN: "5 V for the lamps, behind the carrier's fuse",
    DATA_IN_PIN: "data for the first lamp, 5 V high",
    DATA_OUT_PIN: "data from the last lamp, for the next row",
    COMMON_PIN: "`switch`: ground, or the driven line of this row; `magnet`: 3.3 V",
}

USED_FOR = {
    ("switch", 4): "direct-4x4, usb-direct-4x4",
    ("switch", 5): "matrix-5x5, usb-matrix-5x5",
    ("magnet", 4): "hall-4x4, usb-hall-4x4; owner-4x4 with linear sensors",
    ("magnet", 5): "hall-5x5, with linear sensors",
}


def make_page() -> str:
    """Return the page, from page.txt and the tables."""
    boards = [(kind, size) for kind in get_args(RowKind) for size in ROW_SIZES]
    board_rows = [
        (
            f"[{kind}-{size}]({kind}-{size})",
            USED_FOR[kind, size],
            f"{board_length(size):.1f} x {ROW_DEPTH:g} mm",
            *_joints(kind, size),
        )
        for kind, size in boards
    ]
    pin_rows = [
        (number, pin.name, PIN_PURPOSES.get(pin.name, "")) for number, pin in connector_pins(max(ROW_SIZES)).items()
    ]
    first_cell = len(PIN_PURPOSES)
    cells = [
        (f"{number}", name, "switch or sensor of this cell, from the left") for number, name, _ in pin_rows[first_cell:]
    ]
    text = Path(__file__).with_name("page.txt").read_text(encoding="utf-8")
    return text.format(
        boards=_table(("board", "used for", "size", "joints, assembled", "joints, by hand"), board_rows),
        pins=_table(("pin", "name", "what it is"), [*pin_rows[:first_cell], *cells]),
    )


def _joints(kind: RowKind, size: int) -> tuple[str, str]:
    """Return the number of joints by hand with and without an assembly house."""
    netlist: Netlist = make_row_netlist(kind, size)
    board = place_row(f"{kind}-{size}", size, netlist)
    holes = {placed.part.ref: sum(1 for pad in placed.footprint.pads if pad.drill) for placed in board.parts}
    return f"{holes['J1']}, or 0", str(sum(holes.values()))


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (columns, ("---",) * len(columns), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
