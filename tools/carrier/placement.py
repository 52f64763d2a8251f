"""Placement of a carrier's parts.

far edge     header for the ribbon cable, oriented like the Pi's in the case, or the sockets of a Pico
left         the supply: its parts have fixed places
middle       chips, each with its capacitor at its supply pin, on shelves
right edge   connectors of the keys and the buzzer
near edge    a connector for each row board; ground and 5 V are at the edge, sensors towards the chips

All carriers for a Pi have the same size and the same holes, so they fit every case; so do those for a Pico.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from pond_hw.fabrication.netlist import CircuitPart, Netlist, PinKind
from pond_hw.fabrication.solids.sizes import (
    CARRIER_HOLE_MARGIN,
    CARRIER_SIZE,
    CARRIER_USB_C,
    PICO_CARRIER_SIZE,
    PICO_CARRIER_USB_C,
)
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from tools.carrier.footprints import LABEL_WIDTH, PITCH, XH_PITCH, XH_RIGHT, XH_SIDE, choose_footprint
from tools.pcb.board import Board, PlacedPart, part_box
from tools.pcb.board_file import REVISION
from tools.pcb.footprints import SilkText

GRID = 0.635
"""Grid in mm on which the first pin of a chip is placed."""

SHELF_GAP, PART_GAP, EDGE_GAP = 1.2, 1.0, 2.5
"""Distances in mm: between shelves, between parts, and from connectors to the edge."""

ROW_STEP, FIRST_ROW = 13.4, 10.4
"""Distance between the headers of neighbouring rows, and from the left edge to the pins of the first, in mm."""

CHIP_TYPES = (*EXPANDER_PARTS, *CONVERTER_PARTS, "shifter")

CHIP_AREAS = {
    "pi": ((44.0, 90.0, 13.2, 40.8), (44.0, 76.0, 13.2, 59.5)),
    "pico": ((57.5, 86.5, 8.5, 43.0), (57.5, 76.5, 8.5, 51.5)),
}
"""Areas for chips by controller, in mm: left, right, top, bottom. The second includes the first's left part."""

SOCKET_HALF_DEPTH = 3.4
"""Distance in mm from the middle of a USB-C socket to the board's edge, where its opening is flush."""

PLACES = {
    "pi": {
        "J2": (SOCKET_HALF_DEPTH, CARRIER_SIZE[1] - CARRIER_USB_C, 3),
        "J6": (4.4, 36.0, 0),
        "R6": (13.2, 39.6, 0),
        "R7": (13.2, 43.5, 0),
        "F1": (13.5, 30.0, 0),
        "TVS1": (42.0, 49.0, 2),
        "Q1": (34.5, 39.8, 2),
        "C1": (20.0, 18.7, 0),
        "R21": (13.2, 47.4, 0),
        "R22": (13.2, 51.3, 0),
        "R23": (13.2, 55.2, 0),
        "R24": (36.3, 23.2, 0),
        "R25": (29.2, 23.2, 0),
        "Q2": (22.8, 40.9, 0),
        "U2": (22.0, 50.5, 0),
        "LED1": (31.5, 15.5, 0),
        "R8": (35.8, 16.4, 0),
        "R3": (29.0, 56.5, 0),
        "TP1": (5.0, 14.6, 0),
        "TP2": (5.0, 17.6, 0),
        "TP3": (5.0, 20.6, 0),
        "TP4": (5.0, 23.6, 0),
    },
    "pico": {
        "J2": (PICO_CARRIER_USB_C, SOCKET_HALF_DEPTH, 2),
        "J6": (27.2, 9.5, 0),
        "R6": (17.2, 14.5, 0),
        "R7": (17.2, 18.4, 0),
        "F1": (5.5, 28.2, 0),
        "TVS1": (32.5, 45.6, 2),
        "Q1": (26.0, 38.0, 2),
        "C1": (5.5, 53.0, 0),
        "R21": (4.0, 37.0, 0),
        "R22": (4.0, 40.9, 0),
        "R23": (4.0, 44.8, 0),
        "R24": (11.6, 37.0, 0),
        "R25": (11.6, 40.9, 0),
        "Q2": (27.0, 17.5, 0),
        "U2": (15.6, 53.6, 0),
        "LED1": (25.5, 52.5, 0),
        "R8": (29.6, 53.5, 0),
        "R3": (76.0, 54.5, 0),
        "R4": (60.0, 54.5, 0),
        "R5": (68.0, 54.5, 0),
        "TP1": (4.4, 13.5, 0),
        "TP2": (4.4, 16.3, 0),
        "TP3": (4.4, 19.1, 0),
        "TP4": (4.4, 21.9, 0),
    },
}
"""Place of each part of the supply by controller: x, y in mm, and quarter turns."""


