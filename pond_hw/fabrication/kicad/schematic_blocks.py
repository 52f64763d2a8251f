"""Blocks of a board's schematic: the Pi, power, level shifter, chips, cells laid out as on the board, and lamps.

This module and symbols.py place the symbols; the netlist defines the connections.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from pond_hw.fabrication.kicad.block import Block, Box, PlacedText, label_length
from pond_hw.fabrication.kicad.symbols import CONNECTOR_TYPES
from pond_hw.fabrication.netlist import CircuitPart, Netlist
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.wire_tracing import SENSOR_TYPES
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.rules import Cell, get_grid

LAMP_PITCH, LAMP_ROW_PITCH = 21, 17
"""Steps between lamps, and between rows of lamps."""

CELL_OFFSETS = {"diode": 14, "capacitor": -14}
"""Position of a cell's other parts, in steps to the right of its sensor."""

CHIP_TITLES = {
    **dict.fromkeys(EXPANDER_PARTS, "Port expander"),
    **dict.fromkeys(CONVERTER_PARTS, "Analog converter"),
    "trellis": "NeoTrellis",
}


def draw_blocks(profile: Profile, netlist: Netlist) -> list[list[Block]]:
    columns = [
        [_draw_pi(netlist), *_draw_controls(netlist), *_draw_power(netlist), *_draw_shifter(netlist)],
        [*_draw_chips(netlist)],
        [*_draw_cells(profile, netlist), *_draw_lamps(profile, netlist), *_draw_connectors(netlist)],
    ]
    for column in columns:
        for block in column:
            block.label_remaining_pins()
    return [column for column in columns if column]


def _draw_pi(netlist: Netlist) -> Block:
    block = Block("Raspberry Pi Pico" if netlist.parts["J1"].part_type == "pico" else "Raspberry Pi", netlist)
    block.add_part("J1", 0, 0)
    return block


def _draw_controls(netlist: Netlist) -> Iterator[Block]:
    keys = list(netlist.parts_of_type("key", "turn key"))
    block = Block(
        " and ".join(["Keys" if len(keys) > 1 else "Key"] * bool(keys) + ["buzzer"] * ("R3" in netlist.parts)), netlist
    )
    for key_number, key in enumerate(keys):
        block.add_part(key.ref, 0, 0 if key_number == 0 else 12 + 8 * key_number)
    block.add_part("R3", 0, 10)
    block.add_part("BZ1", label_length("buzzer behind R3") + 6, 11)
    block.connect(("R3", "2"), ("BZ1", "1"), is_labelled=True)
    block.label_pin("BZ1", "2", "down", 2)
    if block.symbols:
        yield block


def _draw_power(netlist: Netlist) -> Iterator[Block]:
    block = Block("Power of the lamps" + ", and the rails of the strip board" * ("B1" in netlist.parts), netlist)
    block.add_part("J2", -32, 2)
    block.add_part("F1", 0, 0)
    block.add_part("C1", 12, 3)
    block.connect(("J2", "1"), ("F1", "1"))
    block.label_pin("F1", "1", *(("up", 3) if "J2" in netlist.parts else ("left", 1)))
    block.connect(("F1", "2"), ("C1", "1"))
    block.label_pin("C1", "1", "up")
    block.add_flag("C1", "1", 9)
    block.add_part("B1", 40, 4)
    if block.symbols:
        yield block


def _draw_shifter(netlist: Netlist) -> Iterator[Block]:
    if "U1" not in netlist.parts:
        return
    block = Block("Level shifter: the lamps' data from 3.3 V to 5 V", netlist)
    block.add_part("U1", 0, 0)
    x, y = block.place_of("U1", "2")
    block.add_part("R2", x - 12, y + 3, is_upright=True)
    block.connect(("R2", "1"), ("U1", "2"))
    block.label_pin("R2", "1", "left")
    x, y = block.place_of("U1", "3")
    block.add_part("R1", x + label_length("data 5 V") + 3, y)
    block.connect(("U1", "3"), ("R1", "1"), is_labelled=True)
    block.add_part("C2", x + 8, 3)
    yield block


