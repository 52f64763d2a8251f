"""Placement of a carrier's parts on shelves (shelf packing), from the header at the far edge to the plugs at the near edge.

header for the ribbon cable, oriented like the Pi's in the case
chips, each with its capacitor at its supply pin
power, fuse, large capacitor and lamps, to keep the thick tracks short; resistors
a plug for each row of cells

Small parts go on an earlier shelf if there is room. All boards have the same size and the same holes, so they fit every
case.
"""

from __future__ import annotations

import math

from pond_hw.fabrication.netlist import CircuitPart, Netlist, PinKind
from pond_hw.fabrication.solids.sizes import CARRIER_HOLE_MARGIN, CARRIER_SIZE
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from tools.carrier.footprints import choose_footprint
from tools.pcb.board import Board, PlacedPart, part_box
from tools.pcb.board_file import REVISION
from tools.pcb.footprints import SilkText

GRID = 1.27
"""Grid in mm on which the first pin of each part is placed."""

SIDE_MARGIN, CORNER, MARGIN, SHELF_GAP, PART_GAP = 2.5, 8.0, 2.5, 2.3, 1.5
"""Distances in mm: from parts to the left and right edges, from screw holes to edges, from parts to the other edges,
between shelves, and between parts.
"""

SHELVES = (
    ("pi",),
    ("shifter", *EXPANDER_PARTS, *CONVERTER_PARTS),
    ("supply", "fuse", "reservoir", "terminal", "resistor"),
    ("plug",),
)

SMALL_WIDTH, SMALL_PLUG_WIDTH = 6.0, 11.0
"""Maximum widths in mm of parts and of plugs that may go on an earlier shelf."""


class NoRoom(Exception):
    """The parts do not fit on a board that fits in the case."""


class _Shelf:
    """Row of parts being filled from the left or, for the header's row, from the right."""

    def __init__(self, top: float) -> None:
        self.top = self.bottom = top
        self.right = 0.0

    def add(self, group: list[PlacedPart], max_bottom: float = math.inf) -> list[PlacedPart]:
        """Place a group of parts on the shelf and return them; return no parts if there is no room."""
        left, top, right, bottom = _group_box(group)
        first_y = _up_to_grid(self.top - top)
        low = first_y + bottom
        at_corner = self.top < CORNER or max(low, self.bottom) > CARRIER_SIZE[1] - CORNER
        side = CORNER if at_corner else SIDE_MARGIN
        first_x = _up_to_grid(max(side, self.right + PART_GAP if self.right else 0) - left)
        if group[0].part.part_type == "pi":
            first_x = _up_to_grid(CARRIER_SIZE[0] - side - right) - GRID
        if first_x + right > CARRIER_SIZE[0] - side or low > max_bottom:
            return []
        self.right, self.bottom = first_x + right, max(self.bottom, low)
        return [each._replace(x=each.x + first_x, y=each.y + first_y) for each in group]


def place_parts(name: str, netlist: Netlist) -> Board:
    """Return a carrier with all parts placed.

    Raises:
        NoRoom: the parts don't fit.
    """
    placed: list[PlacedPart] = []
    shelves: list[_Shelf] = []
    top = MARGIN
    for part_types in SHELVES:
        shelves.append(_Shelf(top))
        for part in [part for part_type in part_types for part in netlist.parts_of_type(part_type)]:
            group = _with_capacitor(netlist, part)
            left, _, right, _ = _group_box(group)
            added: list[PlacedPart] = []
            max_width = SMALL_PLUG_WIDTH if part.part_type == "plug" else SMALL_WIDTH
            for shelf in shelves[1:-1] if right - left <= max_width else ():
                added = added or shelf.add(group, shelf.bottom)
            added = added or shelves[-1].add(group)
            if not added:
                shelves.append(_Shelf(shelves[-1].bottom + SHELF_GAP))
                added = shelves[-1].add(group)
            placed += added
        top = shelves[-1].bottom + SHELF_GAP
    if shelves[-1].bottom > CARRIER_SIZE[1] - MARGIN:
        raise NoRoom(f"the parts need {shelves[-1].bottom + MARGIN:.1f} mm, and there are {CARRIER_SIZE[1]:g}")
    far_x, far_y = (length - CARRIER_HOLE_MARGIN for length in CARRIER_SIZE)
    holes = tuple((x, y) for y in (CARRIER_HOLE_MARGIN, far_y) for x in (CARRIER_HOLE_MARGIN, far_x))
    lines = name, f"carrier, rev. {REVISION}", "not built by", "anybody yet"
    texts = (SilkText(line, CORNER, 3.5 + 1.9 * index, size=1, side="left") for index, line in enumerate(lines))
    return Board(netlist, placed, *CARRIER_SIZE, holes, tuple(texts))


def _with_capacitor(netlist: Netlist, part: CircuitPart) -> list[PlacedPart]:
    """Return a part and its capacitor, which is in line with the supply pin."""
    main = PlacedPart(part, choose_footprint(part), 0, 0)
    group = [main]
    supply_pin_numbers = [number for number, pin in part.pins.items() if pin.pin_kind is PinKind.FED]
    for capacitor in netlist.parts_of_type("capacitor"):
        if capacitor.beside == part.ref:
            supply_pad = next(pad for pad in main.footprint.pads if pad.number == supply_pin_numbers[-1])
            x = supply_pad.x + 3 * GRID * (1 if supply_pad.x else -1)
            lowest = max(pad.y for pad in main.footprint.pads)
            group.append(PlacedPart(capacitor, choose_footprint(capacitor), x, min(supply_pad.y, lowest - 2 * GRID)))
    return group


def _group_box(group: list[PlacedPart]) -> tuple[float, float, float, float]:
    boxes = [part_box(each) for each in group]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _up_to_grid(length: float) -> float:
    return round(math.ceil(length / GRID - 1e-6) * GRID, 4)