TITLES = {"pi": (8.5, 3.3), "pico": (37.6, 52.0)}
"""Place of the title by controller, in mm."""


class NoRoom(Exception):
    """The parts do not fit on a board that fits in the case."""


def place_parts(name: str, netlist: Netlist) -> Board:
    """Return a carrier with all parts placed.

    Raises:
        NoRoom: the parts don't fit.
    """
    controller = netlist.parts["J1"].part_type
    width, height = PICO_CARRIER_SIZE if controller == "pico" else CARRIER_SIZE
    placed = [*_place_header(netlist, width), *_place_rows(netlist, width, height), *_place_panel(netlist, width)]
    for ref, (x, y, quarters) in PLACES[controller].items():
        if part := netlist.parts.get(ref):
            placed.append(_place(part, x, y, quarters))
    placed += _place_chips(netlist, CHIP_AREAS[controller])
    if missing := netlist.parts.keys() - {each.part.ref for each in placed}:
        raise NoRoom(f"there is no place for {', '.join(sorted(missing))}")
    far_x, far_y = width - CARRIER_HOLE_MARGIN, height - CARRIER_HOLE_MARGIN
    holes = tuple((x, y) for y in (CARRIER_HOLE_MARGIN, far_y) for x in (CARRIER_HOLE_MARGIN, far_x))
    lines = name, f"carrier, rev. {REVISION}", "not built by", "anybody yet"
    title_x, title_y = TITLES[controller]
    texts = (SilkText(line, title_x, title_y + 1.8 * index, size=1, side="left") for index, line in enumerate(lines))
    fiducials, tooling_holes = _marks(width, height)
    return Board(netlist, placed, width, height, holes, tuple(texts), fiducials, tooling_holes)


def _marks(width: float, height: float) -> tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]:
    """Return the places of fiducials and of tooling holes."""
    fiducials = (3.5, 10.5), (width - 3.5, 10.5), (width - 10.5, height - 3.0)
    return fiducials, ((width - 13.5, height - 3.0), (2.4, height - 10.5))


def _place(part: CircuitPart, x: float, y: float, quarters: int = 0) -> PlacedPart:
    return PlacedPart(part, choose_footprint(part).turned(quarters), round(x, 4), round(y, 4), 90 * (quarters % 4))


def _place_header(netlist: Netlist, width: float) -> Iterator[PlacedPart]:
    header = netlist.parts["J1"]
    if header.part_type == "pico":
        yield _place(header, width / 2 - 3.5 * PITCH, 1.37)
    else:
        yield _place(header, 122 * GRID, 10 * GRID)


def _place_rows(netlist: Netlist, width: float, height: float) -> Iterator[PlacedPart]:
    """Place the connectors of the rows, the farthest row on the left."""
    rows = [part for part in netlist.parts_of_type("plug") if part.value.startswith("row ")]
    for index, part in enumerate(rows):
        x = FIRST_ROW + ROW_STEP * index
        if x + XH_RIGHT + 0.5 + LABEL_WIDTH * 9 > width - 8:
            raise NoRoom(f"{len(rows)} row boards need more than {width:g} mm")
        yield _place(part, x, height - EDGE_GAP - XH_SIDE)


