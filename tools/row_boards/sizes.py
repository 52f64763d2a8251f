"""Sizes of row boards in mm, and places on them.

Coordinates within a cell are measured from its middle, to the right and towards the player.
"""

from __future__ import annotations

from pond_hw.profile.row_boards import CELL_PITCH_MM

PITCH = CELL_PITCH_MM
"""Distance between the middles of neighbouring cells."""

DEPTH = 33.0
"""Depth of a board, a little less than the pitch, because the rows lie edge to edge."""

CONNECTOR_MARGIN, END_GAP = 8.5, 0.17
"""Length to the left of the first cell, for the connector, and gap between the right end and the last cell's boundary."""

LAMP_OFFSET = PITCH / 4
"""Distance of the lamps from the middle of their cell, along both axes."""

LAMP_HOLES_X, LAMP_HOLE_PITCH = 3.0, 1.8
"""Distance of the holes for through-hole lamps from the middle of their cell, and between the holes of a lamp. The legs of a
WS2812D-F5 are 1.27 mm apart; they are spread a little.
"""

RADIAL_X = 2.54
"""Distance of a radial capacitor's holes from its middle."""

CAPACITOR_Y = 12.8
"""Distance of the lamps' capacitors from the middle of their cell."""

CONNECTOR_X, FIRST_CONNECTOR_Y, CONNECTOR_PITCH = -PITCH / 2 - 4.75, -11.25, 2.5
"""Position of the connector's pins in the first cell's coordinates, and the distance between them."""

DIODE_X, BULK_X = LAMP_OFFSET, -11.2
"""Positions of the diodes in their cells, and of the large capacitor in the first cell, on the line through the middles."""

Place = tuple[float, float]


def board_length(size: int) -> float:
    return round(CONNECTOR_MARGIN + size * PITCH - END_GAP, 4)


def on_board(column: int, place: Place) -> Place:
    """Convert coordinates within a cell to coordinates from the board's far left corner. Columns count from 0."""
    x, y = place
    return round(CONNECTOR_MARGIN + (column + 0.5) * PITCH + x, 4), round(DEPTH / 2 + y, 4)
