"""Board: parts at their places, outline and screw holes."""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.fabrication.netlist import CircuitPart, Netlist
from tools.pcb.footprints import Footprint, Pad, SilkText

HOLE_SIZE, SCREW_HEAD = 3.2, 6.4
"""Diameters of a screw hole and of the free area around it, in mm."""

FIDUCIAL_SIZE, TOOLING_HOLE_SIZE = 1.0, 1.152
"""Diameters in mm of a fiducial and of a tooling hole, as JLCPCB asks for."""


class PlacedPart(NamedTuple):
    """Part on the board. Positions are in mm right and down from the board's top left corner.

    Attributes:
        part: the part.
        footprint: its footprint, as it lies on the board.
        x, y: position of the footprint's point 0, 0.
        rotation: angle in degrees, counterclockwise, by which an assembly house turns the part.
    """

    part: CircuitPart
    footprint: Footprint
    x: float
    y: float
    rotation: int = 0

    def pad_places(self) -> list[tuple[Pad, float, float]]:
        return [(pad, self.x + pad.x, self.y + pad.y) for pad in self.footprint.pads]

    def centred(self) -> PlacedPart:
        """Return the same part, positioned by its middle."""
        x, y = self.footprint.middle
        return self._replace(footprint=self.footprint.centred(), x=round(self.x + x, 4), y=round(self.y + y, 4))


class Board(NamedTuple):
    """Board with its parts. Sizes are in mm.

    Attributes:
        netlist: its parts and nets.
        parts: the placed parts.
        width, height: size of the board.
        holes: centres of the holes for M3 screws.
        texts: silkscreen texts that belong to no part.
        fiducials: centres of the marks by which placement machines align the board.
        tooling_holes: centres of the holes that hold the board in the assembly house.
    """

    netlist: Netlist
    parts: list[PlacedPart]
    width: float
    height: float
    holes: tuple[tuple[float, float], ...] = ()
    texts: tuple[SilkText, ...] = ()
    fiducials: tuple[tuple[float, float], ...] = ()
    tooling_holes: tuple[tuple[float, float], ...] = ()


def part_box(placed: PlacedPart) -> tuple[float, float, float, float]:
    """Return the bounding box of a part and its pads: left, top, right, bottom."""
    left, top, right, bottom = placed.footprint.outline
    over, under = placed.footprint.text_room
    lefts, tops, rights, bottoms = [left], [top - over], [right], [bottom + under]
    for pad in placed.footprint.pads:
        half_width, half_height = pad.half_size
        lefts, rights = [*lefts, pad.x - half_width], [*rights, pad.x + half_width]
        tops, bottoms = [*tops, pad.y - half_height], [*bottoms, pad.y + half_height]
    return placed.x + min(lefts), placed.y + min(tops), placed.x + max(rights), placed.y + max(bottoms)