def _place_panel(netlist: Netlist, width: float) -> Iterator[PlacedPart]:
    """Place the connectors of the keys and the buzzer at the right edge, from the bottom."""
    x, bottom = width - EDGE_GAP - XH_RIGHT, 80.5
    for part in sorted(netlist.parts_of_type("plug"), key=lambda part: -len(part.pins)):
        if not part.value.startswith("row "):
            placed = _place(part, x, bottom - XH_SIDE)
            footprint = placed.footprint
            # The labels are on the left, away from the edge.
            texts = [
                text._replace(x=-2.9, side="right") if text.size < 1 else text._replace(x=XH_RIGHT, side="right")
                for text in footprint.texts
            ]
            yield placed._replace(footprint=footprint._replace(texts=tuple(texts)))
            bottom += -XH_PITCH * (len(part.pins) - 1) - 2 * XH_SIDE - 2.4


def _place_chips(netlist: Netlist, areas: tuple[tuple[float, float, float, float], ...]) -> list[PlacedPart]:
    """Place the level shifter at the top right, the other chips from the top left of the first area where they fit."""
    placed: list[PlacedPart] = []
    chips = sorted(netlist.parts_of_type(*CHIP_TYPES), key=lambda part: (part.ref != "U1", -len(part.pins), part.ref))
    for chip in chips:
        group = _chip_group(netlist, chip)
        placed += next(filter(None, (_find_room(group, placed, area) for area in areas)), [])
    return placed


def _find_room(
    group: list[PlacedPart], placed: list[PlacedPart], area: tuple[float, float, float, float]
) -> list[PlacedPart]:
    """Return a group moved to the first free place of an area, from the top left; an empty list if there is none.

    The first group goes to the top right.
    """
    left, right, top, bottom = area
    box_left, box_top, box_right, box_bottom = _group_box(group)
    columns = range(math.ceil((left - box_left) / GRID), math.floor((right - box_right) / GRID) + 1)
    rows = range(math.ceil((top - box_top) / GRID), math.floor((bottom - box_bottom) / GRID) + 1)
    for row, column in product(rows, columns if placed else reversed(columns)):
        x, y = column * GRID, row * GRID
        moved = [each._replace(x=round(each.x + x, 4), y=round(each.y + y, 4)) for each in group]
        if not any(_overlap(part_box(one), part_box(other)) for one in moved for other in placed):
            return moved
    return []


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return (
        one[0] < other[2] + PART_GAP
        and other[0] < one[2] + PART_GAP
        and one[1] < other[3] + SHELF_GAP
        and other[1] < one[3] + SHELF_GAP
    )


def _chip_group(netlist: Netlist, part: CircuitPart) -> list[PlacedPart]:
    """Return a chip with its capacitor, which is in line with the supply pin, and its resistors below."""
    main = _place(part, 0, 0)
    group = [main]
    supply_pin_numbers = [number for number, pin in part.pins.items() if pin.pin_kind is PinKind.FED]
    lowest = max(pad.y for pad in main.footprint.pads)
    for capacitor in netlist.parts_of_type("capacitor"):
        if capacitor.beside == part.ref:
            supply_pad = next(pad for pad in main.footprint.pads if pad.number == supply_pin_numbers[-1])
            x = supply_pad.x + 2.2 if supply_pad.x else supply_pad.x - 4.6
            group.append(_place(capacitor, x, min(supply_pad.y, lowest - PITCH)))
    for index, resistor in enumerate(each for each in netlist.parts_of_type("resistor") if each.beside == part.ref):
        group.append(_place(resistor, 0, lowest + 4.4 + 3.9 * index))
    return group


def _group_box(group: list[PlacedPart]) -> tuple[float, float, float, float]:
    boxes = [part_box(each) for each in group]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
