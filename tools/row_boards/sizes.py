"""Sizes of row boards in mm, and places on them.

Coordinates within a cell are measured from its middle, to the right and towards the player.
"""

from __future__ import annotations

from pond_hw.fabrication.solids.sizes import ROW_DEPTH, ROW_END, ROW_START
from pond_hw.profile.row_boards import CELL_PITCH_MM

PITCH = CELL_PITCH_MM
"""Distance between the middles of neighbouring cells."""

LAMP_OFFSET = PITCH / 4
"""Distance of the lamps from the middle of their cell, along both axes."""

LAMP_HOLES_X, LAMP_HOLE_PITCH = 3.0, 1.8
"""Distance of the holes for through-hole lamps from the middle of their cell, and between the holes of a lamp. The legs of a
WS2812D-F5 are 1.27 mm apart; they are spread a little.
"""

RADIAL_X = 2.54
"""Distance of a radial capacitor's holes from its middle."""

CAPACITOR_Y = 12.53
"""Distance of the lamps' capacitors from the middle of their cell: no more, or the skirt of a button's cap touches them."""

CONNECTOR_X, FIRST_CONNECTOR_Y, CONNECTOR_PITCH = -PITCH / 2 - 4.75, -11.25, 2.5
"""Position of the connector's pins in the first cell's coordinates, and the distance between them."""

DIODE_X, BULK_X = LAMP_OFFSET, -11.2
"""Positions of the diodes in their cells, and of the large capacitor in the first cell, on the line through the middles."""

Place = tuple[float, float]


def board_length(size: int) -> float:
    return round(ROW_START + size * PITCH - ROW_END, 4)


def on_board(column: int, place: Place) -> Place:
    """Convert coordinates within a cell to coordinates from the board's far left corner. Columns count from 0."""
    x, y = place
    return round(ROW_START + (column + 0.5) * PITCH + x, 4), round(ROW_DEPTH / 2 + y, 4)
