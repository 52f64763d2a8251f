"""Blocks of a schematic: the Pi, power, level shifter, chips and connectors of a board, or the cells and lamps of a row.

This module and symbols.py place the symbols; the netlist defines the connections.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pond_hw.fabrication.kicad.block import Block, label_length
from pond_hw.fabrication.kicad.symbols import CONNECTOR_TYPES, HEADER_TYPES
from pond_hw.fabrication.netlist import Netlist
from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.fabrication.row_board import ROW_PARTS
from pond_hw.fabrication.wire_tracing import SENSOR_TYPES
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS

SENSOR_PITCH, LAMP_PITCH, LAMP_ROW_PITCH, LAMP_CAPACITOR_DROP = 50, 21, 34, 14
"""Steps between sensors, between lamps, between rows of lamps, and from a lamp down to its capacitor."""

LAMPS_PER_ROW = 10

DRAWN_WITH_POWER = ("supply plug", "test point")
"""Connectors that have a place among the parts of the supply."""

CHIP_TITLES = {
    **dict.fromkeys(EXPANDER_PARTS, "Port expander"),
    **dict.fromkeys(CONVERTER_PARTS, "Analog converter"),
    "trellis": "NeoTrellis",
}


def draw_blocks(netlist: Netlist) -> list[list[Block]]:
    """Draw a whole board, its carrier, or a row board."""
    columns = [
        [*_draw_pi(netlist), *_draw_controls(netlist), *_draw_power(netlist), *_draw_shifter(netlist)],
        [*_draw_chips(netlist), *_draw_test_points(netlist)],
        [*_draw_connectors(netlist)],
        [*_draw_sensors(netlist), *_draw_lamps(netlist)],
    ]
    for column in columns:
        for block in column:
            block.label_remaining_pins()
    return [column for column in columns if column]


def _draw_pi(netlist: Netlist) -> Iterator[Block]:
    for part in netlist.parts_of_type(*HEADER_TYPES):
        block = Block("Raspberry Pi Pico" if part.part_type == "pico" else "Raspberry Pi", netlist)
        block.add_part(part.ref, 0, 0)
        yield block


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
    if "F1" not in netlist.parts:
        return
    block = Block("Power of the lamps", netlist)
    if "J2" in netlist.parts:
        block.add_part("J2", -40, 4)
        block.add_part("J6", -40, 22)
        for number, part_ref in enumerate(("R6", "R7")):
            block.add_part(part_ref, -18, 12 + 10 * number)
    block.add_part("F1", 0, 0)
    block.label_pin("F1", "1", "left", 1)
    x = 12
    if "TVS1" in netlist.parts:
        block.add_part("TVS1", 12, 3)
        block.connect(("F1", "2"), ("TVS1", "1"), is_labelled=False)
        block.label_pin("TVS1", "1", "up")
        block.add_part("Q1", 34, 0)
        x = 56
    block.add_part("C1", x, 3)
    block.connect(("Q1", "2") if "Q1" in netlist.parts else ("F1", "2"), ("C1", "1"))
    block.label_pin("C1", "1", "up")
    block.add_flag("C1", "1", 9)
    block.add_part("LED1", x - 16, 16)
    block.add_part("R8", x + 3, 16)
    block.connect(("LED1", "2"), ("R8", "1"), is_labelled=True)
    yield block
    if "U2" in netlist.parts:
        yield _draw_cut_off(netlist)


def _draw_cut_off(netlist: Netlist) -> Block:
    block = Block("Cut-off of the lamps above 5.7 V: opens Q1", netlist)
    block.add_part("Q2", 0, 0)
    block.add_part("R22", -30, 0)
    block.add_part("R21", 30, 0)
    block.add_part("U2", 0, 36)
    block.add_part("R23", -30, 10)
    block.add_part("R24", -30, 20)
    block.add_part("R25", -30, 30)
    return block


def _draw_test_points(netlist: Netlist) -> Iterator[Block]:
    block = Block("Test points", netlist)
    for number, part in enumerate(netlist.parts_of_type("test point")):
        block.add_part(part.ref, 0, 10 * number)
    if block.symbols:
        yield block


def _draw_shifter(netlist: Netlist) -> Iterator[Block]:
    if not netlist.has_type("shifter"):
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
    connectors = [part for part in netlist.parts_of_type(*CONNECTOR_TYPES) if part.part_type not in DRAWN_WITH_POWER]
    block, y = Block("Row boards" if netlist.has_type(*ROW_PARTS) else "Connectors", netlist), 0
    for part in connectors:
        block.add_part(part.ref, 0, y + len(part.pins))
        y += 2 * len(part.pins) + 8
    if connectors:
        yield block


def _draw_sensors(netlist: Netlist) -> Iterator[Block]:
    """Draw the sensors of a row board from left to right, each with its diode or capacitor."""
    sensors = list(netlist.parts_of_type(*SENSOR_TYPES))
    if not sensors:
        return
    block = Block(f"Cells from the left, each with a {PART_TYPES[sensors[0].part_type].short_name}", netlist)
    for column, sensor in enumerate(sensors):
        x = column * SENSOR_PITCH
        block.add_part(sensor.ref, x, 0)
        for part in netlist.parts_of_type("diode"):
            if part.ref[1:] == sensor.ref.removeprefix("SW"):
                block.add_part(part.ref, x + 14, 0)
                block.connect((sensor.ref, "2"), (part.ref, "1"), is_labelled=True)
        for part in netlist.parts_of_type("capacitor"):
            if part.beside == sensor.ref:
                block.add_part(part.ref, x - 14, 0)
                for pin_number in ("1", "2"):
                    block.connect((sensor.ref, pin_number), (part.ref, pin_number))
                    block.label_pin(sensor.ref, pin_number)
    yield block


def _draw_lamps(netlist: Netlist) -> Iterator[Block]:
    """Draw the chain in rows from left to right, each lamp with its capacitor, if it has one."""
    lamps = list(netlist.parts_of_type("lamp"))
    if not lamps:
        return
    block = Block(f"Lamps ({PART_TYPES['lamp'].short_name}) in the order of the chain", netlist)
    capacitors = {part.beside: part for part in netlist.parts_of_type("capacitor")}
    rows = [lamps[start : start + LAMPS_PER_ROW] for start in range(0, len(lamps), LAMPS_PER_ROW)]
    for row_number, row in enumerate(rows):
        y = row_number * LAMP_ROW_PITCH
        for column, lamp in enumerate(row):
            block.add_part(lamp.ref, column * LAMP_PITCH, y)
            if lamp.ref in capacitors:
                block.add_part(capacitors[lamp.ref].ref, column * LAMP_PITCH, y + LAMP_CAPACITOR_DROP)
        for lamp, next_lamp in pairwise(row):
            block.connect((lamp.ref, "1"), (next_lamp.ref, "1"))
            block.connect((lamp.ref, "3"), (next_lamp.ref, "3"))
            block.connect((lamp.ref, "2"), (next_lamp.ref, "4"), is_labelled=True)
        for pin_number in ("1", "3"):
            block.label_pin(row[0].ref, pin_number, "left", 7)
    for part in netlist.parts_of_type("row reservoir"):
        y = (len(rows) - 1) * LAMP_ROW_PITCH + LAMP_CAPACITOR_DROP
        block.add_part(part.ref, len(rows[-1]) * LAMP_PITCH + 4, y)
    yield block
