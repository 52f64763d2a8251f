"""Files of a row board: a KiCad schematic and board that share a name, and lists for an assembly house and for the hand."""

from __future__ import annotations

from collections.abc import Iterator

from pond_hw.fabrication.carrier import NETLIST_FILE
from pond_hw.fabrication.kicad.page import draw_kicad_schematic
from pond_hw.fabrication.netlist import format_netlist
from pond_hw.fabrication.row_board import RowKind, make_row_netlist
from tools.pcb.assembly_house import format_bom, format_placement
from tools.pcb.board_file import write_board
from tools.pcb.maker import MAKER_RULES
from tools.row_boards.layout import place_row
from tools.row_boards.products import ASSEMBLED, BY_HAND, choose_product
from tools.row_boards.tracks import draw_tracks

SENSOR_SUFFIXES: dict[RowKind, dict[str, str]] = {
    "switch": {"button": ""},
    "magnet": {"hall": "-digital", "linear hall": "-linear"},
}
"""Ends of the names of the parts lists, by the catalogue names of the sensors that a row board can have."""


def make_row_files(kind: RowKind, size: int) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file of a row board, except those that KiCad exports."""
    name, netlist = f"{kind}-{size}", make_row_netlist(kind, size)
    board = place_row(name, size, netlist)
    footprints = {placed.part.ref: f"pond:{placed.footprint.name}" for placed in board.parts}
    comments = (
        f"row of {size} cells, each with four lamps and a {'push button' if kind == 'switch' else 'hall sensor'}",
    )
    yield NETLIST_FILE, format_netlist(netlist).encode()
    yield f"{name}.kicad_sch", draw_kicad_schematic(name, netlist, comments, footprints).encode()
    yield f"{name}.kicad_pcb", write_board(name, board, draw_tracks(kind, size)).encode()
    yield f"{name}.kicad_dru", MAKER_RULES.encode()
    for sensor, suffix in SENSOR_SUFFIXES[kind].items():
        yield f"bom-assembled{suffix}.csv", format_bom(board, choose_product(ASSEMBLED, sensor)).encode()
        yield f"bom-by-hand{suffix}.csv", format_bom(board, choose_product(BY_HAND, sensor)).encode()
    yield "placement.csv", format_placement(board).encode()
