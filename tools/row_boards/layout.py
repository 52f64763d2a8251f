"""Placement of a row board's parts."""

from __future__ import annotations

from collections.abc import Iterator

from pond_hw.fabrication.netlist import CircuitPart, Netlist
from pond_hw.fabrication.solids.sizes import ROW_DEPTH
from pond_hw.profile.row_boards import LAMPS_PER_CELL
from tools.pcb.board import Board, PlacedPart
from tools.pcb.board_file import REVISION
from tools.pcb.footprints import Footprint, SilkText
from tools.row_boards import footprints
from tools.row_boards.sizes import (
    BULK_X,
    CAPACITOR_Y,
    CONNECTOR_PITCH,
    CONNECTOR_X,
    DIODE_X,
    FIRST_CONNECTOR_Y,
    LAMP_OFFSET,
    Place,
    board_length,
    on_board,
)

FIDUCIAL_X, FIDUCIAL_Y = 12.0, 3.0
"""Positions of the fiducials in the first and the last cell."""

TOOLING_HOLES = ((-14.2, 4.2), (12.0, 3.6))
"""Positions of the tooling holes in the first and in the last cell."""

SENSOR_CAPACITOR_Y = 3.3

PIN_LABELS = {"ground": "GND", "5 V lamps": "5 V", "data in": "IN", "data out": "OUT", "common": "COM"}

LAMP_ROTATION, SWITCH_ROTATION, DIODE_ROTATION, SENSOR_ROTATION, BULK_ROTATION, CONNECTOR_ROTATION = (
    0,
    180,
    90,
    0,
    90,
    90,
)
"""Angles at which JLCPCB places the parts, for lamps on the far side: those of KiCad's library, corrected as in Fabrication
Toolkit and other exporters (WS2812B and SOT-23 by 180°, 6 mm switches by 90°). The maker's preview shows if they fit.
"""


def place_row(name: str, size: int, netlist: Netlist) -> Board:
    """Return a row board with all its parts in their places."""
    placed = [_place_part(part, size) for part in netlist.parts.values()]
    last = size - 1
    fiducials = [(0, (FIDUCIAL_X, -FIDUCIAL_Y)), (0, (FIDUCIAL_X, FIDUCIAL_Y)), (last, (FIDUCIAL_X, -FIDUCIAL_Y))]
    holes = zip((0, last), TOOLING_HOLES, strict=True)
    return Board(
        netlist,
        placed,
        board_length(size),
        ROW_DEPTH,
        texts=tuple(_texts(name, size, netlist)),
        fiducials=tuple(on_board(column, place) for column, place in fiducials),
        tooling_holes=tuple(on_board(column, place) for column, place in holes),
    )


def lamp_place(number: int, size: int) -> tuple[int, bool, bool]:
    """Return the column of a lamp, and if it is on the far side and on the left of its cell. Numbers count from 1."""
    index = number - 1
    is_far = index < 2 * size
    index = index if is_far else LAMPS_PER_CELL * size - 1 - index
    return index // 2, is_far, index % 2 == 0


def _place_part(part: CircuitPart, size: int) -> PlacedPart:
    ref = part.ref
    match part.part_type:
        case "row connector":
            place = CONNECTOR_X, FIRST_CONNECTOR_Y
            return _placed(part, footprints.connector(ref, len(part.pins)), 0, place, CONNECTOR_ROTATION)
        case "lamp":
            column, far, left = lamp_place(int(ref.removeprefix("LED")), size)
            place = -LAMP_OFFSET if left else LAMP_OFFSET, -LAMP_OFFSET if far else LAMP_OFFSET
            return _placed(part, footprints.lamp(ref, far, left), column, place, LAMP_ROTATION if far else 180)
        case "row reservoir":
            return _placed(part, footprints.bulk_capacitor(ref, part.value), 0, (BULK_X, 0), BULK_ROTATION)
        case "capacitor" if part.beside.startswith("LED"):
            column, far, left = lamp_place(int(part.beside.removeprefix("LED")), size)
            place = -LAMP_OFFSET if left else LAMP_OFFSET, -CAPACITOR_Y if far else CAPACITOR_Y
            return _placed(part, footprints.capacitor(ref, not far, -1.6 if far else 1.6), column, place)
        case "capacitor":
            column = int(part.beside.removeprefix("U")) - 1
            return _placed(part, footprints.capacitor(ref, False, 1.4), column, (0, SENSOR_CAPACITOR_Y))
        case "button":
            return _placed(part, footprints.switch(ref), int(ref.removeprefix("SW")) - 1, (0, 0), SWITCH_ROTATION)
        case "diode":
            return _placed(part, footprints.diode(ref), int(ref[1:]) - 1, (DIODE_X, 0), DIODE_ROTATION)
    return _placed(part, footprints.sensor(ref), int(ref[1:]) - 1, (0, 0), SENSOR_ROTATION)


def _placed(part: CircuitPart, footprint: Footprint, column: int, place: Place, rotation: int = 0) -> PlacedPart:
    return PlacedPart(part, footprint, *on_board(column, place), rotation)


def _texts(name: str, size: int, netlist: Netlist) -> Iterator[SilkText]:
    for index, pin in enumerate(netlist.parts["J1"].pins.values()):
        place = CONNECTOR_X + 1.2, FIRST_CONNECTOR_Y + CONNECTOR_PITCH * index
        label = PIN_LABELS.get(pin.name, "abcde"[index - len(PIN_LABELS)])
        yield SilkText(label, *on_board(0, place), side="left")
    yield SilkText("1", *on_board(0, (CONNECTOR_X, FIRST_CONNECTOR_Y - 1.6)), size=1)
    lines = name, f"rev. {REVISION}", "not built by", "anybody yet"
    for index, line in enumerate(lines):
        yield SilkText(line, *on_board(1, (-15.2, -3 + 1.7 * index)), size=1, side="left")
    for index, line in enumerate(("solder each part", "onto its pads", "or into its holes")):
        yield SilkText(line, *on_board(2, (-15.2, -1.7 + 1.7 * index)), size=0.8, side="left")
    for column in range(size):
        yield SilkText("abcde"[column], *on_board(column, (12.2, 0)), size=1.5)
    yield SilkText("player's side", *on_board(1, (0, 14.6)), size=1)
    yield SilkText("far side", *on_board(1, (0, -14.6)), size=1)
    middle = board_length(size) / 2
    back = f"Pond {name}, rev. {REVISION}, not built by anybody yet"
    yield SilkText(back, middle, ROW_DEPTH / 2, size=1.2, is_at_bottom=True)