def _draw_chips(netlist: Netlist) -> Iterator[Block]:
    for part in netlist.parts_of_type(*CHIP_TITLES):
        block = Block(f"{CHIP_TITLES[part.part_type]} {part.ref}: {part.note}", netlist)
        block.add_part(part.ref, 0, 0)
        left = block.bounds().left
        for capacitor in netlist.parts_of_type("capacitor"):
            if capacitor.beside == part.ref:
                block.add_part(capacitor.ref, left - 9, 8)
        yield block


def _draw_connectors(netlist: Netlist) -> Iterator[Block]:
    connectors = list(netlist.parts_of_type(*CONNECTOR_TYPES))
    block, y = Block("Connectors", netlist), 0
    for part in connectors:
        block.add_part(part.ref, 0, y + len(part.pins))
        y += 2 * len(part.pins) + 8
    if connectors:
        yield block


def _draw_cells(profile: Profile, netlist: Netlist) -> Iterator[Block]:
    """Draw the sensors in the same arrangement as the cells, seen from above."""
    grid = get_grid(profile.size)
    parts_by_cell = {cell: _cell_parts(netlist, cell) for cell in grid.cells}
    if not any(parts_by_cell.values()):
        return
    part_by_type = {part.part_type: part for parts in parts_by_cell.values() for part in parts}
    sensor = next(PART_TYPES[part_type].short_name for part_type in part_by_type if part_type in SENSOR_TYPES)
    block = Block(f"Cells as seen from above, each with a {sensor}", netlist)
    left, top, right, bottom = (-18, -12, 14, 12) if part_by_type.keys() & {"hall", "linear hall"} else (-10, -5, 14, 5)
    if "diode" in part_by_type:
        left, right = -15, 36
    for cell, parts in parts_by_cell.items():
        column, row = grid.cell_coordinates(cell)
        x, y = column * (right - left + 2), (grid.size - 1 - row) * (bottom - top + 2)
        for part in parts:
            block.add_part(part.ref, x + CELL_OFFSETS.get(part.part_type, 0), y)
        for part in parts:
            if part.part_type == "diode":
                block.connect((f"SW_{cell}", "2"), (part.ref, "1"), is_labelled=True)
            if part.part_type == "capacitor":
                for pin_number in ("1", "2"):
                    block.connect((part.beside, pin_number), (part.ref, pin_number))
                    block.label_pin(part.beside, pin_number)
        block.frames.append(Box(x + left, y + top, x + right, y + bottom))
        block.texts.append(PlacedText(cell, (x + left + 1, y + top + 2.5), size=1.8))
    yield block


def _cell_parts(netlist: Netlist, cell: Cell) -> list[CircuitPart]:
    return [part for part in netlist.parts.values() if part.cell == cell and part.part_type != "lamp"]


def _draw_lamps(profile: Profile, netlist: Netlist) -> Iterator[Block]:
    """Draw the chain row by row, from left to right, each lamp above the name of its cell."""
    lamps = list(netlist.parts_of_type("lamp"))
    if not lamps:
        return
    block = Block(f"Lamps ({PART_TYPES['lamp'].short_name}) in the order of the chain, each with its cell", netlist)
    per_row = profile.size * max(1, math.isqrt(profile.chain.lamps_per_cell))
    rows = [lamps[start : start + per_row] for start in range(0, len(lamps), per_row)]
    for row_number, row in enumerate(rows):
        for column, lamp in enumerate(row):
            block.add_part(lamp.ref, column * LAMP_PITCH, row_number * LAMP_ROW_PITCH)
        for lamp, next_lamp in pairwise(row):
            block.connect((lamp.ref, "1"), (next_lamp.ref, "1"))
            block.connect((lamp.ref, "3"), (next_lamp.ref, "3"))
            block.connect((lamp.ref, "2"), (next_lamp.ref, "4"), is_labelled=True)
        for pin_number in ("1", "3"):
            block.label_pin(row[0].ref, pin_number, "left", 7)
    yield block
