"""Board: parts at their places, outline and screw holes."""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.fabrication.netlist import CircuitPart, Netlist
from tools.pcb.footprints import Footprint, Pad, SilkText

HOLE_SIZE, SCREW_HEAD = 3.2, 6.4
"""Diameters of a screw hole and of the free area around it, in mm."""


class PlacedPart(NamedTuple):
    """Part on the board. Its position is that of its first pin, in mm right and down from the board's top left corner."""

    part: CircuitPart
    footprint: Footprint
    x: float
    y: float

    def pad_places(self) -> list[tuple[Pad, float, float]]:
        return [(pad, self.x + pad.x, self.y + pad.y) for pad in self.footprint.pads]

    def centred(self) -> PlacedPart:
        """Return the same part, positioned by its middle."""
        x, y = self.footprint.middle
        return PlacedPart(self.part, self.footprint.centred(), round(self.x + x, 4), round(self.y + y, 4))


class Board(NamedTuple):
    """Board with its parts. Sizes are in mm.

    Attributes:
        netlist: its parts and nets.
        parts: the placed parts.
        width, height: size of the board.
        holes: centres of the holes for M3 screws.
        texts: silkscreen texts that belong to no part.
    """

    netlist: Netlist
    parts: list[PlacedPart]
    width: float
    height: float
    holes: tuple[tuple[float, float], ...] = ()
    texts: tuple[SilkText, ...] = ()


def part_box(placed: PlacedPart) -> tuple[float, float, float, float]:
    """Return the bounding box of a part and its pads: left, top, right, bottom."""
    left, top, right, bottom = placed.footprint.outline
    pads, (over, under) = placed.footprint.pads, placed.footprint.text_room
    top, bottom = top - over, bottom + under
    return (
        placed.x + min(left, *(pad.x - pad.size / 2 for pad in pads)),
        placed.y + min(top, *(pad.y - pad.size / 2 for pad in pads)),
        placed.x + max(right, *(pad.x + pad.size / 2 for pad in pads)),
        placed.y + max(bottom, *(pad.y + pad.size / 2 for pad in pads)),
    )
